#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The test ping works with each way to register and to invalidate buffers, and with sizes
#   at the limits of pages and registrations. The server has no options or those of the client.
# Requires: one guest
# Duration: 11 s on rxe, 14 s on siw

# shellcheck source=../lib-krping.sh
. "${0%/*}/../lib-krping.sh"

# went_right SIZE COUNT: check that both sides have succeeded and moved all bytes
went_right() {
	kr_returned ok || return 1
	kr_is iterations "$2" &&
		kr_is size "$1" &&
		kr_is send_msgs $((2 * $2)) &&
		kr_is send_bytes $((32 * $2)) &&
		kr_is recv_msgs $((2 * $2)) &&
		kr_is read_bytes 0 &&
		kr_is write_bytes 0 || return 1
	kr_ended server ok || return 1
	kr_is iterations "$2" &&
		kr_is size "$1" &&
		kr_is send_msgs $((2 * $2)) &&
		kr_is recv_bytes $((32 * $2)) &&
		kr_is read_bytes $(($1 * $2)) &&
		kr_is write_bytes $(($1 * $2))
}

# one SERVER_OPTIONS CLIENT_OPTIONS SIZE COUNT: run a pair with mem_mode $want_mode
one() {
	pair "$1" "$2,size=$3,count=$4,validate" || {
		kr_stop
		kr_returned ok
		return 1
	}
	kr_is mem_mode "$want_mode" && went_right "$3" "$4"
}

# all_sizes OPTIONS MAX: check clients with OPTIONS and sizes up to MAX, against a plain server (without
# options) and, for sizes at a limit, against a server with OPTIONS
all_sizes() {
	for size in 1 16 65 4096 65536 1048576 "$2"; do
		# with bounce buffers, the limit of mem_mode=dma is below 1 MiB
		[ "$size" -le "$2" ] || continue
		count=5
		[ "$size" -lt 1000000 ] || count=2
		check "$1, size=$size, plain server: right results" one "" "$1" "$size" $count
		# skip sizes that are no boundary of a registration
		case $size in
		16 | 65 | 1048576) ;;
		*) check "$1, size=$size, server with the same options: right results" one "$1" "$1" "$size" $count ;;
		esac
	done
	check "$1: no test or object is left" kr_clean
}

# too_large OPTIONS SIZE LIMIT: check that SIZE is EINVAL, and that log and result name LIMIT
too_large() {
	kr_fails_with EINVAL "client,addr=$ADDR,size=$2,$1" "$3" &&
		kr_fails_with EINVAL "server,addr=$ADDR,size=$2,$1" "$3" &&
		kr_clean_now
}

# not_supported CMD: check that CMD is EOPNOTSUPP, and that log and result name read_inv
not_supported() {
	kr_fails_with EOPNOTSUPP "$1" read_inv && kr_clean_now
}

want_mode=dma
for opts in mem_mode=dma mem_mode=dma,local_dma_lkey; do
	all_sizes $opts "$DMA_MAX"
done
check "mem_mode=dma rejects a size of one byte more than its limit" \
	too_large mem_mode=dma $((DMA_MAX + 1)) "$DMA_MAX"

want_mode=reg
for opts in mem_mode=reg mem_mode=reg,server_inv mem_mode=reg,local_dma_lkey; do
	all_sizes $opts "$REG_MAX"
done
check "mem_mode=reg rejects a size of one byte more than its limit" \
	too_large mem_mode=reg $((REG_MAX + 1)) "$REG_MAX"
check "mem_mode=reg rejects a size far above its limit" too_large mem_mode=reg 1g "$REG_MAX"

check "mem_mode=fastreg is another name of mem_mode=reg" one mem_mode=fastreg mem_mode=fastreg 65536 3
check "server_inv implies mem_mode=reg" one "" server_inv 5000 5
check "server_inv,local_dma_lkey: right results" one local_dma_lkey server_inv,local_dma_lkey 65536 3

if [ "$TYPE" = siw ]; then
	all_sizes mem_mode=reg,read_inv "$REG_MAX"
	check "read_inv implies mem_mode=reg" one "" read_inv 5000 5
	check "read_inv,server_inv: right results" one "" read_inv,server_inv 65536 3
else
	check "a client with read_inv: EOPNOTSUPP" \
		not_supported "client,addr=$ADDR,read_inv"
	check "a server with read_inv: EOPNOTSUPP" \
		not_supported "server,addr=$ADDR,read_inv"
fi

# The two sides use different mem_modes.
want_mode=dma
check "a client with mem_mode=dma, a server with mem_mode=reg: right results" one mem_mode=reg mem_mode=dma 100000 3
want_mode=reg
check "a client with mem_mode=reg, a server with mem_mode=dma: right results" one mem_mode=dma mem_mode=reg 100000 3
check "a client with server_inv, a server with mem_mode=dma: right results" one mem_mode=dma server_inv 100000 3

t_end
