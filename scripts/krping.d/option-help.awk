# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Describe the option NAME, from the output of the module's command help; with NAME "options", list all, with the
# units of times. Needs value.awk.

# Return the unit of an option whose operand is a time, in brackets; "" for other options.
function unit(    operand) {
	operand = value($0, "operand")
	if (!match(operand, /number of (milli)?seconds/))
		return ""
	return " [" substr(operand, RSTART + 10, RLENGTH - 10) "]"
}

/^option / {
	if (name == "options") {
		printf "%-16s %s%s\n", value($0, "name"), value($0, "meaning"), unit()
		found = 1
	} else if (value($0, "name") == name || value($0, "alias") == name) {
		print value($0, "name") (value($0, "alias") == "" ? "" : ", " value($0, "alias")) ": " value($0, "meaning")
		print "operand: " (value($0, "operand") == "" ? "none" : value($0, "operand"))
		if (value($0, "default") != "")
			print "default: " value($0, "default")
		if (value($0, "server") == "own")
			print "server: has its own; the client's does not change it, so give it to krping server, too, for both sides"
		else if (value($0, "server") == "adopted")
			print "server: adopts the client's"
		found = 1
	}
}

END { exit !found }
