#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The histogram of a latency test counts each iteration once.
# Requires: one guest with any device
# Duration: 4 s on rxe, 8 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=figures.inc
. "${0%/*}/figures.inc"

# buckets COUNT: check that the buckets are in order and not empty, and add up to COUNT
buckets() {
	awk -v want="$1" '
		$1 == "histogram_nsec" {
			lines++
			last = -1
			for (i = 2; i <= NF; i++) {
				split($i, b, "=")
				if (b[1] + 0 <= last || b[2] < 1)
					bad = $i
				last = b[1] + 0
				sum += b[2]
			}
		}
		END {
			if (lines == 1 && sum == want && bad == "")
				exit 0
			print lines + 0 " lines, the sum is " sum + 0 ", wrong is \"" bad "\""
			exit 1
		}' "$KR_RESULT" >"$T_TMP/buckets" || why "$(cat "$T_TMP/buckets")"
}

# histogram TEST: check the client's histogram, and that the server's result has none
histogram() {
	pair "" "$1,size=64,count=200,warmup=20,histogram" || {
		kr_stop
		kr_returned ok
		return 1
	}
	kr_is iterations 200 && buckets 200 && kr_ended server ok || return 1
	case $KR_OUT in
	*histogram_nsec*) why "the server was not asked for a histogram" ;;
	esac
}

no_histogram() {
	pair "" "$1,count=5" && kr_ended server ok || return 1
	not grep -q histogram_nsec "$KR_RESULT"
}

for test in $latency_tests; do
	check "$test,histogram: the sum of the buckets is the number of iterations" histogram "$test"
	check "$test without histogram: the result has no histogram" no_histogram "$test"
done

server_histogram() {
	pair histogram slat,count=50 && kr_is iterations 50 && kr_ended server ok &&
		latencies latency_nsec half_round_trip && buckets "$(kr_get iterations)"
}
check "slat: the server's histogram counts each of its iterations" server_histogram

histogram_qps() {
	pair "" slat,count=50,qps=2,threads=2,histogram && kr_is iterations 200 && buckets 200
}
check "slat,qps=2,threads=2,histogram: one histogram for all QPs" histogram_qps
kr_stop

t_end
