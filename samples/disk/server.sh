#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The first guest of scripts/vm --pair: export 64 MiB to one client, wait until the client has
# ended, and print the result. The requests of the client's disk run no krping code on the server.
# Each cat prints the current result. peer-wait and peer-tell synchronize this script with
# client.sh.

exec 3<>/proc/krping
echo "# echo server,addr=10.0.0.1,export=64m > /proc/krping"
echo "server,addr=10.0.0.1,export=64m,background" >&3 || exit 1
peer-tell listening
peer-wait -t 300 ended || exit 1
while cat <&3 | grep -q status=running; do sleep 0.2; done
cat <&3
cat <&3 | grep -q status=ok
