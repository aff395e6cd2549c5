/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Iterations and latencies of each interval of a client's test (option interval).
 */
#ifndef KRPING_INTERVAL_H
#define KRPING_INTERVAL_H

#include "test_ops.h"

struct krping_intervals;
struct seq_file;

/* Allocate the interval lines of a test; *@out remains NULL if the user wants none. */
int krping_intervals_alloc(struct krping_intervals **out, const struct krping_thread *threads,
			   u32 nr_threads);
/* Free the lines. */
void krping_intervals_free(struct krping_intervals *v);

/* Begin the first interval of a test; end the last interval. */
void krping_intervals_start(struct krping_intervals *v);
void krping_intervals_end(struct krping_intervals *v);

/* Print a line for each interval that has ended. */
void krping_intervals_show(struct seq_file *m, const struct krping_intervals *v);

/* Allocate and destroy the workqueue that all tests share. */
int krping_intervals_init(void);
void krping_intervals_exit(void);

#endif /* KRPING_INTERVAL_H */
