// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One thread of a test.
 *
 * The order of set-up is here, for all kinds and both sides, and in
 * krping_run_teardown() its mirror image. Whatever fails sets the cause and
 * leaves to the teardown what it has got.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "agree.h"
#include "compat.h"
#include "run.h"
#include "turn.h"

static void krping_run_expired(struct timer_list *timer)
{
	struct krping_run *run = timer_container_of(run, timer, duration);

	/* The timer wheel cuts off what is too far away for it. */
	if (time_before(jiffies, run->deadline)) {
		mod_timer(timer, run->deadline);
		return;
	}
	WRITE_ONCE(run->expired, true);
	wake_up_all(&run->cause->wait);
}

/**
 * krping_run_init() - make a thread's part of a test that has no connection yet
 * @run: to be filled in, all zeros
 * @opts: the command, which is copied
 * @net: network namespace; must outlive @run
 * @cause: why the test ends
 * @kinds: what can be run, by &enum krping_test_type
 * @nr_conns: number of connections
 *
 * Process context.
 *
 * Return: 0 or -ENOMEM; in both cases krping_run_free() is to be called.
 */
int krping_run_init(struct krping_run *run, const struct krping_options *opts,
		    struct net *net, struct krping_cause *cause,
		    const struct krping_kind * const *kinds, u32 nr_conns)
{
	u32 i;

	run->opts = *opts;
	run->kinds = kinds;
	run->kind = kinds[opts->test];
	run->cause = cause;
	timer_setup(&run->duration, krping_run_expired, 0);
	krping_cq_init(&run->cq, cause, &run->stats);

	run->conns = kvcalloc(nr_conns, sizeof(*run->conns), GFP_KERNEL);
	if (!run->conns)
		return -ENOMEM;
	run->nr_conns = nr_conns;
	for (i = 0; i < nr_conns; i++)
		krping_conn_init(&run->conns[i], net, &run->opts, &run->cq);
	return 0;
}

/**
 * krping_run_free() - give back what krping_run_init() got
 * @run: torn down, or never used
 */
void krping_run_free(struct krping_run *run)
{
	kvfree(run->conns);
	kvfree(run->hist);
	run->conns = NULL;
	run->hist = NULL;
}

/**
 * krping_run_set_thread() - say which thread it is
 * @run: initialised
 * @task: the thread, which is to be interrupted in rdma_connect()
 */
void krping_run_set_thread(struct krping_run *run, struct task_struct *task)
{
	u32 i;

	for (i = 0; i < run->nr_conns; i++)
		run->conns[i].thread = task;
}

/* Refuse what the device cannot do; the writer is told the limit. */
static int krping_run_check(struct krping_run *run)
{
	const char *why = "";
	u64 max = 0;
	int ret;

	ret = run->kind->check(run, &max, &why);
	if (ret)
		return krping_cause_set(run->cause, ret, "%s", why);
	if (run->opts.size > max)
		return krping_cause_set(run->cause, -EINVAL,
					"size=%llu: with mem_mode=%s the device takes 1 to %llu",
					run->opts.size,
					krping_mem_mode_name(run->opts.mem_mode),
					max);
	return 0;
}

/**
 * krping_run_context() - where a test's completions are handled
 * @run: the test; it is known which kind it is
 *
 * Any context.
 *
 * Return: the context.
 */
enum ib_poll_context krping_run_context(const struct krping_run *run)
{
	if (run->opts.poll)
		return IB_POLL_DIRECT;
	if (run->opts.cq_ctx == KRPING_CQ_WORKQUEUE)
		return IB_POLL_WORKQUEUE;
	return run->kind->context ? run->kind->context(run) : IB_POLL_SOFTIRQ;
}

/* The device's limits, for this side's own share of the work. */
static int krping_run_check_queue(struct krping_run *run,
				  const struct krping_queue_attr *attr)
{
	const struct ib_device *device = run->conns->cm_id->device;
	const struct ib_device_attr *limit = &device->attrs;
	u64 entries = (u64)krping_queue_entries(attr) * run->nr_conns;

	if (attr->sq_size >= limit->max_qp_wr || attr->recv_depth >= limit->max_qp_wr)
		return krping_cause_set(run->cause, -EINVAL,
					"txdepth=%u: that needs a queue of %u WRs, and the device has at most %u",
					run->opts.txdepth,
					max(attr->sq_size, attr->recv_depth),
					(u32)limit->max_qp_wr - 1);
	if (entries > limit->max_cqe)
		return krping_cause_set(run->cause, -EINVAL,
					"qps=%u, txdepth=%u: that needs a CQ of %llu entries, and the device has at most %u",
					run->nr_conns, run->opts.txdepth, entries,
					(u32)limit->max_cqe);
	if (attr->send_sge > limit->max_send_sge)
		return krping_cause_set(run->cause, -EINVAL,
					"sge=%u: the device takes 1 to %u entries",
					attr->send_sge, (u32)limit->max_send_sge);
	if (attr->read_sge > limit->max_sge_rd)
		return krping_cause_set(run->cause, -EINVAL,
					"sge=%u: the device takes 1 to %u entries for an RDMA READ",
					attr->read_sge, (u32)limit->max_sge_rd);
	if (attr->srq && attr->recv_depth > limit->max_srq_wr)
		return krping_cause_set(run->cause, limit->max_srq_wr ? -EINVAL :
					-EOPNOTSUPP,
					"srq: that needs %u RECVs, and the device has at most %u",
					attr->recv_depth, (u32)limit->max_srq_wr);
	return 0;
}

/* As many READs as both devices allow, or one: rping's number. */
static void krping_run_set_reads(struct krping_run *run, struct krping_conn *conn)
{
	const struct ib_device_attr *limit = &conn->cm_id->device->attrs;
	u32 out = 1, in = 1;

	if (run->kind->deep_reads) {
		out = clamp_t(u32, limit->max_qp_init_rd_atom, 1, U8_MAX);
		in = clamp_t(u32, limit->max_qp_rd_atom, 1, U8_MAX);
	}
	if (!krping_is_client(run)) {
		out = min_t(u32, out, conn->reads_out);
		in = min_t(u32, in, conn->reads_in);
	}
	conn->reads_out = out;
	conn->reads_in = in;
}

static int krping_run_alloc_hist(struct krping_run *run)
{
	struct krping_hist *hist;

	if (run->kind->streams || run->hist)
		return 0;
	hist = kvmalloc(sizeof(*hist), GFP_KERNEL);
	if (!hist)
		return krping_cause_set(run->cause, -ENOMEM,
					"no memory for a histogram");
	krping_hist_init(hist);
	/* pairs with krping_run_hist() */
	smp_store_release(&run->hist, hist);
	return 0;
}

static int krping_run_setup(struct krping_run *run)
{
	struct krping_queue_attr attr = {
		.recv_depth	= KRPING_RECV_DEPTH,
		.recv_bytes	= KRPING_RECV_BYTES,
		.srq		= run->opts.srq,
	};
	struct ib_device *device = run->conns->cm_id->device;
	u32 i;
	int ret;

	run->kind->queue_attr(run, &attr);
	ret = krping_run_check_queue(run, &attr);
	if (!ret)
		ret = krping_run_alloc_hist(run);
	if (!ret)
		ret = krping_cq_alloc(&run->cq, device,
				      krping_queue_entries(&attr) * run->nr_conns,
				      krping_run_context(run),
				      krping_options_cpu(&run->opts, run->nr));

	for (i = 0; i < run->nr_conns && !ret; i++) {
		struct krping_conn *conn = &run->conns[i];

		krping_run_set_reads(run, conn);
		ret = krping_conn_alloc(conn, run->kind->global_rkey(run), &attr);
		if (!ret)
			ret = run->kind->setup(run, conn);
	}
	return ret;
}

static int krping_run_connect(struct krping_run *run, u32 nr)
{
	struct krping_conn *conn = &run->conns[nr];
	struct krping_agreement ask;
	int ret;

	krping_agree_ask(&run->opts, &ask);
	ask.session = run->session;
	ask.lane = run->lane + nr;
	ask.lanes = run->lanes;
	ask.recvs = run->kind->recvs ? run->kind->recvs(run) : 0;
	ret = krping_conn_connect(conn, &ask);
	if (ret)
		return ret;
	if (!krping_conn_negotiated(conn) && run->opts.test != KRPING_TEST_PING)
		return krping_cause_set(run->cause, -EOPNOTSUPP,
					"the server is an older krping or a user-space rping, which has no %s",
					krping_test_name(run->opts.test));
	return 0;
}

/* Do what only some do at a time. On error the cause is set. */
static int krping_run_in_turn(struct krping_run *run,
			      int (*fn)(struct krping_run *run))
{
	struct krping_turn turn = { 0 };
	int ret;

	krping_turn_ask(&turn, run->cause, krping_is_client(run));
	/* Others' turns end in time, so this does. */
	ret = krping_wait(&run->cq, krping_turn_mine, &turn, 0);
	if (!ret)
		ret = fn(run);
	else if (ret == -ECONNRESET)
		ret = krping_cause_set(run->cause, ret,
				       "%s before it was served",
				       krping_cause_loss(run->cause));
	krping_turn_end(&turn);
	return ret;
}

static int krping_run_get_connected(struct krping_run *run)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < run->nr_conns && !ret; i++) {
		ret = krping_conn_resolve(&run->conns[i]);
		if (!ret && run->conns[i].cm_id->device != run->conns->cm_id->device)
			ret = krping_cause_set(run->cause, -ENODEV,
					       "the server's address leads to more than one device; device=NAME is right");
	}
	if (!ret)
		ret = krping_run_check(run);
	if (!ret)
		ret = krping_run_setup(run);
	for (i = 0; i < run->nr_conns && !ret; i++)
		ret = krping_run_connect(run, i);
	return ret;
}

/**
 * krping_run_client() - get connected to the server
 * @run: initialised
 *
 * The test's thread.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_run_client(struct krping_run *run)
{
	return krping_run_in_turn(run, krping_run_get_connected);
}

/**
 * krping_run_listen() - listen for clients
 * @run: initialised
 *
 * The test's thread.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_run_listen(struct krping_run *run)
{
	int ret;

	ret = krping_conn_listen(run->conns);
	if (!ret && run->conns->listen_id->device)
		ret = krping_run_check(run);
	return ret;
}

/**
 * krping_run_serve() - look whether the client that waits can be served
 * @run: initialised, with a client that waits
 * @own: the server's command
 * @limit: what would be, if that has a number, and the client cannot; else 0
 *
 * The test's thread.
 *
 * Return: 0, or the &enum krping_rej_reason for krping_run_refuse().
 */
u8 krping_run_serve(struct krping_run *run, const struct krping_options *own,
		    u64 *limit)
{
	const struct krping_conn *conn = run->conns;
	const char *why;
	u8 reason;
	u64 max;

	*limit = 0;
	switch (conn->peer_ret) {
	case 0:
		reason = krping_agree_adopt(own, &conn->peer, &run->opts, limit);
		break;
	case -ENOENT:
		reason = krping_agree_old_peer(&run->opts, limit);
		break;
	case -EPROTONOSUPPORT:
		*limit = KRPING_WIRE_VERSION;
		return KRPING_REJ_VERSION;
	default:
		return KRPING_REJ_MALFORMED;
	}
	if (reason)
		return reason;

	run->kind = run->kinds[run->opts.test];
	if (run->kind->check(run, &max, &why))
		return KRPING_REJ_UNSUPPORTED;
	if (run->opts.size > max) {
		*limit = max;
		return KRPING_REJ_SIZE;
	}
	return 0;
}

/**
 * krping_run_refuse() - turn the client that waits away
 * @run: as krping_run_serve() has left it
 * @own: the server's command
 * @reason: what that has returned
 * @limit: and what is allowed
 *
 * The test's thread. Nothing is left of what the client has asked for.
 */
void krping_run_refuse(struct krping_run *run, const struct krping_options *own,
		       u8 reason, u64 limit)
{
	pr_warn_ratelimited("a client was turned away: the server %s (limit %llu)\n",
			    krping_rej_reason_str(reason), limit);
	krping_conn_reject(run->conns, reason, limit);
	run->opts = *own;
	run->kind = run->kinds[own->test];
}

/**
 * krping_run_await_client() - turn clients away until one can be served
 * @run: listening
 * @own: the server's command
 *
 * The test's thread.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_run_await_client(struct krping_run *run,
			    const struct krping_options *own)
{
	u64 limit;
	u8 reason;
	int ret;

	for (;;) {
		ret = krping_conn_await_request(run->conns);
		if (ret)
			return ret;
		reason = krping_run_serve(run, own, &limit);
		if (!reason)
			return 0;
		krping_run_refuse(run, own, reason, limit);
	}
}

static int krping_run_get_accepted(struct krping_run *run)
{
	struct krping_conn *conn = run->conns;
	struct krping_agreement agreed;
	int ret;

	ret = krping_run_setup(run);
	if (ret)
		return ret;
	krping_agree_ask(&run->opts, &agreed);
	/* The count is the client's, also if this side has a duration. */
	agreed.count = run->opts.count;
	agreed.recvs = run->kind->recvs ? run->kind->recvs(run) : 0;
	if (!(conn->peer.flags & KRPING_WIRE_REPORT))
		agreed.flags &= ~KRPING_WIRE_REPORT;
	/* The client may be done before rdma_accept() returns. */
	krping_run_start(run);
	return krping_conn_accept(conn, &agreed);
}

/**
 * krping_run_accept() - accept the client that waits
 * @run: with a client that can be served
 *
 * The test's thread.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_run_accept(struct krping_run *run)
{
	return krping_run_in_turn(run, krping_run_get_accepted);
}

/**
 * krping_run_start() - begin to count the time
 * @run: ready
 *
 * The test's thread, before an operation can be posted or arrive.
 */
void krping_run_start(struct krping_run *run)
{
	krping_clock_read(&run->clock_start);
	WRITE_ONCE(run->start_ns, ktime_get_ns());
	WRITE_ONCE(run->end_ns, run->start_ns);
	if (run->opts.duration) {
		run->deadline = jiffies + min_t(u64, (u64)run->opts.duration * HZ,
						MAX_JIFFY_OFFSET);
		mod_timer(&run->duration, run->deadline);
	}
	krping_cq_progress(&run->cq);
}

/**
 * krping_run_loop() - run the test
 * @run: connected; a server's has been started
 *
 * The test's thread.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_run_loop(struct krping_run *run)
{
	int ret;

	if (krping_is_client(run))
		krping_run_start(run);
	run->cq.running = true;
	ret = run->kind->loop(run);
	krping_clock_read(&run->clock_end);
	return ret;
}

/**
 * krping_run_teardown() - give back all that the thread has got
 * @run: initialised, in whatever state
 *
 * The test's thread.
 */
void krping_run_teardown(struct krping_run *run)
{
	u32 i;

	timer_delete_sync(&run->duration);
	for (i = 0; i < run->nr_conns; i++)
		krping_conn_disconnect(&run->conns[i]);
	krping_cq_drain(&run->cq);
	/*
	 * QPs and CQ go before what they move: with an SRQ, a packet that the device
	 * is just receiving does not wait for ib_drain_sq().
	 */
	for (i = 0; i < run->nr_conns; i++)
		krping_conn_free_qp(&run->conns[i]);
	krping_cq_free(&run->cq);
	for (i = 0; i < run->nr_conns; i++) {
		run->kind->cleanup(run, &run->conns[i]);
		krping_conn_free(&run->conns[i]);
		krping_conn_destroy(&run->conns[i]);
	}
}
