# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the words of the 2nd and further arguments that the 1st is a misspelling of.
BEGIN {
	for (i = 2; i < ARGC; i++)
		words = words " " ARGV[i]
	found = suggest(ARGV[1], words)
	if (found != "")
		print found
	exit
}
