/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a kind of test is made of. The order in which this happens is that of
 * test.c, for all kinds and both sides.
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
 * @ops_table: what can be run, by &enum krping_test_type
 * @ops: the kind
 * @opts: what is run: the command, completed by what was agreed with the peer
 * @nr: number of the thread in its test, from 0
 * @session: client: tells the server which connections belong together
 * @lane: client: number of the first of @conns among all of the test
 * @lanes: client: how many the test has
 * @status: why the test ends
 * @cq: the thread's CQ
 * @nr_conns: number of @conns
 * @conns: the connections, each with a QP; a server has one
 * @stats: the counters
 * @hist: histogram of nanoseconds per iteration, or NULL
 * @iterations: measured so far, without the warm-up; of all connections
 * @begun: an operation was posted or has arrived; @start_ns is no later
 * @start_ns: when the measured part began, ktime_get_ns()
 * @end_ns: when the last measured iteration ended
 * @clock_start: clock at the beginning
 * @clock_end: clock at the end; without a name before that
 * @expired: the command's duration is over
 * @cut_short: it has ended in order, but only because it was stopped
 * @duration: sets @expired
 * @deadline: when it shall, in jiffies
 * @nr_reports: how many servers have told how it was for them
 * @report: what they told; of several the sum
 */
struct krping_thread {
	const struct krping_test_ops * const *ops_table;
	const struct krping_test_ops *ops;
	struct krping_options opts;
	u32 nr;
	u32 session;
	u16 lane;
	u16 lanes;
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
 * struct krping_test_ops - a kind of test
 * @type: its number on the wire
 * @half: its latency is half of a round trip
 * @streams: what it measures is throughput
 * @deep_reads: it has as many READs under way as both devices allow
 * @check: can the connection's device do what the options say? Returns 0 and
 *	the largest size, or -EOPNOTSUPP and why not
 * @context: where completions are handled if the thread does not poll
 * @queue_attr: what it needs of a connection's queue
 * @recvs: messages of data that a connection's RECVs take, to tell the peer
 * @global_rkey: does this side advertise the PD's unsafe global rkey?
 * @setup: get buffers and registrations for a connection. On error what was got
 *	is kept for @cleanup. The QP exists and is not connected.
 * @loop: run until done; the peer is connected. Returns 0 or the cause.
 * @cleanup: give back what @setup got; QP and CQ are gone
 *
 * All are called by the test's thread.
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
 * krping_thread_hist() - the histogram, for anyone who reads
 * @thread: the test
 *
 * Return: the histogram, or NULL while or if there is none.
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
 * The context that takes the steps. Only the first of several connections counts.
 */
static inline void krping_thread_begin(struct krping_thread *thread, u64 now)
{
	if (thread->begun)
		return;
	thread->begun = true;
	WRITE_ONCE(thread->start_ns, now);
}

/**
 * krping_is_client() - which side is it?
 * @thread: the test
 *
 * Return: true for a client, false for a server.
 */
static inline bool krping_is_client(const struct krping_thread *thread)
{
	return thread->opts.role == KRPING_ROLE_CLIENT;
}

#endif /* KRPING_TEST_OPS_H */
