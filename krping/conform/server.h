/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server of the test "conform", one for each client. _end() frees the case and the listener
 * while the control connection still exists, _cleanup() the rest.
 */
#ifndef KRPING_CONFORM_SERVER_H
#define KRPING_CONFORM_SERVER_H

#include "../test_ops.h"

int conform_server_setup(struct krping_thread *thread, struct krping_conn *conn);
void conform_server_end(struct krping_thread *thread);
void conform_server_cleanup(struct krping_conn *conn);
int conform_server_loop(struct krping_thread *thread);
void conform_server_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
			const union krping_ctl *ctl);

#endif /* KRPING_CONFORM_SERVER_H */
