// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The test fr: register and invalidate buffers of random sizes. No data moves; the server
 * exists only because a QP needs a peer.
 *
 * A cycle is REG_MR and LOCAL_INV of one MR, posted together. txdepth cycles are outstanding
 * at a time, each with an MR of its own. Before each cycle the CPU changes the mapping of the MR,
 * so the LOCAL_INV of the MR's previous cycle must have completed.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "bench.h"

/**
 * struct krping_fastreg - one connection of fr
 * @b: the microbenchmark
 * @buf: the pages that all MRs register
 * @nr_mrs: number of @mrs
 * @mrs: the MRs
 * @next: index of the MR whose cycle completes next
 * @posted: posted cycles
 * @rnd: state of the random number generator, never 0
 */
struct krping_fastreg {
	struct krping_bench b;
	struct krping_buf buf;
	u32 nr_mrs;
	struct krping_mr *mrs;
	u32 next;
	u64 posted;
	u64 rnd;
};

static struct krping_fastreg *krping_fastreg(struct krping_bench *b)
{
	return container_of(b, struct krping_fastreg, b);
}

/*
 * The xorshift generator (George Marsaglia, Xorshift RNGs, 2003) is cheap enough for the
 * measured loop and random enough for sizes.
 */
static u64 krping_fastreg_random(struct krping_fastreg *f)
{
	f->rnd ^= f->rnd << 13;
	f->rnd ^= f->rnd >> 7;
	f->rnd ^= f->rnd << 17;
	return f->rnd;
}

/* Return a random size, from 1 to the option size. */
static size_t krping_fastreg_size(struct krping_fastreg *f)
{
	u32 size = f->buf.size;

	return 1 + (u32)(((krping_fastreg_random(f) >> 32) * size) >> 32);
}

/* Post a cycle of a random size. */
static void krping_fastreg_post(struct krping_fastreg *f, struct krping_mr *mr)
{
	struct krping_queue *q = &f->b.conn->queue;
	int ret;

	ret = krping_mr_renew_part(mr, krping_fastreg_size(f));
	if (unlikely(ret)) {
		krping_status_set(q->status, ret,
				  "the device does not map a buffer of up to %zu byte%s",
				  f->buf.size, krping_plural(f->buf.size));
		return;
	}
	f->posted++;
	krping_queue_note(q, &mr->reg.wr, 2, true);
	krping_queue_post(q, &mr->reg.wr);
}

/*
 * Handle the peer's buffer advert, with which each microbenchmark begins, although fr moves no
 * data. A client then posts the first cycle of each MR.
 */
static void krping_fastreg_begin(struct krping_bench *b)
{
	struct krping_fastreg *f = krping_fastreg(b);
	u32 i;

	krping_bench_run(b);
	if (!krping_is_client(b->thread))
		return;
	krping_u64_write(&b->thread->start_ns, ktime_get_ns());
	for (i = 0; i < f->nr_mrs; i++)
		if (!b->target || f->posted < b->target)
			krping_fastreg_post(f, &f->mrs[i]);
}

/* Handle the completion of the oldest cycle. The WRs of a QP complete in the order of the posts. */
static void krping_fastreg_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_fastreg *f = krping_fastreg(q->priv);
	struct krping_mr *mr = &f->mrs[f->next];
	struct krping_bench *b = &f->b;
	struct krping_thread *thread = b->thread;
	u64 now = ktime_get_ns();

	f->next = f->next + 1 < f->nr_mrs ? f->next + 1 : 0;
	if (++b->done <= thread->opts.warmup) {
		krping_u64_write(&thread->start_ns, now);
	} else {
		krping_u64_write(&thread->iterations, thread->iterations + 1);
		krping_u64_write(&thread->end_ns, now);
	}
	if (krping_bench_step(b) != KRPING_BENCH_RUN)
		return;
	krping_bench_alive(b);
	if (krping_bench_over(b))
		krping_bench_finish(b);
	else if (!b->target || f->posted < b->target)
		krping_fastreg_post(f, mr);
}

/* Reject a data message of the peer, because this test sends none. */
static void krping_fastreg_recv(struct krping_queue *q,
				const struct krping_wire_msg *msg,
				const struct ib_wc *wc)
{
	krping_status_set(q->status, -EPROTO, "the peer sent unexpected data");
}

static const struct krping_bench_ops krping_fastreg_ops = {
	.begin	= krping_fastreg_begin,
	.finish	= krping_bench_report,
};

static bool krping_fastreg_done(void *thread)
{
	return krping_bench_all_done(thread);
}

static int krping_fastreg_loop(struct krping_thread *thread)
{
	return krping_bench_loop(thread, krping_fastreg_done);
}

/*
 * Set-up and cleanup.
 */

/* Allocate the buffer and txdepth MRs, each with its chain of REG_MR and LOCAL_INV. */
static int krping_fastreg_alloc(struct krping_fastreg *f)
{
	struct krping_conn *conn = f->b.conn;
	struct krping_queue *q = &conn->queue;
	u32 depth = f->b.thread->opts.txdepth;
	int ret;

	ret = krping_buf_alloc(&f->buf, conn->pd->device, f->b.thread->opts.size,
			       false, DMA_BIDIRECTIONAL);
	if (ret)
		return ret;
	f->mrs = kvcalloc(depth, sizeof(*f->mrs), GFP_KERNEL);
	if (!f->mrs)
		return -ENOMEM;
	for (; f->nr_mrs < depth && !ret; f->nr_mrs++) {
		struct krping_mr *mr = &f->mrs[f->nr_mrs];

		ret = krping_mr_alloc(mr, conn->pd, &f->buf,
				      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ,
				      krping_queue_cqe(q, KRPING_OP_REG),
				      krping_queue_cqe(q, KRPING_OP_FR));
		if (!ret)
			ret = krping_mr_alloc_part(mr);
		mr->reg.wr.next = &mr->inv;
		mr->inv.send_flags = IB_SEND_SIGNALED;
	}
	return ret;
}

static int krping_fastreg_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_fastreg *f;
	int ret;

	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	f->rnd = (u64)get_random_u32() << 32 | 1;
	conn->queue.priv = &f->b;
	ret = krping_bench_setup(&f->b, thread, conn, &krping_fastreg_ops);
	if (ret || !krping_is_client(thread))
		return ret;
	if (thread->opts.txdepth > conn->cm_id->device->attrs.max_mr)
		return krping_status_set(thread->status, -EINVAL,
					 "txdepth=%u needs as many MRs, and the device has at most %u",
					 thread->opts.txdepth,
					 (u32)conn->cm_id->device->attrs.max_mr);
	ret = krping_fastreg_alloc(f);
	if (ret)
		return krping_status_set(thread->status, krping_alloc_errno(ret),
					 "cannot allocate %u MR%s for size=%llu (%d); try a smaller txdepth",
					 thread->opts.txdepth, krping_plural(thread->opts.txdepth),
					 thread->opts.size, ret);
	return 0;
}

static void krping_fastreg_cleanup(struct krping_thread *thread,
				   struct krping_conn *conn)
{
	struct krping_fastreg *f;
	u32 i;

	if (!conn->queue.priv)
		return;
	f = krping_fastreg(conn->queue.priv);
	for (i = 0; i < f->nr_mrs; i++)
		krping_mr_free(&f->mrs[i]);
	kvfree(f->mrs);
	krping_buf_free(&f->buf);
	krping_bench_cleanup(&f->b);
	kfree(f);
	conn->queue.priv = NULL;
}

/* No data moves, so the plan has no buffers. */
static int krping_fastreg_plan(const struct krping_thread *thread,
			       struct krping_plan *plan, const char **why)
{
	plan->size_max = krping_mem_reg_max(krping_conn_id(thread->conns)->device);
	if (!plan->size_max) {
		*why = "fr: the device has no memory registration by work request";
		return -EOPNOTSUPP;
	}
	plan->depth = thread->opts.txdepth;
	plan->nr_sge = 1;
	plan->posts = krping_is_client(thread);
	plan->queue.depth = plan->depth;
	if (plan->posts)
		plan->queue.depth_wrs = 2;
	plan->queue.sq_own = plan->depth * plan->queue.depth_wrs;
	plan->queue.recv = krping_fastreg_recv;
	plan->queue.sent = krping_fastreg_sent;
	krping_bench_plan_queue(thread, plan, 0);
	return 0;
}

const struct krping_test_ops krping_fr_ops = {
	.type		= KRPING_TEST_FR,
	.op		= KRPING_OP_FR,
	.streams	= true,
	.plan		= krping_fastreg_plan,
	.setup		= krping_fastreg_setup,
	.loop		= krping_fastreg_loop,
	.cleanup	= krping_fastreg_cleanup,
};
