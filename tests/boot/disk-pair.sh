#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A disk on the memory of another machine keeps a file system, with the scripts of
#   samples/disk, and keeps its data although the wire loses 1 % of the packets.
# Requires: two guests with any device that the subject boots with scripts/vm --pair, mkfs.ext4, tc
# Duration: 60 s

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need mkfs.ext4
need tc
need_module ext4
need_module sch_netem

cp samples/disk/server.sh "$tmp/A.sh"
cp samples/disk/client.sh "$tmp/B.sh"
# shellcheck disable=SC2046 # split into words
check "disk: a file system on another machine's memory keeps a file" \
	boot_pair --bin mkfs.ext4 $(modules ext4 crc32c_generic)
check "disk: the server posts nothing for the client's requests" \
	said 'A: counters send_bytes=0 send_msgs=0 recv_bytes=0 recv_msgs=0 write_bytes=0 write_msgs=0'
check "disk: the client's requests are READs and WRITEs" \
	said 'B: counters .* write_bytes=[1-9].* read_bytes=[1-9]'

{
	pair_functions
	cat <<'END'
start "server,addr=10.0.0.1,export=4m,timeout=60000"
peer-tell listening
peer-wait -t 300 ended || exit 1
await 60
report server
END
} >"$tmp/A.sh"
{
	pair_functions
	cat <<'END'
modprobe sch_netem
tc qdisc add dev eth0 root netem loss 1% || exit 1
peer-wait -t 300 listening || exit 1
exec 3<>/proc/krping
echo "client,addr=10.0.0.1,disk,timeout=60000" >&3 || {
	cat <&3
	exit 1
}
dd if=/dev/urandom of=/tmp/data bs=4k count=512 2>/dev/null
# With GSO a packet may have 64 KiB, so few packets cross the wire: repeat until netem has dropped one.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	dd if=/tmp/data of=/dev/krping0 bs=64k oflag=direct && sync &&
		dd if=/dev/krping0 of=/tmp/read bs=16k count=128 iflag=direct && cmp /tmp/data /tmp/read || break
	! tc -s qdisc show dev eth0 | grep 'dropped [1-9]' || break
done
cmp /tmp/data /tmp/read && echo "data is the same"
tc qdisc del dev eth0 root
read -r _ id _ <&3
echo "stop,$id" >/proc/krping
peer-tell ended
END
} >"$tmp/B.sh"
# shellcheck disable=SC2046 # split into words
check "disk: a disk of another guest is written and read over a wire that loses packets" \
	boot_pair --bin tc $(modules sch_netem)
check "disk: the data is not damaged by lost packets" said 'B: data is the same'
check "disk: the wire has lost packets (control)" said 'B: .*dropped [1-9]'
t_end
