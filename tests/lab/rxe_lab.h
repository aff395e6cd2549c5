/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The lab device: rxe with a DMA device, and with limits and habits of hardware. The patches of
 * this directory call these functions.
 */
#ifndef RXE_LAB_H
#define RXE_LAB_H

#include <rdma/ib_verbs.h>

struct rxe_cqe;
struct rxe_dev;
struct rxe_qp;

/* The DMA device, for which ULPs map memory; lab_va() and lab_copy() expect bus addresses. */
int lab_init(void);
void lab_exit(void);
void lab_bounce_exit(void);
struct device *lab_dma_device(void);
void lab_set_node(struct ib_device *device);
void *lab_va(u64 bus);
void lab_copy(u64 bus, void *data, size_t len, bool to_memory);

/* Limits; lab_check_*() return -ENOMEM above them. */
void lab_limits(struct rxe_dev *rxe);
int lab_check_qp(const struct ib_qp_init_attr *init);
int lab_check_cq(unsigned int entries);

/* ib_map_mr_sg() */
int lab_map_begin(const struct ib_mr *mr, const unsigned int *sg_offset);
int lab_map_end(int entries, int pages);

/* Work requests. lab_post() returns 0, an errno, or 1 for a WR that never completes. */
int lab_post(struct rxe_qp *qp, const struct ib_send_wr *wr, int nr);
int lab_inline_sges(int num_sge);
void lab_complete(struct rxe_cqe *cqe);

/* Check whether the network loses the message of a packet. */
bool lab_loses(struct rxe_qp *qp, const void *payload);

#endif /* RXE_LAB_H */
