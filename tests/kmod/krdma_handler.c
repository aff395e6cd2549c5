// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: a handler receives messages, and krdma_try_send() sends without
 * waiting.
 */
#include <linux/jiffies.h>
#include <linux/string.h>

#include "krdma_pair.h"

/*
 * What a handler has counted: received bytes, parts and whole messages, ends of the connection, and
 * errors. If quiet is set, the handler sends no answers.
 */
struct got {
	u32 bytes, parts, messages, ends, wrong;
	bool quiet;
};

/*
 * Handler: count the parts of each message, and send the first byte of each part back. @left is the
 * number of the message's bytes that follow in later calls. In the last call, at the end of the
 * connection, @data is NULL.
 */
static void note(struct krdma_cb *cb, void *arg, const char *data, u32 len, u32 left)
{
	struct got *got = arg;

	if (got->ends || (left && len != KRDMA_TRY_MAX) || (!data && (len || left)))
		got->wrong++;
	if (!data) {
		got->ends++;
		return;
	}
	got->parts++;
	got->bytes += len;
	WRITE_ONCE(got->messages, got->messages + !left);
	if (!READ_ONCE(got->quiet) && krdma_try_send(cb, data, 1))
		got->wrong++;
}

static int await_messages(struct got *got, u32 nr)
{
	int i;

	for (i = 0; i < 600 && READ_ONCE(got->messages) < nr; i++)
		schedule_timeout_interruptible(HZ / 20);
	return expect(got->messages, (int)nr);
}

/* Send a message of @len bytes to the handler, and check its answers, one byte for each part. */
static int answered(struct pair *p, struct krdma_cb *client, u32 len)
{
	u32 at;

	fill(p->buf[1], len, 1);
	if (expect(krdma_send(client, p->buf[1], len), 0))
		return -EINVAL;
	for (at = 0; at < len; at += KRDMA_TRY_MAX)
		if (expect(krdma_receive(client, p->buf[0], 1), 1) ||
		    expect(p->buf[0][0] == p->buf[1][at], true))
			return -EINVAL;
	return 0;
}

/* Send messages of one and of several parts, and check what the handler has counted. */
static int handled(struct pair *p, struct krdma_cb *client, struct got *got)
{
	int i, ret = 0;

	for (i = 0; i < 100 && !ret; i++)
		ret = answered(p, client, 1 + i);
	/* The loop has sent 100 messages, with 5050 bytes in all. Each was one part. */
	return ret ?: answered(p, client, KRDMA_TRY_MAX) ?:
	       answered(p, client, KRDMA_TRY_MAX + 1) ?: answered(p, client, 100000) ?:
	       await_messages(got, 103) ?:
	       expect(got->parts, 100 + 1 + 2 + 13) ?:
	       expect(got->bytes, 5050 + 2 * KRDMA_TRY_MAX + 1 + 100000) ?:
	       expect(got->ends, 0);
}

/*
 * A handler that sends no answers must still grant credits. Keep-alive messages alone would grant
 * 16 credits a second, and the 1000 messages would take a minute.
 */
static int unanswered(struct pair *p, struct krdma_cb *client, struct got *got)
{
	unsigned long begin = jiffies;
	int i, ret = 0;

	WRITE_ONCE(got->quiet, true);
	for (i = 0; i < 1000 && !ret; i++)
		ret = expect(krdma_send(client, p->buf[1], 10), 0) ?:
		      expect(jiffies - begin < 30 * HZ, true);
	return ret ?: await_messages(got, 1103);
}

/* The handler receives the parts of each message in order, and at last the connection's end. */
static int handler(struct pair *p)
{
	static struct got got;
	struct krdma_attr attr = { .handler = note, .handler_arg = &got };
	struct krdma_cb *listener = NULL, *client = NULL, *server = NULL;
	int ret, end;

	memset(&got, 0, sizeof(got));
	krdma_release_cb(p->listener);
	p->listener = NULL;
	ret = expect(krdma_listen_attr(krdma_addr, krdma_port, &attr, &listener), 0) ?:
	      expect(krdma_connect(krdma_addr, krdma_port, &client), 0);
	/* The handler answers even before krdma_accept() has returned the connection. */
	ret = ret ?: handled(p, client, &got) ?: unanswered(p, client, &got) ?:
	      expect(krdma_accept(listener, &server), 0) ?:
	      expect(krdma_receive(server, p->buf[0], 1), -EINVAL);
	krdma_release_cb(client);
	for (end = 0; end < 600 && !READ_ONCE(got.ends) && !ret; end++)
		schedule_timeout_interruptible(HZ / 20);
	ret = ret ?: expect(krdma_send(server, p->buf[1], 1), -ECONNRESET);
	krdma_release_cb(server);
	krdma_release_cb(listener);
	return ret ?: expect(got.ends, 1) ?: expect(got.wrong, 0);
}

/* Send 20 messages of 100000 bytes. */
static int send_large(struct call *call)
{
	int i, ret = 0;

	for (i = 0; i < 20 && !ret; i++)
		ret = krdma_send(call->cb, call->p->buf[1], 100000);
	return ret;
}

/* Receive until 20 messages of 100000 bytes have arrived, and ignore messages of 1 byte. */
static int receive_mixed(struct call *call)
{
	int large = 0, ret = 1;

	while (large < 20 && (ret == 1 || ret == 100000)) {
		ret = krdma_receive(call->cb, call->p->buf[0], KRDMA_MESSAGE_MAX);
		large += ret == 100000;
	}
	return large == 20 ? 0 : ret;
}

/* While another thread sends large messages, try to send small ones. Count those sent in @sent. */
static int send_between(struct pair *p, int *sent)
{
	struct call calls[2] = {
		{ .fn = receive_mixed, .p = p, .cb = p->server },
		{ .fn = send_large, .p = p, .cb = p->client },
	};
	int ret = 0;

	if (call_begin(&calls[0]) || call_begin(&calls[1]))
		ret = -EINVAL;
	while (!ret && !completion_done(&calls[1].done)) {
		ret = krdma_try_send(p->client, "x", 1);
		*sent += !ret;
		ret = ret == -EAGAIN ? 0 : expect(ret, 0);
		cond_resched();
	}
	ret = expect(call_end(&calls[1]), 0) ?: ret;
	return expect(call_end(&calls[0]), 0) ?: ret;
}

/*
 * krdma_try_send() puts no message into the middle of a message of krdma_send(). The time between
 * two messages is so short that on a slow kernel all krdma_try_send() of a round may fail.
 */
static int between(struct pair *p)
{
	int round, sent = 0, ret = 0;

	for (round = 0; round < 20 && !sent && !ret; round++)
		ret = send_between(p, &sent);
	return ret ?: expect(sent > 0, true);
}

/* krdma_try_send() returns -EAGAIN instead of waiting for credits. */
static int try_send(struct pair *p)
{
	int i, ret;

	ret = expect(krdma_try_send(p->client, p->buf[1], 0), -EINVAL) ?:
	      expect(krdma_try_send(p->client, p->buf[1], KRDMA_TRY_MAX + 1), -EMSGSIZE);
	for (i = 0; i < 16 && !ret; i++) {
		fill(p->buf[1], KRDMA_TRY_MAX, i);
		ret = expect(krdma_try_send(p->client, p->buf[1], KRDMA_TRY_MAX), 0);
	}
	ret = ret ?: expect(krdma_try_send(p->client, p->buf[1], 1), -EAGAIN);
	for (i = 0; i < 16 && !ret; i++)
		ret = expect(krdma_receive(p->server, p->buf[0], KRDMA_TRY_MAX),
			     KRDMA_TRY_MAX) ?:
		      expect(differs(p->buf[0], KRDMA_TRY_MAX, i), 0);
	ret = ret ?: transfer(p, p->client, p->server, 100000, 3);
	krdma_release_cb(p->server);
	p->server = NULL;
	ret = ret ?: expect(krdma_receive(p->client, p->buf[0], 1), -ECONNRESET);
	return ret ?: expect(krdma_try_send(p->client, p->buf[1], 1), -ECONNRESET);
}

const struct scenario krdma_handler_scenarios[] = {
	{ "handler", handler, &krdma_no_region },
	{ "between", between, &krdma_no_region },
	{ "try_send", try_send, &krdma_no_region },
	{ }
};
