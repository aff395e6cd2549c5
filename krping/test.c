// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Start a test, run its threads, and complete the test.
 *
 * Each test has a kernel thread, and a client may have several. The first thread holds a
 * reference to the module, and ends in module_put_and_kthread_exit(), which drops the
 * reference. A work item waits for this exit, removes the test from the list, and wakes the
 * waiters.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <net/net_namespace.h>

#include "compat.h"
#include "conform/conform.h"
#include "interval.h"
#include "krdma_cb.h"
#include "listen.h"
#include "server.h"
#include "region_mem.h"
#include "test.h"
#include "totals.h"
#include "trace.h"
#include "wait.h"

/* Completes tests after the exit of their first threads. */
static struct workqueue_struct *krping_wq;

/* Starts the tests of all servers' clients, in the order of the clients' connect requests. */
static struct workqueue_struct *krping_admit_wq;

/* Check whether the first thread is connected. */
static bool krping_test_first_ready(void *test)
{
	return atomic_read(&((struct krping_test *)test)->nr_ready);
}

/* Check whether all threads are connected. */
static bool krping_test_all_ready(void *arg)
{
	struct krping_test *test = arg;

	return atomic_read(&test->nr_ready) >= test->nr_threads;
}

/* Wait until the first thread or all threads are connected; @done is one of the functions above. */
static int krping_test_sync(struct krping_thread *thread, bool (*done)(void *arg))
{
	int ret = krping_wait(&thread->cq, done, thread->test, 0);

	if (ret)
		return krping_status_set(thread->status, ret,
					 "%s before the test began",
					 krping_status_loss(thread->status));
	return 0;
}

/* Connect a thread, and wait for the test's other threads, so that all measure at the same time. */
static int krping_test_connect(struct krping_thread *thread)
{
	struct krping_test *test = thread->test;
	int ret = 0;

	/* The server accepts other connections of the test only after the first one. */
	if (thread != test->threads)
		ret = krping_test_sync(thread, krping_test_first_ready);
	if (!ret)
		ret = krping_thread_client(thread);
	if (ret)
		return ret;
	atomic_inc(&test->nr_ready);
	wake_up_all(&test->status.wait);
	return krping_test_sync(thread, krping_test_all_ready);
}

/* Run one thread of a client. */
static void krping_test_client_thread(struct krping_thread *thread)
{
	int ret = krping_test_connect(thread);

	if (thread == thread->test->threads)
		complete_all(&thread->test->started);
	if (!ret && thread == thread->test->threads)
		krping_intervals_start(thread->test->intervals);
	if (!ret)
		krping_thread_loop(thread);
	krping_thread_teardown(thread);
}

static int krping_test_further_thread(void *thread)
{
	krping_test_client_thread(thread);
	return 0;
}

/* Run a client. The caller is the first thread of the test, and starts and reaps the others. */
static void krping_test_client(struct krping_test *test)
{
	u32 i;

	for (i = 1; i < test->nr_threads; i++)
		wake_up_process(test->threads[i].task);
	krping_test_client_thread(test->threads);
	for (i = 1; i < test->nr_threads; i++)
		kthread_stop(test->threads[i].task);
	krping_intervals_end(test->intervals);

	/*
	 * If a stop has ended a thread early, store the error of the stop. Do so only now, because
	 * an error would have kept other threads from an orderly end.
	 */
	for (i = 0; i < test->nr_threads; i++)
		if (test->threads[i].cut_short)
			krping_status_stopped(&test->status);
}

static void krping_test_admit(struct work_struct *work);

/*
 * Allocate the test that serves one connection of a server's client. The test exports the
 * memory that the client's first connection uses (@common), the memory that all clients use,
 * or new memory.
 */
static struct krping_test *krping_server_child_alloc(struct krping_test *server,
						     const struct krping_common *common)
{
	struct krping_attach attach = {
		.memop = server->threads->memop,
		.share = common->share,
	};
	u64 size = server->opts.export_size;
	struct krping_test *child;

	child = krping_test_alloc(&server->opts, server->net);
	if (!child)
		return NULL;
	attach.memory = krping_region_mem_get(common->memory ?: server->threads->memory);
	if (!attach.memory && size) {
		attach.memory = krping_region_mem_create(size, false);
		if (!attach.memory) {
			krping_test_put(child);
			return NULL;
		}
	}
	INIT_WORK(&child->admit, krping_test_admit);
	kref_get(&server->ref);
	child->parent = server;
	/* For tracepoints, until the child has an id. */
	child->status.id = server->id;
	child->threads->regions = &server->regions;
	krping_test_attach(child, &attach);
	krping_region_mem_put(attach.memory);
	child->threads->krdma_listener = krdma_cb_get(server->threads->krdma);
	return child;
}

/*
 * Admit or reject a client that gets a test of its own. Return 0 or the reason to reject. rdma_cm
 * handles no other CM message of the machine while this function runs, so a work item creates the
 * thread of the test.
 */
static u8 krping_server_admit(struct krping_conn *listener,
			      struct rdma_cm_id *id,
			      const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct krping_test *test = listener->admit_arg;
	struct krping_params peer = { 0 };
	struct krping_common common = { 0 };
	struct krping_test *child;
	u8 reason;
	u32 nr;

	/* Invalid private data means a first connection. krping_thread_serve() checks the data. */
	krping_wire_req_decode(param->private_data, param->private_data_len,
			       &peer);
	reason = krping_clients_take(&test->clients, peer.conn_idx, peer.session,
				     &nr, &common);
	if (reason)
		return reason;
	child = krping_server_child_alloc(test, &common);
	krping_region_mem_put(common.memory);
	krping_share_put(common.share);
	if (!child) {
		krping_clients_refuse(&test->clients, peer.conn_idx);
		krping_clients_leave(&test->clients);
		wake_up_all(&test->status.wait);
		return KRPING_REJ_RESOURCES;
	}
	child->threads->nr = nr;
	krping_conn_adopt(child->threads->conns, id, event);
	queue_work(krping_admit_wq, &child->admit);
	return 0;
}

/* Run a server: listen, serve clients, and wait until the tests of all clients have ended. */
static void krping_test_server(struct krping_test *test)
{
	struct krping_thread *thread = test->threads;
	struct krping_conn *listener = thread->conns;
	int ret;

	listener->admit = krping_server_admit;
	listener->admit_all = test->opts.clients != 1;
	listener->admit_arg = test;
	ret = krping_thread_listen(thread);
	complete_all(&test->started);
	if (!ret)
		krping_server_serve(test);
	krping_thread_teardown(thread);
	krping_server_close(test);
	/* The listener is closed. Start the tests of all admitted clients before waiting. */
	flush_workqueue(krping_admit_wq);
	krping_server_finish(test);
	krping_region_mem_end(thread->memory);
}

/* Log the time of a client's microbenchmark in the format that awkit/klat and awkit/kbw parse. */
static void krping_test_log_delta(const struct krping_test *test)
{
	struct krping_totals sum;
	u32 rem;
	u64 sec;

	krping_test_totals(test, &sum);
	if (test->opts.role != KRPING_ROLE_CLIENT ||
	    test->opts.test == KRPING_TEST_PING || !sum.iterations || !sum.nsec)
		return;
	sec = div_u64_rem(sum.nsec, NSEC_PER_SEC, &rem);
	pr_info("delta sec %llu delta usec %u iter %llu size %llu\n", sec,
		rem / (u32)NSEC_PER_USEC, sum.iterations, test->opts.size);
}

/* Log the outcome of a test: a client's time, a stop, or the error. */
static void krping_test_log(const struct krping_test *test)
{
	const struct krping_status *status = &test->status;

	/* Log nothing here, because the functions of krdma.h return errors to their callers. */
	if (test->opts.test == KRPING_TEST_KRDMA)
		return;
	switch (status->error) {
	case -EINTR:
	case -ECANCELED:
		/* the peer's user, who sees a disconnect only, may ask for the reason here */
		pr_info_ratelimited("test %u, %s: %s\n", test->id,
				    krping_role_name(test->opts.role), status->detail);
		fallthrough;
	case 0:
		krping_test_log_delta(test);
		break;
	default:
		pr_err("test %u, %s: %s\n", test->id,
		       krping_role_name(test->opts.role), status->detail);
	}
}

/* The first thread of a test: run the test, close its status, and log the result. */
static int krping_test_thread(void *arg)
{
	struct krping_test *test = arg;

	if (test->parent)
		krping_server_child(test);
	else if (test->opts.role == KRPING_ROLE_SERVER)
		krping_test_server(test);
	else
		krping_test_client(test);
	krping_status_close(&test->status);
	trace_krping_end(test->id, krping_status_error(&test->status),
			 krping_thread_iterations(test->threads));
	krping_test_log(test);
	queue_work(krping_wq, &test->reap);
	module_put_and_kthread_exit(0);
	return 0;
}

/* Complete a test after the exit of its first thread. */
static void krping_test_reap(struct work_struct *work)
{
	struct krping_test *test = container_of(work, struct krping_test, reap);

	/* Wait until the thread has exited and dropped its reference to the module. */
	kthread_stop(test->threads->task);
	put_net(test->net);
	krping_registry_remove(test);
	/* pairs with krping_test_ended(): the result is final */
	smp_store_release(&test->ended, true);
	complete_all(&test->done);
	krping_registry_poll_wake();
	if (test->parent)
		krping_server_child_ended(test);
	krping_test_put(test);
}

/* Create one thread, bound to its CPU if the command has the option cpu. */
static int krping_test_create_thread(struct krping_thread *thread)
{
	struct krping_test *test = thread->test;
	int cpu = krping_options_cpu(&test->opts, thread->nr);
	struct task_struct *task;

	thread->id = test->id;
	test->status.id = test->id;
	if (thread == test->threads)
		task = kthread_create(krping_test_thread, test, "krping/%u",
				      test->id);
	else
		task = kthread_create(krping_test_further_thread, thread,
				      "krping/%u:%u", test->id, thread->nr);
	if (IS_ERR(task))
		return PTR_ERR(task);
	if (cpu >= 0)
		kthread_bind(task, cpu);
	krping_thread_set_task(thread, get_task_struct(task));
	return 0;
}

/* Create all threads before any of them runs. */
static int krping_test_create_threads(struct krping_test *test)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < test->nr_threads && !ret; i++)
		ret = krping_test_create_thread(&test->threads[i]);
	if (!ret)
		return 0;
	for (i = 0; i < test->nr_threads && test->threads[i].task; i++)
		kthread_stop(test->threads[i].task);
	return ret;
}

/* Start the first thread, which starts the others once it runs. */
static void krping_test_go(struct krping_test *test)
{
	INIT_WORK(&test->reap, krping_test_reap);
	get_net(test->net);
	__module_get(THIS_MODULE);
	kref_get(&test->ref);
	wake_up_process(test->threads->task);
}

/* Start the test of a server's client. The client's connect waits until the test accepts. */
static void krping_test_admit(struct work_struct *work)
{
	struct krping_test *test = container_of(work, struct krping_test, admit);
	struct krping_test *server = test->parent;

	if (krping_registry_add(test, krping_test_create_threads) >= 0) {
		krping_test_go(test);
	} else {
		krping_status_set(&test->status, -ENOMEM,
				  "no memory for another test");
		krping_clients_refuse(&server->clients,
				      test->threads->conns->peer.conn_idx);
		krping_thread_teardown(test->threads);
		krping_clients_leave(&server->clients);
		wake_up_all(&server->status.wait);
	}
	/* Drop the reference of the allocation. A running test has another one. */
	krping_test_put(test);
}

/* Check that the CPUs of the option cpu are online. */
static int krping_check_cpus(const struct krping_options *opts, char *why,
			     size_t why_size)
{
	u32 i;

	for (i = 0; i < opts->nr_cpus; i++) {
		int cpu = opts->cpus[i];

		if (cpu < nr_cpu_ids && cpu_online(cpu))
			continue;
		snprintf(why, why_size,
			 "cpu=%d: a CPU that is online, see /sys/devices/system/cpu/online",
			 cpu);
		return -EINVAL;
	}
	return 0;
}

/**
 * krping_test_start() - start a test
 * @opts: the command, which is copied
 * @net: the network namespace to run in
 * @attach: objects that the caller shares with the test; the test takes references
 * @why: set to a text that explains an error, or to ""
 * @why_size: size of @why
 *
 * Context: process context; the caller holds a reference to the module.
 *
 * Return: the test, with a reference for the caller, or an ERR_PTR: -EINVAL,
 * -ENOMEM, -EINTR, -ESHUTDOWN.
 */
struct krping_test *krping_test_start(const struct krping_options *opts,
				      struct net *net, const struct krping_attach *attach,
				      char *why, size_t why_size)
{
	struct krping_test *test;
	int ret;

	ret = krping_check_cpus(opts, why, why_size);
	if (!ret)
		ret = krping_conform_check(opts, why, why_size);
	if (ret)
		return ERR_PTR(ret);

	snprintf(why, why_size, "no memory for another test");
	test = krping_test_alloc(opts, net);
	if (!test)
		return ERR_PTR(-ENOMEM);
	krping_test_attach(test, attach);
	ret = krping_registry_add(test, krping_test_create_threads);
	if (ret < 0) {
		if (ret == -EINTR)
			snprintf(why, why_size, "killed before the test began");
		else if (ret == -ESHUTDOWN)
			snprintf(why, why_size, "the machine shuts down");
		krping_test_put(test);
		return ERR_PTR(ret);
	}
	*why = '\0';
	trace_krping_command(test->id, krping_role_name(opts->role),
			     krping_test_name(opts->test), opts->size, opts->count);
	krping_test_go(test);
	return test;
}

/**
 * krping_test_wait() - wait until a test has ended and its resources are freed
 * @test: the test
 *
 * A signal stops the test. After a fatal signal the teardown does not wait for the peer.
 *
 * Return: 0, or the first error of the test, a negative errno.
 */
int krping_test_wait(struct krping_test *test)
{
	if (wait_for_completion_interruptible(&test->done)) {
		krping_test_stop(test, -EINTR, "stopped by a signal");
		if (wait_for_completion_killable(&test->done))
			krping_registry_hurry(test);
		wait_for_completion(&test->done);
	}
	return krping_status_error(&test->status);
}

/**
 * krping_test_wait_started() - wait until a test listens, is connected, or has ended
 * @test: the test
 *
 * A signal stops the test.
 *
 * Return: 0 if the test runs, or has ended without an error; else a negative errno, after
 * the resources of the test are freed.
 */
int krping_test_wait_started(struct krping_test *test)
{
	if (wait_for_completion_interruptible(&test->started))
		return krping_test_wait(test);
	if (krping_status_error(&test->status))
		return krping_test_wait(test);
	return 0;
}

/**
 * krping_tests_init() - allocate the workqueues of all tests
 *
 * Return: 0 or -ENOMEM.
 */
int krping_tests_init(void)
{
	krping_wq = alloc_workqueue("krping", WQ_UNBOUND, 0);
	if (!krping_wq)
		return -ENOMEM;
	krping_admit_wq = alloc_ordered_workqueue("krping_admit", 0);
	if (krping_admit_wq)
		return 0;
	destroy_workqueue(krping_wq);
	return -ENOMEM;
}

/**
 * krping_tests_exit() - free the workqueues of all tests and the empty list of tests
 *
 * No test runs any more, because a running test holds a reference to the module.
 */
void krping_tests_exit(void)
{
	destroy_workqueue(krping_admit_wq);
	destroy_workqueue(krping_wq);
	krping_registry_destroy();
}
