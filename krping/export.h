/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a server exports to one client.
 */
#ifndef KRPING_EXPORT_H
#define KRPING_EXPORT_H

#include "attachment.h"
#include "ctlmsg.h"
#include "test_ops.h"

/* Interval of a client's signs of life, in milliseconds. */
#define KRPING_SESSION_ALIVE	500

/**
 * struct krping_export - the region of one client
 * @thread: the client's thread on the server
 * @conn: the connection
 * @own: the registration of the region
 * @control: the region's advert
 * @asked: the client has asked for the advert
 * @advertised: the advert was posted
 */
struct krping_export {
	struct krping_thread *thread;
	struct krping_conn *conn;
	struct krping_attachment own;
	struct krping_ctlmsg control;
	bool asked;
	bool advertised;
};

int krping_export_setup(struct krping_thread *thread, struct krping_conn *conn);
int krping_export_loop(struct krping_thread *thread);
void krping_export_cleanup(struct krping_conn *conn);

void krping_export_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		       const union krping_ctl *ctl);
void krping_export_look(struct krping_queue *q, const void *data,
			const struct ib_wc *wc);
void krping_export_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

#endif /* KRPING_EXPORT_H */
