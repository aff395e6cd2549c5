# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print a command put for each MAX bytes of a file. The input is hex digits, such as the output of od -tx1. Blanks,
# which the module ignores, extend each command to exactly 4096 bytes, so that dd can write the command with one
# write(2). Write the number of the file's bytes into the file COUNT.

# Print the command for at most MAX bytes of the digits in HEX, and remove these digits.
function piece(    part) {
	part = substr(hex, 1, 2 * max)
	hex = substr(hex, 2 * max + 1)
	printf "%-4095s\n", sprintf("put,id=%s,offset=%.0f%s,hex=%s", id, offset + bytes, more, part)
	bytes += length(part) / 2
}

{
	gsub(/ /, "")
	hex = hex $0
	while (length(hex) >= 2 * max)
		piece()
}

END {
	if (hex != "")
		piece()
	printf "%.0f\n", bytes >count
}
