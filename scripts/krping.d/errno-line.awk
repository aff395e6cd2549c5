# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print lines with words instead of an errno at their end.

{ print in_words($0) }
