// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The probe of the chosen function: count krping's calls of the function, and let the N-th one
 * fail.
 */
#include <linux/gfp.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "fault.h"

#define KRPING_FAULT_KNOWN	4096

/* The values of the files once and rest, which fault_main.c describes. */
bool krping_fault_once;
bool krping_fault_rest;
struct krping_fault_hit krping_fault_hit;

/* A test sets function and return value first, and then arms the probe by setting nth. */
static struct kprobe krping_fault_probe;
static char krping_fault_function[KSYM_NAME_LEN];
static u64 krping_fault_retval;
static u32 krping_fault_nth;

static atomic_t krping_fault_armed = ATOMIC_INIT(0);
static atomic_t krping_fault_calls = ATOMIC_INIT(0);
/* Hashes of the calls that the module has made fail. */
static u32 krping_fault_known[KRPING_FAULT_KNOWN];
static unsigned int krping_fault_nr_known;

/* Check whether the call may fail. An allocation with __GFP_NOFAIL may not. */
static bool krping_fault_may_fail(const struct pt_regs *regs)
{
	gfp_t gfp = 0;

	if (!strcmp(krping_fault_function, "should_failslab"))
		gfp = (__force gfp_t)regs->si;
	else if (!strcmp(krping_fault_function, "should_fail_alloc_page"))
		gfp = (__force gfp_t)regs->di;
	return !(gfp & __GFP_NOFAIL);
}

/* Hash the function, its return value, krping_fault_rest, and krping's addresses on the stack. */
static u32 krping_fault_hash(const struct krping_fault_stack *stack)
{
	u32 hash = jhash(krping_fault_function, strlen(krping_fault_function), 0);
	unsigned int i;

	hash = jhash(&krping_fault_retval, sizeof(krping_fault_retval), hash);
	hash = jhash(&krping_fault_rest, sizeof(krping_fault_rest), hash);
	for (i = 0; i < stack->nr; i++)
		if (krping_fault_is_krping(stack->entry[i]))
			hash = jhash(&stack->entry[i], sizeof(stack->entry[i]), hash);
	return hash;
}

static bool krping_fault_is_known(u32 hash)
{
	unsigned int i;

	for (i = 0; i < krping_fault_nr_known; i++)
		if (krping_fault_known[i] == hash)
			return true;
	return false;
}

/* Record the call that fails: its process and callers for the file hit, its hash for once. */
static void krping_fault_note(const struct krping_fault_stack *stack, u32 hash)
{
	krping_fault_hit.stack = *stack;
	memcpy(krping_fault_hit.comm, current->comm, sizeof(krping_fault_hit.comm));
	krping_fault_hit.pid = current->pid;
	if (krping_fault_nr_known < KRPING_FAULT_KNOWN && !krping_fault_is_known(hash))
		krping_fault_known[krping_fault_nr_known++] = hash;
	/* pairs with krping_fault_hit_show() and krping_fault_goes_on() */
	smp_store_release(&krping_fault_hit.valid, true);
}

/* Count the call, and check whether it is the N-th one, which has to fail. */
static bool krping_fault_is_nth(const struct krping_fault_stack *stack)
{
	u32 hash = krping_fault_hash(stack);

	if (krping_fault_once && krping_fault_is_known(hash))
		return false;
	if (atomic_inc_return(&krping_fault_calls) != krping_fault_nth)
		return false;
	krping_fault_note(stack, hash);
	return true;
}

/* Check whether this call must fail because an earlier call of this process has failed. */
static bool krping_fault_goes_on(void)
{
	/* pairs with krping_fault_note() */
	return krping_fault_rest && smp_load_acquire(&krping_fault_hit.valid) &&
	       krping_fault_hit.pid == current->pid;
}

/* The kprobe's handler: if this call must fail, return to the caller with the chosen value. */
static int krping_fault_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct krping_fault_stack stack;

	if (!atomic_read(&krping_fault_armed) || !krping_fault_may_fail(regs) ||
	    !krping_fault_walk(&stack, kp, regs))
		return 0;
	if (!krping_fault_goes_on() && !krping_fault_is_nth(&stack))
		return 0;
	regs_set_return_value(regs, krping_fault_retval);
	int3_emulate_ret(regs);
	return 1;
}

NOKPROBE_SYMBOL(krping_fault_handler);

/*
 * Do nothing. kprobes may replace a probe without a post_handler by a jump, and the pre_handler
 * could then not let the probed function return early.
 */
static void krping_fault_after(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
}

bool krping_fault_has_function(void)
{
	return *krping_fault_function;
}

/* Move the probe to another function; an empty name removes it. Return 0 or an errno. */
int krping_fault_set_function(const char *name)
{
	int ret;

	atomic_set(&krping_fault_armed, 0);
	if (*krping_fault_function)
		unregister_kprobe(&krping_fault_probe);
	strscpy(krping_fault_function, name, sizeof(krping_fault_function));
	if (!*name)
		return 0;

	memset(&krping_fault_probe, 0, sizeof(krping_fault_probe));
	krping_fault_probe.symbol_name = krping_fault_function;
	krping_fault_probe.pre_handler = krping_fault_handler;
	krping_fault_probe.post_handler = krping_fault_after;
	ret = register_kprobe(&krping_fault_probe);
	if (ret)
		*krping_fault_function = '\0';
	return ret;
}

/* Let call @nth fail, counted from now on. With 0, no call fails. */
void krping_fault_arm(u32 nth)
{
	atomic_set(&krping_fault_armed, 0);
	/* Wait for CPUs that run the handler, which they do with interrupts disabled. */
	synchronize_rcu();
	if (!nth)
		return;
	krping_fault_clear_pages();
	krping_fault_hit.valid = false;
	krping_fault_nth = nth;
	atomic_set(&krping_fault_calls, 0);
	atomic_set_release(&krping_fault_armed, 1);
}

unsigned int krping_fault_nr_calls(void)
{
	return atomic_read(&krping_fault_calls);
}

void krping_fault_set_retval(u64 retval)
{
	krping_fault_retval = retval;
}

u64 krping_fault_get_retval(void)
{
	return krping_fault_retval;
}
