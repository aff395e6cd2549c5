/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The report with figures that a server sends to its client at the end of a test, and the sum of
 * several reports, which the client's result shows.
 */
#ifndef KRPING_PEER_STATS_H
#define KRPING_PEER_STATS_H

#include "test_ops.h"

/* A result's keys of the values of krping_peer_stats_latency(), in the order of the values. */
extern const char * const krping_latency_keys[KRPING_REPORT_LATENCIES];

/* Check whether both sides have negotiated a report. */
bool krping_peer_stats_negotiated(const struct krping_conn *conn);

/* Compute the latencies of a report or a result. */
void krping_peer_stats_latency(const struct krping_hist *h,
			       u64 latency[KRPING_REPORT_LATENCIES]);

/* Fill in a report. */
void krping_peer_stats_make(const struct krping_thread *thread,
			    struct krping_peer_stats *report);

/* Add a server's report to the sum in &krping_thread.report. */
void krping_peer_stats_take(struct krping_thread *thread,
			    const struct krping_wire_report *wire);

/* Add a report to a sum of reports. */
void krping_peer_stats_merge(struct krping_peer_stats *to,
			     const struct krping_peer_stats *from, u32 nr);

#endif /* KRPING_PEER_STATS_H */
