/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a server exports to one client, or to all.
 */
#ifndef KRPING_EXPORT_H
#define KRPING_EXPORT_H

#include "export_ask.h"

/* Interval of a client's keep-alive messages, in milliseconds. */
#define KRPING_SESSION_ALIVE	500

/*
 * The server's part of the test type session, which session.c calls. _setup() allocates the region
 * of a client, _loop() serves the client, _end() closes the region to other clients, and _cleanup()
 * frees all.
 */
int krping_export_setup(struct krping_thread *thread, struct krping_conn *conn);
int krping_export_loop(struct krping_thread *thread);
void krping_export_end(struct krping_thread *thread);
void krping_export_cleanup(struct krping_conn *conn);

/*
 * Handlers of the client's messages. _ctl() handles a control message. For a message to the
 * server's user, _look() stores and logs the message, and _recv() then counts the message.
 */
void krping_export_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		       const union krping_ctl *ctl);
void krping_export_look(struct krping_queue *q, void *data,
			const struct ib_wc *wc);
void krping_export_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

#endif /* KRPING_EXPORT_H */
