/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The tests that exist.
 */
#ifndef KRPING_REGISTRY_H
#define KRPING_REGISTRY_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "clients.h"
#include "options.h"
#include "thread.h"

struct krping_test;
struct net;

/**
 * struct krping_worker - a thread of a test
 * @test: the test
 * @thread: what the thread works on
 * @task: the thread; its task_struct is kept until the test is freed
 */
struct krping_worker {
	struct krping_test *test;
	struct krping_thread *thread;
	struct task_struct *task;
};

/**
 * struct krping_test - a test, from the write that starts it until nobody
 *	wants its result any more
 * @ref: held by the list of running tests and by a descriptor's result
 * @id: its number
 * @net: network namespace of the command's writer, until the test has ended
 * @opts: the command
 * @status: why it ends
 * @nr_workers: number of threads
 * @workers: the threads; the first one is there as long as the test
 * @threads: what they work on
 * @nr_ready: threads that are connected
 * @admit: starts the first thread, if it serves a server's client
 * @reap: collects the first thread when it has ended
 * @started: the server listens, or the client is connected, or it is over
 * @done: the test has ended and nothing of it is left but this
 * @ended: the same, for whoever does not wait
 * @clients: server: those of its clients that it does not serve itself
 * @parent: the server that this test serves a client of, or NULL
 * @session: the connections that the client may still make
 * @refused: the client was turned away
 */
struct krping_test {
	struct kref ref;
	u32 id;
	struct net *net;
	struct krping_options opts;
	struct krping_status status;
	u32 nr_workers;
	struct krping_worker *workers;
	struct krping_thread *threads;
	atomic_t nr_ready;
	struct work_struct admit;
	struct work_struct reap;
	struct completion started;
	struct completion done;
	bool ended;
	struct krping_clients clients;
	struct krping_test *parent;
	struct krping_session session;
	bool refused;
};

int krping_registry_add(struct krping_test *test,
			int (*create)(struct krping_test *test));
void krping_registry_remove(struct krping_test *test);
void krping_test_put(struct krping_test *test);
void krping_test_stop(struct krping_test *test, int error, const char *why);
void krping_registry_stop_children(const struct krping_test *parent, int error,
				   const char *why);
int krping_registry_stop(const struct net *net, u32 id, u32 *stopped);
int krping_registry_for_each(const struct net *net,
			     void (*fn)(struct krping_test *test, int nr, void *arg),
			     void *arg);
void krping_registry_poll_wait(struct file *file, poll_table *wait);
void krping_registry_poll_wake(void);
void krping_registry_destroy(void);

/**
 * krping_test_ended() - is it over?
 * @test: the test
 *
 * Return: true if so; then its result does not change any more.
 */
static inline bool krping_test_ended(const struct krping_test *test)
{
	/* pairs with krping_test_reap() */
	return smp_load_acquire(&test->ended);
}

#endif /* KRPING_REGISTRY_H */
