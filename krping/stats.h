/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The eight counters of a test. krping counts a WR of the SQ when it posts the WR, and
 * a RECV when the RECV completes.
 */
#ifndef KRPING_STATS_H
#define KRPING_STATS_H

#include <linux/types.h>

#include "u64.h"

struct seq_file;

/**
 * struct krping_counter - bytes and messages of one kind of operation
 * @bytes: bytes of data
 * @msgs: number of operations
 *
 * One context at a time writes; any context reads.
 */
struct krping_counter {
	aligned_u64 bytes;
	aligned_u64 msgs;
};

/**
 * struct krping_stats - counters of a test
 * @send: posted SENDs
 * @recv: completed RECVs
 * @write: posted RDMA WRITEs
 * @read: posted RDMA READs and atomics
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
 * @bytes: bytes of data of the operation
 */
static inline void krping_count(struct krping_counter *counter, u32 bytes)
{
	krping_u64_write(&counter->bytes, counter->bytes + bytes);
	krping_u64_write(&counter->msgs, counter->msgs + 1);
}

/**
 * krping_uncount() - undo krping_count()
 * @counter: the operation's counter
 * @bytes: bytes of data of the operation
 */
static inline void krping_uncount(struct krping_counter *counter, u32 bytes)
{
	krping_u64_write(&counter->bytes, counter->bytes - bytes);
	krping_u64_write(&counter->msgs, counter->msgs - 1);
}

void krping_stats_add(struct krping_stats *to, const struct krping_stats *from);

/* Print the counters as a line of numbers, as pairs key=value, or as a line of such pairs. */
void krping_stats_show_line(struct seq_file *m, const struct krping_stats *stats);
void krping_stats_show_pairs(struct seq_file *m, const struct krping_stats *stats);
void krping_stats_show_keys(struct seq_file *m, const struct krping_stats *stats);

#endif /* KRPING_STATS_H */
