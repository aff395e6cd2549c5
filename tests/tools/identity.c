// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check identities: relations between the figures of one result that hold for every test. They
 * break if a figure has a wrong unit, counts the wrong operations, or counts too many or too few.
 *
 * Only the result of a test that has ended is checked, because only its figures are final.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "identity-check.h"

/*
 * Check that the iterations take no longer than the command, and that a client without a warm-up
 * spends at most @setup_ns of the command outside its iterations.
 */
static void check_wall(struct check *c)
{
	const struct identity *id = c->id;

	if (!id->wall_ns)
		return;
	if (c->nsec > id->wall_ns)
		broken(c, "time nsec=%" PRIu64 ", but the command took only %" PRIu64
		       " ns", c->nsec, id->wall_ns);
	if (!c->client || !c->ok || !id->waited || !id->setup_ns || command_option(c, "warmup"))
		return;
	if (id->wall_ns - c->nsec > id->setup_ns && id->wall_ns > c->nsec)
		broken(c, "time nsec=%" PRIu64 ", but the command took %" PRIu64
		       " ns, too long for set-up", c->nsec, id->wall_ns);
}

/**
 * identity_check() - check the figures of a result
 * @id: the result and its command
 * @to: stream for the output, a line for each broken identity
 *
 * Return: number of broken identities; 0 if the test has not ended.
 */
int identity_check(const struct identity *id, FILE *to)
{
	struct check c = { .id = id, .to = to };
	uint64_t peer_iterations, peer_nsec;
	const char *head, *test;

	head = result_line(&c, "result");
	test = result_find(head, "test");
	if (!test || word_is(result_find(head, "status"), "running"))
		return 0;
	/* A server for several clients has the sums of their tests, which may differ in size. */
	if (result_find(head, "clients"))
		return 0;
	snprintf(c.test, sizeof(c.test), "%.*s", (int)strcspn(test, word_ends), test);
	c.ping = !strcmp(c.test, "ping");
	c.client = word_is(result_find(head, "role"), "client");
	c.ok = word_is(result_find(head, "status"), "ok");
	get(&c, "result", "size", &c.size);
	get(&c, "result", "iterations", &c.iterations);
	get(&c, "time", "nsec", &c.nsec);
	if (c.client)
		c.conns = get_or_0(&c, "config", "qps") * get_or_0(&c, "config", "threads");
	peer_iterations = get_or_0(&c, "peer_time", "iterations");
	peer_nsec = get_or_0(&c, "peer_time", "nsec");

	check_latency_order(&c, "latency_nsec");
	check_latency_sum(&c, "latency_nsec", measured(&c, c.client, c.iterations), c.nsec);
	check_histogram(&c);
	check_throughput(&c, "throughput", c.iterations, c.nsec);
	check_message_sizes(&c, "counters");
	check_count(&c);
	check_wall(&c);
	if (c.ping && c.ok && !c.client && word_is(result_find(head, "peer"), "krping"))
		check_ping(&c, "counters", c.iterations, true);
	if (id->untrusted_peer)
		return c.broken;
	check_latency_order(&c, "peer_latency_nsec");
	check_latency_sum(&c, "peer_latency_nsec", measured(&c, !c.client, peer_iterations),
			  peer_nsec);
	check_throughput(&c, "peer_throughput", peer_iterations, peer_nsec);
	check_message_sizes(&c, "peer_counters");
	if (c.ok)
		check_both_sides(&c);
	if (c.ping && c.ok && result_line(&c, "peer_counters"))
		check_ping(&c, "peer_counters", peer_iterations, false);
	return c.broken;
}
