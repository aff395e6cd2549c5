// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that write commands to /proc/krping.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storm.h"

/* Record for the watcher that a write(2) begins. */
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

void close_file(struct writer *w)
{
	int fd = w->fd;

	w->fd = -1;
	close(fd);
}

/* Write the current line, and check the outcome. Return: true if krping has accepted the line. */
bool write_line(struct writer *w)
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

/* Poll, read and seek on the writer's descriptor, whose test still runs or has ended. */
static void read_and_seek(struct writer *w)
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

/* Write in a child process and kill it during the write. */
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

void *writer_main(void *arg)
{
	struct writer *w = arg;

	for (; w->todo && !give_up; w->todo--) {
		next_line(&w->lines, &w->line);
		if (!random_below(&w->lines, 50) && !w->line.bad_pointer) {
			write_and_die(w);
			continue;
		}
		if (write_line(w) || !random_below(&w->lines, 10))
			read_and_seek(w);
		if (random_below(&w->lines, 8))
			close_file(w);
	}
	if (w->fd >= 0)
		close_file(w);
	return NULL;
}
