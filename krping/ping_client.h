/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The client's steps of the ping/pong loop, which ping.c describes.
 */
#ifndef KRPING_PING_CLIENT_H
#define KRPING_PING_CLIENT_H

#include "ping_post.h"

int krping_client_alloc(struct krping_ping *p);
void krping_client_free(struct krping_ping *p);
/* Begin the first iteration; end an iteration and begin the next one. */
int krping_client_begin(struct krping_ping *p);
void krping_client_iterate(struct krping_ping *p);
/* The &krping_queue_attr.recv of a client: handles the server's go-aheads. */
void krping_client_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

#endif /* KRPING_PING_CLIENT_H */
