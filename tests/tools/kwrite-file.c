// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * kwrite is a program of the tests that writes commands to /proc/krping. Its arguments are steps;
 * do_NAME() runs the step NAME, whose operand is @arg. This file has the steps that use the
 * descriptor of /proc/krping: open, write in this or in another thread, read at a position, poll,
 * close. kwrite-result.c has the steps that read a result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kwrite.h"

static const char *path = "/proc/krping";
int fd = -1;
size_t chunk = 4096;

const char *command;
uint64_t command_ns;
bool command_waited;

/* the thread of do_start() */
static pthread_t writer;
/* true from do_start() until do_join() has waited for the thread */
static bool writing;
/* the command of the thread, and the outcome of its write(2) */
static const char *writer_text;
static ssize_t writer_ret;
static int writer_errno;

/* Print the return value of a system call, and the name of its errno. */
static void print_ret(ssize_t ret, int error)
{
	printf("ret=%zd errno=%s\n", ret, ret < 0 ? strerrorname_np(error) : "0");
}

void do_file(const char *arg)
{
	path = arg;
}

void do_open(const char *arg)
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

void do_close(const char *arg)
{
	(void)arg;
	if (fd >= 0)
		close(fd);
	fd = -1;
}

/* Open the file if no step has opened it. */
void need_fd(void)
{
	if (fd < 0)
		do_open("rw");
}

/* Note the command (NULL if unknown) and the time of its start, for the check of the result. */
static void begin_command(const char *text)
{
	command = text;
	command_ns = nsec_now();
	command_waited = false;
}

/* Do one write(2), and print its outcome. */
static void write_bytes(const void *bytes, size_t len)
{
	ssize_t ret;

	need_fd();
	ret = write(fd, bytes, len);
	print_ret(ret, errno);
}

void do_write(const char *arg)
{
	begin_command(arg);
	write_bytes(arg, strlen(arg));
	/* Without the option background, the write has waited for the end of the test. */
	command_waited = !strstr(arg, "background");
}

/* Write all of standard input in one write(2). */
void do_stdin(const char *arg)
{
	static char text[65536];
	size_t len = fread(text, 1, sizeof(text), stdin);

	(void)arg;
	begin_command(NULL);
	write_bytes(text, len);
}

/* Write a command of this many commas. */
void do_length(const char *arg)
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

/* Write this many bytes from an invalid address. */
void do_badptr(const char *arg)
{
	ssize_t ret;

	need_fd();
	/* Use syscall(), because the compiler warns of a write() with a bad pointer. */
	ret = syscall(SYS_write, fd, 8, to_long(arg));
	print_ret(ret, errno);
}

/* The thread of do_start(): write the command, and keep the outcome for do_join(). */
static void *writer_main(void *unused)
{
	sigset_t set;

	(void)unused;
	/* Block SIGCHLD: the end of a child of do_run() would interrupt the write. */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	writer_ret = write(fd, writer_text, strlen(writer_text));
	writer_errno = errno;
	return NULL;
}

/* Write the command in another thread, for which do_join() waits. */
void do_start(const char *arg)
{
	need_fd();
	begin_command(arg);
	writer_text = arg;
	if (pthread_create(&writer, NULL, writer_main, NULL))
		fail("cannot create a thread");
	writing = true;
}

/* Send this signal to the thread of do_start(). */
void do_kill(const char *arg)
{
	int sig = to_long(arg);

	if (!writing)
		fail("kill without start");
	take_signal(sig);
	pthread_kill(writer, sig);
}

/* Wait at most this many seconds for the thread of do_start(), and print its return value. */
void do_join(const char *arg)
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

/* Limit each further read(2) to this many bytes. */
void do_chunk(const char *arg)
{
	chunk = to_long(arg);
	if (chunk < 1 || chunk > 65536)
		fail("chunk= needs a number from 1 to 65536");
}

void do_pread(const char *arg)
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

void do_lseek(const char *arg)
{
	off_t off;

	need_fd();
	off = lseek(fd, to_long(arg), SEEK_SET);
	if (off < 0)
		printf("lseek=%s\n", strerrorname_np(errno));
	else
		printf("lseek=%lld\n", (long long)off);
}

void do_poll(const char *arg)
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
