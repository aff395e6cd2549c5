// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * /proc/krping: a write runs a command. A read returns the result of the last command that was
 * written to the same descriptor. If no command was written, a read returns the list of running
 * tests.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "conform/conform.h"
#include "options.h"
#include "proc.h"
#include "result.h"
#include "server.h"
#include "region_mem.h"
#include "test.h"

#define KRPING_COMMAND_MAX	4096

/**
 * struct krping_outcome - what a command has done; a read prints the result from this struct
 * @test: the test that the command has started; NULL: the command started none
 * @error: 0 or negative errno of a command that started no test
 * @detail: text that explains @error
 * @stop: the command was stop
 * @stopped: number of tests that the command has stopped
 * @help: the command was help
 * @list: the command was list
 * @cases: the command was conform,list
 * @id: id that the command names; 0: none
 * @memop: operation that the command has run on a session, such as put; NULL: none
 */
struct krping_outcome {
	struct krping_test *test;
	int error;
	const char *detail;
	bool stop;
	u32 stopped;
	bool help;
	bool list;
	bool cases;
	u32 id;
	struct krping_memop *memop;
};

/**
 * struct krping_file - an open descriptor of /proc/krping
 * @lock: protects the other members; never held while a command runs
 * @commanded: a command was written, so a read returns the command's result instead of the list
 * @outcome: outcome of the last command; &krping_outcome.detail points to @detail
 * @detail: copy of the text that explains the error
 * @base: file position of the first byte of the result
 * @fresh: no read has followed the last command yet
 * @end: file position at which a read of the result has returned 0; -1: no read has returned 0
 */
struct krping_file {
	struct mutex lock; /* protects the other members */
	bool commanded;
	struct krping_outcome outcome;
	char detail[KRPING_WHY_MAX];
	loff_t base;
	bool fresh;
	loff_t end;
};

static struct krping_file *krping_file(const struct file *file)
{
	struct seq_file *m = file->private_data;

	return m->private;
}

/* Replace the result of the previous command. @kf takes over the references of @outcome. */
static void krping_file_set(struct krping_file *kf, struct krping_outcome outcome)
{
	struct krping_outcome old;

	mutex_lock(&kf->lock);
	old = kf->outcome;
	kf->commanded = true;
	strscpy(kf->detail, outcome.detail ?: "", sizeof(kf->detail));
	kf->outcome = outcome;
	kf->outcome.detail = kf->detail;
	kf->fresh = true;
	kf->end = -1;
	mutex_unlock(&kf->lock);
	krping_test_put(old.test);
	krping_memop_put(old.memop);
}

/* Log why a command is refused, and make the refusal the command's result. */
static int krping_refuse(struct krping_file *kf, int error, const char *why)
{
	struct krping_outcome outcome = { .error = error, .detail = why };

	pr_err("%s\n", why);
	krping_file_set(kf, outcome);
	return error;
}

/*
 * Each function krping_command_...() runs one command, stores the outcome for later reads, and
 * returns 0 or a negative errno.
 */

static int krping_command_stop(struct krping_file *kf, u32 id, bool force)
{
	struct krping_outcome outcome = { .stop = true };

	outcome.error = krping_registry_stop(current->nsproxy->net_ns, id,
					     force, &outcome.stopped);
	/* A stop of all tests succeeds even if no test runs. */
	if (outcome.error == -ESRCH && !id)
		outcome.error = 0;
	if (outcome.error == -ESRCH)
		outcome.detail = "stop: no running test has this id";
	else if (outcome.error == -EBUSY)
		outcome.detail = "stop: a disk is open; unmount it, or add force";
	else if (outcome.error)
		outcome.detail = "stop: interrupted before all tests had ended";
	krping_file_set(kf, outcome);
	return outcome.error;
}

static int krping_command_drain(struct krping_file *kf, u32 id)
{
	struct krping_outcome outcome = { .id = id };
	struct krping_test *test;

	test = krping_registry_get(current->nsproxy->net_ns, id);
	if (!test) {
		outcome.error = -ESRCH;
		outcome.detail = "drain: no running test has this id";
	} else if (!krping_test_is_server(test)) {
		outcome.error = -EINVAL;
		outcome.detail = "drain: the test with this id is not a server";
	} else {
		krping_server_drain(test);
	}
	krping_test_put(test);
	krping_file_set(kf, outcome);
	return outcome.error;
}

static int krping_command_help(struct krping_file *kf)
{
	struct krping_outcome outcome = { .help = true };

	krping_file_set(kf, outcome);
	return 0;
}

static int krping_command_cases(struct krping_file *kf)
{
	struct krping_outcome outcome = { .cases = true };

	krping_file_set(kf, outcome);
	return 0;
}

static int krping_command_list(struct krping_file *kf, u32 id)
{
	struct krping_outcome outcome = { .list = true, .id = id };
	struct krping_test *test = NULL;

	if (id) {
		test = krping_registry_get(current->nsproxy->net_ns, id);
		if (!test) {
			outcome.error = -ESRCH;
			outcome.detail = "list: no running test has this id";
		}
		krping_test_put(test);
	}
	krping_file_set(kf, outcome);
	return outcome.error;
}

/* Return the mailbox of a session; or NULL, with error and detail in @outcome. */
static struct krping_mailbox *krping_command_mailbox(struct krping_test *test,
						     struct krping_outcome *outcome)
{
	if (!test) {
		outcome->error = -ESRCH;
		outcome->detail = "no running test has this id";
		return NULL;
	}
	if (test->opts.memop != KRPING_MEMOP_SESSION) {
		outcome->error = -EINVAL;
		outcome->detail = "the test with this id is not a session of a client";
		return NULL;
	}
	return &test->threads->mailbox;
}

/* Run an operation on a session. The result keeps the operation, even if a signal ends the wait. */
static int krping_command_memop(struct krping_file *kf, u32 id, struct krping_memop *op)
{
	struct krping_outcome outcome = { .id = id, .memop = op };
	struct krping_mailbox *box;
	struct krping_test *test;

	kref_get(&op->ref);
	test = krping_registry_get(current->nsproxy->net_ns, id);
	box = krping_command_mailbox(test, &outcome);
	if (box) {
		outcome.error = krping_mailbox_run(box, op, &test->status.wait);
		outcome.detail = op->detail;
		if (outcome.error == -EINTR)
			outcome.detail = "interrupted before the operation had ended";
		else if (outcome.error == -EBUSY)
			outcome.detail = "1024 operations wait for this session already";
		else if (outcome.error && !completion_done(&op->done))
			outcome.detail = "the session has ended";
	}
	krping_test_put(test);
	krping_file_set(kf, outcome);
	return outcome.error;
}

static int krping_command_test(struct krping_file *kf,
			       const struct krping_options *opts,
			       const struct krping_attach *attach)
{
	struct krping_outcome outcome = { };
	char why[KRPING_WHY_MAX];
	struct krping_test *test;
	int ret;

	test = krping_test_start(opts, current->nsproxy->net_ns, attach, why,
				 sizeof(why));
	if (IS_ERR(test))
		return krping_refuse(kf, PTR_ERR(test), why);

	/* Take a reference for the descriptor, which the next command or the release drops. */
	kref_get(&test->ref);
	outcome.test = test;
	krping_file_set(kf, outcome);
	if (opts->background)
		ret = krping_test_wait_started(test);
	else
		ret = krping_test_wait(test);
	krping_test_put(test);
	return ret;
}

/*
 * Create the operation of a command, such as put. For a server with export=, create the buffer
 * for its clients' messages and, if the server has only one region, the region's memory.
 */
static int krping_command_prepare(struct krping_file *kf,
				  const struct krping_options *opts,
				  struct krping_attach *attach)
{
	bool one;

	if (krping_memop_is_operation(opts->memop))
		attach->memop = krping_memop_create(opts);
	else if (opts->export_size)
		attach->memop = krping_memop_create_message();
	else
		return 0;
	/* If each client has its own region, krping_server_child_alloc() creates the memory. */
	one = opts->export_size && (opts->shared || opts->clients == 1);
	if (one)
		attach->memory = krping_region_mem_create(opts->export_size, opts->shared);
	if (attach->memop && (attach->memory || !one))
		return 0;
	return krping_refuse(kf, -ENOMEM, "no memory for the operation");
}

/* Parse a command. Free its text before the command runs, because a test may run for days. */
static int krping_command_parse(struct krping_file *kf, const char __user *ubuf,
				size_t len, struct krping_options *opts,
				struct krping_attach *attach)
{
	char why[KRPING_WHY_MAX];
	char *text;
	int ret;

	text = memdup_user_nul(ubuf, len);
	if (IS_ERR(text))
		return krping_refuse(kf, PTR_ERR(text),
				     PTR_ERR(text) == -EFAULT ?
				     "the address of the command is invalid" :
				     "cannot allocate memory for the command");
	ret = krping_options_parse(text, len, opts, why, sizeof(why));
	if (ret)
		krping_refuse(kf, ret, why);
	if (!ret)
		ret = krping_command_prepare(kf, opts, attach);
	opts->text = NULL;
	kfree(text);
	return ret;
}

static int krping_command_run(struct krping_file *kf, const struct krping_options *opts,
			      const struct krping_attach *attach)
{
	switch (opts->role) {
	case KRPING_ROLE_STOP:
		return krping_command_stop(kf, opts->id, opts->force);
	case KRPING_ROLE_DRAIN:
		return krping_command_drain(kf, opts->id);
	case KRPING_ROLE_HELP:
		return krping_command_help(kf);
	case KRPING_ROLE_LIST:
		if (opts->test == KRPING_TEST_CONFORM)
			return krping_command_cases(kf);
		return krping_command_list(kf, opts->id);
	case KRPING_ROLE_MEMOP:
		return krping_command_memop(kf, opts->id, attach->memop);
	default:
		return krping_command_test(kf, opts, attach);
	}
}

static int krping_command(struct krping_file *kf, const char __user *ubuf,
			  size_t len)
{
	struct krping_attach attach = { };
	struct krping_options *opts;
	int ret;

	/* On the stack, options and error text would exceed the frame limit of a 32-bit kernel. */
	opts = kmalloc(sizeof(*opts), GFP_KERNEL);
	if (!opts)
		return krping_refuse(kf, -ENOMEM, "cannot allocate memory for the command");
	ret = krping_command_parse(kf, ubuf, len, opts, &attach);
	if (!ret)
		ret = krping_command_run(kf, opts, &attach);
	krping_memop_put(attach.memop);
	krping_region_mem_put(attach.memory);
	kfree(opts);
	return ret;
}

static ssize_t krping_proc_write(struct file *file, const char __user *ubuf,
				 size_t len, loff_t *ppos)
{
	struct krping_file *kf = krping_file(file);
	int ret;

	if (!file_ns_capable(file, &init_user_ns, CAP_NET_ADMIN) ||
	    !capable(CAP_NET_ADMIN))
		return -EPERM;
	if (len > KRPING_COMMAND_MAX)
		return krping_refuse(kf, -E2BIG,
				     "a command has at most 4096 bytes");

	ret = krping_command(kf, ubuf, len);
	return ret ? ret : len;
}

static void krping_show_help(struct seq_file *m)
{
	char line[KRPING_HELP_MAX];
	unsigned int nr;

	for (nr = 0; krping_options_help(nr, line, sizeof(line)); nr++)
		seq_printf(m, "%s\n", line);
}

static void krping_show_outcome(struct seq_file *m,
				const struct krping_outcome *outcome)
{
	const struct krping_memop *op = outcome->memop;
	const char *wc_status = "";
	char what[32];

	if (outcome->test) {
		krping_result_show(m, outcome->test);
		return;
	}
	snprintf(what, sizeof(what), "id=%u", outcome->id);
	if (outcome->stop && (!outcome->error || outcome->stopped))
		snprintf(what, sizeof(what), "id=0 stopped=%u", outcome->stopped);
	if (op && completion_done(&outcome->memop->done) && op->posted)
		wc_status = ib_wc_status_msg(op->wc_status);
	krping_result_show_plain(m, what, outcome->error, wc_status, outcome->detail);
	krping_memop_show(m, outcome->memop);
	if (outcome->list && !outcome->error)
		krping_list_show_keys(m, current->nsproxy->net_ns, outcome->id);
	if (outcome->cases)
		krping_conform_list(m);
	if (outcome->help)
		krping_show_help(m);
}

static int krping_proc_show(struct seq_file *m, void *unused)
{
	struct krping_file *kf = m->private;
	bool commanded;

	mutex_lock(&kf->lock);
	commanded = kf->commanded;
	if (commanded)
		krping_show_outcome(m, &kf->outcome);
	mutex_unlock(&kf->lock);
	if (!commanded)
		krping_list_show(m, current->nsproxy->net_ns);
	return 0;
}

/*
 * A shell that runs several commands on one descriptor does not seek, so the file
 * position stays at the end of the previous result. A result therefore begins at
 * the position of the first read after its command. It begins anew at the position
 * at which a read has returned 0.
 */
static ssize_t krping_proc_read(struct file *file, char __user *ubuf,
				size_t len, loff_t *ppos)
{
	struct krping_file *kf = krping_file(file);
	loff_t base, pos;
	ssize_t ret;

	mutex_lock(&kf->lock);
	if (kf->fresh || *ppos < kf->base ||
	    (kf->commanded && *ppos == kf->end))
		kf->base = *ppos;
	kf->fresh = false;
	base = kf->base;
	mutex_unlock(&kf->lock);

	pos = *ppos - base;
	ret = seq_read(file, ubuf, len, &pos);
	if (ret > 0)
		*ppos = base + pos;

	mutex_lock(&kf->lock);
	if (!ret && len)
		kf->end = *ppos;
	mutex_unlock(&kf->lock);
	return ret;
}

/* Report that the result is readable, unless the test of the last command still runs. */
static __poll_t krping_proc_poll(struct file *file, poll_table *wait)
{
	struct krping_file *kf = krping_file(file);
	__poll_t mask = EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;

	krping_registry_poll_wait(file, wait);
	mutex_lock(&kf->lock);
	if (kf->outcome.test && !krping_test_ended(kf->outcome.test))
		mask &= ~(EPOLLIN | EPOLLRDNORM);
	mutex_unlock(&kf->lock);
	return mask;
}

static int krping_proc_open(struct inode *inode, struct file *file)
{
	struct krping_file *kf;
	int ret;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	/*
	 * An open descriptor keeps the module loaded, because poll(2) sleeps on
	 * a wait queue of the module.
	 */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;

	kf = kzalloc(sizeof(*kf), GFP_KERNEL);
	if (!kf) {
		ret = -ENOMEM;
		goto put_module;
	}
	mutex_init(&kf->lock);
	ret = single_open(file, krping_proc_show, kf);
	if (ret)
		goto free_kf;

	/*
	 * A write() that runs a test sleeps, and must not hold the lock of the file
	 * position meanwhile, because a read() of the same descriptor takes this lock.
	 */
	file->f_mode &= ~FMODE_ATOMIC_POS;
	return 0;

free_kf:
	kfree(kf);
put_module:
	module_put(THIS_MODULE);
	return ret;
}

static int krping_proc_release(struct inode *inode, struct file *file)
{
	struct krping_file *kf = krping_file(file);

	krping_test_put(kf->outcome.test);
	krping_memop_put(kf->outcome.memop);
	kfree(kf);
	single_release(inode, file);
	/* The module may unload from now on, but remove_proc_entry() waits for this function. */
	module_put(THIS_MODULE);
	return 0;
}

static const struct proc_ops krping_proc_ops = {
	.proc_open	= krping_proc_open,
	.proc_read	= krping_proc_read,
	.proc_write	= krping_proc_write,
	.proc_lseek	= seq_lseek,
	.proc_poll	= krping_proc_poll,
	.proc_release	= krping_proc_release,
};

/**
 * krping_proc_init() - create /proc/krping
 *
 * Return: 0 or -ENOMEM.
 */
int krping_proc_init(void)
{
	return proc_create("krping", 0600, NULL, &krping_proc_ops) ? 0 : -ENOMEM;
}

/**
 * krping_proc_exit() - remove /proc/krping
 *
 * Context: process context. Waits until no function of krping_proc_ops is running.
 */
void krping_proc_exit(void)
{
	remove_proc_entry("krping", NULL);
}
