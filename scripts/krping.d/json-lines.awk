# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Convert JSON documents of krping back into lines of results: each named object with values becomes
# a line of its name and key=value pairs. Values outside of such objects are dropped.

# Append the value S and its key to the line of the innermost object.
function scalar(s) {
	if (state[depth] != "value" || type[depth] != "{")
		return
	if (s ~ /[ "]/ || s == "") {
		gsub(/"/, "'", s)
		s = "\"" s "\""
	}
	line[depth] = line[depth] " " key[depth] "=" s
}

# Replace escapes; \b, \f, \n, \r, \t and every \uXXXX become a question mark.
function plain(s) {
	# Hide escaped backslashes, because "\\n" is a backslash and an n.
	gsub(/\\\\/, "\001", s)
	gsub(/\\u[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/, "?", s)
	gsub(/\\[bfnrt]/, "?", s)
	gsub(/\\"/, "\"", s)
	gsub(/\\\//, "/", s)
	gsub(/\001/, "\\", s)
	return s
}

{
	text = $0
	while (1) {
		sub(/^[ \t\r]+/, "", text)
		if (text == "")
			break
		c = substr(text, 1, 1)
		if (c == "{" || c == "[") {
			depth++
			type[depth] = c
			line[depth] = ""
			state[depth] = c == "{" ? "key" : "value"
			text = substr(text, 2)
		} else if (c == "}" || c == "]") {
			if (line[depth] != "" && type[depth] == "{" && key[depth - 1] != "")
				print key[depth - 1] line[depth]
			delete key[depth]
			depth--
			text = substr(text, 2)
		} else if (c == ",") {
			state[depth] = type[depth] == "{" ? "key" : "value"
			text = substr(text, 2)
		} else if (c == ":") {
			state[depth] = "value"
			text = substr(text, 2)
		} else if (c == "\"" && match(text, /^"([^"\\]|\\.)*"/)) {
			word = plain(substr(text, 2, RLENGTH - 2))
			text = substr(text, RLENGTH + 1)
			if (state[depth] == "key")
				key[depth] = word
			else
				scalar(word)
		} else if (match(text, /^[-+.0-9a-zA-Z]+/)) {
			scalar(substr(text, 1, RLENGTH))
			text = substr(text, RLENGTH + 1)
		} else {
			bad = 1
			exit
		}
	}
}

END { exit bad || depth != 0 }
