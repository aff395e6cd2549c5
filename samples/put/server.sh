#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The first guest of scripts/vm --pair: export 4 KiB to two clients, one after the other, and print
# the result, which includes the message that the second client has sent. Each cat prints the
# current result. peer-wait and peer-tell synchronize this script with client.sh.

exec 3<>/proc/krping
echo "server,addr=10.0.0.1,export=4k,clients=2,background" >&3 || exit 1
peer-tell listening
peer-wait -t 300 ended || exit 1
while cat <&3 | grep -q status=running; do sleep 0.2; done
cat <&3
cat <&3 | grep -q status=ok
