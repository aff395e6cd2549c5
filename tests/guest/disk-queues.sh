#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: A disk has a hardware queue per CPU, each with a QP, a CQ and a completion vector of its
#   own. If the device has fewer vectors, the disk has fewer queues.
# Requires: one guest
# Duration: 32 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=trace.inc
. "${0%/*}/trace.inc"
# shellcheck source=disk.inc
. "${0%/*}/disk.inc"
# shellcheck source=delay.inc
. "${0%/*}/delay.inc"

port=19300
NR=$(nproc)
# files of the tracepoints that observe() records
EVENTS="$TRACE/events/krping/krping_post/enable $TRACE/events/rdma_core/cq_alloc/enable"
# Number of requests that each CPU makes
REQUESTS=20

# all_write: write REQUESTS blocks of 4 KiB on each CPU
all_write() {
	_c=0
	while [ $_c -lt "$NR" ]; do
		on_cpu $_c copy /dev/zero "/dev/$DISK" 4k count=$REQUESTS oflag=direct conv=notrunc || return 1
		_c=$((_c + 1))
	done
}

# observe [OPTIONS]: make a disk and write on each CPU, and record the tracepoints meanwhile
observe() {
	trace_start && export_bg "export=1m" && disk client "${1-}" && all_write && trace_stop
}

# queues_are N: check the number of hardware queues
queues_are() {
	eq "$(cat "/sys/block/$DISK/queues")" "$1" queues &&
		eq "$(find "/sys/block/$DISK/mq" -mindepth 1 -maxdepth 1 -type d | wc -l)" "$1" "hardware queues"
}

# vectors: print the completion vectors of the client's CQs, one a line
vectors() {
	sed -n "s|^ *krping/$ID-.* cq_alloc: .* comp_vector=\([0-9]*\) .*|\1|p" "$T_TMP/trace"
}

# by_default: check that a disk without options has a queue, a CQ and a vector for each CPU
by_default() {
	observe && queues_are "$NR" && kr_result client && kr_is qps "$NR" &&
		eq "$(vectors | wc -l)" "$NR" CQs && eq "$(vectors | sort -u | wc -l)" "$NR" vectors
}

# posts: print "CPU connection QP" of each WRITE of the client, without repetitions
posts() {
	sed -n "s|.* \[0*\([0-9][0-9]*\)\] .* krping_post: id=$ID conn=\([0-9]*\) qp=\([0-9]*\) RDMA WRITE .*|\1 \2 \3|p" \
		"$T_TMP/trace" | sort -u
}

# by_own_qp: check that each CPU posted to a QP of its own, that of its hardware queue
by_own_qp() {
	eq "$(posts | wc -l)" "$NR" "pairs of CPU and QP" &&
		eq "$(posts | cut -d' ' -f3 | sort -u | wc -l)" "$NR" QPs || return 1
	posts >"$T_TMP/posts"
	while read -r _cpu _conn _; do
		grep -qw "$_cpu" "/sys/block/$DISK/mq/$_conn/cpu_list" ||
			why "CPU $_cpu posts to the connection $_conn" || return 1
	done <"$T_TMP/posts"
}

# one_queue: check that with qps=1 all CPUs post to one QP with one CQ
one_queue() {
	observe qps=1 && queues_are 1 && eq "$(vectors | wc -l)" 1 CQs &&
		eq "$(posts | cut -d' ' -f3 | sort -u | wc -l)" 1 QPs
}

# one_vector: check that a device with one vector has one queue, which all CPUs use
one_vector() {
	observe && queues_are 1 && kr_result client && kr_is qps 1 && eq "$(vectors | wc -l)" 1 CQs &&
		eq "$(posts | cut -d' ' -f1 | wc -l)" "$NR" "CPUs that post" &&
		eq "$(posts | cut -d' ' -f3 | sort -u | wc -l)" 1 QPs
}

# shared_vector: check that with qps=2 on one vector each queue has a QP and a CQ
shared_vector() {
	observe qps=2 && queues_are 2 && eq "$(vectors | tr '\n' ' ')" "0 0 " "vectors of the CQs" &&
		eq "$(posts | cut -d' ' -f3 | sort -u | wc -l)" 2 QPs
}

# shellcheck disable=SC2086 # two files
if mkdir $TRACE && trace_enable 1 $EVENTS; then
	check "disk: by default each CPU has a hardware queue, with a CQ and a vector of its own" by_default
	check "disk: each hardware queue posts to a QP of its own" by_own_qp
	kr_stop
	check "disk,qps=1: all CPUs have one hardware queue, one QP and one CQ" one_queue
	kr_stop
	if [ "$NR" -gt 1 ] && insmod /lib/modules/extra/krping_vectors.ko "device=$DEV" vectors=1; then
		check "disk: a device with one completion vector has one hardware queue, for all CPUs" one_vector
		kr_stop
		check "disk,qps=2: two hardware queues with CQs of their own share one completion vector" shared_vector
		kr_stop
		rmmod krping_vectors
	else
		skip "disk: fewer completion vectors than CPUs" "one CPU, or no module krping_vectors"
	fi
	# shellcheck disable=SC2086 # two files
	trace_enable 0 $EVENTS
else
	skip "disk: hardware queues and CQs" "the kernel has no trace instances"
fi
trace_close

# slow_regions: delay each registration by 100 ms, so that the registrations of a connection take longer than the
# server's timeout of 2 s. Meanwhile the other connection is silent: first the second one, until the client
# requests its region, then the first one, until the disk is ready.
slow_regions() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,timeout=2000,export=$((25 * PIECE))" &&
		delayed 50 "krping_mr_renew usec=100000 context=process" disk client qps=2 &&
		copy "/dev/$DISK" /dev/null 4k count=1 iflag=direct
}

# slow_mrs: delay each allocation of an MR by 100 ms. After the server has accepted the first connection, it
# allocates the MRs of the second one for more than its timeout of 2 s.
slow_mrs() {
	port=$((port + 1))
	kr_bg server "server,addr=$ADDR,port=$port,timeout=2000,export=$((30 * PIECE))" &&
		delayed 60 "krping_mr_alloc usec=100000 context=process" disk client "qps=2${1-}" &&
		copy "/dev/$DISK" /dev/null 4k count=1 iflag=direct
}
# A delay keeps the CPU of the server's thread busy, and siw sends keep-alive messages in a thread of this CPU.
if [ "$NR" -gt 1 ] && [ "$TYPE" = rxe ]; then
	check "disk,qps=2: the server may register memory for longer than its timeout" slow_regions
	kr_stop
	check "disk,qps=2: the server may allocate MRs for longer than its timeout" slow_mrs
	kr_stop
	check "disk,qps=2,poll: the server may allocate MRs for longer than its timeout" slow_mrs ,poll
	kr_stop
fi

counts_all() {
	export_bg "export=1m" && disk client && kr_result client || return 1
	_bytes=$(kr_get write_bytes) _msgs=$(kr_get write_msgs) _iterations=$(kr_get iterations)
	all_write && kr_result client && _new=$((NR * REQUESTS)) &&
		kr_is write_msgs $((_msgs + _new)) && kr_is write_bytes $((_bytes + 4096 * _new)) &&
		kr_is iterations $((_iterations + _new))
}
check "disk: the counters are those of all hardware queues" counts_all

stays_alive() {
	sleep 3
	all_write && kr "stop,id=$ID" && kr_ended client ECANCELED && kr_ended server ok
}
check "disk: an idle disk keeps the connections of all hardware queues" stays_alive
kr_stop

check "disks with several queues leave no RDMA object and no log line behind" kr_clean
t_end
