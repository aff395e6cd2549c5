/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server side of the test "conform", with an instance for each client.
 * conform_server_end() frees the QPs and memory of the current case, and the listener for its QPs,
 * while the control connection still exists. conform_server_cleanup() then frees the rest.
 */
#ifndef KRPING_CONFORM_SERVER_H
#define KRPING_CONFORM_SERVER_H

#include "../test_ops.h"

/* Allocate the instance for a client whose control connection has a QP, but is not connected. */
int conform_server_setup(struct krping_thread *thread, struct krping_conn *conn);

void conform_server_end(struct krping_thread *thread);
void conform_server_cleanup(struct krping_conn *conn);

/* Carry out the client's requests until the client disconnects. */
int conform_server_loop(struct krping_thread *thread);

/* Handle a message of the client: store the request for conform_server_loop(). */
void conform_server_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
			const union krping_ctl *ctl);

#endif /* KRPING_CONFORM_SERVER_H */
