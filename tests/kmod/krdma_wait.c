// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Scenarios of krping_krdma.ko: waits that poll.
 *
 * A wait that polls is told from one that sleeps by the voluntary context switches of its thread.
 * It sleeps early if another task wants its CPU, so a scenario repeats it until it has polled once.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "krdma_pair.h"

#define TRIES	60

/* A fifth of the longest poll: a wait that ends earlier was probably ended by the event. */
#define EARLY	(HZ / 5)

/*
 * Waits that end soon, of TRIES. Another task ends a poll, too, so some do by chance, but these are
 * fewer than those that end late.
 */
#define SOON	8

/* Waits that time out, and how many times as long as those that sleep the polls may take. */
#define TIMEOUTS	50
#define LONGER		5

/* Receive a message; @call->seed: how often the thread has slept; @call->len: when it ended. */
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

/* Begin a receive of @cb, and sleep until it waits. */
static int begin_counted(struct pair *p, struct call *call, struct krdma_cb *cb)
{
	*call = (struct call){ .fn = receive_counted, .p = p, .cb = cb };
	if (call_begin(call))
		return -EINVAL;
	/* On a busy machine the thread may begin late. */
	while (!READ_ONCE(call->begun))
		schedule_timeout_interruptible(1);
	schedule_timeout_interruptible(HZ / 20);
	return 0;
}

/* Send @nr messages to receivers that wait; return how many of them did not sleep, or an error. */
static int polled(struct pair *p, int nr, u32 usecs)
{
	struct call call;
	int i, count = 0;

	if (expect(krdma_set_busy_poll(p->server, usecs), 0))
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		if (begin_counted(p, &call, p->server))
			return -EINVAL;
		if (expect(krdma_send(p->client, p->buf[1], 33), 0) ||
		    expect(call_end(&call), 33))
			return -EINVAL;
		count += !call.seed;
		if (count && usecs == KRDMA_BUSY_POLL_MAX)
			break;
	}
	return count;
}

/* A message arrives while its receiver polls; without a poll, and after it, the receiver sleeps. */
static int poll(struct pair *p)
{
	return expect(krdma_set_busy_poll(p->listener, 1), -EINVAL) ?:
	       expect(krdma_set_busy_poll(p->server, KRDMA_BUSY_POLL_MAX + 1), -EINVAL) ?:
	       expect(polled(p, 5, 0), 0) ?:
	       expect(polled(p, TRIES, KRDMA_BUSY_POLL_MAX), 1) ?:
	       expect(polled(p, 5, 1000), 0) ?:
	       expect(polled(p, 5, 0), 0);
}

/* Let TIMEOUTS waits time out, and set @took to the jiffies for which they last. */
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

/* A timeout that is shorter than the poll ends the poll: waits last as long as without a poll. */
static int poll_timeout(struct pair *p)
{
	unsigned long sleeps, polls;

	return timed_out(p, 0, &sleeps) ?: timed_out(p, KRDMA_BUSY_POLL_MAX, &polls) ?:
	       expect(polls < LONGER * sleeps, true);
}

/*
 * Let @end end a wait that polls, until SOON of these waits have ended EARLY and, unless @sleeps,
 * without a sleep. Return 1 if they have before as many have ended late.
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
		    begin_counted(p, &call, p->server))
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
 * A signal, a release and a disconnect end a wait that polls. Tasks that handle a disconnect may
 * need the CPU that polls: then the wait sleeps until it ends.
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
