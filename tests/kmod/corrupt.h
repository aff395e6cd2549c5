/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the files of krping_corrupt.ko.
 */
#ifndef CORRUPT_H
#define CORRUPT_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Longest operation that counts. */
#define KRPING_CORRUPT_MOST	16384

/* corrupt_damage.c */
bool krping_corrupt_reads(const struct ib_send_wr *wr);
u32 krping_corrupt_bytes(const struct ib_send_wr *wr);
void krping_corrupt_keep(const struct ib_qp *from, const struct ib_send_wr *wr);
bool krping_corrupt_spoil(const struct ib_qp *from, struct ib_send_wr *wr,
			  const char *fault);

#endif /* CORRUPT_H */
