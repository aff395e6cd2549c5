// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Write commands to /proc/krping as a shell cannot: with exactly one write(2) per command,
 * its return value and errno, and further system calls on the same descriptor.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "identity.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const char usage[] =
"usage: kwrite STEP...\n"
"The steps run in order, on one descriptor of /proc/krping:\n"
"  file=NAME         use another file; before the first step that opens it\n"
"  open=rw|w|r       open the file (other steps open it rw if needed)\n"
"  close             close the descriptor\n"
"  write=TEXT        do one write(2); print ret=N errno=NAME, as all steps that write\n"
"  stdin             write all of standard input, with NULs\n"
"  length=N          write N commas\n"
"  badptr=N          write N bytes from an invalid address\n"
"  start=TEXT        write in another thread, and do not wait for the end\n"
"  kill=SIGNAL       send a signal to the writing thread, by number\n"
"  join=SECONDS      wait for the writing thread, and print its return value\n"
"  limit=SECONDS     end a hung system call by SIGALRM after SECONDS (default 120)\n"
"  signal=N:MS       receive signal N after MS milliseconds\n"
"  read              read up to the end, and print\n"
"  chunk=N           read at most N bytes per read(2) from now on\n"
"  pread=OFFSET      do one pread(2), and print\n"
"  lseek=OFFSET      do an lseek(2) from the start\n"
"  poll=MS           wait for input; print poll=ready or poll=timeout\n"
"  sleep=MS          sleep\n"
"  nocap             drop CAP_NET_ADMIN\n"
"  user=UID          become another user\n"
"  userns            become root of a new user namespace\n"
"  netns             enter a new network namespace\n"
"  run=COMMAND       run a shell command\n"
"  hold=FILE         start a process that holds the descriptor and writes the\n"
"                    result to FILE when the command ends, and to FILE.now on\n"
"                    SIGUSR1\n"
"  out=FILE          print to FILE, which appears after the last step\n"
"  check=FILE        check the result in FILE. Optional lines \"command TEXT\" and\n"
"                    \"wall NSEC\" give its command, and the duration of that\n"
"  await=SECONDS:FILE wait until FILE exists, and print it\n"
"  klog              first: note the end of the kernel log; then: print krping's\n"
"                    lines since then\n"
"  pagesize          print the page size\n"
"Each result is checked, except those of pread: a line \"identity broken: ...\" follows\n"
"for each of its figures that contradicts another one.\n"
"Environment: KWRITE_SETUP_MS is the limit of the time of a foreground client outside\n"
"its iterations (default 60000); if KWRITE_UNTRUSTED_PEER is set, the peer may report\n"
"invented figures.\n";

/*
 * SIGALRM interrupts a command that hangs, which then returns EINTR. So its test fails, and
 * the other tests continue.
 */
#define LIMIT_SECONDS	120
#define SETUP_MS	60000	/* on a busy host tests wait for connect slots */
#define HOLD_SECONDS	900	/* lifetime of a holder whose test has died */

static const char *path = "/proc/krping";
static int fd = -1;
static size_t chunk = 4096;
static char *out_tmp, *out_final;

static pthread_t writer;
static bool writing;
static const char *writer_text;
static ssize_t writer_ret;
static int writer_errno;

/* The last command, the start of its write, and whether the write has waited for its end. */
static const char *command;
static uint64_t command_ns;
static bool command_waited;

static void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("kwrite: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static long to_long(const char *arg)
{
	char *end;
	long n = strtol(arg, &end, 0);

	if (end == arg || *end)
		fail("'%s' is not a number", arg);
	return n;
}

static void ms_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static uint64_t nsec_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void print_ret(ssize_t ret, int error)
{
	printf("ret=%zd errno=%s\n", ret, ret < 0 ? strerrorname_np(error) : "0");
}

static void finish(int status)
{
	fflush(stdout);
	if (out_tmp && rename(out_tmp, out_final))
		fail("cannot rename %s: %m", out_tmp);
	exit(status);
}

static void do_file(const char *arg)
{
	path = arg;
}

static void do_open(const char *arg)
{
	int flags = O_RDWR;

	if (!strcmp(arg, "r"))
		flags = O_RDONLY;
	else if (!strcmp(arg, "w"))
		flags = O_WRONLY;
	else if (strcmp(arg, "rw"))
		fail("open= needs rw, w or r, not '%s'", arg);
	if (fd >= 0)
		close(fd);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0) {
		print_ret(-1, errno);
		finish(1);
	}
}

static void do_close(const char *arg)
{
	(void)arg;
	if (fd >= 0)
		close(fd);
	fd = -1;
}

static void need_fd(void)
{
	if (fd < 0)
		do_open("rw");
}

static void begin_command(const char *text)
{
	command = text;
	command_ns = nsec_now();
	command_waited = false;
}

static void write_bytes(const void *bytes, size_t len)
{
	ssize_t ret;

	need_fd();
	ret = write(fd, bytes, len);
	print_ret(ret, errno);
}

static void do_write(const char *arg)
{
	begin_command(arg);
	write_bytes(arg, strlen(arg));
	/* The time of the read that follows is negligible. */
	command_waited = !strstr(arg, "background");
}

static void do_stdin(const char *arg)
{
	static char text[65536];
	size_t len = fread(text, 1, sizeof(text), stdin);

	(void)arg;
	begin_command(NULL);
	write_bytes(text, len);
}

static void do_length(const char *arg)
{
	size_t len = to_long(arg);
	char *text = malloc(len + 1);

	if (!text)
		fail("no memory for %zu bytes", len);
	memset(text, ',', len);
	begin_command(NULL);
	write_bytes(text, len);
	free(text);
}

static void do_badptr(const char *arg)
{
	ssize_t ret;

	need_fd();
	/* syscall(), because the compiler warns of a write() with a bad pointer */
	ret = syscall(SYS_write, fd, 8, to_long(arg));
	print_ret(ret, errno);
}

static void *writer_main(void *unused)
{
	sigset_t set;

	(void)unused;
	/* The end of a child of do_run() would interrupt the write. */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	writer_ret = write(fd, writer_text, strlen(writer_text));
	writer_errno = errno;
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* Without SA_RESTART the system call returns EINTR. */
static void take_signal(int sig)
{
	struct sigaction sa = { .sa_handler = on_signal };

	if (sig != SIGKILL && sigaction(sig, &sa, NULL))
		fail("cannot catch signal %d: %m", sig);
}

static void do_start(const char *arg)
{
	need_fd();
	begin_command(arg);
	writer_text = arg;
	if (pthread_create(&writer, NULL, writer_main, NULL))
		fail("cannot create a thread");
	writing = true;
}

static void do_kill(const char *arg)
{
	int sig = to_long(arg);

	if (!writing)
		fail("kill without start");
	take_signal(sig);
	pthread_kill(writer, sig);
}

static void do_join(const char *arg)
{
	struct timespec until;

	if (!writing)
		fail("join without start");
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += to_long(arg);
	if (pthread_timedjoin_np(writer, NULL, &until)) {
		puts("join=timeout");
		finish(1);
	}
	writing = false;
	print_ret(writer_ret, writer_errno);
}

static void do_signal(const char *arg)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL };
	struct itimerspec when = {};
	timer_t timer;
	int sig, ms;

	if (sscanf(arg, "%d:%d", &sig, &ms) != 2)
		fail("signal= needs N:MS, not '%s'", arg);
	take_signal(sig);
	ev.sigev_signo = sig;
	when.it_value.tv_sec = ms / 1000;
	when.it_value.tv_nsec = ms % 1000 * 1000000L;
	if (timer_create(CLOCK_MONOTONIC, &ev, &timer) ||
	    timer_settime(timer, 0, &when, NULL))
		fail("cannot start a timer: %m");
}

static void check_result(const char *text, FILE *to)
{
	const char *setup = getenv("KWRITE_SETUP_MS");
	struct identity id = {
		.text = text,
		.command = command,
		.wall_ns = command_ns ? nsec_now() - command_ns : 0,
		.setup_ns = (setup ? to_long(setup) : SETUP_MS) * 1000000ull,
		.waited = command_waited,
		.untrusted_peer = !!getenv("KWRITE_UNTRUSTED_PEER"),
	};

	identity_check(&id, to);
}

static void read_to_end(FILE *to)
{
	static char buf[65536];
	char last = '\n';
	FILE *whole;
	char *text;
	size_t len;
	ssize_t n;

	whole = open_memstream(&text, &len);
	if (!whole)
		fail("no memory");
	while ((n = read(fd, buf, chunk)) > 0) {
		fwrite(buf, 1, n, to);
		fwrite(buf, 1, n, whole);
		last = buf[n - 1];
	}
	if (last != '\n')
		fputc('\n', to);
	if (n < 0)
		fprintf(to, "read=%s\n", strerrorname_np(errno));
	fclose(whole);
	check_result(text, to);
	free(text);
}

static void do_read(const char *arg)
{
	(void)arg;
	need_fd();
	read_to_end(stdout);
}

static void do_chunk(const char *arg)
{
	chunk = to_long(arg);
	if (chunk < 1 || chunk > 65536)
		fail("chunk= needs a number from 1 to 65536");
}

static void do_pread(const char *arg)
{
	static char buf[65536];
	ssize_t n;

	need_fd();
	n = pread(fd, buf, chunk, to_long(arg));
	if (n < 0)
		printf("pread=%s\n", strerrorname_np(errno));
	else
		printf("pread=%zd\n%.*s", n, (int)n, buf);
	if (n > 0 && buf[n - 1] != '\n')
		putchar('\n');
}

static void do_lseek(const char *arg)
{
	off_t off;

	need_fd();
	off = lseek(fd, to_long(arg), SEEK_SET);
	if (off < 0)
		printf("lseek=%s\n", strerrorname_np(errno));
	else
		printf("lseek=%lld\n", (long long)off);
}

static void do_poll(const char *arg)
{
	struct pollfd p = { .events = POLLIN };
	int n;

	need_fd();
	p.fd = fd;
	n = poll(&p, 1, to_long(arg));
	if (n < 0)
		printf("poll=%s\n", strerrorname_np(errno));
	else
		printf("poll=%s\n", n && (p.revents & POLLIN) ? "ready" : "timeout");
}

static void do_limit(const char *arg)
{
	alarm(to_long(arg));
}

static void do_sleep(const char *arg)
{
	ms_sleep(to_long(arg));
}

static void do_nocap(const char *arg)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];
	__u32 gone = ~(1u << CAP_NET_ADMIN);

	(void)arg;
	if (syscall(SYS_capget, &head, data))
		fail("capget: %m");
	data[0].effective &= gone;
	data[0].permitted &= gone;
	data[0].inheritable &= gone;
	if (syscall(SYS_capset, &head, data))
		fail("capset: %m");
}

static void do_user(const char *arg)
{
	uid_t uid = to_long(arg);

	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		fail("cannot become user %s: %m", arg);
}

static void put_text(const char *name, const char *text)
{
	int f = open(name, O_WRONLY);

	if (f < 0 || write(f, text, strlen(text)) < 0)
		fail("cannot write to %s: %m", name);
	close(f);
}

static void do_userns(const char *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWUSER))
		fail("cannot create a user namespace: %m");
	put_text("/proc/self/setgroups", "deny");
	put_text("/proc/self/uid_map", "0 0 1");
	put_text("/proc/self/gid_map", "0 0 1");
}

static void do_netns(const char *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNET))
		fail("cannot create a network namespace: %m");
}

static void do_run(const char *arg)
{
	int status = system(arg);

	printf("run=%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void save(const char *name)
{
	char *tmp;
	FILE *f;

	if (asprintf(&tmp, "%s.tmp", name) < 0)
		exit(2);
	f = fopen(tmp, "w");
	if (!f)
		exit(2);
	read_to_end(f);
	fclose(f);
	if (rename(tmp, name))
		exit(2);
	free(tmp);
}

static void hold(const char *name, int signals)
{
	struct pollfd p[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};
	struct signalfd_siginfo info;
	char *now;

	if (asprintf(&now, "%s.now", name) < 0)
		exit(2);
	signal(SIGALRM, SIG_DFL);
	alarm(HOLD_SECONDS);
	while (poll(p, 2, -1) >= 0 && !p[0].revents) {
		if (read(signals, &info, sizeof(info)) != sizeof(info))
			exit(2);
		save(now);
	}
	save(name);
	exit(0);
}

static void do_hold(const char *arg)
{
	sigset_t set;
	int signals;
	pid_t pid;

	need_fd();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		fail("signalfd: %m");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail("cannot fork: %m");
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		/* A reader of kwrite's output must not wait for the end of this process. */
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		hold(arg, signals);
	}
	printf("holder=%d\n", (int)pid);
}

static void do_out(const char *arg)
{
	out_final = strdup(arg);
	if (!out_final || asprintf(&out_tmp, "%s.tmp", arg) < 0)
		fail("no memory");
	if (!freopen(out_tmp, "w", stdout))
		fail("cannot write to %s: %m", out_tmp);
}

static time_t seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

static void do_await(const char *arg)
{
	char buf[4096];
	time_t until;
	char *name;
	size_t n;
	FILE *f;

	until = seconds_now() + strtol(arg, &name, 10);
	if (*name++ != ':')
		fail("await= needs SECONDS:FILE, not '%s'", arg);
	while (!(f = fopen(name, "r"))) {
		if (seconds_now() > until)
			finish(1);
		ms_sleep(10);
	}
	while ((n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, stdout);
	fclose(f);
}

static void do_check(const char *arg)
{
	static char text[65536], said[4096];
	FILE *f = fopen(arg, "r");
	char *at;
	size_t n;

	if (!f)
		fail("cannot read %s: %m", arg);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	command = NULL;
	command_ns = 0;
	command_waited = true;
	for (at = text; at; at = strchr(at, '\n')) {
		unsigned long long nsec;

		at += *at == '\n';
		if (sscanf(at, "command %4095[^\n]", said) == 1)
			command = said;
		if (sscanf(at, "wall %llu", &nsec) == 1)
			command_ns = nsec_now() - nsec;
	}
	check_result(text, stdout);
}

/* Open the log at its end on the first call; print krping's new lines on later calls. */
static void do_klog(const char *arg)
{
	static int log = -1;
	char line[8192];
	ssize_t n;

	(void)arg;
	if (log < 0) {
		log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (log < 0 || lseek(log, 0, SEEK_END) < 0)
			fail("/dev/kmsg: %m");
		return;
	}
	/* EPIPE: some lines were overwritten; the next read returns the line after them */
	while ((n = read(log, line, sizeof(line) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		char *text;

		line[n > 0 ? n : 0] = '\0';
		text = strchr(line, ';');
		if (!text || strncmp(text + 1, "krping: ", 8))
			continue;
		printf("klog %.*s\n", (int)strcspn(text + 9, "\n"), text + 9);
	}
}

static void do_pagesize(const char *arg)
{
	(void)arg;
	printf("%ld\n", sysconf(_SC_PAGESIZE));
}

static const struct {
	const char *name;
	void (*take)(const char *arg);
	bool operand;
} steps[] = {
	{ "await", do_await, true },
	{ "badptr", do_badptr, true },
	{ "check", do_check, true },
	{ "chunk", do_chunk, true },
	{ "close", do_close, false },
	{ "file", do_file, true },
	{ "hold", do_hold, true },
	{ "join", do_join, true },
	{ "kill", do_kill, true },
	{ "klog", do_klog, false },
	{ "length", do_length, true },
	{ "limit", do_limit, true },
	{ "lseek", do_lseek, true },
	{ "netns", do_netns, false },
	{ "nocap", do_nocap, false },
	{ "open", do_open, true },
	{ "out", do_out, true },
	{ "pagesize", do_pagesize, false },
	{ "poll", do_poll, true },
	{ "pread", do_pread, true },
	{ "read", do_read, false },
	{ "run", do_run, true },
	{ "signal", do_signal, true },
	{ "sleep", do_sleep, true },
	{ "start", do_start, true },
	{ "stdin", do_stdin, false },
	{ "user", do_user, true },
	{ "userns", do_userns, false },
	{ "write", do_write, true },
};

static void take_step(const char *step)
{
	size_t len = strcspn(step, "=");
	bool operand = step[len];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (strlen(steps[i].name) == len &&
		    !memcmp(steps[i].name, step, len) &&
		    steps[i].operand == operand) {
			steps[i].take(step + len + operand);
			fflush(stdout);
			return;
		}
	}
	fprintf(stderr, "kwrite: unknown step '%s'\n%s", step, usage);
	exit(2);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fputs(usage, stderr);
		return 2;
	}
	take_signal(SIGALRM);
	alarm(LIMIT_SECONDS);
	for (i = 1; i < argc; i++)
		take_step(argv[i]);
	finish(0);
}
