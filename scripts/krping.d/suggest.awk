# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Find the word that is nearest to a misspelled one.

# Return the number of steps from A to B. A step inserts, drops or replaces a letter, or swaps two.
function distance(a, b,    i, j, la, lb, d, cost, best) {
	la = length(a)
	lb = length(b)
	for (i = 0; i <= la; i++)
		d[i, 0] = i
	for (j = 0; j <= lb; j++)
		d[0, j] = j
	for (i = 1; i <= la; i++)
		for (j = 1; j <= lb; j++) {
			cost = substr(a, i, 1) != substr(b, j, 1)
			best = d[i - 1, j - 1] + cost
			if (d[i - 1, j] + 1 < best)
				best = d[i - 1, j] + 1
			if (d[i, j - 1] + 1 < best)
				best = d[i, j - 1] + 1
			if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) &&
			    substr(a, i - 1, 1) == substr(b, j, 1) && d[i - 2, j - 2] + 1 < best)
				best = d[i - 2, j - 2] + 1
			d[i, j] = best
		}
	return d[la, lb]
}

# Return the word of the blank-separated WORDS that is nearest to A, or several equally near words with
# " or " between them; "" if no word is near. A may have one error for each three letters, at least one.
function suggest(a, words,    n, word, i, d, best, found, limit) {
	if (length(a) > 40)
		return ""
	limit = length(a) < 4 ? 1 : int(length(a) / 3)
	best = limit + 1
	n = split(words, word, " ")
	for (i = 1; i <= n; i++) {
		# the user may have typed only the beginning of a word
		d = length(a) > 2 && index(word[i], a) == 1 ? 1 : distance(a, word[i])
		if (d < best) {
			best = d
			found = word[i]
		} else if (d == best && d <= limit && index(" " found " ", " " word[i] " ") == 0) {
			found = found " or " word[i]
		}
	}
	return found
}
