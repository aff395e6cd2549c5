// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a kernel function fail for krping only.
 *
 * The kernel's own fault injection supports few functions, does not report the call that
 * failed, and has no defined start of its count. This module supports any function that has
 * a symbol. The N-th call that krping's code makes, directly or through other functions,
 * fails. The files in /sys/kernel/debug/krping_fault/ control it:
 *
 *   function   name of the function. should_failslab and should_fail_alloc_page decide
 *              whether an allocation fails; the module handles these two specially,
 *              because some allocations must not fail
 *   retval     the function returns this value and does nothing
 *   reject     a call below one of these functions does not count; one function for each
 *              write, and an empty line clears the list
 *   direct     1: only calls count that krping's code makes itself
 *   once       1: a call does not count if a call with the same callers in krping's code
 *              has failed before
 *   nth        number of the call that fails, counted from this write on; 0: none.
 *              Read: number of calls so far
 *   hit        name and id of the process whose call has failed, then its callers. Empty
 *              if no call has failed since the last write to nth
 *
 * x86 only.
 */
#include <linux/debugfs.h>
#include <linux/gfp.h>
#include <linux/jhash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#define KRPING_FAULT_DEPTH	64
#define KRPING_FAULT_KNOWN	4096
#define KRPING_FAULT_PAGES	1024

struct krping_fault_range {
	struct list_head entry;
	unsigned long start, end;
};

/* Call stack of the function, innermost first. */
struct krping_fault_stack {
	unsigned long entry[KRPING_FAULT_DEPTH];
	unsigned int nr;
};

static struct dentry *krping_fault_dir;
/* Serializes writers; nothing that the probe reads changes while it is armed. */
static DEFINE_MUTEX(krping_fault_mutex);
static LIST_HEAD(krping_fault_rejected);
static struct kprobe krping_fault_probe;
static char krping_fault_function[KSYM_NAME_LEN];
static u64 krping_fault_retval;
static bool krping_fault_direct;
static bool krping_fault_once;

static atomic_t krping_fault_armed = ATOMIC_INIT(0);
static atomic_t krping_fault_calls = ATOMIC_INIT(0);
static u32 krping_fault_nth;
static bool krping_fault_has_hit;
static char krping_fault_comm[TASK_COMM_LEN];
static pid_t krping_fault_pid;
static struct krping_fault_stack krping_fault_hit;
static u32 krping_fault_known[KRPING_FAULT_KNOWN];
static unsigned int krping_fault_nr_known;
/* Addresses of pages of code, with the lowest bit set if it is krping's. */
static unsigned long krping_fault_pages[KRPING_FAULT_PAGES];

static bool krping_fault_names_krping(unsigned long addr)
{
	char name[KSYM_SYMBOL_LEN];

	sprint_symbol(name, addr);
	return strstr(name, "[rdma_krping]");
}

/* Cache by page, because a symbol lookup is slow and a page has code of one module only. */
static bool krping_fault_is_krping(unsigned long addr)
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

static bool krping_fault_is_rejected(unsigned long addr)
{
	struct krping_fault_range *range;

	list_for_each_entry(range, &krping_fault_rejected, entry)
		if (addr >= range->start && addr < range->end)
			return true;
	return false;
}

/* Has a softirq interrupted what is below it? The probe itself counts as an NMI. */
static bool krping_fault_in_irq(void)
{
	return (preempt_count() & HARDIRQ_MASK) > HARDIRQ_OFFSET ||
	       (preempt_count() & SOFTIRQ_OFFSET);
}

/* Whose functions are these? Those before krping's act on its behalf. */
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
 * The function's frame is not there yet, and so a stack by frame pointers lacks
 * the caller: its address is what the stack pointer points to.
 */
static bool krping_fault_walk(struct krping_fault_stack *stack,
			      const struct kprobe *kp, const struct pt_regs *regs)
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
	/* What is above is the probe. Its own place is the caller's. */
	if (i == n)
		return false;
	stack->entry[i] = caller;
	stack->nr = n - i;
	memmove(stack->entry, stack->entry + i, stack->nr * sizeof(stack->entry[0]));
	return krping_fault_is_ours(stack);
}

static bool krping_fault_may_fail(const struct pt_regs *regs)
{
	gfp_t gfp = 0;

	if (!strcmp(krping_fault_function, "should_failslab"))
		gfp = (__force gfp_t)regs->si;
	else if (!strcmp(krping_fault_function, "should_fail_alloc_page"))
		gfp = (__force gfp_t)regs->di;
	return !(gfp & __GFP_NOFAIL);
}

/* Of the function that fails, and how, and of krping's places on the way to it. */
static u32 krping_fault_hash(const struct krping_fault_stack *stack)
{
	u32 hash = jhash(krping_fault_function, strlen(krping_fault_function), 0);
	unsigned int i;

	hash = jhash(&krping_fault_retval, sizeof(krping_fault_retval), hash);
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

static void krping_fault_note(const struct krping_fault_stack *stack, u32 hash)
{
	krping_fault_hit = *stack;
	memcpy(krping_fault_comm, current->comm, sizeof(krping_fault_comm));
	krping_fault_pid = current->pid;
	if (krping_fault_nr_known < KRPING_FAULT_KNOWN && !krping_fault_is_known(hash))
		krping_fault_known[krping_fault_nr_known++] = hash;
	/* pairs with krping_fault_hit_show() */
	smp_store_release(&krping_fault_has_hit, true);
}

static int krping_fault_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct krping_fault_stack stack;
	u32 hash;

	if (!atomic_read(&krping_fault_armed) || !krping_fault_may_fail(regs) ||
	    !krping_fault_walk(&stack, kp, regs))
		return 0;
	hash = krping_fault_hash(&stack);
	if (krping_fault_once && krping_fault_is_known(hash))
		return 0;
	if (atomic_inc_return(&krping_fault_calls) != krping_fault_nth)
		return 0;

	krping_fault_note(&stack, hash);
	regs_set_return_value(regs, krping_fault_retval);
	int3_emulate_ret(regs);
	return 1;
}

NOKPROBE_SYMBOL(krping_fault_handler);

/* That it is there keeps the kernel from replacing the probe by a jump. */
static void krping_fault_after(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
}

/*
 * The files
 */

static ssize_t krping_fault_word(char *word, size_t size, const char __user *ubuf,
				 size_t len)
{
	if (len >= size)
		return -EINVAL;
	if (copy_from_user(word, ubuf, len))
		return -EFAULT;
	word[len] = '\0';
	memmove(word, skip_spaces(word), strlen(skip_spaces(word)) + 1);
	strim(word);
	return 0;
}

static int krping_fault_set_function(const char *name)
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

/* A probe that never fires tells where a function begins, its symbol the rest. */
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

static void krping_fault_forget(void)
{
	struct krping_fault_range *range, *next;

	list_for_each_entry_safe(range, next, &krping_fault_rejected, entry) {
		list_del(&range->entry);
		kfree(range);
	}
}

static int krping_fault_reject(const char *name)
{
	struct krping_fault_range *range;
	int ret;

	/* Without a probe nobody looks at the list. */
	if (*krping_fault_function)
		return -EBUSY;
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

static ssize_t krping_fault_write_word(int (*fn)(const char *word),
				       const char __user *ubuf, size_t len)
{
	char word[KSYM_NAME_LEN];
	int ret;

	ret = krping_fault_word(word, sizeof(word), ubuf, len);
	if (ret)
		return ret;
	mutex_lock(&krping_fault_mutex);
	ret = fn(word);
	mutex_unlock(&krping_fault_mutex);
	return ret ? ret : len;
}

static ssize_t krping_fault_function_write(struct file *file,
					   const char __user *ubuf, size_t len,
					   loff_t *ppos)
{
	return krping_fault_write_word(krping_fault_set_function, ubuf, len);
}

static ssize_t krping_fault_reject_write(struct file *file,
					 const char __user *ubuf, size_t len,
					 loff_t *ppos)
{
	return krping_fault_write_word(krping_fault_reject, ubuf, len);
}

static const struct file_operations krping_fault_function_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_fault_function_write,
};

static const struct file_operations krping_fault_reject_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_fault_reject_write,
};

static int krping_fault_nth_set(void *data, u64 val)
{
	mutex_lock(&krping_fault_mutex);
	atomic_set(&krping_fault_armed, 0);
	/* A CPU that runs the probe has interrupts disabled. */
	synchronize_rcu();
	if (val) {
		/* a module may have been loaded since */
		memset(krping_fault_pages, 0, sizeof(krping_fault_pages));
		krping_fault_has_hit = false;
		krping_fault_nth = val;
		atomic_set(&krping_fault_calls, 0);
		atomic_set_release(&krping_fault_armed, 1);
	}
	mutex_unlock(&krping_fault_mutex);
	return 0;
}

static int krping_fault_nth_get(void *data, u64 *val)
{
	*val = atomic_read(&krping_fault_calls);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(krping_fault_nth_fops, krping_fault_nth_get,
			 krping_fault_nth_set, "%llu\n");

static int krping_fault_retval_set(void *data, u64 val)
{
	krping_fault_retval = val;
	return 0;
}

static int krping_fault_retval_get(void *data, u64 *val)
{
	*val = krping_fault_retval;
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(krping_fault_retval_fops, krping_fault_retval_get,
				krping_fault_retval_set, "%lld\n");

static int krping_fault_hit_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	/* pairs with krping_fault_note() */
	if (!smp_load_acquire(&krping_fault_has_hit))
		return 0;
	seq_printf(m, "%s %d\n", krping_fault_comm, krping_fault_pid);
	for (i = 0; i < krping_fault_hit.nr; i++)
		seq_printf(m, "%ps\n", (void *)krping_fault_hit.entry[i]);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(krping_fault_hit);

static int __init krping_fault_init(void)
{
	struct dentry *dir = debugfs_create_dir("krping_fault", NULL);

	krping_fault_dir = dir;
	debugfs_create_file("function", 0200, dir, NULL, &krping_fault_function_fops);
	debugfs_create_file("reject", 0200, dir, NULL, &krping_fault_reject_fops);
	debugfs_create_file("retval", 0600, dir, NULL, &krping_fault_retval_fops);
	debugfs_create_file("nth", 0600, dir, NULL, &krping_fault_nth_fops);
	debugfs_create_file("hit", 0400, dir, NULL, &krping_fault_hit_fops);
	debugfs_create_bool("direct", 0600, dir, &krping_fault_direct);
	debugfs_create_bool("once", 0600, dir, &krping_fault_once);
	return 0;
}

static void __exit krping_fault_exit(void)
{
	debugfs_remove(krping_fault_dir);
	krping_fault_set_function("");
	krping_fault_forget();
}

module_init(krping_fault_init);
module_exit(krping_fault_exit);

MODULE_DESCRIPTION("Faults for the tests of rdma_krping");
MODULE_AUTHOR("The krping maintainers");
MODULE_LICENSE("Dual BSD/GPL");
