/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Create the QP and the SRQ of a queue. Only qp.c calls this function.
 */
#ifndef KRPING_QP_CREATE_H
#define KRPING_QP_CREATE_H

#include "queue.h"

int krping_qp_create(struct krping_queue *q, const struct krping_queue_attr *attr);

#endif /* KRPING_QP_CREATE_H */
