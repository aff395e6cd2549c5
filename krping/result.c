// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Tests in words.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>

#include "result.h"
#include "test.h"

/* Quotes in the text would end it early for a script. */
static void krping_show_quoted(struct seq_file *m, const char *text)
{
	seq_putc(m, '"');
	for (; *text; text++)
		seq_putc(m, *text == '"' ? '\'' : *text);
	seq_putc(m, '"');
}

static void krping_show_error(struct seq_file *m, const char *wc_status,
			      const char *detail)
{
	seq_puts(m, "error wc_status=");
	krping_show_quoted(m, wc_status);
	seq_puts(m, " detail=");
	krping_show_quoted(m, detail);
	seq_putc(m, '\n');
}

static void krping_show_status(struct seq_file *m, bool ended, int error)
{
	const char *status = "running";

	if (ended)
		status = error ? "failed" : "ok";
	seq_printf(m, " status=%s errno=%d", status, ended ? -error : 0);
}

static void krping_show_head(struct seq_file *m, const struct krping_test *test,
			     bool ended)
{
	const struct krping_run *run = &test->run;
	const struct krping_conn *conn = &run->conn;

	seq_printf(m, "result id=%u test=%s role=%s", test->id,
		   krping_test_name(run->opts.test),
		   krping_role_name(run->opts.role));
	if (krping_conn_has_device(conn))
		seq_printf(m, " device=%s", conn->device);
	krping_show_status(m, ended, krping_cause_error(&run->cause));
	seq_printf(m, " iterations=%llu size=%llu mem_mode=%s",
		   READ_ONCE(run->iterations), run->opts.size,
		   krping_mem_mode_name(run->opts.mem_mode));
	if (krping_conn_has_addrs(conn))
		seq_printf(m, " local=%pISc remote=%pISpc peer=%s", &conn->local,
			   &conn->remote,
			   krping_conn_negotiated(conn) ? "krping" : "old");
	seq_putc(m, '\n');
}

static void krping_show_latency(struct seq_file *m, const struct krping_hist *h)
{
	if (!h || !h->count)
		return;
	seq_printf(m, "latency_nsec min=%llu p50=%llu p90=%llu p99=%llu p99.9=%llu p99.99=%llu max=%llu mean=%llu stddev=%llu\n",
		   krping_hist_min(h),
		   krping_hist_percentile(h, 50000),
		   krping_hist_percentile(h, 90000),
		   krping_hist_percentile(h, 99000),
		   krping_hist_percentile(h, 99900),
		   krping_hist_percentile(h, 99990),
		   krping_hist_max(h), krping_hist_mean(h),
		   krping_hist_stddev(h));
}

static void krping_show_cause(struct seq_file *m,
			      const struct krping_cause *cause)
{
	if (cause->error)
		krping_show_error(m, cause->has_wc ?
				  ib_wc_status_msg(cause->wc_status) : "",
				  cause->detail);
}

/**
 * krping_result_show() - print how a test stands or has ended
 * @m: where to
 * @test: the test
 */
void krping_result_show(struct seq_file *m, const struct krping_test *test)
{
	const struct krping_run *run = &test->run;
	bool ended = krping_test_ended(test);
	u64 start = READ_ONCE(run->start_ns);
	u64 end = READ_ONCE(run->end_ns);

	krping_show_head(m, test, ended);
	if (end > start)
		seq_printf(m, "time nsec=%llu\n", end - start);
	krping_show_latency(m, run->hist);
	krping_stats_show_keys(m, &run->stats);
	if (ended)
		krping_show_cause(m, &run->cause);
}

/**
 * krping_result_show_plain() - print the result of a command that ran no test
 * @m: where to
 * @what: keys and values to begin with
 * @error: 0 or the negative errno
 * @detail: @error in words
 */
void krping_result_show_plain(struct seq_file *m, const char *what, int error,
			      const char *detail)
{
	seq_printf(m, "result %s", what);
	krping_show_status(m, true, error);
	seq_putc(m, '\n');
	if (error)
		krping_show_error(m, "", detail);
}

static void krping_list_line(struct krping_test *test, int nr, void *arg)
{
	const struct krping_conn *conn = &test->run.conn;
	struct seq_file *m = arg;

	if (!krping_conn_has_device(conn)) {
		seq_printf(m, "%d listen\n", nr);
		return;
	}
	seq_printf(m, "%d-%s", nr, conn->device);
	krping_stats_show_line(m, &test->run.stats);
}

/**
 * krping_list_show() - print the running tests, one line each
 * @m: where to
 * @net: network namespace of whoever reads; the initial one sees all
 */
void krping_list_show(struct seq_file *m, const struct net *net)
{
	krping_tests_for_each(net, krping_list_line, m);
}
