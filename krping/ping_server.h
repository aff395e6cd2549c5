/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server's steps of the ping/pong loop, which ping.c describes.
 */
#ifndef KRPING_PING_SERVER_H
#define KRPING_PING_SERVER_H

#include "ping_post.h"

/* For the plan: whether the READs need MRs, the number of pieces, and the largest data. */
bool krping_server_registers_sink(const struct krping_thread *thread);
u32 krping_server_pieces(const struct krping_thread *thread);
u64 krping_server_size_max(const struct krping_thread *thread, u64 reg_max);

int krping_server_alloc(struct krping_ping *p);
void krping_server_free(struct krping_ping *p);
/* The &krping_queue_attr.recv of a server: handles the client's adverts. */
void krping_server_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc);
void krping_server_report(struct krping_ping *p);
/* Run the step for which the CQ's context has set KRPING_THREAD. */
void krping_server_thread(struct krping_ping *p);

#endif /* KRPING_PING_SERVER_H */
