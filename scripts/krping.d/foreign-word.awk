# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print what krping has in place of WORD, a short option or an option of another program, as assignments for a shell:
#
#   awk -f foreign.awk -f foreign-word.awk -- WORD
#
# near='...' is an option of krping, or empty; needless='...' is the reason why krping has no such option, or
# empty, and instead='...' the next step. None of them has a part of WORD that could end the quotes.
BEGIN {
	is_needless(ARGV[1])
	short_options()
	near = ARGV[1] in short ? short[ARGV[1]] : foreign(ARGV[1])
	print "near='" near "' needless='" needless "' instead='" instead "'"
	exit
}
