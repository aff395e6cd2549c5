#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The second guest of scripts/vm --pair: WRITE a text into the memory that the server exports, and
# SEND another text. peer-wait and peer-tell synchronize this script with server.sh.

# run COMMAND: write a command to krping, and print the command and its result
run() {
	echo "# echo $1 > /proc/krping"
	exec 3<>/proc/krping
	echo "$1" >&3 || _failed=yes
	cat <&3
	[ -z "${_failed-}" ]
}

peer-wait -t 300 listening || exit 1
run "client,addr=10.0.0.1,put,offset=16,data=hello from krping" &&
	run "client,addr=10.0.0.1,send,data=good morning"
status=$?
peer-tell ended
exit $status
