// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: messages arrive intact, senders wait for credits, and each side
 * accesses the region (memory) that the peer has registered.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "krdma_pair.h"

/* Attributes with the shortest timeout: four intervals of keep-alive messages. */
static const struct krdma_attr krdma_short_timeout = { .timeout_ms = 4000, .region = 10 };

/*
 * Messages of many lengths arrive intact in both directions. A length of 0, or above the maximum,
 * is an error.
 */
static int messages(struct pair *p)
{
	static const u32 lens[] = { 1, 2, 8, 63, 4096, 8183, 8184, 8185, 16368, 16369,
				    65536, 131000, KRDMA_MESSAGE_MAX - 1,
				    KRDMA_MESSAGE_MAX };
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(lens) && !ret; i++) {
		ret = transfer(p, p->client, p->server, lens[i], i);
		if (!ret)
			ret = transfer(p, p->server, p->client, lens[i], i + 100);
	}
	return ret ?: expect(krdma_send(p->client, p->buf[0], 0), -EINVAL) ?:
	       expect(krdma_send(p->client, p->buf[0], KRDMA_MESSAGE_MAX + 1), -EMSGSIZE);
}

/* After -EMSGSIZE the message can be received with a larger buffer. */
static int short_buffer(struct pair *p)
{
	fill(p->buf[1], 9000, 5);
	return expect(krdma_send(p->client, p->buf[1], 9000), 0) ?:
	       expect(krdma_receive(p->server, p->buf[0], 8999), -EMSGSIZE) ?:
	       expect(krdma_receive(p->server, p->buf[0], 0), -EMSGSIZE) ?:
	       expect(krdma_receive(p->server, p->buf[0], 9000), 9000) ?:
	       expect(differs(p->buf[0], 9000, 5), 0);
}

/* A sender waits for credits after 16 messages, and continues when the receiver grants some. */
static int credits(struct pair *p)
{
	int sent, i, ret = 0;

	for (sent = 0; sent < 100; sent++) {
		fill(p->buf[1], 64, sent);
		ret = krdma_send(p->client, p->buf[1], 64);
		if (ret)
			break;
	}
	if (expect(ret, -ETIMEDOUT) || expect(sent, 16))
		return -EINVAL;
	ret = 0;
	for (i = 0; i < sent && !ret; i++)
		ret = expect(krdma_receive(p->server, p->buf[0], 64), 64) ?:
		      expect(differs(p->buf[0], 64, i), 0);
	return ret ?: transfer(p, p->client, p->server, 100000, 3);
}

/*
 * A receiver that begins later than the sender loses no part of a message, and grants credits while
 * it receives. If only the keep-alive messages granted credits, one a second, the 1,290 fragments
 * would take 80 s instead of a few.
 */
static int overtaken(struct pair *p)
{
	struct call call = { .fn = send_it, .p = p, .cb = p->client };
	unsigned long limit = jiffies + 60 * HZ;
	int i, ret = 0;

	call.len = KRDMA_MESSAGE_MAX;
	fill(p->buf[1], call.len, 9);
	for (i = 0; i < 10 && !ret; i++) {
		ret = call_begin(&call);
		schedule_timeout_interruptible(HZ / 5);
		ret = ret ?: expect(krdma_receive(p->server, p->buf[0], call.len),
				    (int)call.len);
		ret = expect(call_end(&call), 0) ?: ret;
		ret = ret ?: expect(differs(p->buf[0], call.len, 9), 0);
	}
	return ret ?: expect(time_before(jiffies, limit), true);
}

/*
 * Each side reads and writes the peer's region and its own. An access beyond the end of a region
 * fails, and the connection continues.
 */
static int memory(struct pair *p)
{
	char *in = p->buf[0], *out = p->buf[1];
	u32 size = krdma_small_region.region;

	fill(out, size, 1);
	if (expect(krdma_write(p->client, out, size), 0) ||
	    expect(krdma_region_read(p->server, 0, in, size), 0) ||
	    expect(differs(in, size, 1), 0))
		return -EINVAL;
	fill(out, 10, 2);
	if (expect(krdma_write_at(p->client, 70000, out, 10), 0) ||
	    expect(krdma_region_read(p->server, 70000, in, 10), 0) ||
	    expect(differs(in, 10, 2), 0) ||
	    expect(krdma_read(p->client, in, 70000), 0) ||
	    expect(differs(in, 70000, 1), 0))
		return -EINVAL;
	/* the opposite direction */
	fill(out, 100, 3);
	if (expect(krdma_region_write(p->client, 5, out, 100), 0) ||
	    expect(krdma_read_at(p->server, 5, in, 100), 0) ||
	    expect(differs(in, 100, 3), 0))
		return -EINVAL;
	if (expect(krdma_read_at(p->client, size - 1, in, 1), 0) ||
	    expect(krdma_read_at(p->client, size - 1, in, 2), -EINVAL) ||
	    expect(krdma_read_at(p->client, size, in, 1), -EINVAL) ||
	    expect(krdma_read_at(p->client, U64_MAX, in, 2), -EINVAL) ||
	    expect(krdma_write_at(p->client, 1, out, size), -EINVAL) ||
	    expect(krdma_read(p->client, in, 0), -EINVAL) ||
	    expect(krdma_region_read(p->client, size, in, 1), -EINVAL) ||
	    expect(krdma_region_write(p->client, 1, out, size), -EINVAL))
		return -EINVAL;
	/* The rejected calls have not ended the connection. */
	return transfer(p, p->server, p->client, 10, 4);
}

/* Without regions, reads and writes fail. */
static int no_memory(struct pair *p)
{
	return expect(krdma_read(p->client, p->buf[0], 1), -EINVAL) ?:
	       expect(krdma_write(p->server, p->buf[0], 1), -EINVAL) ?:
	       expect(krdma_region_read(p->client, 0, p->buf[0], 1), -EINVAL);
}

/* Run krdma_rw_init_server() in another thread, because it waits for the client. */
static int init_server(struct call *call)
{
	return krdma_rw_init_server(krdma_addr, krdma_port, &call->p->server);
}

/*
 * krdma_rw_init_server() and krdma_rw_init_client() make a connection for messages, reads and
 * writes. The client tries again until the server listens.
 */
static int init_both(struct pair *p)
{
	struct call call = { .fn = init_server, .p = p };
	int ret, tries;

	if (call_begin(&call))
		return -EINVAL;
	for (tries = 0; tries < 50; tries++) {
		ret = krdma_rw_init_client(krdma_addr, krdma_port, &p->client);
		if (ret != -ECONNREFUSED)
			break;
		schedule_timeout_interruptible(HZ / 10);
	}
	if (ret)
		send_sig(SIGTERM, call.task, 1);
	ret = expect(ret, 0);
	ret = expect(call_end(&call), 0) ?: ret;
	p->buf[0] = vzalloc(KRDMA_MESSAGE_MAX);
	p->buf[1] = vzalloc(KRDMA_MESSAGE_MAX);
	if (ret || !p->buf[0] || !p->buf[1])
		return -EINVAL;
	fill(p->buf[1], KRDMA_REGION_MAX, 11);
	return expect(krdma_write(p->client, p->buf[1], KRDMA_REGION_MAX), 0) ?:
	       expect(krdma_read(p->client, p->buf[0], KRDMA_REGION_MAX), 0) ?:
	       expect(differs(p->buf[0], KRDMA_REGION_MAX, 11), 0) ?:
	       transfer(p, p->client, p->server, 777, 12);
}

/*
 * A side that only reads and writes sends keep-alive messages, too. The peer does not notice reads
 * and writes, so without these messages the peer would end the connection after 4 s.
 */
static int alive(struct pair *p)
{
	unsigned long end = jiffies + 7 * HZ;
	int ret = 0;

	while (!ret && time_before(jiffies, end)) {
		ret = expect(krdma_write(p->client, p->buf[1], 1), 0) ?:
		      expect(krdma_read(p->client, p->buf[0], 1), 0);
		schedule_timeout_interruptible(HZ / 5);
	}
	return ret ?: transfer(p, p->server, p->client, 10, 14);
}

/* Send, receive, write and read. tests/debug/alloc-krdma.sh lets an allocation of a call fail. */
static int calls(struct pair *p)
{
	char *in = p->buf[0], *out = p->buf[1];

	fill(out, 9000, 13);
	return expect(krdma_send(p->client, out, 9000), 0) ?:
	       expect(krdma_receive(p->server, in, 9000), 9000) ?:
	       expect(differs(in, 9000, 13), 0) ?:
	       expect(krdma_try_send(p->server, out, 100), 0) ?:
	       expect(krdma_receive(p->client, in, 100), 100) ?:
	       expect(krdma_write(p->client, out, 9000), 0) ?:
	       expect(krdma_read(p->server, in, 100), 0) ?:
	       expect(krdma_read(p->client, in, 9000), 0) ?:
	       expect(differs(in, 9000, 13), 0);
}

const struct scenario krdma_data_scenarios[] = {
	{ "calls", calls, &krdma_small_region },
	{ "messages", messages, &krdma_no_region },
	{ "short_buffer", short_buffer, &krdma_no_region },
	{ "credits", credits, &krdma_no_region },
	{ "overtaken", overtaken, &krdma_no_region },
	{ "alive", alive, &krdma_short_timeout },
	{ "memory", memory, &krdma_small_region },
	{ "no_memory", no_memory, &krdma_no_region },
	{ "init_both", init_both, NULL },
	{ }
};
