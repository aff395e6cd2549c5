/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Addresses of successive operations. Operation N uses slot N modulo the number of slots, and
 * slot I begins I strides behind the beginning of the buffer. Without a stride there is one
 * slot. This file also builds in user space for the tests.
 */
#ifndef KRPING_STRIDE_H
#define KRPING_STRIDE_H

#include <linux/types.h>

/**
 * krping_stride_slots() - return the number of slots
 * @stride: bytes from one slot to the next; 0: all operations use one address
 * @depth: limit of the client's operations in flight, at least 1
 *
 * Return: as many slots as operations in flight, so that no two of them share an address.
 */
static inline u32 krping_stride_slots(u32 stride, u32 depth)
{
	return stride ? depth : 1;
}

/**
 * krping_stride_offset() - return where a slot begins
 * @stride: bytes from one slot to the next
 * @slots: number of slots, at least 1
 * @n: number of an operation
 *
 * Return: bytes from the beginning of the buffer.
 */
static inline u64 krping_stride_offset(u32 stride, u32 slots, u32 n)
{
	return (u64)stride * (n % slots);
}

/**
 * krping_stride_span() - return the bytes that a buffer needs
 * @size: bytes of an operation, 1 to U32_MAX
 * @stride: bytes from one slot to the next
 * @slots: number of slots, at least 1
 *
 * Return: bytes. The sum does not overflow, whatever the peer has sent.
 */
static inline u64 krping_stride_span(u64 size, u32 stride, u32 slots)
{
	return size + krping_stride_offset(stride, slots, slots - 1);
}

/**
 * krping_stride_next() - return the slot that follows a number of operations
 * @slot: slot of the first operation
 * @nr: number of operations, at most 2^31
 * @slots: number of slots, 1 to 2^31
 *
 * Return: the slot of the next operation.
 */
static inline u32 krping_stride_next(u32 slot, u32 nr, u32 slots)
{
	return (slot + nr) % slots;
}

#endif /* KRPING_STRIDE_H */
