// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Threads that read the list of tests, and results from the descriptors of the writers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storm.h"

/*
 * Check the list: lines are numbered from 1 and have eight counters or the word listen.
 * Return: the reason why the list is invalid, or NULL.
 */
static const char *bad_list(char *text)
{
	unsigned int want = 1;
	char *line, *save;

	if (*text && text[strlen(text) - 1] != '\n')
		return "the last line has no newline";
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
 * Open the list under a descriptor number that no writer uses. read_elsewhere() may read from a
 * number that a writer has just closed, and would disturb a list that has got the same number.
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

size_t read_list(struct lines *l, char *text, size_t size)
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

/* Read from a writer's descriptor. The writer may use or close the descriptor meanwhile. */
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

void *reader_main(void *arg)
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
