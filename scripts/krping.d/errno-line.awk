# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the words of ERRNO; without ERRNO, print lines with words instead of an errno at their end.

BEGIN {
	if (errno != "") {
		print errno_words(errno)
		exit
	}
}

{ print in_words($0) }
