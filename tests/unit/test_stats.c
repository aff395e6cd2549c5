// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test that each counter counts separately, in 64 bits, and is shown at its place. */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <inttypes.h>

#include "../../krping/stats.h"
#include "tap.h"

/* Eight values of different magnitude, so that a sum shows which of them were added. */
static const struct krping_stats some = {
	.send	= { 1, 20 },
	.recv	= { 300, 4000 },
	.write	= { 50000, 600000 },
	.read	= { 7000000, 80000000 },
};

static void test_count(void)
{
	struct krping_counter c = { 0 };
	int i;

	krping_count(&c, 64);
	krping_count(&c, 0);
	ok(c.bytes == 64 && c.msgs == 2, "count: an operation without data is a message");
	for (i = 0; i < 5; i++)
		krping_count(&c, U32_MAX);
	if (!ok(c.bytes == 64 + 5ULL * U32_MAX && c.msgs == 7, "count: bytes do not wrap at 4 GiB"))
		diag("%" PRIu64 " bytes, %" PRIu64 " messages", (uint64_t)c.bytes,
		     (uint64_t)c.msgs);
}

static void test_add(void)
{
	struct krping_stats sum = { 0 };
	const u64 *got = (const u64 *)&sum, *one = (const u64 *)&some;
	bool good = true;
	size_t i;

	krping_stats_add(&sum, &some);
	ok(!memcmp(&sum, &some, sizeof(sum)), "add: values added to zeros are the same");
	sum.write.bytes = U32_MAX;
	krping_stats_add(&sum, &some);
	for (i = 0; i < sizeof(some) / sizeof(u64); i++)
		if (i != offsetof(struct krping_stats, write.bytes) / sizeof(u64))
			good &= got[i] == 2 * one[i];
	ok(good, "add: each counter is the sum of two");
	ok(sum.write.bytes == U32_MAX + 50000ULL, "add: bytes do not wrap at 4 GiB");
}

/* Test both forms in which the counters are printed. */
static void test_show(void)
{
	struct seq_file line = { .len = 0 }, keys = { .len = 0 };

	krping_stats_show_line(&line, &some);
	if (!ok(!strcmp(line.text, " 1 20 300 4000 50000 600000 7000000 80000000\n"),
		"line: bytes and messages of SEND, RECV, WRITE and READ"))
		diag("%s", line.text);
	krping_stats_show_keys(&keys, &some);
	if (!ok(strstr(keys.text, "counters send_bytes=1 send_msgs=20 recv_bytes=300 ") &&
		strstr(keys.text, " recv_msgs=4000 write_bytes=50000 write_msgs=600000 ") &&
		strstr(keys.text, " read_bytes=7000000 read_msgs=80000000\n"),
		"keys: each counter has its name"))
		diag("%s", keys.text);
}

int main(void)
{
	test_count();
	test_add();
	test_show();
	return tap_done();
}
