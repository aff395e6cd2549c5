#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# One of two guests of scripts/vm --pair: export 4 KiB to two clients, one after the other, and
# print the result, which has the message that the second client has sent.

exec 3<>/proc/krping
echo "server,addr=10.0.0.1,export=4k,clients=2,background" >&3 || exit 1
peer-tell listening
peer-wait ended || exit 1
while cat <&3 | grep -q status=running; do sleep 0.2; done
cat <&3
cat <&3 | grep -q status=ok
