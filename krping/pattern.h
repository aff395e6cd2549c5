/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Write and compare the data of an iteration: "rdma-ping-N: ", rotating ASCII from 'A' to 'z', and
 * a NUL as the last byte. Older versions of krping send the same data.
 */
#ifndef KRPING_PATTERN_H
#define KRPING_PATTERN_H

#include <linux/types.h>

/* Write the data of iteration @n, compare memory with this data, or compare two memory areas. */
void krping_pattern_fill(u8 *dst, size_t off, size_t len, size_t size, u64 n);
size_t krping_pattern_check(const u8 *got, size_t off, size_t len, size_t size, u64 n);
size_t krping_pattern_mismatch(const u8 *a, const u8 *b, size_t len);

#endif /* KRPING_PATTERN_H */
