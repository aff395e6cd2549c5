# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the verdicts of a conformance run as a file for krping conform --expect. A case that could not be
# run (failed) has no verdict about the device.
#
#   awk -f value.awk -f conform-save.awk RESULT

/^case / {
	verdict = value($0, "verdict")
	differs = value($0, "differs")
	if (verdict != "failed")
		printf "%s\t%s\t%s\n", value($0, "name"), verdict, differs == "" ? "-" : differs
}
