#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options have their effect on the packets between two machines; tshark decodes
#   the packets. An ICMP echo request precedes each round (one test); the length of the request,
#   200 plus the number of the round, identifies the round.
# Requires: two guests that the subject boots with scripts/vm --pair, tshark
# Duration: 18 s on rxe, 16 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh
# shellcheck source=effects.inc
. tests/boot/effects.inc

need tshark

# addresses of the client that the kernel chooses only with source=
SOURCE=10.0.0.9
SOURCE6=fd00::9

{
	pair_functions
	cat <<'END'
# round NUMBER ADDR SERVER_OPTIONS CLIENT_OPTIONS: run a server until the client has reported its result
round() {
	start "server,addr=$2${3:+,$3}"
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
	cat <<END
ip addr add $SOURCE/24 dev eth0
# preferred_lft 0: without source= the kernel does not choose this address
ip addr add $SOURCE6/64 dev eth0 nodad preferred_lft 0
# wait until the addresses are in the GID table
[ $TYPE = siw ] || until grep -qs 0a00:0009 /sys/class/infiniband/*/ports/1/gids/* &&
	grep -qs fd00:.*:0009 /sys/class/infiniband/*/ports/1/gids/*; do
	sleep 0.2
done
END
	cat <<'END'
# The client of the first round has a TCP port that tshark assigns to another protocol.
range=$(cat /proc/sys/net/ipv4/ip_local_port_range)
echo 44818 44818 >/proc/sys/net/ipv4/ip_local_port_range

# round NUMBER ADDR SERVER_OPTIONS CLIENT_OPTIONS: mark the round by an echo request, and run a client
round() {
	peer-wait -t 300 listening "$1" || exit 1
	ping -c 1 -W 5 -s $(($1 + 200)) 10.0.0.1 >/dev/null
	start "client,addr=$2${4:+,$4}"
	await 60
	report "client $1"
	echo "$range" >/proc/sys/net/ipv4/ip_local_port_range
	peer-tell done "$1"
	case $result in
	*" status=ok "*) ;;
	*) exit 1 ;;
	esac
}
END
} >"$tmp/B.sh"

# the number of rounds; r_NAME is the number of the round NAME
rounds=0
r_plain='' r_qps='' r_threads='' r_source='' r_source6='' r_nosource6='' r_tos='' r_duplex='' r_fr='' r_notify=''
r_inv='' r_noinv='' r_sent='' r_read='' r_stride='' r_imm='' r_sendimm='' r_cas='' r_faa='' r_retry=''

# round NAME SERVER_OPTIONS CLIENT_OPTIONS [ADDR]: add a round, and set r_NAME to its number
round() {
	rounds=$((rounds + 1))
	eval "r_$1=$rounds"
	echo "round $rounds ${4:-10.0.0.1} '$2' '$3'" >>"$tmp/rounds"
}

round plain port=12345 port=12345,bw,count=20,warmup=5,size=700
round qps "" slat,count=3,qps=3
round threads "" slat,count=3,qps=2,threads=2
round source "" count=3,source=$SOURCE
round source6 "" count=3,source=$SOURCE6 fd00::1
round nosource6 "" count=3 fd00::1
round tos "" count=3,tos=32
round duplex "" bw,duplex,count=50,size=700
round fr "" fr,count=50,size=70000
round notify "" bw,validate,count=20,size=700
round inv "" server_inv,count=10,size=700
round noinv "" mem_mode=reg,count=10,size=700
round sent "" sbw,count=20,size=700
round read "" rbw,count=20,size=700
round stride "" bw,count=20,size=700,txdepth=8,stride=4k
if [ "$TYPE" = rxe ]; then
	round imm "" bw,imm,count=20,size=700
	round sendimm "" slat,imm,count=20,size=700
	round cas "" rlat,atomic=cas,count=20
	round faa "" rlat,atomic=faa,count=20
	round retry rnr_retry=1 count=3,retry=4,rnr_retry=2
fi
for guest in A B; do
	cat "$tmp/rounds" >>"$tmp/$guest.sh"
done

check "effects: $rounds tests between two machines succeed" boot_pair --pcap "$tmp/pcap"

A=10.0.0.1
B=10.0.0.2

# connects ROUND N PORT: check that the client requests N connections, all to PORT
connects() {
	has "$2" "$1" - REQ && has "$2" "$1" - REQ "$3"
}

# spread ROUND N COUNT BYTES: check that the client has posted COUNT SENDs of BYTES on each of N
# connections
spread() {
	_got=$(awk -v r="$1" -v src="$B" -v bytes="$4" '
		$1 == r && $2 == src && $4 == "SEND" && $5 == bytes { n[$3]++ }
		END { for (c in n) print n[c] }' "$tmp/messages" | sort | uniq -c | awk '{ print $1 "*" $2 }')
	[ "$_got" = "$2*$3" ] || why "connections * SENDs on each: $_got"
}

# has_some MIN MAX ROUND SOURCE OPCODE BYTES: check that count finds MIN to MAX messages. MAX allows
# for the keep-alive message of 16 bytes that a client of bw sends every half second.
has_some() {
	_min=$1 _max=$2
	shift 2
	count "$@"
	if [ "$COUNT" -lt "$_min" ] || [ "$COUNT" -gt "$_max" ]; then
		why "$COUNT messages instead of $_min to $_max in round $*"
	fi
}

# only_from ROUND SOURCE SERVER: check that messages come from SOURCE and SERVER, and from no other address
only_from() {
	_got=$(awk -v r="$1" '$1 == r { print $2 }' "$tmp/messages" | sort -u | tr '\n' ' ')
	[ "$_got" = "$(printf '%s\n' "$2" "$3" | sort | tr '\n' ' ')" ] || why "messages come from $_got"
}

# places_are ROUND COUNT LIST: check that the WRITEs go to COUNT addresses, and that the first WRITEs
# have the distances LIST from the lowest address
places_are() {
	_got=$(places "$1")
	eq "$(echo "$_got" | tr ' ' '\n' | sort -u | wc -l)" "$2" "number of addresses" || return 1
	case "$_got " in
	"$3 "*) ;;
	*) why "the distances of the addresses are $_got" ;;
	esac
}

# moves_nothing ROUND: check that there is no READ, no WRITE, and no SEND of more than 192 bytes,
# the room for a control message
moves_nothing() {
	has 0 "$1" - WRITE && has 0 "$1" - READ || return 1
	_got=$(awk -v r="$1" '$1 == r && $4 == "SEND" && $5 > 192' "$tmp/messages")
	[ -z "$_got" ] || why "there are long SENDs: $_got"
}

# server_writes ROUND: check that the client posts 50 WRITEs, and the server at least one
server_writes() {
	has 50 "$1" "$B" WRITE 700 || return 1
	count "$1" "$A" WRITE 700
	[ "$COUNT" -gt 0 ] || why "the server has sent no WRITE"
}

# tos_is ROUND TOS: check that all messages of the round have this type of service
tos_is() {
	_got=$(awk -v r="$1" '$1 == r { print $6 }' "$tmp/messages" | sort -u | tr '\n' ' ')
	[ "$_got" = "$2 " ] || why "the type of service is $_got"
}

# has_retries ROUND REQ|REP RETRIES: check the retries in this message
has_retries() {
	_got=$(awk -v r="$1" -v op="$2" '$1 == r && $4 == op { print $3 }' "$tmp/messages" | sort -u)
	[ "$_got" = "$3" ] || why "the retries in the $2 are $_got"
}

case $TYPE in
siw) check "effects: tshark decodes all packets" read_iwarp ;;
*) check "effects: tshark decodes all packets" read_roce ;;
esac
check "port=12345: the client connects to this port" connects "$r_plain" 1 12345
check "without port=: the client connects to port 9999" connects "$r_notify" 1 9999
check "bw,count=20,warmup=5,size=700: 25 WRITEs of 700 bytes" has 25 "$r_plain" $B WRITE 700
check "bw,count=20,warmup=5,size=700: no other WRITE" has 25 "$r_plain" - WRITE
check "sbw,count=20,size=700: 20 SENDs of 700 bytes" has 20 "$r_sent" $B SEND 700
check "rbw,count=20,size=700: 20 READs of 700 bytes" has 20 "$r_read" $B READ 700
check "bw,txdepth=8,stride=4k: the WRITEs advance through 8 addresses of the server" \
	places_are "$r_stride" 8 "0 4096 8192 12288 16384 20480 24576 28672 0 4096 8192"
check "bw without stride: all WRITEs have one address of the server" places_are "$r_plain" 1 "0 0 0"
check "slat,qps=3: the client opens three connections" connects "$r_qps" 3 9999
check "slat,qps=3,count=3: each connection has three SENDs" spread "$r_qps" 3 3 64
check "slat,qps=2,threads=2: the client opens four connections" connects "$r_threads" 4 9999
check "slat,qps=2,threads=2,count=3: each connection has three SENDs" spread "$r_threads" 4 3 64
check "source=$SOURCE: the client's packets come from this address" only_from "$r_source" $SOURCE $A
check "source=$SOURCE6: the client's packets come from this address" only_from "$r_source6" $SOURCE6 fd00::1
check "IPv4 without source=: the client's packets come from its first address" only_from "$r_plain" $B $A
check "IPv6 without source=: the client's packets come from its first address" \
	only_from "$r_nosource6" fd00::2 fd00::1
check "bw,duplex: client and server send WRITEs" server_writes "$r_duplex"
check "bw without duplex: the server sends no WRITE" has 0 "$r_plain" $A WRITE
check "fr: no data is on the wire" moves_nothing "$r_fr"
# 20 SENDs, the finish message, and up to 19 keep-alive messages
check "bw,validate: a SEND of 16 bytes follows each WRITE" has_some 21 40 "$r_notify" $B SEND 16
check "bw without validate: the finish message is the only SEND of 16 bytes" has_some 1 20 "$r_plain" $B SEND 16
check "ping,server_inv: the server sends SEND_WITH_INV" has 20 "$r_inv" $A SEND_INV 16
check "ping,mem_mode=reg without server_inv: no side sends SEND_WITH_INV" has 0 "$r_noinv" - SEND_INV
if [ "$TYPE" = rxe ]; then
	check "tos=32: all packets have type of service 32" tos_is "$r_tos" 0x20
	check "without tos=: all packets have type of service 0" tos_is "$r_plain" 0x00
	check "bw,imm: the WRITEs have immediate data" has 20 "$r_imm" $B WRITE_IMM 700
	check "slat,imm: the client's SENDs have immediate data" has 20 "$r_sendimm" $B SEND_IMM 700
	check "slat,imm: the server's SENDs have immediate data" has 20 "$r_sendimm" $A SEND_IMM 700
	check "atomic=cas: 20 compare-and-swaps" has 20 "$r_cas" $B CAS
	check "atomic=faa: 20 fetch-and-adds" has 20 "$r_faa" $B FAA
	check "retry=4,rnr_retry=2 of a client: the REQ has these retries" has_retries "$r_retry" REQ 0x04/0x02
	check "a client without retry= and rnr_retry=: the REQ has 7 retries" has_retries "$r_plain" REQ 0x07/0x07
	check "rnr_retry=1 of a server: the REP has this retry" has_retries "$r_retry" REP 0x01
	check "a server without rnr_retry=: the REP has 7 retries" has_retries "$r_plain" REP 0x07
else
	skip "tos=32: all packets have type of service 32" "siw does not pass tos= to TCP"
	skip "imm: WRITEs and SENDs have immediate data" "iWARP has no immediate data"
	skip "atomic: compare-and-swap, fetch-and-add" "siw has no atomics"
	skip "retry, rnr_retry: the REQ has these retries" "only TCP retries on iWARP"
fi
t_end
