// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Add up the counters of a test. Print them as the line of numbers that krping has printed since
 * 2005 and that scripts read, or as key=value.
 */
#include <linux/seq_file.h>

#include "stats.h"

static void krping_counter_line(struct seq_file *m,
				const struct krping_counter *c)
{
	seq_printf(m, " %llu %llu", krping_u64_read(&c->bytes), krping_u64_read(&c->msgs));
}

static void krping_counter_keys(struct seq_file *m, const char *name,
				const struct krping_counter *c)
{
	seq_printf(m, " %s_bytes=%llu %s_msgs=%llu", name, krping_u64_read(&c->bytes),
		   name, krping_u64_read(&c->msgs));
}

static void krping_counter_add(struct krping_counter *to,
			       const struct krping_counter *from)
{
	krping_u64_write(&to->bytes, to->bytes + krping_u64_read(&from->bytes));
	krping_u64_write(&to->msgs, to->msgs + krping_u64_read(&from->msgs));
}

/**
 * krping_stats_add() - add counters to a sum
 * @to: the sum, to which no other context writes
 * @from: the counters, which may change concurrently
 */
void krping_stats_add(struct krping_stats *to, const struct krping_stats *from)
{
	krping_counter_add(&to->send, &from->send);
	krping_counter_add(&to->recv, &from->recv);
	krping_counter_add(&to->write, &from->write);
	krping_counter_add(&to->read, &from->read);
}

/**
 * krping_stats_show_line() - print the counters as numbers, and end the line
 * @m: the output
 * @stats: the counters
 */
void krping_stats_show_line(struct seq_file *m, const struct krping_stats *stats)
{
	krping_counter_line(m, &stats->send);
	krping_counter_line(m, &stats->recv);
	krping_counter_line(m, &stats->write);
	krping_counter_line(m, &stats->read);
	seq_putc(m, '\n');
}

/**
 * krping_stats_show_pairs() - print the counters as key=value within a line
 * @m: the output
 * @stats: the counters
 */
void krping_stats_show_pairs(struct seq_file *m, const struct krping_stats *stats)
{
	krping_counter_keys(m, "send", &stats->send);
	krping_counter_keys(m, "recv", &stats->recv);
	krping_counter_keys(m, "write", &stats->write);
	krping_counter_keys(m, "read", &stats->read);
}

/**
 * krping_stats_show_keys() - print a line of the counters as key=value
 * @m: the output
 * @stats: the counters
 */
void krping_stats_show_keys(struct seq_file *m, const struct krping_stats *stats)
{
	seq_puts(m, "counters");
	krping_stats_show_pairs(m, stats);
	seq_putc(m, '\n');
}
