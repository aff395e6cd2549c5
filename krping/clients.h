/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A server's clients: which clients the server still admits, and the results of their tests.
 */
#ifndef KRPING_CLIENTS_H
#define KRPING_CLIENTS_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "region_mem.h"
#include "share.h"
#include "status.h"
#include "stats.h"
#include "u64.h"
#include "wire.h"

/**
 * struct krping_common - objects that all connections of a client use
 * @memory: the exported memory, or NULL
 * @share: the PD and the MR, or NULL
 */
struct krping_common {
	struct krping_region_mem *memory;
	struct krping_share *share;
};

/**
 * struct krping_session - a client that may still make further connections
 * @entry: in &krping_clients.sessions
 * @id: random number that the client sends in the request of each of its connections
 * @left: number of connections that the client has not made yet
 * @common: objects that all connections of the client use
 */
struct krping_session {
	struct list_head entry;
	u32 id;
	u32 left;
	struct krping_common common;
};

/**
 * struct krping_clients - the clients of a server
 * @lock: guards the fields below
 * @most: maximum number of clients that get tests of their own. A client with several connections
 *	counts once. With clients=1 this is 0, because the server's own test serves the client's
 *	first connection, and only further connections get tests
 * @bounded: @most is valid; else the number of clients is not limited
 * @sessions: the &struct krping_session of clients that may still make connections
 * @closed: reject all connections
 * @draining: reject new clients but not further connections of admitted ones, and end after the
 *	last client
 * @admitted: number of clients that were not rejected
 * @running: number of tests that serve a connection of a client now
 * @ended: number of clients whose first connection has ended
 * @failed: number of tests that ended with an error other than -ECANCELED
 * @error: error of the first test that failed. If it is -ECONNRESET, the error of a further
 *	connection replaces it, because this error may be the cause of the reset
 * @detail: @error in words
 * @iterations: iterations of all tests that have ended
 * @start_ns: start of the first iteration of all further connections whose tests have ended; 0: no
 *	such test has ended
 * @end_ns: end of the last iteration of these connections
 * @stats: counters of all tests that have ended
 *
 * A further connection is any connection of a client but the first.
 */
struct krping_clients {
	spinlock_t lock; /* see above */
	u32 most;
	bool bounded;
	struct list_head sessions;
	bool closed;
	bool draining;
	u32 admitted;
	u32 running;
	u32 ended;
	u32 failed;
	int error;
	char detail[KRPING_DETAIL_MAX];
	aligned_u64 iterations;
	aligned_u64 start_ns;
	aligned_u64 end_ns;
	struct krping_stats stats;
};

#endif /* KRPING_CLIENTS_H */
