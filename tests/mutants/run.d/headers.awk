# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Usage: awk -v classes=CLASSES -f headers.awk SUBJECTS PATCH...
#
# For each PATCH print "NAME|CLASS|FILE|FAULT|WRONG": the name of the mutant, its class, the patched file, the first
# thing that is wrong with the patch (nothing if it is well-formed), and the bug. CLASSES are the valid classes, and
# SUBJECTS is the file with the tests of the patched files. One process reads all patches: there are hundreds.

# fault TEXT: the patch has the fault TEXT; keep the first fault of each patch
function fault(text) {
	if (why == "")
		why = text
}

# finish: print the line of the patch that ends here
function finish(path,    name) {
	name = path
	sub(/.*\//, "", name)
	if (bugs != 1)
		fault("does not have exactly one line 'Wrong:'")
	if (class == "" || index(" " classes " ", " " class " ") == 0)
		fault("has the unknown class '" class "'")
	if (name !~ /^[0-9][0-9][0-9]-[a-z0-9-]+\.patch$/)
		fault("is not named NNN-short-name.patch")
	if (files != 1)
		fault("changes " files + 0 " files instead of one")
	if (!equivalent && tests == "" && !(file in subjects))
		fault("names no tests, and tests/mutants/subjects has none for " file)
	if (before == after)
		fault("changes nothing")
	sub(/\.patch$/, "", name)
	printf "%s|%s|%s|%s|%s\n", name, class, file, why, bug
	files = bugs = equivalent = 0
	class = file = bug = tests = why = before = after = ""
}

BEGIN { gsub(/[ \t\n]+/, " ", classes) }

FILENAME == ARGV[1] {
	if (!/^#/ && NF > 1)
		subjects[$1]
	next
}

FNR == 1 {
	if (path != "")
		finish(path)
	path = FILENAME
	header = 1
	seen[path]
}

/^--- / && header { header = 0; next }
header && /^Wrong: / { bugs++; bug = substr($0, 8) }
header && /^Class: / { class = substr($0, 8) }
header && /^Tests: / { tests = substr($0, 8) }
header && /^Equivalent: ./ { equivalent = 1 }
header { next }
/^\+\+\+ b\// { files++; file = substr($0, 7); next }
# the file's lines before and after the change
/^[- ]/ { before = before "\n" substr($0, 2) }
/^[+ ]/ { after = after "\n" substr($0, 2) }

END {
	if (path != "")
		finish(path)
	# An empty patch has no line that a rule above matches.
	for (i = 2; i < ARGC; i++)
		if (!(ARGV[i] in seen))
			finish(ARGV[i])
}
