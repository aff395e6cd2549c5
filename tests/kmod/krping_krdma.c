// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: use krdma.h as another module would.
 *
 *   insmod krping_krdma.ko scenario=NAME addr=ADDR port=PORT
 *
 * A kernel thread plays both sides of the scenario. The parameter result is "running",
 * then "ok" or the reason of the failure. Unloading the module interrupts the scenario.
 */
#define pr_fmt(fmt) "krping_krdma: " fmt

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../../krping/krdma.h"

static char *scenario = "";
module_param(scenario, charp, 0444);
static char *addr = "";
module_param(addr, charp, 0444);
static char *port = "";
module_param(port, charp, 0444);
static char result[128] = "running";
module_param_string(result, result, sizeof(result), 0444);

static struct task_struct *main_task;

/* Note the first failure. */
static int failed(const char *what, int ret)
{
	static char reason[sizeof(result)];

	if (*reason)
		return -EINVAL;
	snprintf(reason, sizeof(reason), "%s returns %d", what, ret);
	strscpy(result, reason, sizeof(result));
	return -EINVAL;
}

/* Check that an expression has a value. */
#define expect(expr, value) \
	({ int _ret = (expr); _ret == (value) ? 0 : failed(#expr, _ret); })

static u8 byte_at(size_t i, u32 seed)
{
	return i * 7 + (i >> 8) + seed * 31;
}

static void fill(char *buf, size_t len, u32 seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = byte_at(i, seed);
}

static int differs(const char *buf, size_t len, u32 seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((u8)buf[i] != byte_at(i, seed))
			return i + 1;
	return 0;
}

/**
 * struct pair - both sides of a connection
 * @listener: the listener
 * @client: the side that connected
 * @server: the side that was accepted
 * @buf: memory for a message of each side
 */
struct pair {
	struct krdma_cb *listener;
	struct krdma_cb *client;
	struct krdma_cb *server;
	char *buf[2];
};

static const struct krdma_attr no_region = { .timeout_ms = 3000 };
static const struct krdma_attr small_region = { .timeout_ms = 3000, .region = 100000 };

static int pair_open(struct pair *p, const struct krdma_attr *attr)
{
	memset(p, 0, sizeof(*p));
	p->buf[0] = vzalloc(KRDMA_MESSAGE_MAX);
	p->buf[1] = vzalloc(KRDMA_MESSAGE_MAX);
	if (!p->buf[0] || !p->buf[1])
		return failed("vzalloc", -ENOMEM);
	if (expect(krdma_listen_attr(addr, port, attr, &p->listener), 0) ||
	    expect(krdma_connect_attr(addr, port, attr, &p->client), 0) ||
	    expect(krdma_accept(p->listener, &p->server), 0))
		return -EINVAL;
	return 0;
}

static void pair_close(struct pair *p)
{
	krdma_release_cb(p->client);
	krdma_release_cb(p->server);
	krdma_release_cb(p->listener);
	vfree(p->buf[0]);
	vfree(p->buf[1]);
}

/* A call in a thread of its own, which a signal interrupts. */
struct call {
	int (*fn)(struct call *call);
	struct pair *p;
	struct krdma_cb *cb;
	size_t len;
	u32 seed;
	struct task_struct *task;
	struct completion done;
	int ret;
};

static int call_thread(void *arg)
{
	struct call *call = arg;

	allow_signal(SIGTERM);
	call->ret = call->fn(call);
	complete(&call->done);
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int call_begin(struct call *call)
{
	init_completion(&call->done);
	call->task = kthread_run(call_thread, call, "krdma-call");
	if (!IS_ERR(call->task))
		return 0;
	call->task = NULL;
	return failed("kthread_run", -ENOMEM);
}

static int call_end(struct call *call)
{
	if (!call->task)
		return 0;
	if (!wait_for_completion_timeout(&call->done, 60 * HZ)) {
		failed("a call does not end and", 0);
		wait_for_completion(&call->done);
	}
	kthread_stop(call->task);
	call->task = NULL;
	return call->ret;
}

static int send_it(struct call *call)
{
	return krdma_send(call->cb, call->p->buf[1], call->len);
}

static int receive_it(struct call *call)
{
	return krdma_receive(call->cb, call->p->buf[0], KRDMA_MESSAGE_MAX);
}

static int accept_it(struct call *call)
{
	return krdma_accept(call->cb, &call->p->server);
}

/* Send a message one way, and compare what arrives. */
static int transfer(struct pair *p, struct krdma_cb *from, struct krdma_cb *to,
		    size_t len, u32 seed)
{
	struct call call = { .fn = send_it, .p = p, .cb = from, .len = len };
	int ret;

	fill(p->buf[1], len, seed);
	memset(p->buf[0], 0, KRDMA_MESSAGE_MAX);
	if (call_begin(&call))
		return -EINVAL;
	ret = expect(krdma_receive(to, p->buf[0], KRDMA_MESSAGE_MAX), (int)len);
	ret = expect(call_end(&call), 0) ?: ret;
	return ret ?: expect(differs(p->buf[0], len, seed), 0);
}

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

/* A message that is longer than the buffer stays. */
static int short_buffer(struct pair *p)
{
	fill(p->buf[1], 9000, 5);
	return expect(krdma_send(p->client, p->buf[1], 9000), 0) ?:
	       expect(krdma_receive(p->server, p->buf[0], 8999), -EMSGSIZE) ?:
	       expect(krdma_receive(p->server, p->buf[0], 0), -EMSGSIZE) ?:
	       expect(krdma_receive(p->server, p->buf[0], 9000), 9000) ?:
	       expect(differs(p->buf[0], 9000, 5), 0);
}

/* A sender without a receiver waits for credits, and goes on once there are some. */
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

/* A receiver that is slower than the sender loses nothing. */
static int overtaken(struct pair *p)
{
	struct call call = { .fn = send_it, .p = p, .cb = p->client };
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
	return ret;
}

static int memory(struct pair *p)
{
	char *in = p->buf[0], *out = p->buf[1];
	u32 size = small_region.region;

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
	/* the other way */
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
	/* the connection goes on after refused ranges */
	return transfer(p, p->server, p->client, 10, 4);
}

static int no_memory(struct pair *p)
{
	return expect(krdma_read(p->client, p->buf[0], 1), -EINVAL) ?:
	       expect(krdma_write(p->server, p->buf[0], 1), -EINVAL) ?:
	       expect(krdma_region_read(p->client, 0, p->buf[0], 1), -EINVAL);
}

/* What was sent before a release arrives; then both sides learn of the end. */
static int release(struct pair *p)
{
	struct call call = { .fn = receive_it, .p = p, .cb = p->server };
	int i, ret = 0;

	for (i = 0; i < 10 && !ret; i++) {
		fill(p->buf[1], 8000, i);
		ret = expect(krdma_send(p->client, p->buf[1], 8000), 0);
	}
	krdma_release_cb(p->client);
	p->client = NULL;
	for (i = 0; i < 10 && !ret; i++)
		ret = expect(krdma_receive(p->server, p->buf[0], 8000), 8000) ?:
		      expect(differs(p->buf[0], 8000, i), 0);
	if (ret || call_begin(&call))
		return -EINVAL;
	return expect(call_end(&call), -ECONNRESET) ?:
	       expect(krdma_send(p->server, p->buf[1], 1), -ECONNRESET) ?:
	       expect(krdma_region_read(p->server, 0, p->buf[0], 1), -ECONNRESET);
}

/* A release ends calls that wait. */
static int release_waiting(struct pair *p)
{
	struct call calls[4] = { };
	int i, ret = 0;

	for (i = 0; i < 4; i++)
		calls[i] = (struct call){
			.fn = i < 3 ? receive_it : send_it, .p = p,
			.cb = p->server, .len = KRDMA_MESSAGE_MAX,
		};
	for (i = 0; i < 4 && !ret; i++)
		ret = call_begin(&calls[i]);
	schedule_timeout_interruptible(HZ / 5);
	krdma_release_cb(p->server);
	p->server = NULL;
	for (i = 0; i < 4; i++)
		if (calls[i].task)
			ret = expect(call_end(&calls[i]), -ECANCELED) ?: ret;
	return ret;
}

/* A listener's release ends krdma_accept(), frees the address, and leaves connections. */
static int listener(struct pair *p)
{
	struct call call = { .fn = accept_it, .p = p, .cb = p->listener };
	struct krdma_cb *server = p->server, *late = NULL;
	int ret;

	ret = expect(krdma_listen(addr, port, &late), -EADDRINUSE);
	if (ret || call_begin(&call))
		return -EINVAL;
	schedule_timeout_interruptible(HZ / 5);
	krdma_release_cb(p->listener);
	p->listener = NULL;
	ret = expect(call_end(&call), -ECANCELED);
	p->server = server;
	ret = ret ?: expect(krdma_connect(addr, port, &late), -ECONNREFUSED);
	ret = ret ?: expect(krdma_listen(addr, port, &p->listener), 0);
	return ret ?: transfer(p, p->client, p->server, 50000, 6);
}

/* Connections that nobody accepts end with their listener. */
static int unaccepted(struct pair *p)
{
	struct krdma_cb *late = NULL;
	int ret;

	ret = expect(krdma_connect(addr, port, &late), 0);
	krdma_release_cb(p->listener);
	p->listener = NULL;
	ret = ret ?: expect(krdma_receive(late, p->buf[0], 1), -ECONNRESET);
	krdma_release_cb(late);
	return ret;
}

/* A signal ends calls that wait, and the connection goes on. */
static int signals(struct pair *p)
{
	struct krdma_cb *server = p->server;
	struct call calls[2] = {
		{ .fn = receive_it, .p = p, .cb = p->client },
		{ .fn = accept_it, .p = p, .cb = p->listener },
	};
	int i, ret = 0;

	for (i = 0; i < 2 && !ret; i++)
		ret = call_begin(&calls[i]);
	schedule_timeout_interruptible(HZ / 5);
	for (i = 0; i < 2; i++) {
		if (!calls[i].task)
			continue;
		send_sig(SIGTERM, calls[i].task, 1);
		ret = expect(call_end(&calls[i]), -EINTR) ?: ret;
	}
	p->server = server;
	return ret ?: transfer(p, p->client, p->server, 300, 7);
}

/* Asynchronous operations: the callbacks in order, each once. */
struct track {
	struct pair *again;	/* the callback begins another operation */
	atomic_t nr;
	int rets[40];
	struct completion all;
	int most;
};

static void track_done(void *arg, int ret)
{
	struct track *t = arg;
	int nr;

	/* During a release it is refused, so the callback is not called again. */
	if (t->again)
		schedule_timeout_uninterruptible(HZ / 20);
	if (t->again && krdma_send_async(t->again->server, t->again->buf[1], 1,
					 track_done, t) != -ECANCELED)
		atomic_inc(&t->nr);
	nr = atomic_inc_return(&t->nr) - 1;
	if (nr < t->most)
		t->rets[nr] = ret;
	if (nr + 1 == t->most)
		complete(&t->all);
}

static int async_wait(struct track *t)
{
	return wait_for_completion_timeout(&t->all, 20 * HZ) ? 0 :
	       failed("callbacks", atomic_read(&t->nr));
}

static int async(struct pair *p)
{
	struct track *t[3];
	int i, ret = 0;

	for (i = 0; i < 3; i++) {
		t[i] = kzalloc(sizeof(*t[i]), GFP_KERNEL);
		if (!t[i])
			return failed("kzalloc", -ENOMEM);
		init_completion(&t[i]->all);
		t[i]->most = i == 2 ? 2 : 40;
	}
	fill(p->buf[1], 4096, 8);
	/* The receiver begins later: the senders wait for credits. */
	for (i = 0; i < 40 && !ret; i++)
		ret = expect(krdma_send_async(p->client, p->buf[1], 100 + i, track_done,
					      t[0]), 0);
	for (i = 0; i < 40 && !ret; i++)
		ret = expect(krdma_receive_async(p->server, p->buf[0], 4096, track_done,
						 t[1]), 0);
	ret = ret ?: async_wait(t[0]) ?: async_wait(t[1]);
	for (i = 0; i < 40 && !ret; i++)
		ret = expect(t[0]->rets[i], 0) ?: expect(t[1]->rets[i], 100 + i);
	ret = ret ?: expect(krdma_write_async(p->client, 10, p->buf[1], 4000, track_done,
					      t[2]), 0);
	ret = ret ?: expect(krdma_read_async(p->client, 10, p->buf[0], 4000, track_done,
					     t[2]), 0);
	ret = ret ?: async_wait(t[2]) ?: expect(t[2]->rets[0] | t[2]->rets[1], 0) ?:
	      expect(differs(p->buf[0], 4000, 8), 0);

	/* Operations under way at a release end before the release does. */
	memset(t[1], 0, sizeof(*t[1]));
	init_completion(&t[1]->all);
	t[1]->most = 5;
	t[1]->again = p;
	for (i = 0; i < 5 && !ret; i++)
		ret = expect(krdma_receive_async(p->server, p->buf[0], 4096, track_done,
						 t[1]), 0);
	krdma_release_cb(p->server);
	p->server = NULL;
	ret = ret ?: expect(atomic_read(&t[1]->nr), 5);
	for (i = 0; i < 5 && !ret; i++)
		ret = expect(t[1]->rets[i], -ECANCELED);
	for (i = 0; i < 3; i++)
		kfree(t[i]);
	return ret;
}

/* Ten clients of one listener, at the same time. */
static int clients(struct pair *p)
{
	struct krdma_cb *client[10] = { }, *server[10] = { };
	int i, ret = 0;

	for (i = 0; i < 10 && !ret; i++)
		ret = expect(krdma_connect(addr, port, &client[i]), 0);
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
 * Wait for an event from outside, which ends one side with @error and the other with
 * @error or @other.
 */
static int outside(struct pair *p, int error, int other)
{
	struct call call = { .fn = receive_it, .p = p, .cb = p->server };
	int client, server;

	if (call_begin(&call))
		return -EINVAL;
	strscpy(result, "waiting", sizeof(result));
	client = krdma_receive(p->client, p->buf[0], 100);
	server = call_end(&call);
	if (client != error)
		return expect(client, other) ?: expect(server, error);
	return server == error ? 0 : expect(server, other);
}

static int stopped(struct pair *p)
{
	return outside(p, -ECANCELED, -ECANCELED) ?:
	       expect(krdma_send(p->client, p->buf[0], 1), -ECANCELED) ?:
	       expect(krdma_accept(p->listener, &p->client), -ECANCELED);
}

/* The side that is removed first disconnects from the other. */
static int removed(struct pair *p)
{
	return outside(p, -ENODEV, -ECONNRESET) ?:
	       expect(krdma_send(p->client, p->buf[0], 1) < 0, true);
}

/* Wait until the module is unloaded. */
static int held(struct pair *p)
{
	strscpy(result, "waiting", sizeof(result));
	return expect(krdma_receive(p->client, p->buf[0], 100), -EINTR);
}

/*
 * Serve clients that another program plays: each sends messages of 10 bytes, and then
 * breaks the protocol. Show how many arrive, and the errno of the end.
 */
static int serves(struct pair *p)
{
	struct krdma_cb *cb;
	int got, ret;

	for (;;) {
		strscpy(result, "waiting", sizeof(result));
		ret = krdma_accept(p->listener, &cb);
		if (ret)
			return expect(ret, -EINTR);
		/* Slow enough for a sender to use up its credits. */
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

static int arguments(struct pair *p)
{
	struct krdma_attr big = { .region = KRDMA_REGION_MAX + 1 };
	struct krdma_cb *cb = NULL;

	return expect(krdma_connect(NULL, port, &cb), -EINVAL) ?:
	       expect(krdma_connect(addr, "", &cb), -EINVAL) ?:
	       expect(krdma_connect("host", port, &cb), -EINVAL) ?:
	       expect(krdma_connect(addr, "65536", &cb), -EINVAL) ?:
	       expect(krdma_connect(addr, "1,poll", &cb), -EINVAL) ?:
	       expect(krdma_connect_attr(addr, port, &big, &cb), -EINVAL) ?:
	       expect(krdma_connect(addr, port, &cb), -ECONNREFUSED) ?:
	       expect(krdma_listen("192.0.2.1", port, &cb), -EADDRNOTAVAIL) ?:
	       expect(krdma_release_cb(NULL), 0) ?: expect(!cb, true);
}

/* The server at this port runs tests. */
static int foreign(struct pair *p)
{
	return expect(krdma_connect(addr, port, &p->client), -ECONNREFUSED);
}

/* krdma_rw_init_server() in a thread, krdma_rw_init_client() here. */
static int init_server(struct call *call)
{
	return krdma_rw_init_server(addr, port, &call->p->server);
}

static int init_both(struct pair *p)
{
	struct call call = { .fn = init_server, .p = p };
	int ret, tries;

	if (call_begin(&call))
		return -EINVAL;
	for (tries = 0; tries < 50; tries++) {
		ret = krdma_rw_init_client(addr, port, &p->client);
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

static const struct {
	const char *name;
	int (*fn)(struct pair *p);
	const struct krdma_attr *attr;	/* NULL: the scenario connects itself */
} scenarios[] = {
	{ "messages", messages, &no_region },
	{ "short_buffer", short_buffer, &no_region },
	{ "credits", credits, &no_region },
	{ "overtaken", overtaken, &no_region },
	{ "memory", memory, &small_region },
	{ "no_memory", no_memory, &no_region },
	{ "release", release, &small_region },
	{ "release_waiting", release_waiting, &small_region },
	{ "listener", listener, &no_region },
	{ "unaccepted", unaccepted, &no_region },
	{ "signals", signals, &no_region },
	{ "async", async, &small_region },
	{ "clients", clients, &no_region },
	{ "stopped", stopped, &no_region },
	{ "removed", removed, &no_region },
	{ "held", held, &no_region },
	{ "serves", serves, &no_region },
	{ "arguments", arguments, NULL },
	{ "init_both", init_both, NULL },
	{ "foreign", foreign, NULL },
};

static int main_thread(void *unused)
{
	struct pair p = { };
	int i, ret = -EINVAL;

	strscpy(result, "no such scenario", sizeof(result));
	allow_signal(SIGTERM);
	for (i = 0; i < ARRAY_SIZE(scenarios); i++) {
		if (strcmp(scenario, scenarios[i].name))
			continue;
		strscpy(result, "running", sizeof(result));
		ret = scenarios[i].attr ? pair_open(&p, scenarios[i].attr) : 0;
		if (!ret)
			ret = scenarios[i].fn(&p);
	}
	pair_close(&p);
	if (!ret)
		strscpy(result, "ok", sizeof(result));
	pr_info("%s: %s\n", scenario, result);
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int __init krdma_init(void)
{
	main_task = kthread_run(main_thread, NULL, "krdma-main");
	return PTR_ERR_OR_ZERO(main_task);
}

static void __exit krdma_exit(void)
{
	send_sig(SIGTERM, main_task, 1);
	kthread_stop(main_task);
}

module_init(krdma_init);
module_exit(krdma_exit);
MODULE_DESCRIPTION("Scenarios of a user of krdma.h");
MODULE_LICENSE("Dual BSD/GPL");
