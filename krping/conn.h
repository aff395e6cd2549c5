/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection of rdma_cm: resolve, allocate PD and QP, connect, accept, disconnect, free, destroy.
 */
#ifndef KRPING_CONN_H
#define KRPING_CONN_H

#include "cm.h"

struct net;

/* Set up, in this order. Instead of resolving, a server listens (listen.h), and then accepts. */
void krping_conn_init(struct krping_conn *conn, struct net *net,
		      const struct krping_options *opts, struct krping_cq *cq);
int krping_conn_resolve(struct krping_conn *conn);
int krping_conn_alloc(struct krping_conn *conn, struct krping_share *share,
		      bool global_rkey, const struct krping_queue_attr *attr);
int krping_conn_connect(struct krping_conn *conn,
			const struct krping_params *request);
int krping_conn_accept(struct krping_conn *conn,
		       const struct krping_params *params);

/*
 * Tear down, in this order: disconnect, free the QP, free the other objects, wait until the ids
 * may be destroyed (gone), destroy them.
 */
void krping_conn_disconnect(struct krping_conn *conn);
bool krping_conn_gone(const struct krping_conn *conn);
void krping_conn_free_qp(struct krping_conn *conn);
void krping_conn_free(struct krping_conn *conn);
void krping_conn_unlisten(struct krping_conn *conn);
void krping_conn_destroy(struct krping_conn *conn);

#endif /* KRPING_CONN_H */
