#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A result in /proc/krping can be read in parts and read again, and begins at its start
#   whatever the file position. A descriptor that has written no command reads the list of tests.
# Requires: one guest with any device
# Duration: 4 s on rxe, 2 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

bad="client,adr=1"
whole=$("$KWRITE" write=$bad read)
twice="$whole
${whole#*
}"
check "a result can be read a second time" eq "$("$KWRITE" write=$bad read read)" "$twice"
check "a result can be read in parts of 7 bytes" eq "$("$KWRITE" write=$bad chunk=7 read)" "$whole"
check "a result can be read twice in parts of 1 byte" eq "$("$KWRITE" write=$bad chunk=1 read read)" "$twice"
check "a result is read from its start after lseek to 0" \
	eq "$("$KWRITE" write=$bad lseek=0 read)" "${whole%%
*}
lseek=0
${whole#*
}"
# The position of a shell's descriptor is not 0 after a write.
check "a result is read from its start after lseek beyond its end" \
	eq "$("$KWRITE" write=$bad lseek=100000 read)" "${whole%%
*}
lseek=100000
${whole#*
}"

# preads OFFSET: check that a pread at OFFSET returns the result from its start
preads() {
	"$KWRITE" write=$bad "pread=$1" >"$KR_RESULT"
	case $(sed -n 3p "$KR_RESULT") in
	"result id=0 "*) ;;
	*) why "pread at $1: $(cat "$KR_RESULT")" ;;
	esac
}
check "pread at 0 returns a result from its start" preads 0
check "pread at 1 returns a result from its start" preads 1
check "pread at 1000000 returns a result from its start" preads 1000000

# heads N STEP...: check that the output of these steps has N results
heads() {
	want=$1
	shift
	"$KWRITE" write=$bad "$@" >"$KR_RESULT"
	eq "$(grep -c "^result id=0 " "$KR_RESULT")" "$want" "number of results"
}
check "pread at 0 returns a result that was read before" heads 2 read pread=0
check "a result can be read after a pread at 0" heads 2 pread=0 read
check "a pread between two reads changes neither read" heads 3 read pread=0 read
kr_bg server "server,addr=$ADDR,port=13012"
kr_steps "write=client,addr=$ADDR,port=13012,count=5" read read chunk=3 read
grep -v ^ret= "$KR_RESULT" | sort | uniq -c | awk '{ print $1 }' | sort -u >"$T_TMP/times"
check "each line of a result is in each of three reads" eq "$(cat "$T_TMP/times")" 3
kr_wait server

check "a new descriptor reads the list, not the result of another descriptor" \
	eq "$("$KWRITE" open=r read)" ""
check "a descriptor opened for reading and writing reads the list before its first command" \
	eq "$("$KWRITE" open=rw read)" ""
check "read from a descriptor opened for writing only: EBADF" \
	eq "$("$KWRITE" open=w write=$bad read | tail -n 1)" "read=EBADF"
kr_steps open=r "write=server,addr=$ADDR"
check "write to a descriptor opened for reading only: EBADF" eq "$KR_ERRNO" EBADF

t_end
