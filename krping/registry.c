// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The tests that exist: their references, the list of those that run, and
 * stopping them.
 */
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "registry.h"

/* The running tests by id. The mutex makes one look at them consistent. */
static DEFINE_XARRAY_ALLOC1(krping_tests);
static DEFINE_MUTEX(krping_registry_lock);
static u32 krping_next_id;

/* One for all: a poll(2) may still sleep on it when its test has been freed. */
static DECLARE_WAIT_QUEUE_HEAD(krping_ended_wait);

static void krping_test_release(struct kref *ref)
{
	struct krping_test *test = container_of(ref, struct krping_test, ref);
	u32 i;

	for (i = 0; i < test->nr_workers; i++) {
		if (test->workers[i].task)
			put_task_struct(test->workers[i].task);
		krping_thread_free(&test->threads[i]);
	}
	kvfree(test->workers);
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
 * @create: gets its threads; they do not run yet
 *
 * Process context.
 *
 * Return: 0 or more, or a negative errno.
 */
int krping_registry_add(struct krping_test *test,
			int (*create)(struct krping_test *test))
{
	int ret;

	mutex_lock(&krping_registry_lock);
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
 * @test: the test, whose thread has ended
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
 * @error: negative errno that it shall end with
 * @why: @error in words; a string that stays
 */
void krping_test_stop(struct krping_test *test, int error, const char *why)
{
	u32 i;

	krping_status_stop(&test->status, error, why);
	/* It may sit in rdma_connect(), the only place where it listens. */
	for (i = 0; i < test->nr_workers; i++)
		send_sig(SIGINT, test->workers[i].task, 1);
}

/**
 * krping_registry_stop_children() - ask the tests of a server's clients to end
 * @parent: the server
 * @error: negative errno that they shall end with
 * @why: @error in words; a string that stays
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

static bool krping_test_visible(const struct krping_test *test,
				const struct net *net)
{
	return net_eq(net, &init_net) || net_eq(net, test->net);
}

/**
 * krping_registry_for_each() - look at the running tests, in the order of their ids
 * @net: network namespace of whoever looks; the initial one sees all
 * @fn: called for each with its number in this list, from 1; must not sleep long
 * @arg: for @fn
 *
 * Process context.
 *
 * Return: how many there are.
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

/* Under the lock. Returns how many there were; raises @last to their highest id. */
static u32 krping_tests_tell_role(const struct net *net, u32 id,
				  enum krping_role role, u32 *last)
{
	struct krping_test *test;
	unsigned long index;
	u32 nr = 0;

	xa_for_each(&krping_tests, index, test) {
		if (!krping_test_visible(test, net) || (id && id != index) ||
		    test->opts.role != role)
			continue;
		krping_test_stop(test, -ECANCELED, "stopped by the command stop");
		*last = max_t(u32, *last, index);
		nr++;
	}
	return nr;
}

/*
 * Tell the tests to stop, and remember which they are by their highest id.
 * Clients come first: they know that they shall stop when their servers, which
 * end at once, take the connections away.
 */
static u32 krping_tests_tell(const struct net *net, u32 id, u32 *last)
{
	u32 nr;

	mutex_lock(&krping_registry_lock);
	nr = krping_tests_tell_role(net, id, KRPING_ROLE_CLIENT, last);
	nr += krping_tests_tell_role(net, id, KRPING_ROLE_SERVER, last);
	mutex_unlock(&krping_registry_lock);
	return nr;
}

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
 * krping_registry_stop() - stop one test or all, and wait until they have ended
 * @net: network namespace of whoever stops; the initial one stops all
 * @id: the test; 0: all that run now
 * @stopped: how many were told to stop
 *
 * Process context.
 *
 * Return: 0, -ESRCH if there is none, -EINTR if a signal ended the waiting; the
 * tests stop nevertheless.
 */
int krping_registry_stop(const struct net *net, u32 id, u32 *stopped)
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
 * krping_registry_poll_wait() - let a poll(2) sleep until a test ends
 * @file: the polled file
 * @wait: the poll table
 */
void krping_registry_poll_wait(struct file *file, poll_table *wait)
{
	poll_wait(file, &krping_ended_wait, wait);
}

/**
 * krping_registry_poll_wake() - a test has ended
 */
void krping_registry_poll_wake(void)
{
	wake_up_all(&krping_ended_wait);
}

/**
 * krping_registry_destroy() - forget the list, which is empty
 */
void krping_registry_destroy(void)
{
	xa_destroy(&krping_tests);
}
