#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# A server on a port that anybody can reach: clients that do not keep to the
# protocol, that ask for nonsense, that vanish, and many at once.

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"

#
# Messages. The advertisement of a source is 1 to 64 bytes, as agreed; that of a
# sink at least what was read.
#

for length in 0 8 17 64; do
	server_meets "a message of $length bytes" "--count 3 --fault length=$length" '' \
		EPROTO "a message of $length bytes instead of 16"
done
server_meets 'a message of 17 bytes, later, polling' '--count 3 --at 2 --fault length=17' \
	poll EPROTO 'a message of 17 bytes instead of 16'
server_meets 'a message of 200 bytes, longer than the RECV' '--count 3 --fault length=200' '' \
	EPROTO 'too long'
for size in 0 65 4294967295; do
	server_meets "a source of $size bytes" "--count 3 --fault size=$size" '' \
		EPROTO "a source of $size bytes"
done
for size in 0 1 63; do
	server_meets "a sink of $size bytes" "--count 3 --fault sink=$size" '' \
		EPROTO "a sink of $size bytes"
done
server_meets 'a sink of 4294967295 bytes, of which only a part is used' \
	'--count 3 --fault sink=4294967295' '' ok '' '' 1
server_meets 'address 0 and key 0' '--count 3 --fault zero' '' EPROTO 'at 0x0'
server_meets 'address 0 and key 0, later' '--count 3 --at 1 --fault zero' '' EPROTO 'at 0x0'
server_meets 'more than an old client may have' '--old --size 65537' '' \
	EPROTO 'a source of 65537 bytes' '' 1
server_meets 'more than the server was told' '--old --size 65' size=64 \
	EPROTO 'a source of 65 bytes' '' 1

case $TYPE in
siw) key_errno=ECONNRESET key_words='' key_status='' ;;
*) key_errno=EIO key_words='remote access error' key_status=$key_words ;;
esac
no_nak='rxe sends no NAK for a READ or WRITE'
for mode in 'mem_mode=dma' 'mem_mode=reg' local_dma_lkey; do
	known_fault rxe 5.10 "server: a key that does not exist, $mode" "$no_nak" ||
		server_meets "a key that does not exist, $mode" '--count 3 --at 1 --fault rkey=first' \
			$mode $key_errno "$key_words" "$key_status"
done

# Which message it is, nothing but its turn tells: what comes too early is taken
# for the next, and at last the server waits in vain.
server_meets 'an advertisement two times' '--count 3 --fault twice' '' ETIMEDOUT 'silent'

# Any error is right that the provider may give. So many iterations, since a server
# that had all it wanted before the last of the messages came would have no error.
server_meets 'many messages that nobody waited for' '--count 100 --fault burst=15' '' \
	EPROTO/EIO/ECONNRESET/ETIMEDOUT ''

# Who has had enough disconnects, and meanwhile the peer goes on.
no_end='rxe posts a SEND without end if the other QP is in error: soft lockup'
for how in '' poll; do
	behind="messages behind the disconnect${how:+, polling}"
	known_fault rxe 5.10 "server: $behind" "$no_end" ||
		server_meets "$behind" '--count 3 --fault talk=500' "$how" \
			EPROTO 'a message of 8 bytes instead of 16'
	known_fault rxe 5.10 "client: $behind" "$no_end" ||
		client_meets "$behind" '--fault talk=500' "$how" \
			EPROTO 'a message of 8 bytes instead of 16'
done

#
# Control messages, which only have their place at the end, and only if both sides
# have agreed upon a report.
#

# reported: the client has got a report of 3 iterations of 64 bytes
reported() {
	peer_says "$CASE" 'report iterations=3 nsec=given latencies=2' &&
		peer_says "$CASE" 'report send=96/6 recv=96/6 write=192/3 read=192/3'
}
server_meets 'a client that wants a report' '--count 3 --report' '' ok
also 'client: it has got one' reported
server_meets 'a client that wants a report, polling' '--count 3 --report' poll ok
also 'client: it has got one' reported
server_meets 'a client that wants no report' '--count 3' '' ok
server_meets 'a client that vanishes instead of finishing' \
	'--count 3 --report --fault exit=report' '' ok

for what in finish credit report hello; do
	server_meets "$what for the first message" "--count 3 --report --fault ctl=$what" '' \
		EPROTO 'a message out of turn in iteration 0'
	server_meets "$what between iterations" "--count 3 --report --at 2 --fault ctl=$what" \
		'' EPROTO 'a message out of turn in iteration 2'
	server_meets "$what in the middle of an iteration" \
		"--count 3 --report --at 1 --fault ctl-second=$what" '' \
		EPROTO 'a message out of turn in iteration 1'
	server_meets "$what behind the end" "--count 3 --report --at 3 --fault ctl=$what" '' \
		EPROTO 'a message out of turn in iteration 3'
done
server_meets 'a control message of no known type' '--count 3 --report --at 1 --fault ctl=garbage' \
	'' EPROTO 'at 0x6b727067ee000000'
server_meets 'finish, too short' '--count 3 --report --at 1 --fault ctl=short' '' \
	EPROTO 'a message of 15 bytes instead of 16'
server_meets 'finish, too long' '--count 3 --report --at 1 --fault ctl=long' '' \
	EPROTO 'a message of 17 bytes instead of 16'
server_meets 'a report that is cut off' '--count 3 --report --at 1 --fault ctl=stump' '' \
	EPROTO 'a message of 167 bytes instead of 16'
server_meets 'finish, which was not agreed' '--count 3 --at 1 --fault ctl=finish' '' \
	EPROTO 'a source of 0 bytes at 0x6b72706701000000'
server_meets 'hello, which was not agreed' '--count 3 --at 1 --fault ctl=hello' '' \
	EPROTO 'a message of 32 bytes instead of 16'
server_meets 'report, which was not agreed' '--count 3 --at 1 --fault ctl=report' '' \
	EPROTO 'a message of 168 bytes instead of 16'

# told NSEC|'': what the server has said is in the result, or nothing is
told() {
	eq "$(sed -n 's/^peer_time nsec=//p' "$KR_RESULT")" "$1" peer_time
}
client_meets 'a server that reports' '--count 3 --report' '' ok
also "client: the report is in the result" told '4711 iterations=3'
client_meets 'a server that reports, polling' '--count 3 --report' poll ok
also "client: the report is in the result" told '4711 iterations=3'
client_meets 'a server that does not report' '--count 3' '' ok
also "client: there is none in the result" told ''
for end in silent disconnect exit; do
	client_meets "a server that does not report as agreed: $end" \
		"--count 3 --report --fault $end=report" '' ok
	also "client: there is none in the result" told ''
done
for what in finish credit report hello; do
	client_meets "$what instead of the first go-ahead" \
		"--count 3 --report --at 1 --fault ctl=$what" '' \
		EPROTO 'a message out of turn in iteration 1'
	client_meets "$what instead of the second go-ahead" \
		"--count 3 --report --at 1 --fault ctl-second=$what" '' \
		EPROTO 'a message out of turn in iteration 1'
done
for what in finish credit hello garbage; do
	client_meets "$what instead of the report" \
		"--count 3 --report --at 3 --fault ctl=$what" '' \
		EPROTO 'a message out of turn in iteration 3'
done
client_meets 'a report that is cut off' '--count 3 --report --at 3 --fault ctl=stump' '' \
	EPROTO 'a message of 167 bytes instead of 16'
client_meets 'hello, which was not agreed' '--count 3 --at 1 --fault ctl=hello' '' \
	EPROTO 'a message of 32 bytes instead of 16'

#
# Microbenchmarks: a client of a server
#

# finished ITERATIONS: so many are in the server's report
finished() {
	peer_says "$CASE" "report iterations=$1 nsec=given *"
}
for test in wlat rlat slat bw rbw sbw fr; do
	server_meets "a client of $test" "--test $test --count 20" '' ok
	server_meets "a client of $test, polling" "--test $test --count 20" poll ok
done
server_meets 'a client of sbw' '--test sbw --count 20' '' ok
also 'client: the report has all messages' finished 20

server_meets 'hello: no buffer' '--test wlat --fault hello=zero' '' \
	EPROTO 'a buffer of 0 bytes at 0x0; 64 bytes would be right'
server_meets 'hello: a buffer that is too small' '--test wlat --fault hello=small' '' \
	EPROTO 'a buffer of 63 bytes'
server_meets 'hello: a huge buffer, of which only a part is used' \
	'--test wlat --count 5 --fault hello=huge' '' ok
known_fault rxe 5.10 'server: hello: a key that does not exist' "$no_nak" ||
	server_meets 'hello: a key that does not exist' '--test wlat --count 5 --fault hello=key' '' \
		$key_errno "$key_words" "$key_status" 1
for test in wlat sbw; do
	server_meets "hello, cut off, $test" "--test $test --fault hello=short" '' \
		EPROTO 'data out of turn'
	server_meets "hello, twice, $test" "--test $test --fault hello=twice" '' \
		EPROTO 'a control message out of turn, of type 4'
	for what in 'finish 1' 'credit 2' 'report 3'; do
		server_meets "${what% ?} before the hello, $test" \
			"--test $test --fault ctl-second=${what% ?}" '' \
			EPROTO "a control message out of turn, of type ${what#* }"
	done
	server_meets "finish, too long, before the hello, $test" \
		"--test $test --fault ctl-second=long" '' EPROTO 'data out of turn'
done
for test in wlat rlat slat bw rbw sbw fr; do
	server_meets "data before the hello, $test" "--test $test --fault early" '' \
		EPROTO 'data out of turn'
done
for test in slat sbw; do
	for length in 0 63 65; do
		server_meets "data of $length bytes, $test" \
			"--test $test --count 5 --at 2 --fault length=$length" '' \
			EPROTO "a message of $length bytes instead of 64"
	done
	server_meets "data of 200 bytes, longer than the RECV, $test" \
		"--test $test --count 5 --at 2 --fault length=200" '' EPROTO 'too long'
	server_meets "a control message of no known type, $test" \
		"--test $test --count 5 --at 2 --fault ctl=garbage" '' \
		EPROTO 'a message of 16 bytes instead of 64'
done
for test in wlat rlat bw rbw fr; do
	server_meets "data where there is none, $test" \
		"--test $test --count 5 --at 2 --fault length=64" '' EPROTO 'data out of turn'
done
for test in wlat rlat sbw; do
	for what in 'report 3' 'hello 4'; do
		server_meets "${what% ?} in the middle, $test" \
			"--test $test --count 5 --at 2 --fault ctl=${what% ?}" '' \
			EPROTO "a control message out of turn, of type ${what#* }"
	done
	server_meets "silence, $test" "--test $test --count 5 --at 2 --fault silent=first" '' \
		ETIMEDOUT silent
	server_meets "finish before all is done, $test" \
		"--test $test --count 5 --at 2 --fault ctl=finish" timeout=$PATIENCE ok
done
for test in wlat rbw sbw; do
	server_meets "vanished before the hello, $test" "--test $test --fault exit=connect" '' \
		ECONNRESET disconnected
	for end in 'exit 0' 'kill 137' 'disconnect 0'; do
		server_meets "vanished in the middle, $test, ${end% *}" \
			"--test $test --count 5 --at 2 --fault ${end% *}=first" '' \
			ECONNRESET disconnected '' "${end#* }"
	done
	server_meets "vanished instead of finishing, $test" \
		"--test $test --count 5 --fault exit=report" '' ECONNRESET disconnected
done

#
# Microbenchmarks: a server of a client
#

for test in rlat bw rbw sbw fr; do
	client_meets "a server of $test" '' $test ok
	also "client: the report is in the result, $test" \
		told '4711 iterations=3'
done
# What it tells is shown, and no more is made of it than fits.
client_meets 'a report that cannot be true' '--fault boast' bw,duplex ok
also "client: the report is in the result" told '1 iterations=9223372036854775808'
also "client: and a throughput that is the most there is" kr_has \
	'peer_throughput bytes_per_sec=18446744073709551615 messages_per_sec=18446744073709551615 peer_counters'
client_meets 'hello: no buffer' '--fault hello=zero' bw EPROTO 'a buffer of 0 bytes at 0x0'
client_meets 'hello: a buffer that is too small' '--fault hello=small' rlat \
	EPROTO 'a buffer of 63 bytes'
client_meets 'hello: a huge buffer, of which only a part is used' '--fault hello=huge' rbw ok

case $TYPE in
# it may tell a WRITE's failure by its completion, or only disconnect
siw) client_meets 'hello: a key that does not exist' '--fault hello=key' bw EIO/ECONNRESET '' ;;
*)
	known_fault rxe 5.10 'client: hello: a key that does not exist' "$no_nak" ||
		client_meets 'hello: a key that does not exist' '--fault hello=key' bw \
			EIO "$key_words" "$key_status"
	;;
esac
client_meets 'hello, cut off' '--fault hello=short' bw EPROTO 'data out of turn'
client_meets 'hello, twice' '--fault hello=twice' bw \
	EPROTO 'a control message out of turn, of type 4'
for what in 'finish 1' 'credit 2' 'report 3'; do
	client_meets "${what% ?} instead of the hello" "--fault ctl-second=${what% ?}" sbw \
		EPROTO "a control message out of turn, of type ${what#* }"
done
client_meets 'finish behind the hello' '--fault ctl=finish' rbw \
	EPROTO 'a control message out of turn, of type 1'
client_meets 'silence instead of the hello' '--fault silent=connect' bw ETIMEDOUT silent
client_meets 'vanished instead of the hello' '--fault exit=connect' bw ECONNRESET disconnected
client_meets 'vanished before all is done' '--recvs 2 --fault exit=second' sbw \
	ECONNRESET disconnected
client_meets 'silence before all is done' '--recvs 2 --fault silent=second' sbw \
	ETIMEDOUT silent
client_meets 'silence before all is done, with a rate' '--recvs 2 --fault silent=second' \
	sbw,rate=1000 ETIMEDOUT silent
client_meets 'rbw: a server that permits one READ at a time' '' rbw ok
also 'client: rbw: a server that permits one READ at a time: reads' kr_is reads 1
# No connection begins to measure before all are there.
for test in slat sbw bw; do
	client_meets "$test,threads=2: silence instead of the second REP" \
		'--conns 2 --lane 1 --fault silent=request' "$test,threads=2" ETIMEDOUT \
		"connecting took longer than timeout=$PATIENCE" '' 143
	also "client: $test,threads=2: silence instead of the second REP: iterations" \
		kr_is iterations 0
done
client_meets 'silence instead of the report' '--fault silent=report' bw ETIMEDOUT silent
client_meets 'vanished instead of the report' '--fault exit=report' bw ECONNRESET disconnected
for recvs in 0 1; do
	client_meets "$recvs RECVs for data" "--recvs $recvs" sbw \
		EPROTO 'the peer has no RECVs for data' '' 1
done
client_meets 'more RECVs for data than there can be' '--recvs 4294967295' sbw ok
for credit in 4 100 4294967295; do
	client_meets "credit for $credit messages of 3" "--fault credit=$credit" sbw \
		EPROTO "the server says that it has taken $credit of 3 messages"
done
client_meets 'credit that is taken back' '--at 2 --fault credit=0' sbw \
	EPROTO 'the server says that it has taken 0 of 3 messages'

cases_run

#
# Requests that are turned away. One server meets them all, and then serves the
# client that it was waiting for.
#

# words_of N: the log has at most a line for each of so many; its limit may have
# come
words_of() {
	[ "$(klog_count 'a client was turned away')" -le "$1" ] ||
		why "there are more log lines than $1"
}

# c_rejected STATUS WORDS: the peer c is rejected with these words, and ends
c_rejected() {
	peer_ended c "$1" && peer_says c "rejected version=1 $2"
}

# rejected STATUS WORDS AGAIN...: c is rejected with these words. siw now and then loses the
# reason of a rejection, see Documentation/kernels.md. AGAIN sends the request once more then.
rejected() {
	c_rejected "$1" "$2" && return
	[ "$TYPE" = siw ] && peer_says c 'rejected without a reason' || return 1
	diag "siw has lost the reason of a rejection"
	_status=$1 _words=$2
	shift 2
	"$@"
	c_rejected "$_status" "$_words"
}

# request ARG...: the peer makes one, with these options
request() {
	asked=$((asked + 1))
	peer_client c --count 3 "$@"
}

# turned_away WHAT REASON [LIMIT]
turned_away() {
	rejected 0 "reason=$2 limit=${3-0}" request --fault "req=$1" && until_ok 10 kr_listening
}

# ask WHAT REASON [LIMIT]
ask() {
	request --fault "req=$1"
	check "server: a request whose private data is: $1" turned_away "$@"
}

# refused REASON ARG...: the same of one that is not told that it will be
refused() {
	_reason=$1
	shift
	rejected 1 "reason=$_reason limit=0" request "$@" && until_ok 10 kr_listening
}

# ask_with REASON ARG...: a request with these options
ask_with() {
	_reason=$1
	shift
	request "$@"
	check "server: a request with $*" refused "$_reason" "$@"
}

asked=0
klog_mark
next_port
kr_bg server "server,addr=$ADDR,port=$port,size=64,$PATIENT"
ask version 2 1
ask garbage 2 1
for what in truncated test flags zero huge; do
	ask $what 3
done
ask size 5 64
ask large 5 64
case $TYPE in
# RoCE pads it with zeros: another version
rxe) ask magic 2 1 ;;
# iWARP does not pad
siw)
	ask magic 3
	ask short 3
	;;
esac
ask_with 3 --lane 1
ask_with 3 --lane 1 --lanes 1
ask_with 3 --lane 65535 --lanes 1024
ask_with 3 --lanes 1025
ask_with 3 --lane 65534 --lanes 65535
ask_with 3 --flags 0x80
# another connection of a client that has none
ask_with 1 --lane 1 --lanes 2
ask_with 1 --lane 1023 --lanes 1024 --session 77 --test sbw
case $TYPE in
siw)
	# no immediate data, and no atomics
	ask_with 6 --test slat --flags 0x20
	ask_with 6 --test rlat --flags 0x40 --size 8
	;;
esac
peer_client c --count 3
check 'server: then it serves one that makes sense' peer_ended c
check 'server: and ends' kr_ended server ok

# Each of its clients can be another one, but not another connection of none.
next_port
kr_bg server "server,addr=$ADDR,port=$port,clients=2,$PATIENT"
ask_with 1 --lane 1 --lanes 2
ask_with 3 --lane 2 --lanes 2
peer_client c --count 3
check 'server: the first of two clients' peer_ended c
ask_with 1 --lane 1 --lanes 2
peer_client c --test slat --count 3
check 'server: the second of two clients' peer_ended c
both_served() {
	kr_ended server ok && kr_is clients 2 && kr_is failed 0
}
check 'server: and ends' both_served
check 'server: it has not said more in the log than a line for each' words_of $asked

# Only a client that has said that it will come with more may do so, and only so
# often.
next_port
kr_bg server "server,addr=$ADDR,port=$port,timeout=0"
peer_client first --test sbw --count 3 --lanes 3 --session 77 --fault silent=first
until_ok $PEER_WAIT peer_says first 'fault at stage first *'

# is_busy AGAIN...: c is turned away
is_busy() {
	rejected 1 'reason=1 limit=0' "$@"
}

# another NAME SESSION: one more connection
another() {
	peer_client "$1" --test sbw --count 3 --lane 1 --lanes 3 --session "$2"
}
another c 78
check 'server: another connection, of another client' is_busy another c 78
another c 77
check 'server: another connection' peer_ended c
another c 77
check 'server: and one more' peer_ended c
another c 77
check 'server: more than it has said' is_busy another c 77
peer_client c --count 3
check 'server: another client' is_busy peer_client c --count 3
kr stop
check 'server: it can be stopped then' kr_ended server ECANCELED
check 'client: and its first connection ends' peer_ended first

# With no size of its own it has a limit nevertheless, that of the device.
next_port
kr_bg server "server,addr=$ADDR,port=$port"
klog_mark
peer_client c --fault req=large
too_large() {
	rejected 0 "reason=5 limit=$DMA_MAX" peer_client c --fault req=large &&
		until_ok 10 kr_listening
}
check 'server: more than the device can do' too_large
kr stop
kr_wait server

#
# Clients that do not wait to be served
#

for i in 1 2 3; do
	server_meets "the client has asked, and ends by exit ($i)" '--fault exit=request' '' \
		ECONNRESET/ETIMEDOUT ''
	server_meets "the client has asked, and ends by kill ($i)" '--fault kill=request' '' \
		ECONNRESET/ETIMEDOUT '' '' 137
done
cases_run

#
# Many at once. A test that runs beside all that follows is not disturbed.
#

# pair_moves: its client has done more iterations than the last time
pair_moves() {
	kr_result client && kr_is status running || return 1
	_was=$_now
	_now=$(kr_get iterations)
	[ "${_now:-0}" -gt "${_was:-0}" ]
}

undisturbed() {
	until_ok 20 pair_moves || why 'the test that runs beside has stopped'
}

# flooded ACCEPTED N: of N clients so many were accepted, and all were answered
flooded() {
	peer_ended c &&
		peer_says c "flood=$2 answers=$2 busy=$(($2 - $1)) accepted=$1"
}

# server_lines N: so often servers have said in the log why they failed
server_lines() {
	eq "$(klog_count 'test [0-9]*, server: ')" "$1" 'number of log lines'
}

# flooded_busy: none was
flooded_busy() {
	flooded 0 24 && server_lines 0 && undisturbed
}

_now=0
next_port
klog_mark
kr_bg server "server,addr=$ADDR,port=$port"
kr_bg client "client,addr=$ADDR,port=$port,validate,size=1000"
until_ok $PEER_WAIT pair_moves
client_id=$(kr_get id)
alone=$t_objects
t_objects=$(rdma_objects)
KR_BESIDE=2

peer_client c --flood 24
check 'server: two dozen more clients while it has one' flooded_busy
peer_client c --flood 24 --old
check 'server: two dozen old clients while it has one' flooded_busy

# flood_vanished SERVES: all who were accepted have vanished, and the log has a line
# for each of them, and one for the server if that is another test
flood_vanished() {
	kr_ended many ECONNRESET || return 1
	if [ "$1" = 1 ]; then
		server_lines 1
	else
		kr_is clients "$1" && kr_is failed "$1" && server_lines $(($1 + 1))
	fi && kr_clean && undisturbed
}

# flood OPTIONS SERVES: a server that serves so many of two dozen, who then vanish
flood() {
	klog_mark
	next_port
	kr_bg many "server,addr=$ADDR,port=$port,$1$PATIENT"
	peer_client c --flood 24 --accepted "$2"
	check "server: two dozen clients at once, and it serves $2" flooded "$2" 24
	check 'server: they vanish' flood_vanished "$2"
}
flood '' 1
flood clients=4, 4

all_served() {
	flooded 48 48 && until_ok $PEER_WAIT kr_running 3 && undisturbed
}
klog_mark
next_port
kr_bg many "server,addr=$ADDR,port=$port,clients=0,$PATIENT"
peer_client c --flood 48 --accepted 48
check 'server: four dozen clients at once, all of whom it serves' all_served
peer_client c --count 3
check 'server: then one that does not vanish' peer_ended c
kr_result many
kr "stop,id=$(kr_get id)"
stopped_many() {
	kr_wait many && kr_errno && eq "$KR_ERRNO" ECANCELED errno && server_lines 48 && kr_clean
}
check 'server: it can be stopped' stopped_many

#
# Connections that end before they are accepted, as those of a port scanner do.
# iWARP's are TCP's.
#

tcp_vanished() {
	peer_ended c && peer_says c 'tcp=100 connected=100' && kr_running 3 &&
		peer_client d --count 3 && peer_ended d && undisturbed
}
case $TYPE in
siw)
	klog_mark
	next_port
	kr_bg many "server,addr=$ADDR,port=$port,clients=0,$PATIENT"
	peer_start c tcp "$ADDR" "$port" --flood 100
	check 'server: a hundred connections that are reset at once, then a client' tcp_vanished
	kr_result many
	kr "stop,id=$(kr_get id)"
	tcp_stopped() {
		kr_wait many && kr_errno && eq "$KR_ERRNO" ECANCELED errno && server_lines 0 &&
			kr_clean
	}
	check 'server: it can be stopped, and knows nothing of them' tcp_stopped
	;;
*) skip 'server: a hundred connections that are reset at once' "$TYPE is not on TCP" ;;
esac

#
# SEND_WITH_INV of keys that are not the peer's to invalidate
#

invalid='remote invalid request error'
case $(uname -r) in
5.10.*) invalid='invalid request error' ;;
esac
for mode in mem_mode=dma mem_mode=reg; do
	no_key="it shall invalidate a key that does not exist, $mode"
	known_fault rxe 5.10 "server: $no_key" 'rxe completes nothing then' ||
		server_meets "$no_key" '--count 3 --at 1 --fault inv=none' $mode \
			EIO 'RECV failed' "$invalid"
	known_fault rxe 5.10 "client: $no_key" 'rxe completes nothing then' ||
		client_meets "$no_key" '--at 1 --fault inv=none' $mode \
			EIO 'RECV failed' "$invalid"
done
client_meets 'its key is invalidated, and it has not asked for that' \
	'--at 1 --fault inv=own' mem_mode=reg ok
client_meets 'its other buffer is invalidated' '--at 1 --fault inv=stale' mem_mode=reg ok
server_meets 'the buffer that it shares is invalidated' '--test bw --count 3 --fault inv=own' \
	'' ok
case $TYPE in
# The device refuses it; 5.10's has done it before, and the next SEND finds no key.
rxe)
	set -- 'RECV failed' 'remote invalid request error'
	! provider_is rxe 5.10 || set -- 'SEND failed' 'local protection error'
	client_meets 'the global key is invalidated' '--at 1 --fault inv=own' mem_mode=dma \
		EIO "$1" "$2" 0/1
	;;
# It is gone, for this connection: each has a protection domain of its own.
siw)
	client_meets 'the global key is invalidated' '--at 1 --fault inv=own' mem_mode=dma \
		ECONNRESET/EIO '' '' 0/1
	;;
esac
cases_run
check 'a test that runs beside goes on' undisturbed

# A key of another connection of another server.
next_port
kr_bg victim "server,addr=$ADDR,port=$port,$PATIENT"
peer_client v --test bw --count 3 --pause "$T_TMP/go"
until_ok $PEER_WAIT peer_says v pause
key=$(sed -n 's/.*hello .* rkey=\(0x[0-9a-f]*\) .*/\1/p' "$T_TMP/v.peer")
next_port
kr_bg server2 "server,addr=$ADDR,port=$port,$PATIENT"
peer_client c --count 3 --fault "inv=$key"

# spared: the device refuses it, and who has tried it has a failed connection
spared() {
	kr_ended server2 EIO && kr_detail_has 'RECV failed' &&
		peer_ended v && kr_ended victim ok
}

# robbed: the device does it, which nobody above it can prevent. The owner of the
# key finds his connection failed, and nothing worse.
robbed() {
	diag "$TYPE lets a peer invalidate the key of another connection"
	kr_ended server2 ok && peer_ended v 1 && kr_wait victim && kr_errno || return 1
	case $KR_ERRNO in
	EIO | ECONNRESET) ;;
	*) why "errno is $KR_ERRNO" ;;
	esac
}

# What rxe does: see Documentation/security.md. Should it change, so much the better.
other_key() {
	[ "${key:-0x0}" != 0x0 ] || {
		why 'the server has not told a key'
		return 1
	}
	peer_ended c 0/1 || return 1
	_minded=$_rc
	: >"$T_TMP/go"
	case $TYPE,$_minded in
	*,0) spared ;;
	rxe,1) robbed ;;
	*) why "$TYPE has invalidated a key of another protection domain" ;;
	esac
}
check 'server: a peer invalidates the key of another connection' other_key
check 'nothing is left of that' kr_clean
check 'a test that runs beside goes on' undisturbed

KR_BESIDE=0
t_objects=$alone
kr "stop,id=$client_id"
check 'client: it was running to the end' kr_ended client ECANCELED
check 'server: it too' kr_ended server ok

t_end
