// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Iterations and latencies of each interval of a client's test (option interval).
 *
 * At the end of each interval a work item reads the counters of iterations and the histograms
 * without a lock, and subtracts the values of the previous reading. Intervals add no code to the
 * measured loop.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "interval.h"
#include "peer_stats.h"

/* Maximum number of intervals of a test. The 3600th covers the rest of the test. */
#define KRPING_INTERVALS_MAX	3600

/**
 * struct krping_interval - an interval, which the result shows as a line
 * @begin: nanoseconds from the start of the test to the start of the interval
 * @end: nanoseconds from the start of the test to the end of the interval
 * @iterations: iterations that have ended in the interval
 * @latencies: number of latencies in the interval; 0: @latency is not valid
 * @latency: statistics of the latencies, filled in by krping_peer_stats_latency()
 */
struct krping_interval {
	u64 begin;
	u64 end;
	u64 iterations;
	u64 latencies;
	u64 latency[KRPING_REPORT_LATENCIES];
};

/**
 * struct krping_intervals - the intervals of a test
 * @work: fills in a line at the end of each interval
 * @threads: the threads of the test
 * @nr_threads: number of @threads
 * @period: length of an interval in jiffies
 * @due: when the current interval ends, in jiffies
 * @start_ns: when the first interval began, ktime_get_ns(); 0: not yet
 * @iterations: iterations from the start of the test to the start of the current interval
 * @before: latencies from the start of the test to the start of the current interval
 * @now: latencies from the start of the test to the end of the current interval; filled in when
 *	the interval ends, and then swapped with @before
 * @max: number of allocated lines
 * @nr: number of valid lines; krping_intervals_show() reads it and the lines without a lock
 * @line: the lines
 */
struct krping_intervals {
	struct delayed_work work;
	const struct krping_thread *threads;
	u32 nr_threads;
	unsigned long period;
	unsigned long due;
	u64 start_ns;
	u64 iterations;
	struct krping_hist *before;
	struct krping_hist *now;
	u32 max;
	u32 nr;
	struct krping_interval *line;
};

static struct workqueue_struct *krping_interval_wq;

/* Read the latencies of all threads into @v->now, and return the number of all iterations. */
static u64 krping_interval_read(struct krping_intervals *v)
{
	u64 iterations = 0;
	u32 i;

	krping_hist_init(v->now);
	for (i = 0; i < v->nr_threads; i++) {
		const struct krping_hist *hist = krping_thread_hist(&v->threads[i]);

		iterations += krping_u64_read(&v->threads[i].iterations);
		if (hist)
			krping_hist_merge(v->now, hist);
	}
	return iterations;
}

/*
 * Fill in the line of the interval that ends at @end. @iterations and @v->now are the results of
 * krping_interval_read(). krping_hist_since() overwrites @v->before with the latencies of this
 * interval.
 */
static void krping_interval_add(struct krping_intervals *v, u64 iterations, u64 end)
{
	struct krping_interval *line = &v->line[v->nr];

	line->begin = v->nr ? v->line[v->nr - 1].end : 0;
	line->end = end - v->start_ns;
	line->iterations = iterations - v->iterations;
	v->iterations = iterations;

	krping_hist_since(v->before, v->now);
	line->latencies = v->before->count;
	if (line->latencies)
		krping_peer_stats_latency(v->before, line->latency);
	swap(v->before, v->now);
	/* pairs with krping_intervals_show() */
	smp_store_release(&v->nr, v->nr + 1);
}

/* Work item: end the current interval, and let the work item run at the end of the next one. */
static void krping_interval_work(struct work_struct *work)
{
	struct krping_intervals *v = container_of(to_delayed_work(work),
						  struct krping_intervals, work);

	krping_interval_add(v, krping_interval_read(v), ktime_get_ns());
	/* Leave the last line, which covers the rest of the test, to krping_intervals_end(). */
	if (v->nr + 1 >= v->max)
		return;
	v->due += v->period;
	queue_delayed_work(krping_interval_wq, &v->work,
			   time_after(v->due, jiffies) ? v->due - jiffies : 0);
}

/* Return how many lines to allocate, one for each interval that begins within the duration. */
static u32 krping_intervals_lines(const struct krping_options *opts)
{
	if (!opts->duration)
		return KRPING_INTERVALS_MAX;
	return min_t(u32, DIV_ROUND_UP_ULL(opts->duration, opts->interval),
		     KRPING_INTERVALS_MAX);
}

/**
 * krping_intervals_alloc() - allocate the lines of a test
 * @out: set to the intervals; unchanged if the command does not have the option interval
 * @threads: the threads of the test, initialised
 * @nr_threads: number of @threads
 *
 * Context: process context.
 *
 * Return: 0 or -ENOMEM; the caller calls krping_intervals_free() in both cases.
 */
int krping_intervals_alloc(struct krping_intervals **out, const struct krping_thread *threads,
			   u32 nr_threads)
{
	const struct krping_options *opts = &threads->opts;
	struct krping_intervals *v;

	if (!opts->interval)
		return 0;
	v = kzalloc(sizeof(*v), GFP_KERNEL);
	if (!v)
		return -ENOMEM;
	*out = v;
	INIT_DELAYED_WORK(&v->work, krping_interval_work);
	v->threads = threads;
	v->nr_threads = nr_threads;
	v->period = (unsigned long)opts->interval * HZ;
	v->max = krping_intervals_lines(opts);
	v->line = kvcalloc(v->max, sizeof(*v->line), GFP_KERNEL);
	v->before = krping_hist_alloc();
	v->now = krping_hist_alloc();
	if (!v->line || !v->before || !v->now)
		return -ENOMEM;
	return 0;
}

/**
 * krping_intervals_free() - free the lines of a test
 * @v: the intervals, ended or never started, or NULL
 */
void krping_intervals_free(struct krping_intervals *v)
{
	if (!v)
		return;
	krping_hist_free(v->now);
	krping_hist_free(v->before);
	kvfree(v->line);
	kfree(v);
}

/**
 * krping_intervals_start() - begin the first interval
 * @v: the intervals of a test that begins, or NULL
 *
 * Context: process context.
 */
void krping_intervals_start(struct krping_intervals *v)
{
	if (!v)
		return;
	v->start_ns = ktime_get_ns();
	v->due = jiffies + v->period;
	/* If there is only one line, krping_intervals_end() fills it in. */
	if (v->max > 1)
		queue_delayed_work(krping_interval_wq, &v->work, v->period);
}

/**
 * krping_intervals_end() - end the last interval at the time of the last iteration
 * @v: the intervals of a test whose threads have ended, or NULL
 *
 * Context: process context. The last interval has no line if no iteration has ended in it.
 */
void krping_intervals_end(struct krping_intervals *v)
{
	u64 iterations, end = 0;
	u32 i;

	if (!v || !v->start_ns)
		return;
	cancel_delayed_work_sync(&v->work);
	iterations = krping_interval_read(v);
	for (i = 0; i < v->nr_threads; i++)
		end = max(end, v->threads[i].end_ns);
	if (iterations > v->iterations)
		krping_interval_add(v, iterations, end);
}

/**
 * krping_intervals_show() - print a line for each interval that has ended
 * @m: the output
 * @v: the intervals of a test, running or not, or NULL
 */
void krping_intervals_show(struct seq_file *m, const struct krping_intervals *v)
{
	u32 i, k, nr;

	/* pairs with krping_interval_add() */
	nr = v ? smp_load_acquire(&v->nr) : 0;
	for (i = 0; i < nr; i++) {
		const struct krping_interval *line = &v->line[i];

		seq_printf(m, "interval begin=%llu end=%llu iterations=%llu", line->begin,
			   line->end, line->iterations);
		/* The test fr moves no data. */
		if (v->threads->opts.test != KRPING_TEST_FR)
			seq_printf(m, " bytes=%llu",
				   line->iterations * v->threads->opts.size);
		for (k = 0; k < KRPING_REPORT_LATENCIES && line->latencies; k++)
			seq_printf(m, " %s=%llu", krping_latency_keys[k],
				   line->latency[k]);
		seq_putc(m, '\n');
	}
}

/**
 * krping_intervals_init() - allocate the workqueue of all intervals
 *
 * Return: 0 or -ENOMEM.
 */
int krping_intervals_init(void)
{
	krping_interval_wq = alloc_workqueue("krping_interval", WQ_UNBOUND, 0);
	return krping_interval_wq ? 0 : -ENOMEM;
}

/**
 * krping_intervals_exit() - destroy the workqueue of krping_intervals_init()
 *
 * The caller ensures that all tests have ended.
 */
void krping_intervals_exit(void)
{
	destroy_workqueue(krping_interval_wq);
}
