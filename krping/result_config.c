// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Print the lines of a result that describe how krping has measured its figures: the options
 * of both sides, the network path, and the CPUs. A key whose value is unknown is absent.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/numa.h>
#include <linux/seq_file.h>

#include "config.h"
#include "registry.h"
#include "result_config.h"

static const char *krping_config_cq(const struct krping_config *config)
{
	return config->flags & KRPING_CONFIG_WORKQUEUE ? "workqueue" : "softirq";
}

/*
 * If the WRs of a side need an lkey for their buffer, print which: that of an MR (reg) or the local
 * DMA lkey (dma).
 */
static void krping_show_local(struct seq_file *m, const struct krping_config *config)
{
	if (config->flags & KRPING_CONFIG_LOCAL)
		seq_printf(m, " local=%s",
			   krping_mem_mode_name(config->flags & KRPING_CONFIG_LOCAL_REG ?
						KRPING_MEM_REG : KRPING_MEM_DMA));
}

/* Print an option unless its value is negative, which means that the command has not set it. */
static void krping_show_set(struct seq_file *m, const char *key, int value)
{
	if (value >= 0)
		seq_printf(m, " %s=%d", key, value);
}

static void krping_show_cpus(struct seq_file *m, const struct krping_options *opts)
{
	u32 i;

	for (i = 0; i < opts->nr_cpus; i++)
		seq_printf(m, "%s%u", i ? ":" : " cpu=", opts->cpus[i]);
}

/* Print the options of this side that have no counterpart in the line peer_config. */
static void krping_show_own(struct seq_file *m, const struct krping_options *opts)
{
	seq_printf(m, " server_inv=%d read_inv=%d local_dma_lkey=%d share=%d verbose=%d histogram=%d count=%llu warmup=%llu duration=%u timeout=%u retry=%u rnr_retry=%u",
		   opts->server_inv, opts->read_inv, opts->local_dma_lkey, opts->share,
		   opts->verbose, opts->histogram, opts->count, opts->warmup, opts->duration,
		   opts->timeout, opts->retry, opts->rnr_retry);
	krping_show_set(m, "tos", opts->tos);
	krping_show_set(m, "ack_timeout", opts->ack_timeout);
	krping_show_set(m, "min_rnr_timer", opts->min_rnr_timer);
	krping_show_set(m, "vector", opts->vector);
	krping_show_cpus(m, opts);
}

/* Print the options of this side that are not in the first line of the result. */
static void krping_show_config(struct seq_file *m, const struct krping_thread *thread)
{
	const struct krping_options *opts = &thread->opts;
	struct krping_config config;

	krping_config_fill(thread, &config);
	seq_printf(m, "config txdepth=%u poll=%d cq=%s cqmod=%u batch=%u qps=%u threads=%u sge=%u inline=%d imm=%d atomic=%s srq=%d duplex=%d validate=%d stride=%u rate=%u reads=%u clocksource=%s",
		   config.txdepth, opts->poll, krping_config_cq(&config), config.cqmod,
		   config.batch, config.qps, config.threads, config.sge, opts->inline_data,
		   opts->imm, krping_atomic_name(opts->atomic), opts->srq, opts->duplex,
		   opts->validate, opts->stride, config.rate, thread->conns->reads_out,
		   READ_ONCE(thread->clock_start.name) ?: "unknown");
	krping_show_local(m, &config);
	krping_show_own(m, opts);
	seq_putc(m, '\n');
}

/* Print the options that the peer has sent. */
static void krping_show_peer_config(struct seq_file *m, const struct krping_thread *thread)
{
	const struct krping_conn *conn = thread->conns;
	const struct krping_config *config = &conn->peer.config;

	if (!krping_conn_negotiated(conn) || !config->known)
		return;
	seq_printf(m, "peer_config mem_mode=%s txdepth=%u poll=%d cq=%s cqmod=%u batch=%u qps=%u threads=%u sge=%u inline=%d srq=%d rate=%u",
		   krping_mem_mode_name(config->flags & KRPING_CONFIG_REG ? KRPING_MEM_REG :
									    KRPING_MEM_DMA),
		   config->txdepth, !!(config->flags & KRPING_CONFIG_POLL),
		   krping_config_cq(config), config->cqmod, config->batch, config->qps,
		   config->threads, config->sge, !!(config->flags & KRPING_CONFIG_INLINE),
		   !!(config->flags & KRPING_CONFIG_SRQ), config->rate);
	krping_show_local(m, config);
	seq_putc(m, '\n');
}

static const char *krping_gid_type(enum ib_gid_type type)
{
	switch (type) {
	case IB_GID_TYPE_ROCE:
		return "rocev1";
	case IB_GID_TYPE_ROCE_UDP_ENCAP:
		return "rocev2";
	default:
		return "ib";
	}
}

static void krping_show_path(struct seq_file *m, const struct krping_conn *conn)
{
	const struct krping_path *path = &conn->path;

	seq_puts(m, "path");
	/* Print GIDs as /sys/class/infiniband/DEVICE/ports/PORT/gids does. */
	if (path->has_gids)
		seq_printf(m, " local_gid=%pI6 remote_gid=%pI6 type=%s index=%u mtu=%u sl=%u",
			   path->local.raw, path->remote.raw,
			   krping_gid_type(path->type), path->index, path->mtu, path->sl);
	if (path->vlan != KRPING_NO_VLAN)
		seq_printf(m, " vlan=%u", path->vlan);
	seq_printf(m, " reads_out=%u reads_in=%u\n", conn->reads_out, conn->reads_in);
}

/* Print the CPUs that have posted operations, and the CPUs that have handled completions. */
static void krping_show_place(struct seq_file *m, const struct krping_test *test)
{
	int node = test->threads->conns->path.node;
	struct krping_place sum;
	u32 i;

	if (krping_place_alloc(&sum))
		return;
	for (i = 0; i < test->nr_threads; i++) {
		const struct krping_place *place = &test->threads[i].place;

		bitmap_or(sum.posted, sum.posted, place->posted, nr_cpu_ids);
		bitmap_or(sum.handled, sum.handled, place->handled, nr_cpu_ids);
	}
	if (!bitmap_empty(sum.posted, nr_cpu_ids)) {
		seq_printf(m, "place post=%*pbl", (int)nr_cpu_ids, sum.posted);
		if (!bitmap_empty(sum.handled, nr_cpu_ids))
			seq_printf(m, " complete=%*pbl", (int)nr_cpu_ids, sum.handled);
		if (node != NUMA_NO_NODE)
			seq_printf(m, " node=%d", node);
		seq_putc(m, '\n');
	}
	krping_place_free(&sum);
}

/**
 * krping_result_show_config() - print options, path and CPUs of a test
 * @m: the output
 * @test: the test, whose first connection has a peer
 */
void krping_result_show_config(struct seq_file *m, const struct krping_test *test)
{
	const struct krping_thread *thread = test->threads;

	krping_show_config(m, thread);
	krping_show_peer_config(m, thread);
	krping_show_path(m, thread->conns);
	krping_show_place(m, test);
}
