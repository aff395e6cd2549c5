/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server's side of rdma_cm: listen for clients, adopt or reject them.
 */
#ifndef KRPING_LISTEN_H
#define KRPING_LISTEN_H

#include "cm.h"

/* Server: listen for clients. */
int krping_conn_listen(struct krping_conn *conn);

/* Server: wait for a client. */
int krping_conn_await_request(struct krping_conn *conn);

/* Server: record that no client has come within wait=SECONDS. */
int krping_conn_no_client(struct krping_conn *conn);

/* Server: take over the rdma_cm id of a client from the listener; @conn then serves the client. */
void krping_conn_adopt(struct krping_conn *conn, struct rdma_cm_id *id,
		       const struct rdma_cm_event *event);

/*
 * Let other threads read the device and the addresses of the waiting client without a lock. Return
 * false, and publish nothing, if the command does not allow the device.
 */
bool krping_conn_requested(struct krping_conn *conn);

/* Send @reason, with the exceeded limit, to the waiting client, and listen on. */
void krping_conn_reject(struct krping_conn *conn, enum krping_rej_reason reason,
			u64 limit);

#endif /* KRPING_LISTEN_H */
