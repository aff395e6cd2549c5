// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Make the report that a server sends at the end of a test, and add up the reports that a client
 * receives. The client's result shows the sum.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "peer_stats.h"

const char * const krping_latency_keys[KRPING_REPORT_LATENCIES] = {
	"min", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean", "stddev",
};

/**
 * krping_peer_stats_negotiated() - check whether both sides have negotiated a report
 * @conn: the connection, connected
 *
 * Return: true if the server sends a report at the end.
 */
bool krping_peer_stats_negotiated(const struct krping_conn *conn)
{
	return krping_conn_negotiated(conn) &&
	       (conn->peer.flags & KRPING_WIRE_REPORT);
}

/**
 * krping_peer_stats_latency() - compute the latencies of a report or a result
 * @h: the histogram, which is not empty
 * @latency: filled in, in nanoseconds and in the order of krping_latency_keys
 */
void krping_peer_stats_latency(const struct krping_hist *h,
			       u64 latency[KRPING_REPORT_LATENCIES])
{
	latency[0] = krping_hist_min(h);
	latency[1] = krping_hist_percentile(h, 50000);
	latency[2] = krping_hist_percentile(h, 90000);
	latency[3] = krping_hist_percentile(h, 99000);
	latency[4] = krping_hist_percentile(h, 99900);
	latency[5] = krping_hist_percentile(h, 99990);
	latency[6] = krping_hist_max(h);
	latency[7] = krping_hist_mean(h);
	latency[8] = krping_hist_stddev(h);
}

/**
 * krping_peer_stats_make() - fill in a report
 * @thread: a server's thread, which has done all iterations
 * @report: filled in
 */
void krping_peer_stats_make(const struct krping_thread *thread,
			    struct krping_peer_stats *report)
{
	const struct krping_stats *stats = &thread->stats;
	const struct krping_counter *counter[] = {
		&stats->send, &stats->recv, &stats->write, &stats->read,
	};
	int i;

	memset(report, 0, sizeof(*report));
	report->iterations = thread->iterations;
	/* If no operation was measured, end_ns may be older than start_ns. */
	if (thread->end_ns > thread->start_ns)
		report->nsec = thread->end_ns - thread->start_ns;
	for (i = 0; i < ARRAY_SIZE(counter); i++) {
		report->counters[2 * i] = counter[i]->bytes;
		report->counters[2 * i + 1] = counter[i]->msgs;
	}
	if (thread->hist && thread->hist->count) {
		report->latencies = thread->hist->count;
		krping_peer_stats_latency(thread->hist, report->latency);
	}
}

/**
 * krping_peer_stats_merge() - add a report to a sum of reports
 * @to: the sum so far
 * @from: the report to add
 * @nr: number of reports in the sum so far; 0: @to becomes a copy of @from
 *
 * The time of the sum is the longest time of the reports. The sum has no latencies, because
 * percentiles cannot be added.
 */
void krping_peer_stats_merge(struct krping_peer_stats *to,
			     const struct krping_peer_stats *from, u32 nr)
{
	int i;

	if (!nr) {
		*to = *from;
		return;
	}
	to->iterations += from->iterations;
	to->nsec = max(to->nsec, from->nsec);
	for (i = 0; i < KRPING_REPORT_COUNTERS; i++)
		to->counters[i] += from->counters[i];
	to->latencies = 0;
}

/**
 * krping_peer_stats_take() - add a server's report to the sum in &krping_thread.report
 * @thread: the client's thread
 * @wire: the report as received
 */
void krping_peer_stats_take(struct krping_thread *thread,
			    const struct krping_wire_report *wire)
{
	struct krping_peer_stats report;

	krping_wire_report_decode(wire, &report);
	krping_peer_stats_merge(&thread->report, &report, thread->nr_reports);
	thread->nr_reports++;
}
