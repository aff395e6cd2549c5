// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Print the output of krping-peer, and read the clock.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "peer.h"

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	flockfile(stdout);
	printf("peer: ");
	vprintf(fmt, args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
	va_end(args);
}

void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("peer: error: ");
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
	fflush(stdout);
	exit(1);
}

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}
