#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The programs of tests/unit pass in user space. Each of their subtests counts as a
#   check.
# Requires: no guest
# Duration: 5 s

cd "$(dirname "$0")/../unit" || exit 1
make -s check 2>&1 | awk '
	function result(how, what) { printf "%s %d - %s\n", how, ++n, what }
	{ text = $0; sub(/^ +/, "", text) }
	/^# Subtest: / { name = $3; subtests = bad = 0; next }
	/^    ok / || /^    not ok / {
		how = text ~ /^ok/ ? "ok" : "not ok"
		sub(/^(not )?ok [0-9]+( -)? */, "", text)
		result(how, name ": " text)
		subtests++
		if (how != "ok")
			bad++
		next
	}
	/^ok / && subtests { programs++; next }
	/^not ok / {
		if (!bad)
			result("not ok", name ": the program failed")
		programs++
		next
	}
	/^1\.\.[0-9]+$/ { want = substr($0, 4); next }
	/^    1\.\./ || /^TAP version/ { next }
	{ print "# " text }
	END {
		# Without a plan, tests/run reports this subject as failed.
		if (programs > 0 && programs == want)
			print "1.." n
	}'
