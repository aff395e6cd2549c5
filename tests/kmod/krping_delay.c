// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: delay calls of kernel functions.
 *
 * A delay between two steps of the kernel widens the window of a race: a race that a test
 * loses once in thousands of runs occurs in each run. Each delay spins in a
 * kprobe's handler, before the function's first instruction. The handler takes no lock
 * and allocates nothing, so any function may be probed that kprobes allow, in any
 * context.
 *
 * A spinning CPU does no other work, so a spinning completion handler also stops the test
 * whose completions are delayed. With return=, the function returns at once with a value
 * that makes its caller try again, as if a device moderated interrupts:
 * ib_poll_handler() with return=arg2 (the budget: "there is more"),
 * ib_process_cq_direct() with return=0.
 *
 * The files in /sys/kernel/debug/krping_delay/:
 *
 *   add     one rule for each write: FUNCTION[,FUNCTION]... usec=N [WORD]...
 *             usec=N        how long a call is delayed, at most 100000
 *             context=WHERE only calls in softirq, or process context (default: any)
 *             comm=PREFIX   only calls while the current task's name begins with PREFIX
 *             task=NAME     only calls while the current task has this name
 *             every=N       only each N-th of these calls (default 1)
 *             chance=N      only N of 65536 calls by chance, each for a random time of
 *                           1 to usec microseconds; a function that cannot be probed is
 *                           skipped and counted
 *             seed=N        restart the random numbers from here
 *             return=N      no call waits: each returns N instead of running until usec
 *                           have passed since the first such call with the same first
 *                           argument; return=arg2 returns the second argument. x86 only
 *           MODULE:FUNCTION names a function of this module. Without chance=, a
 *           function that cannot be probed is an error, and no function is probed.
 *   clear   any write removes all rules
 *   hits    a line for each function: FUNCTION calls=N delays=N missed=N, or
 *           FUNCTION skipped=ERRNO; calls are those that match context and comm. The
 *           last line has the totals
 *
 * Functions of a module are probed as long as the module stays loaded. When the module
 * is loaded again, the rules must be added again.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define KRPING_DELAY_USEC_MAX	100000
/* Longest single udelay() that every architecture supports. */
#define KRPING_DELAY_STEP	100
#define KRPING_DELAY_RULE_MAX	32768
#define KRPING_DELAY_SLOT_BITS	6
#define KRPING_DELAY_SLOTS	BIT(KRPING_DELAY_SLOT_BITS)

enum krping_delay_context {
	KRPING_DELAY_ANY,
	KRPING_DELAY_SOFTIRQ,
	KRPING_DELAY_PROCESS,
};

/* Return value of a call that does not run. */
enum krping_delay_return {
	KRPING_DELAY_RUN,
	KRPING_DELAY_VALUE,
	KRPING_DELAY_ARG2,
};

static const char * const krping_delay_contexts[] = {
	[KRPING_DELAY_ANY]	= "any",
	[KRPING_DELAY_SOFTIRQ]	= "softirq",
	[KRPING_DELAY_PROCESS]	= "process",
};

/* A rule; constant while a probe refers to it. */
struct krping_delay_rule {
	u32 usec;
	u32 every;
	u32 chance;
	u32 context;
	enum krping_delay_return returns;
	u32 value;
	char comm[TASK_COMM_LEN];
	/* number of characters of comm that are compared */
	u32 comm_len;
};

struct krping_delay_probe {
	struct list_head entry;
	struct kprobe kp;
	struct krping_delay_rule rule;
	/* from register_kprobe() */
	int error;
	atomic_t calls;
	atomic_t delays;
	/* by the first argument: since when calls return instead of running, 0: they run */
	u64 since[KRPING_DELAY_SLOTS];
	char name[];
};

static struct dentry *krping_delay_dir;
/* Serializes writers of the files; the handler takes no lock. */
static DEFINE_MUTEX(krping_delay_mutex);
static LIST_HEAD(krping_delay_probes);
static atomic64_t krping_delay_seed = ATOMIC64_INIT(1);

/*
 * The handler
 */

/* SplitMix64: one atomic addition, so that no caller waits for another. */
static u32 krping_delay_random(void)
{
	u64 x = atomic64_add_return(0x9e3779b97f4a7c15LL, &krping_delay_seed);

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) >> 32;
}

/* A breakpoint counts as an NMI, which counts as a hard interrupt; ftrace does not. */
static bool krping_delay_in_hardirq(void)
{
	unsigned long own = preempt_count() & NMI_MASK ? HARDIRQ_OFFSET : 0;

	return (preempt_count() & HARDIRQ_MASK) > own;
}

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
/* Two objects may share a slot, which shortens a delay. */
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

/* Runs in the place of a function. A probe by ftrace cannot change the stack pointer. */
static notrace unsigned long krping_delay_identity(unsigned long value)
{
	return value;
}

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

static int krping_delay_handler(struct kprobe *kp, struct pt_regs *regs)
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

/* A probe with this handler is never replaced by a jump, which patches code once more. */
static void krping_delay_after(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
}

NOKPROBE_SYMBOL(krping_delay_after);

/*
 * Rules
 */

static int krping_delay_number(const char *value, u32 min, u32 max, u32 *number)
{
	int ret = kstrtou32(value, 0, number);

	if (ret)
		return ret;
	return *number < min || *number > max ? -EINVAL : 0;
}

static int krping_delay_context(const char *value, u32 *context)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(krping_delay_contexts); i++) {
		if (strcmp(value, krping_delay_contexts[i]))
			continue;
		*context = i;
		return 0;
	}
	return -EINVAL;
}

static int krping_delay_set_return(struct krping_delay_rule *rule, const char *value)
{
	if (!IS_ENABLED(CONFIG_X86))
		return -EOPNOTSUPP;
	if (!strcmp(value, "arg2")) {
		rule->returns = KRPING_DELAY_ARG2;
		return 0;
	}
	rule->returns = KRPING_DELAY_VALUE;
	return krping_delay_number(value, 0, S32_MAX, &rule->value);
}

static int krping_delay_set_comm(struct krping_delay_rule *rule, const char *value, u32 more)
{
	ssize_t len = strscpy(rule->comm, value, sizeof(rule->comm));

	if (len < 0)
		return -EINVAL;
	rule->comm_len = len + more;
	return 0;
}

static int krping_delay_word(struct krping_delay_rule *rule, const char *key,
			     const char *value)
{
	u64 seed;
	int ret;

	if (!strcmp(key, "usec"))
		return krping_delay_number(value, 1, KRPING_DELAY_USEC_MAX, &rule->usec);
	if (!strcmp(key, "every"))
		return krping_delay_number(value, 1, U32_MAX, &rule->every);
	if (!strcmp(key, "chance"))
		return krping_delay_number(value, 1, 65536, &rule->chance);
	if (!strcmp(key, "comm"))
		return krping_delay_set_comm(rule, value, 0);
	/* the terminating NUL is compared, too */
	if (!strcmp(key, "task"))
		return krping_delay_set_comm(rule, value, 1);
	if (!strcmp(key, "context"))
		return krping_delay_context(value, &rule->context);
	if (!strcmp(key, "return"))
		return krping_delay_set_return(rule, value);
	if (!strcmp(key, "seed")) {
		ret = kstrtou64(value, 0, &seed);
		if (!ret)
			atomic64_set(&krping_delay_seed, seed);
		return ret;
	}
	return -EINVAL;
}

static int krping_delay_words(struct krping_delay_rule *rule, char *text)
{
	char *key, *value;
	int ret;

	while ((key = strsep(&text, " \t\n"))) {
		if (!*key)
			continue;
		value = strchr(key, '=');
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		ret = krping_delay_word(rule, key, value);
		if (ret)
			return ret;
	}
	return rule->usec ? 0 : -EINVAL;
}

static struct krping_delay_probe *
krping_delay_new(const struct krping_delay_rule *rule, const char *name)
{
	struct krping_delay_probe *probe;
	size_t size = strlen(name) + 1;

	probe = kzalloc(sizeof(*probe) + size, GFP_KERNEL);
	if (!probe)
		return NULL;
	memcpy(probe->name, name, size);
	probe->rule = *rule;
	probe->kp.symbol_name = probe->name;
	probe->kp.pre_handler = krping_delay_handler;
	probe->kp.post_handler = krping_delay_after;
	return probe;
}

static int krping_delay_add_one(const struct krping_delay_rule *rule, const char *name,
				struct list_head *added)
{
	struct krping_delay_probe *probe = krping_delay_new(rule, name);

	if (!probe)
		return -ENOMEM;
	probe->error = register_kprobe(&probe->kp);
	if (probe->error && !rule->chance) {
		int ret = probe->error;

		pr_info("krping_delay: cannot probe %s (%d)\n", name, ret);
		kfree(probe);
		return ret;
	}
	list_add_tail(&probe->entry, added);
	return 0;
}

/* Remove all probes in one grace period. */
static void krping_delay_remove(struct list_head *probes)
{
	struct krping_delay_probe *probe, *next;
	struct kprobe **kps;
	int nr = 0;

	list_for_each_entry(probe, probes, entry)
		nr += !probe->error;
	kps = kcalloc(nr, sizeof(*kps), GFP_KERNEL);
	nr = 0;
	list_for_each_entry(probe, probes, entry) {
		if (probe->error)
			continue;
		if (kps)
			kps[nr++] = &probe->kp;
		else
			unregister_kprobe(&probe->kp);
	}
	if (nr)
		unregister_kprobes(kps, nr);
	kfree(kps);
	list_for_each_entry_safe(probe, next, probes, entry) {
		list_del(&probe->entry);
		kfree(probe);
	}
}

/* Add all functions of a rule or none; @text is modified. */
static int krping_delay_add(char *text)
{
	struct krping_delay_rule rule = { .every = 1 };
	LIST_HEAD(added);
	char *names, *name;
	int ret;

	text = skip_spaces(text);
	names = strsep(&text, " \t\n");
	if (!text || !*names)
		return -EINVAL;
	ret = krping_delay_words(&rule, text);
	while (!ret && (name = strsep(&names, ",")))
		if (*name)
			ret = krping_delay_add_one(&rule, name, &added);
	if (ret)
		krping_delay_remove(&added);
	else
		list_splice_tail(&added, &krping_delay_probes);
	return ret;
}

/*
 * The files
 */

static ssize_t krping_delay_add_write(struct file *file, const char __user *ubuf,
				      size_t len, loff_t *ppos)
{
	char *text;
	int ret;

	if (len > KRPING_DELAY_RULE_MAX)
		return -EINVAL;
	text = memdup_user_nul(ubuf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&krping_delay_mutex);
	ret = krping_delay_add(text);
	mutex_unlock(&krping_delay_mutex);
	kfree(text);
	return ret ? ret : len;
}

static ssize_t krping_delay_clear_write(struct file *file, const char __user *ubuf,
					size_t len, loff_t *ppos)
{
	mutex_lock(&krping_delay_mutex);
	krping_delay_remove(&krping_delay_probes);
	mutex_unlock(&krping_delay_mutex);
	return len;
}

static const struct file_operations krping_delay_add_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_delay_add_write,
};

static const struct file_operations krping_delay_clear_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_delay_clear_write,
};

static int krping_delay_hits_show(struct seq_file *m, void *unused)
{
	u32 probed = 0, skipped = 0;
	u64 calls = 0, delays = 0;
	struct krping_delay_probe *probe;

	mutex_lock(&krping_delay_mutex);
	list_for_each_entry(probe, &krping_delay_probes, entry) {
		u32 nr_calls = atomic_read(&probe->calls);
		u32 nr_delays = atomic_read(&probe->delays);

		if (probe->error) {
			skipped++;
			seq_printf(m, "%s skipped=%d\n", probe->name, probe->error);
			continue;
		}
		probed++;
		calls += nr_calls;
		delays += nr_delays;
		seq_printf(m, "%s calls=%u delays=%u missed=%lu\n", probe->name,
			   nr_calls, nr_delays, probe->kp.nmissed);
	}
	mutex_unlock(&krping_delay_mutex);
	seq_printf(m, "total probed=%u skipped=%u calls=%llu delays=%llu\n", probed,
		   skipped, calls, delays);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(krping_delay_hits);

static int __init krping_delay_init(void)
{
	struct dentry *dir = debugfs_create_dir("krping_delay", NULL);

	krping_delay_dir = dir;
	debugfs_create_file("add", 0200, dir, NULL, &krping_delay_add_fops);
	debugfs_create_file("clear", 0200, dir, NULL, &krping_delay_clear_fops);
	debugfs_create_file("hits", 0400, dir, NULL, &krping_delay_hits_fops);
	return 0;
}

static void __exit krping_delay_exit(void)
{
	debugfs_remove(krping_delay_dir);
	krping_delay_remove(&krping_delay_probes);
}

module_init(krping_delay_init);
module_exit(krping_delay_exit);

MODULE_DESCRIPTION("Delays for the tests of rdma_krping");
MODULE_AUTHOR("The krping maintainers");
MODULE_LICENSE("Dual BSD/GPL");
