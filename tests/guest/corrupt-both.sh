#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Both sides are krping, and krping_corrupt.ko damages one operation between them. The
#   side that compares the operation's data finds the fault and disconnects the other side.
# Requires: one guest with any device, tests/kmod/krping_corrupt.ko
# Duration: 19 s on rxe, 16 s on siw

# shellcheck source=corrupt.inc
. "${0%/*}/corrupt.inc"

PARAM=/sys/module/krping_corrupt/parameters
check 'krping_corrupt.ko can be loaded' insmod /lib/modules/extra/krping_corrupt.ko \
	"post=${TYPE}_post_send"

# spoil OP QP FAULT N: let krping_corrupt.ko damage operation N of type OP on QP number QP. N and QP
# count from 0. The QPs are numbered in the order of their first operations of type OP. If both sides post,
# the client posts first, so QP 0 is the client's and QP 1 the server's.
spoil() {
	echo 0 >$PARAM/nth
	echo "$1" >$PARAM/op
	echo "$2" >$PARAM/qp
	echo "$3" >$PARAM/fault
	echo $(($4 + 1)) >$PARAM/nth
}

# spoiled: check that krping_corrupt.ko has damaged one operation
spoiled() {
	read -r _hits <$PARAM/hits
	eq "$_hits" 1 'number of spoiled operations'
}

# found LEAST MOST: check that the result reports the fault that wrong() predicts, after LEAST to MOST
# iterations
found() {
	kr_returned "$WRONG_ERRNO" && kr_detail_has "$WRONG_WORDS" && counted "$1" "$2"
}

# found_by_one MOST: check that a server has found the fault after at most MOST iterations. The server
# runs a test for each of the client's two QPs. One test finds the fault, and the other test loses
# its connection.
found_by_one() {
	klog_has "server: .*$WRONG_WORDS" && found 0 "$1"
}

# lost: check that the result is that of a side which the peer has disconnected
lost() {
	kr_returned ECONNRESET && kr_detail_has disconnected
}

# side_found client|server LEAST MOST SERVER_OPTIONS CLIENT_OPTIONS: check that this side finds
# the fault after LEAST to MOST iterations, and disconnects the other side
side_found() {
	klog_mark
	pair "$4" "$5"
	spoiled || return 1
	case $1 in
	client) found "$2" "$3" && kr_wait server && kr_errno && lost ;;
	server)
		lost && kr_wait server && kr_errno || return 1
		if given qps=2; then
			found_by_one "$3"
		else
			found "$2" "$3"
		fi
		;;
	esac
}

# given OPTION: check whether OPTIONS has OPTION
given() {
	case ,$OPTIONS, in
	*,$1,*) return 0 ;;
	esac
	return 1
}

# both TEST[,OPTION]... FAULT OP QP N SIDE [HOW [DATA_N]]: check that SIDE finds FAULT in
# iteration N. OP, QP, FAULT and N are arguments of spoil(), and HOW and DATA_N of wrong(). The
# client's count allows MORE iterations after N. With duplex the count allows twice the number of slots, so
# that no side finishes before SIDE finds the fault. Both sides have OPTIONS, but only the client has qps=2.
OPTIONS=
MORE=1
# Number of slots. A slot is the part of the buffer for one operation in flight; all slots take 256 KiB at most.
SLOTS=$((262144 / SIZE))
both() {
	_side=$6
	wrong "$2" "$5" "${7-write}" "${8-$5}"
	fault_words "$2"
	_least=$5 _most=$5 _more=$MORE
	case $_side,$1 in
	# Each side counts its own operations, in steps of cqmod. A side may be ahead of the other
	# side by half of the slots.
	*,*duplex*) _least=0 _most=$(($5 + SLOTS / 2 + 1)) _more=$((2 * SLOTS)) ;;
	# The server counts one operation fewer, because its measurement begins at its first answer.
	server,wlat* | server,slat*) _least=$(($5 ? $5 - 1 : 0)) _most=$_least ;;
	esac
	# The other QP runs iterations, too, until the fault is found.
	! given qps=2 || _most=$((_most + $5 + 1 + _more))
	_server=$OPTIONS
	! given qps=2 || _server=
	spoil "$3" "$4" "$2" "$5"
	check "$1${OPTIONS:+,$OPTIONS}: the $_side finds $FAULT_WORDS in iteration $5 of its $3" \
		side_found "$_side" "$_least" "$_most" "$_server" \
		"$(named "$1")validate,size=$SIZE,count=$(($5 + 1 + _more))${OPTIONS:+,$OPTIONS}"
}

# A READ completes although a part of its data is missing. Instead of this part, the buffer still has
# data of the previous READ (if there is one), which krping must not accept.
MORE=0
for test in rlat rbw; do
	for n in 0 1; do
		# In rlat all iterations have the data of iteration 0.
		data=$n
		[ $test = rbw ] || data=0
		both "$test" short read 0 $n client write $data
		both "$test" shift read 0 $n client write $data
	done
	# siw has one SGE for a READ
	if [ "$TYPE" != siw ]; then
		OPTIONS=sge=4 SIZE=16384
		both "$test" pages read 0 0 client write 0
		both "$test" short read 0 1 client write "$data"
	fi
	OPTIONS=srq SIZE=12288
	both "$test" short read 0 1 client write "$data"
	OPTIONS=
done
MORE=1

# next_fault: set FAULTS to the next fault of ALL_FAULTS; with KR_FULL, to all of them
FAULTS=
next_fault() {
	if [ "${KR_FULL-}" ]; then
		FAULTS=$ALL_FAULTS
		return
	fi
	: "${faults_left:=$ALL_FAULTS }"
	FAULTS=${faults_left%% *}
	faults_left=${faults_left#* }
}

# directions TEST OP HOW [FAULTS]: check that the server finds FAULTS in the client's data, and that
# the client finds FAULTS in the server's data, if the server sends data. OP is the operation with
# the data, HOW an argument of wrong(). Without FAULTS, next_fault() chooses a different fault for each
# side (with KR_FULL, all faults for both).
directions() {
	FAULTS=${4-}
	[ "$FAULTS" ] || next_fault
	for fault in $FAULTS; do
		both "$1" "$fault" "$2" 0 2 server "$3"
	done
	# krping_corrupt numbers QPs in the order of their first operations, which is unknown for the
	# four QPs of qps=2.
	case $1,$OPTIONS in
	*,qps=2) return ;;
	wlat* | slat* | *duplex*) ;;
	*) return ;;
	esac
	[ "${4-}" ] || next_fault
	for fault in $FAULTS; do
		both "$1" "$fault" "$2" 1 2 client "$3"
	done
}

for OPTIONS in '' poll sge=4,srq qps=2; do
	faults=
	[ "$OPTIONS" != sge=4,srq ] || faults=$SOME_FAULTS
	for test in wlat bw bw,duplex; do
		directions "$test" write write "$faults"
	done
	for test in slat sbw sbw,duplex; do
		directions "$test" send message "$faults"
	done
done

OPTIONS=
for test in wlat,imm bw,imm bw,duplex,imm; do
	[ "$TYPE" = siw ] || directions $test write message
done
for test in slat,imm sbw,imm sbw,duplex,imm; do
	[ "$TYPE" = siw ] || directions $test send message
done

# The device copies inline data while it posts the WR, so krping_corrupt has to damage the data before
# this copy. The shortest message that krping_corrupt damages is too long for siw's inline data.
if [ "$TYPE" != siw ]; then
	OPTIONS=inline SIZE=200
	directions wlat write write "$SOME_FAULTS"
	directions sbw send message "$SOME_FAULTS"
	SIZE=12288
fi

# With eight slots and batch=4, the fault hits an operation in the middle of a post.
OPTIONS=txdepth=8,batch=4 SLOTS=8
for fault in bit swap late; do
	both bw $fault write 0 5 server write
	case $fault,$TYPE in
	# krping_corrupt cannot change bits of a READ. For late, it makes the READ transfer no bytes,
	# and siw rejects such a READ into a registered buffer.
	bit,* | late,siw) ;;
	*) both rbw $fault read 0 5 client write ;;
	esac
done
both sbw swap send 0 5 server message
[ "$TYPE" = siw ] || both bw,imm swap write 0 5 server message

# In ping, the server READs and WRITEs, and the client compares. If the READ misses data, the server
# writes the previous iteration's data back instead.
for OPTIONS in mem_mode=dma mem_mode=reg server_inv read_inv; do
	[ "$OPTIONS,$TYPE" != read_inv,rxe ] || continue
	# With mem_mode=reg, the server's data is in an MR, and krping_corrupt cannot find its memory.
	[ "$OPTIONS" = mem_mode=reg ] || both ping first write 0 2 client
	both ping short write 0 2 client
	both ping shift write 0 2 client
	both ping shift read 0 2 client read
done

# Only the client compares. Its disconnect after the last iteration is no error for the server.
unaware() {
	pair '' "validate,size=$SIZE,count=3"
	spoiled && found 2 2 && kr_wait server && kr_errno && kr_returned ok
}
wrong first 2 write
spoil write 0 first 2
check 'ping: the client finds a wrong first byte in the last iteration, and the server ends without an error' \
	unaware

rmmod krping_corrupt
t_end
