// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a kernel function fail for krping only.
 *
 * The kernel's own fault injection supports few functions, does not report the call that
 * failed, and does not define the moment from which it counts calls. This module supports
 * any function that has a symbol. The N-th call that krping's code makes, directly or through
 * other functions, fails. The files in /sys/kernel/debug/krping_fault/ control the module:
 *
 *   function   name of the function. should_failslab and should_fail_alloc_page decide
 *              whether an allocation fails; the module handles these two specially,
 *              because some allocations must not fail
 *   retval     value that the failing call returns; the function does nothing else
 *   reject     a function whose calls, made directly or through other functions, are not
 *              counted. Each write adds one function; an empty line clears the list
 *   direct     1: count only calls that krping's code makes itself
 *   once       1: do not count a call if an earlier call with the same callers in krping's
 *              code has been made to fail
 *   rest       1: after the N-th call, all further calls of the same process fail
 *   nth        number of the call that fails, counted from this write on; 0: no call fails.
 *              Read: number of calls counted so far
 *   hit        name and id of the process whose call has failed, then its callers. Empty
 *              if no call has failed since the last write to nth
 *
 * x86 only.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "fault.h"

static struct dentry *krping_fault_dir;
/* Serializes writers of the files function, reject and nth. */
static DEFINE_MUTEX(krping_fault_mutex);

/* Copy a word from user space, without the blanks around it. */
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

/* Process a write to a file: call @fn with the written word, and serialize the calls. */
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

/*
 * Change the list of rejected functions, unless a probe is registered: the probe reads the list
 * without a lock.
 */
static int krping_fault_reject_unprobed(const char *name)
{
	return krping_fault_has_function() ? -EBUSY : krping_fault_reject(name);
}

static ssize_t krping_fault_reject_write(struct file *file,
					 const char __user *ubuf, size_t len,
					 loff_t *ppos)
{
	return krping_fault_write_word(krping_fault_reject_unprobed, ubuf, len);
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
	krping_fault_arm(val);
	mutex_unlock(&krping_fault_mutex);
	return 0;
}

static int krping_fault_nth_get(void *data, u64 *val)
{
	*val = krping_fault_nr_calls();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(krping_fault_nth_fops, krping_fault_nth_get,
			 krping_fault_nth_set, "%llu\n");

static int krping_fault_retval_set(void *data, u64 val)
{
	krping_fault_set_retval(val);
	return 0;
}

static int krping_fault_retval_get(void *data, u64 *val)
{
	*val = krping_fault_get_retval();
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE_SIGNED(krping_fault_retval_fops, krping_fault_retval_get,
				krping_fault_retval_set, "%lld\n");

static int krping_fault_hit_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	/* pairs with krping_fault_note() */
	if (!smp_load_acquire(&krping_fault_hit.valid))
		return 0;
	seq_printf(m, "%s %d\n", krping_fault_hit.comm, krping_fault_hit.pid);
	for (i = 0; i < krping_fault_hit.stack.nr; i++)
		seq_printf(m, "%ps\n", (void *)krping_fault_hit.stack.entry[i]);
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
	debugfs_create_bool("rest", 0600, dir, &krping_fault_rest);
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
