/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Print the Test Anything Protocol: a line for each test, and at the end the plan with the number
 * of tests.
 */
#ifndef TESTS_UNIT_TAP_H
#define TESTS_UNIT_TAP_H

#include <linux/kernel.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count;
static int tap_failed;

/* Report a test, whose name is the formatted text. Return: @pass. */
static inline __printf(2, 3) bool ok(bool pass, const char *fmt, ...)
{
	va_list args;

	tap_count++;
	if (!pass)
		tap_failed++;
	printf("%sok %d - ", pass ? "" : "not ", tap_count);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	return pass;
}

/* Print details of the test that has just failed. */
static inline __printf(1, 2) void diag(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* Print the plan. Return: the exit status of the program. */
static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* TESTS_UNIT_TAP_H */
