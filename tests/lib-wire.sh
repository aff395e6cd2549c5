# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests of tests/calibration, which source it instead of lib.sh. POSIX sh.
#
# A wire inside one guest: a veth pair, v0 and v1, with a device on each end. The client
# is at 10.9.0.1 on v0, the server at 10.9.0.2 on v1 ($ADDR, so that pair() of lib.sh
# uses the wire). Rules replace the routing table `local`, so that packets between the two
# addresses cross the veth pair and its queueing disciplines, although both addresses
# belong to this host. What v0 sends goes to the server, what v1 sends to the client.
#
# The guest counts instructions as time (scripts/vm --exact). So a delay or a rate of a
# queueing discipline is exact, and no figure depends on the load of this machine.

CLIENT=10.9.0.1
SERVER=10.9.0.2

for _d in /sys/class/infiniband/*; do
	TYPE=${_d##*/}
	TYPE=${TYPE%%[0-9]*}
	break
done

wire_make() {
	ip link add v0 type veth peer name v1 || return 1
	for _i in all v0 v1; do
		echo 1 >/proc/sys/net/ipv4/conf/$_i/accept_local
		echo 0 >/proc/sys/net/ipv4/conf/$_i/rp_filter
	done
	ip addr add $CLIENT/32 dev v0
	ip addr add $SERVER/32 dev v1
	for _i in v0 v1; do
		# one packet on the wire for each packet that a queueing discipline counts
		ip link set $_i gso_max_segs 1
		ip link set $_i up
	done
	# no TCP retransmission while a packet waits for seconds
	ip route add $SERVER dev v0 src $CLIENT rto_min 10s table 101
	ip route add $CLIENT dev v1 src $SERVER rto_min 10s table 102
	echo 0 >/proc/sys/net/ipv4/tcp_early_retrans
	# a completion of iWARP says that TCP has the data: keep its buffers small
	echo 4096 32768 32768 >/proc/sys/net/ipv4/tcp_wmem
	ip rule add pref 1 iif v1 to $SERVER lookup local
	ip rule add pref 2 iif v0 to $CLIENT lookup local
	ip rule add pref 3 to $SERVER lookup 101
	ip rule add pref 4 to $CLIENT lookup 102
	ip rule add pref 10 lookup local
	ip rule del pref 0
	# ARP would be delayed, too
	read -r _mac </sys/class/net/v1/address
	ip neigh replace $SERVER lladdr "$_mac" nud permanent dev v0
	read -r _mac </sys/class/net/v0/address
	ip neigh replace $CLIENT lladdr "$_mac" nud permanent dev v1
	rdma link add "${TYPE}1" type "$TYPE" netdev v0 &&
		rdma link add "${TYPE}2" type "$TYPE" netdev v1
}

if [ ! -e /sys/class/net/v0 ]; then
	wire_make || {
		echo "Bail out! no wire"
		exit 1
	}
	# an address becomes a GID, which connections need, a moment later
	sleep 1
fi

# What a client takes beside its iterations does not depend on the load of this machine.
export KWRITE_SETUP_MS=500

# for lib.sh
DEV=${TYPE}2 IF=v1 ADDR=$SERVER ADDR6=none
# shellcheck source=lib.sh
. "${0%/*}/../lib.sh"

# those of both ends
rdma_objects() {
	rdma res show
}
t_objects=$(rdma_objects)

# wire IF QDISC...: what leaves at IF passes this queueing discipline
wire() {
	_if=$1
	shift
	tc qdisc replace dev "$_if" root "$@"
}

# wire_clear: no delay and no bound; whatever waits has left before, so that no server waits
# for a client whose disconnect is lost
wire_clear() {
	sleep 0.2
	tc qdisc delete dev v0 root 2>/dev/null
	tc qdisc delete dev v1 root 2>/dev/null
	return 0
}
T_AT_END=wire_clear

# wire_bytes IF: WIRE_BYTES is how many bytes have left at IF
wire_bytes() {
	read -r WIRE_BYTES <"/sys/class/net/$1/statistics/tx_bytes"
}

# val LINE KEY: VAL is the value of KEY in this line of the last result, such as
# val peer_latency_nsec mean
val() {
	VAL=
	case $KR_OUT in
	*" $1 "*) ;;
	*)
		why "the result has no line $1"
		return 1
		;;
	esac
	VAL=${KR_OUT#*" $1 "}
	case " $VAL" in
	*" $2="*) ;;
	*)
		why "the line $1 has no $2"
		return 1
		;;
	esac
	VAL=" $VAL"
	VAL=${VAL#*" $2="}
	VAL=${VAL%% *}
}

# near WHAT GOT TRUTH TOLERANCE: is GOT off by at most TOLERANCE?
near() {
	_off=$(($2 - $3))
	[ $_off -ge 0 ] || _off=$((0 - _off))
	[ $_off -le "$4" ] || why "$1 is $2 instead of $3 +- $4"
}

# near_percent WHAT GOT TRUTH PERCENT
near_percent() {
	near "$1" "$2" "$3" $(($3 * $4 / 100))
}

# What a wlat waits for a completion with, so that it need not spin: it would take the
# one CPU from its peer up to the next timer tick.
case $TYPE in
siw) WLAT=wlat,validate ;;
*) WLAT=wlat,imm ;;
esac
# for those who source this
export WLAT WIRE_BYTES LENGTH BETWEEN

# packet_of TEST: PACKET matches the packets in which the client sends an operation of 64
# bytes (ping: an advertisement; wlat: with immediate data), and no others; LENGTH is that of their IP packets
packet_of() {
	case $TYPE,$1 in
	# IPv4 20, UDP 8, BTH 12, ICRC 4; READ and WRITE: RETH 16; immediate data 4. BTH begins with its opcode.
	rxe,rlat | rxe,rbw) LENGTH=60 PACKET=0x0c ;;
	rxe,bw) LENGTH=124 PACKET=0x0a ;;
	rxe,wlat*) LENGTH=128 PACKET=0x0b ;;
	rxe,ping) LENGTH=60 PACKET=0x04 ;;
	rxe,*) LENGTH=108 PACKET=0x04 ;;
	# IPv4 20, TCP 32, CRC 4, header of the FPDU: SEND 20, READ's request 48
	siw,ping) LENGTH=92 ;;
	siw,rlat | siw,rbw) LENGTH=104 ;;
	siw,*) LENGTH=140 ;;
	esac
	case $TYPE in
	rxe) PACKET="match u16 $LENGTH 0xffff at 2 match u8 $PACKET 0xff at 28" ;;
	siw) PACKET="match u16 $LENGTH 0xffff at 2" ;;
	esac
}

# bands N: the queueing discipline of v0 has so many, and packets that no filter chooses
# pass by the first one, 1:1, at once
bands() {
	wire_clear
	wire v0 handle 1: prio bands "$1" priomap 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
}

# choose PRIO BAND ACTION...: what an action passes of the packets that packet_of found goes
# by this band, what it continues meets the next PRIO
choose() {
	_prio=$1 _band=$2
	shift 2
	# shellcheck disable=SC2086 # the words of a match
	tc filter add dev v0 parent 1: protocol ip prio "$_prio" u32 $PACKET \
		flowid "1:$_band" action "$@"
}

# between LOW HIGH: BETWEEN is how many latencies of the histogram are in between
between() {
	BETWEEN=$(awk -v low="$1" -v high="$2" '
		/^histogram_nsec / {
			for (i = 2; i <= NF; i++) {
				split($i, f, "=")
				if (f[1] + 0 >= low && f[1] + 0 < high)
					n += f[2]
			}
		}
		END { print n + 0 }' "$KR_RESULT")
}
