// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Print the result of a test, and the list of running tests.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/utsname.h>

#include "clocksource.h"
#include "conform/conform.h"
#include "interval.h"
#include "peer_stats.h"
#include "region_mem.h"
#include "result.h"
#include "result_config.h"
#include "test.h"
#include "totals.h"
#include "version.h"

/* Print text in double quotes. Replace quotes in the text: to a script they would end the text. */
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

/* Return the status in words of a test that has ended with @error. */
static const char *krping_result_status(int error)
{
	switch (error) {
	case 0:
		return "ok";
	case -ECANCELED:
	case -EINTR:
		return "stopped";
	default:
		return "failed";
	}
}

static void krping_show_status(struct seq_file *m, bool ended, int error)
{
	seq_printf(m, " status=%s errno=%d",
		   ended ? krping_result_status(error) : "running",
		   ended ? -error : 0);
}

/* Print the first line of the result. The size of a session is the size of its region. */
static void krping_show_head(struct seq_file *m, const struct krping_test *test,
			     const struct krping_totals *sum, bool ended)
{
	const struct krping_thread *thread = test->threads;
	const struct krping_conn *conn = thread->conns;

	seq_printf(m, "result id=%u test=%s role=%s", test->id,
		   krping_test_name(thread->opts.test),
		   krping_role_name(thread->opts.role));
	if (krping_conn_has_device(conn))
		seq_printf(m, " device=%s", conn->device);
	krping_show_status(m, ended, krping_status_error(&test->status));
	seq_printf(m, " iterations=%llu size=%llu mem_mode=%s", sum->iterations,
		   krping_u64_read(&thread->region) ?: thread->opts.size,
		   krping_mem_mode_name(thread->opts.mem_mode));
	if (krping_conn_has_addrs(conn))
		seq_printf(m, " local=%pISc remote=%pISpc peer=%s", &conn->local,
			   &conn->remote,
			   krping_conn_negotiated(conn) ? "krping" : "old");
	if (test->clients.ended || test->clients.failed)
		seq_printf(m, " clients=%u failed=%u", test->clients.ended,
			   test->clients.failed);
	seq_putc(m, '\n');
}

/* Print the start of the test in UTC, and the versions of kernel and module. */
static void krping_show_when(struct seq_file *m, const struct krping_test *test)
{
	struct tm tm;

	time64_to_tm(test->created_real, 0, &tm);
	seq_printf(m, "when start=%04ld-%02d-%02dT%02d:%02d:%02dZ kernel=%s module=%s\n",
		   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		   tm.tm_min, tm.tm_sec, utsname()->release, KRPING_VERSION);
}

/* If the clock advances in larger steps, the latencies of a fast device are inaccurate. */
#define KRPING_COARSE_CLOCK	1000	/* nanoseconds */

/* Print a warning if a port has changed, or if the clock is coarse or has changed. */
static void krping_show_warnings(struct seq_file *m, const struct krping_thread *thread,
				 bool ended)
{
	const struct krping_clock *start = &thread->clock_start;
	const struct krping_clock *end = &thread->clock_end;
	enum ib_event_type port = READ_ONCE(thread->cq.port_event);

	if (port)
		seq_printf(m, "warning port=\"the device reports: %s\"\n", ib_event_msg(port));
	if (ended && end->name && start->changes != end->changes)
		seq_printf(m, "warning clock=\"the clocksource changed from %s to %s: times before and after do not compare\"\n",
			   start->name, end->name);
	else if (start->step > KRPING_COARSE_CLOCK)
		seq_printf(m, "warning clock=\"the clocksource %s advances in steps of %u ns\"\n",
			   READ_ONCE(start->name) ?: "unknown", start->step);
}

/* Print the device's counters, to which all users of the port contribute. */
static void krping_show_device_counters(struct seq_file *m,
					const struct krping_thread *thread)
{
	/* pairs with krping_device_counters_end() */
	const char *text = smp_load_acquire(&thread->counters.text);

	if (text && *text)
		seq_printf(m, "device_counters%s\n", text);
}

/* Return the value of the key "of": what the latencies of this side measure. */
static const char *krping_latency_of(const struct krping_thread *thread)
{
	if (thread->opts.test == KRPING_TEST_PING || thread->opts.test == KRPING_TEST_FR)
		return "iteration";
	return thread->ops->half ? "half_round_trip" : "round_trip";
}

/* Print the line @group with latencies. @of names what they measure: see krping_latency_of(). */
static void krping_show_latency(struct seq_file *m, const char *group,
				const u64 *latency, const char *of)
{
	int i;

	seq_puts(m, group);
	for (i = 0; i < KRPING_REPORT_LATENCIES; i++)
		seq_printf(m, " %s=%llu", krping_latency_keys[i], latency[i]);
	seq_printf(m, " of=%s\n", of);
}

static void krping_show_buckets(struct seq_file *m, const struct krping_hist *h)
{
	u64 nsec, count;
	unsigned int i;

	seq_puts(m, "histogram_nsec");
	for (i = 0; i < KRPING_HIST_BUCKETS; i++) {
		count = krping_hist_bucket(h, i, &nsec);
		if (count)
			seq_printf(m, " %llu=%llu", nsec, count);
	}
	seq_putc(m, '\n');
}

/* Merge the histograms of all threads. Return NULL if there is no memory. */
static struct krping_hist *krping_result_hist(const struct krping_test *test)
{
	const struct krping_hist *part;
	struct krping_hist *sum;
	u32 i;

	sum = krping_hist_alloc();
	if (!sum)
		return NULL;
	for (i = 0; i < test->nr_threads; i++) {
		part = krping_thread_hist(&test->threads[i]);
		if (part)
			krping_hist_merge(sum, part);
	}
	return sum;
}

/* Print the latencies of all threads and, with the option histogram, the buckets. */
static void krping_show_hist(struct seq_file *m, const struct krping_test *test)
{
	struct krping_hist *h = krping_result_hist(test);
	const struct krping_thread *thread = test->threads;
	u64 latency[KRPING_REPORT_LATENCIES];

	if (h && h->count) {
		krping_peer_stats_latency(h, latency);
		krping_show_latency(m, "latency_nsec", latency,
				    krping_latency_of(thread));
		if (thread->opts.histogram)
			krping_show_buckets(m, h);
	}
	krping_hist_free(h);
}

/* Peer values are untrusted; saturate on overflow. */
static u64 krping_per_sec(u64 amount, u64 nsec)
{
	if (mul_u64_u64_shr(amount, NSEC_PER_SEC, 64) >= nsec)
		return U64_MAX;
	return mul_u64_u64_div_u64(amount, NSEC_PER_SEC, nsec);
}

/* Print the throughput of this side, or, with @prefix "peer_", the throughput of the peer. */
static void krping_show_throughput(struct seq_file *m, const struct krping_thread *thread,
				   const char *prefix, u64 iterations, u64 nsec)
{
	u64 size = thread->opts.size;
	u64 per_sec, bytes;

	if (!thread->ops->streams || !nsec || !iterations)
		return;
	per_sec = krping_per_sec(iterations, nsec);
	if (thread->opts.test == KRPING_TEST_FR) {
		seq_printf(m, "%sthroughput cycles_per_sec=%llu\n", prefix,
			   per_sec);
		return;
	}
	bytes = min(iterations, div64_u64(U64_MAX, size)) * size;
	seq_printf(m, "%sthroughput bytes_per_sec=%llu messages_per_sec=%llu\n",
		   prefix, krping_per_sec(bytes, nsec), per_sec);
}

/* Print the sum of the reports that the server has sent. */
static void krping_show_peer(struct seq_file *m, const struct krping_test *test)
{
	const struct krping_thread *thread = test->threads;
	struct krping_peer_stats sum;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < test->nr_threads; i++) {
		if (!test->threads[i].nr_reports)
			continue;
		krping_peer_stats_merge(&sum, &test->threads[i].report, nr);
		nr += test->threads[i].nr_reports;
	}
	if (!nr)
		return;
	seq_printf(m, "peer_time nsec=%llu iterations=%llu\n", sum.nsec,
		   sum.iterations);
	/* With rate=, the server's latencies contain the client's pauses, so do not print them. */
	if (sum.latencies && !thread->opts.rate)
		krping_show_latency(m, "peer_latency_nsec", sum.latency,
				    krping_latency_of(thread));
	if (thread->opts.duplex)
		krping_show_throughput(m, thread, "peer_", sum.iterations, sum.nsec);
	seq_printf(m, "peer_counters send_bytes=%llu send_msgs=%llu recv_bytes=%llu recv_msgs=%llu write_bytes=%llu write_msgs=%llu read_bytes=%llu read_msgs=%llu\n",
		   sum.counters[0], sum.counters[1], sum.counters[2],
		   sum.counters[3], sum.counters[4], sum.counters[5],
		   sum.counters[6], sum.counters[7]);
}

/* Find a connection whose QP has reported an error, or else the first connection. */
static const struct krping_conn *krping_result_conn(const struct krping_test *test)
{
	u32 i, j;

	for (i = 0; i < test->nr_threads; i++) {
		const struct krping_thread *thread = &test->threads[i];

		for (j = 0; j < thread->nr_conns; j++)
			if (READ_ONCE(thread->conns[j].queue.event) >= 0)
				return &thread->conns[j];
	}
	return test->threads->conns;
}

/*
 * Print the last error event of a QP, because a responder learns of a wrong request by an event
 * only. If the device of a server that exports memory raised no event, report flushed RECVs. siw
 * raises a fatal event also when a disconnect flushes WRs, for example those of a duplex server.
 * So do not print a fatal event if the test has not failed.
 */
static void krping_show_qp(struct seq_file *m, const struct krping_test *test, bool ended)
{
	const struct krping_conn *conn = krping_result_conn(test);
	int event = READ_ONCE(conn->queue.event);

	if (event == IB_EVENT_QP_FATAL && ended && !test->status.error)
		return;
	if (event >= 0)
		seq_printf(m, "qp event=\"%s\"\n", ib_event_msg(event));
	else if (conn->opts->export_size && READ_ONCE(conn->queue.flushed))
		seq_puts(m, "qp event=\"none; its RECVs were flushed without a disconnect\"\n");
}

static void krping_show_status_error(struct seq_file *m,
				     const struct krping_status *status)
{
	if (status->error)
		krping_show_error(m, status->has_wc ?
				  ib_wc_status_msg(status->wc_status) : "",
				  status->detail);
}

/**
 * krping_result_show() - print the result of a test that has ended, or the result so far
 * @m: the output
 * @test: the test
 */
void krping_result_show(struct seq_file *m, const struct krping_test *test)
{
	const struct krping_thread *thread = test->threads;
	bool ended = krping_test_ended(test);
	struct krping_totals sum;

	krping_test_totals(test, &sum);
	krping_show_head(m, test, &sum, ended);
	krping_show_when(m, test);
	if (krping_conn_has_addrs(thread->conns)) {
		krping_result_show_config(m, test);
		krping_show_warnings(m, thread, ended);
	}
	if (sum.nsec)
		seq_printf(m, "time nsec=%llu\n", sum.nsec);
	krping_show_hist(m, test);
	krping_show_throughput(m, thread, "", sum.iterations, sum.nsec);
	krping_show_device_counters(m, thread);
	krping_stats_show_keys(m, &sum.stats);
	krping_intervals_show(m, test->intervals);
	if (thread->disk[0])
		seq_printf(m, "disk name=%s bytes=%llu\n", thread->disk,
			   round_down(thread->region, 512));
	krping_memop_show(m, thread->memop);
	/* pairs with conform_client_setup() */
	krping_conform_show(m, smp_load_acquire(&thread->conform));
	krping_show_qp(m, test, ended);
	if (!ended)
		return;
	krping_show_peer(m, test);
	krping_show_status_error(m, &test->status);
}

/**
 * krping_result_show_plain() - print the result of a command that ran no test
 * @m: the output
 * @what: keys and values that follow the word result
 * @error: 0 or the negative errno
 * @wc_status: status of the failed completion in words, or ""
 * @detail: text that explains @error
 */
void krping_result_show_plain(struct seq_file *m, const char *what, int error,
			      const char *wc_status, const char *detail)
{
	seq_printf(m, "result %s", what);
	krping_show_status(m, true, error);
	seq_putc(m, '\n');
	if (error)
		krping_show_error(m, wc_status, detail);
}

/* Print a test as a line of numbers, in the format of krping since 2005. */
static void krping_list_line(struct krping_test *test, int nr, void *arg)
{
	const struct krping_conn *conn = test->threads->conns;
	struct krping_totals sum;
	struct seq_file *m = arg;

	if (!krping_conn_has_device(conn)) {
		seq_printf(m, "%d listen\n", nr);
		return;
	}
	seq_printf(m, "%d-%s", nr, conn->device);
	krping_test_totals(test, &sum);
	krping_stats_show_line(m, &sum.stats);
}

/**
 * krping_list_show() - print the running tests, one line each
 * @m: the output
 * @net: network namespace of the reader; the initial one sees all tests
 */
void krping_list_show(struct seq_file *m, const struct net *net)
{
	krping_registry_for_each(net, krping_list_line, m);
}

struct krping_list_arg {
	struct seq_file *m;
	u32 id;
};

/* Return the state of a test, a word of the command list. */
static const char *krping_list_state(struct krping_test *test)
{
	const struct krping_conn *conn = test->threads->conns;

	if (READ_ONCE(test->status.stop_error) || krping_status_error(&test->status))
		return "ending";
	if (krping_conn_is(conn, KRPING_CONN_CONNECTED) ||
	    krping_conn_is(conn, KRPING_CONN_ACCEPTED))
		return "running";
	/* The state is set before rdma_listen(), and test->started is completed afterwards. */
	if (krping_conn_is(conn, KRPING_CONN_LISTENING) &&
	    completion_done(&test->started))
		return "listening";
	return "connecting";
}

/*
 * Print the state of the client's region and the number of the client's operations. While the
 * server prepares the region, also print how many of its bytes are allocated or registered.
 */
static void krping_list_export(struct seq_file *m, const struct krping_thread *thread)
{
	static const char * const states[] = {
		[KRPING_REGION_CLOSED]	= "closed",
		[KRPING_REGION_OPEN_RO]	= "open_ro",
		[KRPING_REGION_OPEN_RW]	= "open_rw",
	};
	const struct krping_region_mem *mem = thread->memory;
	u64 allocated, registered = krping_u64_read(&thread->registered);

	if (!mem || !krping_conn_has_device(thread->conns))
		return;
	allocated = krping_u64_read(&mem->allocated);
	seq_printf(m, " region=%s", states[READ_ONCE(mem->open)]);
	if (allocated < mem->size)
		seq_printf(m, " allocated=%llu", allocated);
	else if (registered < mem->size)
		seq_printf(m, " registered=%llu", registered);
	seq_printf(m, " operations=%llu", krping_u64_read(&thread->operations));
}

/*
 * Return the size of the exported memory, or of the test's operations. Return 0 while it is
 * unknown: a server may adopt the size of its client.
 */
static u64 krping_list_size(const struct krping_thread *thread)
{
	u64 region = krping_u64_read(&thread->region);

	switch (thread->opts.test) {
	case KRPING_TEST_SESSION:
	case KRPING_TEST_CONFORM:
	case KRPING_TEST_KRDMA:
		return region;
	default:
		return krping_conn_has_addrs(thread->conns) ? thread->opts.size : 0;
	}
}

/* Print a test as key=value, unless the reader asked for another test by id. */
static void krping_list_keys(struct krping_test *test, int nr, void *p)
{
	const struct krping_thread *thread = test->threads;
	const struct krping_conn *conn = thread->conns;
	u64 size = krping_list_size(thread);
	struct krping_list_arg *arg = p;
	struct krping_totals sum;
	struct seq_file *m = arg->m;

	if (arg->id && arg->id != test->id)
		return;
	krping_test_totals(test, &sum);
	seq_printf(m, "id=%u test=%s role=%s", test->id,
		   krping_test_name(thread->opts.test),
		   krping_role_name(thread->opts.role));
	if (krping_conn_has_device(conn))
		seq_printf(m, " device=%s", conn->device);
	seq_printf(m, " state=%s", krping_list_state(test));
	if (test->parent)
		seq_printf(m, " server=%u", test->parent->id);
	else if (thread->opts.role == KRPING_ROLE_SERVER)
		seq_printf(m, " port=%u", thread->opts.port);
	if (krping_conn_has_addrs(conn))
		seq_printf(m, " local=%pISc remote=%pISpc peer=%s", &conn->local,
			   &conn->remote,
			   krping_conn_negotiated(conn) ? "krping" : "old");
	if (size)
		seq_printf(m, " size=%llu", size);
	if (thread->disk[0])
		seq_printf(m, " disk=%s", thread->disk);
	krping_list_export(m, thread);
	seq_printf(m, " iterations=%llu", sum.iterations);
	krping_stats_show_pairs(m, &sum.stats);
	seq_printf(m, " seconds=%llu\n",
		   div64_u64(ktime_get_ns() - test->created_ns, NSEC_PER_SEC));
}

/**
 * krping_list_show_keys() - print a line of key=value for each running test
 * @m: the output
 * @net: network namespace of the reader; the initial one sees all tests
 * @id: id of the only test to print; 0: all tests
 */
void krping_list_show_keys(struct seq_file *m, const struct net *net, u32 id)
{
	struct krping_list_arg arg = { .m = m, .id = id };

	krping_registry_for_each(net, krping_list_keys, &arg);
}
