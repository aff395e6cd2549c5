#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: Two machines send the same bytes for the same command, each as client and as server: private data,
#   messages and data. tests/check-machines runs this with a little-endian and a big-endian machine.
# Requires: two guests that the subject boots with scripts/vm --pair, tshark, siw: machines of different byte order
#   do not understand each other over rxe
# Runs: by name
# Duration: 66 s on siw, 92 s with s390x

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

[ "$TYPE" = siw ] || skip_all "machines of different byte order do not understand each other over $TYPE"
need tshark

# Each line is a round: the options of the client, and a name. Each message fits into a TCP segment, so that the
# messages are not segmented in different ways. With duplex the number of the server's messages depends on the time,
# so no round has duplex.
cat <<'END' >"$tmp/rounds"
mem_mode=dma,count=5,size=100,validate ping-dma
mem_mode=reg,count=5,size=100 ping-reg
server_inv,count=5,size=999 ping-server_inv
read_inv,count=3,size=64,validate ping-read_inv
wlat,count=9,size=64 wlat
wlat,count=5,size=64,validate wlat-validate
rlat,count=5,size=64,validate rlat
slat,count=5,size=100,validate slat
bw,count=3,size=512,validate bw
rbw,count=3,size=512,validate rbw
sbw,count=3,size=512,validate sbw
bw,count=4,size=64,stride=64,txdepth=4 stride
put,offset=8,data=hello put
get,offset=0,len=32 get
END

# commands GUEST: print GUEST's calls of serve and connect for each round, with A and then B as the server. Each test has a
# port of its own.
commands() {
	awk -v me="$1" '{
		for (turn = 0; turn < 2; turn++) {
			server = turn ? "B" : "A"
			print (me == server ? "serve" : "connect"), 10000 + 2 * NR + turn, $1
		}
	}' "$tmp/rounds"
}

{
	pair_functions
	cat <<'END'
# finished NAME: wait until the test has ended, and check that it has succeeded
finished() {
	await 120
	report "$1"
	case $result in
	*" status=ok "*) ;;
	*) exit 1 ;;
	esac
}

# serve PORT OPTIONS: run the server for the client's OPTIONS
serve() {
	export=
	case $2 in
	put* | get*) export=,export=4k ;;
	esac
	start "server,addr=$MY,port=$1$export"
	peer-tell listening "$1"
	peer-wait -t 300 done "$1" || exit 1
	finished "server $1"
}

# connect PORT OPTIONS: run a client
connect() {
	peer-wait -t 300 listening "$1" || exit 1
	start "client,addr=$PEER,port=$1,$2"
	finished "client $1"
	peer-tell done "$1"
}
END
} >"$tmp/functions"
{
	echo MY=10.0.0.1
	cat "$tmp/functions"
	commands A
} >"$tmp/A.sh"
{
	echo MY=10.0.0.2
	cat "$tmp/functions"
	commands B
} >"$tmp/B.sh"

check "same-bytes: two machines run each test in both directions" boot_pair --pcap "$tmp/pcap"

decode_fields f 'tcp.flags.syn == 1 && tcp.flags.ack == 0' tcp.dstport tcp.stream >"$tmp/streams"

# messages_of PORT: print the messages of the connection to PORT
messages_of() {
	_stream=$(awk -F ';' -v port="$1" '$1 == port { n = $2 } END { print n }' "$tmp/streams")
	[ "$_stream" ] || return 1
	decode -q -z "follow,tcp,raw,$_stream" | awk -f tests/boot/iwarp-messages.awk
}

# same NUMBER: check that the round with this number has the same messages, with A and with B as the server
same() {
	messages_of $((10000 + 2 * $1)) >"$tmp/one" && messages_of $((10001 + 2 * $1)) >"$tmp/two" ||
		why "the capture lacks one of the two connections" || return 1
	# private data of both sides, and at least a message of each
	if [ "$(grep -c ' mpa .*6b727067' "$tmp/one")" != 2 ] || [ "$(grep -vc ' mpa ' "$tmp/one")" -lt 2 ]; then
		why "the messages are $(cat "$tmp/one")" || return 1
	fi
	diff "$tmp/one" "$tmp/two" || why "server A, and with > server B:"
}

nr=0
while read -r _ name; do
	nr=$((nr + 1))
	check "$name: both machines send the same bytes" same $nr
done <"$tmp/rounds"
t_end
