// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The list of running tests: find, stop and await tests. A test is freed with its last reference.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "interval.h"
#include "registry.h"

/* The running tests by id. A walk over the list holds the mutex. */
static DEFINE_XARRAY_ALLOC1(krping_tests);
static DEFINE_MUTEX(krping_registry_lock);
static u32 krping_next_id;

/* The machine shuts down, so krping_registry_add() adds no further test. */
static bool krping_registry_closed;

/* All tests use one wait queue, on which poll(2) may still sleep after a test is freed. */
static DECLARE_WAIT_QUEUE_HEAD(krping_ended_wait);

/* Free a test that has lost its last reference. */
static void krping_test_release(struct kref *ref)
{
	struct krping_test *test = container_of(ref, struct krping_test, ref);
	u32 i;

	for (i = 0; i < test->nr_threads; i++) {
		if (test->threads[i].task)
			put_task_struct(test->threads[i].task);
		krping_thread_free(&test->threads[i]);
	}
	krping_intervals_free(test->intervals);
	kvfree(test->threads);
	if (test->parent)
		krping_test_put(test->parent);
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

/**
 * krping_registry_add() - put a test on the list, under a new id
 * @test: the test
 * @create: creates the test's threads, but does not start them; called with the list locked
 *
 * Context: process context.
 *
 * Return: 0; -ESHUTDOWN after krping_registry_close(); or another negative errno.
 */
int krping_registry_add(struct krping_test *test,
			int (*create)(struct krping_test *test))
{
	int ret = -ESHUTDOWN;

	mutex_lock(&krping_registry_lock);
	if (!krping_registry_closed)
		ret = xa_alloc_cyclic(&krping_tests, &test->id, test,
				      XA_LIMIT(1, INT_MAX), &krping_next_id, GFP_KERNEL);
	if (ret >= 0) {
		ret = create(test);
		if (ret)
			xa_erase(&krping_tests, test->id);
	}
	mutex_unlock(&krping_registry_lock);
	return ret;
}

/**
 * krping_registry_remove() - take a test off the list
 * @test: the test, all of whose threads have ended
 */
void krping_registry_remove(struct krping_test *test)
{
	mutex_lock(&krping_registry_lock);
	xa_erase(&krping_tests, test->id);
	mutex_unlock(&krping_registry_lock);
}

/**
 * krping_test_stop() - ask a test to end
 * @test: the test
 * @error: negative errno of the test's result
 * @why: text that explains @error; a string constant
 */
void krping_test_stop(struct krping_test *test, int error, const char *why)
{
	u32 i;

	krping_status_stop(&test->status, error, why);
	/* Only a signal interrupts a thread in rdma_connect(). */
	for (i = 0; i < test->nr_threads; i++)
		send_sig(SIGINT, test->threads[i].task, 1);
}

/**
 * krping_registry_stop_children() - ask the tests of a server's clients to end
 * @parent: the server
 * @error: negative errno of their results
 * @why: text that explains @error; a string constant
 */
void krping_registry_stop_children(const struct krping_test *parent, int error,
				   const char *why)
{
	struct krping_test *test;
	unsigned long id;

	mutex_lock(&krping_registry_lock);
	xa_for_each(&krping_tests, id, test)
		if (test->parent == parent)
			krping_test_stop(test, error, why);
	mutex_unlock(&krping_registry_lock);
}

/*
 * Keep a stopped test, and the tests of its clients, from waiting for their peers. The caller holds
 * the lock.
 */
static void krping_test_hurry(struct krping_test *test)
{
	struct krping_test *child;
	unsigned long id;

	krping_status_hurry(&test->status);
	xa_for_each(&krping_tests, id, child)
		if (child->parent == test)
			krping_status_hurry(&child->status);
}

/**
 * krping_registry_hurry() - keep a stopped test and the tests of its clients from waiting for peers
 * @test: the test
 *
 * Context: process context. If a disconnect request is lost after this call, the peer does not
 * learn that the test has ended.
 */
void krping_registry_hurry(struct krping_test *test)
{
	mutex_lock(&krping_registry_lock);
	krping_test_hurry(test);
	mutex_unlock(&krping_registry_lock);
}

/* Check whether a caller in namespace @net may see a test. The initial namespace sees all. */
static bool krping_test_visible(const struct krping_test *test,
				const struct net *net)
{
	return net_eq(net, &init_net) || net_eq(net, test->net);
}

/**
 * krping_registry_for_each() - call a function for each running test, in the order of the ids
 * @net: network namespace of the caller; the initial one sees all tests
 * @fn: called with the test and its number in the list, from 1; the list is locked meanwhile
 * @arg: passed to @fn
 *
 * Context: process context.
 *
 * Return: the number of tests for which @fn was called.
 */
int krping_registry_for_each(const struct net *net,
			     void (*fn)(struct krping_test *test, int nr, void *arg),
			     void *arg)
{
	struct krping_test *test;
	unsigned long id;
	int nr = 0;

	mutex_lock(&krping_registry_lock);
	xa_for_each(&krping_tests, id, test)
		if (krping_test_visible(test, net))
			fn(test, ++nr, arg);
	mutex_unlock(&krping_registry_lock);
	return nr;
}

/* A request to stop tests, by the command stop or by the shutdown of the machine. */
struct krping_stop {
	const struct net *net;
	u32 id;		/* 0: all tests */
	bool force;	/* stop tests in use, too, such as a disk that is open */
	bool hurry;	/* let the tests wait for no peer */
	const char *why;	/* detail of the results; a string constant */
	u32 nr;		/* number of stopped tests */
	u32 last;	/* highest id of the stopped tests */
};

/* Check whether a request to stop tests applies to a test. */
static bool krping_stop_matches(const struct krping_stop *stop,
				const struct krping_test *test)
{
	return krping_test_visible(test, stop->net) &&
	       (!stop->id || stop->id == test->id);
}

/*
 * Stop the matching tests of a role. A user who stops a test that is already stopped, or is ending
 * by itself, does not want to wait for the peer. The caller holds the lock.
 */
static void krping_tests_stop_role(struct krping_stop *stop, enum krping_role role)
{
	struct krping_test *test;
	unsigned long index;

	xa_for_each(&krping_tests, index, test) {
		if (!krping_stop_matches(stop, test) || test->opts.role != role)
			continue;
		if (stop->hurry || krping_status_ending(&test->status))
			krping_test_hurry(test);
		krping_test_stop(test, -ECANCELED, stop->why);
		stop->last = max_t(u32, stop->last, index);
		stop->nr++;
	}
}

/*
 * Undo krping_tests_close() for tests with an id below @end: let them accept users again, unless
 * they were stopped before. The caller holds the lock.
 */
static void krping_tests_reopen(const struct krping_stop *stop, u32 end)
{
	struct krping_test *test;
	unsigned long index;

	xa_for_each(&krping_tests, index, test)
		if (index < end && krping_stop_matches(stop, test) &&
		    !READ_ONCE(test->status.stop_error))
			krping_users_reopen(&test->threads->users);
}

/*
 * Check that no matching test is in use, unless @stop->force, and let the tests accept no further
 * users. If a test is in use, return -EBUSY, and the caller stops none of the tests, because one of
 * them may be the server of an open disk. The caller holds the lock.
 */
static int krping_tests_close(const struct krping_stop *stop)
{
	struct krping_test *test;
	unsigned long index;

	xa_for_each(&krping_tests, index, test) {
		if (!krping_stop_matches(stop, test) ||
		    krping_users_close(&test->threads->users, stop->force))
			continue;
		krping_tests_reopen(stop, index);
		return -EBUSY;
	}
	return 0;
}

/*
 * Stop the matching tests that run now, and store their highest id, so that the caller waits for
 * these tests only. Stop clients first, because a stopped server disconnects at once, which is an
 * error for a client that is not stopped yet.
 */
static int krping_tests_stop(struct krping_stop *stop)
{
	int ret;

	mutex_lock(&krping_registry_lock);
	ret = krping_tests_close(stop);
	if (!ret) {
		krping_tests_stop_role(stop, KRPING_ROLE_CLIENT);
		krping_tests_stop_role(stop, KRPING_ROLE_SERVER);
	}
	mutex_unlock(&krping_registry_lock);
	return ret;
}

/* Find the test with the lowest id from @first to @last. The caller puts the reference. */
static struct krping_test *krping_test_find(const struct net *net, u32 first,
					    u32 last)
{
	struct krping_test *test, *found = NULL;
	unsigned long index;

	mutex_lock(&krping_registry_lock);
	xa_for_each_range(&krping_tests, index, test, first, last) {
		if (!krping_test_visible(test, net))
			continue;
		kref_get(&test->ref);
		found = test;
		break;
	}
	mutex_unlock(&krping_registry_lock);
	return found;
}

/**
 * krping_registry_get() - find a running test
 * @net: network namespace of the caller; the initial one sees all tests
 * @id: id of the test
 *
 * Context: process context.
 *
 * Return: the test, with a reference for the caller; NULL if no test has this id.
 */
struct krping_test *krping_registry_get(const struct net *net, u32 id)
{
	return krping_test_find(net, id, id);
}

/**
 * krping_registry_stop() - stop one test or all, and wait until they have ended
 * @net: network namespace of the caller; the initial one stops all tests
 * @id: id of the test; 0: all tests that run now
 * @force: stop tests that are in use, too, such as a disk that is open
 * @stopped: set to the number of stopped tests, except on -EBUSY
 *
 * Context: process context.
 *
 * Return: 0; -ESRCH if there is no such test; -EBUSY if a test is in use and @force is not set, in
 * which case the function stops no test; -EINTR if a signal has ended the wait, although the tests
 * are stopped.
 */
int krping_registry_stop(const struct net *net, u32 id, bool force, u32 *stopped)
{
	struct krping_stop stop = {
		.net = net, .id = id, .force = force,
		.why = "stopped by the command stop",
	};
	struct krping_test *test;
	int ret;

	ret = krping_tests_stop(&stop);
	if (ret)
		return ret;
	*stopped = stop.nr;
	if (!stop.nr)
		return -ESRCH;

	while (!ret && (test = krping_test_find(net, id, stop.last))) {
		ret = wait_for_completion_interruptible(&test->done);
		krping_test_put(test);
	}
	return ret ? -EINTR : 0;
}

/* Set the counter to the number of this test; the last call leaves the number of all tests. */
static void krping_count_test(struct krping_test *test, int nr, void *arg)
{
	*(u32 *)arg = nr;
}

/**
 * krping_registry_close() - accept no further test, stop all, and wait until they have ended
 * @timeout: maximum duration of the wait, in jiffies
 * @stopped: set to the number of stopped tests
 *
 * Context: process context. Signals do not end the wait. The function also stops tests in use.
 *
 * Return: number of tests that still run.
 */
u32 krping_registry_close(unsigned long timeout, u32 *stopped)
{
	struct krping_stop stop = {
		.net = &init_net, .force = true, .hurry = true,
		.why = "stopped because the machine shuts down",
	};
	struct krping_test *test;
	u32 left = 0;

	mutex_lock(&krping_registry_lock);
	krping_registry_closed = true;
	mutex_unlock(&krping_registry_lock);
	krping_tests_stop(&stop);
	*stopped = stop.nr;
	while (timeout && (test = krping_test_find(&init_net, 0, stop.last))) {
		timeout = wait_for_completion_timeout(&test->done, timeout);
		krping_test_put(test);
	}
	krping_registry_for_each(&init_net, krping_count_test, &left);
	return left;
}

/**
 * krping_registry_poll_wait() - let a poll(2) wait for the end of any test
 * @file: the polled file
 * @wait: the poll table
 */
void krping_registry_poll_wait(struct file *file, poll_table *wait)
{
	poll_wait(file, &krping_ended_wait, wait);
}

/**
 * krping_registry_poll_wake() - wake each poll(2) after the end of a test
 */
void krping_registry_poll_wake(void)
{
	wake_up_all(&krping_ended_wait);
}

/**
 * krping_registry_destroy() - free the empty list
 */
void krping_registry_destroy(void)
{
	xa_destroy(&krping_tests);
}
