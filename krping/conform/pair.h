/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Connect the client's QP and the server's QP of a case. Requests and answers have a connection of
 * their own, the control connection.
 */
#ifndef KRPING_CONFORM_PAIR_H
#define KRPING_CONFORM_PAIR_H

#include "side.h"

/**
 * struct conform_listener - listener for the QPs of cases, on the server
 * @id: the listening id, or NULL
 * @cookie: the private data that a client's REQ must have
 * @lock: guards @side
 * @side: the side that waits for its client, or NULL
 */
struct conform_listener {
	struct rdma_cm_id *id;
	u32 cookie;
	spinlock_t lock; /* see above */
	struct conform_side *side;
};

/* Server: listen, and set @port to the port. */
int conform_listen(struct conform_listener *l, const struct krping_conn *conn, u16 *port);

/* Server: let the listener accept the client's QP for @side, or no QP for NULL. */
void conform_listen_for(struct conform_listener *l, struct conform_side *side);

/* Server: stop listening. */
void conform_listen_end(struct conform_listener *l);

/* Server: check whether the client of @side has sent a REQ that conform_accept() has to answer. */
bool conform_requested(const struct conform_side *side);

/* Server: accept this REQ. */
int conform_accept(struct conform_side *side);

/*
 * Client: connect to @port of the server, with the server's cookie as private data. @silent: the
 * server's QP will not answer requests, so a request fails after few retries.
 */
int conform_connect(struct conform_side *side, const struct krping_conn *conn, u16 port,
		    u32 cookie, bool silent);

#endif /* KRPING_CONFORM_PAIR_H */
