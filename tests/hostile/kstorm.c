// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A storm at /proc/krping: many write whatever lines.c thinks of, all at once,
 * while others read what they may. It looks at what comes back from each write,
 * and fails if that is none of what the contract has.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PATH		"/proc/krping"
#define WRITERS_MAX	64
#define READERS		3
#define PORT_BASE	20000
#define PORTS		16	/* of a writer */
#define FAULTS_SHOWN	10
#define ERRNO_MAX	200
#define LIST_FD		512	/* no writer has one behind it */

static const char usage_text[] =
"Usage: kstorm [OPTION]... ADDR ADDR6 DEVICE INTERFACE\n"
"Write commands to /proc/krping that make sense, nearly make sense, or do not.\n"
"\n"
"  --lines N     how many, all writers together (default 4000)\n"
"  --writers N   at once (default 8)\n"
"  --seed N      what decides which lines (default: from the clock)\n"
"  --seconds S   give up after so long (default 600)\n"
"  --bound S     how long a write may take, beside its own patience (default 60)\n"
"  --options     print the options that the grammar has, and do nothing\n"
"\n"
"First one writer alone writes an eighth of the lines, and nothing may be left\n"
"running by a line that was refused or has ended. Then all write at once.\n"
"\n"
"Prints key=value: lines, and how many of them ended with which errno.\n"
"Exit status: 0; 1 if something was wrong; 2 for a wrong command line.\n";

/* What write(2) may return: see Documentation and README. */
static const int contract[] = {
	EINVAL, EOPNOTSUPP, E2BIG, EFAULT, ENOMEM, ENODEV, EADDRINUSE,
	EADDRNOTAVAIL, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ECONNREFUSED,
	ECONNRESET, EIO, EINTR, ECANCELED, ESRCH,
};

/**
 * struct writer - one of those that write
 * @lines: its lines
 * @thread: it
 * @nr: its number
 * @todo: how many lines it writes
 * @fd: its descriptor, or -1; others read there, too
 * @busy_since: it is in write(2) since then, in ns; 0: it is not
 * @patience_ns: it gets a signal after so long
 * @pid: the process that writes in its place; 0: itself
 * @signalled: it has got one
 * @lock: so that none is sent when it is in write(2) no more
 * @line: what it writes
 */
struct writer {
	struct lines lines;
	pthread_t thread;
	unsigned int nr;
	unsigned long todo;
	atomic_int fd;
	long long busy_since;
	long long patience_ns;
	pid_t pid;
	bool signalled;
	pthread_mutex_t lock;
	struct line line;
};

static struct {
	struct place place;
	unsigned long lines;
	unsigned int writers;
	uint64_t seed;
	unsigned int seconds;
	unsigned int bound;
} opt = { .lines = 4000, .writers = 8, .seconds = 600, .bound = 60 };

static struct writer writers[WRITERS_MAX];
static atomic_bool over, give_up;
static atomic_ulong written, killed, ended_well, reads, faults;
static atomic_ulong errors[ERRNO_MAX];
static pthread_mutex_t talk = PTHREAD_MUTEX_INITIALIZER;

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void ms_sleep(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("kstorm: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static void print_escaped(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && i < 300; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			putchar(text[i]);
		else
			printf("\\x%02x", (unsigned char)text[i]);
	}
	if (i < len)
		printf("... (%zu bytes)", len);
	putchar('\n');
}

/* Something is wrong; @w is who has seen it, if it was a writer. */
__attribute__((format(printf, 3, 4)))
static void complain(const struct writer *w, const char *result,
		     const char *fmt, ...)
{
	va_list args;

	if (atomic_fetch_add(&faults, 1) >= FAULTS_SHOWN)
		return;
	pthread_mutex_lock(&talk);
	printf("fault: ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	if (w) {
		printf("  seed=%" PRIu64 " writer=%u: ", opt.seed, w->nr);
		print_escaped(w->line.text, w->line.len);
	}
	if (result)
		printf("  %s\n", result);
	fflush(stdout);
	pthread_mutex_unlock(&talk);
}

static bool in_contract(int error)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contract); i++)
		if (contract[i] == error)
			return true;
	return false;
}

/*
 * Results
 */

static size_t read_result(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

static bool has(const char *result, const char *word)
{
	const char *end = strchr(result, '\n');
	const char *at = strstr(result, word);

	return at && end && at < end;
}

static unsigned int result_number(const char *result, const char *key)
{
	const char *at = strstr(result, key);

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* A command that has failed has a result that says so, too. */
static void judge_failed(struct writer *w, const char *result, int error)
{
	if (result_number(result, " errno=") != (unsigned int)error ||
	    !has(result, " status=failed"))
		complain(w, result, "the write says errno %d, its result does not",
			 error);
	if (!in_contract(error))
		complain(w, result, "errno %d is not for this: %s", error,
			 strerror(error));
}

/* One in the background may run, or have ended in whatever way meanwhile. */
static void judge_succeeded(struct writer *w, const char *result)
{
	bool ok = has(result, " status=ok");

	if (!ok && !strstr(w->line.text, "background"))
		complain(w, result, "the write has succeeded, its result says no");
	if (ok && !has(result, " id=0 "))
		atomic_fetch_add(&ended_well, 1);
}

static void judge_result(struct writer *w, ssize_t ret, int error)
{
	char result[16384];

	if (!read_result(w->fd, result, sizeof(result)) ||
	    strncmp(result, "result id=", 10)) {
		complain(w, result, "there is no result, and the errno is %d", error);
		return;
	}
	if (result_number(result, " id="))
		w->lines.last_id = result_number(result, " id=");
	if (ret < 0)
		judge_failed(w, result, error);
	else
		judge_succeeded(w, result);
}

static void judge_write(struct writer *w, ssize_t ret, int error)
{
	const struct line *line = &w->line;
	bool too_long = line->len > COMMAND_MAX;

	if (ret >= 0) {
		atomic_fetch_add(&errors[0], 1);
		if ((size_t)ret != line->len)
			complain(w, NULL, "write(2) has returned %zd of %zu", ret,
				 line->len);
		if (too_long || line->bad_pointer)
			complain(w, NULL, "it should have been refused");
		return;
	}
	atomic_fetch_add(&errors[error < ERRNO_MAX ? error : ERRNO_MAX - 1], 1);
	if (too_long ? error != E2BIG : error == E2BIG)
		complain(w, NULL, "errno %d for %zu bytes", error, line->len);
	if (error == EFAULT && !line->bad_pointer)
		complain(w, NULL, "EFAULT for a good pointer");
	if (error == EINTR && !w->signalled)
		complain(w, NULL, "EINTR without a signal");
}

/*
 * Writing
 */

static void begin_write(struct writer *w)
{
	w->signalled = false;
	w->patience_ns = w->line.patience_ms * 1000000LL;
	pthread_mutex_lock(&w->lock);
	w->busy_since = now_ns();
	pthread_mutex_unlock(&w->lock);
}

static void end_write(struct writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->busy_since = 0;
	pthread_mutex_unlock(&w->lock);
	atomic_fetch_add(&written, 1);
}

static void open_file(struct writer *w)
{
	if (w->fd >= 0)
		return;
	w->fd = open(PATH, O_RDWR | O_CLOEXEC);
	if (w->fd < 0)
		die("cannot open %s: %m", PATH);
}

static void close_file(struct writer *w)
{
	int fd = w->fd;

	w->fd = -1;
	close(fd);
}

/* Return: whether it was taken. */
static bool write_line(struct writer *w)
{
	const struct line *line = &w->line;
	const void *from = line->bad_pointer ? (void *)8 : line->text;
	ssize_t ret;
	int error;

	open_file(w);
	begin_write(w);
	ret = write(w->fd, from, line->len);
	error = errno;
	end_write(w);
	judge_write(w, ret, error);
	judge_result(w, ret, error);
	return ret >= 0;
}

/* Look at a background test for a moment, or at one that has ended. */
static void look(struct writer *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	char buf[512];
	int n;

	n = poll(&p, 1, random_below(&w->lines, 100));
	if (n < 0 && errno != EINTR)
		complain(w, NULL, "poll(2): %s", strerror(errno));
	while ((n = read(w->fd, buf, 1 + random_below(&w->lines, sizeof(buf)))) > 0)
		;
	if (n < 0)
		complain(w, NULL, "read(2): %s", strerror(errno));
	if (lseek(w->fd, random_below(&w->lines, 2000), SEEK_SET) < 0)
		complain(w, NULL, "lseek(2): %s", strerror(errno));
}

/* A process writes, and is killed in the middle; its descriptor with it. */
static void write_and_die(struct writer *w)
{
	const struct line *line = &w->line;
	pid_t pid;

	begin_write(w);
	pid = fork();
	if (pid < 0)
		die("cannot fork: %m");
	if (!pid) {
		int fd = open(PATH, O_RDWR);

		_exit(write(fd, line->text, line->len) < 0);
	}
	pthread_mutex_lock(&w->lock);
	w->pid = pid;
	pthread_mutex_unlock(&w->lock);
	ms_sleep(random_below(&w->lines, 60));
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	end_write(w);
	w->pid = 0;
	atomic_fetch_add(&killed, 1);
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;

	for (; w->todo && !give_up; w->todo--) {
		next_line(&w->lines, &w->line);
		if (!random_below(&w->lines, 50) && !w->line.bad_pointer) {
			write_and_die(w);
			continue;
		}
		if (write_line(w) || !random_below(&w->lines, 10))
			look(w);
		if (random_below(&w->lines, 8))
			close_file(w);
	}
	if (w->fd >= 0)
		close_file(w);
	return NULL;
}

/*
 * Reading
 */

/* The list: numbers from 1, and eight counters or the word listen. */
static const char *bad_list(char *text)
{
	unsigned int want = 1;
	char *line, *save;

	if (*text && text[strlen(text) - 1] != '\n')
		return "it has no end";
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end;
		int i;

		if (strtoul(line, &end, 10) != want++)
			return "the numbers are wrong";
		if (!strcmp(end, " listen"))
			continue;
		if (*end != '-')
			return "there is no device";
		end += strcspn(end, " ");
		for (i = 0; i < 8 && *end == ' '; i++)
			strtoull(end + 1, &end, 10);
		if (i < 8 || *end)
			return "there are no eight counters";
	}
	return NULL;
}

/*
 * With a number that no writer's file has had: who reads elsewhere may come when that
 * is closed, and would move this one's position.
 */
static int open_list(void)
{
	int fd = open(PATH, O_RDONLY | O_CLOEXEC);
	int high = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, LIST_FD);

	if (high < 0)
		die("cannot open %s: %m", PATH);
	close(fd);
	return high;
}

static size_t read_list(struct lines *l, char *text, size_t size)
{
	int fd = open_list();
	size_t len = 0;
	ssize_t n;

	do {
		size_t most = 1 + random_below(l, 4096);

		n = read(fd, text + len, most < size - 1 - len ? most : size - 1 - len);
		if (n > 0)
			len += n;
	} while (n > 0);
	if (n < 0)
		complain(NULL, NULL, "reading the list: %s", strerror(errno));
	close(fd);
	text[len] = '\0';
	return len;
}

static void read_the_list(struct lines *l)
{
	char text[65536], copy[512];
	const char *why;

	read_list(l, text, sizeof(text));
	snprintf(copy, sizeof(copy), "%.500s", text);
	why = bad_list(text);
	if (why)
		complain(NULL, copy, "the list: %s", why);
}

/* Where a writer may be in the middle of its write, or have closed it. */
static void read_elsewhere(struct lines *l)
{
	struct writer *w = &writers[random_below(l, opt.writers)];
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	char buf[4096];

	if (p.fd < 0)
		return;
	if (poll(&p, 1, random_below(l, 5)) < 0)
		complain(NULL, NULL, "poll(2): %s", strerror(errno));
	if (pread(p.fd, buf, random_below(l, sizeof(buf)), random_below(l, 1000)) < 0 &&
	    errno != EBADF)
		complain(NULL, NULL, "pread(2) elsewhere: %s", strerror(errno));
}

static void *reader_main(void *arg)
{
	struct lines l = { .random = opt.seed + 1000 + (uintptr_t)arg };

	while (!over) {
		if (random_below(&l, 2))
			read_the_list(&l);
		else
			read_elsewhere(&l);
		atomic_fetch_add(&reads, 1);
		ms_sleep(random_below(&l, 20));
	}
	return NULL;
}

/*
 * Watching
 */

/* Who waits long enough gets a signal; who waits too long has found a fault. */
static void watch_locked(struct writer *w, long long now)
{
	long long since = w->busy_since;

	if (!since || now - since < w->patience_ns)
		return;
	if (now - since > w->patience_ns + opt.bound * 1000000000LL) {
		complain(w, NULL, "it is in write(2) for %lld ms",
			 (now - since) / 1000000);
		exit(1);
	}
	/* Again and again: the first may come before the write. */
	w->signalled = true;
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

/*
 * The storm
 */

static void expect_nothing(struct writer *w)
{
	char text[4096];

	if (read_list(&w->lines, text, sizeof(text)))
		complain(w, text, "something runs");
}

static void stop_all(struct writer *w)
{
	memset(&w->line, 0, sizeof(w->line));
	w->line.len = sprintf(w->line.text, "stop");
	w->line.patience_ms = opt.bound * 1000;
	write_line(w);
	close_file(w);
}

/* One alone: what was refused or has ended has left nothing. */
static void quiet(struct writer *w, unsigned long lines)
{
	for (; lines && !give_up; lines--) {
		next_line(&w->lines, &w->line);
		/* It runs on, and the next line shall find nothing. */
		if (write_line(w) && strstr(w->line.text, "background"))
			stop_all(w);
		expect_nothing(w);
		if (w->fd >= 0)
			close_file(w);
	}
}

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
	stop_all(&writers[0]);
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

static unsigned long to_number(const char *text, unsigned long max)
{
	char *end;
	unsigned long n = strtoul(text, &end, 0);

	if (end == text || *end || n > max)
		die("'%s' is no number from 0 to %lu", text, max);
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
	quiet(&writers[0], opt.lines / 8);
	storm();
	pthread_join(watcher, NULL);
	report(began);
	return faults || give_up;
}
