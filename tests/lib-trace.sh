# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Shared by the subjects that watch a test from outside: the kernel's tracepoints and
# kprobes record what krping asks of the RDMA core and of the provider. A subject
# sources lib.sh first, calls trace_open, and later trace_close.
#
# watch SERVER_OPTIONS CLIENT_OPTIONS runs a server and a client. `server` or `client`
# sums up the records of that side; then
#   seen KEY VALUE      has the sum this value?
#   seen_in KEY MIN MAX is the number in this range?
#   sum_val KEY         SUM_VAL is the value
#
# A data WR is one that moves WATCH_SIZE bytes, or is a READ, a WRITE or an atomic. The
# keys of a sum:
#   threads     threads of the test that have created something
#   qps cqs srqs mrs
#               objects that these have created
#   vectorN     CQs with completion vector N
#   sq rq       WRs that the QP was created for, on the SQ and on the RQ
#   tos src dst as the connection manager has them, without ports
#   port        of dst
#   recvs srq_recvs
#               RECVs posted to a QP, to an SRQ
#   opN         WRs of opcode N (enum ib_wr_opcode)
#   fencedN     of these, how many are fenced
#   posts wrs   calls of ib_post_send() with data WRs, and their data WRs
#   chain_min chain_max
#               data WRs of a call
#   signaled gap_min gap_max
#               signaled data WRs, and every how many of them one is signaled
#   inline      data WRs with inline data
#   sge_min sge_max
#               entries of a data WR
#   places      distinct addresses in the entries of the first data WR
#   adjoining   of these, how many begin where the entry before them ends
#   bytes       bytes of data: all entries of a call's first WR, and the first entry of its others
#   under       data WRs under way at most: posted, and no completion says that they are done
#   span        microseconds from the first post with data to the last
#   maps map_min map_max
#               calls of ib_map_mr_sg(), and bytes of the first chunk
#   reaped      contexts that took completions: softirq, worker, thread

TRACING=/sys/kernel/tracing
TRACE=$TRACING/instances/krping_test
TRACE_KPROBES='send recv srq_recv srq qp map'

# WRs of a chain, and entries of the first WR, that a record has
TRACE_CHAIN=5
TRACE_SGES=4

# trace_probe KIND:NAME FUNCTION[/FUNCTION]... ARGS: the first of these that the kernel has
trace_probe() {
	_args=$3
	_ifs=$IFS
	IFS=/
	# shellcheck disable=SC2086 # a list
	set -- "$1" $2
	IFS=$_ifs
	_probe=$1
	shift
	for _f; do
		echo "${_probe%%:*}:krping_test/${_probe#*:} $_f $_args" \
			>>$TRACING/kprobe_events 2>/dev/null && return
	done
	why "the kernel has no kprobe of $*"
}

# trace_send_args: TRACE_ARGS is what to record of a chain of struct ib_send_wr, the
# first part of which is the same in all kernels from 5.10 on: next 0, sg_list 16,
# num_sge 24, opcode 28, send_flags 32. An entry of sg_list has addr 0, length 8.
# shellcheck disable=SC2016 # the kernel's words
trace_send_args() {
	TRACE_ARGS='qp=$arg1'
	_wr='$arg2'
	_i=0
	while [ $_i -lt $TRACE_CHAIN ]; do
		TRACE_ARGS="$TRACE_ARGS wr$_i=+0($_wr):x64 op$_i=+28($_wr):u32 ns$_i=+24($_wr):u32"
		TRACE_ARGS="$TRACE_ARGS fl$_i=+32($_wr):u32 len$_i=+8(+16($_wr)):u32"
		_wr="+0($_wr)"
		_i=$((_i + 1))
	done
	_i=0
	while [ $_i -lt $TRACE_SGES ]; do
		TRACE_ARGS="$TRACE_ARGS sa$_i=+$((16 * _i))(+16(\$arg2)):x64 sl$_i=+$((16 * _i + 8))(+16(\$arg2)):u32"
		_i=$((_i + 1))
	done
}

# trace_cpus 0|1: the other CPUs are offline or online. The kernel rewrites its own code
# for a probe, and QEMU's emulation now and then lets another CPU hang on an instruction
# that is being rewritten.
trace_cpus() {
	grep -q 'QEMU Virtual CPU' /proc/cpuinfo || return 0
	for _cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ ! -e "$_cpu" ] || echo "$1" >"$_cpu" || return 1
	done
}

# trace_open: begin to record; fails, with a reason, where the kernel cannot
trace_open() {
	if ! [ -e $TRACING/kprobe_events ]; then
		why "the kernel has no kprobe events"
		return 1
	fi
	trace_cpus 0 && mkdir $TRACE && echo 8192 >$TRACE/buffer_size_kb || return 1
	trace_send_args
	# shellcheck disable=SC2016 # the kernel's words
	trace_probe p:send "${TYPE}_post_send" "$TRACE_ARGS" &&
		trace_probe p:recv "${TYPE}_post_recv/${TYPE}_post_receive" 'qp=$arg1' &&
		trace_probe p:srq_recv "${TYPE}_post_srq_recv" 'srq=$arg1' &&
		trace_probe r:srq ib_create_srq_user 'srq=$retval' &&
		trace_probe r:qp ib_create_qp_kernel/ib_create_qp 'qp=$retval' &&
		trace_probe p:map ib_map_mr_sg 'len=+24($arg2):u32' || return 1
	# a polling thread finds nothing most of the time
	echo 'rc > 0' >$TRACE/events/rdma_core/cq_poll/filter || return 1
	for _event in krping_test rdma_core/cq_alloc rdma_core/cq_poll rdma_core/mr_alloc \
		rdma_cma/cm_qp_create krping/krping_complete; do
		echo 1 >$TRACE/events/$_event/enable || return 1
	done
}

trace_close() {
	if [ -d $TRACE ]; then
		echo 0 >$TRACE/events/enable
		rmdir $TRACE
	fi
	for _probe in $TRACE_KPROBES; do
		echo "-:krping_test/$_probe" >>$TRACING/kprobe_events 2>/dev/null
	done
	trace_cpus 1
}

trace_start() {
	echo >$TRACE/trace
	echo 1 >$TRACE/tracing_on
}

# trace_stop: the records are in $T_TMP/trace, and all of them
trace_stop() {
	echo 0 >$TRACE/tracing_on
	cat $TRACE/trace >"$T_TMP/trace"
	awk '/entries-in-buffer/ { sub(/.*: /, "", $0); split($0, n, /[ \/]+/); exit n[1] != n[2] }' \
		"$T_TMP/trace" || why "the trace lost records"
}

# trace_sum ID: TRACE_SUM is the sum of a test's records
trace_sum() {
	TRACE_SUM=" $(awk -v id="$1" -v size="${WATCH_SIZE:-0}" -v depth=$TRACE_CHAIN \
		-v sges=$TRACE_SGES -f "$T_TMP/sum.awk" "$T_TMP/trace" | tr '\n' ' ')"
}

cat >"$T_TMP/sum.awk" <<'AWK'
function mine(task) {
	return task == "krping/" id || index(task, "krping/" id ":") == 1
}

# key=value of the line, in v; cm_qp_create has "cm.id" and the like, which are not used
function parse(    i, eq) {
	split("", v)
	for (i = 6; i <= NF; i++) {
		eq = index($i, "=")
		if (eq)
			v[substr($i, 1, eq - 1)] = substr($i, eq + 1)
	}
}

function low(name, x) {
	if (!(name in sum) || x < sum[name])
		sum[name] = x
}

function high(name, x) {
	if (!(name in sum) || x > sum[name])
		sum[name] = x
}

function is_send(op) {
	return op == 2 || op == 3 || op == 9
}

function is_data(op, bytes) {
	return is_send(op) ? bytes == size : op <= 1 || (op >= 4 && op <= 6) || op == 11
}

function entries() {
	return v["ns0"] < sges ? v["ns0"] : sges
}

function first_bytes(    i, bytes) {
	for (i = 0; i < entries(); i++)
		bytes += v["sl" i]
	return bytes + 0
}

# the low 32 bits, which awk can add to
function low32(s,    i, n) {
	for (i = length(s) - 7; i <= length(s); i++)
		n = 16 * n + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}

function places(    i, addr, end) {
	for (i = 0; i < entries(); i++) {
		if (v["sl" i] == 0 || v["sa" i] in addrs)
			continue
		addrs[v["sa" i]]
		sum["places"]++
		addr = low32(v["sa" i])
		if (i && addr == end)
			sum["adjoining"]++
		end = (addr + v["sl" i]) % 4294967296
	}
}

# A chain of WRs. A QP is drained by a WRITE without entries.
function sent(    i, bytes, n, op, last) {
	n = 0
	last = 0
	for (i = 0; i < depth && !last; i++) {
		op = v["op" i] + 0
		last = v["wr" i] ~ /^0x0+$/
		if (op <= 1 && v["ns" i] == 0)
			continue
		sum["op" op]++
		if (v["fl" i] % 2)
			sum["fenced" op]++
		bytes = i ? v["len" i] + 0 : first_bytes()
		if (!is_data(op, bytes))
			continue
		n++
		sum["bytes"] += bytes
		if (!i && !sum["wrs"])
			places()
		data(v["ns" i] + 0, v["fl" i] + 0)
	}
	if (!n)
		return
	if (!sum["posts"]++)
		began = now
	sum["span"] = int((now - began) * 1000000 + 0.5)
	low("chain_min", n)
	high("chain_max", n)
	high("under", sum["wrs"] - done)
}

function data(ns, fl) {
	sum["wrs"]++
	low("sge_min", ns)
	high("sge_max", ns)
	if (int(fl / 8) % 2)
		sum["inline"]++
	since++
	if (int(fl / 2) % 2) {
		sum["signaled"]++
		# the last one is signaled in any case
		if (gap) {
			low("gap_min", gap)
			high("gap_max", gap)
		}
		gap = since
		since = 0
		marks[++nr_marks] = sum["wrs"]
	}
}

function reaped(task, flags) {
	if (substr(flags, 3, 1) ~ /[sHh]/)
		return "softirq"
	if (task ~ /^kworker/)
		return "worker"
	return mine(task) ? "thread" : task
}

BEGIN {
	n = split("threads qps cqs srqs mrs recvs srq_recvs posts wrs signaled inline places adjoining maps", zero)
	for (i = 1; i <= n; i++)
		sum[zero[i]] = 0
}

/^#/ { next }
{
	task = $1
	sub(/-[0-9]+$/, "", task)
	flags = $3
	now = $4 + 0
	event = $5
	sub(/:$/, "", event)
	parse()
}
mine(task) && event ~ /^(qp|srq|cq_alloc)$/ && !(task in tasks) {
	tasks[task]
	sum["threads"]++
}
event == "qp" && mine(task) { qps[v["qp"]]; next }
event == "srq" && mine(task) { srqs[v["srq"]]; sum["srqs"]++; next }
event == "cm_qp_create" && mine(task) {
	sum["qps"]++
	sum["sq"] = v["send_wr"]
	sum["rq"] = v["recv_wr"]
	sum["tos"] = v["tos"]
	nums[v["qp_num"]]
	src = v["src"]
	dst = v["dst"]
	sum["port"] = dst
	sub(/.*:/, "", sum["port"])
	sub(/:[0-9]*$/, "", src)
	sub(/:[0-9]*$/, "", dst)
	sum["src"] = src
	sum["dst"] = dst
	next
}
event == "cq_alloc" && mine(task) {
	sum["cqs"]++
	cqs[v["cq.id"]]
	sum["vector" v["comp_vector"]]++
	next
}
event == "mr_alloc" && mine(task) { sum["mrs"]++; next }
event == "map" { sum["maps"]++; low("map_min", v["len"] + 0); high("map_max", v["len"] + 0); next }
event == "recv" && (v["qp"] in qps) { sum["recvs"]++; next }
event == "srq_recv" && (v["srq"] in srqs) { sum["srq_recvs"]++; next }
event == "send" && (v["qp"] in qps) { sent(); next }
event == "cq_poll" && (v["cq.id"] in cqs) {
	who = reaped(task, flags)
	if (!(who in contexts)) {
		contexts[who]
		sum["reaped"] = sum["reaped"] (sum["reaped"] == "" ? "" : "+") who
	}
	next
}
# A completion says that all up to its WR are done.
event == "krping_complete" && (v["qp"] in nums) && /(SEND|RDMA WRITE|RDMA READ|atomic) status=/ {
	if (nr_done < nr_marks)
		done = marks[++nr_done]
	next
}
END {
	for (key in sum)
		print key "=" sum[key]
}
AWK

TRACE_SUM='' SUM_VAL='' SUM_SIDE='' SERVER_ID='' CLIENT_ID=''
watch_port=30000

# watch SERVER_OPTIONS CLIENT_OPTIONS: run both, and keep the records
watch() {
	watch_port=$((watch_port + 1))
	trace_start
	kr_bg server "server,addr=$ADDR,port=$watch_port,$PATIENT${1:+,$1}" || {
		kr_returned ok
		return 1
	}
	kr_val id
	SERVER_ID=$KR_VAL
	kr "client,addr=$ADDR,port=$watch_port,$PATIENT${2:+,$2}"
	_rc=$?
	kr_val id
	CLIENT_ID=$KR_VAL
	if [ $_rc != 0 ]; then
		kr_stop
		kr_returned ok
		return 1
	fi
	cp "$KR_RESULT" "$T_TMP/client.result"
	kr_ended server ok && trace_stop
}

server() {
	SUM_SIDE=server
	trace_sum "$SERVER_ID"
}

client() {
	SUM_SIDE=client
	trace_sum "$CLIENT_ID"
}

# sum_val KEY
sum_val() {
	SUM_VAL=
	case $TRACE_SUM in
	*" $1="*)
		SUM_VAL=${TRACE_SUM#*" $1="}
		SUM_VAL=${SUM_VAL%% *}
		;;
	esac
}

# seen KEY VALUE [KEY VALUE]...
seen() {
	while [ $# -gt 0 ]; do
		sum_val "$1"
		[ "$SUM_VAL" = "$2" ] || {
			why "$SUM_SIDE: $1=$SUM_VAL instead of $2. All:$TRACE_SUM"
			return 1
		}
		shift 2
	done
}

# seen_in KEY MIN MAX
seen_in() {
	sum_val "$1"
	if [ "${SUM_VAL:-0}" -lt "$2" ] || [ "${SUM_VAL:-0}" -gt "$3" ]; then
		why "$SUM_SIDE: $1=$SUM_VAL is not from $2 to $3. All:$TRACE_SUM"
	fi
}

# has SIDE SERVER_OPTIONS CLIENT_OPTIONS KEY VALUE...
has() {
	_side=$1 _s=$2 _c=$3
	shift 3
	watch "$_s" "$_c" && "$_side" && seen "$@"
}

# stopping COMMAND...: run it, and then stop all that it has left running
stopping() {
	"$@"
	_result=$? _reason=$T_WHY
	kr_stop
	until_ok 20 kr_none
	T_WHY=$_reason
	return "$_result"
}
