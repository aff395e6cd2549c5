// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Throughput: the client, or with duplex each side, keeps txdepth operations under way.
 *
 * The WRs of a connection are built once and posted repeatedly; every Nth WR is signaled. With a
 * stride the operations use several addresses (slots) in turn, and each slot has a WR. All posts
 * and handlers run in the context that handles the CQ.
 *
 * An operation that consumes a RECV must find a posted RECV, because iWARP has no RNR NAK, and on
 * RoCE and InfiniBand an RNR NAK costs milliseconds. The receiver therefore advertises its
 * number of RECVs. Without duplex the receiver also sends credits for the messages that it has
 * handled. With duplex a side posts at most a window of messages more than it has received, so the
 * peer's message N proves that the peer has received N - window messages.
 *
 * With validate each operation under way has its own slot and its own data. A slot is used again
 * once its data was compared. This side compares the data of READs. The peer compares all other
 * data, and then sends a credit. For the new data of READs see bench_refill.c.
 */
#include <linux/bottom_half.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "bench.h"
#include "bench_credit.h"
#include "bench_refill.h"
#include "stride.h"

/**
 * struct krping_stream - one connection of a throughput test
 * @b: the microbenchmark; &krping_bench.done counts completed operations
 * @depth: maximum number of operations under way
 * @batch: operations per post
 * @cqmod: signal every Nth operation
 * @to_signal: operations until the next signaled one
 * @warmup: client: number of operations at the beginning that are not measured
 * @posted: number of operations posted so far
 * @mark: number of the last signaled operation
 * @limited: @limit applies, because each operation consumes a RECV of the peer, or because the
 *	peer fills slots with new data
 * @limit: maximum of @posted: @window plus the number of operations that the peer has credited. A
 *	credit is a credit message; with duplex, an operation of the peer; for READs, a refill
 *	message
 * @window: how many operations this side may post beyond those that the peer has credited
 * @credit_every: how many messages of the peer, or READs of this side, a credit covers
 * @credited: READs: value of the last credit that this side has sent
 * @to_credit: messages of the peer until this side sends the next credit
 * @stopped: post no more operations
 * @failed: the device has rejected a chain; post no more operations
 * @start_ns: when the operations began, ktime_get_ns()
 * @changes: the data or the addresses of the operations change from post to post
 * @wr: the WRs; WR N has the address of slot N modulo the number of slots
 * @nr_wr: number of @wr; enough for a whole batch that begins at the last slot
 * @sge: with a stride: SGEs of each WR; else NULL
 * @slot: slot of the next operation
 * @first: first WR of the next post
 * @notify: with validate: the SENDs that follow the WRITEs of a batch; else NULL
 */
struct krping_stream {
	struct krping_bench b;
	u32 depth;
	u32 batch;
	u32 cqmod;
	u32 to_signal;
	u64 warmup;
	u64 posted;
	u64 mark;
	bool limited;
	u64 limit;
	u32 window;
	u32 credit_every;
	u64 credited;
	u32 to_credit;
	bool stopped;
	bool failed;
	u64 start_ns;
	bool changes;
	union krping_wr *wr;
	u32 nr_wr;
	struct ib_sge *sge;
	u32 slot;
	union krping_wr *first;
	struct ib_send_wr *notify;
};

static struct krping_stream *krping_stream(struct krping_queue *q)
{
	return container_of((struct krping_bench *)q->priv,
			    struct krping_stream, b);
}

/* With rate=, return how many operations are due: operation N (from 0) after N / rate seconds. */
static u64 krping_stream_due(const struct krping_stream *s)
{
	u64 passed = ktime_get_ns() - s->start_ns;

	return mul_u64_u32_div(passed, s->b.plan->rate, NSEC_PER_SEC) + 1;
}

/* Return how many operations may be posted now, at most a batch. */
static u32 krping_stream_room(const struct krping_stream *s)
{
	u64 end = s->b.done + s->depth;

	if (s->stopped || s->failed)
		return 0;
	if (s->limited)
		end = min(end, s->limit);
	if (s->b.target)
		end = min(end, s->b.target);
	if (s->b.plan->rate)
		end = min(end, krping_stream_due(s));
	return end > s->posted ? min_t(u64, end - s->posted, s->batch) : 0;
}

/* Count an operation. Return true if it is signaled: each Nth, and the last of warm-up and test. */
static bool krping_stream_signal(struct krping_stream *s)
{
	s->posted++;
	if (--s->to_signal && s->posted != s->b.target &&
	    s->posted != s->warmup)
		return false;
	s->to_signal = s->cqmod;
	s->mark = s->posted;
	return true;
}

static void krping_stream_flag(struct ib_send_wr *wr, bool signaled)
{
	if (signaled)
		wr->send_flags |= IB_SEND_SIGNALED;
	else
		wr->send_flags &= ~IB_SEND_SIGNALED;
}

/* Fill the slots of the next @nr operations, if the plan says so, and choose their WRs. */
static void krping_stream_change(struct krping_stream *s, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && s->b.plan->fills; i++)
		krping_bench_put(&s->b, &s->b.local, s->posted + i);
	s->first = &s->wr[s->slot];
	s->slot = krping_stride_next(s->slot, nr, s->b.plan->slots);
}

/* Insert a SEND after each WRITE of a chain. */
static void krping_stream_insert_notify(struct krping_stream *s, union krping_wr *wr, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		s->notify[i].next = wr[i].wr.next;
		wr[i].wr.next = &s->notify[i];
	}
}

/* Post @nr operations, with a SEND after each WRITE if the plan says so. */
static int krping_stream_post(struct krping_stream *s, u32 nr)
{
	struct krping_queue *q = &s->b.conn->queue;
	union krping_wr *wr;
	bool any = false;
	u32 i;

	if (s->changes)
		krping_stream_change(s, nr);
	wr = s->first;
	for (i = 0; i < nr; i++) {
		bool signaled = krping_stream_signal(s);

		any |= signaled;
		if (s->b.plan->notifies)
			krping_stream_flag(&s->notify[i], signaled);
		else
			krping_stream_flag(&wr[i].wr, signaled);
		wr[i].wr.next = i + 1 < nr ? &wr[i + 1].wr : NULL;
	}
	if (s->b.plan->notifies)
		krping_stream_insert_notify(s, wr, nr);
	krping_queue_count(q, &wr->wr, nr, any);
	return krping_queue_post(q, &wr->wr);
}

/*
 * Post as many operations as possible. While a signaled operation is outstanding, post only whole
 * batches, because its completion will make room. The end of the test may need less than a batch.
 */
static void krping_stream_pump(struct krping_stream *s)
{
	struct krping_bench *b = &s->b;
	u32 room;

	if (krping_bench_step(b) != KRPING_BENCH_RUN)
		return;
	while ((room = krping_stream_room(s))) {
		if (room < s->batch && b->done < s->mark &&
		    s->posted + room != b->target)
			break;
		s->failed = krping_stream_post(s, room);
	}
}

/*
 * Count operations @before to b->done - 1 as iterations, except those of the warm-up. The measured
 * time begins when the warm-up ends, and is extended to now.
 */
static void krping_stream_measure(struct krping_stream *s, u64 before)
{
	struct krping_thread *thread = s->b.thread;
	u64 now = ktime_get_ns();

	if (s->b.done <= s->warmup) {
		if (!thread->iterations)
			krping_u64_write(&thread->start_ns, now);
		return;
	}
	krping_u64_write(&thread->iterations, thread->iterations + s->b.done -
		   max(before, s->warmup));
	krping_u64_write(&thread->end_ns, now);
}

/* Client: post no more operations, and send the finish message. */
static void krping_stream_end(struct krping_stream *s)
{
	s->stopped = true;
	krping_bench_finish(&s->b);
}

/* Compare READs @before to b->done - 1. If READ N is wrong, set b->done to N, and return false. */
static bool krping_stream_compare(struct krping_stream *s, u64 before)
{
	struct krping_bench *b = &s->b;
	u64 n = before;

	while (n < b->done && krping_bench_compare(b, &b->local, n))
		n++;
	if (n == b->done)
		return true;
	b->done = n;
	if (n > before)
		krping_stream_measure(s, before);
	return false;
}

/* Send a credit, which lets the peer fill the slots whose data this side has read and compared. */
static void krping_stream_give_slots(struct krping_stream *s)
{
	if (s->b.done - s->credited < s->credit_every)
		return;
	s->credited = s->b.done;
	krping_ctlmsg_credit(&s->b.control, s->credited);
}

/* Handle the completion of a signaled operation, which also completes the previous operations. */
static void krping_stream_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_stream *s = krping_stream(q);
	struct krping_bench *b = &s->b;
	u64 before = b->done;

	krping_cq_progress(q->cq);
	b->done += s->cqmod;
	/* The last signaled operation of the warm-up, or of the test, may complete fewer. */
	if (before < s->warmup)
		b->done = min(b->done, s->warmup);
	if (b->target)
		b->done = min(b->done, b->target);
	if (krping_bench_step(b) == KRPING_BENCH_RUN &&
	    b->plan->compares_local && !krping_stream_compare(s, before))
		return;
	/* After the finish message, the number of iterations is final. */
	if (!s->stopped)
		krping_stream_measure(s, before);

	if (krping_bench_step(b) != KRPING_BENCH_RUN)
		return;
	if (b->plan->refills)
		krping_stream_give_slots(s);
	if (!krping_is_client(b->thread)) {
		krping_stream_pump(s);
		return;
	}
	krping_bench_alive(b);
	if (krping_bench_over(b))
		krping_stream_end(s);
	else
		krping_stream_pump(s);
}

/* With duplex, raise the limit and post, because each message of the peer implies a credit. */
static void krping_stream_implied(struct krping_stream *s)
{
	s->limit = s->b.received + s->window;
	krping_stream_pump(s);
}

/* Without duplex, send a credit after each @credit_every messages. */
static void krping_stream_give_credit(struct krping_stream *s)
{
	if (--s->to_credit)
		return;
	s->to_credit = s->credit_every;
	krping_ctlmsg_credit(&s->b.control, s->b.received);
}

/* Count iterations of a server that posts no operations: the client's operations so far. */
static void krping_stream_took(struct krping_stream *s)
{
	krping_u64_write(&s->b.thread->iterations, s->b.received);
	krping_u64_write(&s->b.thread->end_ns, ktime_get_ns());
}

/* Handle an operation of the peer that has consumed a RECV: compare, count, and credit it. */
static void krping_stream_recv(struct krping_queue *q,
			       const struct krping_wire_msg *msg,
			       const struct ib_wc *wc)
{
	struct krping_stream *s = krping_stream(q);
	struct krping_bench *b = &s->b;

	if (krping_bench_step(b) == KRPING_BENCH_AWAIT_ADVERT ||
	    !b->plan->receives) {
		krping_status_set(q->status, -EPROTO,
				  "the peer sent unexpected data");
		return;
	}
	if (!krping_bench_length_ok(b, wc))
		return;
	krping_cq_progress(q->cq);
	if (b->plan->compares_shared && !krping_bench_compare(b, &b->shared, b->received))
		return;
	b->received++;
	if (!b->plan->posts)
		krping_stream_took(s);
	if (b->plan->duplex)
		krping_stream_implied(s);
	else if (krping_bench_step(b) == KRPING_BENCH_RUN)
		krping_stream_give_credit(s);
}

/*
 * Handle a credit for the first @value operations: raise the limit, and post. Return false if
 * @value exceeds @most or is less than an earlier value.
 */
static bool krping_stream_allow(struct krping_stream *s, u64 value, u64 most)
{
	if (value > most || value + s->window < s->limit)
		return false;
	s->limit = value + s->window;
	krping_stream_pump(s);
	return true;
}

/* Handle a credit message. Without refill, a client's credit is only a keep-alive message. */
static void krping_stream_credit(struct krping_bench *b, u64 value)
{
	struct krping_stream *s = container_of(b, struct krping_stream, b);

	if (b->plan->refills)
		krping_bench_refill(b, value);
	else if (krping_is_client(b->thread) && !krping_stream_allow(s, value, s->posted))
		krping_status_set(b->thread->status, -EPROTO,
				  "the server says that it has taken %llu of %llu message%s",
				  value, s->posted, krping_plural(s->posted));
}

/* Handle the peer's message that the slots of the first @value READs have new data. */
static void krping_stream_refill(struct krping_bench *b, u64 value)
{
	struct krping_stream *s = container_of(b, struct krping_stream, b);

	/* The peer also fills slots after a keep-alive message, which reports b->done. */
	if (!krping_stream_allow(s, value, b->done))
		krping_status_set(b->thread->status, -EPROTO,
				  "the peer says that it has filled the slots of %llu of %llu READs",
				  value, b->done);
}

/* Set the addresses of WR @i: those of its slot in the buffers of both sides. */
static void krping_stream_place(struct krping_stream *s, u32 i)
{
	struct krping_bench *b = &s->b;
	u64 off = krping_stride_offset(b->thread->opts.stride, b->plan->slots, i);
	u32 k;

	krping_bench_set_peer(b, &s->wr[i]);
	if (!s->sge)
		return;
	s->wr[i].wr.sg_list = &s->sge[i * b->plan->nr_sge];
	for (k = 0; k < b->plan->nr_sge; k++) {
		s->wr[i].wr.sg_list[k] = b->sge[k];
		s->wr[i].wr.sg_list[k].addr += off;
	}
	if (b->op != KRPING_OP_SEND)
		s->wr[i].rdma.remote_addr += off;
}

/* Handle the peer's buffer advert: set the limit and the WRs' addresses, and start to post. */
static void krping_stream_begin(struct krping_bench *b)
{
	struct krping_stream *s = container_of(b, struct krping_stream, b);
	struct krping_thread *thread = b->thread;
	u32 i;

	s->limited = b->plan->by_recv || b->plan->refills;
	if (s->limited && b->plan->posts) {
		s->window = krping_bench_window(b);
		s->limit = s->window;
		/* A peer that receives data has two RECVs for each operation in flight. */
		if (b->plan->by_recv && b->conn->peer.recvs < 2) {
			krping_status_set(thread->status, -EPROTO,
					  "the peer has no RECVs for data");
			return;
		}
	}
	/* Post nothing before the client's first message, which acknowledges the buffer advert. */
	if (b->plan->by_recv && !krping_is_client(thread))
		s->limit = 0;
	s->start_ns = ktime_get_ns();
	krping_thread_begin(thread, s->start_ns);
	for (i = 0; b->plan->posts && i < s->nr_wr; i++)
		krping_stream_place(s, i);
	krping_bench_run(b);
	if (b->plan->posts)
		krping_stream_pump(s);
}

/* Server: the client's finish message has arrived. Post nothing more, and send the report. */
static void krping_stream_finish(struct krping_bench *b)
{
	struct krping_stream *s = container_of(b, struct krping_stream, b);

	s->stopped = true;
	krping_bench_report(b);
}

static const struct krping_bench_ops krping_stream_ops = {
	.begin	= krping_stream_begin,
	.credit	= krping_stream_credit,
	.refill	= krping_stream_refill,
	.finish	= krping_stream_finish,
};

/* With rate=, check whether a connection only waits for the time of its next operation. */
static bool krping_stream_paces(const struct krping_stream *s)
{
	return s->b.done >= s->mark && (!s->limited || s->posted < s->limit) &&
	       krping_stream_due(s) <= s->posted;
}

/* With rate=, post due operations, or finish. In a pause, prevent timeouts of both sides. */
static void krping_stream_look(struct krping_stream *s)
{
	bool paces;

	if (krping_bench_step(&s->b) != KRPING_BENCH_RUN)
		return;
	paces = krping_stream_paces(s);
	if (paces)
		krping_cq_progress(s->b.conn->queue.cq);
	local_bh_disable();
	if (paces)
		krping_bench_alive(&s->b);
	if (krping_bench_over(&s->b))
		krping_stream_end(s);
	else
		krping_stream_pump(s);
	local_bh_enable();
}

/* Condition for the thread's wait: all connections have ended. With rate=, also post. */
static bool krping_stream_done(void *arg)
{
	struct krping_thread *thread = arg;
	u32 i;

	/* With a rate the thread polls the CQ, and so may post. */
	for (i = 0; i < thread->nr_conns && thread->plan.rate; i++)
		krping_stream_look(krping_stream(&thread->conns[i].queue));
	return krping_bench_all_done(thread);
}

static int krping_stream_loop(struct krping_thread *thread)
{
	return krping_bench_loop(thread, krping_stream_done);
}

static void krping_stream_init(struct krping_stream *s)
{
	const struct krping_options *opts = &s->b.thread->opts;
	const struct krping_plan *plan = s->b.plan;

	s->depth = plan->depth;
	s->batch = min(plan->batch, s->depth);
	s->cqmod = min(plan->cqmod, s->depth);
	s->to_signal = s->cqmod;
	s->credit_every = krping_bench_credit_every(&s->b);
	s->to_credit = s->credit_every;
	if (krping_is_client(s->b.thread))
		s->warmup = opts->warmup;
	s->changes = plan->fills || plan->slots > 1;
	s->nr_wr = s->batch + plan->slots - 1;
}

static int krping_stream_alloc_wrs(struct krping_stream *s)
{
	const struct krping_plan *plan = s->b.plan;
	u32 i;

	s->wr = kvcalloc(s->nr_wr, sizeof(*s->wr), GFP_KERNEL);
	if (plan->slots > 1)
		s->sge = kvcalloc(s->nr_wr, plan->nr_sge * sizeof(*s->sge), GFP_KERNEL);
	if (plan->notifies)
		s->notify = kvcalloc(s->batch, sizeof(*s->notify), GFP_KERNEL);
	if (!s->wr || (plan->slots > 1 && !s->sge) || (plan->notifies && !s->notify))
		return krping_status_set(s->b.thread->status, -ENOMEM, "no memory");
	s->first = s->wr;
	for (i = 0; i < s->nr_wr; i++)
		krping_bench_init_wr(&s->b, &s->wr[i]);
	for (i = 0; i < s->batch && plan->notifies; i++)
		krping_bench_init_notify(&s->b, &s->notify[i]);
	return 0;
}

static int krping_stream_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_stream *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	conn->queue.priv = &s->b;
	ret = krping_bench_setup(&s->b, thread, conn, &krping_stream_ops);
	if (ret)
		return ret;
	krping_stream_init(s);
	return thread->plan.posts ? krping_stream_alloc_wrs(s) : 0;
}

static void krping_stream_cleanup(struct krping_thread *thread,
				  struct krping_conn *conn)
{
	struct krping_stream *s;

	if (!conn->queue.priv)
		return;
	s = krping_stream(&conn->queue);
	krping_bench_cleanup(&s->b);
	kvfree(s->notify);
	kvfree(s->sge);
	kvfree(s->wr);
	kfree(s);
	conn->queue.priv = NULL;
}

static int krping_stream_plan(const struct krping_thread *thread,
			      struct krping_plan *plan, const char **why)
{
	int ret = krping_bench_plan(thread, plan, why);

	if (ret)
		return ret;
	krping_bench_plan_depths(thread, plan);
	plan->queue.recv = krping_stream_recv;
	plan->queue.sent = krping_stream_sent;
	krping_bench_plan_queue(thread, plan, plan->refills ? KRPING_REFILL_RECVS : plan->recvs);
	return 0;
}

#define KRPING_STREAM_OPS					\
	.streams	= true,					\
	.shares		= true,					\
	.compares_in_cq	= true,					\
	.plan		= krping_stream_plan,			\
	.setup		= krping_stream_setup,			\
	.loop		= krping_stream_loop,			\
	.cleanup	= krping_stream_cleanup

const struct krping_test_ops krping_bw_ops = {
	.type		= KRPING_TEST_BW,
	.op		= KRPING_OP_WRITE,
	KRPING_STREAM_OPS,
};

const struct krping_test_ops krping_rbw_ops = {
	.type		= KRPING_TEST_RBW,
	.op		= KRPING_OP_READ,
	.deep_reads	= true,
	KRPING_STREAM_OPS,
};

const struct krping_test_ops krping_sbw_ops = {
	.type		= KRPING_TEST_SBW,
	.op		= KRPING_OP_SEND,
	KRPING_STREAM_OPS,
};
