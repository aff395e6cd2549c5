// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check the throughput and the counters of a result, and the number of operations against the
 * command.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "identity-check.h"

#define NSEC		1000000000u
#define NOTIFY_BYTES	16	/* size of each SEND of ping, and of the SEND after a WRITE */

/* Return: the amount per second, at most UINT64_MAX. */
static uint64_t per_sec(u128 amount, uint64_t nsec)
{
	u128 rate = amount * NSEC / nsec;

	return rate > UINT64_MAX ? UINT64_MAX : rate;
}

/*
 * Check that each rate in the line @group is the number of iterations, or the number of bytes of
 * all iterations, divided by @nsec.
 */
void check_throughput(struct check *c, const char *group, uint64_t iterations,
		      uint64_t nsec)
{
	uint64_t bytes, msgs, cycles;
	u128 all = (u128)iterations * c->size;

	if (!result_line(c, group))
		return;
	if (!nsec) {
		broken(c, "%s without time", group);
		return;
	}
	if (get(c, group, "cycles_per_sec", &cycles)) {
		equal(c, "cycles_per_sec", cycles, per_sec(iterations, nsec));
		return;
	}
	if (!get(c, group, "bytes_per_sec", &bytes) ||
	    !get(c, group, "messages_per_sec", &msgs)) {
		broken(c, "%s is not complete", group);
		return;
	}
	/* Only an untrusted peer reports numbers whose product exceeds 64 bits. */
	if (all > UINT64_MAX)
		return;
	if (bytes != per_sec(all, nsec))
		broken(c, "%s: bytes_per_sec=%" PRIu64 " for %" PRIu64 " messages of %" PRIu64
		       " bytes in %" PRIu64 " ns", group, bytes, iterations, c->size, nsec);
	if (msgs != per_sec(iterations, nsec))
		broken(c, "%s: messages_per_sec=%" PRIu64 " for %" PRIu64
		       " messages in %" PRIu64 " ns", group, msgs, iterations, nsec);
}

/* Return: the operation that moves the data of a microbenchmark, or NULL. */
static const char *operation(const struct check *c)
{
	if (test_is(c, "wlat bw"))
		return "write";
	if (test_is(c, "rlat rbw"))
		return "read";
	if (test_is(c, "slat sbw"))
		return "send";
	return NULL;
}

/* Get the counter of an operation; @unit is "bytes" or "msgs". Return: 0 if there is none. */
static uint64_t counter(const struct check *c, const char *group, const char *op,
			const char *unit)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", op, unit);
	return get_or_0(c, group, key);
}

/* Check that each message of an operation has had @size bytes. */
static void check_bytes(struct check *c, const char *group, const char *op, uint64_t size)
{
	uint64_t msgs = counter(c, group, op, "msgs");
	uint64_t bytes = counter(c, group, op, "bytes");

	if (bytes != msgs * size)
		broken(c, "%s: %s_bytes=%" PRIu64 " for %" PRIu64 " messages of %" PRIu64 " bytes",
		       group, op, bytes, msgs, size);
}

/*
 * Check that the bytes of an operation are the number of its messages times their size, for the
 * operation that moves the data, and for the SENDs that notify the peer.
 */
void check_message_sizes(struct check *c, const char *group)
{
	const char *op = operation(c);

	if (!result_line(c, group))
		return;
	if (c->ping) {
		check_bytes(c, group, "send", NOTIFY_BYTES);
		if (c->ok)
			check_bytes(c, group, "recv", NOTIFY_BYTES);
		return;
	}
	if (!op)
		return;
	check_bytes(c, group, op, c->size);
	if (!strcmp(op, "write"))
		check_bytes(c, group, "send", NOTIFY_BYTES);
}

/*
 * Check that the side with the counters @other has received as many @unit ("bytes" or "msgs") as
 * the side with the counters @one has sent.
 */
static void cross(struct check *c, const char *one, const char *other, const char *unit)
{
	uint64_t sent = counter(c, one, "send", unit);
	uint64_t got = counter(c, other, "recv", unit);

	/* a WRITE with immediate data consumes a RECV */
	if (get_or_0(c, "config", "imm"))
		sent += counter(c, one, "write", unit);
	if (sent != got)
		broken(c, "%s: %" PRIu64 " %s sent, %s: %" PRIu64 " received", one, sent,
		       unit, other, got);
}

/* Check that each side has received what the other side has sent. */
void check_both_sides(struct check *c)
{
	if (!result_line(c, "peer_counters") || c->id->untrusted_peer)
		return;
	cross(c, "counters", "peer_counters", "msgs");
	cross(c, "counters", "peer_counters", "bytes");
	cross(c, "peer_counters", "counters", "msgs");
	cross(c, "peer_counters", "counters", "bytes");
}

/*
 * Check that a ping server READs and WRITEs the data of each iteration once, and posts two SENDs
 * for an iteration.
 */
void check_ping(struct check *c, const char *group, uint64_t iterations,
		bool cut_short)
{
	/* If @cut_short, duration= may have ended the test, and the last READ may have no WRITE. */
	uint64_t begun = cut_short && counter(c, group, "read", "msgs") == iterations + 1;

	equal(c, "a ping server's write_bytes", counter(c, group, "write", "bytes"),
	      iterations * c->size);
	equal(c, "a ping server's read_bytes", counter(c, group, "read", "bytes"),
	      (iterations + begun) * c->size);
	equal(c, "a ping server's send_msgs", counter(c, group, "send", "msgs"),
	      2 * iterations + begun);
}

/*
 * Check the number of a client's iterations. With those of the warm-up, they must not exceed the
 * posted operations. If count= alone ends the test, there must be count= iterations and the sum of
 * count= and warmup= posted operations for each connection.
 */
void check_count(struct check *c)
{
	uint64_t count = command_count(c, "count") * c->conns;
	uint64_t warmup = command_count(c, "warmup") * c->conns;
	const char *op = c->ping ? "send" : operation(c);
	uint64_t posted;

	if (!c->id->command || !c->client || !c->conns)
		return;
	posted = op ? counter(c, "counters", op, "msgs") : 0;
	if (c->ping)
		posted /= 2;
	if (op && c->iterations && c->iterations + warmup > posted)
		broken(c, "%" PRIu64 " iterations after a warm-up of %" PRIu64
		       ", but only %" PRIu64 " were posted", c->iterations, warmup, posted);
	if (!count || !c->ok || command_option(c, "duration"))
		return;
	equal(c, "iterations", c->iterations, count);
	if (op)
		equal(c, "the number of operations posted", posted, count + warmup);
}
