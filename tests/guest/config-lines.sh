#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The lines config, peer_config, path and place of a result have the options of both
#   sides, the GIDs of the connection, and the CPUs.
# Requires: one guest
# Duration: 5 s

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"
# shellcheck source=../lib-peer.sh
. "${0%/*}/../lib-peer.sh"
# server_meets and client_meets DESC PEER_ARGS OPTIONS ERRNO WORDS of lib-peer.sh add a case to a queue: krping with
# OPTIONS, as the server or the client, against krping-peer PEER_ARGS. also adds a check, and cases_run runs the queue.

# in_line GROUP KEY: set VALUE to the value of KEY in the line GROUP of the last result, "" if absent
in_line() {
	VALUE=
	while read -r _group _pairs; do
		[ "$_group" = "$1" ] || continue
		_pairs=" $_pairs "
		case $_pairs in
		*" $2="*) VALUE=${_pairs#*" $2="} VALUE=${VALUE%% *} ;;
		esac
	done <"$KR_RESULT"
}

# line_is GROUP [KEY VALUE]...: check values of the line GROUP; VALUE "" means that KEY is absent
line_is() {
	_line=$1
	shift
	while [ $# -gt 0 ]; do
		in_line "$_line" "$1"
		eq "$VALUE" "$2" "$1 in the line $_line" || return 1
		shift 2
	done
}

own_options() {
	pair "" "ping,count=7,warmup=2,duration=60,retry=5,rnr_retry=6,tos=8,cpu=0,server_inv,verbose,histogram" &&
		line_is config count 7 warmup 2 duration 60 timeout "${PATIENT#timeout=}" retry 5 rnr_retry 6 tos 8 cpu 0 \
			server_inv 1 verbose 1 histogram 1 read_inv 0 local_dma_lkey 0 vector "" &&
		pair "" "slat,count=3,local_dma_lkey,vector=0,cpu=0:0" &&
		line_is config local_dma_lkey 1 vector 0 cpu 0:0 tos "" ack_timeout "" min_rnr_timer "" \
			server_inv 0 histogram 0 verbose 0 count 3 warmup 0 duration 0
}
check "config line: options that were set are there, and most others have no key" own_options

if [ "$TYPE" = siw ]; then
	check "config line: read_inv" eval 'pair "" read_inv,count=2 && line_is config read_inv 1'
else
	check "config line: ack_timeout and min_rnr_timer" \
		eval 'pair "" slat,count=3,ack_timeout=14,min_rnr_timer=12 && line_is config ack_timeout 14 min_rnr_timer 12'
fi

# Keys that are both in the line config of one side and in the line peer_config of the other side
told="txdepth poll cq cqmod batch qps threads sge inline srq rate local"

# of_line GROUP: print the values of the options $told in the line GROUP
of_line() {
	for _key in $told; do
		in_line "$1" "$_key"
		printf '%s=%s ' "$_key" "$VALUE"
	done
}

# both_tell SERVER_OPTIONS CLIENT_OPTIONS: check that peer_config of each side has
# the values of config of the other side
both_tell() {
	pair "$1" "$2" || return 1
	_client=$(of_line config) _seen=$(of_line peer_config)
	kr_get mem_mode >"$T_TMP/mode"
	in_line peer_config mem_mode
	_mode=$VALUE
	kr_ended server ok && eq "$_seen" "$(of_line config)" "the server's options in the client's result" &&
		eq "$(of_line peer_config)" "$_client" "the client's options in the server's result" &&
		kr_val mem_mode && eq "$_mode" "$KR_VAL" "the server's mem_mode" && in_line peer_config mem_mode &&
		eq "$VALUE" "$(cat "$T_TMP/mode")" "the client's mem_mode"
}
check "peer_config: a ping with default options" both_tell "" count=3
check "peer_config: a server with mem_mode=dma,poll,txdepth=5" \
	both_tell mem_mode=dma,poll,txdepth=5 slat,count=3,mem_mode=reg,sge=2,cq=workqueue
check "peer_config: a server with cq=workqueue,srq" \
	both_tell cq=workqueue,srq,txdepth=9 bw,count=9,txdepth=7,cqmod=3,batch=2,poll
check "peer_config: duplex, each side with other values of txdepth, cqmod and batch" \
	both_tell txdepth=12,cqmod=4,batch=6,sge=3 sbw,duplex,count=30,txdepth=16,cqmod=5,batch=3,inline
check "peer_config: rate and validate" both_tell "" slat,validate,count=3,rate=1000

several() {
	pair "" slat,count=3,qps=2,threads=2 && line_is config qps 2 threads 2 &&
		line_is peer_config qps 1 threads 1 && kr_ended server ok && line_is peer_config qps 2 threads 2
}
check "peer_config: queue pairs and threads of a client" several

# The options that krping-peer sends with --options options, as pairs of key and value. No value is a
# default.
invented="mem_mode reg txdepth 33 poll 1 cq softirq cqmod 5 batch 6 qps 7 threads 8 sge 3 inline 1 srq 1 rate 44"
# shellcheck disable=SC2086 # pairs
peer_told() {
	line_is peer_config $invented local ""
}
no_peer_config() {
	! grep -q '^peer_config ' "$KR_RESULT" || why "the result has peer_config"
}
server_meets "options of the peer: no error" "--count 3 --options options" '' ok ''
also "the server prints the options of the peer, each in its place" peer_told
server_meets "options of a later version: no error" "--count 3 --options options-later" '' ok ''
also "the server ignores options of a later version" no_peer_config
server_meets "a krping that sends no options: no error" "--count 3" '' ok ''
also "the server prints no options of a krping that sends none" no_peer_config
server_meets "a peer without private data, as the original krping: no error" "--count 3 --old" '' ok ''
also "the server prints no options of a peer without private data" no_peer_config
client_meets "options of the peer: no error" "--options options" '' ok ''
also "the client prints the options of the peer, each in its place" peer_told
client_meets "options of a later version: no error" "--options options-later" '' ok ''
also "the client ignores options of a later version" no_peer_config
for bad in flag zero many; do
	client_meets "EPROTO if the REP has invalid options (fault options-$bad)" \
		"--fault rep=options-$bad" '' EPROTO "the server's REP is malformed"
done
cases_run

gids=/sys/class/infiniband/$DEV/ports/1

# both_gids: check the line path of both results. The local GID of each side is the remote GID in the
# line of the other side.
both_gids() {
	pair "" "count=3,source=$other" || return 1
	in_line path index
	_index=$VALUE
	case $(cat "$gids/gid_attrs/types/$_index") in
	'RoCE v2') _type=rocev2 ;;
	'IB/RoCE v1') _type=rocev1 ;;
	*) _type=unknown ;;
	esac
	line_is path type "$_type" local_gid "$other_gid" && line_is path local_gid "$(cat "$gids/gids/$_index")" sl 0 vlan "" reads_out 1 reads_in 1 ||
		return 1
	in_line path remote_gid
	_remote=$VALUE
	[ "$_remote" != "$other_gid" ] || why "remote_gid is local_gid" || return 1
	in_line path mtu
	case $VALUE in
	256 | 512 | 1024 | 2048 | 4096) ;;
	*) why "mtu=$VALUE" || return 1 ;;
	esac
	_mtu=$VALUE
	kr_ended server ok && line_is path local_gid "$_remote" remote_gid "$other_gid" mtu "$_mtu"
}
no_gids() {
	pair "" count=3 && eq "$(grep '^path ' "$KR_RESULT")" "path reads_out=1 reads_in=1"
}
if [ "$TYPE" = siw ]; then
	check "path: iWARP has no GID" no_gids
else
	# The client uses another address of this machine, so the two sides have different GIDs.
	other=10.0.0.77
	other_gid=0000:0000:0000:0000:0000:ffff:0a00:004d
	in_table() {
		grep -q "$other_gid" "$gids"/gids/*
	}
	check "path: another address has a GID" eval "ip addr add $other/24 dev $IF && until_ok 60 in_table"
	check "path: the GIDs of both sides are those of the device's table" both_gids
	ip addr del $other/24 dev "$IF"
fi

# A VLAN interface over the device's interface: the device has a GID for its address, too.
vlan_if=$IF.5 vlan_addr=10.0.5.1
vlan_gid=0000:0000:0000:0000:0000:ffff:0a00:0501
in_vlan_table() {
	grep -q $vlan_gid "$gids"/gids/*
}
vlan_up() {
	ip link add link "$IF" name "$vlan_if" type vlan id 5 && ip addr add $vlan_addr/24 dev "$vlan_if" &&
		ip link set "$vlan_if" up && until_ok 60 in_vlan_table
}

# vlan_of_both: check that both results have the VLAN
vlan_of_both() {
	device_addr=$ADDR ADDR=$vlan_addr
	pair "" count=3 && line_is path local_gid $vlan_gid vlan 5 && kr_ended server ok &&
		line_is path local_gid $vlan_gid vlan 5
	_rc=$?
	ADDR=$device_addr
	return $_rc
}
no_vlan=
if [ "$TYPE" = siw ]; then
	no_vlan="iWARP has no GID"
elif ! modprobe -q 8021q 2>/dev/null && [ ! -e /proc/net/vlan ]; then
	no_vlan="this kernel has no VLANs (CONFIG_VLAN_8021Q)"
fi
if [ "$no_vlan" ]; then
	skip "path: the line has the VLAN of the interface" "$no_vlan"
else
	check "path: the address of a VLAN interface has a GID" vlan_up
	check "path: the line has the VLAN of the interface" vlan_of_both
	ip link del "$vlan_if"
fi

deep_reads() {
	pair "" rbw,count=3 || return 1
	in_line config reads
	[ "$VALUE" -gt 1 ] || why "reads=$VALUE" || return 1
	line_is path reads_out "$VALUE"
}
check "path: rbw may have more than one READ in flight" deep_reads

# With poll, the thread posts and handles completions on the CPU of cpu=.
places() {
	_cpu=$(($(nproc) - 1))
	pair "poll,cpu=0" "slat,count=5,poll,cpu=$_cpu" && line_is place post "$_cpu" complete "$_cpu" node "" &&
		kr_ended server ok && line_is place post 0 complete 0 || return 1
	[ $_cpu -gt 0 ] || return 0
	pair "" "slat,count=5,poll,threads=2,cpu=0:$_cpu" && line_is place post 0-$_cpu complete 0-$_cpu
}
check "place: the line has the CPUs that post and that handle completions" places

t_end
