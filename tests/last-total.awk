# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the last line "N passed, N failed, N skipped" of the output of a test script. Output without such
# a line counts as a failure, because the script has died.

/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { total = $0 }

END { print total == "" ? "0 passed, 1 failed, 0 skipped" : total }
