/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Numbers of 64 bits that one context writes, and others read without a lock.
 *
 * A 32-bit CPU accesses the halves of a u64 one after the other. READ_ONCE() may therefore return
 * the upper half of one number and the lower half of another: a time that is wrong by 4.3 s, or a
 * counter that is wrong by 4 GiB. On 32-bit kernels these functions use atomic64_t, which needs
 * numbers that are aligned to 8 bytes (aligned_u64).
 */
#ifndef KRPING_U64_H
#define KRPING_U64_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

/**
 * krping_u64_read() - read a number that another context may write
 * @p: the number
 *
 * Context: any.
 *
 * Return: the number.
 */
static inline u64 krping_u64_read(const u64 *p)
{
#ifdef CONFIG_64BIT
	return READ_ONCE(*p);
#else
	return atomic64_read((const atomic64_t *)p);
#endif
}

/**
 * krping_u64_write() - write a number that other contexts may read
 * @p: the number, to which no other context writes
 * @value: the new number
 *
 * Context: any.
 */
static inline void krping_u64_write(u64 *p, u64 value)
{
#ifdef CONFIG_64BIT
	WRITE_ONCE(*p, value);
#else
	atomic64_set((atomic64_t *)p, value);
#endif
}

#endif /* KRPING_U64_H */
