// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kprobe handler of krping_delay.ko. It delays a call that matches a rule, or lets the call
 * return at once.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "delay.h"

atomic64_t krping_delay_seed = ATOMIC64_INIT(1);

/* SplitMix64. The only shared access is an atomic addition, so callers do not wait. */
static u32 krping_delay_random(void)
{
	u64 x = atomic64_add_return(0x9e3779b97f4a7c15LL, &krping_delay_seed);

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) >> 32;
}

/*
 * Check for hard interrupt context. A probe by breakpoint runs the handler as an NMI, which counts
 * as one more hard interrupt. A probe by ftrace does not.
 */
static bool krping_delay_in_hardirq(void)
{
	unsigned long own = preempt_count() & NMI_MASK ? HARDIRQ_OFFSET : 0;

	return (preempt_count() & HARDIRQ_MASK) > own;
}

/* Check whether the rule applies to the current context and task. */
static bool krping_delay_matches(const struct krping_delay_rule *rule)
{
	switch (rule->context) {
	case KRPING_DELAY_SOFTIRQ:
		if (!in_serving_softirq() || krping_delay_in_hardirq())
			return false;
		break;
	case KRPING_DELAY_PROCESS:
		if (in_serving_softirq() || krping_delay_in_hardirq())
			return false;
		break;
	}
	return !strncmp(current->comm, rule->comm, rule->comm_len);
}

static void krping_delay_spin(u32 usec)
{
	for (; usec > KRPING_DELAY_STEP; usec -= KRPING_DELAY_STEP)
		udelay(KRPING_DELAY_STEP);
	udelay(usec);
}

#ifdef CONFIG_X86
/*
 * Check whether usec have passed since the first call with the first argument @arg. If they have,
 * begin again: the next call counts as the first. Arguments with the same hash share a slot, so
 * their delays may be shorter or longer.
 */
static bool krping_delay_is_over(struct krping_delay_probe *probe, unsigned long arg)
{
	u64 *since = &probe->since[hash_long(arg, KRPING_DELAY_SLOT_BITS)];
	u64 now = ktime_get_mono_fast_ns();
	u64 began = READ_ONCE(*since);

	if (!began) {
		WRITE_ONCE(*since, now);
		return false;
	}
	if (now - began < (u64)probe->rule.usec * NSEC_PER_USEC)
		return false;
	WRITE_ONCE(*since, 0);
	return true;
}

/*
 * Run instead of the probed function, and return the first argument. The handler itself cannot
 * return to the caller, because a probe by ftrace cannot change the stack pointer.
 */
static notrace unsigned long krping_delay_identity(unsigned long value)
{
	return value;
}

/* Let the call return at once, unless the delay is over. Return 1 if @regs have changed, else 0. */
static int krping_delay_return(struct krping_delay_probe *probe, struct pt_regs *regs)
{
	const struct krping_delay_rule *rule = &probe->rule;

	if (krping_delay_is_over(probe, regs->di))
		return 0;
	atomic_inc(&probe->delays);
	regs->di = rule->returns == KRPING_DELAY_ARG2 ? regs->si : rule->value;
	regs->ip = (unsigned long)krping_delay_identity;
	return 1;
}
#else
static int krping_delay_return(struct krping_delay_probe *probe, struct pt_regs *regs)
{
	return 0;
}
#endif

NOKPROBE_SYMBOL(krping_delay_return);

/*
 * Delay this call of the probed function, or let it return at once, if the rule selects the call.
 * Return: 1 if the function must not run, else 0.
 */
int krping_delay_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct krping_delay_probe *probe =
		container_of(kp, struct krping_delay_probe, kp);
	const struct krping_delay_rule *rule = &probe->rule;
	u32 usec = rule->usec, random;

	if (!krping_delay_matches(rule))
		return 0;
	if ((u32)atomic_inc_return(&probe->calls) % rule->every)
		return 0;
	if (rule->returns)
		return krping_delay_return(probe, regs);
	if (rule->chance) {
		random = krping_delay_random();
		if ((random & 0xffff) >= rule->chance)
			return 0;
		usec = 1 + (random >> 16) * (u64)usec / 0x10000;
	}
	atomic_inc(&probe->delays);
	krping_delay_spin(usec);
	return 0;
}

NOKPROBE_SYMBOL(krping_delay_handler);

/*
 * Do nothing. kprobes replaces a probe without a post_handler by a jump, and patches the code a
 * second time for the jump, while no CPU is parked (see park.h). This post_handler prevents the
 * replacement.
 */
void krping_delay_after(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

NOKPROBE_SYMBOL(krping_delay_after);
