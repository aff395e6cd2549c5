/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The client's steps of the ping/pong loop, which ping.c describes. The server READs the client's
 * source, and WRITEs to the client's sink. A message, the go-ahead, follows each of the two.
 */
#ifndef KRPING_PING_CLIENT_H
#define KRPING_PING_CLIENT_H

#include "ping_post.h"

/* Allocate the client's source and sink, and their MRs or adverts. */
int krping_client_alloc(struct krping_ping *p);

/* Free the client's source and sink. */
void krping_client_free(struct krping_ping *p);

/* Begin an iteration: fill and advertise the source. */
int krping_client_begin(struct krping_ping *p);

/* End an iteration and begin the next one, if any. */
void krping_client_iterate(struct krping_ping *p);

/* The &krping_queue_attr.recv of a client: handles the server's go-aheads. */
void krping_client_recv(struct krping_queue *q,
			const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

#endif /* KRPING_PING_CLIENT_H */
