/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A slot: the part of a buffer that one operation reads or writes.
 */
#ifndef KRPING_SLOT_H
#define KRPING_SLOT_H

#include "memory.h"

/**
 * struct krping_slot - a part of a buffer
 * @buf: the buffer
 * @off: offset of the slot in @buf, in bytes
 * @size: bytes of the slot
 */
struct krping_slot {
	const struct krping_buf *buf;
	size_t off;
	size_t size;
};

/* Sync a slot for the CPU or the device. */
void krping_slot_for_cpu(const struct krping_slot *slot);
void krping_slot_for_device(const struct krping_slot *slot);
/* Write or check the data of iteration @n; overwrite old data. */
void krping_slot_fill(const struct krping_slot *slot, u64 n);
void krping_slot_poison(const struct krping_slot *slot);
size_t krping_slot_check(const struct krping_slot *slot, u64 n);

#endif /* KRPING_SLOT_H */
