/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What both sides need of rdma_cm; for conn.c and listen.c.
 */
#ifndef KRPING_CM_H
#define KRPING_CM_H

#include "conn.h"

struct rdma_cm_id *krping_create_id(struct krping_conn *conn);
void krping_cm_take(struct krping_conn *conn, struct rdma_cm_id *id,
		    const struct rdma_cm_event *event);
void krping_reject_id(struct rdma_cm_id *id, enum krping_rej_reason reason,
		      u64 limit);

bool krping_conn_set_state(struct krping_conn *conn, enum krping_conn_state to);
bool krping_conn_is(const struct krping_conn *conn,
		    enum krping_conn_state state);
void krping_conn_reached(struct krping_conn *conn, enum krping_conn_state state);
int krping_conn_wait(struct krping_conn *conn, bool (*done)(void *arg),
		     const char *what);

int krping_conn_errno(int error, int fallback);
int krping_call_errno(struct rdma_cm_id *id, int error, int fallback);

bool krping_conn_right_device(const struct krping_conn *conn,
			      const struct ib_device *device);
int krping_conn_check_device(struct krping_conn *conn,
			     const struct ib_device *device);
int krping_sockaddr(struct krping_conn *conn, const struct krping_addr *addr,
		    u16 port, struct sockaddr_storage *out);
void krping_publish(bool *flag, bool value);
void krping_conn_set_device(struct krping_conn *conn);
void krping_conn_set_addrs(struct krping_conn *conn);

#endif /* KRPING_CM_H */
