# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print what krping has in place of the option WORD of another program, as assignments for a shell:
#
#   awk -f foreign.awk -f foreign-word.awk -- WORD
#
# near='...' is an option of krping, or empty; needless='...' is the reason why krping has no such option, or
# empty, and instead='...' the next step. None of them has a part of WORD that could end the quotes.
BEGIN {
	is_needless(ARGV[1])
	print "near='" foreign(ARGV[1]) "' needless='" needless "' instead='" instead "'"
	exit
}
