// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: a release or a signal ends calls, and asynchronous operations call
 * their callbacks.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "krdma_pair.h"

static int accept_it(struct call *call)
{
	return krdma_accept(call->cb, &call->p->server);
}

/* A release loses no message that has been sent. Later calls of the other side return an error. */
static int release(struct pair *p)
{
	struct call call = { .fn = receive_it, .p = p, .cb = p->server };
	unsigned long begin;
	int i, ret = 0;

	for (i = 0; i < 10 && !ret; i++) {
		fill(p->buf[1], 8000, i);
		ret = expect(krdma_send(p->client, p->buf[1], 8000), 0);
	}
	begin = jiffies;
	krdma_release_cb(p->client);
	p->client = NULL;
	/* The release does not wait for the timeout of 8 s. */
	ret = ret ?: expect(jiffies - begin < 7 * HZ, true);
	for (i = 0; i < 10 && !ret; i++)
		ret = expect(krdma_receive(p->server, p->buf[0], 8000), 8000) ?:
		      expect(differs(p->buf[0], 8000, i), 0);
	if (ret || call_begin(&call))
		return -EINVAL;
	return expect(call_end(&call), -ECONNRESET) ?:
	       expect(krdma_send(p->server, p->buf[1], 1), -ECONNRESET) ?:
	       expect(krdma_region_read(p->server, 0, p->buf[0], 1), -ECONNRESET);
}

/* A release ends the calls that wait on the connection. */
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
	schedule_timeout_interruptible(HZ);
	krdma_release_cb(p->server);
	p->server = NULL;
	for (i = 0; i < 4; i++)
		if (calls[i].task)
			ret = expect(call_end(&calls[i]), -ECANCELED) ?: ret;
	return ret;
}

/* A listener's release ends krdma_accept() and frees the address. Connections continue. */
static int listener(struct pair *p)
{
	struct call call = { .fn = accept_it, .p = p, .cb = p->listener };
	struct krdma_cb *server = p->server, *late = NULL;
	int ret;

	ret = expect(krdma_listen(krdma_addr, krdma_port, &late), -EADDRINUSE);
	if (ret || call_begin(&call))
		return -EINVAL;
	schedule_timeout_interruptible(HZ);
	krdma_release_cb(p->listener);
	p->listener = NULL;
	ret = expect(call_end(&call), -ECANCELED);
	p->server = server;
	ret = ret ?: expect(krdma_connect(krdma_addr, krdma_port, &late), -ECONNREFUSED);
	ret = ret ?: expect(krdma_listen(krdma_addr, krdma_port, &p->listener), 0);
	return ret ?: transfer(p, p->client, p->server, 50000, 6);
}

/* A connection that no krdma_accept() has returned ends when the listener is released. */
static int unaccepted(struct pair *p)
{
	struct krdma_cb *late = NULL;
	int ret;

	ret = expect(krdma_connect(krdma_addr, krdma_port, &late), 0);
	krdma_release_cb(p->listener);
	p->listener = NULL;
	ret = ret ?: expect(krdma_receive(late, p->buf[0], 1), -ECONNRESET);
	krdma_release_cb(late);
	return ret;
}

/* A signal ends waiting calls, but not the connection. */
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
	schedule_timeout_interruptible(HZ);
	for (i = 0; i < 2; i++) {
		if (!calls[i].task)
			continue;
		send_sig(SIGTERM, calls[i].task, 1);
		ret = expect(call_end(&calls[i]), -EINTR) ?: ret;
	}
	p->server = server;
	return ret ?: transfer(p, p->client, p->server, 300, 7);
}

/* The results of asynchronous operations. */
struct track {
	struct pair *again;	/* pair on which the callback begins another operation, or NULL */
	atomic_t nr;		/* number of callbacks that have been called */
	int rets[40];		/* results, in the order of the callbacks */
	struct completion all;	/* completes when @most callbacks have been called */
	int most;
};

/* The callback of each asynchronous operation: store its result in the struct track of @arg. */
static void track_done(void *arg, int ret)
{
	struct track *t = arg;
	int nr;

	/*
	 * If @again is set, a release calls this callback. Delay the release, which must wait for
	 * all callbacks. krdma_send_async() must fail, and call no callback.
	 */
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
	return wait_for_completion_timeout(&t->all, 60 * HZ) ? 0 :
	       failed("the number of callbacks after 60 s", atomic_read(&t->nr));
}

/* Each asynchronous operation calls its callback once, with its result. */
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
	/* Receive only after all sends have begun, so that the senders wait for credits. */
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

	/* A release returns only after all callbacks have been called. */
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

const struct scenario krdma_end_scenarios[] = {
	{ "release", release, &krdma_small_region },
	{ "release_waiting", release_waiting, &krdma_small_region },
	{ "listener", listener, &krdma_no_region },
	{ "unaccepted", unaccepted, &krdma_no_region },
	{ "signals", signals, &krdma_no_region },
	{ "async", async, &krdma_small_region },
	{ }
};
