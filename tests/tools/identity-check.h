/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the files identity*.c, which check the figures of a result. The argument @group of a
 * function is the first word of a line of the result, such as "time" or "peer_counters".
 */
#ifndef KRPING_IDENTITY_CHECK_H
#define KRPING_IDENTITY_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Without a type of 128 bits, as on 32-bit machines, sums above 2^64 are rounded. */
#ifdef __SIZEOF_INT128__
#define u128 unsigned __int128
#else
#define u128 long double
#endif

/**
 * struct check - the check of a result
 * @id: the result and its command
 * @to: stream to which broken() prints
 * @broken: number of broken identities so far: contradictions between figures
 * @client: whether the result is that of a client
 * @ok: whether the test has succeeded
 * @ping: whether the test is ping
 * @size: size= of the result
 * @iterations: iterations= of the result
 * @nsec: time of the iterations
 * @conns: number of connections of a client; 0 for a server
 * @test: name of the test
 */
struct check {
	const struct identity *id;
	FILE *to;
	int broken;
	bool client;
	bool ok;
	bool ping;
	uint64_t size;
	uint64_t iterations;
	uint64_t nsec;
	uint64_t conns;
	char test[16];
};

/* identity-text.c: report a broken identity; broken() always does, equal() if the values differ */
__attribute__((format(printf, 2, 3)))
void broken(struct check *c, const char *fmt, ...);
void equal(struct check *c, const char *what, uint64_t got, uint64_t want);

/* Find a line of the result, or the value of a key in a line. Return: its text, or NULL. */
extern const char word_ends[3];
const char *result_line(const struct check *c, const char *group);
const char *result_find(const char *at, const char *key);

/* Get the number of a key in a line of the result. */
bool get(const struct check *c, const char *group, const char *key,
	 uint64_t *value);
uint64_t get_or_0(const struct check *c, const char *group, const char *key);

/* Get the operand of an option of the command, as text or as a number. */
const char *command_option(const struct check *c, const char *name);
uint64_t command_count(const struct check *c, const char *name);

/* Compare a word of the result, the name of the test, or two numbers. */
bool word_is(const char *at, const char *word);
bool test_is(const struct check *c, const char *names);
bool off_by_more(uint64_t a, uint64_t b, uint64_t tolerance);

/* identity-latency.c: measured() returns the number of latencies of a side's iterations. */
uint64_t measured(const struct check *c, bool client, uint64_t iterations);

/* Each check_*() calls broken() for each broken identity. These check latencies. */
void check_latency_order(struct check *c, const char *group);
void check_latency_sum(struct check *c, const char *group, uint64_t count, uint64_t nsec);
void check_histogram(struct check *c);

/* identity-counters.c: these check rates, counters and numbers of operations. */
void check_throughput(struct check *c, const char *group, uint64_t iterations,
		      uint64_t nsec);
void check_message_sizes(struct check *c, const char *group);
void check_both_sides(struct check *c);
void check_ping(struct check *c, const char *group, uint64_t iterations, bool cut_short);
void check_count(struct check *c);

#endif /* KRPING_IDENTITY_CHECK_H */
