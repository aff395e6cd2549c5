// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocate a test with its threads, before any of them runs. krping_test_put() frees both.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "conform/conform.h"
#include "interval.h"
#include "krdma_cb.h"
#include "region_mem.h"
#include "server.h"
#include "test_alloc.h"

static const struct krping_test_ops * const krping_test_ops_table[KRPING_TEST_COUNT] = {
	[KRPING_TEST_PING] = &krping_ping_ops,
	[KRPING_TEST_WLAT] = &krping_wlat_ops,
	[KRPING_TEST_RLAT] = &krping_rlat_ops,
	[KRPING_TEST_SLAT] = &krping_slat_ops,
	[KRPING_TEST_BW] = &krping_bw_ops,
	[KRPING_TEST_RBW] = &krping_rbw_ops,
	[KRPING_TEST_SBW] = &krping_sbw_ops,
	[KRPING_TEST_FR] = &krping_fr_ops,
	[KRPING_TEST_SESSION] = &krping_session_ops,
	[KRPING_TEST_KRDMA] = &krping_krdma_ops,
	[KRPING_TEST_CONFORM] = &krping_conform_ops,
};

/*
 * Return the number of QPs per thread. Unless the command has the option qps, a disk has one QP for
 * each online CPU, up to KRPING_DISK_QUEUES. krping_limits_conns() may reduce this number once the
 * device is known.
 */
static u32 krping_test_qps(const struct krping_options *opts)
{
	if (opts->memop != KRPING_MEMOP_DISK || opts->qps_given)
		return opts->qps;
	return min_t(u32, num_online_cpus(), KRPING_DISK_QUEUES);
}

/* With the option share, allocate the PD and the MR of all connections of a client. */
static int krping_test_alloc_share(struct krping_test *test)
{
	u32 conns = test->opts.threads * test->opts.qps;
	u32 i;

	if (!test->opts.share || test->opts.role != KRPING_ROLE_CLIENT || conns == 1)
		return 0;
	test->threads->share = krping_share_create(conns);
	if (!test->threads->share)
		return -ENOMEM;
	for (i = 1; i < test->nr_threads; i++)
		test->threads[i].share = krping_share_get(test->threads->share);
	return 0;
}

/*
 * Return the number of connections per thread. With poll, a disk has two for each QP of the option
 * qps: one with completion events, and one whose CQ the block layer polls.
 */
static u32 krping_test_conns(const struct krping_options *opts)
{
	return opts->memop == KRPING_MEMOP_DISK && opts->poll ? 2 * opts->qps : opts->qps;
}

/* Allocate the threads and their connections, and number the connections across all threads. */
static int krping_test_alloc_threads(struct krping_test *test)
{
	struct krping_options *opts = &test->opts;
	u32 session = get_random_u32();
	u32 nr_conns, i;
	int ret;

	opts->qps = krping_test_qps(opts);
	nr_conns = krping_test_conns(opts);
	test->threads = kvcalloc(opts->threads, sizeof(*test->threads), GFP_KERNEL);
	if (!test->threads)
		return -ENOMEM;

	test->nr_threads = opts->threads;
	for (i = 0; i < opts->threads; i++) {
		struct krping_thread *thread = &test->threads[i];

		ret = krping_thread_init(thread, opts, test->net, &test->status,
					 krping_test_ops_table, nr_conns);
		if (ret)
			return ret;
		thread->test = test;
		thread->nr = i;
		thread->session = session;
		krping_thread_number_conns(thread, i * nr_conns);
		thread->conns_total = opts->threads * nr_conns;
	}
	return 0;
}

/**
 * krping_test_alloc() - allocate a test and its threads
 * @opts: the command, which is copied
 * @net: network namespace; must outlive the test's last thread
 *
 * Context: process context.
 *
 * Return: the test, with a reference for the caller; or NULL if there is no memory.
 */
struct krping_test *krping_test_alloc(const struct krping_options *opts, struct net *net)
{
	struct krping_test *test;

	test = kzalloc(sizeof(*test), GFP_KERNEL);
	if (!test)
		return NULL;
	kref_init(&test->ref);
	test->net = net;
	test->created_ns = ktime_get_ns();
	test->created_real = ktime_get_real_seconds();
	test->opts = *opts;
	/* A server registers the buffers that it advertises, unless mem_mode=dma. */
	if (opts->role == KRPING_ROLE_SERVER && !opts->mem_mode_given)
		test->opts.mem_mode = KRPING_MEM_REG;
	krping_status_init(&test->status);
	INIT_LIST_HEAD(&test->session.entry);
	/* A server with clients=1 serves the client in its own thread, and admits no other. */
	krping_clients_init(&test->clients, opts->clients == 1 ? 0 : opts->clients,
			    opts->clients);
	init_completion(&test->started);
	init_completion(&test->done);
	krping_regions_init(&test->regions);
	if (krping_test_alloc_threads(test) || krping_test_alloc_share(test) ||
	    krping_intervals_alloc(&test->intervals, test->threads, test->nr_threads)) {
		krping_test_put(test);
		return NULL;
	}
	test->threads->regions = &test->regions;
	return test;
}

/**
 * krping_test_attach() - give a test the objects of its creator
 * @test: the test, which is allocated and not started
 * @attach: the objects; the test takes references of its own
 */
void krping_test_attach(struct krping_test *test, const struct krping_attach *attach)
{
	if (attach->memop)
		kref_get(&attach->memop->ref);
	test->threads->memop = attach->memop;
	test->threads->memory = krping_region_mem_get(attach->memory);
	if (attach->share)
		test->threads->share = krping_share_get(attach->share);
	test->threads->krdma = krdma_cb_get(attach->krdma);
	if (attach->krdma)
		krdma_cb_attach(attach->krdma, test, &test->status,
				krping_test_is_server(test));
}
