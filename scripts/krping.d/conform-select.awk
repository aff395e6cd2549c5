# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Select cases from the module's list of all cases:
#
#   awk -v group=LIST -v skip=LIST -v safe=yes -v groups=WORDS -v not=WORDS \
#	-f value.awk -f conform-select.awk
#
# LIST is names of groups or cases with colons or commas between them. With safe, a case remains only
# if its group is in "groups" and its name is not in "not". A list in a command has at most 255
# characters, so the cases are split: prints "chunk NAME:NAME..." for each command that has to run.
# Prints "wrong REASON" if no case remains or a name is unknown.

# Make each word of the list TEXT an index of TO.
function words_of(text, to,    word, i, n) {
	n = split(text, word, /[:, ]+/)
	for (i = 1; i <= n; i++)
		if (word[i] != "")
			to[word[i]] = 1
}

# Print an error and exit if a name is neither a case nor a group.
function unknown(names, option,    name) {
	for (name in names)
		if (!(name in known)) {
			print "wrong --" option ": there is no case or group " name
			exit
		}
}

BEGIN {
	limit = 255
	words_of(group, wanted)
	words_of(skip, skipped)
	words_of(groups, safe_group)
	words_of(not, unsafe)
}

/^case / {
	case_of[++n] = value($0, "name")
	group_of[n] = value($0, "group")
	known[case_of[n]] = 1
	known[group_of[n]] = 1
}

END {
	unknown(wanted, "group")
	unknown(skipped, "skip")
	for (i = 1; i <= n; i++) {
		name = case_of[i]
		if (group != "" && !(name in wanted) && !(group_of[i] in wanted))
			continue
		if (name in skipped || group_of[i] in skipped)
			continue
		if (safe != "" && (!(group_of[i] in safe_group) || name in unsafe))
			continue
		if (chunk != "" && length(chunk) + 1 + length(name) > limit) {
			print "chunk " chunk
			chunk = ""
		}
		chunk = chunk (chunk == "" ? "" : ":") name
	}
	print chunk == "" ? "wrong no case is left" : "chunk " chunk
}
