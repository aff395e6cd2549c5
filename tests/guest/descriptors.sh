#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A descriptor takes several commands, one after the other. Several threads can use one
#   descriptor.
# Requires: one guest with any device
# Duration: 4 s on rxe, 2 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# kr_steps and kr_spawn run tests/tools/kwrite, whose steps use one descriptor of /proc/krping. The step start=
# writes in a second thread, kill= sends this thread a signal, and join= waits for this thread. kwrite.c lists
# all steps.

second_replaces() {
	kr_steps "write=client,first=1" read "write=client,second=1" read
	eq "$(grep -c '^error' "$KR_RESULT")" 2 "number of errors" &&
		eq "$(sed -n '3p' "$KR_RESULT" | grep -c first)" 1 "first" &&
		eq "$(sed -n '6p' "$KR_RESULT" | grep -c second)" 1 "second"
}
check "a second command on a descriptor replaces the first" second_replaces

after_background() {
	kr_steps "write=server,addr=$ADDR,port=17511,background" read \
		"write=client,addr=$ADDR,port=17511,count=3" read
	eq "$(grep -c ' role=server .*status=running' "$KR_RESULT")" 1 "server" &&
		eq "$(grep -c ' role=client .*status=ok .*iterations=3 ' "$KR_RESULT")" 1 "client" &&
		kr_clean
}
check "a client may run on the descriptor of a background server" after_background
kr_stop

stop_on_it() {
	kr_steps "write=server,addr=$ADDR,port=17512,background" write=stop read
	kr_is id 0 && kr_is stopped 1 && kr_is status ok && kr_clean_now
}
check "stop may be written to the descriptor of a background server" stop_on_it
kr_stop

# A step of kwrite: wait until the server of the other thread listens.
listening="until grep -q listen $KR; do sleep 0.1; done"

# One thread reads the descriptor while another one waits in write(2).
reads_meanwhile() {
	kr_spawn sharing "start=server,addr=$ADDR,port=17513" "run=$listening" read read poll=0 \
		kill=2 join=60 read
	kr_wait sharing 100 || return 1
	eq "$KR_ERRNO" EINTR errno &&
		eq "$(grep -c ' status=running ' "$KR_RESULT")" 2 "results while it ran" &&
		eq "$(grep -c '^poll=timeout' "$KR_RESULT")" 1 "poll" &&
		eq "$(grep -c ' status=stopped errno=4 ' "$KR_RESULT")" 1 "results at the end" &&
		kr_clean_now
}
check "a writer that waits for its test blocks no reader of the descriptor" reads_meanwhile
kr_stop

# One thread writes to the descriptor while another one waits in write(2).
writes_meanwhile() {
	kr_spawn sharing "start=server,addr=$ADDR,port=17514" "run=$listening" write=stop read join=60
	kr_wait sharing 100 || return 1
	eq "$(sed -n 's/^ret=//p' "$KR_RESULT" | tr '\n' ' ')" \
		"4 errno=0 -1 errno=ECANCELED " "what the writes returned"
}
check "a writer that waits for its test blocks no other writer of the descriptor" writes_meanwhile
kr_stop

t_end
