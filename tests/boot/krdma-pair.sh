#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: samples/krdma_test, built outside krping's tree, exchanges messages and accesses
#   remote memory between two machines, ends if all packets are lost, and can be unloaded.
# Requires: two guests with any device that the subject boots with scripts/vm --pair, tc
# Duration: 30 s

cd "${0%/*}/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

need tc
need_module sch_netem

mkdir "$tmp/sample"
cp samples/krdma_test/Makefile samples/krdma_test/Kbuild samples/krdma_test/*.c "$tmp/sample"
# Extract the example of krdma.md, which is indented by four spaces.
sed -n '/^## A client and a server/,/^`samples/s/^    //p' Documentation/krdma.md >"$tmp/sample/hello.c"
echo 'obj-m += hello.o' >>"$tmp/sample/Kbuild"
# build: build the sample and the example, and check that the build prints no warning
build() {
	make -C "$tmp/sample" KDIR="$(scripts/kernel "$KERNEL" headers)" KRPING="$PWD/krping" \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$tmp/build.log" 2>&1
	_built=$?
	sed 's/^/# /' "$tmp/build.log"
	[ "$_built" = 0 ] && [ -s "$tmp/sample/hello.ko" ] && ! grep -i warning "$tmp/build.log"
}
check "krdma_test: the sample and the document's example build against krping's Module.symvers" build

# functions: print shell functions for the scripts of both guests
functions() {
	cat <<'END'
PARAMETERS=/sys/module/krdma_test/parameters

# ended: check that the sample has ended
ended() {
	read -r result <$PARAMETERS/result
	[ "$result" != running ]
}

# await SECONDS: wait until the sample has ended
await() {
	_tries=$(($1 * 5))
	until ended; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
}

# busy: wait until a test has sent a message, at most 60 s
busy() {
	_tries=300
	until grep -Eq '^[0-9]+-[^ ]+ [1-9]' /proc/krping; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
}

# answered: wait until hello has logged its answer, at most 60 s
answered() {
	_tries=300
	until dmesg | grep -o 'answer: hello'; do
		[ $_tries -gt 0 ] || return 1
		_tries=$((_tries - 1))
		sleep 0.2
	done
}

# unloads N: load the sample N times, and unload the sample at a random moment after its begin, while it
# connects, transfers or accesses memory
unloads() {
	_n=0
	while [ $_n -lt "$1" ]; do
		_n=$((_n + 1))
		_moment=$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')
		insmod /krdma_test.ko addr=10.0.0.1 count=4000000000 size=$((1 + _moment * 400)) || return 1
		[ $((_n % 4)) = 0 ] || busy || return 1
		sleep "0.$((_moment % 30 + 10))"
		rmmod krdma_test && ! grep -q . /proc/krping || return 1
	done
	echo "unloaded at $_n moments"
}

# sample NAME OPTION...: run the sample as a client until it has ended, and print the result
sample() {
	_name=$1
	shift
	insmod /krdma_test.ko addr=10.0.0.1 "$@"
	await 120
	rmmod krdma_test
	echo "$_name: $result: $(dmesg | grep 'krdma_test: .* each$' | tail -n 1)"
}
END
}

{
	functions
	cat <<'END'
insmod /krdma_test.ko server=1 addr=0.0.0.0 port=9998
peer-tell listening
peer-wait -t 1000 second || exit 1
rmmod krdma_test
echo "unloaded: $(cat /proc/krping | wc -l) tests"
insmod /krdma_test.ko server=1 handler=1 addr=10.0.0.1
peer-tell handling
peer-wait -t 1000 handled || exit 1
rmmod krdma_test
insmod /krdma_test.ko server=1 rw=1 addr=10.0.0.1
peer-tell listening2
peer-wait -t 1000 ended || exit 1
rmmod krdma_test && echo "unloaded again: $(cat /proc/krping | wc -l) tests"
END
} >"$tmp/A.sh"
{
	functions
	cat <<'END'
peer-wait -t 300 listening || exit 1
sample bytes count=200 size=1
insmod /hello.ko addr=10.0.0.1 && answered
rmmod hello
sample fragments count=20 size=20000
sample longest count=3 size=1048576
sample bench bench=1 count=200 size=64
sample polling busy_poll=1000 count=200 size=64
sample too-long busy_poll=1000001 count=1
insmod /krdma_test.ko addr=10.0.0.1 size=0 2>/dev/null || echo "no size: refused"
sample without-memory rw=1 count=1
insmod /krdma_test.ko addr=10.0.0.1 count=4000000000
busy
rmmod krdma_test && echo "unloaded: $(cat /proc/krping | wc -l) tests"
unloads 20
insmod /krdma_test.ko addr=10.0.0.1 count=4000000000
busy
peer-tell second
await 60
echo "server unloaded: $result"
rmmod krdma_test
peer-wait -t 300 handling || exit 1
sample handlers handler=1 count=200 size=64
sample handler-long handler=1 count=20 size=8184
sample one-handler count=200 size=64
peer-tell handled
peer-wait -t 300 listening2 || exit 1
sample memory rw=1 count=10 size=1048576
sample memory-byte rw=1 count=200 size=1
modprobe sch_netem
insmod /krdma_test.ko addr=10.0.0.1 count=4000000000
busy
tc qdisc add dev eth0 root netem loss 100% || exit 1
await 60
echo "no packets: $result"
rmmod krdma_test
tc qdisc del dev eth0 root
peer-tell ended
END
} >"$tmp/B.sh"
# shellcheck disable=SC2046 # split into words
check "krdma_test: two guests run the sample" \
	boot_pair --file "$tmp/sample/krdma_test.ko:/krdma_test.ko" \
	--file "$tmp/sample/hello.ko:/hello.ko" --bin tc $(modules sch_netem)

check "krdma_test: messages of one byte are echoed" said 'B: bytes: ok'
check "krdma_test: the document's example gets its answer" said 'B: answer: hello'
check "krdma_test: messages of several fragments are echoed" said 'B: fragments: ok'
check "krdma_test: messages of 1 MiB are echoed" said 'B: longest: ok'
check "krdma_test: the benchmark prints the time of an exchange" \
	said 'B: bench: ok: .*200 exchanges of 64 bytes, [1-9][0-9]* ns each'
check "krdma_test: messages are echoed while both sides poll" said 'B: polling: ok'
check "krdma_test: busy_poll of more than a second is EINVAL" said 'B: too-long: error -22'
check "krdma_test: handlers of both sides exchange messages" \
	said 'B: handlers: ok: .*200 exchanges of 64 bytes, [1-9][0-9]* ns each'
check "krdma_test: handlers exchange messages of 8184 bytes" said 'B: handler-long: ok'
check "krdma_test: a handler answers a client without one" said 'B: one-handler: ok'
check "krdma_test: size=0 is rejected" said 'B: no size: refused'
check "krdma_test: without a region of the server, rw fails with EINVAL" \
	said 'B: without-memory: error -22'
check "krdma_test: a running client can be unloaded" said 'B: unloaded: 0 tests'
check "krdma_test: a client can be unloaded at 20 random moments" said 'B: unloaded at 20 moments'
check "krdma_test: a server with a client can be unloaded" said 'A: unloaded: 0 tests'
check "krdma_test: the client of an unloaded server ends with ECONNRESET" said 'B: server unloaded: error -104'
check "krdma_test: data written to the server's memory is read back" said 'B: memory: ok'
check "krdma_test: single bytes written to the server's memory are read back" \
	said 'B: memory-byte: ok'
check "krdma_test: a wire without packets ends the client with an error" \
	said 'B: no packets: error -1(04|10)'
check "krdma_test: the server ends a client that is silent, and is unloaded" \
	said 'A: unloaded again: 0 tests'

t_end
