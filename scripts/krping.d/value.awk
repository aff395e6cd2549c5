# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Read values from a line of key=value pairs, for another PROGRAM: awk -f value.awk -f PROGRAM

# Return the value of KEY, without its double quotes; "" if LINE lacks the key.
function value(line, key) {
	line = " " line
	if (match(line, " " key "=\"[^\"]*\""))
		return substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
	if (match(line, " " key "=[^ ]*"))
		return substr(line, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	return ""
}
