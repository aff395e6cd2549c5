# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print a command put for each MAX bytes of a file. The input is the output of od -tx1. Each command has exactly 4096
# bytes, so that dd can write it with one write(2): blanks, which the module ignores, fill it. Write the number of
# the file's bytes into the file COUNT.

# Print the command for the digits in HEX.
function piece() {
	printf "%-4095s\n", sprintf("put,id=%s,offset=%.0f%s,hex=%s", id, offset + bytes, more, hex)
	bytes += length(hex) / 2
	hex = ""
}

{
	gsub(/ /, "")
	hex = hex $0
	if (length(hex) >= 2 * max)
		piece()
}

END {
	if (hex != "")
		piece()
	printf "%.0f\n", bytes >count
}
