// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests of latency, in which each connection has one operation in flight.
 *
 * slat: the server answers a SEND with a SEND of the same size. The latency is half of the time
 *	from the client's post to the arrival of the answer.
 * wlat: as slat, with WRITEs. As in perftest, the thread polls the first and the last byte for the
 *	number of the next operation, and does not check the bytes between. With validate, a SEND
 *	follows the WRITE, and the data is compared. With imm, the completion of a RECV reports
 *	the arrival.
 * rlat: a READ, or an atomic operation. The latency is the time from the post to the completion.
 *
 * The CQ's context handles each arrival and posts the next operation. If wlat polls memory, the
 * thread handles arrivals and posts instead. With rate, an operation may not be due when the
 * previous one ends; the thread then posts the operation at its due time.
 */
#include <linux/bottom_half.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "bench.h"

/*
 * Number of memory polls after which the thread returns to krping_wait(), which checks the status
 * and, with poll, the CQ. The thread returns earlier once signal_every operations have arrived, so
 * that completions are handled before the SQ is full.
 */
#define KRPING_LATENCY_SPINS	256

/**
 * struct krping_latency - one connection of a latency test
 * @b: the microbenchmark
 * @wr: WR of the operation
 * @notify: the SEND that follows a WRITE with validate
 * @first: first byte that the peer WRITEs
 * @last: last byte that the peer WRITEs
 * @out_first: first byte that this side WRITEs
 * @out_last: last byte that this side WRITEs
 * @seq: number in the next WRITE that arrives, never 0, because the buffers are zero at first
 * @iter_start_ns: client: when the operation began or, with rate, was due; server: when this side
 *	began its last answer; ktime_get_ns()
 * @period: with rate: time from one operation to the next, in whole nanoseconds
 * @period_rem: with rate: fraction of a nanosecond to add to @period, in units of 1 / rate ns
 * @phase: with rate: fraction of a nanosecond to add to @iter_start_ns, in units of 1 / rate ns
 * @waiting: with rate: the next operation was not due yet, so the thread has to post the operation
 * @begun: wlat: client: the thread has to post the first WRITE
 * @finish: wlat: server: the client has sent the finish message
 */
struct krping_latency {
	struct krping_bench b;
	union krping_wr wr;
	struct ib_send_wr notify;
	u8 *first;
	u8 *last;
	u8 *out_first;
	u8 *out_last;
	u8 seq;
	u64 iter_start_ns;
	u32 period;
	u32 period_rem;
	u32 phase;
	bool waiting;
	bool begun;
	bool finish;
};

static struct krping_latency *krping_latency(struct krping_queue *q)
{
	return container_of((struct krping_bench *)q->priv,
			    struct krping_latency, b);
}

/*
 * One operation.
 */

/* wlat: store the operation's number in the first and the last byte. */
static void krping_latency_mark(struct krping_latency *l)
{
	krping_buf_ends_for_cpu(&l->b.local);
	*l->out_first = l->seq;
	*l->out_last = l->seq;
	krping_buf_ends_for_device(&l->b.local);
}

/* Set the operands of an atomic. Its target, which no other QP changes, counts the operations. */
static void krping_latency_set_atomic(struct krping_latency *l)
{
	if (l->wr.wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP) {
		l->wr.atomic.compare_add = l->b.done;
		l->wr.atomic.swap = l->b.done + 1;
	} else {
		l->wr.atomic.compare_add = 1;
	}
}

/* Post the operation or the answer. If the test checks the data, fill in the data first. */
static void krping_latency_post(struct krping_latency *l)
{
	struct krping_queue *q = &l->b.conn->queue;

	if (l->first)
		krping_latency_mark(l);
	else if (l->b.plan->atomic)
		krping_latency_set_atomic(l);
	else if (l->b.plan->fills)
		krping_bench_put(&l->b, &l->b.local, krping_is_client(l->b.thread) ?
				 l->b.done : l->b.received - 1);

	if (l->b.op == KRPING_OP_READ) {
		krping_queue_count(q, &l->wr.wr, 1, true);
		krping_queue_post(q, &l->wr.wr);
	} else {
		krping_queue_prepare(q, &l->wr.wr);
		krping_queue_submit(q, &l->wr.wr);
	}
}

/*
 * Record operation number @nr, which began at @began and ended at @now. The measured time starts
 * when the last warm-up operation ends.
 */
static void krping_latency_measure(struct krping_latency *l, u64 nr, u64 began,
				   u64 now)
{
	struct krping_thread *thread = l->b.thread;
	u64 nsec = now > began ? now - began : 0;

	if (nr >= thread->opts.warmup) {
		krping_u64_write(&thread->iterations, thread->iterations + 1);
		krping_u64_write(&thread->end_ns, now);
		/* Last, so that the rare krping_hist_carry() is a tail call, which is cheaper. */
		krping_hist_record(thread->hist, thread->ops->half ? nsec / 2 : nsec);
	} else if (!thread->iterations) {
		krping_u64_write(&thread->start_ns, now);
	}
}

/* Client: compute when the next operation is due. Operation N is due N / rate s after the first. */
static void krping_latency_schedule(struct krping_latency *l)
{
	u32 rate = l->b.plan->rate;

	l->iter_start_ns += l->period;
	l->phase += l->period_rem;
	if (l->phase >= rate) {
		l->phase -= rate;
		l->iter_start_ns++;
	}
}

/* Client: post the next operation, unless it is not due or the test is over. */
static void krping_latency_next(struct krping_latency *l, u64 now)
{
	if (!l->b.plan->rate) {
		l->iter_start_ns = now;
	} else {
		/* The latency starts at the due time, even if the post is late. */
		krping_latency_schedule(l);
		l->waiting = now < l->iter_start_ns;
		if (l->waiting)
			return;
	}
	krping_latency_post(l);
}

/*
 * Client: complete an operation and post the next. Post before recording the latency,
 * which would delay the post.
 */
static void krping_latency_iterate(struct krping_latency *l)
{
	u64 began = l->iter_start_ns;
	u64 now = ktime_get_ns();
	u64 nr = l->b.done++;
	bool over = krping_bench_over(&l->b);

	if (!over)
		krping_latency_next(l, now);
	krping_latency_measure(l, nr, began, now);
	if (over)
		krping_bench_finish(&l->b);
	else if (!l->b.thread->ops->echo)
		krping_bench_alive(&l->b);
}

/* Server: answer an operation that has arrived. */
static void krping_latency_answer(struct krping_latency *l)
{
	u64 began = l->iter_start_ns;
	u64 now = ktime_get_ns();

	l->iter_start_ns = now;
	krping_latency_post(l);
	/* A server measures from its last answer, so the first operation has no latency. */
	if (l->b.done)
		krping_latency_measure(l, l->b.done, began, now);
	else
		krping_u64_write(&l->b.thread->start_ns, now);
	l->b.done++;
}

/* Handle an operation of the peer that has arrived: complete or answer an operation. */
static void krping_latency_arrived(struct krping_latency *l)
{
	/*
	 * If the SQ is full, the last WR still waits for room, so the peer has answered a WR that
	 * was not posted. Do not submit the waiting WR a second time.
	 */
	if (unlikely(krping_queue_full(&l->b.conn->queue))) {
		krping_status_set(l->b.thread->status, -EPROTO,
				  "the peer sent unexpected data");
		return;
	}
	l->b.received++;
	if (krping_is_client(l->b.thread))
		krping_latency_iterate(l);
	else
		krping_latency_answer(l);
}

/*
 * Arrival by completion.
 */

/* Handle the completion of a RECV: check the peer's message, then complete or answer it. */
static void krping_latency_recv(struct krping_queue *q,
				const struct krping_wire_msg *msg,
				const struct ib_wc *wc)
{
	struct krping_latency *l = krping_latency(q);
	struct krping_bench *b = &l->b;

	if (krping_bench_step(b) != KRPING_BENCH_RUN ||
	    !b->plan->by_recv) {
		krping_status_set(q->status, -EPROTO,
				  "the peer sent unexpected data");
		return;
	}
	if (!krping_bench_length_ok(b, wc))
		return;
	if (b->plan->compares_shared && !krping_bench_compare(b, &b->shared, b->received))
		return;
	krping_latency_arrived(l);
}

/* Check that the atomic found the number of operations before it. */
static bool krping_latency_atomic_ok(struct krping_latency *l)
{
	struct krping_bench *b = &l->b;
	u64 got;

	krping_buf_for_cpu(&b->local);
	got = *(u64 *)krping_buf_data(&b->local);
	krping_buf_for_device(&b->local);
	if (likely(got == b->done))
		return true;
	krping_status_set(b->thread->status, -EBADMSG,
			  "iteration %llu: the atomic found %llu", b->done, got);
	return false;
}

/* Complete a READ or an atomic. A SEND or WRITE is complete when the peer's answer arrives. */
static void krping_latency_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_latency *l = krping_latency(q);
	struct krping_bench *b = &l->b;

	if (krping_bench_step(b) != KRPING_BENCH_RUN)
		return;
	if (b->plan->atomic) {
		if (!krping_latency_atomic_ok(l))
			return;
	} else if (b->plan->compares_local &&
		   !krping_bench_compare(b, &b->local, b->done)) {
		return;
	}
	krping_latency_iterate(l);
}

/* Client: post the first operation and start its time. */
static void krping_latency_first(struct krping_latency *l)
{
	l->iter_start_ns = ktime_get_ns();
	krping_thread_begin(l->b.thread, l->iter_start_ns);
	krping_latency_post(l);
}

/*
 * Begin the operations once the peer's buffer is known: the client posts its first operation, or
 * lets the thread post the first WRITE of wlat.
 */
static void krping_latency_begin(struct krping_bench *b)
{
	struct krping_latency *l = container_of(b, struct krping_latency, b);
	struct krping_thread *thread = b->thread;

	krping_bench_set_peer(b, &l->wr);
	if (!krping_is_client(thread)) {
		krping_bench_run(b);
		return;
	}
	if (b->plan->rate) {
		l->period = NSEC_PER_SEC / b->plan->rate;
		l->period_rem = NSEC_PER_SEC % b->plan->rate;
	}
	krping_bench_run(b);
	if (!thread->plan.by_memory)
		krping_latency_first(l);
	else
		/* pairs with krping_wlat_look() */
		smp_store_release(&l->begun, true);
}

/* Server: the client has sent the finish message, so report the result. */
static void krping_latency_finish(struct krping_bench *b)
{
	struct krping_latency *l = container_of(b, struct krping_latency, b);

	/* The thread may still have to answer the last operation, so let the thread report. */
	if (b->plan->by_memory)
		WRITE_ONCE(l->finish, true);
	else
		krping_bench_report(b);
}

static const struct krping_bench_ops krping_latency_ops = {
	.begin	= krping_latency_begin,
	.finish	= krping_latency_finish,
};

/*
 * Arrival by memory, which the thread polls.
 */

/* Check whether the next WRITE has arrived: its first and its last byte have its number. */
static bool krping_wlat_here(struct krping_latency *l)
{
	krping_buf_ends_for_cpu(&l->b.shared);
	if (READ_ONCE(*l->first) != l->seq || READ_ONCE(*l->last) != l->seq)
		return false;
	/* Read the data after the bytes that prove its arrival. */
	dma_rmb();
	return true;
}

/* Advance the number that the next WRITE carries, and skip 0. */
static void krping_wlat_next_seq(struct krping_latency *l)
{
	l->seq = l->seq == U8_MAX ? 1 : l->seq + 1;
}

/*
 * Poll memory once, and handle an operation that has arrived. Return true if an operation has
 * arrived. Also post the client's first operation, and let the server report after the last one.
 * A software provider transmits in a softirq. local_bh_enable() runs this softirq at once.
 */
static bool krping_wlat_look(struct krping_latency *l)
{
	struct krping_bench *b = &l->b;

	if (krping_bench_step(b) != KRPING_BENCH_RUN)
		return false;
	/* pairs with krping_latency_begin() */
	if (unlikely(smp_load_acquire(&l->begun))) {
		l->begun = false;
		local_bh_disable();
		krping_latency_first(l);
		local_bh_enable();
	} else if (krping_wlat_here(l)) {
		bool client = krping_is_client(b->thread);

		/* A client WRITEs the next number, a server answers with the same number. */
		if (client)
			krping_wlat_next_seq(l);
		local_bh_disable();
		krping_latency_arrived(l);
		local_bh_enable();
		if (!client)
			krping_wlat_next_seq(l);
		return true;
	} else if (unlikely(READ_ONCE(l->finish))) {
		krping_bench_report(b);
	}
	return false;
}

/*
 * Poll the memory of all connections for a while, and handle operations that have arrived. Return
 * true if all connections have ended.
 */
static bool krping_wlat_done(struct krping_thread *thread)
{
	u32 spins, arrivals = 0;
	u32 i;

	/* The connections share the polls, so more connections do not delay krping_wait(). */
	for (spins = 0; spins < KRPING_LATENCY_SPINS &&
	     arrivals < thread->plan.queue.signal_every; spins += thread->nr_conns) {
		for (i = 0; i < thread->nr_conns; i++)
			arrivals += krping_wlat_look(krping_latency(&thread->conns[i].queue));
		cpu_relax();
	}
	return krping_bench_all_done(thread);
}

/* With rate: post the waiting operations that are due. */
static void krping_latency_due(struct krping_thread *thread)
{
	u64 now = ktime_get_ns();
	u32 i;

	for (i = 0; i < thread->nr_conns; i++) {
		struct krping_latency *l = krping_latency(&thread->conns[i].queue);

		if (!l->waiting)
			continue;
		krping_cq_progress(&thread->cq);
		if (krping_bench_over(&l->b)) {
			l->waiting = false;
			krping_bench_finish(&l->b);
		} else if (now >= l->iter_start_ns) {
			l->waiting = false;
			local_bh_disable();
			krping_latency_post(l);
			local_bh_enable();
		}
	}
}

/*
 * Condition for krping_wait(): the test has ended. With rate or by_memory krping_wait() polls, and
 * in each poll the function also posts the operations that are due, or polls the memory.
 */
static bool krping_latency_done(void *arg)
{
	struct krping_thread *thread = arg;

	if (thread->plan.rate)
		krping_latency_due(thread);
	if (thread->plan.by_memory)
		return krping_wlat_done(thread);
	return krping_bench_all_done(thread);
}

static int krping_latency_loop(struct krping_thread *thread)
{
	thread->cq.spin = thread->plan.by_memory;
	return krping_bench_loop(thread, krping_latency_done);
}

/*
 * Set-up and cleanup.
 */

/* Find the bytes that the thread polls, and those that this side WRITEs. */
static void krping_latency_init_bytes(struct krping_latency *l)
{
	size_t end = l->b.thread->opts.size - 1;

	l->seq = 1;
	l->first = krping_buf_at(&l->b.shared, 0);
	l->last = krping_buf_at(&l->b.shared, end);
	l->out_first = krping_buf_at(&l->b.local, 0);
	l->out_last = krping_buf_at(&l->b.local, end);
}

static int krping_latency_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_latency *l;
	int ret;

	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	conn->queue.priv = &l->b;
	ret = krping_bench_setup(&l->b, thread, conn, &krping_latency_ops);
	if (ret)
		return ret;
	if (thread->plan.by_memory)
		krping_latency_init_bytes(l);
	if (!thread->plan.posts)
		return 0;

	krping_bench_init_wr(&l->b, &l->wr);
	if (thread->ops->op == KRPING_OP_READ)
		l->wr.wr.send_flags |= IB_SEND_SIGNALED;
	if (l->b.plan->notifies) {
		krping_bench_init_notify(&l->b, &l->notify);
		l->wr.wr.next = &l->notify;
	}
	return 0;
}

static void krping_latency_cleanup(struct krping_thread *thread,
				   struct krping_conn *conn)
{
	struct krping_latency *l;

	if (!conn->queue.priv)
		return;
	l = krping_latency(&conn->queue);
	krping_bench_cleanup(&l->b);
	kfree(l);
	conn->queue.priv = NULL;
}

/* Choose how the thread notices an arrival, and the sizes of the queues. */
static int krping_latency_plan(const struct krping_thread *thread,
			       struct krping_plan *plan, const char **why)
{
	bool read = thread->ops->op == KRPING_OP_READ;
	int ret = krping_bench_plan(thread, plan, why);

	if (ret)
		return ret;
	plan->by_memory = thread->ops->op == KRPING_OP_WRITE && !plan->by_recv;
	plan->depth = 1;
	/* One READ or atomic is in flight. Three more WRs suit a device that frees WRs late. */
	plan->queue.sq_own = read ? 4 : 0;
	plan->queue.recv = krping_latency_recv;
	if (read) {
		plan->queue.sent = krping_latency_sent;
	} else {
		/* cqmod may be 0, the default, or too large if a server's command names no test. */
		plan->cqmod = min_t(u32, thread->opts.cqmod, KRPING_LATENCY_CQMOD_MAX);
		plan->queue.signal_every = plan->cqmod ?: KRPING_LATENCY_CQMOD_MAX;
	}
	krping_bench_plan_queue(thread, plan, plan->receives ? 2 : 0);
	return 0;
}

#define KRPING_LATENCY_OPS					\
	.shares		= true,					\
	.compares_in_cq	= true,					\
	.plan		= krping_latency_plan,			\
	.setup		= krping_latency_setup,			\
	.loop		= krping_latency_loop,			\
	.cleanup	= krping_latency_cleanup

const struct krping_test_ops krping_wlat_ops = {
	.type		= KRPING_TEST_WLAT,
	.op		= KRPING_OP_WRITE,
	.echo		= true,
	.half		= true,
	KRPING_LATENCY_OPS,
};

const struct krping_test_ops krping_rlat_ops = {
	.type		= KRPING_TEST_RLAT,
	.op		= KRPING_OP_READ,
	KRPING_LATENCY_OPS,
};

const struct krping_test_ops krping_slat_ops = {
	.type		= KRPING_TEST_SLAT,
	.op		= KRPING_OP_SEND,
	.echo		= true,
	.half		= true,
	KRPING_LATENCY_OPS,
};
