// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Report faults, read the clock, and sleep.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "storm.h"

static pthread_mutex_t talk = PTHREAD_MUTEX_INITIALIZER;

long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

void ms_sleep(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void die(const char *fmt, ...)
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

/*
 * Report a fault. @w is the writer whose command has caused the fault, or NULL; @result is the
 * result of the command, or NULL.
 */
void complain(const struct writer *w, const char *result, const char *fmt, ...)
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
