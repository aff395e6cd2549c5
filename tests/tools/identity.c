// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check identities between the figures of a result that hold for every test. A figure in a
 * wrong unit, of the wrong operations, or of a wrong number of operations contradicts
 * another figure.
 *
 * Only the result of a test that has ended is checked, because its figures are final.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "identity.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NSEC		1000000000u
#define NOTIFY_BYTES	16	/* each message of ping, and the SEND after a WRITE */
#define SUB_BUCKETS	32	/* buckets per power of 2 in the histogram */

#define u128 unsigned __int128

struct check {
	const struct identity *id;
	FILE *to;
	int broken;

	/* values of the result that many checks need */
	bool client;
	bool ok;
	bool ping;
	uint64_t size;
	uint64_t iterations;
	uint64_t nsec;
	uint64_t conns;		/* 0: unknown */
	char test[16];
};

__attribute__((format(printf, 2, 3)))
static void broken(struct check *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(c->to, "identity %s: ", "broken");
	vfprintf(c->to, fmt, args);
	fputc('\n', c->to);
	va_end(args);
	c->broken++;
}

/* The characters that end a word. */
static const char blanks[] = { ' ', '\n', '\0' };

/* Find a line by its first word. Return: the text after this word, or NULL. */
static const char *line(const struct check *c, const char *group)
{
	const char *at = c->id->text;
	size_t len = strlen(group);

	while (at) {
		if (!strncmp(at, group, len) && at[len] == ' ')
			return at + len;
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return NULL;
}

/* Find a key's value in a line. Return: its first character, or NULL. */
static const char *find(const char *at, const char *key)
{
	size_t len = strlen(key);

	while (at && *at == ' ') {
		at++;
		if (!strncmp(at, key, len) && at[len] == '=')
			return at + len + 1;
		at += strcspn(at, blanks);
	}
	return NULL;
}

static bool word_is(const char *at, const char *word)
{
	size_t len = strlen(word);

	return at && !strncmp(at, word, len) && strchr(blanks, at[len]);
}

static bool get(const struct check *c, const char *group, const char *key,
		uint64_t *value)
{
	const char *at = find(line(c, group), key);

	if (!at)
		return false;
	*value = strtoull(at, NULL, 10);
	return true;
}

static uint64_t get_or_0(const struct check *c, const char *group, const char *key)
{
	uint64_t value = 0;

	get(c, group, key, &value);
	return value;
}

/* Find an option of the command. Return: the operand or the text after the name, or NULL. */
static const char *option(const struct check *c, const char *name)
{
	const char *at = c->id->command;
	size_t len = strlen(name);

	while (at) {
		if (!strncmp(at, name, len) && strchr("=,\n", at[len]))
			return at + len + (at[len] == '=');
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return NULL;
}

/* Get the value of an option that is a count. Its suffixes are powers of 1000. */
static uint64_t option_count(const struct check *c, const char *name)
{
	const char *at = option(c, name);
	const char *suffix;
	uint64_t number;
	char *end;

	if (!at)
		return 0;
	number = strtoull(at, &end, 10);
	for (suffix = "kmg"; *suffix && *end; suffix++) {
		if (strchr(suffix, *end))
			number *= 1000;
	}
	return number;
}

static bool off_by_more(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return (a > b ? a - b : b - a) > tolerance;
}

static void equal(struct check *c, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		broken(c, "%s is %" PRIu64 " instead of %" PRIu64, what, got, want);
}

static bool test_is(const struct check *c, const char *names)
{
	const char *at = strstr(names, c->test);

	return at && strchr(" ", at[strlen(c->test)]) && (at == names || at[-1] == ' ');
}

/*
 * Latencies.
 */

static const char * const rising[] = {
	"min", "p50", "p90", "p99", "p99.9", "p99.99", "max",
};

static void check_order(struct check *c, const char *group)
{
	uint64_t min, max, mean, stddev, value, last = 0;
	size_t i;

	if (!line(c, group))
		return;
	for (i = 0; i < ARRAY_SIZE(rising); i++) {
		if (!get(c, group, rising[i], &value)) {
			broken(c, "%s has no %s", group, rising[i]);
			return;
		}
		if (value < last)
			broken(c, "%s: %s=%" PRIu64 " is below %s=%" PRIu64, group,
			       rising[i], value, rising[i - 1], last);
		last = value;
	}
	min = get_or_0(c, group, "min");
	max = last;
	mean = get_or_0(c, group, "mean");
	stddev = get_or_0(c, group, "stddev");
	if (mean < min || mean > max)
		broken(c, "%s: mean=%" PRIu64 " is not between min and max", group, mean);
	if (stddev > max - min)
		broken(c, "%s: stddev=%" PRIu64 " is above max - min", group, stddev);
}

/* A ping server measures from one WRITE to the next, so it has one latency less. */
static uint64_t measured(const struct check *c, bool client, uint64_t iterations)
{
	return c->ping && !client && iterations ? iterations - 1 : iterations;
}

/*
 * The same timestamp ends an operation and begins the next one, so the latencies add up to
 * the time. Half round trips and the mean are rounded down. The sum is not checked with a
 * rate, because the schedule begins an operation, nor with several connections.
 */
static void check_sum(struct check *c, const char *group, uint64_t count, uint64_t nsec)
{
	bool half = word_is(find(line(c, group), "of"), "half_round_trip");
	uint64_t mean, rate;
	u128 sum, most;

	if (!get(c, group, "mean", &mean) || !count || c->conns != 1 ||
	    !get(c, "config", "rate", &rate) || rate)
		return;
	sum = (u128)mean * count * (half ? 2 : 1);
	most = sum + (u128)count * (half ? 3 : 1);
	if (nsec < sum || nsec > most)
		broken(c, "%s: %" PRIu64 " latencies of mean=%" PRIu64
		       " do not add up to nsec=%" PRIu64, group, count, mean, nsec);
}

struct bucket {
	uint64_t value;
	uint64_t count;
};

static uint64_t percentile(const struct bucket *bucket, size_t nr, uint64_t count,
			   uint64_t per_100000)
{
	uint64_t rank = ((u128)count * per_100000 + 99999) / 100000;
	uint64_t seen = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		seen += bucket[i].count;
		if (seen >= rank)
			break;
	}
	return bucket[i < nr ? i : nr - 1].value;
}

static void check_percentiles(struct check *c, const struct bucket *bucket, size_t nr,
			      uint64_t count)
{
	static const uint64_t share[] = { 50000, 90000, 99000, 99900, 99990 };
	uint64_t min = get_or_0(c, "latency_nsec", "min");
	uint64_t max = get_or_0(c, "latency_nsec", "max");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(share); i++)
		equal(c, rising[i + 1], get_or_0(c, "latency_nsec", rising[i + 1]),
		      percentile(bucket, nr, count, share[i]));
	if (off_by_more(bucket[0].value, min, min / SUB_BUCKETS))
		broken(c, "min=%" PRIu64 " is not in the first bucket, %" PRIu64, min,
		       bucket[0].value);
	if (off_by_more(bucket[nr - 1].value, max, max / SUB_BUCKETS))
		broken(c, "max=%" PRIu64 " is not in the last bucket, %" PRIu64, max,
		       bucket[nr - 1].value);
}

static void check_histogram(struct check *c)
{
	static struct bucket bucket[4096];
	const char *at = line(c, "histogram_nsec");
	uint64_t mean = get_or_0(c, "latency_nsec", "mean");
	uint64_t count = 0;
	u128 sum = 0, want, off;
	size_t nr = 0;
	char *end;

	if (!at)
		return;
	while (*at == ' ' && nr < ARRAY_SIZE(bucket)) {
		bucket[nr].value = strtoull(at, &end, 10);
		if (*end != '=')
			break;
		bucket[nr].count = strtoull(end + 1, &end, 10);
		at = end;
		if (nr && bucket[nr].value <= bucket[nr - 1].value)
			broken(c, "the histogram's buckets are not in order at %" PRIu64,
			       bucket[nr].value);
		count += bucket[nr].count;
		sum += (u128)bucket[nr].value * bucket[nr].count;
		nr++;
	}
	if (!nr || (*at && *at != '\n')) {
		broken(c, "the histogram cannot be read");
		return;
	}
	equal(c, "the histogram's count", count,
	      measured(c, c->client, c->iterations));
	want = (u128)mean * count;
	off = sum > want ? sum - want : want - sum;
	/* a latency is off by half a bucket at most, and the mean is rounded down */
	if (off > want / (2 * SUB_BUCKETS) + count)
		broken(c, "mean=%" PRIu64 " is not the histogram's mean, %" PRIu64, mean,
		       (uint64_t)(sum / count));
	check_percentiles(c, bucket, nr, count);
}

/*
 * Throughput.
 */

static uint64_t per_sec(u128 amount, uint64_t nsec)
{
	u128 rate = amount * NSEC / nsec;

	return rate > UINT64_MAX ? UINT64_MAX : rate;
}

static void check_throughput(struct check *c, const char *group, uint64_t iterations,
			     uint64_t nsec)
{
	uint64_t bytes, msgs, cycles;
	u128 all = (u128)iterations * c->size;

	if (!line(c, group))
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
	/* only an untrusted peer reports a product above 64 bits */
	if (all > UINT64_MAX)
		return;
	if (bytes != per_sec(all, nsec))
		broken(c, "%s: bytes_per_sec=%" PRIu64 " for %" PRIu64 " messages of %" PRIu64
		       " bytes in %" PRIu64 " ns", group, bytes, iterations, c->size, nsec);
	if (msgs != per_sec(iterations, nsec))
		broken(c, "%s: messages_per_sec=%" PRIu64 " for %" PRIu64
		       " messages in %" PRIu64 " ns", group, msgs, iterations, nsec);
}

/*
 * Counters.
 */

/* Return: the operation that moves the data of a test, or NULL. */
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

static uint64_t counter(const struct check *c, const char *group, const char *op,
			const char *unit)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_%s", op, unit);
	return get_or_0(c, group, key);
}

static void check_bytes(struct check *c, const char *group, const char *op, uint64_t size)
{
	uint64_t msgs = counter(c, group, op, "msgs");
	uint64_t bytes = counter(c, group, op, "bytes");

	if (bytes != msgs * size)
		broken(c, "%s: %s_bytes=%" PRIu64 " for %" PRIu64 " messages of %" PRIu64 " bytes",
		       group, op, bytes, msgs, size);
}

/* Check that the number of bytes is the number of messages times their size. */
static void check_sizes(struct check *c, const char *group)
{
	const char *op = operation(c);

	if (!line(c, group))
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
static void check_cross(struct check *c)
{
	if (!line(c, "peer_counters") || c->id->untrusted_peer)
		return;
	cross(c, "counters", "peer_counters", "msgs");
	cross(c, "counters", "peer_counters", "bytes");
	cross(c, "peer_counters", "counters", "msgs");
	cross(c, "peer_counters", "counters", "bytes");
}

/* Check that a ping server READs and WRITEs the data of each iteration once. */
static void check_ping(struct check *c, const char *group, uint64_t iterations,
		       bool cut_short)
{
	/* A server whose duration= ends may have done a READ without the WRITE. */
	uint64_t begun = cut_short && counter(c, group, "read", "msgs") == iterations + 1;

	equal(c, "a ping server's write_bytes", counter(c, group, "write", "bytes"),
	      iterations * c->size);
	equal(c, "a ping server's read_bytes", counter(c, group, "read", "bytes"),
	      (iterations + begun) * c->size);
	equal(c, "a ping server's send_msgs", counter(c, group, "send", "msgs"),
	      2 * iterations + begun);
}

/* Check the number of operations against count= and warmup= of the command. */
static void check_asked(struct check *c)
{
	uint64_t count = option_count(c, "count") * c->conns;
	uint64_t warmup = option_count(c, "warmup") * c->conns;
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
	if (!count || !c->ok || option(c, "duration"))
		return;
	equal(c, "iterations", c->iterations, count);
	if (op)
		equal(c, "the number of operations posted", posted, count + warmup);
}

/*
 * Time.
 */

static void check_wall(struct check *c)
{
	const struct identity *id = c->id;

	if (!id->wall_ns)
		return;
	if (c->nsec > id->wall_ns)
		broken(c, "time nsec=%" PRIu64 ", but the command took only %" PRIu64
		       " ns", c->nsec, id->wall_ns);
	if (!c->client || !c->ok || !id->waited || !id->setup_ns || option(c, "warmup"))
		return;
	if (id->wall_ns - c->nsec > id->setup_ns && id->wall_ns > c->nsec)
		broken(c, "time nsec=%" PRIu64 ", but the command took %" PRIu64
		       " ns, too long for set-up", c->nsec, id->wall_ns);
}

/**
 * identity_check() - check the figures of a result
 * @id: the result and its command
 * @to: stream for a line for each broken identity
 *
 * Return: number of broken identities; 0 if the test has not ended.
 */
int identity_check(const struct identity *id, FILE *to)
{
	struct check c = { .id = id, .to = to };
	uint64_t peer_iterations, peer_nsec;
	const char *head, *test;

	head = line(&c, "result");
	test = find(head, "test");
	if (!test || word_is(find(head, "status"), "running"))
		return 0;
	/* the sum of several clients, whose tests and sizes may differ */
	if (find(head, "clients"))
		return 0;
	snprintf(c.test, sizeof(c.test), "%.*s", (int)strcspn(test, blanks), test);
	c.ping = !strcmp(c.test, "ping");
	c.client = word_is(find(head, "role"), "client");
	c.ok = word_is(find(head, "status"), "ok");
	get(&c, "result", "size", &c.size);
	get(&c, "result", "iterations", &c.iterations);
	get(&c, "time", "nsec", &c.nsec);
	if (c.client)
		c.conns = get_or_0(&c, "config", "qps") * get_or_0(&c, "config", "threads");
	peer_iterations = get_or_0(&c, "peer_time", "iterations");
	peer_nsec = get_or_0(&c, "peer_time", "nsec");

	check_order(&c, "latency_nsec");
	check_sum(&c, "latency_nsec", measured(&c, c.client, c.iterations), c.nsec);
	check_histogram(&c);
	check_throughput(&c, "throughput", c.iterations, c.nsec);
	check_sizes(&c, "counters");
	check_asked(&c);
	check_wall(&c);
	if (c.ping && c.ok && !c.client && word_is(find(head, "peer"), "krping"))
		check_ping(&c, "counters", c.iterations, true);
	if (id->untrusted_peer)
		return c.broken;
	check_order(&c, "peer_latency_nsec");
	check_sum(&c, "peer_latency_nsec", measured(&c, !c.client, peer_iterations),
		  peer_nsec);
	check_throughput(&c, "peer_throughput", peer_iterations, peer_nsec);
	check_sizes(&c, "peer_counters");
	if (c.ok)
		check_cross(&c);
	if (c.ping && c.ok && line(&c, "peer_counters"))
		check_ping(&c, "peer_counters", peer_iterations, false);
	return c.broken;
}
