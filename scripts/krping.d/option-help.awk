# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Describe the option NAME, from the output of the module's command help; with NAME "options", list all, with the
# units of times.

function value(key) {
	if (match($0, " " key "=\"[^\"]*\""))
		return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
	if (match($0, " " key "=[^ ]*"))
		return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	return ""
}

# Return the unit of an option whose operand is a time, in brackets; "" for other options.
function unit(    operand) {
	operand = value("operand")
	if (!match(operand, /number of (milli)?seconds/))
		return ""
	return " [" substr(operand, RSTART + 10, RLENGTH - 10) "]"
}

/^option / {
	if (name == "options") {
		printf "%-16s %s%s\n", value("name"), value("meaning"), unit()
		found = 1
	} else if (value("name") == name || value("alias") == name) {
		print value("name") (value("alias") == "" ? "" : ", " value("alias")) ": " value("meaning")
		print "operand: " (value("operand") == "" ? "none" : value("operand"))
		if (value("default") != "")
			print "default: " value("default")
		found = 1
	}
}

END { exit !found }
