/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who of a server's clients may come, and what has become of them.
 */
#ifndef KRPING_CLIENTS_H
#define KRPING_CLIENTS_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "status.h"
#include "stats.h"
#include "wire.h"

/**
 * struct krping_session - a client that may make more connections
 * @entry: in &krping_clients.sessions
 * @id: what it has sent with the first one
 * @left: how many more
 */
struct krping_session {
	struct list_head entry;
	u32 id;
	u32 left;
};

/**
 * struct krping_clients - the clients of a server that are tests of their own
 * @lock: guards the rest
 * @most: how many may come that are not another connection of one that is there
 * @bounded: @most counts; else any number may come
 * @sessions: those that may make more connections
 * @closed: no more clients
 * @admitted: how many have come, but for those that were turned away
 * @running: how many tests run now
 * @ended: how many clients have been served
 * @failed: how many tests ended with an error
 * @error: that of the first of these
 * @detail: @error in words
 * @iterations: of all that have ended
 * @start_ns: when the first of the further connections of a client began; 0: none has
 * @end_ns: when the last operation of these ended
 * @stats: of all that have ended
 */
struct krping_clients {
	spinlock_t lock; /* see above */
	u32 most;
	bool bounded;
	struct list_head sessions;
	bool closed;
	u32 admitted;
	u32 running;
	u32 ended;
	u32 failed;
	int error;
	char detail[KRPING_DETAIL_MAX];
	u64 iterations;
	u64 start_ns;
	u64 end_ns;
	struct krping_stats stats;
};

/**
 * struct krping_client_end - how the test of a client has ended
 * @lane: it was not the client's first connection
 * @refused: the client was turned away, see krping_clients_refuse()
 * @status: why it has ended
 * @iterations: how many it has done
 * @start_ns: when they began
 * @end_ns: when the last of them ended
 * @stats: its counters
 */
struct krping_client_end {
	bool lane;
	bool refused;
	const struct krping_status *status;
	u64 iterations;
	u64 start_ns;
	u64 end_ns;
	const struct krping_stats *stats;
};

void krping_clients_init(struct krping_clients *c, u32 most, bool bounded);
u8 krping_clients_take(struct krping_clients *c, bool lane, u32 session, u32 *nr);
void krping_clients_refuse(struct krping_clients *c, bool lane);
void krping_clients_leave(struct krping_clients *c);
void krping_clients_open(struct krping_clients *c, struct krping_session *s,
			 u32 id, u32 left);
void krping_clients_close(struct krping_clients *c, struct krping_session *s);
void krping_clients_close_all(struct krping_clients *c);
void krping_clients_end(struct krping_clients *c,
			const struct krping_client_end *end);
bool krping_clients_served(struct krping_clients *c);
bool krping_clients_none(struct krping_clients *c);

#endif /* KRPING_CLIENTS_H */
