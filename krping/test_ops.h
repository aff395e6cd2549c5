/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The operations of a test type. thread.c calls them, in the same order for all
 * tests and both sides.
 */
#ifndef KRPING_TEST_OPS_H
#define KRPING_TEST_OPS_H

#include <linux/timer.h>

#include "status.h"
#include "clocksource.h"
#include "conn.h"
#include "histogram.h"
#include "options.h"
#include "stats.h"

struct krping_test_ops;

/**
 * struct krping_thread - one thread of one side of a test, and its connections
 * @ops_table: the tests, by &enum krping_test_type
 * @ops: operations of the test that runs
 * @opts: the command, completed by the parameters that were negotiated
 * @nr: index of the thread in its test
 * @session: client: random number that all connections of the test have
 * @first_conn: client: index of @conns[0] among all connections of the test
 * @conns_total: client: connections of the test
 * @status: the test's status
 * @cq: the thread's CQ
 * @nr_conns: number of @conns
 * @conns: the connections, each with a QP; a server has one
 * @stats: the counters
 * @hist: histogram of latencies in nanoseconds, or NULL
 * @iterations: measured so far by all connections, warm-up excluded
 * @begun: the first operation was posted or has arrived, and @start_ns is set
 * @start_ns: when the measured part began, ktime_get_ns()
 * @end_ns: when the last measured iteration ended, ktime_get_ns()
 * @clock_start: clock at the beginning
 * @clock_end: clock at the end; without a name before that
 * @expired: the duration of the command has passed
 * @cut_short: the test ended in order, before its count, because of a stop
 * @duration: sets @expired
 * @deadline: when @duration expires, in jiffies
 * @nr_reports: number of servers whose report has arrived
 * @report: their report; the sum of several
 */
struct krping_thread {
	const struct krping_test_ops * const *ops_table;
	const struct krping_test_ops *ops;
	struct krping_options opts;
	u32 nr;
	u32 session;
	u16 first_conn;
	u16 conns_total;
	struct krping_status *status;
	struct krping_cq cq;
	u32 nr_conns;
	struct krping_conn *conns;
	struct krping_stats stats;
	struct krping_hist *hist;
	u64 iterations;
	bool begun;
	u64 start_ns;
	u64 end_ns;
	struct krping_clock clock_start;
	struct krping_clock clock_end;
	bool expired;
	bool cut_short;
	struct timer_list duration;
	unsigned long deadline;
	u32 nr_reports;
	struct krping_peer_stats report;
};

/**
 * struct krping_test_ops - operations of a test type
 * @type: number of the test on the wire
 * @half: the latency is half of the round trip
 * @streams: the test measures throughput
 * @deep_reads: the test has as many READs under way as both devices allow
 * @check: check whether the device supports the options; returns 0 and the largest
 *	size, or -EOPNOTSUPP and the reason
 * @context: return the context of completions if the thread does not poll
 * @queue_attr: fill in what the test needs of a connection's queue
 * @recvs: return the number of RECVs for data, which is sent to the peer
 * @global_rkey: check whether this side advertises the PD's unsafe global rkey
 * @setup: allocate buffers and MRs of a connection, whose QP exists and is not
 *	connected. After an error @cleanup frees what was allocated.
 * @loop: run the test; the peer is connected. Returns 0 or a negative errno.
 * @cleanup: free what @setup allocated; QP and CQ are destroyed
 *
 * The test's thread calls all of them.
 */
struct krping_test_ops {
	enum krping_test_type type;
	bool half;
	bool streams;
	bool deep_reads;
	int (*check)(const struct krping_thread *thread, u64 *size_max,
		     const char **why);
	enum ib_poll_context (*context)(const struct krping_thread *thread);
	void (*queue_attr)(const struct krping_thread *thread,
			   struct krping_queue_attr *attr);
	u32 (*recvs)(const struct krping_thread *thread);
	bool (*global_rkey)(const struct krping_thread *thread);
	int (*setup)(struct krping_thread *thread, struct krping_conn *conn);
	int (*loop)(struct krping_thread *thread);
	void (*cleanup)(struct krping_thread *thread, struct krping_conn *conn);
};

extern const struct krping_test_ops krping_ping_ops;
extern const struct krping_test_ops krping_wlat_ops;
extern const struct krping_test_ops krping_rlat_ops;
extern const struct krping_test_ops krping_slat_ops;
extern const struct krping_test_ops krping_bw_ops;
extern const struct krping_test_ops krping_rbw_ops;
extern const struct krping_test_ops krping_sbw_ops;
extern const struct krping_test_ops krping_fr_ops;

/**
 * krping_thread_hist() - return the histogram
 * @thread: the thread; any context
 *
 * Return: the histogram, or NULL if there is none yet.
 */
static inline const struct krping_hist *
krping_thread_hist(const struct krping_thread *thread)
{
	/* pairs with krping_thread_alloc_hist() */
	return smp_load_acquire(&thread->hist);
}

/**
 * krping_thread_begin() - note that the first operation of a thread's test begins
 * @thread: the test
 * @now: the time, ktime_get_ns()
 *
 * Called in the context that takes the steps. Later calls have no effect.
 */
static inline void krping_thread_begin(struct krping_thread *thread, u64 now)
{
	if (thread->begun)
		return;
	thread->begun = true;
	WRITE_ONCE(thread->start_ns, now);
}

/**
 * krping_is_client() - check which side a thread is
 * @thread: the test
 *
 * Return: true for a client, false for a server.
 */
static inline bool krping_is_client(const struct krping_thread *thread)
{
	return thread->opts.role == KRPING_ROLE_CLIENT;
}

#endif /* KRPING_TEST_OPS_H */
