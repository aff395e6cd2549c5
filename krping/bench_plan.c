// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Plan a microbenchmark that moves data: what this side posts and compares, its buffers and MRs,
 * and the depths of a throughput test. Check the device's limits.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "bench_plan.h"
#include "stride.h"

/*
 * By default, batch (operations per post) and cqmod (every Nth operation is signaled) are 1/4 of
 * the depth, a value found by measurements with scripts/bench. Larger batches save doorbells, and
 * fewer signals save completions, but the SQ runs empty if batch or cqmod is too large.
 */
#define KRPING_BENCH_PART	4

/* Maximum number of slots for which a server allocates WRs. The client chooses the number. */
#define KRPING_SERVER_SLOTS	16384

/*
 * Plan what this side posts, advertises and receives. Both sides post if the server answers each
 * operation (echo), or with the option duplex. An operation consumes a RECV (by_recv) if it is a
 * SEND, a WRITE with immediate data, or a WRITE that is followed by a SEND (validate).
 */
static void krping_bench_plan_sides(const struct krping_thread *thread,
				    struct krping_plan *plan)
{
	const struct krping_test_ops *ops = thread->ops;
	const struct krping_options *opts = &thread->opts;
	bool both = ops->echo || opts->duplex;
	bool client = krping_is_client(thread);
	bool read = ops->op == KRPING_OP_READ;
	bool write = ops->op == KRPING_OP_WRITE;

	plan->posts = client || both;
	plan->advertises = (read || write) && (!client || both);
	plan->posts_reads = read && plan->posts;
	plan->answers_reads = read && plan->advertises;
	plan->by_recv = ops->op == KRPING_OP_SEND ||
			(write && (opts->imm || opts->validate));
	plan->receives = plan->by_recv && (!client || both);
	plan->notifies = write && opts->validate && !opts->imm;
	plan->duplex = opts->duplex;
}

/* Plan what data this side fills and compares, the length of received messages, and the rate. */
static void krping_bench_plan_operations(const struct krping_thread *thread,
					 struct krping_plan *plan)
{
	const struct krping_options *opts = &thread->opts;
	bool read = thread->ops->op == KRPING_OP_READ;

	plan->atomic = opts->atomic;
	plan->fills = opts->validate && !read;
	plan->compares_local = opts->validate && read && !opts->atomic;
	plan->compares_shared = opts->validate && thread->ops->op == KRPING_OP_WRITE;
	plan->message_bytes = plan->notifies ? sizeof(struct krping_wire_msg) : opts->size;
	plan->rate = opts->rate;
}

/*
 * Check whether the local buffer needs an MR. On iWARP a READ's sink does, because the READ request
 * carries the sink's key.
 */
static bool krping_bench_registers_local(const struct krping_thread *thread,
					 const struct krping_plan *plan)
{
	const struct krping_options *opts = &thread->opts;

	if (!plan->posts || opts->inline_data)
		return false;
	if (thread->ops->op == KRPING_OP_READ && krping_conn_iwarp(thread->conns))
		return true;
	return opts->mem_mode == KRPING_MEM_REG && opts->mem_mode_given &&
	       !opts->local_dma_lkey;
}

/*
 * Plan the slots, which are the addresses that operations use in turn, the size of the buffer, and
 * whether the peer refills the slots that READs have fetched. Without refills all READs fetch the
 * same, constant data. With a stride, both sides have as many slots as the client's txdepth.
 */
static void krping_bench_plan_stride(const struct krping_thread *thread, struct krping_plan *plan)
{
	const struct krping_options *opts = &thread->opts;
	u32 depth = krping_is_client(thread) ? opts->txdepth : thread->conns->peer.config.txdepth;

	plan->slots = krping_stride_slots(opts->stride, depth);
	plan->span = krping_stride_span(opts->size, opts->stride, plan->slots);
	plan->refills = opts->validate && opts->stride && thread->ops->op == KRPING_OP_READ;
	plan->constant = thread->ops->op == KRPING_OP_READ && !plan->refills;
}

/* Plan which buffers this side has, how they are registered, and the SGEs of an operation. */
static void krping_bench_plan_buffers(const struct krping_thread *thread,
				      struct krping_plan *plan)
{
	const struct krping_options *opts = &thread->opts;

	plan->local = plan->posts;
	plan->local_reg = krping_bench_registers_local(thread, plan);
	plan->shared = plan->advertises;
	plan->shared_reg = plan->advertises && opts->mem_mode == KRPING_MEM_REG;
	plan->global_rkey = plan->advertises && opts->mem_mode == KRPING_MEM_DMA;
	/* With the option share: the buffers of this connection in the MR of all connections. */
	plan->parts = thread->share ? plan->local_reg + plan->shared_reg : 0;
	/*
	 * An SGE has at least one byte. Inline data has one SGE, because irdma before 6.2 copies
	 * the data of the first SGE only.
	 */
	plan->nr_sge = opts->inline_data ? 1 : min_t(u64, opts->sge, opts->size);
	/*
	 * With several slots or one SGE the buffer is contiguous. Otherwise each SGE has its own
	 * piece, which needs more memory than its data.
	 */
	plan->pieces = plan->slots > 1 || plan->nr_sge == 1 ? 0 : plan->nr_sge;
}

/*
 * Set the maximum length of a buffer of this side: what an MR or contiguous memory can have, and on
 * a server that posts operations at most KRPING_SERVER_SLOTS slots. The negotiation rejects a test
 * whose buffer would be longer.
 */
static void krping_bench_plan_size(const struct krping_thread *thread,
				   struct krping_plan *plan)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;
	u64 contiguous_max = krping_mem_contiguous_max(device);
	u64 reg_max = krping_mem_reg_max(device);

	if (plan->parts)
		reg_max = krping_share_size_max(reg_max, (u64)thread->share->nr * plan->parts);
	plan->size_max = plan->local_reg || plan->shared_reg ? reg_max : contiguous_max;
	/* Unregistered buffers are contiguous. So is the buffer of a RECV, which has one SGE. */
	if ((plan->local && !plan->local_reg) || (plan->shared && !plan->shared_reg) ||
	    thread->ops->op == KRPING_OP_SEND)
		plan->size_max = min(plan->size_max, contiguous_max);
	if (plan->posts && !krping_is_client(thread) && plan->slots > KRPING_SERVER_SLOTS)
		plan->size_max = min(plan->size_max,
				     krping_stride_span(thread->opts.size, thread->opts.stride,
							KRPING_SERVER_SLOTS));
}

/**
 * krping_bench_plan() - plan operations and buffers, and check the device's limits
 * @thread: the test, whose device and options are known
 * @plan: the plan, to which the function adds operations and buffers
 * @why: set to the reason on failure
 *
 * The caller afterwards sets the queue's attributes, depth, batch, cqmod, recvs and by_memory.
 *
 * Context: the test's thread.
 *
 * Return: 0, -EOPNOTSUPP or -EINVAL.
 */
int krping_bench_plan(const struct krping_thread *thread, struct krping_plan *plan,
		      const char **why)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;

	krping_bench_plan_sides(thread, plan);
	krping_bench_plan_operations(thread, plan);
	krping_bench_plan_stride(thread, plan);
	krping_bench_plan_buffers(thread, plan);
	krping_bench_plan_size(thread, plan);
	if (!plan->size_max && plan->parts && krping_mem_reg_max(device)) {
		*why = "share: one MR has too few pages for all QPs; use fewer, or mem_mode=dma";
		return -EINVAL;
	}
	if (!plan->size_max) {
		*why = "the device has no memory registration by work request; use mem_mode=dma";
		return -EOPNOTSUPP;
	}
	if (thread->opts.imm && krping_conn_iwarp(thread->conns)) {
		*why = "imm: iWARP has no immediate data";
		return -EOPNOTSUPP;
	}
	if (thread->opts.atomic && device->attrs.atomic_cap == IB_ATOMIC_NONE) {
		*why = "atomic: the device has no atomic operations";
		return -EOPNOTSUPP;
	}
	if (thread->opts.atomic && plan->global_rkey) {
		*why = "atomic: the key of mem_mode=dma permits no atomics; use mem_mode=reg";
		return -EOPNOTSUPP;
	}
	return 0;
}

/**
 * krping_bench_plan_depths() - plan depth, batch, cqmod, RECVs and SQ of a throughput test
 * @thread: the test
 * @plan: the plan, which krping_bench_plan() has filled in
 *
 * With validate each operation in flight has a slot of its own, so the depth is at most the number
 * of slots.
 *
 * Context: the test's thread.
 */
void krping_bench_plan_depths(const struct krping_thread *thread, struct krping_plan *plan)
{
	const struct krping_options *opts = &thread->opts;
	u32 part;

	plan->depth = opts->validate ? min(opts->txdepth, plan->slots) : opts->txdepth;
	part = max_t(u32, plan->depth / KRPING_BENCH_PART, 1);
	plan->batch = opts->batch ?: part;
	plan->cqmod = opts->cqmod ?: part;
	/*
	 * This side sends a credit when it handles a completion. So signal a READ before the READs
	 * have used up all slots, which the peer fills again only after a credit.
	 */
	if (plan->refills)
		plan->cqmod = min_t(u32, plan->cqmod, max_t(u32, plan->slots / 2, 1));
	/*
	 * Twice the depth: the peer keeps depth operations in flight, and this side sends a credit
	 * only after depth messages. With duplex, a side may post depth operations more than it
	 * has received, see krping_bench_window().
	 */
	plan->recvs = plan->receives ? 2 * plan->depth : 0;
	plan->queue.depth = plan->depth;
	plan->queue.depth_recvs = plan->receives ? 2 : 0;
	if (plan->posts)
		plan->queue.depth_wrs = plan->notifies ? 2 : 1;
	plan->queue.sq_own = plan->depth * plan->queue.depth_wrs;
}
