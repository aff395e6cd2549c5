#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: On a device that permits no RDMA READ in flight, tests of WRITEs, SENDs and registrations
#   run, tests that need READs or atomics are refused with EOPNOTSUPP and the reason, and cases of
#   conform that post a READ or an atomic are unsupported.
# Requires: one guest with the lab device
# Duration: 20 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# The lab device is a patched rxe. lab_set and lab_new set its module parameters.
# shellcheck source=lab.inc
. "${0%/*}/lab.inc"

lab_new no_reads=1

for test in wlat slat bw sbw bw,duplex; do
	check "no READs: $test runs" lab_runs $test,count=20,validate
done
check "no READs: fr runs" lab_runs fr,count=20

no_reads_in_path() {
	lab_runs wlat,count=5 || return 1
	grep -q '^path .* reads_out=0 reads_in=0$' "$KR_RESULT" || why "no path without READs in flight"
}
check "no READs: the result has 0 READs in flight" no_reads_in_path

# none OPTIONS WORDS: check that a client with OPTIONS is refused with EOPNOTSUPP and WORDS
none() {
	kr_bg server "server,addr=$ADDR" && kr_listening server || return 1
	kr_fails_with EOPNOTSUPP "client,addr=$ADDR,$1" "$2"
	_status=$?
	kr_stop
	return $_status
}
posts="the device posts no READs and atomics (max_qp_init_rd_atom is 0)"
answers="the device answers no READs and atomics (max_qp_rd_atom is 0)"
check "no READs: ping is refused" none count=5 "$answers"
for test in rlat rbw rlat,atomic=faa rbw,duplex; do
	check "no READs: $test is refused" none $test,count=5 "$posts"
done
for command in put,data=hello get,len=5 session disk; do
	check "no READs: $command is refused" none $command "$posts"
done

exports() {
	kr_fails_with EOPNOTSUPP "server,addr=$ADDR,export=64k" "$answers"
}
check "no READs: a server with export is refused" exports

named() {
	kr_fails_with EOPNOTSUPP "server,addr=$ADDR,rbw" "$answers"
}
check "no READs: a server for rbw is refused" named

cases() {
	kr_bg server "server,addr=$ADDR,$PATIENT" &&
		kr "client,addr=$ADDR,$PATIENT,conform,case=send_inline:write_inline:read_1_byte:read_4097:fetch_add" &&
		kr_has "conform ok=2 deviates=0 unsupported=3 failed=0" && kr_ended server ok
}
check "no READs: conform runs the cases without READs, and the others are unsupported" cases

# The scenario init_both writes to the server's region, and reads the bytes back.
krdma() {
	lab_krdma init_both || return 1
	case $_result in
	*krdma_read*-95*) ;;
	*) why "krping_krdma.ko has the result '$_result'" ;;
	esac
}
check "no READs: krdma_write() succeeds, and krdma_read() returns EOPNOTSUPP" krdma

lab_ends() {
	lab_new && kr_clean
}
check "tests without READs leave no test or object" lab_ends

t_end
