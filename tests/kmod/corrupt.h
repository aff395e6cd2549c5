/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces between the files of krping_corrupt.ko, which corrupt_main.c describes.
 */
#ifndef CORRUPT_H
#define CORRUPT_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Longest operation in bytes that is counted and can be damaged. */
#define KRPING_CORRUPT_MOST	16384

/* corrupt_damage.c */
bool krping_corrupt_reads(const struct ib_send_wr *wr);
u32 krping_corrupt_bytes(const struct ib_send_wr *wr);
void krping_corrupt_keep(const struct ib_qp *from, const struct ib_send_wr *wr);
bool krping_corrupt_spoil(const struct ib_qp *from, struct ib_send_wr *wr,
			  const char *fault);

#endif /* CORRUPT_H */
