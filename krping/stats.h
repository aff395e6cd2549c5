/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The eight counters of a test: a WR counts when it is posted, a receive when
 * it completes.
 */
#ifndef KRPING_STATS_H
#define KRPING_STATS_H

#include <linux/compiler.h>
#include <linux/types.h>

struct seq_file;

/**
 * struct krping_counter - bytes and messages of one operation
 * @bytes: bytes of data
 * @msgs: operations
 *
 * Written by the one context that runs the test's steps, read by anyone.
 */
struct krping_counter {
	u64 bytes;
	u64 msgs;
};

/**
 * struct krping_stats - what a test has moved so far
 * @send: SENDs that were posted
 * @recv: RECVs that have completed
 * @write: RDMA WRITEs that were posted
 * @read: RDMA READs that were posted
 */
struct krping_stats {
	struct krping_counter send;
	struct krping_counter recv;
	struct krping_counter write;
	struct krping_counter read;
};

/**
 * krping_count() - count one operation
 * @counter: the operation's counter
 * @bytes: its bytes of data
 */
static inline void krping_count(struct krping_counter *counter, u32 bytes)
{
	WRITE_ONCE(counter->bytes, counter->bytes + bytes);
	WRITE_ONCE(counter->msgs, counter->msgs + 1);
}

void krping_stats_add(struct krping_stats *to, const struct krping_stats *from);
void krping_stats_show_line(struct seq_file *m, const struct krping_stats *stats);
void krping_stats_show_keys(struct seq_file *m, const struct krping_stats *stats);

#endif /* KRPING_STATS_H */
