// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Code that all scenarios of krping_krdma.ko use.
 */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "krdma_pair.h"

const struct krdma_attr krdma_no_region = { .timeout_ms = 8000 };
const struct krdma_attr krdma_small_region = { .timeout_ms = 8000, .region = 100000 };

/* Record in krdma_result that @what returns @ret, if this is the first failure. Return an error. */
int failed(const char *what, int ret)
{
	static char reason[sizeof(krdma_result)];

	if (*reason)
		return -EINVAL;
	snprintf(reason, sizeof(reason), "%s returns %d", what, ret);
	strscpy(krdma_result, reason, sizeof(krdma_result));
	return -EINVAL;
}

static u8 byte_at(size_t i, u32 seed)
{
	return i * 7 + (i >> 8) + seed * 31;
}

/* Fill a buffer with bytes that depend on @seed. */
void fill(char *buf, size_t len, u32 seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = byte_at(i, seed);
}

/* Return 0 if the buffer has the bytes of fill(), else 1 + index of the first wrong byte. */
int differs(const char *buf, size_t len, u32 seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((u8)buf[i] != byte_at(i, seed))
			return i + 1;
	return 0;
}

/*
 * Make the buffers, listen, connect and accept, and set the busy poll of both sides. The caller
 * calls pair_close(), also after an error.
 */
int pair_open(struct pair *p, const struct krdma_attr *attr)
{
	memset(p, 0, sizeof(*p));
	p->buf[0] = vzalloc(KRDMA_MESSAGE_MAX);
	p->buf[1] = vzalloc(KRDMA_MESSAGE_MAX);
	if (!p->buf[0] || !p->buf[1])
		return failed("vzalloc", -ENOMEM);
	if (expect(krdma_listen_attr(krdma_addr, krdma_port, attr, &p->listener), 0) ||
	    expect(krdma_connect_attr(krdma_addr, krdma_port, attr, &p->client), 0) ||
	    expect(krdma_accept(p->listener, &p->server), 0))
		return -EINVAL;
	return expect(krdma_set_busy_poll(p->client, krdma_poll), 0) ?:
	       expect(krdma_set_busy_poll(p->server, krdma_poll), 0);
}

void pair_close(struct pair *p)
{
	krdma_release_cb(p->client);
	krdma_release_cb(p->server);
	krdma_release_cb(p->listener);
	vfree(p->buf[0]);
	vfree(p->buf[1]);
}

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

/* Start a thread that runs @call. */
int call_begin(struct call *call)
{
	init_completion(&call->done);
	call->task = kthread_run(call_thread, call, "krdma-call");
	if (!IS_ERR(call->task))
		return 0;
	call->task = NULL;
	return failed("kthread_run", -ENOMEM);
}

/* Wait for the end of @call, and return the value of its function. */
int call_end(struct call *call)
{
	if (!call->task)
		return 0;
	if (!wait_for_completion_timeout(&call->done, 60 * HZ)) {
		failed("wait_for_completion_timeout() of a call", 0);
		wait_for_completion(&call->done);
	}
	kthread_stop(call->task);
	call->task = NULL;
	return call->ret;
}

int send_it(struct call *call)
{
	return krdma_send(call->cb, call->p->buf[1], call->len);
}

int receive_it(struct call *call)
{
	return krdma_receive(call->cb, call->p->buf[0], KRDMA_MESSAGE_MAX);
}

/* Send a message from one side to the other, and check the received bytes. */
int transfer(struct pair *p, struct krdma_cb *from, struct krdma_cb *to, size_t len,
	     u32 seed)
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
