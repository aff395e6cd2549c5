/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection of rdma_cm: resolve, allocate PD and QP, connect, accept, disconnect, free, destroy.
 */
#ifndef KRPING_CONN_H
#define KRPING_CONN_H

#include "cm.h"

struct net;

/*
 * Set up: initialise, resolve, allocate, connect. Instead of resolving and connecting, a server
 * listens (listen.h) and accepts.
 */

/* Initialise a connection without allocating anything. */
void krping_conn_init(struct krping_conn *conn, struct net *net,
		      const struct krping_options *opts, struct krping_cq *cq);

/* Client: find the device and the route to the server. */
int krping_conn_resolve(struct krping_conn *conn);

/* Set the timers of the connection, and allocate PD and QP. */
int krping_conn_alloc(struct krping_conn *conn, struct krping_share *share,
		      bool global_rkey, const struct krping_queue_attr *attr);

/* Client: connect to the server, and wait for the server's answer. */
int krping_conn_connect(struct krping_conn *conn,
			const struct krping_params *request);

/* Server: accept the waiting client. */
int krping_conn_accept(struct krping_conn *conn,
		       const struct krping_params *params);

/*
 * Tear down, in this order: disconnect, free the QP, free the other objects, wait until
 * krping_conn_gone() returns true, destroy the ids.
 */

/* Disconnect from the peers. From now on failed WRs are no errors. */
void krping_conns_disconnect(struct krping_conn *conns, u32 nr, bool awaited);

/* Check whether the id of a disconnected connection may be destroyed. */
bool krping_conn_gone(const struct krping_conn *conn);

/* Destroy the QP. */
void krping_conn_free_qp(struct krping_conn *conn);

/* Free the RECVs and the PD. */
void krping_conn_free(struct krping_conn *conn);

/* Free the port of a listener. */
void krping_conn_unlisten(struct krping_conn *conn);

/* Destroy the rdma_cm ids of the connection and of its listener. */
void krping_conn_destroy(struct krping_conn *conn);

#endif /* KRPING_CONN_H */
