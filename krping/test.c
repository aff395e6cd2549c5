// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A test's life.
 *
 * Each test is a kernel thread. It holds a reference to the module, which only
 * the core kernel can drop after the thread's last instruction, and so "the
 * test has ended" can only be said by somebody else: a work item reaps the
 * thread, takes the test off the list and wakes whoever waits.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "agree.h"
#include "compat.h"
#include "test.h"

/* The running tests by id. The mutex makes one look at them consistent. */
static DEFINE_XARRAY_ALLOC1(krping_tests);
static DEFINE_MUTEX(krping_tests_lock);
static u32 krping_next_id;

static struct workqueue_struct *krping_wq;

/* One for all: a poll(2) may still sleep on it when its test has been freed. */
static DECLARE_WAIT_QUEUE_HEAD(krping_ended_wait);

static const struct krping_kind * const krping_kinds[KRPING_TEST_COUNT] = {
	[KRPING_TEST_PING] = &krping_ping_kind,
};

static bool krping_is_server(const struct krping_run *run)
{
	return run->opts.role == KRPING_ROLE_SERVER;
}

/*
 * The order of set-up, and in krping_run_teardown() its mirror image. Whatever
 * fails sets the cause and leaves to the teardown what it has got.
 */

/* Refuse what the device cannot do; the writer is told the limit. */
static int krping_run_check(struct krping_run *run)
{
	const char *why = "";
	u64 max = 0;
	int ret;

	ret = run->kind->check(run, &max, &why);
	if (ret)
		return krping_cause_set(&run->cause, ret, "%s", why);
	if (run->opts.size > max)
		return krping_cause_set(&run->cause, -EINVAL,
					"size=%llu: with mem_mode=%s the device takes 1 to %llu",
					run->opts.size,
					krping_mem_mode_name(run->opts.mem_mode),
					max);
	return 0;
}

static int krping_run_setup(struct krping_run *run)
{
	struct krping_queue_attr attr = {
		.poll		= run->opts.poll,
		.workqueue	= run->opts.cq_ctx == KRPING_CQ_WORKQUEUE,
		.cpu		= run->opts.cpu,
	};
	int ret;

	run->kind->queue_attr(run, &attr);
	ret = krping_conn_alloc(&run->conn, run->kind->global_rkey(run), &attr);
	if (ret)
		return ret;
	return run->kind->setup(run);
}

static int krping_run_client(struct krping_run *run)
{
	struct krping_agreement ask;
	int ret;

	ret = krping_conn_resolve(&run->conn);
	if (ret)
		return ret;
	ret = krping_run_check(run);
	if (ret)
		return ret;
	ret = krping_run_setup(run);
	if (ret)
		return ret;
	krping_agree_ask(&run->opts, &ask);
	return krping_conn_connect(&run->conn, &ask);
}

/* Return: 0, or the &enum krping_rej_reason to turn the client away with. */
static u8 krping_run_adopt(struct krping_run *run,
			   const struct krping_options *own, u64 *limit)
{
	const struct krping_conn *conn = &run->conn;
	const struct krping_kind *kind;
	const char *why;
	u8 reason;
	u64 max;

	*limit = 0;
	switch (conn->peer_ret) {
	case 0:
		reason = krping_agree_adopt(own, &conn->peer, &run->opts, limit);
		if (reason)
			return reason;
		break;
	case -ENOENT:
		krping_agree_old_peer(&run->opts);
		break;
	case -EPROTONOSUPPORT:
		*limit = KRPING_WIRE_VERSION;
		return KRPING_REJ_VERSION;
	default:
		return KRPING_REJ_MALFORMED;
	}

	/* The teardown needs a kind, whatever a client has asked for. */
	kind = krping_kinds[run->opts.test];
	if (!kind || kind->check(run, &max, &why))
		return KRPING_REJ_UNSUPPORTED;
	run->kind = kind;
	if (run->opts.size > max) {
		*limit = max;
		return KRPING_REJ_SIZE;
	}
	return 0;
}

/* Turn clients away until one comes that can be served. */
static int krping_run_await_client(struct krping_run *run,
				   const struct krping_options *own)
{
	for (;;) {
		u64 limit;
		u8 reason;
		int ret;

		ret = krping_conn_await_request(&run->conn);
		if (ret)
			return ret;
		reason = krping_run_adopt(run, own, &limit);
		if (!reason)
			return 0;
		pr_warn_ratelimited("a client was turned away: the server %s (limit %llu)\n",
				    krping_rej_reason_str(reason), limit);
		krping_conn_reject(&run->conn, reason, limit);
		run->opts = *own;
		run->kind = krping_kinds[own->test];
	}
}

static int krping_run_server(struct krping_test *test)
{
	struct krping_run *run = &test->run;
	struct krping_agreement agreed;
	int ret;

	ret = krping_conn_listen(&run->conn);
	if (!ret && run->conn.listen_id->device)
		ret = krping_run_check(run);
	if (ret)
		return ret;
	complete_all(&test->started);

	ret = krping_run_await_client(run, &test->opts);
	if (ret)
		return ret;
	ret = krping_run_setup(run);
	if (ret)
		return ret;
	krping_agree_ask(&run->opts, &agreed);
	return krping_conn_accept(&run->conn, &agreed);
}

static void krping_run_expired(struct timer_list *timer)
{
	struct krping_run *run = timer_container_of(run, timer, duration);

	/* The timer wheel cuts off what is too far away for it. */
	if (time_before(jiffies, run->deadline)) {
		mod_timer(timer, run->deadline);
		return;
	}
	WRITE_ONCE(run->expired, true);
	wake_up_all(&run->cause.wait);
}

static int krping_run_loop(struct krping_run *run)
{
	WRITE_ONCE(run->start_ns, ktime_get_ns());
	WRITE_ONCE(run->end_ns, run->start_ns);
	if (run->opts.duration) {
		run->deadline = jiffies + min_t(u64, (u64)run->opts.duration * HZ,
						MAX_JIFFY_OFFSET);
		mod_timer(&run->duration, run->deadline);
	}
	return run->kind->loop(run);
}

static void krping_run_teardown(struct krping_run *run)
{
	timer_delete_sync(&run->duration);
	krping_conn_disconnect(&run->conn);
	run->kind->cleanup(run);
	krping_conn_free(&run->conn);
	krping_conn_destroy(&run->conn);
}

static void krping_test_run(struct krping_test *test)
{
	struct krping_run *run = &test->run;
	int ret;

	krping_conn_init(&run->conn, test->net, &test->opts, &run->cause,
			 &run->stats);
	if (krping_is_server(run))
		ret = krping_run_server(test);
	else
		ret = krping_run_client(run);
	complete_all(&test->started);
	if (!ret)
		krping_run_loop(run);
	krping_run_teardown(run);
}

static void krping_test_log(const struct krping_test *test)
{
	const struct krping_cause *cause = &test->run.cause;

	switch (cause->error) {
	case 0:
	case -EINTR:
	case -ECANCELED:
		break;
	default:
		pr_err("test %u, %s: %s\n", test->id,
		       krping_role_name(test->opts.role), cause->detail);
	}
}

static int krping_test_thread(void *arg)
{
	struct krping_test *test = arg;

	krping_test_run(test);
	krping_test_log(test);
	queue_work(krping_wq, &test->reap);
	module_put_and_kthread_exit(0);
	return 0;
}

/*
 * Life and death.
 */

static void krping_test_release(struct kref *ref)
{
	struct krping_test *test = container_of(ref, struct krping_test, ref);

	if (test->task)
		put_task_struct(test->task);
	kfree(test->run.hist);
	kfree(test);
}

/**
 * krping_test_put() - drop a reference to a test
 * @test: the test, or NULL
 */
void krping_test_put(struct krping_test *test)
{
	if (test)
		kref_put(&test->ref, krping_test_release);
}

static void krping_test_unlist(struct krping_test *test)
{
	mutex_lock(&krping_tests_lock);
	xa_erase(&krping_tests, test->id);
	mutex_unlock(&krping_tests_lock);
}

static void krping_test_reap(struct work_struct *work)
{
	struct krping_test *test = container_of(work, struct krping_test, reap);

	/* Waits for the exit; the thread's module reference is gone then. */
	kthread_stop(test->task);
	put_net(test->net);
	krping_test_unlist(test);
	/* pairs with krping_test_ended(): the result is final */
	smp_store_release(&test->ended, true);
	complete_all(&test->done);
	wake_up_all(&krping_ended_wait);
	krping_test_put(test);
}

static struct krping_test *krping_test_alloc(const struct krping_options *opts,
					     struct net *net)
{
	struct krping_test *test;

	test = kzalloc(sizeof(*test), GFP_KERNEL);
	if (!test)
		return NULL;
	/* Only a client knows when an iteration begins and ends. */
	if (opts->role == KRPING_ROLE_CLIENT) {
		test->run.hist = kmalloc(sizeof(*test->run.hist), GFP_KERNEL);
		if (!test->run.hist) {
			kfree(test);
			return NULL;
		}
		krping_hist_init(test->run.hist);
	}

	kref_init(&test->ref);
	test->net = net;
	test->opts = *opts;
	/* A server advertises by registration unless its user says otherwise. */
	if (opts->role == KRPING_ROLE_SERVER && !opts->mem_mode_given)
		test->opts.mem_mode = KRPING_MEM_REG;
	test->run.opts = test->opts;
	test->run.kind = krping_kinds[opts->test];
	krping_cause_init(&test->run.cause);
	timer_setup(&test->run.duration, krping_run_expired, 0);
	INIT_WORK(&test->reap, krping_test_reap);
	init_completion(&test->started);
	init_completion(&test->done);
	return test;
}

static int krping_test_create_thread(struct krping_test *test)
{
	struct task_struct *task;

	task = kthread_create(krping_test_thread, test, "krping/%u", test->id);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (test->opts.cpu >= 0)
		kthread_bind(task, test->opts.cpu);
	test->task = task;
	get_task_struct(task);
	return 0;
}

static int krping_check_cpu(int cpu, char *why, size_t why_size)
{
	if (cpu < 0 || (cpu < nr_cpu_ids && cpu_online(cpu)))
		return 0;
	snprintf(why, why_size, "cpu=%d: a CPU that is online, see /sys/devices/system/cpu/online",
		 cpu);
	return -EINVAL;
}

/* On the list under its id, with its thread, which has not begun to run. */
static int krping_test_enlist(struct krping_test *test)
{
	int ret;

	mutex_lock(&krping_tests_lock);
	ret = xa_alloc_cyclic(&krping_tests, &test->id, test,
			      XA_LIMIT(1, INT_MAX), &krping_next_id, GFP_KERNEL);
	if (ret >= 0) {
		ret = krping_test_create_thread(test);
		if (ret)
			xa_erase(&krping_tests, test->id);
	}
	mutex_unlock(&krping_tests_lock);
	return ret;
}

/**
 * krping_test_start() - start a test
 * @opts: the command, which is copied
 * @net: the network namespace to run in
 * @why: says why not
 * @why_size: size of @why
 *
 * Process context; the caller holds a reference to the module.
 *
 * Return: the test, with a reference for the caller, or an ERR_PTR: -EINVAL,
 * -EOPNOTSUPP, -ENOMEM.
 */
struct krping_test *krping_test_start(const struct krping_options *opts,
				      struct net *net, char *why,
				      size_t why_size)
{
	struct krping_test *test;
	int ret;

	if (!krping_kinds[opts->test]) {
		snprintf(why, why_size, "%s: not built yet",
			 krping_test_name(opts->test));
		return ERR_PTR(-EOPNOTSUPP);
	}
	ret = krping_check_cpu(opts->cpu, why, why_size);
	if (ret)
		return ERR_PTR(ret);

	snprintf(why, why_size, "no memory for another test");
	test = krping_test_alloc(opts, net);
	if (!test)
		return ERR_PTR(-ENOMEM);
	ret = krping_test_enlist(test);
	if (ret < 0) {
		krping_test_put(test);
		return ERR_PTR(ret);
	}
	*why = '\0';

	get_net(net);
	__module_get(THIS_MODULE);
	kref_get(&test->ref);
	wake_up_process(test->task);
	return test;
}

static void krping_test_stop(struct krping_test *test, int error,
			     const char *why)
{
	krping_cause_stop(&test->run.cause, error, why);
	/* It may sit in rdma_connect(), the only place where it listens. */
	send_sig(SIGINT, test->task, 1);
}

/**
 * krping_test_wait() - wait until a test has ended and nothing of it is left
 * @test: the test
 *
 * A signal stops the test.
 *
 * Return: 0, or the negative errno that decided.
 */
int krping_test_wait(struct krping_test *test)
{
	if (wait_for_completion_interruptible(&test->done)) {
		krping_test_stop(test, -EINTR, "stopped by a signal");
		wait_for_completion(&test->done);
	}
	return krping_cause_error(&test->run.cause);
}

/**
 * krping_test_wait_started() - wait until a test runs
 * @test: the test
 *
 * A signal stops the test.
 *
 * Return: 0 if it runs, or has run without an error; else the negative errno,
 * and nothing of the test is left.
 */
int krping_test_wait_started(struct krping_test *test)
{
	if (wait_for_completion_interruptible(&test->started))
		return krping_test_wait(test);
	if (krping_cause_error(&test->run.cause))
		return krping_test_wait(test);
	return 0;
}

static bool krping_test_visible(const struct krping_test *test,
				const struct net *net)
{
	return net_eq(net, &init_net) || net_eq(net, test->net);
}

/**
 * krping_tests_for_each() - look at the running tests, in the order of their ids
 * @net: network namespace of whoever looks; the initial one sees all
 * @fn: called for each with its number in this list, from 1; must not sleep long
 * @arg: for @fn
 *
 * Process context.
 *
 * Return: how many there are.
 */
int krping_tests_for_each(const struct net *net,
			  void (*fn)(struct krping_test *test, int nr, void *arg),
			  void *arg)
{
	struct krping_test *test;
	unsigned long id;
	int nr = 0;

	mutex_lock(&krping_tests_lock);
	xa_for_each(&krping_tests, id, test)
		if (krping_test_visible(test, net))
			fn(test, ++nr, arg);
	mutex_unlock(&krping_tests_lock);
	return nr;
}

/* Tell the tests to stop, and remember which they are by their highest id. */
static u32 krping_tests_tell(const struct net *net, u32 id, u32 *last)
{
	struct krping_test *test;
	unsigned long index;
	u32 nr = 0;

	mutex_lock(&krping_tests_lock);
	xa_for_each(&krping_tests, index, test) {
		if (!krping_test_visible(test, net) || (id && id != index))
			continue;
		krping_test_stop(test, -ECANCELED, "stopped by the command stop");
		*last = index;
		nr++;
	}
	mutex_unlock(&krping_tests_lock);
	return nr;
}

static struct krping_test *krping_test_find(const struct net *net, u32 first,
					    u32 last)
{
	struct krping_test *test, *found = NULL;
	unsigned long index;

	mutex_lock(&krping_tests_lock);
	xa_for_each_range(&krping_tests, index, test, first, last) {
		if (!krping_test_visible(test, net))
			continue;
		kref_get(&test->ref);
		found = test;
		break;
	}
	mutex_unlock(&krping_tests_lock);
	return found;
}

/**
 * krping_tests_stop() - stop one test or all, and wait until they have ended
 * @net: network namespace of whoever stops; the initial one stops all
 * @id: the test; 0: all that run now
 * @stopped: how many were told to stop
 *
 * Process context.
 *
 * Return: 0, -ESRCH if there is none, -EINTR if a signal ended the waiting; the
 * tests stop nevertheless.
 */
int krping_tests_stop(const struct net *net, u32 id, u32 *stopped)
{
	struct krping_test *test;
	u32 last = 0;
	int ret = 0;

	*stopped = krping_tests_tell(net, id, &last);
	if (!*stopped)
		return -ESRCH;

	while (!ret && (test = krping_test_find(net, id, last))) {
		ret = wait_for_completion_interruptible(&test->done);
		krping_test_put(test);
	}
	return ret ? -EINTR : 0;
}

/**
 * krping_tests_poll_wait() - let a poll(2) sleep until a test ends
 * @file: the polled file
 * @wait: the poll table
 */
void krping_tests_poll_wait(struct file *file, poll_table *wait)
{
	poll_wait(file, &krping_ended_wait, wait);
}

/**
 * krping_tests_init() - get ready for tests
 *
 * Return: 0 or -ENOMEM.
 */
int krping_tests_init(void)
{
	krping_wq = alloc_workqueue("krping", WQ_UNBOUND, 0);
	return krping_wq ? 0 : -ENOMEM;
}

/**
 * krping_tests_exit() - the mirror image
 *
 * No test runs any more: each holds a reference to the module.
 */
void krping_tests_exit(void)
{
	destroy_workqueue(krping_wq);
	xa_destroy(&krping_tests);
}
