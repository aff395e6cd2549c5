// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: waits with a busy poll.
 *
 * A thread that sleeps makes voluntary context switches, and a thread that polls makes none. A poll
 * ends early if another task needs the CPU, so the scenarios repeat each wait.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "krdma_pair.h"

/* Largest number of waits of a check. */
#define TRIES	60

/* Number of receives without a sleep that show that a receiver polls. */
#define POLLED	3

/*
 * A fifth of the longest poll, in jiffies. A wait that ends within EARLY jiffies ends early: long
 * before the time of its poll has passed, so probably because of an event.
 */
#define EARLY	(HZ / 5)

/*
 * Time in jiffies until an event ends a wait. The time is short, because rcu_preempt or a kworker
 * needs the CPU from time to time, and so ends the poll. With one CPU in each NUMA node, as in the
 * guest of the lab device, rcu_preempt keeps the CPU on which it has run last, even if the other
 * CPU is idle. On Linux 7.3 hardly a poll then lasts for 20 ms.
 */
#define SHORT	max(HZ / 100, 1)

/*
 * A check passes if SOON waits end early before SOON waits end late. Some polls end early because
 * another task needs the CPU. If events did not end polls, more polls would end late than early.
 */
#define SOON	8

/*
 * TIMEOUTS waits that time out with a poll take less than LONGER times as long as TIMEOUTS waits
 * without a poll.
 */
#define TIMEOUTS	50
#define LONGER		5

/*
 * Receive a message. Set @call->seed to the number of times that the thread has slept, and
 * @call->len to the jiffies at the end.
 */
static int receive_counted(struct call *call)
{
	unsigned long before = current->nvcsw;
	int ret;

	WRITE_ONCE(call->begun, true);
	ret = krdma_receive(call->cb, call->p->buf[0], 100);
	call->seed = current->nvcsw - before;
	call->len = jiffies;
	return ret;
}

/* Start a thread that receives on @cb, and give the thread @delay jiffies to begin its wait. */
static int begin_counted(struct pair *p, struct call *call, struct krdma_cb *cb, long delay)
{
	*call = (struct call){ .fn = receive_counted, .p = p, .cb = cb };
	if (call_begin(call))
		return -EINVAL;
	/* On a busy machine the thread may begin late. */
	while (!READ_ONCE(call->begun))
		schedule_timeout_interruptible(1);
	schedule_timeout_interruptible(delay);
	return 0;
}

/*
 * Send up to @nr messages, each to a receiver that waits. Return the number of receives without a
 * sleep, or -EINVAL. With the longest poll, POLLED such receives are enough. One is not: on a busy
 * machine a message may arrive before its receiver begins to wait.
 */
static int polled(struct pair *p, int nr, u32 usecs)
{
	bool longest = usecs == KRDMA_BUSY_POLL_MAX;
	struct call call;
	int i, count = 0;

	if (expect(krdma_set_busy_poll(p->server, usecs), 0))
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		if (begin_counted(p, &call, p->server, longest ? SHORT : HZ / 20))
			return -EINVAL;
		if (expect(krdma_send(p->client, p->buf[1], 33), 0) ||
		    expect(call_end(&call), 33))
			return -EINVAL;
		count += !call.seed;
		if (count == POLLED && longest)
			break;
	}
	return count;
}

/* The receiver sleeps only if no message arrives during the poll. */
static int poll(struct pair *p)
{
	return expect(krdma_set_busy_poll(p->listener, 1), -EINVAL) ?:
	       expect(krdma_set_busy_poll(p->server, KRDMA_BUSY_POLL_MAX + 1), -EINVAL) ?:
	       expect(polled(p, 5, 0), 0) ?:
	       expect(polled(p, TRIES, KRDMA_BUSY_POLL_MAX), POLLED) ?:
	       expect(polled(p, 5, 1000), 0) ?:
	       expect(polled(p, 5, 0), 0);
}

/* Let TIMEOUTS waits time out, and set @took to their total time in jiffies. */
static int timed_out(struct pair *p, u32 usecs, unsigned long *took)
{
	unsigned long begin = jiffies;
	int i;

	if (expect(krdma_set_busy_poll(p->server, usecs), 0))
		return -EINVAL;
	for (i = 0; i < TIMEOUTS; i++)
		if (expect(krdma_receive_timeout(p->server, p->buf[0], 1, 10), -ETIMEDOUT))
			return -EINVAL;
	*took = jiffies - begin;
	return 0;
}

/* If the timeout is shorter than the poll, the wait ends on time, as it does without a poll. */
static int poll_timeout(struct pair *p)
{
	unsigned long sleeps, polls;

	return timed_out(p, 0, &sleeps) ?: timed_out(p, KRDMA_BUSY_POLL_MAX, &polls) ?:
	       expect(polls < LONGER * sleeps, true);
}

/*
 * Begin waits that poll, and let @end end each of them with @error. A wait succeeds if it ends
 * within EARLY jiffies. Unless @sleeps is true, it must also end without a sleep. Return 1 once
 * SOON waits have succeeded. Return 0 if, before that, SOON waits have taken longer than EARLY
 * jiffies or TRIES waits have ended. Return -EINVAL after an error.
 */
static int ends(struct pair *p, int error, void (*end)(struct pair *p, struct call *call),
		bool sleeps)
{
	unsigned long since;
	struct call call;
	int i, soon = 0, late = 0;

	for (i = 0; i < TRIES && soon < SOON && late < SOON; i++) {
		if (!p->server &&
		    (expect(krdma_connect(krdma_addr, krdma_port, &p->client), 0) ||
		     expect(krdma_accept(p->listener, &p->server), 0)))
			return -EINVAL;
		if (expect(krdma_set_busy_poll(p->server, KRDMA_BUSY_POLL_MAX), 0) ||
		    begin_counted(p, &call, p->server, SHORT))
			return -EINVAL;
		since = jiffies;
		end(p, &call);
		if (expect(call_end(&call), error))
			return -EINVAL;
		if (error != -EINTR) {
			krdma_release_cb(p->server);
			krdma_release_cb(p->client);
			p->server = NULL;
			p->client = NULL;
		}
		late += call.len - since > EARLY;
		soon += (sleeps || !call.seed) && call.len - since <= EARLY;
	}
	return soon == SOON;
}

/* Each of these three functions is an @end of ends(). */
static void end_by_signal(struct pair *p, struct call *call)
{
	send_sig(SIGTERM, call->task, 1);
}

static void end_by_release(struct pair *p, struct call *call)
{
	krdma_release_cb(p->server);
	p->server = NULL;
}

static void end_by_peer(struct pair *p, struct call *call)
{
	krdma_release_cb(p->client);
	p->client = NULL;
}

/*
 * A signal, a release and a disconnect end a wait that polls. If the tasks that handle the
 * disconnect need the polling CPU, the poll ends, and the wait sleeps until the disconnect ends it.
 * Therefore a wait that a disconnect ends may sleep.
 */
static int poll_ends(struct pair *p)
{
	return expect(ends(p, -EINTR, end_by_signal, false), 1) ?:
	       expect(ends(p, -ECANCELED, end_by_release, false), 1) ?:
	       expect(ends(p, -ECONNRESET, end_by_peer, true), 1);
}

const struct scenario krdma_wait_scenarios[] = {
	{ "poll", poll, &krdma_no_region },
	{ "poll_timeout", poll_timeout, &krdma_no_region },
	{ "poll_ends", poll_ends, &krdma_no_region },
	{ }
};
