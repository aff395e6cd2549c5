# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print ERRNO in words. Without ERRNO, print the input, with words for an errno at the end of a line.

BEGIN {
	if (errno != "") {
		print errno_words(errno)
		exit
	}
}

{ print in_words($0) }
