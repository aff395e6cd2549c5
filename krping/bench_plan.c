// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What a microbenchmark needs on each side: buffers, registrations, RECVs, limits.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "bench_plan.h"

/**
 * krping_bench_active() - check whether this side posts operations
 * @thread: the test
 * @type: which one it is
 *
 * Return: true if so.
 */
bool krping_bench_active(const struct krping_thread *thread,
			 const struct krping_bench_type *type)
{
	return krping_is_client(thread) || type->echo || thread->opts.duplex;
}

/* Check whether the peer READs or WRITEs a buffer of this side. */
bool krping_bench_advertises(const struct krping_thread *thread,
			     const struct krping_bench_type *type)
{
	return (type->op == KRPING_OP_READ || type->op == KRPING_OP_WRITE) &&
	       (!krping_is_client(thread) || type->echo || thread->opts.duplex);
}

/**
 * krping_bench_by_recv() - check whether an operation consumes a RECV
 * @thread: the test
 * @type: which one it is
 *
 * Return: true if so.
 */
bool krping_bench_by_recv(const struct krping_thread *thread,
			  const struct krping_bench_type *type)
{
	return type->op == KRPING_OP_SEND ||
	       (type->op == KRPING_OP_WRITE &&
		(thread->opts.imm || thread->opts.validate));
}

/**
 * krping_bench_receives() - check whether this side posts RECVs for operations
 * @thread: the test
 * @type: which one it is
 *
 * Return: true if so.
 */
bool krping_bench_receives(const struct krping_thread *thread,
			   const struct krping_bench_type *type)
{
	return krping_bench_by_recv(thread, type) &&
	       (!krping_is_client(thread) || type->echo || thread->opts.duplex);
}

/* A WRITE that shall be compared is followed by a SEND. */
bool krping_bench_needs_notify(const struct krping_thread *thread,
			       const struct krping_bench_type *type)
{
	return type->op == KRPING_OP_WRITE && thread->opts.validate &&
	       !thread->opts.imm;
}

/**
 * krping_bench_wrs() - count the WRs of one operation
 * @thread: the test
 * @type: which one it is
 *
 * Return: the number.
 */
u32 krping_bench_wrs(const struct krping_thread *thread,
		     const struct krping_bench_type *type)
{
	return krping_bench_needs_notify(thread, type) ? 2 : 1;
}

/* Entries of an operation: none of them is empty. */
u32 krping_bench_sge(const struct krping_thread *thread)
{
	return min_t(u64, thread->opts.sge, thread->opts.size);
}

/* A READ's sink on iWARP is put on the wire and needs a key of its own. */
bool krping_bench_registers_local(const struct krping_thread *thread,
				  const struct krping_bench_type *type)
{
	const struct krping_options *opts = &thread->opts;

	if (!krping_bench_active(thread, type) || opts->inline_data)
		return false;
	if (type->op == KRPING_OP_READ && krping_conn_iwarp(thread->conns))
		return true;
	return opts->mem_mode == KRPING_MEM_REG && opts->mem_mode_given &&
	       !opts->local_dma_lkey;
}

bool krping_bench_registers_shared(const struct krping_thread *thread,
				   const struct krping_bench_type *type)
{
	return krping_bench_advertises(thread, type) &&
	       thread->opts.mem_mode == KRPING_MEM_REG;
}

bool krping_bench_has_local(const struct krping_thread *thread,
			    const struct krping_bench_type *type)
{
	return krping_bench_active(thread, type) || thread->opts.validate;
}

bool krping_bench_has_shared(const struct krping_thread *thread,
			     const struct krping_bench_type *type)
{
	return krping_bench_advertises(thread, type) || thread->opts.validate;
}

/**
 * krping_bench_check() - check the options against the limits of the device
 * @thread: the test
 * @type: which one it is
 * @size_max: set to the largest size on success
 * @why: set to the reason on failure
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int krping_bench_check(const struct krping_thread *thread,
		       const struct krping_bench_type *type, u64 *size_max,
		       const char **why)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;
	bool local = krping_bench_registers_local(thread, type);
	bool shared = krping_bench_registers_shared(thread, type);
	u64 reg_max = krping_mem_reg_max(device);

	/* The smallest limit of the buffers that krping_bench_alloc() will ask for. */
	*size_max = local || shared ? reg_max : KRPING_CONTIGUOUS_MAX;
	if ((!local && krping_bench_has_local(thread, type)) ||
	    (!shared && krping_bench_has_shared(thread, type)))
		*size_max = min_t(u64, *size_max, KRPING_CONTIGUOUS_MAX);
	if (!*size_max) {
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
	return 0;
}

/**
 * krping_bench_context() - choose the context that handles completions
 * @thread: the test
 *
 * Only for a thread that does not poll. Comparing data takes too long for a
 * softirq.
 *
 * Return: the context.
 */
enum ib_poll_context krping_bench_context(const struct krping_thread *thread)
{
	return thread->opts.validate ? IB_POLL_WORKQUEUE : IB_POLL_SOFTIRQ;
}

/**
 * krping_bench_global_rkey() - check whether this side advertises the PD's global rkey
 * @thread: the test
 * @type: which one it is
 *
 * Return: true if so.
 */
bool krping_bench_global_rkey(const struct krping_thread *thread,
			      const struct krping_bench_type *type)
{
	return krping_bench_advertises(thread, type) &&
	       thread->opts.mem_mode == KRPING_MEM_DMA;
}
