// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Collect the options of this side for the peer, which prints them in its result. Also choose the
 * context in which completions are handled, because this side reports the context, too.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "config.h"

/**
 * krping_config_context() - choose the context in which the thread's completions are handled
 * @thread: the thread; the caller has made its plan
 *
 * Without poll, completions are handled in a workqueue instead of a softirq if the user has chosen
 * so, if a handler registers memory on a device where a registration may sleep, or if a handler
 * compares data, which takes too long for a softirq.
 *
 * Context: any context.
 *
 * Return: the context of the thread's CQs. Only the CQs of a disk's poll queues have IB_POLL_DIRECT
 * instead. The test conform consists of cases, whose QPs have CQs of their own, in the context that
 * the case needs.
 */
enum ib_poll_context krping_config_context(const struct krping_thread *thread)
{
	/* With poll, half of a disk's CQs are polled. The result is the context of the others. */
	if (thread->opts.poll && thread->opts.memop != KRPING_MEMOP_DISK)
		return IB_POLL_DIRECT;
	if (thread->opts.cq_ctx == KRPING_CQ_WORKQUEUE ||
	    thread->plan.map_sleeps ||
	    (thread->opts.validate && thread->ops->compares_in_cq))
		return IB_POLL_WORKQUEUE;
	return IB_POLL_SOFTIRQ;
}

/* Return the options that are either on or off, as a mask of KRPING_CONFIG_*. */
static u16 krping_config_flags(const struct krping_thread *thread)
{
	const struct krping_options *opts = &thread->opts;
	u16 flags = 0;

	if (opts->poll)
		flags |= KRPING_CONFIG_POLL;
	if (krping_config_context(thread) == IB_POLL_WORKQUEUE)
		flags |= KRPING_CONFIG_WORKQUEUE;
	if (opts->mem_mode == KRPING_MEM_REG)
		flags |= KRPING_CONFIG_REG;
	/* Operations without inline data need the lkey of a local buffer. */
	if (thread->plan.posts && !opts->inline_data)
		flags |= KRPING_CONFIG_LOCAL;
	if (thread->plan.local_reg)
		flags |= KRPING_CONFIG_LOCAL_REG;
	if (opts->inline_data)
		flags |= KRPING_CONFIG_INLINE;
	if (opts->srq)
		flags |= KRPING_CONFIG_SRQ;
	return flags;
}

/**
 * krping_config_fill() - collect the options of this side
 * @thread: the thread; the caller has made its plan
 * @config: filled in with the options. If the plan changes an option, such as cqmod, @config has
 *	the plan's value
 *
 * Context: any context.
 */
void krping_config_fill(const struct krping_thread *thread, struct krping_config *config)
{
	const struct krping_options *opts = &thread->opts;
	const struct krping_plan *plan = &thread->plan;

	memset(config, 0, sizeof(*config));
	config->known = true;
	config->flags = krping_config_flags(thread);
	config->sge = plan->nr_sge ?: opts->sge;
	config->txdepth = opts->txdepth;
	config->rate = opts->rate;
	config->cqmod = plan->cqmod ?: opts->cqmod;
	config->batch = plan->batch ?: opts->batch;
	config->qps = opts->qps;
	config->threads = opts->threads;
}
