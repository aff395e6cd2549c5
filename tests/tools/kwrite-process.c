// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kwrite is a program of the tests that writes commands to /proc/krping. Its arguments are steps;
 * do_NAME() runs the step NAME, whose operand is @arg. This file has the steps that change the
 * process itself (signals, privileges, namespaces, output), wait, run a command, or print the
 * kernel log or the page size; and the functions that all steps use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kwrite.h"

/* Names of the file of out=: while kwrite writes to it, and after the last step. */
static char *out_tmp, *out_final;

/* Print an error of the caller or of the machine, and exit with status 2. */
void fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("kwrite: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

long to_long(const char *arg)
{
	char *end;
	long n = strtol(arg, &end, 0);

	if (end == arg || *end)
		fail("'%s' is not a number", arg);
	return n;
}

void ms_sleep(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

uint64_t nsec_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Give the file of out= its final name, and exit with @status. */
void finish(int status)
{
	fflush(stdout);
	if (out_tmp && rename(out_tmp, out_final))
		fail("cannot rename %s: %m", out_tmp);
	exit(status);
}

static void on_signal(int sig)
{
	(void)sig;
}

/*
 * Install a handler of a signal, without SA_RESTART, so that the signal interrupts a system call
 * with EINTR.
 */
void take_signal(int sig)
{
	struct sigaction sa = { .sa_handler = on_signal };

	if (sig != SIGKILL && sigaction(sig, &sa, NULL))
		fail("cannot catch signal %d: %m", sig);
}

/* @arg is N:MS. Let a timer send signal N to the process after MS milliseconds. */
void do_signal(const char *arg)
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

/* Let SIGALRM interrupt a system call that still hangs after this many seconds. */
void do_limit(const char *arg)
{
	alarm(to_long(arg));
}

void do_sleep(const char *arg)
{
	ms_sleep(to_long(arg));
}

/* Drop CAP_NET_ADMIN. */
void do_nocap(const char *arg)
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

void do_user(const char *arg)
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

/* Become root of a new user namespace. */
void do_userns(const char *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWUSER))
		fail("cannot create a user namespace: %m");
	put_text("/proc/self/setgroups", "deny");
	put_text("/proc/self/uid_map", "0 0 1");
	put_text("/proc/self/gid_map", "0 0 1");
}

void do_netns(const char *arg)
{
	(void)arg;
	if (unshare(CLONE_NEWNET))
		fail("cannot create a network namespace: %m");
}

void do_run(const char *arg)
{
	int status = system(arg);

	printf("run=%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Print to a temporary file from now on. finish() renames the file to @arg. */
void do_out(const char *arg)
{
	out_final = strdup(arg);
	if (!out_final || asprintf(&out_tmp, "%s.tmp", arg) < 0)
		fail("no memory");
	if (!freopen(out_tmp, "w", stdout))
		fail("cannot write to %s: %m", out_tmp);
}

/* Open the log at its end on the first call; print krping's new lines on later calls. */
void do_klog(const char *arg)
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
	/* EPIPE reports overwritten lines, and the next read returns the line after them. */
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

void do_pagesize(const char *arg)
{
	(void)arg;
	printf("%ld\n", sysconf(_SC_PAGESIZE));
}
