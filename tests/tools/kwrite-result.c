// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kwrite is a program of the tests that writes commands to /proc/krping. Its arguments are steps;
 * do_NAME() runs the step NAME, whose operand is @arg. This file has the steps that read a result,
 * from the descriptor of /proc/krping or from a file, and check its figures.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "identity.h"
#include "kwrite.h"

#define SETUP_MS	60000	/* longest setup: on a busy host tests wait for connect slots */
#define HOLD_SECONDS	900	/* lifetime of the process of do_hold() if the test never ends */

/* Print a line to @to for each figure of the result that contradicts another one. */
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

/* Read the descriptor to its end, print the result to @to, and check its figures. */
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

void do_read(const char *arg)
{
	(void)arg;
	need_fd();
	read_to_end(stdout);
}

/* Save the result to a file. The name @name appears when the file is complete. */
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

/*
 * Wait for the end of the command, and save its result to @name. On SIGUSR1, which arrives through
 * the descriptor @signals, save the result so far to @name.now.
 */
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

/*
 * Start a process that keeps the descriptor open, and writes the result to the file @arg at the end
 * of the command. Print the process id.
 */
void do_hold(const char *arg)
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

static time_t seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* @arg is SECONDS:FILE. Wait until the file exists, and print it. */
void do_await(const char *arg)
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

/*
 * Check the result in the file @arg. Lines "command TEXT" and "wall NSEC" of the file, if there are
 * any, have the command of the result and the duration of the command.
 */
void do_check(const char *arg)
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
