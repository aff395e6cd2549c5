/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a kind of test is made of. The order in which this happens is that of
 * test.c, for all kinds and both sides.
 */
#ifndef KRPING_KIND_H
#define KRPING_KIND_H

#include <linux/timer.h>

#include "cause.h"
#include "conn.h"
#include "histogram.h"
#include "options.h"
#include "stats.h"

struct krping_kind;

/**
 * struct krping_run - one side of one connection that runs one kind of test
 * @kind: the kind
 * @opts: what is run: the command, completed by what was agreed with the peer
 * @conn: the connection
 * @cause: why it ends
 * @stats: the counters
 * @hist: a client's histogram of nanoseconds per iteration; a server has none
 * @iterations: measured so far, without the warm-up
 * @start_ns: when the measured part began, ktime_get_ns()
 * @end_ns: when the last measured iteration ended
 * @expired: the command's duration is over
 * @duration: sets @expired
 * @deadline: when it shall, in jiffies
 * @priv: the kind's own, from setup to cleanup
 */
struct krping_run {
	const struct krping_kind *kind;
	struct krping_options opts;
	struct krping_conn conn;
	struct krping_cause cause;
	struct krping_stats stats;
	struct krping_hist *hist;
	u64 iterations;
	u64 start_ns;
	u64 end_ns;
	bool expired;
	struct timer_list duration;
	unsigned long deadline;
	void *priv;
};

/**
 * struct krping_kind - a kind of test
 * @type: its number on the wire
 * @check: can the connection's device do what the options say? Returns 0 and
 *	the largest size, or -EOPNOTSUPP and why not
 * @queue_attr: what it needs of its queue; poll, context and CPU are already
 *	filled in
 * @global_rkey: does this side advertise the PD's unsafe global rkey?
 * @setup: get buffers and registrations. On error what was got is kept for
 *	@cleanup. The QP exists and is not connected.
 * @loop: run until done; the peer is connected. Returns 0 or the cause.
 * @cleanup: give back what @setup got; the QP is drained
 *
 * All are called by the test's thread.
 */
struct krping_kind {
	enum krping_test_type type;
	int (*check)(const struct krping_run *run, u64 *size_max,
		     const char **why);
	void (*queue_attr)(struct krping_run *run, struct krping_queue_attr *attr);
	bool (*global_rkey)(const struct krping_run *run);
	int (*setup)(struct krping_run *run);
	int (*loop)(struct krping_run *run);
	void (*cleanup)(struct krping_run *run);
};

extern const struct krping_kind krping_ping_kind;

#endif /* KRPING_KIND_H */
