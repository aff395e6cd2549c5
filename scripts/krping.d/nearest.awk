# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print those of the 2nd and further arguments of which the 1st may be a misspelling.
BEGIN {
	for (i = 2; i < ARGC; i++)
		words = words " " ARGV[i]
	found = suggest(ARGV[1], words)
	if (found != "")
		print found
	exit
}
