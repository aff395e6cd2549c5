/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A server's clients: which of them may come, and the results of their tests.
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

#endif /* KRPING_CLIENTS_H */
