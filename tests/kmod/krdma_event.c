// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: many clients connect, an event from outside ends the connection,
 * krping-peer (a client in user space, see tests/hostile) breaks the protocol, and the arguments
 * are invalid.
 */
#define pr_fmt(fmt) "krping_krdma: " fmt

#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "krdma_pair.h"

/* Ten clients are connected to one listener at the same time. */
static int clients(struct pair *p)
{
	struct krdma_cb *client[10] = { }, *server[10] = { };
	int i, ret = 0;

	for (i = 0; i < 10 && !ret; i++)
		ret = expect(krdma_connect(krdma_addr, krdma_port, &client[i]), 0);
	for (i = 0; i < 10 && !ret; i++)
		ret = expect(krdma_accept(p->listener, &server[i]), 0);
	for (i = 0; i < 10 && !ret; i++)
		ret = transfer(p, client[i], server[i], 20000, i);
	for (i = 9; i >= 0 && !ret; i--)
		ret = transfer(p, server[i], client[i], 20, i);
	for (i = 0; i < 10; i++) {
		krdma_release_cb(i % 2 ? client[i] : server[i]);
		krdma_release_cb(i % 2 ? server[i] : client[i]);
	}
	return ret;
}

/*
 * Wait for an event that the test script causes. One side's call must return @error, and the other
 * side's call must return @error or @other.
 */
static int outside(struct pair *p, int error, int other)
{
	struct call call = { .fn = receive_it, .p = p, .cb = p->server };
	int client, server;

	if (call_begin(&call))
		return -EINVAL;
	strscpy(krdma_result, "waiting", sizeof(krdma_result));
	client = krdma_receive(p->client, p->buf[0], 100);
	server = call_end(&call);
	if (client != error)
		return expect(client, other) ?: expect(server, error);
	return server == error ? 0 : expect(server, other);
}

/* The test script stops all tests of krping: both sides, and the listener. */
static int stopped(struct pair *p)
{
	return outside(p, -ECANCELED, -ECANCELED) ?:
	       expect(krdma_send(p->client, p->buf[0], 1), -ECANCELED) ?:
	       expect(krdma_accept(p->listener, &p->client), -ECANCELED);
}

/*
 * The device is removed. The RDMA core removes the sides one after the other, so the second side
 * may see only that the first side disconnects.
 */
static int removed(struct pair *p)
{
	return outside(p, -ENODEV, -ECONNRESET) ?:
	       expect(krdma_send(p->client, p->buf[0], 1) < 0, true);
}

/* Block in krdma_receive(). Unloading this test module interrupts the call. */
static int held(struct pair *p)
{
	strscpy(krdma_result, "waiting", sizeof(krdma_result));
	return expect(krdma_receive(p->client, p->buf[0], 100), -EINTR);
}

/*
 * Serve clients that krping-peer runs. Each client sends messages of 1 or 10 bytes, and then
 * breaks the protocol. Print the number of received messages, and the errno that ends the
 * connection.
 */
static int serves(struct pair *p)
{
	struct krdma_cb *cb;
	int got, ret;

	for (;;) {
		strscpy(krdma_result, "waiting", sizeof(krdma_result));
		ret = krdma_accept(p->listener, &cb);
		if (ret)
			return expect(ret, -EINTR);
		/* Receive late, so that the sender uses up its credits. */
		schedule_timeout_interruptible(HZ / 2);
		for (got = 0; ; got++) {
			ret = krdma_receive(cb, p->buf[0], KRDMA_MESSAGE_MAX);
			if (ret != 10 && ret != 1)
				break;
		}
		krdma_release_cb(cb);
		pr_info("served: %d messages, %d\n", got, ret);
		if (ret == -EINTR)
			return 0;
	}
}

/*
 * Listen in the network namespace of a process. This namespace does not have the address of the
 * device; the initial namespace does, and must not reach the listener.
 */
static int in_namespace(struct pair *p)
{
	struct krdma_attr attr = { .net = get_net_ns_by_pid(krdma_pid) };
	struct krdma_cb *cb;
	int ret;

	if (IS_ERR(attr.net))
		return failed("get_net_ns_by_pid", PTR_ERR(attr.net));
	ret = expect(krdma_listen_attr(krdma_addr, krdma_port, &attr, &cb), -EADDRNOTAVAIL) ?:
	      expect(krdma_listen_attr("0.0.0.0", krdma_port, &attr, &p->listener), 0) ?:
	      expect(krdma_connect(krdma_addr, krdma_port, &cb), -ECONNREFUSED);
	put_net(attr.net);
	if (ret)
		return ret;
	strscpy(krdma_result, "waiting", sizeof(krdma_result));
	return expect(krdma_accept(p->listener, &cb), -EINTR);
}

/* A call with an invalid argument fails, and sets no connection. */
static int arguments(struct pair *p)
{
	struct krdma_attr big = { .region = KRDMA_REGION_MAX + 1 };
	struct krdma_cb *cb = NULL;

	return expect(krdma_connect(NULL, krdma_port, &cb), -EINVAL) ?:
	       expect(krdma_connect(krdma_addr, "", &cb), -EINVAL) ?:
	       expect(krdma_connect("host", krdma_port, &cb), -EINVAL) ?:
	       expect(krdma_connect(krdma_addr, "65536", &cb), -EINVAL) ?:
	       expect(krdma_connect(krdma_addr, "1,poll", &cb), -EINVAL) ?:
	       expect(krdma_connect_attr(krdma_addr, krdma_port, &big, &cb), -EINVAL) ?:
	       expect(krdma_connect(krdma_addr, krdma_port, &cb), -ECONNREFUSED) ?:
	       expect(krdma_listen("192.0.2.1", krdma_port, &cb), -EADDRNOTAVAIL) ?:
	       expect(krdma_release_cb(NULL), 0) ?: expect(!cb, true);
}

/* A krping server for tests listens at this port. It must refuse a krdma client. */
static int foreign(struct pair *p)
{
	return expect(krdma_connect(krdma_addr, krdma_port, &p->client), -ECONNREFUSED);
}

const struct scenario krdma_event_scenarios[] = {
	{ "clients", clients, &krdma_no_region },
	{ "stopped", stopped, &krdma_no_region },
	{ "removed", removed, &krdma_no_region },
	{ "held", held, &krdma_no_region },
	{ "serves", serves, &krdma_no_region },
	{ "namespace", in_namespace, NULL },
	{ "arguments", arguments, NULL },
	{ "foreign", foreign, NULL },
	{ }
};
