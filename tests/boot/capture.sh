#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The packets of krping's test ping between two machines, decoded by tshark, have
#   the order, the messages and the private data of Documentation/wire.md.
# Requires: two guests that the subject boots with scripts/vm --pair, tshark
# Duration: 9 s on rxe, 8 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=capture.inc
. tests/boot/capture.inc

N=5
SIZE=100

need tshark

# A round is one ping test. Both guests run the same rounds, one with the server and one with the client.
{
	pair_functions
	cat <<'END'
# round NUMBER OPTIONS: run a server until the client has reported its result
round() {
	start "server,addr=10.0.0.1"
	peer-tell listening "$1"
	peer-wait -t 300 done "$1" || exit 1
	await 60
	report "server $1"
	case $result in
	*" status=ok "*) ;;
	*) exit 1 ;;
	esac
}
END
} >"$tmp/A.sh"
{
	pair_functions
	cat <<'END'
# round NUMBER OPTIONS: run a client with OPTIONS
round() {
	peer-wait -t 300 listening "$1" || exit 1
	start "client,addr=10.0.0.1,validate,$2"
	await 60
	report "client $1"
	peer-tell done "$1"
	case $result in
	*" status=ok "*) ;;
	*) exit 1 ;;
	esac
}
END
} >"$tmp/B.sh"
{
	echo "round 1 count=$N,size=$SIZE,mem_mode=dma"
	echo "round 2 count=$N,size=$SIZE,mem_mode=reg"
	echo "round 3 count=$N,size=$SIZE,server_inv"
	echo "round 4 count=$N,size=$SIZE,tos=32,retry=5,rnr_retry=3"
} >"$tmp/rounds"
cat "$tmp/rounds" >>"$tmp/A.sh"
cat "$tmp/rounds" >>"$tmp/B.sh"

check "capture: four ping tests between two machines succeed" boot_pair --pcap "$tmp/pcap"

# has_order ROUND SEND: check that a round has the opcodes of N iterations, and then those of two SENDs: the
# client's FINISH and the server's REPORT. An iteration is: advert (4, SEND), READ (12, and 16 for the
# response), go-ahead, advert, WRITE (10), go-ahead. A go-ahead is the server's answer to an advert; the
# argument SEND is the number of the go-ahead's opcode.
has_order() {
	_want=$(awk -v n="$N" -v s="$2" 'BEGIN {
		while (n--) printf "4 12 16 %s 4 10 %s ", s, s
		printf "4 4 "
	}')
	_got=$(awk -F ';' -v r="$1" '$1 == r { printf "%s ", $2 }' "$tmp/packets")
	[ "$_got" = "$_want" ] || why "the opcodes are $_got"
}

# messages_are_right ROUND: check that a round has two adverts for each iteration, well-formed messages,
# and only operations on the advertised buffer
messages_are_right() {
	_a=$(adverts "$1")
	case $_a in
	*"wrong: "*) why "$_a" ;;
	*"total $((2 * N))") ;;
	*) why "the number of adverts is not $((2 * N)): $_a" ;;
	esac
}

# finished ROUND: check that the last messages are a FINISH of the client and a REPORT of the
# server with the right iterations and counters. In an iteration each side sends two messages of
# 16 bytes, and the server READs and WRITEs the data once. The server reports N - 1 latencies,
# because it measures from one WRITE to the next.
finished() {
	_c=$(awk -F ';' -v r="$1" -v n="$N" -v size="$SIZE" '
		function number(x) { return sprintf("%016x", x) }
		$1 != r { next }
		{ last = $9 !~ /^6b727067/ ? "" : last substr($3, 7) " " $9 "\n" }
		END {
			printf "%s", last
			print "want"
			print ".2 6b72706701000000" number(0)
			# the time and the latencies may have any value
			print ".1 6b72706703000000" number(n) " ... " \
				number(32 * n) number(2 * n) number(32 * n) number(2 * n) \
				number(size * n) number(n) number(size * n) number(n) \
				number(n - 1) " ..."
		}' "$tmp/packets" |
		sed -E 's/^(.1 .{32}).{16}(.{144}).{144}$/\1 ... \2 ... /; s/ +$//')
	_got=${_c%%want*}
	_want=${_c#*want
}
	[ "$_got" = "$_want
" ] || why "the end is
$_got instead of
$_want"
}

# same_data ROUND: check that the READs fetch ping's pattern, and that the WRITEs return the same data
same_data() {
	_d=$(awk -F ';' -v r="$1" '
		$1 != r { next }
		# 7264...: "rdma-ping-"
		$2 == 16 { read = $9; if (read !~ /^72646d612d70696e672d/) bad++ }
		# a packet pads its data to a multiple of 4 bytes
		$2 == 10 && substr($9, 1, length(read)) != read { bad++ }
		$2 == 10 { n++ }
		END { print n + 0, bad + 0 }' "$tmp/packets")
	[ "$_d" = "$N 0" ] || why "number of WRITEs, and of wrong ones: $_d"
}

# one_key ROUND: check that all adverts have the same key
one_key() {
	_k=$(adverts "$1" | awk '/^0x/ { print $2 }' | sort -u | wc -l)
	[ "$_k" = 1 ] || why "there are $_k keys"
}

# new_keys ROUND: check that each advert has a key of its own
new_keys() {
	_k=$(adverts "$1" | awk '/^0x/ { print $2 }' | sort -u | wc -l)
	[ "$_k" = $((2 * N)) ] || why "there are $_k keys: $(adverts "$1")"
}

# no_kernel_address ROUND: check that no advert has an address of the kernel's half of the address space
no_kernel_address() {
	! adverts "$1" | grep '^0xffff' || why "a kernel address is advertised"
}

# request FLAGS: print a regular expression of a REQ's private data, which has in this order: magic
# "krpg", version, test, flags, size, count, the fields of connections, and the client's options
request() {
	printf '6b72706701'
	printf '%02x%04x%016x%016x' 0 "$1" "$SIZE" "$N"
	# any session, conn_idx 0 of 1, no RECVs for data
	printf '........%04x%04x%08x' 0 1 0
	# version, SGEs, any flags, txdepth, rate, cqmod, batch, qps, threads
	printf '0101....%08x%08x%04x%04x%04x%04x' 64 0 0 0 1 1
}

# request_in FLAGS: check that a REQ has the private data that request prints. Search all bytes, because
# the name of tshark's field depends on the version of tshark.
request_in() {
	decode -x 'infiniband.mad.attributeid == 0x0010' |
		awk '{ sub(/^[0-9a-f]+ +/, ""); print substr($0, 1, 48) }' |
		tr -d ' \n' | grep -q "$(request "$1")" ||
		why "no REQ has $(request "$1")"
}

# tos_is ROUND TOS: check that all packets of the round have this type of service
tos_is() {
	_tos=$(awk -F ';' -v r="$1" '$1 == r { print $12 }' "$tmp/packets" | sort -u)
	[ "$_tos" = "$2" ] || why "the type of service is $_tos"
}

# retries_are "RETRY;RNR_RETRY"...: check the retry counts in the REQs; equal counts of successive
# REQs are listed once
retries_are() {
	_retries=$(decode_fields f 'infiniband.mad.attributeid == 0x0010' \
		infiniband.cm.req.retrcount infiniband.cm.req.rnrretrcount | sed 's/0x0*//g' | uniq | tr '\n' ' ')
	[ "$_retries" = "$* " ] || why "the retries in the REQs are $_retries"
}

# roce: make the checks of a capture of RoCE packets
roce() {
	check "capture: tshark decodes all packets" read_roce
	check "ping,mem_mode=dma: the packets have the order of the protocol" has_order 1 4
	check "ping,mem_mode=reg: the packets have the order of the protocol" has_order 2 4
	check "ping,server_inv: the packets have the order of the protocol" has_order 3 23
	for round in 1 2 3 4; do
		case $round in
		1) options=mem_mode=dma ;;
		2) options=mem_mode=reg ;;
		3) options=server_inv ;;
		4) options=tos=32,retry=5,rnr_retry=3 ;;
		esac
		check "ping,$options: READs and WRITEs use the advertised buffers" messages_are_right $round
		check "ping,$options: the WRITEs return the data of the READs" same_data $round
		check "ping,$options: FINISH and REPORT are the last messages" finished $round
	done
	check "ping,mem_mode=dma: all adverts have one key" one_key 1
	check "ping,mem_mode=reg: each advert has a new key" new_keys 2
	check "ping,server_inv: each advert has a new key" new_keys 3
	check "ping,mem_mode=reg: no advert has a kernel address" no_kernel_address 2
	check "ping,server_inv: no advert has a kernel address" no_kernel_address 3
	check "ping: a REQ has the private data of the client" request_in $((0x11))
	check "ping,server_inv: a REQ has the private data of the client" request_in $((0x13))
	check "ping without tos=: the packets have type of service 0" tos_is 3 0x00
	check "ping,tos=32: the packets have type of service 32" tos_is 4 0x20
	check "ping,retry=5,rnr_retry=3: the last REQ has these retries" retries_are '7;7' '5;3'
}

# mpa_request: check that each round has an MPA request with krping's private data
mpa_request() {
	# count the streams, because TCP may repeat a request
	_n=$(decode_fields f 'tcp contains "MPA ID Req Frame" && tcp contains "krpg"' tcp.stream |
		sort -u | wc -l)
	[ "$_n" = 4 ] || why "there are $_n MPA requests with krping's private data"
}

# iwarp: make the checks of a capture of iWARP packets
iwarp() {
	check "ping: four MPA requests have krping's private data" mpa_request
}

case $TYPE in
siw) iwarp ;;
*) roce ;;
esac
t_end
