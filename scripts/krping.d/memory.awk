# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the result of an operation on remote memory: its completion, a hex dump, and the regions. Needs
# value.awk.

# The data of a get, which follows, and the bytes of a put show that the operation succeeded. --unchecked adds the state of
# the QP.
/^completion / {
	if (value($0, "len") != "")
		printf "wrote %s byte%s at offset %s\n", value($0, "len"), value($0, "len") == 1 ? "" : "s", value($0, "offset")
	completion = "completion: " value($0, "wc_status")
	if (value($0, "qp_state") != "")
		print completion ", QP state " value($0, "qp_state")
	else if (value($0, "len") == "")
		sent = completion
}

/^data / {
	sent = ""
	hex = value($0, "hex")
	text = value($0, "text")
	for (i = 0; i < length(hex) / 2; i += 16) {
		line = ""
		for (j = i; j < i + 16; j++)
			line = line " " (j * 2 < length(hex) ? substr(hex, j * 2 + 1, 2) : "  ")
		printf "%10.0f %s  %s\n", value($0, "offset") + i, line, substr(text, i + 1, 16)
	}
}

/^region / { sub(/^region /, ""); print }

END {
	if (sent != "")
		print sent
}
