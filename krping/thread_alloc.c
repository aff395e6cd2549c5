// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Initialise a thread before it runs, and free its memory after it has ended. When a disk connects
 * again, initialise its connections again. thread.c has the code that the thread runs.
 */
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "compat.h"
#include "conform/conform.h"
#include "krdma_cb.h"
#include "region_mem.h"
#include "thread.h"

/* Handle the timer of the option duration: let the test end. */
static void krping_thread_expired(struct timer_list *timer)
{
	struct krping_thread *thread = timer_container_of(thread, timer, duration);

	/* The timer wheel shortens very long times, so the timer may expire early. */
	if (time_before(jiffies, thread->deadline)) {
		mod_timer(timer, thread->deadline);
		return;
	}
	WRITE_ONCE(thread->expired, true);
	wake_up_all(&thread->status->wait);
}

/**
 * krping_thread_number_conns() - set the indices of the connections
 * @thread: the thread, with initialised connections
 * @first: index of the thread's first connection among all connections of the test
 */
void krping_thread_number_conns(struct krping_thread *thread, u16 first)
{
	u32 i;

	thread->first_conn = first;
	for (i = 0; i < thread->nr_conns; i++)
		thread->conns[i].queue.conn_idx = first + i;
}

/* Initialise the CQs, and join them in the group that krping_wait() drains after a disconnect. */
static void krping_thread_init_cqs(struct krping_thread *thread)
{
	u32 i;

	krping_cq_init(&thread->cq, thread->status, &thread->stats, &thread->place);
	for (i = 1; i < krping_thread_nr_cqs(thread); i++) {
		struct krping_thread_cq *own = &thread->cqs[i - 1];

		krping_cq_init(&own->cq, thread->status, &own->stats, &thread->place);
		list_add_tail(&own->cq.group, &thread->cq.group);
	}
}

/* Initialise the CQs and the connections, all of which are new (zeroed) or destroyed. */
static void krping_thread_init_conns(struct krping_thread *thread, struct net *net)
{
	u32 i;

	krping_thread_init_cqs(thread);
	for (i = 0; i < thread->nr_conns; i++)
		krping_conn_init(&thread->conns[i], net, &thread->opts,
				 krping_thread_cq(thread, i));
}

/**
 * krping_thread_renew() - prepare a disk's thread to connect again by krping_thread_client()
 * @thread: the thread, disconnected by krping_thread_disconnect()
 *
 * Context: the test's thread. The thread gets a new session, so that the server sees a new client.
 */
void krping_thread_renew(struct krping_thread *thread)
{
	krping_thread_init_conns(thread, thread->conns->net);
	krping_thread_number_conns(thread, thread->first_conn);
	thread->session = get_random_u32();
}

/*
 * Allocate the CQs of a disk. Requests of the block layer complete on all CPUs, so each connection
 * has a CQ, with a context and counters of its own. The first connection uses &krping_thread.cq.
 */
static int krping_thread_alloc_cqs(struct krping_thread *thread, u32 nr_conns)
{
	if (thread->opts.memop != KRPING_MEMOP_DISK || nr_conns == 1)
		return 0;
	thread->cqs = kvcalloc(nr_conns - 1, sizeof(*thread->cqs), GFP_KERNEL);
	return thread->cqs ? 0 : -ENOMEM;
}

/**
 * krping_thread_init() - initialise a thread that is not connected
 * @thread: memory that is all zeros; the function fills it in
 * @opts: the command, which is copied
 * @net: network namespace; must outlive @thread
 * @status: the test's status
 * @ops_table: functions of the tests, by &enum krping_test_type
 * @nr_conns: number of connections
 *
 * Context: process context.
 *
 * Return: 0 or -ENOMEM; the caller calls krping_thread_free() in both cases.
 */
int krping_thread_init(struct krping_thread *thread, const struct krping_options *opts,
		       struct net *net, struct krping_status *status,
		       const struct krping_test_ops * const *ops_table, u32 nr_conns)
{
	thread->opts = *opts;
	thread->ops_table = ops_table;
	thread->ops = ops_table[opts->test];
	thread->client = opts->role == KRPING_ROLE_CLIENT;
	thread->status = status;
	timer_setup(&thread->duration, krping_thread_expired, 0);
	krping_thread_init_cqs(thread);
	krping_mailbox_init(&thread->mailbox);
	krping_users_init(&thread->users);
	thread->region = opts->export_size;

	thread->conns = kvcalloc(nr_conns, sizeof(*thread->conns), GFP_KERNEL);
	if (!thread->conns || krping_thread_alloc_cqs(thread, nr_conns))
		return -ENOMEM;
	thread->nr_conns = nr_conns;
	if (krping_place_alloc(&thread->place))
		return -ENOMEM;
	krping_thread_init_conns(thread, net);
	krping_thread_number_conns(thread, 0);
	return 0;
}

/**
 * krping_thread_free() - free what krping_thread_init() has allocated
 * @thread: the thread, which is torn down or has never run
 */
void krping_thread_free(struct krping_thread *thread)
{
	kvfree(thread->conns);
	kvfree(thread->cqs);
	krping_hist_free(thread->hist);
	krping_place_free(&thread->place);
	krping_device_counters_free(&thread->counters);
	krping_memop_put(thread->memop);
	krping_region_mem_put(thread->memory);
	krping_share_put(thread->share);
	krdma_cb_put(thread->krdma);
	krdma_cb_put(thread->krdma_listener);
	krping_conform_free(thread->conform);
	thread->memop = NULL;
	thread->memory = NULL;
	thread->share = NULL;
	thread->krdma = NULL;
	thread->krdma_listener = NULL;
	thread->conns = NULL;
	thread->cqs = NULL;
	thread->hist = NULL;
	thread->conform = NULL;
}

/**
 * krping_thread_set_task() - set the task of a thread
 * @thread: the thread, initialised
 * @task: the task, to which a stop sends a signal; the thread takes over the caller's reference
 */
void krping_thread_set_task(struct krping_thread *thread, struct task_struct *task)
{
	u32 i;

	thread->task = task;
	for (i = 0; i < thread->nr_conns; i++)
		thread->conns[i].thread = task;
}
