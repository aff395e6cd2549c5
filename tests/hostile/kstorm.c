// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kstorm: many threads write commands from lines-next.c to /proc/krping at the same time, while
 * other threads read. The contract of /proc/krping must allow each errno and each result.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storm.h"

static const char usage_text[] =
"Usage: kstorm [OPTION]... ADDR ADDR6 DEVICE INTERFACE\n"
"Write commands to /proc/krping: valid, nearly valid, and invalid ones.\n"
"\n"
"  --lines N     number of commands of all writers together (default 4000)\n"
"  --writers N   number of concurrent writers (default 8)\n"
"  --seed N      seed of the commands (default: from the clock)\n"
"  --seconds S   time limit of the whole run (default 600)\n"
"  --bound S     a write(2) must return at most S seconds after its signal (default 60)\n"
"  --options     only print the names of the options that the commands use\n"
"\n"
"First a single writer writes an eighth of the commands; after a command that was\n"
"rejected or has ended, no test may run. Then all writers write at the same time.\n"
"\n"
"Print key=value: the number of commands, and the number of each errno.\n"
"Exit status: 0; 1 if a check failed or the time limit was reached; 2 for an invalid\n"
"command line.\n";

struct storm_options opt = { .lines = 4000, .writers = 8, .seconds = 600, .bound = 60 };

struct writer writers[WRITERS_MAX];
atomic_bool over, give_up;
atomic_ulong written, killed, ended_well, reads, faults;
atomic_ulong errors[ERRNO_MAX];

/*
 * Signal a writer whose write(2) has reached its time limit. A write that continues for more than
 * --bound seconds after the limit is a fault.
 */
static void watch_locked(struct writer *w, long long now)
{
	long long since = w->busy_since;

	if (!since || now - since < w->patience_ns)
		return;
	if (now - since > w->patience_ns + opt.bound * 1000000000LL) {
		complain(w, NULL, "the writer has been in write(2) for %lld ms",
			 (now - since) / 1000000);
		exit(1);
	}
	/* Repeat the signal, because the first one may come before write(2). */
	w->signalled = true;
	/* If a child process writes instead, the writer itself kills the child. */
	if (!w->pid)
		pthread_kill(w->thread, SIGUSR1);
}

static void watch(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	watch_locked(w, now_ns());
	pthread_mutex_unlock(&w->lock);
}

static void *watcher_main(void *arg)
{
	long long end = now_ns() + opt.seconds * 1000000000LL;
	unsigned int i;

	(void)arg;
	while (!over) {
		if (now_ns() > end)
			give_up = true;
		for (i = 0; i < opt.writers; i++)
			watch(&writers[i]);
		ms_sleep(10);
	}
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

static void expect_nothing(struct writer *w)
{
	char text[4096];

	if (read_list(&w->lines, text, sizeof(text)))
		complain(w, text, "a test still runs");
}

static void stop_everything(struct writer *w)
{
	memset(&w->line, 0, sizeof(w->line));
	w->line.len = sprintf(w->line.text, "stop");
	w->line.patience_ms = opt.bound * 1000;
	write_line(w);
	close_file(w);
}

/* Write with one thread. After a rejected or finished command the list of tests must be empty. */
static void write_alone(struct writer *w, unsigned long lines)
{
	for (; lines && !give_up; lines--) {
		next_line(&w->lines, &w->line);
		/* Stop a test that still runs, because its entry in the list would be a fault. */
		if (write_line(w) && outlives_write(w->line.text))
			stop_everything(w);
		expect_nothing(w);
		if (w->fd >= 0)
			close_file(w);
	}
}

/* Prepare all writers. The main thread stands in for a writer until storm() starts its thread. */
static void set_up(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	unsigned int i;

	if (sigaction(SIGUSR1, &sa, NULL))
		die("sigaction: %m");
	for (i = 0; i < opt.writers; i++) {
		struct writer *w = &writers[i];

		w->nr = i;
		w->fd = -1;
		pthread_mutex_init(&w->lock, NULL);
		w->todo = opt.lines * 7 / 8 / opt.writers;
		w->lines.random = opt.seed + i;
		w->lines.place = &opt.place;
		w->lines.port = PORT_BASE + i * PORTS;
		w->thread = pthread_self();
	}
}

static void start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	if (pthread_create(thread, NULL, run, arg))
		die("cannot make a thread");
}

static void storm(void)
{
	pthread_t readers[READERS], writing[WRITERS_MAX];
	unsigned int i;

	for (i = 0; i < READERS; i++)
		start(&readers[i], reader_main, (void *)(uintptr_t)i);
	for (i = 0; i < opt.writers; i++) {
		start(&writing[i], writer_main, &writers[i]);
		writers[i].thread = writing[i];
	}
	for (i = 0; i < opt.writers; i++)
		pthread_join(writing[i], NULL);
	for (i = 0; i < opt.writers; i++)
		writers[i].thread = pthread_self();
	stop_everything(&writers[0]);
	over = true;
	for (i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	expect_nothing(&writers[0]);
}

static void report(long long began)
{
	int i;

	printf("lines=%lu killed=%lu reads=%lu tests_ok=%lu ok=%lu", written,
	       killed, reads, ended_well, errors[0]);
	for (i = 1; i < ERRNO_MAX; i++)
		if (errors[i])
			printf(" %s=%lu", strerrorname_np(i) ?: "OTHER", errors[i]);
	printf(" faults=%lu ms=%lld seed=%" PRIu64 "\n", faults,
	       (now_ns() - began) / 1000000, opt.seed);
	if (give_up)
		printf("gave up after %u s\n", opt.seconds);
}

static uint64_t to_number(const char *text, uint64_t max)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	if (end == text || *end || n > max)
		die("'%s' is no number from 0 to %" PRIu64, text, max);
	return n;
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "lines", required_argument, NULL, 'l' },
		{ "writers", required_argument, NULL, 'w' },
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "bound", required_argument, NULL, 'b' },
		{ "options", no_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	opt.seed = now_ns() & 0xffffffff;
	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'l':
			opt.lines = to_number(optarg, 1000000000);
			break;
		case 'w':
			opt.writers = to_number(optarg, WRITERS_MAX);
			break;
		case 's':
			opt.seed = to_number(optarg, UINT64_MAX);
			break;
		case 't':
			opt.seconds = to_number(optarg, 86400);
			break;
		case 'b':
			opt.bound = to_number(optarg, 3600);
			break;
		case 'o':
			print_option_names();
			exit(0);
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			exit(2);
		}
	}
	if (argc - optind != 4 || !opt.writers)
		die("wanted: ADDR ADDR6 DEVICE INTERFACE; see --help");
	opt.place = (struct place){ argv[optind], argv[optind + 1],
				    argv[optind + 2], argv[optind + 3] };
}

int main(int argc, char **argv)
{
	long long began = now_ns();
	pthread_t watcher;

	parse(argc, argv);
	printf("seed=%" PRIu64 "\n", opt.seed);
	fflush(stdout);
	set_up();
	start(&watcher, watcher_main, NULL);
	write_alone(&writers[0], opt.lines / 8);
	storm();
	pthread_join(watcher, NULL);
	report(began);
	return faults || give_up;
}
