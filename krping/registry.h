/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A test, and the list of running tests.
 */
#ifndef KRPING_REGISTRY_H
#define KRPING_REGISTRY_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "clients.h"
#include "open_region.h"
#include "options.h"
#include "thread.h"

struct krping_test;
struct krping_intervals;
struct net;

/**
 * struct krping_test - a test: runs one command, or serves one connection of a server's client
 * @ref: held while the test runs, by open files that have its result, and by tests of its clients
 * @id: number by which results and commands name the test
 * @net: network namespace of the command's writer, held until the test has ended
 * @created_ns: time of the command, ktime_get_ns()
 * @created_real: time of the command in seconds of the wall clock
 * @opts: options of the command
 * @status: errno and error text of the test, and whether the test shall stop
 * @nr_threads: number of threads
 * @threads: the threads; the first one lives as long as the test
 * @nr_ready: number of threads that are connected
 * @admit: starts the first thread, if the test serves a server's client
 * @reap: completes the test after the exit of the first thread
 * @started: completed when the server listens, the client is connected, or the test has ended
 * @done: completed when the test has ended and its resources are freed
 * @ended: the test has ended; for readers that do not wait for @done
 * @clients: server: its clients, each of which has a test of its own
 * @regions: server: the regions that its clients have opened
 * @parent: the server whose client this test serves, or NULL
 * @session: server, or test of a server's client: session in which the client makes its further
 *	connections
 * @refused: the server has rejected the client; set only in a test with a @parent
 * @intervals: client: figures of each period of the option interval=, or NULL
 */
struct krping_test {
	struct kref ref;
	u32 id;
	struct net *net;
	u64 created_ns;
	time64_t created_real;
	struct krping_options opts;
	struct krping_status status;
	u32 nr_threads;
	struct krping_thread *threads;
	atomic_t nr_ready;
	struct work_struct admit;
	struct work_struct reap;
	struct completion started;
	struct completion done;
	bool ended;
	struct krping_clients clients;
	struct krping_regions regions;
	struct krping_test *parent;
	struct krping_session session;
	bool refused;
	struct krping_intervals *intervals;
};

/* Put a test on the list, under a new id. */
int krping_registry_add(struct krping_test *test,
			int (*create)(struct krping_test *test));

/* Take a test off the list. */
void krping_registry_remove(struct krping_test *test);

/* Drop a reference to a test. */
void krping_test_put(struct krping_test *test);

/* Ask a test to end. */
void krping_test_stop(struct krping_test *test, int error, const char *why);

/* Ask the tests of a server's clients to end. */
void krping_registry_stop_children(const struct krping_test *parent, int error,
				   const char *why);

/* Stop one test or all, and wait until they have ended. */
int krping_registry_stop(const struct net *net, u32 id, bool force, u32 *stopped);

/* End a stopped test, and the tests of its clients, without a wait for peers. */
void krping_registry_hurry(struct krping_test *test);

/* Before a shutdown, accept no further test, stop all, and wait until they have ended. */
u32 krping_registry_close(unsigned long timeout, u32 *stopped);

/* Find a running test. */
struct krping_test *krping_registry_get(const struct net *net, u32 id);

/* Call a function for each running test, in the order of the ids. */
int krping_registry_for_each(const struct net *net,
			     void (*fn)(struct krping_test *test, int nr, void *arg),
			     void *arg);

/* Let a poll(2) wait for the end of any test. */
void krping_registry_poll_wait(struct file *file, poll_table *wait);

/* Wake each poll(2) after the end of a test. */
void krping_registry_poll_wake(void);

/* Free the empty list. */
void krping_registry_destroy(void);

/**
 * krping_test_ended() - check whether the test has ended
 * @test: the test
 *
 * Return: true if the test has ended; from then on, its result does not change.
 */
static inline bool krping_test_ended(const struct krping_test *test)
{
	/* pairs with krping_test_reap() */
	return smp_load_acquire(&test->ended);
}

/**
 * krping_test_is_server() - check whether a test listens
 * @test: the test
 *
 * Return: true for a server; false for a client, and for the test of a server's client.
 */
static inline bool krping_test_is_server(const struct krping_test *test)
{
	return test->opts.role == KRPING_ROLE_SERVER && !test->parent;
}

#endif /* KRPING_REGISTRY_H */
