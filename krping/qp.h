/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Allocate, drain and free a QP with its RECVs and its SRQ.
 */
#ifndef KRPING_QP_H
#define KRPING_QP_H

#include "queue.h"

/* Compute the WRs of an SQ for a loop, and the CQEs for a queue. */
u32 krping_queue_sq_size(const struct ib_device *device, u32 wrs);
u32 krping_queue_entries(const struct krping_queue_attr *attr);

void krping_queue_init(struct krping_queue *q, struct krping_cq *cq);
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr);
int krping_queue_start_recvs(struct krping_queue *q);
void krping_queue_drain_qp(struct krping_queue *q);
void krping_queue_free_qp(struct krping_queue *q);
/* Free the RECVs. */
void krping_queue_free(struct krping_queue *q);

#endif /* KRPING_QP_H */
