#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Options change what is on the wire between two machines; tshark decodes it.
#   Before each round the client pings the server with as many bytes as the round's number
#   plus 200, which separates the rounds.
# Requires: two guests that the subject boots with scripts/vm --pair, tshark
# Duration: 18 s on rxe, 16 s on siw

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need tshark

# Addresses that appear on the wire only because of source=
SOURCE=10.0.0.9
SOURCE6=fd00::9

{
	pair_functions
	cat <<'END'
round() {
	start "server,addr=$2${3:+,$3}"
	peer-tell listening "$1"
	peer-wait -t 120 done "$1" || exit 1
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
# without source= the kernel chooses a preferred address
ip addr add $SOURCE6/64 dev eth0 nodad preferred_lft 0
# an address becomes a GID
[ $TYPE = siw ] || until grep -qs 0a00:0009 /sys/class/infiniband/*/ports/1/gids/* &&
	grep -qs fd00:.*:0009 /sys/class/infiniband/*/ports/1/gids/*; do
	sleep 0.2
done
END
	cat <<'END'
round() {
	peer-wait -t 120 listening "$1" || exit 1
	ping -c 1 -W 5 -s $(($1 + 200)) 10.0.0.1 >/dev/null
	start "client,addr=$2${4:+,$4}"
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

# how many there are, and their numbers
rounds=0
r_plain='' r_qps='' r_threads='' r_source='' r_source6='' r_nosource6='' r_tos='' r_duplex='' r_fr='' r_tokens=''
r_inv='' r_noinv='' r_sent='' r_read='' r_imm='' r_sendimm='' r_cas='' r_faa='' r_retry=''

# round NAME SERVER_OPTIONS CLIENT_OPTIONS [ADDR]: the round's number is then in r_NAME
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
round tokens "" bw,validate,count=20,size=700
round inv "" server_inv,count=10,size=700
round noinv "" mem_mode=reg,count=10,size=700
round sent "" sbw,count=20,size=700
round read "" rbw,count=20,size=700
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

check "$rounds rounds between two machines" boot_pair --pcap "$tmp/pcap"

# fields FIELD...: these fields of all packets; several values of a field are joined by commas
fields() {
	for _f; do
		set -- "$@" -e "$_f"
		shift
	done
	tshark -r "$tmp/pcap" -T fields -E separator=';' -E occurrence=a -E aggregator=, \
		-e icmp.type -e data.len -e ip.src -e ipv6.src -e ip.dsfield "$@" 2>>"$tmp/tshark.err"
}

# What both transports have in common: a round begins with a ping, which the client sends,
# and a message is printed as
#	ROUND SOURCE CONNECTION OPCODE BYTES TOS
# shellcheck disable=SC2016 # awk's words
common='
	function say(connection, opcode, bytes) {
		print round, $3 $4, connection, opcode, bytes, $5
	}
	# an IP header within an ICMP error does not count
	$1 == "8" { round = $2 - 200; next }
	!round { next }'

# The messages of data QPs without retransmissions, acknowledgments and responses; the REQs,
# with the port in place of BYTES, and the REPs.
read_roce() {
	fields infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn \
		infiniband.reth.dmalen infiniband.mad.attributeid infiniband.cm.req.serviceid \
		infiniband.cm.req.retrcount infiniband.cm.req.rnrretrcount \
		udp.length infiniband.bth.padcnt infiniband.cm.rep.rnrretrcount >"$tmp/fields"
	awk -F ';' "$common"'
		function hex(s,    i, n) {
			for (i = 1; i <= length(s); i++)
				n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		BEGIN {
			name[4] = "SEND"; name[5] = "SEND_IMM"; name[23] = "SEND_INV"
			name[10] = "WRITE"; name[11] = "WRITE_IMM"; name[12] = "READ"
			name[19] = "CAS"; name[20] = "FAA"
			# UDP, BTH and ICRC, and what an opcode adds
			head[4] = 24; head[5] = 28; head[23] = 28
		}
		$10 == "0x0010" && !seen[$0]++ {
			port = hex(substr($11, length($11) - 3))
			say($12 "/" $13, "REQ", port)
			next
		}
		$10 == "0x0013" { say($16, "REP", 0) }
		$7 == "0x000001" || !($6 in name) || seen[$3, $4, $6, $7, $8]++ { next }
		{ say($7, name[$6], $6 in head ? $14 - head[$6] - $15 : $9 + 0) }' "$tmp/fields" >"$tmp/messages"
	[ -s "$tmp/messages" ] || why "$(cat "$tmp/tshark.err")"
}

# The same of iWARP. A packet may have several FPDUs. The length of one has 14 bytes of
# headers if it is a WRITE, which is tagged, and 18 bytes if not.
read_iwarp() {
	fields tcp.stream tcp.dstport iwarp_mpa.key.req iwarp_rdma.opcode iwarp_mpa.ulpdulength \
		iwarp_rdma.rdmardsz >"$tmp/fields"
	awk -F ';' "$common"'
		BEGIN { name[0] = "WRITE"; name[1] = "READ"; name[3] = "SEND"; name[4] = "SEND_INV" }
		$8 != "" { say($6, "REQ", $7); next }
		$9 != "" {
			n = split($9, op, ",")
			split($10, len, ",")
			split($11, size, ",")
			reads = 0
			for (i = 1; i <= n; i++) {
				o = substr(op[i], 3) + 0
				if (o in name)
					say($6, name[o], o == 1 ? size[++reads] : len[i] - (o ? 18 : 14))
			}
		}' "$tmp/fields" >"$tmp/messages"
	[ -s "$tmp/messages" ] || why "$(cat "$tmp/tshark.err")"
}

# count ROUND [SOURCE|- [OPCODE|- [BYTES]]]: COUNT is how many messages there are
count() {
	COUNT=$(awk -v r="$1" -v src="${2:--}" -v op="${3:--}" -v bytes="${4:--}" '
		$1 == r && (src == "-" || $2 == src) && (op == "-" ? $4 !~ /^RE[QP]$/ : $4 == op) &&
			(bytes == "-" || $5 == bytes) { n++ }
		END { print n + 0 }' "$tmp/messages")
}

# has N ROUND SOURCE OPCODE [BYTES]
has() {
	_want=$1
	shift
	count "$@"
	# a missing round has no messages
	if [ "$COUNT" != "$_want" ] || ! grep -q "^$1 " "$tmp/messages"; then
		why "$COUNT messages instead of $_want in round $*:
$(awk -v r="$1" '$1 == r' "$tmp/messages" | cut -d ' ' -f 2,4- | sort | uniq -c)"
	fi
}

A=10.0.0.1
B=10.0.0.2

# connects ROUND N PORT: the client asks for so many connections, to this port
connects() {
	has "$2" "$1" - REQ && has "$2" "$1" - REQ "$3"
}

# spread ROUND N COUNT BYTES: there are so many connections, with so many SENDs of the client
spread() {
	_got=$(awk -v r="$1" -v src="$B" -v bytes="$4" '
		$1 == r && $2 == src && $4 == "SEND" && $5 == bytes { n[$3]++ }
		END { for (c in n) print n[c] }' "$tmp/messages" | sort | uniq -c | awk '{ print $1 "*" $2 }')
	[ "$_got" = "$2*$3" ] || why "connections and SENDs of each: $_got"
}

# only_from ROUND SOURCE SERVER: only these two addresses send in this round
only_from() {
	_got=$(awk -v r="$1" '$1 == r { print $2 }' "$tmp/messages" | sort -u | tr '\n' ' ')
	[ "$_got" = "$(printf '%s\n' "$2" "$3" | sort | tr '\n' ' ')" ] || why "messages come from $_got"
}

# moves_nothing ROUND: neither READ nor WRITE, and no SEND as long as data
moves_nothing() {
	has 0 "$1" - WRITE && has 0 "$1" - READ || return 1
	_got=$(awk -v r="$1" '$1 == r && $4 == "SEND" && $5 > 192' "$tmp/messages")
	[ -z "$_got" ] || why "$_got"
}

server_writes() {
	has 50 "$1" "$B" WRITE 700 || return 1
	count "$1" "$A" WRITE 700
	[ "$COUNT" -gt 0 ] || why "the server has written nothing"
}

# tos_is ROUND TOS: of all messages in this round
tos_is() {
	_got=$(awk -v r="$1" '$1 == r { print $6 }' "$tmp/messages" | sort -u | tr '\n' ' ')
	[ "$_got" = "$2 " ] || why "the type of service is $_got"
}

# asks_for ROUND REQ|REP RETRIES: that message has these
asks_for() {
	_got=$(awk -v r="$1" -v op="$2" '$1 == r && $4 == op { print $3 }' "$tmp/messages" | sort -u)
	[ "$_got" = "$3" ] || why "the $2 asks for $_got"
}

case $TYPE in
siw) check "effects: tshark decodes all packets" read_iwarp ;;
*) check "effects: tshark decodes all packets" read_roce ;;
esac
check "port=12345: the client connects to that" connects "$r_plain" 1 12345
check "no port: the client connects to 9999" connects "$r_tokens" 1 9999
check "bw,count=20,warmup=5,size=700: 25 WRITEs of 700 bytes" has 25 "$r_plain" $B WRITE 700
check "bw,count=20,warmup=5,size=700: no other WRITE" has 25 "$r_plain" - WRITE
check "sbw,count=20,size=700: 20 SENDs of 700 bytes" has 20 "$r_sent" $B SEND 700
check "rbw,count=20,size=700: 20 READs of 700 bytes" has 20 "$r_read" $B READ 700
check "qps=3: three connections" connects "$r_qps" 3 9999
check "qps=3: each of them has the operations of one" spread "$r_qps" 3 3 64
check "qps=2,threads=2: four connections" connects "$r_threads" 4 9999
check "qps=2,threads=2: each of them has the operations of one" spread "$r_threads" 4 3 64
check "source=$SOURCE: the client's packets come from there" only_from "$r_source" $SOURCE $A
check "source=$SOURCE6: the client's packets come from there" only_from "$r_source6" $SOURCE6 fd00::1
check "no source: the client's packets come from its first address" only_from "$r_plain" $B $A
check "no source, IPv6: the client's packets come from its first address" \
	only_from "$r_nosource6" fd00::2 fd00::1
check "bw,duplex: the server writes, too" server_writes "$r_duplex"
check "bw without duplex: the server writes nothing" has 0 "$r_plain" $A WRITE
check "fr: no data is on the wire" moves_nothing "$r_fr"
# 20 SENDs and the finish message
check "bw,validate: a SEND of 16 bytes follows each WRITE" has 21 "$r_tokens" $B SEND 16
check "bw without validate: no SEND follows" has 1 "$r_plain" $B SEND 16
check "server_inv: the server's SENDs invalidate" has 20 "$r_inv" $A SEND_INV 16
check "mem_mode=reg without server_inv: no SEND invalidates" has 0 "$r_noinv" - SEND_INV
if [ "$TYPE" = rxe ]; then
	check "tos=32: all packets have it" tos_is "$r_tos" 0x20
	check "no tos: all packets have 0" tos_is "$r_plain" 0x00
	check "bw,imm: the WRITEs have immediate data" has 20 "$r_imm" $B WRITE_IMM 700
	check "slat,imm: the client's SENDs have immediate data" has 20 "$r_sendimm" $B SEND_IMM 700
	check "slat,imm: the server's SENDs have immediate data" has 20 "$r_sendimm" $A SEND_IMM 700
	check "atomic=cas: 20 compare-and-swaps" has 20 "$r_cas" $B CAS
	check "atomic=faa: 20 fetch-and-adds" has 20 "$r_faa" $B FAA
	check "retry=4,rnr_retry=2: the REQ asks for that" asks_for "$r_retry" REQ 0x04/0x02
	check "no retry, no rnr_retry: the REQ asks for 7" asks_for "$r_plain" REQ 0x07/0x07
	check "a server with rnr_retry=1: the REP asks for that" asks_for "$r_retry" REP 0x01
	check "a server without rnr_retry: the REP asks for 7" asks_for "$r_plain" REP 0x07
else
	skip "tos=32: all packets have it" "siw does not pass it to TCP"
	skip "imm: WRITEs and SENDs have immediate data" "iWARP has none"
	skip "atomic: compare-and-swap, fetch-and-add" "siw has none"
	skip "retry, rnr_retry: the REQ asks for that" "iWARP has no retries but TCP's"
fi
t_end
