// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Walk the call stack of a probed function, and decide whether the call is krping's and may be
 * made to fail.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "fault.h"

#define KRPING_FAULT_PAGES	1024

/* Address range of a rejected function. A call that this function makes does not fail. */
struct krping_fault_range {
	struct list_head entry;
	unsigned long start, end;
};

/* If set, a call may fail only if krping's own code makes it, not a function that krping calls. */
bool krping_fault_direct;

static LIST_HEAD(krping_fault_rejected);
/* A cache: addresses of code pages, with the lowest bit set if the page is krping's. */
static unsigned long krping_fault_pages[KRPING_FAULT_PAGES];

/* Check whether the symbol at @addr belongs to the module rdma_krping. */
static bool krping_fault_names_krping(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, addr);
	return strstr(name, "[rdma_krping]");
}

/*
 * Check whether @addr is in krping's code. Cache the answer by page, because a symbol lookup is
 * slow, and a page has code of one module only.
 */
bool krping_fault_is_krping(unsigned long addr)
{
	unsigned long page = addr & PAGE_MASK;
	unsigned long *slot, known;

	if (addr < MODULES_VADDR || addr >= MODULES_END)
		return false;
	slot = &krping_fault_pages[(page >> PAGE_SHIFT) % KRPING_FAULT_PAGES];
	known = READ_ONCE(*slot);
	if ((known & PAGE_MASK) != page) {
		known = page | krping_fault_names_krping(addr);
		WRITE_ONCE(*slot, known);
	}
	return known & 1;
}

/* Clear the cache of pages, because a module may have been loaded or unloaded since. */
void krping_fault_clear_pages(void)
{
	memset(krping_fault_pages, 0, sizeof(krping_fault_pages));
}

/* Check whether @addr is in a function of the list of rejected functions. */
static bool krping_fault_is_rejected(unsigned long addr)
{
	struct krping_fault_range *range;

	list_for_each_entry(range, &krping_fault_rejected, entry)
		if (addr >= range->start && addr < range->end)
			return true;
	return false;
}

/*
 * Check for interrupt or softirq context. There the stack continues into the interrupted code,
 * which has not called the probed function. The probe itself counts as one interrupt.
 */
static bool krping_fault_in_irq(void)
{
	return (preempt_count() & HARDIRQ_MASK) > HARDIRQ_OFFSET ||
	       (preempt_count() & SOFTIRQ_OFFSET);
}

/*
 * Check whether krping's code is on the stack, and no rejected function is between krping's code
 * and the probed function.
 */
static bool krping_fault_is_ours(const struct krping_fault_stack *stack)
{
	unsigned int i;

	for (i = 0; i < stack->nr; i++) {
		if (krping_fault_is_krping(stack->entry[i]))
			return true;
		if (krping_fault_is_rejected(stack->entry[i]))
			return false;
	}
	return false;
}

/*
 * Set @stack to the callers of the probed function. Return true if the call is krping's and may
 * be made to fail. The probe is at the function's first instruction, before the function has a
 * frame, so a walk by frame pointers misses the caller. The return address on top of the stack is
 * the caller's.
 */
bool krping_fault_walk(struct krping_fault_stack *stack, const struct kprobe *kp,
		       const struct pt_regs *regs)
{
	unsigned long caller = *(unsigned long *)regs->sp;
	unsigned int i, n;

	if ((krping_fault_direct || krping_fault_in_irq()) &&
	    !krping_fault_is_krping(caller))
		return false;
	n = stack_trace_save(stack->entry, ARRAY_SIZE(stack->entry), 0);
	for (i = 0; i < n; i++)
		if (stack->entry[i] - (unsigned long)kp->addr < MAX_INSN_SIZE)
			break;
	/* The entries before entry i are the probe's own. Replace entry i by the caller. */
	if (i == n)
		return false;
	stack->entry[i] = caller;
	stack->nr = n - i;
	memmove(stack->entry, stack->entry + i, stack->nr * sizeof(stack->entry[0]));
	return krping_fault_is_ours(stack);
}

/*
 * Find the address range of a function. A disabled kprobe resolves the function's address, and
 * sprint_symbol() prints its size.
 */
static int krping_fault_find(const char *name, struct krping_fault_range *range)
{
	struct kprobe probe = {
		.symbol_name	= name,
		.flags		= KPROBE_FLAG_DISABLED,
	};
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long size;
	char *slash;
	int ret;

	ret = register_kprobe(&probe);
	if (ret)
		return ret;
	range->start = (unsigned long)probe.addr;
	unregister_kprobe(&probe);

	sprint_symbol(symbol, range->start);
	slash = strrchr(symbol, '/');
	if (!slash)
		return -ENOENT;
	slash[1 + strcspn(slash + 1, " ")] = '\0';
	ret = kstrtoul(slash + 1, 0, &size);
	range->end = range->start + size;
	return ret;
}

/* Clear the list of rejected functions. The caller must have removed the probe, which reads it. */
void krping_fault_forget(void)
{
	struct krping_fault_range *range, *next;

	list_for_each_entry_safe(range, next, &krping_fault_rejected, entry) {
		list_del(&range->entry);
		kfree(range);
	}
}

/*
 * Add a function to the list of rejected functions; an empty name clears the list. The caller must
 * have removed the probe, which reads the list without a lock.
 */
int krping_fault_reject(const char *name)
{
	struct krping_fault_range *range;
	int ret;

	if (!*name) {
		krping_fault_forget();
		return 0;
	}
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return -ENOMEM;
	ret = krping_fault_find(name, range);
	if (ret)
		kfree(range);
	else
		list_add_tail(&range->entry, &krping_fault_rejected);
	return ret;
}
