# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the tests in which one side of a test with validate gets wrong data.
# They source it instead of lib.sh. POSIX sh.
#
# Each case states beforehand how the comparing side ends: errno, iteration, the first
# offset that differs, both bytes, and how many iterations the result counts.
# Documentation/wire.md defines the data.

# shellcheck disable=SC2034 # for those who source this

# shellcheck source=lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=lib-peer.sh
. "${0%/*}/../lib-peer.sh"

# Three pages: the peer swaps the second and the third one.
SIZE=12288

ALL_FAULTS='first last bit pages stale short shift'
# at the beginning, in the middle and at the end
SOME_FAULTS='first bit last'

# KR_FULL=yes: every fault with every option
[ -z "${KR_FULL-}" ] || SOME_FAULTS=$ALL_FAULTS

# immediate data, where the device has them
imm=
[ "$TYPE" = siw ] || imm=imm

# data_byte N OFFSET: BYTE is this byte of the data of iteration N, below 10
data_byte() {
	case $2 in
	$((SIZE - 1))) BYTE=0 ;;
	# "rdma-ping-N: "
	0) BYTE=114 ;;
	1) BYTE=100 ;;
	10) BYTE=$((48 + $1)) ;;
	*) BYTE=$((65 + ($1 + $2 - 13) % 58)) ;;
	esac
}

# wrong FAULT N HOW [DATA_N]: WRONG_ERRNO and WRONG_WORDS are how the side ends that
# finds this fault in iteration N, in the data of iteration DATA_N (default: N). HOW the
# data came: write, into a poisoned buffer; message, a SEND or with immediate data; read,
# from memory that has all of its bytes.
wrong() {
	_n=${4-$2}
	_less=$((SIZE - (SIZE + 3) / 4))
	WRONG_ERRNO=EBADMSG
	BYTE=
	case $1,$3 in
	first,*) _off=0 _flip=1 ;;
	last,*) _off=$((SIZE - 1)) _flip=1 ;;
	bit,*) _off=$((SIZE / 2)) _flip=16 ;;
	pages,*)
		_off=4096
		data_byte "$_n" 8192
		;;
	stale,*)
		_off=10
		data_byte $((_n ? _n - 1 : 1)) 10
		;;
	short,write) _off=$_less BYTE=255 ;;
	short,read) _off=$_less BYTE=0 ;;
	short,message)
		WRONG_ERRNO=EPROTO
		WRONG_WORDS="a message of $_less bytes instead of $SIZE"
		return
		;;
	shift,write) _off=0 BYTE=255 ;;
	shift,*)
		_off=1
		data_byte "$_n" 0
		;;
	esac
	_got=$BYTE
	data_byte "$_n" "$_off"
	: "${_got:=$((BYTE ^ _flip))}"
	WRONG_WORDS=$(printf 'iteration %d: data differs at offset %d: sent 0x%02x, got 0x%02x' \
		"$2" "$_off" "$BYTE" "$_got")
}

# counted LEAST [MOST]: so many iterations are in the result
counted() {
	kr_val iterations
	if [ "${KR_VAL:--1}" -lt "$1" ] || [ "$KR_VAL" -gt "${2-$1}" ]; then
		why "iterations is '$KR_VAL' instead of $1${2:+ to $2}"
	fi
}

fault_words() {
	case $1 in
	first) FAULT_WORDS='a wrong first byte' ;;
	last) FAULT_WORDS='a wrong last byte' ;;
	bit) FAULT_WORDS='one wrong bit in the middle' ;;
	pages) FAULT_WORDS='two pages swapped' ;;
	stale) FAULT_WORDS='data of another iteration' ;;
	short) FAULT_WORDS='the last quarter missing' ;;
	shift) FAULT_WORDS='data one byte too far back' ;;
	esac
}

# how_of TEST: HOW its data moves, and in which iteration N there is a fault by default:
# a server of rlat or rbw does not see the iterations.
how_of() {
	N=2
	case $1 in
	rlat* | rbw*) HOW=read N=0 ;;
	slat* | sbw* | *imm*) HOW=message ;;
	*) HOW='write' ;;
	esac
}

# finds_prepare TEST FAULT[@N] OPTIONS: what the two below have in common
finds_prepare() {
	how_of "$1"
	FAULT=${2%@*}
	case $2 in
	*@*) N=${2#*@} ;;
	esac
	wrong "$FAULT" "$N" $HOW
	fault_words "$FAULT"
	FINDS="$1${3:+,$3}: $FAULT_WORDS in iteration $N"
}

# named TEST[,OPTION]...: as a command has it, in which ping has no name
named() {
	[ "$1" = ping ] || printf %s, "$1"
}

# client_finds TEST[,OPTION]... FAULT[@N] [OPTIONS [PEER_ARGS]]: a client whose server
# spoils the data of an iteration
client_finds() {
	finds_prepare "$1" "$2" "${3-}"
	_most=$N
	case $1,${3-} in
	# own operations are counted, of which the next may be done before the data comes
	bw*duplex* | sbw*duplex*) _most=$((N + 1)) ;;
	esac
	case ,${3-} in
	# the other queue pairs go on meanwhile
	*,qps=2* | *,threads=2*) _most=$((_most + 3)) ;;
	esac
	client_meets "$FINDS" "--fault corrupt=$FAULT@$N ${4-}" \
		"$(named "$1")validate,size=$SIZE${3:+,$3}" $WRONG_ERRNO "$WRONG_WORDS"
	also "client: $FINDS: iterations" counted "$N" "$_most"
}

# client_finds_with_options TEST FAULT: with each option of the side that compares
client_finds_with_options() {
	for options in poll sge=4 srq mem_mode=reg mem_mode=reg,local_dma_lkey; do
		# siw takes one entry for a READ
		case $1,$options,$TYPE in
		r*,sge=4,siw) continue ;;
		esac
		client_finds "$1" "$2" "$options"
	done
	client_finds "$1" "$2" qps=2 '--conns 2 --lane 1'
	client_finds "$1" "$2" threads=2,poll '--conns 2 --lane 0'
}

# server_finds TEST[,duplex][,imm] FAULT[@N] [OPTIONS]: a server whose client does so
server_finds() {
	finds_prepare "$1" "$2" "${3-}"
	_flags=1 _least=$N _most=$N
	case $1 in
	*imm*) _flags=$((_flags + 32)) ;;
	esac
	case $1 in
	bw*duplex* | sbw*duplex*)
		# own operations, of which the last one may not be known to be done
		_flags=$((_flags + 8)) _least=$((N ? N - 1 : 0))
		;;
	*duplex*) _flags=$((_flags + 8)) ;;
	# counted from the first answer on
	wlat* | slat*) _least=$((N ? N - 1 : 0)) _most=$_least ;;
	esac
	server_meets "$FINDS" "--test ${1%%,*} --flags $_flags --recvs 8 --count 3 \
		--size $SIZE --fault corrupt=$FAULT@$N" "${3-}" $WRONG_ERRNO "$WRONG_WORDS"
	also "server: $FINDS: iterations" counted "$_least" "$_most"
}

# right TEST[,OPTION]...: without a fault both sides end well: the peer compares, too
client_right() {
	client_meets "$1: right data" '' "$(named "$1")validate,size=$SIZE" ok
}

server_right() {
	_flags=1
	case $1 in
	*imm*) _flags=$((_flags + 32)) ;;
	esac
	case $1 in
	*duplex*) _flags=$((_flags + 8)) ;;
	esac
	server_meets "$1: right data" "--test ${1%%,*} --flags $_flags --recvs 8 --count 3 \
		--size $SIZE" '' ok
}
