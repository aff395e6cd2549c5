# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the arguments, from the second on, of which the first argument may be a misspelling.
BEGIN {
	for (i = 2; i < ARGC; i++)
		words = words " " ARGV[i]
	found = suggest(ARGV[1], words)
	if (found != "")
		print found
	exit
}
