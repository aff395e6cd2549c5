/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Allocate and free a QP with its RECVs and its SRQ.
 */
#ifndef KRPING_QP_H
#define KRPING_QP_H

#include "queue.h"

/* Compute the size of an SQ for a loop that posts at most @wrs WRs in an iteration. */
u32 krping_queue_sq_size(const struct ib_device *device, u32 wrs);

/* Compute the number of CQEs that a queue with these attributes needs. */
u32 krping_queue_entries(const struct krping_queue_attr *attr);

/* Initialise a queue, so that the functions below that free its parts may be called. */
void krping_queue_init(struct krping_queue *q, struct krping_cq *cq);

/* Allocate the QP and the RECVs. */
int krping_queue_alloc(struct krping_queue *q, struct rdma_cm_id *cm_id,
		       struct ib_pd *pd, const struct krping_queue_attr *attr);

/* Post all RECVs, before the QP is connected. */
int krping_queue_start_recvs(struct krping_queue *q);

/* Destroy the QP and the SRQ. */
void krping_queue_free_qp(struct krping_queue *q);

/* Free the RECVs. */
void krping_queue_free(struct krping_queue *q);

#endif /* KRPING_QP_H */
