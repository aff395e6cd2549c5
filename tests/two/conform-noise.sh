#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The test conform between two guests has the expected verdicts on an undisturbed
#   wire, on a wire that loses 1 % of the packets of both guests, and while the test bw runs.
# Requires: two guests on one wire; tests/run runs the subject only by name
# Duration: four minutes; the checks beside bw take four times as long on a busy machine
#
#   CONFORM_ROUNDS  number of times that each of the three checks runs (default 1)

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=other.inc
. "${0%/*}/other.inc"
# shellcheck source=../conform/verdicts.inc
. "${0%/*}/../conform/verdicts.inc"

if ! [ -e "$EXPECTED" ]; then
	skip all "there is no ${EXPECTED##*/}"
	t_end
	exit
fi

# siw checks each TCP segment of a WRITE by itself. Within one guest, where the expected verdicts were
# recorded, the loopback interface carries a WRITE in one segment. Between two guests the WRITE of
# write_long_behind_end has several segments, and siw places the first ones before it rejects the segment
# that exceeds the region.
if [ "$TYPE" = siw ]; then
	awk -F '\t' -v OFS='\t' '
		$1 == "write_long_behind_end" { $2 = "deviates"; $3 = "bytes" }
		{ print }' "$EXPECTED" >"$T_TMP/expected.tsv"
	EXPECTED=$T_TMP/expected.tsv
fi

# run: run all cases of conform against a server in the other guest, and check the verdicts. Print how long
# the run took, and which cases conform repeated.
run() {
	read -r _began _ </proc/uptime
	server_there server "$PATIENT,mem_mode=dma" && conform_client "addr=$PEER,port=$port" &&
		verdicts_expected && other "kr_ended server ok"
	_run_rc=$?
	read -r _ended _ </proc/uptime
	_repeated=$(sed -n 's/^case name=\([^ ]*\) .* repeats=1.*/ \1/p' "$KR_RESULT" | tr -d '\n')
	echo "# $((${_ended%.*} - ${_began%.*})) s; repeated:$_repeated"
	return $_run_rc
}

# lossy: do what run does while netem drops 1 % of the packets that each guest sends
lossy() {
	tc qdisc replace dev "$IF" root netem loss 1% && other "tc qdisc replace dev $IF root netem loss 1%" && run
	_ret=$?
	# also if a guest could not apply netem: the other one has
	tc qdisc delete dev "$IF" root 2>/dev/null
	other "tc qdisc delete dev $IF root 2>/dev/null || :" || _ret=1
	return $_ret
}

# beside_bw: do what run does while bw runs on the same devices, and check that bw runs on
beside_bw() {
	server_there bw_server "$PATIENT" &&
		kr_bg bw "client,addr=$PEER,port=$port,bw,size=4096,duration=3600,$PATIENT" &&
		until_ok 60 moves bw || return 1
	run
	_ret=$?
	kr_result bw && kr_is status running && kr "stop,id=$(kr_get id)" || _ret=1
	kr_wait bw 60
	return $_ret
}

round=1
while [ $round -le "${CONFORM_ROUNDS:-1}" ]; do
	check_within 900 "conform between two guests: run $round has the expected verdicts" run
	if tc qdisc replace dev lo root netem 2>/dev/null; then
		tc qdisc delete dev lo root
		check_within 900 "conform, 1 % of the packets lost: run $round has the expected verdicts" lossy
	else
		skip "conform, 1 % of the packets lost: run $round has the expected verdicts" \
			"the kernel has no netem, or there is no tc"
	fi
	check_within 900 "conform beside bw: run $round has the expected verdicts" beside_bw
	round=$((round + 1))
done
check "conform between two guests: the other guest has no test or RDMA object left" other_clean
t_end
