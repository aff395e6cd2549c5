#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The packets of one put and one send between two machines, decoded by tshark, are
#   those of Documentation/remote-memory.md.
# Requires: two guests that the subject boots with scripts/vm --pair, tshark
# Duration: 9 s

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need tshark

cp samples/put/server.sh "$tmp/A.sh"
cp samples/put/client.sh "$tmp/B.sh"

check "remote-memory: put and send between two machines succeed" boot_pair --pcap "$tmp/pcap"

# result_has REGEX: check that a line that a guest has printed matches REGEX
result_has() {
	sed 's/^[AB]: //' "$tmp/out" | grep -q "$1" || why "the results have no line '$1'"
}

check "put: the result has the status of the completion" \
	result_has '^completion wc_status="success" offset=[0-9]* len=[0-9]* kept=0$'
check "send: the result of a server for two clients has the message" \
	result_has '^message len=12 .*text="good morning"$'

# packets_with HEX FIELD...: print the values of each FIELD of the packets that contain the bytes HEX
packets_with() {
	_hex=$1
	shift
	decode_fields f "frame contains $_hex" "$@" | sort -u
}

hello=68:65:6c:6c:6f:20:66:72:6f:6d:20:6b:72:70:69:6e:67
morning=67:6f:6f:64:20:6d:6f:72:6e:69:6e:67

# roce_is HEX OPCODE DMALEN: check that exactly one packet contains the bytes HEX, and that the client
# has sent this packet with OPCODE and DMALEN
roce_is() {
	_p=$(packets_with "$1" infiniband.bth.opcode ip.src infiniband.reth.dmalen)
	[ "$_p" = "$2;10.0.0.2;$3" ] || why "opcode, sender and length are '$_p'"
}

# iwarp_is HEX OPCODE: check that exactly one packet contains the bytes HEX, and that the client has
# sent this packet with OPCODE
iwarp_is() {
	_p=$(packets_with "$1" iwarp_rdma.opcode ip.src)
	[ "$_p" = "$2;10.0.0.2" ] || why "opcode and sender are '$_p'"
}

case $TYPE in
siw)
	check "put: one RDMA WRITE (opcode 0) has the text" iwarp_is $hello 0x00
	check "send: one SEND (opcode 3) has the text" iwarp_is $morning 0x03
	;;
*)
	check "put: one RDMA WRITE Only (opcode 10) has the text" roce_is $hello 10 17
	check "send: one SEND Only (opcode 4) has the text" roce_is $morning 4 ''
	;;
esac
t_end
