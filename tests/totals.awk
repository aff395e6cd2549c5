# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Add up lines "N passed, N failed, N skipped", the last lines of test scripts, and print the sum
# in the same form.

{
	passed += $1
	failed += $3
	skipped += $5
}

END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
