# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Read the two directions of an iWARP connection, as tshark -z follow,tcp,raw prints them: lines of hexadecimal
# digits, those of the server with a tab. Print the private data and each message, first the client's. Keys,
# addresses, times and random numbers are replaced by -. Keep-alives are left out, because their number depends on
# the time: see Documentation/wire.md.

/^\t?[0-9a-f]+$/ {
	side = sub(/^\t/, "") ? "server" : "client"
	bytes[side] = bytes[side] $0
}

END {
	messages("client", bytes["client"])
	messages("server", bytes["server"])
}

# number TEXT: the value of hexadecimal digits
function number(text,   i, n) {
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n + 0
}

# hide TEXT, OFFSET, LENGTH: TEXT without LENGTH bytes at the byte OFFSET
function hide(text, offset, len) {
	return substr(text, 1, 2 * offset) "-" substr(text, 2 * (offset + len) + 1)
}

# messages SIDE, TEXT: print what SIDE has sent: an MPA frame with private data, and FPDUs. An FPDU has the length
# of its ULPDU, the ULPDU, a padding to a multiple of 4 bytes, and a CRC
function messages(side, text,   at, len) {
	len = number(substr(text, 37, 4))
	print side, "mpa", substr(text, 1, 40), private_data(substr(text, 41, 2 * len))
	for (at = 41 + 2 * len; at <= length(text); at += 12 + 2 * len + 2 * ((6 - len % 4) % 4)) {
		len = number(substr(text, at, 4))
		if (at + 4 + 2 * len > length(text)) {
			print side, "truncated"
			return
		}
		ulpdu(side, substr(text, at + 4, 2 * len))
	}
}

# private_data TEXT: private data without the session number of a REQ, which has 56 bytes. MPA revision 2 begins
# private data with 4 bytes of its own
function private_data(text) {
	return length(text) >= 120 ? hide(text, 28, 4) : text
}

# ulpdu SIDE, TEXT: print a segment of DDP: its control bytes, the numbers of an untagged segment, and the payload
function ulpdu(side, text,   control, opcode, payload) {
	control = substr(text, 1, 4)
	opcode = substr(text, 4, 1)
	if (text ~ /^[89a-f]/) {
		# key and address come before the payload
		payload = substr(text, 29)
		# the answer to a keep-alive
		if (opcode != "2" || length(payload) != 2)
			print side, control, payload_of(payload)
		return
	}
	payload = substr(text, 37)
	if (opcode == "1") {
		# a READ request: only the length has to be the same
		if (substr(payload, 25, 8) != "00000001")
			print side, control, "read", substr(payload, 25, 8)
	} else if (payload !~ /^6b72706702/)
		print side, control, payload_of(payload)
}

# payload_of TEXT: a payload without keys, addresses, times and random numbers
function payload_of(text) {
	# an advert or a go-ahead
	if (length(text) == 32 && text !~ /^6b727067/)
		return hide(text, 0, 12)
	# a buffer advert
	if (text ~ /^6b72706704/)
		return hide(text, 16, 12)
	# a region: an advert of its list, and the identity
	if (text ~ /^6b72706705/)
		return hide(hide(text, 40, 8), 16, 12)
	# a report: the time and the latencies
	if (text ~ /^6b72706703/)
		return hide(hide(text, 96, 72), 16, 8)
	return text
}
