# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the result of an operation on remote memory: its completion, a hex dump, and the regions.

function value(key) {
	if (match($0, " " key "=\"[^\"]*\""))
		return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
	if (match($0, " " key "=[^ ]*"))
		return substr($0, RSTART + length(key) + 2, RLENGTH - length(key) - 2)
	return ""
}

# The data of a get, which follows, and the bytes of a put show that the operation succeeded. --unchecked adds the state of
# the QP.
/^completion / {
	if (value("len") != "")
		printf "wrote %s byte%s at offset %s\n", value("len"), value("len") == 1 ? "" : "s", value("offset")
	completion = "completion: " value("wc_status")
	if (value("qp_state") != "")
		print completion ", QP state " value("qp_state")
	else if (value("len") == "")
		sent = completion
}

/^data / {
	sent = ""
	hex = value("hex")
	text = value("text")
	for (i = 0; i < length(hex) / 2; i += 16) {
		line = ""
		for (j = i; j < i + 16; j++)
			line = line " " (j * 2 < length(hex) ? substr(hex, j * 2 + 1, 2) : "  ")
		printf "%10.0f %s  %s\n", value("offset") + i, line, substr(text, i + 1, 16)
	}
}

/^region / { sub(/^region /, ""); print }

END {
	if (sent != "")
		print sent
}
