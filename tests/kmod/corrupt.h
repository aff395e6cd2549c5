/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces between the files of krping_corrupt.ko, which corrupt_main.c describes.
 */
#ifndef CORRUPT_H
#define CORRUPT_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Bytes of the longest operation that the module counts, and can damage. */
#define KRPING_CORRUPT_MOST	16384

/*
 * corrupt_damage.c: krping_corrupt_reads() checks for a READ; krping_corrupt_bytes() returns the
 * length of an operation; krping_corrupt_keep() keeps its data for the fault `stale`;
 * krping_corrupt_spoil() damages the operation, or returns false if @fault does not apply to it.
 */
bool krping_corrupt_reads(const struct ib_send_wr *wr);
u32 krping_corrupt_bytes(const struct ib_send_wr *wr);
void krping_corrupt_keep(const struct ib_qp *from, const struct ib_send_wr *wr);
bool krping_corrupt_spoil(const struct ib_qp *from, struct ib_send_wr *wr,
			  const char *fault);

/*
 * Translate a bus address of the lab device (tests/lab/rxe_lab_dma.c) to a kernel address, which is
 * valid up to the end of its page. The pointer is NULL if no lab device is loaded: other software
 * devices use kernel addresses for DMA.
 */
extern void *(*krping_corrupt_lab_va)(u64 bus);

#endif /* CORRUPT_H */
