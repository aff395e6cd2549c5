/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Declarations of the files that check a result.
 */
#ifndef KRPING_IDENTITY_CHECK_H
#define KRPING_IDENTITY_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define u128 unsigned __int128

/**
 * struct check - the check of a result
 * @id: the result and its command
 * @to: stream for a line for each broken identity
 * @broken: number of broken identities
 * @client: whether it is the result of a client
 * @ok: whether the test has succeeded
 * @ping: whether the test is ping
 * @size: size= of the result
 * @iterations: iterations= of the result
 * @nsec: time of the iterations
 * @conns: number of connections; 0 if unknown
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

/* identity-text.c */
extern const char word_ends[3];
__attribute__((format(printf, 2, 3)))
void broken(struct check *c, const char *fmt, ...);
void equal(struct check *c, const char *what, uint64_t got, uint64_t want);
const char *result_line(const struct check *c, const char *group);
const char *result_find(const char *at, const char *key);
bool get(const struct check *c, const char *group, const char *key,
	 uint64_t *value);
uint64_t get_or_0(const struct check *c, const char *group, const char *key);
const char *command_option(const struct check *c, const char *name);
uint64_t command_count(const struct check *c, const char *name);
bool word_is(const char *at, const char *word);
bool test_is(const struct check *c, const char *names);
bool off_by_more(uint64_t a, uint64_t b, uint64_t tolerance);

/* identity-latency.c */
uint64_t measured(const struct check *c, bool client, uint64_t iterations);
void check_latency_order(struct check *c, const char *group);
void check_latency_sum(struct check *c, const char *group, uint64_t count, uint64_t nsec);
void check_histogram(struct check *c);

/* identity-counters.c */
void check_throughput(struct check *c, const char *group, uint64_t iterations,
		      uint64_t nsec);
void check_message_sizes(struct check *c, const char *group);
void check_both_sides(struct check *c);
void check_ping(struct check *c, const char *group, uint64_t iterations, bool cut_short);
void check_count(struct check *c);

#endif /* KRPING_IDENTITY_CHECK_H */
