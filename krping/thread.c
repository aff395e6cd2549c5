// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One thread of a test.
 *
 * This file has the steps of the set-up, in one order for all tests and both sides, and
 * krping_thread_teardown(), which undoes the steps. A step that fails stores the error in the
 * status; the teardown frees what the previous steps have allocated. thread_alloc.c initialises
 * the thread before it runs.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/ktime.h>

#include "compat.h"
#include "config.h"
#include "connslot.h"
#include "limits.h"
#include "listen.h"
#include "mr.h"
#include "negotiate.h"
#include "stride.h"
#include "thread.h"
#include "wait.h"

/* Compute the plan from the options and the device. After an error, @why is the reason. */
static int krping_thread_plan(struct krping_thread *thread, const char **why)
{
	int ret;

	thread->plan = (struct krping_plan){
		.map_sleeps = krping_map_mr_sleeps(krping_conn_id(thread->conns)->device),
		.queue.recv_depth	= KRPING_RECV_DEPTH,
		.queue.recv_bytes	= KRPING_RECV_BYTES,
		.queue.srq		= thread->opts.srq,
	};
	ret = thread->ops->plan(thread, &thread->plan, why);
	/* If a server's command names no test, check READs once a client has chosen the test. */
	if (!ret && (thread->conns->cm_id || thread->opts.test_given))
		ret = krping_limits_reads(thread, thread->conns, why);
	if (!ret)
		krping_limits_fit(thread);
	return ret;
}

/* Reject options that exceed a limit of the device. The detail of the error names the limit. */
static int krping_thread_check(struct krping_thread *thread)
{
	const char *why = "";
	int ret;

	ret = krping_thread_plan(thread, &why);
	if (ret)
		return krping_status_set(thread->status, ret, "%s", why);
	if (thread->opts.size > thread->plan.size_max)
		return krping_status_set(thread->status, -EINVAL,
					 "size=%llu: with mem_mode=%s the device takes 1 to %llu",
					 thread->opts.size,
					 krping_mem_mode_name(thread->opts.mem_mode),
					 thread->plan.size_max);
	if (thread->plan.span > thread->plan.size_max && thread->opts.validate)
		return krping_status_set(thread->status, -EINVAL,
					 "txdepth=%u: with validate the slots have %llu bytes; with mem_mode=%s the device takes 1 to %llu; try txdepth=%u",
					 thread->opts.txdepth, thread->plan.span,
					 krping_mem_mode_name(thread->opts.mem_mode),
					 thread->plan.size_max,
					 krping_stride_fit(thread->plan.size_max, thread->opts.size,
							   thread->opts.stride));
	if (thread->plan.span > thread->plan.size_max)
		return krping_status_set(thread->status, -EINVAL,
					 "stride=%u: with txdepth=%u a buffer has %llu bytes; with mem_mode=%s the device takes 1 to %llu",
					 thread->opts.stride, thread->plan.slots, thread->plan.span,
					 krping_mem_mode_name(thread->opts.mem_mode),
					 thread->plan.size_max);
	return 0;
}

/*
 * Set how many READs this side (reads_out) and the peer (reads_in) may have in flight. A test with
 * deep_reads uses the limits of the device. Another test has one READ in flight, as rping does. A
 * device whose limit is 0 rejects a larger number even if the test posts no READ. On a server, the
 * client's REQ limits both numbers, too.
 */
static void krping_thread_set_reads(struct krping_thread *thread, struct krping_conn *conn)
{
	const struct ib_device_attr *limit = &conn->cm_id->device->attrs;
	u32 most = thread->ops->deep_reads ? U8_MAX : 1;
	u32 out = min_t(u32, limit->max_qp_init_rd_atom, most);
	u32 in = min_t(u32, limit->max_qp_rd_atom, most);

	if (!krping_is_client(thread)) {
		out = min_t(u32, out, conn->reads_out);
		in = min_t(u32, in, conn->reads_in);
	}
	conn->reads_out = out;
	conn->reads_in = in;
}

/* Allocate the histogram of a test of latency. */
static int krping_thread_alloc_hist(struct krping_thread *thread)
{
	struct krping_hist *hist;

	if (thread->ops->streams || thread->hist)
		return 0;
	hist = krping_hist_alloc();
	if (!hist)
		return krping_status_set(thread->status, -ENOMEM,
					 "no memory for a histogram");
	/* pairs with krping_thread_hist() */
	smp_store_release(&thread->hist, hist);
	return 0;
}

/* Return the completion vector of CQ @nr for krping_cq_alloc(); negative: any vector. */
static int krping_thread_vector(const struct krping_thread *thread, u32 nr)
{
	int vector = thread->opts.vector;

	if (vector < 0)
		vector = krping_options_cpu(&thread->opts, thread->nr);
	/* If a thread has several CQs, spread them over the vectors. */
	return thread->cqs ? max(vector, 0) + (int)nr : vector;
}

/* Allocate the CQs: one for each connection of a disk, else one for all connections. */
static int krping_thread_alloc_cqs(struct krping_thread *thread, struct ib_device *device)
{
	u32 entries = krping_queue_entries(&thread->plan.queue);
	int ret = 0;
	u32 i;

	if (!thread->cqs)
		entries *= thread->nr_conns;
	for (i = 0; i < krping_thread_nr_cqs(thread) && !ret; i++)
		ret = krping_cq_alloc(krping_thread_cq(thread, i), device, entries,
				      krping_thread_polled(thread, i) ? IB_POLL_DIRECT :
				      krping_config_context(thread),
				      krping_thread_vector(thread, i));
	return ret;
}

/* Allocate the histogram and the CQs of the thread, and for each connection QP, buffers and MRs. */
static int krping_thread_setup(struct krping_thread *thread)
{
	const struct krping_queue_attr *attr = &thread->plan.queue;
	struct ib_device *device = thread->conns->cm_id->device;
	u32 i;
	int ret;

	krping_place_near(device);
	thread->cq.port = thread->conns->cm_id->port_num;
	ret = krping_limits_vector(thread, device);
	if (!ret)
		ret = krping_limits_queue(thread);
	if (!ret)
		ret = krping_thread_alloc_hist(thread);
	if (!ret)
		ret = krping_thread_alloc_cqs(thread, device);

	for (i = 0; i < thread->nr_conns && !ret; i++) {
		struct krping_conn *conn = &thread->conns[i];

		krping_thread_set_reads(thread, conn);
		ret = krping_conn_alloc(conn, thread->share, thread->plan.global_rkey, attr);
		if (!ret)
			ret = thread->ops->setup(thread, conn);
	}
	return ret;
}

static bool krping_thread_registered(void *share)
{
	return krping_share_registered(share);
}

/*
 * Register the MR of all connections by a REG_MR on the first connection, and wait for the
 * completion. The REG_MR is the first WR on the SQ, and the peer posts nothing until all
 * connections exist.
 */
static int krping_thread_register(struct krping_thread *thread, struct krping_conn *conn)
{
	int ret;

	if (!krping_share_registers(thread->share, &conn->queue))
		return 0;
	ret = krping_share_register(thread->share, &conn->queue);
	/* -ENOTCONN: the connection is lost, and krping_wait() returns the reason. */
	if (ret && ret != -ENOTCONN)
		return ret;
	krping_cq_progress(&thread->cq);
	thread->cq.running = true;
	ret = krping_wait(&thread->cq, krping_thread_registered, thread->share,
			  thread->opts.timeout);
	thread->cq.running = false;
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "share: the device did not complete the registration for timeout=%u ms",
					 thread->opts.timeout);
	if (ret)
		return krping_status_set(thread->status, ret, "%s before the MR was registered",
					 krping_status_loss(thread->status));
	return 0;
}

/* Connect connection @nr, with the parameters that the client requests in the REQ. */
static int krping_thread_connect(struct krping_thread *thread, u32 nr)
{
	struct krping_conn *conn = &thread->conns[nr];
	struct krping_params request;
	const char *why;
	int ret;

	krping_negotiate_request(&thread->opts, &request);
	request.session = thread->session;
	request.conn_idx = thread->first_conn + nr;
	request.conns_total = thread->conns_total;
	request.recvs = thread->plan.recvs;
	krping_config_fill(thread, &request.config);
	ret = krping_conn_connect(conn, &request);
	if (ret)
		return ret;
	ret = krping_limits_reads(thread, conn, &why);
	if (ret)
		return krping_status_set(thread->status, ret, "%s", why);
	if (!krping_conn_negotiated(conn) && thread->opts.test != KRPING_TEST_PING)
		return krping_status_set(thread->status, -EOPNOTSUPP,
					 "the server is an older krping or a user-space rping, which has no %s",
					 krping_test_name(thread->opts.test));
	return krping_thread_register(thread, conn);
}

/*
 * Run fn() while holding a connect slot. connslot.c limits the number of threads that connect at
 * the same time. On error the status has the reason.
 */
static int krping_thread_with_connslot(struct krping_thread *thread,
				       int (*fn)(struct krping_thread *thread))
{
	struct krping_connslot slot;
	int ret;

	krping_connslot_init(&slot);
	krping_connslot_request(&slot, thread->status, krping_is_client(thread) ?
				KRPING_CONNSLOT_CONNECT : KRPING_CONNSLOT_ACCEPT);
	/* The wait is bounded, because connslot.c takes each slot back after a few seconds. */
	ret = krping_wait(&thread->cq, krping_connslot_granted, &slot, 0);
	if (!ret)
		ret = fn(thread);
	else if (ret == -ECONNRESET)
		ret = krping_status_set(thread->status, ret,
					"%s before it was served",
					krping_status_loss(thread->status));
	krping_connslot_release(&slot);
	return ret;
}

/* Resolve all connections, check the options, allocate all objects, and connect. */
static int krping_thread_get_connected(struct krping_thread *thread)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < thread->nr_conns && !ret; i++) {
		ret = krping_conn_resolve(&thread->conns[i]);
		if (!ret && !i)
			krping_limits_conns(thread, thread->conns->cm_id->device);
		if (!ret && thread->conns[i].cm_id->device != thread->conns->cm_id->device)
			ret = krping_status_set(thread->status, -ENODEV,
						"the server's address leads to more than one device; give device=NAME");
	}
	if (!ret)
		ret = krping_thread_check(thread);
	if (!ret)
		ret = krping_thread_setup(thread);
	for (i = 0; i < thread->nr_conns && !ret; i++)
		ret = krping_thread_connect(thread, i);
	return ret;
}

/**
 * krping_thread_client() - connect to the server
 * @thread: initialised
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_thread_client(struct krping_thread *thread)
{
	int ret = krping_thread_with_connslot(thread, krping_thread_get_connected);

	return ret || !thread->ops->begin ? ret : thread->ops->begin(thread);
}

/**
 * krping_thread_listen() - listen for clients
 * @thread: initialised
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_thread_listen(struct krping_thread *thread)
{
	struct ib_device *device;
	int ret;

	ret = krping_conn_listen(thread->conns);
	if (ret)
		return ret;
	device = thread->conns->listen_id->device;
	if (device)
		ret = krping_limits_vector(thread, device);
	if (device && !ret)
		ret = krping_thread_check(thread);
	return ret;
}

/*
 * With the option share, allocate the krping_share, which has the PD and the MR of all
 * connections of the waiting client. A further connection already has the krping_share of the
 * first one. The decoder of the REQ has limited the number of connections. Return false if
 * there is no memory.
 */
static bool krping_thread_share(struct krping_thread *thread)
{
	const struct krping_params *peer = &thread->conns->peer;

	if (!thread->opts.share || !thread->ops->shares || thread->share || peer->conn_idx ||
	    peer->conns_total < 2)
		return true;
	thread->share = krping_share_create(peer->conns_total);
	return thread->share;
}

/**
 * krping_thread_serve() - adopt the waiting client's parameters, if the client can be served
 * @thread: initialised, with a client that waits
 * @own: the server's command
 *
 * Context: the test's thread.
 *
 * Return: for krping_thread_refuse(); the reason is 0 if the client can be served.
 */
struct krping_refusal krping_thread_serve(struct krping_thread *thread,
					  const struct krping_options *own)
{
	const struct krping_conn *conn = thread->conns;
	struct krping_refusal no = { 0 };

	switch (conn->peer_ret) {
	case 0:
		no.reason = krping_negotiate_adopt(own, &conn->peer, &thread->opts, &no.limit);
		break;
	case -ENOENT:
		no.reason = krping_negotiate_old_peer(&thread->opts, &no.limit);
		break;
	case -EPROTONOSUPPORT:
		no.limit = KRPING_WIRE_VERSION;
		no.reason = KRPING_REJ_VERSION;
		break;
	default:
		no.reason = KRPING_REJ_MALFORMED;
	}
	if (no.reason)
		return no;

	thread->ops = thread->ops_table[thread->opts.test];
	if (!krping_thread_share(thread)) {
		no.reason = KRPING_REJ_RESOURCES;
	} else if (krping_thread_plan(thread, &no.why)) {
		no.reason = KRPING_REJ_UNSUPPORTED;
	} else if (max(thread->opts.size, thread->plan.span) > thread->plan.size_max) {
		no.limit = thread->plan.size_max;
		no.reason = KRPING_REJ_SIZE;
	}
	return no;
}

/**
 * krping_thread_refuse() - reject the waiting client
 * @thread: as krping_thread_serve() has left it
 * @own: the server's command
 * @no: what krping_thread_serve() returned
 *
 * Context: the test's thread. The function resets @thread to the options of @own.
 */
void krping_thread_refuse(struct krping_thread *thread, const struct krping_options *own,
			  const struct krping_refusal *no)
{
	const char *reason = krping_rej_reason_str(no->reason);

	/* Log nothing for krdma.h, whose functions return errors to their callers. */
	if (own->test != KRPING_TEST_KRDMA && no->why)
		pr_warn_ratelimited("test %u: a client was rejected: the server %s: %s\n",
				    thread->id, reason, no->why);
	else if (own->test != KRPING_TEST_KRDMA)
		pr_warn_ratelimited("test %u: a client was rejected: the server %s (limit %llu)\n",
				    thread->id, reason, no->limit);
	krping_conn_reject(thread->conns, no->reason, no->limit);
	krping_share_put(thread->share);
	thread->share = NULL;
	thread->opts = *own;
	thread->ops = thread->ops_table[own->test];
}

/**
 * krping_thread_await_client() - wait for a client that can be served
 * @thread: listening
 * @own: the server's command
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_thread_await_client(struct krping_thread *thread,
			       const struct krping_options *own)
{
	struct krping_refusal no;
	int ret;

	for (;;) {
		ret = krping_conn_await_request(thread->conns);
		if (ret)
			return ret;
		no = krping_thread_serve(thread, own);
		if (!no.reason)
			return 0;
		krping_thread_refuse(thread, own, &no);
	}
}

/* Allocate all objects of the connection, and accept it with the negotiated parameters. */
static int krping_thread_get_accepted(struct krping_thread *thread)
{
	struct krping_conn *conn = thread->conns;
	struct krping_params params;
	int ret = 0;

	/* Wait for the MR first, because a client may use it once all connections are accepted. */
	if (thread->share && conn->peer.conn_idx)
		ret = krping_share_wait(thread->share, &thread->cq, thread->opts.timeout);
	if (!ret)
		ret = krping_thread_setup(thread);
	if (ret)
		return ret;
	krping_negotiate_request(&thread->opts, &params);
	/* The client's count applies even if this side has a duration. */
	params.count = thread->opts.count;
	params.recvs = thread->plan.recvs;
	krping_config_fill(thread, &params.config);
	if (!(conn->peer.flags & KRPING_WIRE_REPORT))
		params.flags &= ~KRPING_WIRE_REPORT;
	/* Start the test now, because the client may end it before rdma_accept() returns. */
	krping_thread_start(thread);
	ret = krping_conn_accept(conn, &params);
	return ret ?: krping_thread_register(thread, conn);
}

/**
 * krping_thread_accept() - accept the waiting client
 * @thread: with a client that can be served
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_thread_accept(struct krping_thread *thread)
{
	return krping_thread_with_connslot(thread, krping_thread_get_accepted);
}

/**
 * krping_thread_start() - record the start of the test, and start the timer of its duration
 * @thread: the thread, which listens, is connected, or is about to accept
 *
 * Context: the test's thread, before an operation can be posted or arrive.
 */
void krping_thread_start(struct krping_thread *thread)
{
	if (!thread->nr && (krping_is_client(thread) || thread->opts.clients == 1))
		krping_device_counters_begin(&thread->counters, thread->conns->cm_id);
	krping_clock_read(&thread->clock_start);
	krping_u64_write(&thread->start_ns, ktime_get_ns());
	krping_u64_write(&thread->end_ns, thread->start_ns);
	if (thread->opts.duration) {
		thread->deadline = jiffies + min_t(u64, (u64)thread->opts.duration * HZ,
						   MAX_JIFFY_OFFSET);
		mod_timer(&thread->duration, thread->deadline);
	}
	krping_cq_progress(&thread->cq);
}

/**
 * krping_thread_loop() - run the test, and record its end
 * @thread: connected; for a server, krping_thread_start() has run
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_thread_loop(struct krping_thread *thread)
{
	int ret;

	if (krping_is_client(thread))
		krping_thread_start(thread);
	thread->cq.running = true;
	ret = thread->ops->loop(thread);
	krping_clock_read(&thread->clock_end);
	krping_device_counters_end(&thread->counters, thread->conns->cm_id);
	return ret;
}

/*
 * Free all but the ids of the disconnected connections. Free QPs and CQs before the buffers,
 * because with an SRQ the device may still receive a packet into a buffer after the drain of the
 * SQ.
 */
static void krping_thread_free_queues(struct krping_thread *thread)
{
	u32 i;

	for (i = 0; i < krping_thread_nr_cqs(thread); i++)
		krping_cq_drain(krping_thread_cq(thread, i));
	for (i = 0; i < thread->nr_conns; i++)
		krping_conn_free_qp(&thread->conns[i]);
	for (i = 0; i < krping_thread_nr_cqs(thread); i++)
		krping_cq_free(krping_thread_cq(thread, i));
	for (i = 0; i < thread->nr_conns; i++) {
		thread->ops->cleanup(thread, &thread->conns[i]);
		krping_conn_free(&thread->conns[i]);
	}
}

static void krping_thread_destroy_ids(struct krping_thread *thread)
{
	u32 i;

	for (i = 0; i < thread->nr_conns; i++)
		krping_conn_destroy(&thread->conns[i]);
}

/* Check whether all peers have answered the disconnect. */
static bool krping_thread_gone(void *arg)
{
	const struct krping_thread *thread = arg;
	u32 i;

	for (i = 0; i < thread->nr_conns; i++)
		if (!krping_conn_gone(&thread->conns[i]))
			return false;
	return true;
}

/**
 * krping_thread_disconnect() - disconnect all connections, and free their objects
 * @thread: initialised, in any state; the caller has suspended the disk
 *
 * Context: the test's thread, which connects again, and so does not wait for the peer's answer.
 */
void krping_thread_disconnect(struct krping_thread *thread)
{
	krping_conns_disconnect(thread->conns, thread->nr_conns, false);
	krping_thread_free_queues(thread);
	krping_thread_destroy_ids(thread);
}

/**
 * krping_thread_teardown() - free everything that set-up has allocated
 * @thread: initialised, in any state
 *
 * Context: the test's thread. While the thread waits for the answer to the disconnect, the
 * port of a server is free, and only the ids of the test still exist.
 */
void krping_thread_teardown(struct krping_thread *thread)
{
	timer_delete_sync(&thread->duration);
	if (thread->ops->end)
		thread->ops->end(thread);
	krping_conns_disconnect(thread->conns, thread->nr_conns, true);
	krping_thread_free_queues(thread);
	krping_conn_unlisten(thread->conns);
	krping_wait_gone(thread->status, krping_thread_gone, thread,
			 jiffies + KRPING_DISCONNECT_GRACE);
	krping_thread_destroy_ids(thread);
}
