# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The values of a line of key=value pairs. Shared: awk -f conform-value.awk -f PROGRAM

# value(LINE, KEY): the value of a key, without its double quotes; "" if the line lacks the key
function value(line, key) {
	if (match(line, " " key "=\"[^\"]*\""))
		return substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
	if (match(line, " " key "=[^ ]*"))
		return substr(line, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	return ""
}
