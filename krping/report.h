/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a server tells its client at the end.
 */
#ifndef KRPING_REPORT_H
#define KRPING_REPORT_H

#include "kind.h"

bool krping_report_agreed(const struct krping_conn *conn);
void krping_report_latency(const struct krping_hist *h,
			   u64 latency[KRPING_REPORT_LATENCIES]);
void krping_report_make(const struct krping_run *run,
			struct krping_report *report);
void krping_report_take(struct krping_run *run,
			const struct krping_wire_report *wire);
void krping_report_merge(struct krping_report *to,
			 const struct krping_report *from, u32 nr);

#endif /* KRPING_REPORT_H */
