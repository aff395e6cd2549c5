/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The names of errnos and of the statuses of rdma_cm events, for the tracepoints.
 */
#ifndef KRPING_ERRNO_NAME_H
#define KRPING_ERRNO_NAME_H

struct rdma_cm_event;
struct rdma_cm_id;

const char *krping_errno_name(int error);
const char *krping_cm_status_name(struct rdma_cm_id *id, const struct rdma_cm_event *event);

#endif /* KRPING_ERRNO_NAME_H */
