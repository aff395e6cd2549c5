/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The threads of a test, the plan of a thread, and the functions of a test type. thread.c
 * calls these functions in the same order for all tests and on both sides.
 */
#ifndef KRPING_TEST_OPS_H
#define KRPING_TEST_OPS_H

#include <linux/timer.h>

#include "status.h"
#include "clocksource.h"
#include "device_counters.h"
#include "conn.h"
#include "histogram.h"
#include "memop.h"
#include "options.h"
#include "stats.h"
#include "u64.h"
#include "users.h"

struct krdma_cb;
struct krping_conform_results;
struct krping_disk;
struct krping_region_mem;
struct krping_regions;
struct krping_test;
struct krping_test_ops;
struct task_struct;

/**
 * struct krping_plan - what one side of a test needs
 * @size_max: the largest size= that the device and the test support, in bytes
 * @map_sleeps: ib_map_mr_sg() may sleep
 * @global_rkey: this side advertises the PD's unsafe global rkey
 * @posts_reads: this side posts RDMA READs or atomics
 * @answers_reads: this side's device answers RDMA READs or atomics of the peer
 * @recvs: number of RECVs for data, which the peer gets as its initial credits; 0: the test
 *	has no credits
 * @queue: attributes of each connection's QP
 * @compares: ping: the client compares the data of each iteration
 * @logs_data: ping: log the data of each iteration
 * @read_inv: ping: a READ invalidates the MR of its sink
 * @server_inv: ping: each SEND of the server invalidates the key that the client advertised
 * @posts: this side posts operations
 * @advertises: the peer READs or WRITEs a buffer of this side
 * @by_recv: an operation consumes a RECV of its responder
 * @receives: this side posts RECVs for the peer's operations
 * @by_memory: the thread polls memory for the arrival of an operation
 * @refills: after the peer has READ a slot (see stride.h), this side fills the slot with new data
 * @constant: all operations have the data of iteration 0
 * @notifies: a SEND follows each WRITE, and makes the responder compare the WRITE's data
 * @duplex: both sides post; each message also acknowledges earlier messages of the peer
 * @atomic: the operations are atomics
 * @fills: fill the slot of each operation with new data before each post
 * @compares_local: compare the data of each READ of this side
 * @compares_shared: compare the data of each WRITE of the peer
 * @message_bytes: expected &ib_wc.byte_len of a RECV that an operation of the peer consumes
 * @rate: operations per second and connection; 0: no limit
 * @local: this side has a local buffer: source or sink of its own operations
 * @local_reg: the local buffer is registered
 * @shared: this side has a buffer that is open to READs or WRITEs of the peer
 * @shared_reg: the buffer of @shared is registered
 * @parts: number of a connection's buffers in the MR that all connections share; 0: no such MR
 * @slots: number of addresses that the operations use in turn, see stride.h
 * @span: bytes of each buffer
 * @nr_sge: SGEs of an operation
 * @pieces: number of contiguous pieces of a local buffer that is not registered; 0: the whole
 *	buffer is contiguous
 * @depth: maximum number of operations in flight on a connection
 * @batch: operations per post; 0: the test does not batch
 * @cqmod: signal every Nth operation; 0: the test chooses for each operation
 *
 * krping_test_ops.plan() computes the plan once, from the negotiated options and from the
 * device. The plan does not change while the test runs. Code that handles completions reads
 * the plan, not the options. The members from @posts on belong to the microbenchmarks.
 */
struct krping_plan {
	u64 size_max;
	bool map_sleeps;
	bool global_rkey;
	bool posts_reads;
	bool answers_reads;
	u32 recvs;
	struct krping_queue_attr queue;
	bool compares;
	bool logs_data;
	bool read_inv;
	bool server_inv;
	bool posts;
	bool advertises;
	bool by_recv;
	bool receives;
	bool by_memory;
	bool refills;
	bool constant;
	bool notifies;
	bool duplex;
	bool atomic;
	bool fills;
	bool compares_local;
	bool compares_shared;
	u32 message_bytes;
	u32 rate;
	bool local;
	bool local_reg;
	bool shared;
	bool shared_reg;
	u32 parts;
	u32 slots;
	u64 span;
	u32 nr_sge;
	u32 pieces;
	u32 depth;
	u32 batch;
	u32 cqmod;
};

/**
 * struct krping_thread_cq - CQ of a disk's connection other than the first one
 * @cq: the CQ
 * @stats: counters of the connection
 * @iterations: as &krping_thread.iterations, but of this connection only
 */
struct krping_thread_cq {
	struct krping_cq cq;
	struct krping_stats stats;
	aligned_u64 iterations;
};

/**
 * struct krping_thread - one thread of one side of a test, and its connections
 * @test: the test that the thread belongs to
 * @task: the kernel thread, with a reference until the test is freed
 * @ops_table: functions of all tests, indexed by &enum krping_test_type
 * @ops: functions of the test that runs
 * @client: this side is the client
 * @opts: the command, completed by the negotiated parameters
 * @plan: what this side of the test needs; valid once the device is known
 * @id: id of the test, set before the thread runs
 * @nr: index of the thread in its test; in the test of a server's client, the number of such tests
 *	that ran at its start. The CPU of the thread depends on @nr.
 * @session: client: random number, the same for all connections of the test
 * @first_conn: client: index of @conns[0] among all connections of the test
 * @conns_total: client: connections of the test
 * @status: the test's status
 * @cq: the thread's CQ
 * @cqs: CQs of all connections but the first one; NULL: all connections use @cq
 * @nr_conns: number of @conns
 * @conns: the connections, each with a QP; a server's thread has one
 * @stats: the counters, without those of @cqs
 * @place: the CPUs that post operations, and the CPUs that handle completions
 * @hist: histogram of latencies in nanoseconds, or NULL
 * @iterations: iterations so far on the connections of @cq; a client omits the warm-up
 * @begun: the first operation was posted or has arrived, and @start_ns is set
 * @start_ns: start of the measured part, ktime_get_ns()
 * @end_ns: end of the last measured iteration, ktime_get_ns()
 * @clock_start: clocksource at the start of the test
 * @clock_end: clocksource at the end; its name is NULL before the end
 * @counters: counters of the port; only in the first thread of a client, and of a server
 *	with clients=1
 * @expired: the duration of the command has passed
 * @cut_short: client: a stop ended the test in order, but before its last iteration
 * @duration: sets @expired
 * @deadline: when @duration expires, in jiffies
 * @region: session: size of the exported memory in bytes; else 0
 * @memop: client: the operation of the command; server that exports memory: the last
 *	message of its clients; else NULL. Set before the thread runs.
 * @memory: server that exports memory: the memory of this client, or of all clients; else
 *	NULL. All connections of a client use the same memory.
 * @regions: server that exports memory: regions that its clients have opened to each other
 * @registered: server: bytes of @memory that are registered for the client so far
 * @operations: server: number of operations that the client's last keep-alive message reported
 * @mailbox: session: operations of later commands
 * @share: the PD and the MR of all connections; NULL: each connection has its own
 * @krdma: test that a user of krdma.h has started: state of the connection or listener;
 *	else NULL
 * @krdma_listener: test of a connection that a listener of krdma.h has accepted: state of
 *	the listener; else NULL
 * @users: openers of the disk, who prevent a stop without force
 * @block: the disk, or NULL; outlives a lost connection
 * @disk: name of @block, "" until there is a disk
 * @conform: client of conform: results of its cases, kept after the end; else NULL
 * @nr_reports: client: number of reports that the server has sent, one for each connection
 * @report: sum of these reports
 */
struct krping_thread {
	struct krping_test *test;
	struct task_struct *task;
	const struct krping_test_ops * const *ops_table;
	const struct krping_test_ops *ops;
	bool client;
	struct krping_options opts;
	struct krping_plan plan;
	u32 id;
	u32 nr;
	u32 session;
	u16 first_conn;
	u16 conns_total;
	struct krping_status *status;
	struct krping_cq cq;
	struct krping_thread_cq *cqs;
	u32 nr_conns;
	struct krping_conn *conns;
	struct krping_stats stats;
	struct krping_place place;
	struct krping_hist *hist;
	aligned_u64 iterations;
	bool begun;
	aligned_u64 start_ns;
	aligned_u64 end_ns;
	struct krping_clock clock_start;
	struct krping_clock clock_end;
	struct krping_device_counters counters;
	bool expired;
	bool cut_short;
	struct timer_list duration;
	unsigned long deadline;
	aligned_u64 region;
	struct krping_memop *memop;
	struct krping_region_mem *memory;
	struct krping_regions *regions;
	aligned_u64 registered;
	aligned_u64 operations;
	struct krping_mailbox mailbox;
	struct krping_share *share;
	struct krdma_cb *krdma;
	struct krdma_cb *krdma_listener;
	struct krping_users users;
	struct krping_disk *block;
	char disk[KRPING_DISK_NAME_MAX];
	struct krping_conform_results *conform;
	u32 nr_reports;
	struct krping_peer_stats report;
};

/**
 * struct krping_test_ops - functions and properties of a test type
 * @type: number of the test on the wire
 * @op: RDMA operation that moves the data
 * @echo: the server answers each operation with an operation of its own
 * @half: the reported latency is half of the round trip
 * @streams: the test measures throughput
 * @deep_reads: the test has as many READs in flight as both devices allow
 * @shares: the option share applies
 * @compares_in_cq: with validate, the CQ's context compares whole buffers
 * @plan: fill in the plan, in which the caller has set only &krping_plan.map_sleeps,
 *	&krping_queue_attr.recv_depth, &krping_queue_attr.recv_bytes and
 *	&krping_queue_attr.srq. Returns 0; or a negative errno, and sets *why to the reason.
 * @setup: allocate buffers and MRs of a connection. The QP exists and is not connected
 *	yet. After an error the caller calls @cleanup.
 * @begin: client: called once the thread's connections are established, before a command
 *	with background returns; or NULL. Returns 0 or a negative errno; the status has the
 *	reason.
 * @end: undo @begin; or NULL. Called whenever a test ends, even if @begin was not called or
 *	has failed, and before the QPs are destroyed.
 * @loop: run the test; the peer is connected. Returns 0 or a negative errno.
 * @cleanup: free what @setup has allocated; the caller has destroyed QP and CQ
 *
 * Context: the test's thread calls all functions.
 */
struct krping_test_ops {
	enum krping_test_type type;
	enum krping_op op;
	bool echo;
	bool half;
	bool streams;
	bool deep_reads;
	bool shares;
	bool compares_in_cq;
	int (*plan)(const struct krping_thread *thread, struct krping_plan *plan,
		    const char **why);
	int (*setup)(struct krping_thread *thread, struct krping_conn *conn);
	int (*begin)(struct krping_thread *thread);
	void (*end)(struct krping_thread *thread);
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
extern const struct krping_test_ops krping_session_ops;
extern const struct krping_test_ops krping_krdma_ops;
extern const struct krping_test_ops krping_conform_ops;

/**
 * krping_thread_hist() - return the histogram
 * @thread: the thread
 *
 * Context: any.
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
 * krping_thread_nr_cqs() - return the number of CQs
 * @thread: the thread
 *
 * Return: the number.
 */
static inline u32 krping_thread_nr_cqs(const struct krping_thread *thread)
{
	return thread->cqs ? thread->nr_conns : 1;
}

/**
 * krping_thread_cq() - return the CQ of a connection
 * @thread: the thread
 * @nr: index of the connection
 *
 * Return: the CQ.
 */
static inline struct krping_cq *krping_thread_cq(struct krping_thread *thread, u32 nr)
{
	return nr && thread->cqs ? &thread->cqs[nr - 1].cq : &thread->cq;
}

/**
 * krping_thread_polled() - check whether the block layer polls the CQ of a connection
 * @thread: the thread
 * @nr: index of the connection
 *
 * Return: true for the second half of the connections of a disk with poll.
 */
static inline bool krping_thread_polled(const struct krping_thread *thread, u32 nr)
{
	return thread->opts.poll && thread->opts.memop == KRPING_MEMOP_DISK &&
	       nr >= thread->opts.qps;
}

/**
 * krping_thread_iterations() - add up the iterations of all connections
 * @thread: the thread
 *
 * Context: any.
 *
 * Return: the sum.
 */
static inline u64 krping_thread_iterations(const struct krping_thread *thread)
{
	u64 sum = krping_u64_read(&thread->iterations);
	u32 i;

	for (i = 1; i < krping_thread_nr_cqs(thread); i++)
		sum += krping_u64_read(&thread->cqs[i - 1].iterations);
	return sum;
}

/**
 * krping_thread_begin() - set &krping_thread.start_ns at the first operation of a thread
 * @thread: the thread
 * @now: the time, ktime_get_ns()
 *
 * Later calls have no effect.
 *
 * Context: any, one call at a time.
 */
static inline void krping_thread_begin(struct krping_thread *thread, u64 now)
{
	if (thread->begun)
		return;
	thread->begun = true;
	krping_u64_write(&thread->start_ns, now);
}

/**
 * krping_is_client() - check whether a thread belongs to a client
 * @thread: the thread
 *
 * Return: true for a client, false for a server.
 */
static inline bool krping_is_client(const struct krping_thread *thread)
{
	return thread->client;
}

#endif /* KRPING_TEST_OPS_H */
