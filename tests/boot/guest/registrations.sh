#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The test fr registers random sizes from 1 to size=, and each test gives its peer
#   no more access to a buffer than the test needs. kprobes print the registrations.
# Requires: one guest with one CPU, which tests/boot boots
# Duration: 7 s on rxe, 6 s on siw

# shellcheck source=../../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

tracefs=/sys/kernel/tracing

# seen EVENT OPTIONS: run a server and a client with OPTIONS, and write the lines of the kprobe
# EVENT into $SEEN
SEEN=$T_TMP/seen
seen() {
	echo "p:krping_probe $1" >$tracefs/kprobe_events &&
		echo 1 >$tracefs/events/kprobes/krping_probe/enable || return 1
	pair "" "$2" && kr_ended server ok
	_rc=$?
	echo 0 >$tracefs/events/kprobes/krping_probe/enable
	sed -n 's/.* krping_probe: ([^)]*) *//p' $tracefs/trace >"$SEEN"
	echo >$tracefs/trace
	echo >$tracefs/kprobe_events
	return $_rc
}

# sizes OPTIONS: run fr, and write the registered sizes into $T_TMP/sizes. A buffer of up to
# 64 KiB has one SG entry, whose dma_length follows page_link, offset, length and dma_address in
# struct scatterlist.
sizes() {
	# shellcheck disable=SC2016 # the kernel expands it
	seen 'ib_map_mr_sg nents=$arg3:s32 len=+24($arg2):u32' "fr,$1" &&
		sed -n 's/^nents=1 len=//p' "$SEEN" >"$T_TMP/sizes"
}

# spread SIZE COUNT: check that fr registers COUNT sizes from 1 to SIZE. At least 50 distinct sizes occur, and
# both the first and the last quarter of the range have some. The probability that none of 200 random sizes is in a
# given quarter is below 1e-24.
spread() {
	sizes "size=$1,count=$2,txdepth=4" || return 1
	awk -v size="$1" -v count="$2" '
		$1 < 1 || $1 > size { bad = bad " a size of " $1 }
		!seen[$1]++ { kinds++ }
		$1 <= size / 4 { small++ }
		$1 > size * 3 / 4 { large++ }
		END {
			if (NR != count)
				bad = bad " " NR " registrations instead of " count
			if (kinds < 50 || !small || !large)
				bad = bad " " kinds + 0 " different sizes, " small + 0 " small, " large + 0 " large"
			print bad
			exit bad != ""
		}' "$T_TMP/sizes" >"$T_TMP/bad" || why "$(cat "$T_TMP/bad")"
}
check "fr: the registered sizes are random, from 1 to size=" spread 1000 200

# one_byte: check that fr with size=1 registers one byte each time
one_byte() {
	sizes size=1,count=50 && eq "$(sort "$T_TMP/sizes" | uniq -c | tr -s ' ')" " 50 1" "sizes"
}
check "fr,size=1: each registration has the size 1" one_byte

# Opcode and access flags of the first two WRs of a chain. In struct ib_send_wr the opcode
# follows next, wr_cqe, sg_list and num_sge; in struct ib_reg_wr the access flags follow the
# WR, mr and key.
REG_MR=32
post="${TYPE}_post_send op=+28(\$arg2):u32 access=+52(\$arg2):u32"
post="$post op2=+28(+0(\$arg2)):u32 access2=+52(+0(\$arg2)):u32"

# access OPTIONS WANT: check that the registrations of a test have the access flags WANT: the sorted list of all
# distinct masks. A mask is the sum of 1 local write, 2 remote write, 4 remote read, 8 remote atomic.
access() {
	seen "$post" "$1" || return 1
	sed -n "s/^op=$REG_MR access=\([0-9]*\).*/\1/p; s/.* op2=$REG_MR access2=//p" "$SEEN" |
		sort -u >"$T_TMP/access"
	eq "$(tr '\n' ' ' <"$T_TMP/access")" "$2 " "list of access flags"
}

# The access flags do not depend on the device, except that on iWARP the sink of a READ needs remote write.
# So on siw only the tests with READs are checked.
sink=
[ "$TYPE" = rxe ] || sink="3 "
for test in rlat rbw; do
	check "$test: the peer may only READ the buffer" access $test,count=5 "${sink}4"
done
if [ "$TYPE" = rxe ]; then
	check "rbw,duplex: the peer may only READ the buffer" \
		access rbw,duplex,mem_mode=reg,count=5,local_dma_lkey 4
	for test in wlat bw; do
		check "$test: the peer may only WRITE to the buffer" access $test,count=5 3
		check "$test,validate: the peer may only WRITE to the buffer" \
			access $test,count=5,validate 3
	done
	check "rlat,atomic=faa: the peer may only do atomics" access rlat,atomic=faa,count=5 9
fi
check "ping,mem_mode=reg: the peer may READ the source and WRITE to the sink" access count=5,mem_mode=reg "3 4"
t_end
