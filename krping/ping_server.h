/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server's steps of the ping/pong loop, which ping.c describes. The server READs the client's
 * source, and WRITEs to the client's sink.
 */
#ifndef KRPING_PING_SERVER_H
#define KRPING_PING_SERVER_H

#include "ping_post.h"

/* Check whether the server registers the READ's sink. */
bool krping_server_registers_sink(const struct krping_thread *thread);

/* Compute the number of pieces of the server's data. */
u32 krping_server_pieces(const struct krping_thread *thread);

/* Return the largest size that the server accepts. */
u64 krping_server_size_max(const struct krping_thread *thread, u64 reg_max);

/* Allocate the server's data and its work requests. */
int krping_server_alloc(struct krping_ping *p);

/* Free the server's data. */
void krping_server_free(struct krping_ping *p);

/* The &krping_queue_attr.recv of a server: handles the client's adverts. */
void krping_server_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

/* End the loop, and send the report to the client. */
void krping_server_report(struct krping_ping *p);

/*
 * In the test's thread, log the data of the READ and post the WRITEs. The CQ's context leaves this
 * step to the thread if the option verbose is set.
 */
void krping_server_thread(struct krping_ping *p);

#endif /* KRPING_PING_SERVER_H */
