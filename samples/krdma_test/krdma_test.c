// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A user of krdma.h: exchange messages with another machine, or access that machine's memory.
 *
 *	server:	insmod krdma_test.ko server=1 addr=192.0.2.1 port=9998
 *	client:	insmod krdma_test.ko addr=192.0.2.1 port=9998 count=1000 size=4096
 *
 * The client sends each message, receives the answer of the server, and compares both. At the end
 * the client logs the mean time of an exchange. The parameter result is "running", then "ok" or an
 * error. The module can be unloaded at any moment. Further parameters:
 *
 *	rw=1		client and server: an exchange writes to the server's memory and reads back
 *	bench=1		client: compare nothing; with rw=1, measure writes and reads separately
 *	busy_poll=USECS	each wait polls for USECS microseconds before it sleeps
 *	handler=1	a handler receives messages and sends the next ones, so no thread is woken;
 *			the client then compares only lengths
 */
#define pr_fmt(fmt) "krdma_test: " fmt

#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "krdma.h"

static bool server;
module_param(server, bool, 0444);
MODULE_PARM_DESC(server, "listen, instead of connecting");
static bool rw;
module_param(rw, bool, 0444);
MODULE_PARM_DESC(rw, "use the server's memory, instead of exchanging messages");
static bool bench;
module_param(bench, bool, 0444);
MODULE_PARM_DESC(bench, "compare nothing; with rw, measure writes and reads separately");
static char *addr = "0.0.0.0";
module_param(addr, charp, 0444);
MODULE_PARM_DESC(addr, "address of the server");
static char *port = "9998";
module_param(port, charp, 0444);
MODULE_PARM_DESC(port, "port of the server");
static uint count = 1000;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "number of exchanges");
static uint size = 64;
module_param(size, uint, 0444);
MODULE_PARM_DESC(size, "bytes of an exchange, 1 to 1048576");
static uint busy_poll;
module_param(busy_poll, uint, 0444);
MODULE_PARM_DESC(busy_poll, "microseconds for which a wait polls before it sleeps");
static bool handler;
module_param(handler, bool, 0444);
MODULE_PARM_DESC(handler, "a handler receives and sends, without a thread; size at most 8184");
static char result[64] = "running";
module_param_string(result, result, sizeof(result), 0444);
MODULE_PARM_DESC(result, "running, ok, or what failed");

/**
 * struct sample_thread - a thread and its connection
 * @entry: element of the list sample_threads
 * @task: the thread
 * @ready: the thread accepts SIGTERM
 * @cb: server: the connection that the thread serves
 */
struct sample_thread {
	struct list_head entry;
	struct task_struct *task;
	struct completion ready;
	struct krdma_cb *cb;
};

/*
 * The first thread adds the other threads. krdma_test_exit() reads the list, and stops the first
 * thread before the others.
 */
static LIST_HEAD(sample_threads);

/* Wait for kthread_stop(), before which a thread must not end. */
static void await_stop(void)
{
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

/* Accept SIGTERM, and let sample_start() return. Each thread calls this function first. */
static void sample_ready(struct sample_thread *t)
{
	allow_signal(SIGTERM);
	complete(&t->ready);
}

/*
 * Start a thread that runs @fn. sample_stop() interrupts the thread's waits by SIGTERM. Wait until
 * the thread accepts this signal: the kernel drops an earlier one, and does not call @fn if
 * kthread_stop() comes first.
 */
static int sample_start(int (*fn)(void *thread), struct krdma_cb *cb)
{
	struct sample_thread *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return -ENOMEM;
	t->cb = cb;
	init_completion(&t->ready);
	t->task = kthread_create(fn, t, "krdma_test");
	if (IS_ERR(t->task)) {
		int ret = PTR_ERR(t->task);

		kfree(t);
		return ret;
	}
	list_add_tail(&t->entry, &sample_threads);
	wake_up_process(t->task);
	wait_for_completion(&t->ready);
	return 0;
}

/* Interrupt the waits of a thread, wait for its end, and free the element. */
static void sample_stop(struct sample_thread *t)
{
	send_sig(SIGTERM, t->task, 1);
	kthread_stop(t->task);
	/* Change the list only after the stop, because the first thread also changes the list. */
	list_del(&t->entry);
	kfree(t);
}

/* Handler of a server: send each message back at once. */
static void answer(struct krdma_cb *cb, void *arg, const char *data, u32 len, u32 left)
{
	if (data && krdma_try_send(cb, data, len))
		pr_info_once("a message was not answered\n");
}

/*
 * Thread of a connection: send each message back until the connection ends. With a handler,
 * answer() sends the messages back, and the thread only keeps the connection until the stop.
 */
static int serve(void *arg)
{
	struct sample_thread *t = arg;
	char *buf;
	int len;

	sample_ready(t);
	buf = vmalloc(KRDMA_MESSAGE_MAX);
	len = buf ? krdma_set_busy_poll(t->cb, busy_poll) : -ENOMEM;
	while (len >= 0 && !handler) {
		len = krdma_receive(t->cb, buf, KRDMA_MESSAGE_MAX);
		if (len > 0)
			len = krdma_send(t->cb, buf, len) ?: len;
	}
	if (handler)
		await_stop();
	krdma_release_cb(t->cb);
	vfree(buf);
	if (!handler)
		await_stop();
	return 0;
}

/* Accept connections until the module is unloaded, and serve each in a thread of its own. */
static int run_server(void)
{
	struct krdma_attr attr = {
		.region = rw ? KRDMA_REGION_MAX : 0,
		.handler = handler ? answer : NULL,
	};
	struct krdma_cb *listener, *cb;
	int ret;

	ret = krdma_listen_attr(addr, port, &attr, &listener);
	if (ret)
		return ret;
	while (!ret) {
		ret = krdma_accept(listener, &cb);
		if (ret)
			break;
		ret = sample_start(serve, cb);
		if (ret)
			krdma_release_cb(cb);
	}
	krdma_release_cb(listener);
	return ret == -EINTR ? 0 : ret;
}

static int send_and_receive(struct krdma_cb *cb, char *out, char *in)
{
	int ret = krdma_send(cb, out, size);

	if (ret)
		return ret;
	ret = krdma_receive(cb, in, size);
	return ret < 0 ? ret : ret == size ? 0 : -EBADMSG;
}

static int write_one(struct krdma_cb *cb, char *out, char *in)
{
	return krdma_write(cb, out, size);
}

static int read_one(struct krdma_cb *cb, char *out, char *in)
{
	return krdma_read(cb, in, size);
}

/* Exchange a message, or write to the server's memory and read back. Compare the bytes. */
static int exchange(struct krdma_cb *cb, char *out, char *in)
{
	int ret;

	memset(out, out[0] + 1, size);
	if (rw)
		ret = write_one(cb, out, in) ?: read_one(cb, out, in);
	else
		ret = send_and_receive(cb, out, in);
	return ret ?: memcmp(in, out, size) ? -EBADMSG : 0;
}

static void log_time(const char *what, u64 start)
{
	pr_info("%u %s of %u bytes, %llu ns each\n", count, what, size,
		div_u64(ktime_get_ns() - start, count));
}

/* Call @fn `count` times, and log the mean time of a call. */
static int repeat(int (*fn)(struct krdma_cb *cb, char *out, char *in), const char *what,
		  struct krdma_cb *cb, char *out, char *in)
{
	u64 start = ktime_get_ns();
	int ret = 0;
	u32 i;

	for (i = 0; i < count && !ret; i++)
		ret = fn(cb, out, in);
	if (!ret && count)
		log_time(what, start);
	return ret;
}

/* Run the exchanges that the parameters rw and bench choose. */
static int exchange_all(struct krdma_cb *cb, char *out, char *in)
{
	if (!bench)
		return repeat(exchange, "exchanges", cb, out, in);
	if (!rw)
		return repeat(send_and_receive, "exchanges", cb, out, in);
	return repeat(write_one, "writes", cb, out, in) ?:
	       repeat(read_one, "reads", cb, out, in);
}

static int run_client(void)
{
	char *out = vzalloc(KRDMA_MESSAGE_MAX), *in = vzalloc(KRDMA_MESSAGE_MAX);
	struct krdma_cb *cb = NULL;
	int ret = -ENOMEM;

	if (out && in)
		ret = krdma_connect(addr, port, &cb);
	if (!ret)
		ret = krdma_set_busy_poll(cb, busy_poll);
	if (!ret)
		ret = exchange_all(cb, out, in);
	krdma_release_cb(cb);
	vfree(out);
	vfree(in);
	return ret;
}

/**
 * struct chain - exchanges in which the handler of the client sends the next message
 * @done: completed when all messages were received, or after an error
 * @left: number of messages to receive
 * @error: negative errno, or 0
 */
struct chain {
	struct completion done;
	u32 left;
	int error;
};

/* Handler of a client: send the answer of the server again. @data is NULL once the peer is lost. */
static void continue_chain(struct krdma_cb *cb, void *arg, const char *data, u32 len, u32 left)
{
	struct chain *c = arg;

	if (!c->left)
		return;
	if (!data)
		c->error = -ECONNRESET;
	else if (len != size)
		c->error = -EBADMSG;
	else if (--c->left)
		c->error = krdma_try_send(cb, data, len);
	if (c->error)
		c->left = 0;
	if (!c->left)
		complete(&c->done);
}

/*
 * Run the client with a handler: send only the first message, and wait until continue_chain() has
 * received the last answer.
 */
static int run_chain(void)
{
	struct chain c = { .left = count, .error = 0 };
	struct krdma_attr attr = { .handler = continue_chain, .handler_arg = &c };
	static const char zeros[KRDMA_TRY_MAX];
	struct krdma_cb *cb = NULL;
	u64 start;
	int ret;

	init_completion(&c.done);
	ret = krdma_connect_attr(addr, port, &attr, &cb);
	start = ktime_get_ns();
	if (!ret && count)
		ret = krdma_send(cb, zeros, size);
	if (!ret && count)
		ret = wait_for_completion_interruptible(&c.done) ? -EINTR : c.error;
	if (!ret && count)
		log_time("exchanges", start);
	krdma_release_cb(cb);
	return ret;
}

/* Thread that the module starts: run the server or the client, and set the parameter result. */
static int run(void *thread)
{
	int ret;

	sample_ready(thread);
	ret = server ? run_server() : handler ? run_chain() : run_client();
	if (ret)
		snprintf(result, sizeof(result), "error %d", ret);
	else
		strscpy(result, "ok", sizeof(result));
	pr_info("%s\n", result);
	await_stop();
	return 0;
}

static int __init krdma_test_init(void)
{
	if (!size || size > (handler ? KRDMA_TRY_MAX : KRDMA_MESSAGE_MAX) || (handler && rw))
		return -EINVAL;
	return sample_start(run, NULL);
}

static void __exit krdma_test_exit(void)
{
	/* Stop the first thread first, because it starts the other threads. */
	while (!list_empty(&sample_threads))
		sample_stop(list_first_entry(&sample_threads, struct sample_thread, entry));
}

module_init(krdma_test_init);
module_exit(krdma_test_exit);
MODULE_DESCRIPTION("A user of krdma.h");
MODULE_LICENSE("Dual BSD/GPL");
