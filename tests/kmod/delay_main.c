// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: delay calls of kernel functions.
 *
 * A delay between two steps of the kernel widens the window of a race, so that a race that
 * otherwise occurs once in thousands of runs occurs in each run. Each delay spins in a
 * kprobe's handler, before the function's first instruction. The handler takes no lock
 * and allocates nothing, so the module can probe any function that kprobes allow, in any
 * context.
 *
 * A spinning CPU does no other work, so a spinning completion handler may also stop the
 * thread that waits for the completion. return= avoids this: the function returns at once,
 * with a value that makes its caller try again later, as if a device moderated interrupts.
 * For ib_poll_handler() use return=arg2, its whole budget, which reports that there is more
 * to poll; for ib_process_cq_direct() use return=0.
 *
 * The files in /sys/kernel/debug/krping_delay/:
 *
 *   add     one rule for each write: FUNCTION[,FUNCTION]... usec=N [WORD]...
 *             usec=N        how long a call is delayed, at most 100000; with return=
 *                           at most 1000000
 *             context=WHERE only calls in this context: softirq, process (default: any)
 *             comm=PREFIX   only calls while the current task's name begins with PREFIX
 *             task=NAME     only calls while the current task has this name
 *             every=N       only each N-th of the calls that match (default 1)
 *             chance=N      delay a matching call with a probability of N/65536, for a
 *                           random time of 1 to usec microseconds; skip a function that
 *                           cannot be probed
 *             seed=N        seed of the random numbers
 *             return=N      do not spin. Until usec have passed since the first call
 *                           with the same first argument, each call returns N, which may
 *                           be negative, at once;
 *                           return=arg2 returns the second argument. x86 only
 *           FUNCTION may be MODULE:FUNCTION, a function of MODULE. Without chance=, a
 *           function that cannot be probed is an error, and the rule probes no function.
 *   clear   any write removes all rules
 *   hits    a line for each function: FUNCTION calls=N delays=N missed=N, or
 *           FUNCTION skipped=ERRNO. calls counts the calls that match context=, comm=
 *           and task=; missed counts all calls for which kprobes ran no handler. The
 *           last line has the totals
 *
 * Unloading a module removes the probes of its functions. When the module has been loaded
 * again, write the rules again.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "delay.h"
#include "park.h"

static struct dentry *krping_delay_dir;
/* Serializes writers of the files; the handler takes no lock. */
static DEFINE_MUTEX(krping_delay_mutex);
static LIST_HEAD(krping_delay_probes);

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

/*
 * Probe the function @name, and add the probe to the list @added. If the function cannot be probed,
 * a rule with chance= keeps the error in the list, and another rule fails.
 */
static int krping_delay_add_one(const struct krping_delay_rule *rule, const char *name,
				struct list_head *added)
{
	struct krping_delay_probe *probe = krping_delay_new(rule, name);

	if (!probe)
		return -ENOMEM;
	probe->error = krping_park_register(&probe->kp);
	if (probe->error && !rule->chance) {
		int ret = probe->error;

		pr_info("krping_delay: cannot probe %s (%d)\n", name, ret);
		kfree(probe);
		return ret;
	}
	list_add_tail(&probe->entry, added);
	return 0;
}

/*
 * Disarm all @probes, and then remove them in one call if possible, to wait for one RCU grace
 * period only.
 */
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
		krping_park_disarm(&probe->kp);
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

/* Probe all functions of the rule in @text, or none after an error. The function modifies @text. */
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
