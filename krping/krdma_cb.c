// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The part of a krdma.h connection that outlives the QP: references, operations under way, and
 * the ring of received fragments. A listener has no ring, but a list of accepted connections.
 *
 * The ring has one writer, the CQ's context, and one reader at a time. After a disconnect a
 * reader can still receive the messages that arrived before.
 */
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/stat.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "krdma_cb.h"

/* Connections that may wait for krdma_accept(). */
#define KRDMA_BACKLOG	64

/**
 * krdma_cb_alloc() - allocate the state of a connection or of a listener
 * @attr: valid attributes
 *
 * Context: process context.
 *
 * Return: the state, with one reference, or NULL. &krdma_cb.async is not initialized; see
 * krdma_async_init().
 */
struct krdma_cb *krdma_cb_alloc(const struct krdma_attr *attr)
{
	struct krdma_cb *cb = kzalloc(sizeof(*cb), GFP_KERNEL);
	int type;

	if (!cb)
		return NULL;
	for (type = 0; type < KRDMA_WAITS; type++)
		init_waitqueue_head(&cb->waits[type]);
	kref_init(&cb->ref);
	cb->attr = *attr;
	spin_lock_init(&cb->lock);
	spin_lock_init(&cb->post_lock);
	spin_lock_init(&cb->handler_lock);
	mutex_init(&cb->tx_mutex);
	mutex_init(&cb->rx_mutex);
	mutex_init(&cb->rw_mutex);
	INIT_LIST_HEAD(&cb->entry);
	INIT_LIST_HEAD(&cb->accepted);
	return cb;
}

static void krdma_cb_free(struct kref *ref)
{
	struct krdma_cb *cb = container_of(ref, struct krdma_cb, ref);

	kvfree(cb->rx);
	kfree(cb);
}

/**
 * krdma_cb_get() - take a reference
 * @cb: the connection or listener, or NULL
 *
 * Return: @cb.
 */
struct krdma_cb *krdma_cb_get(struct krdma_cb *cb)
{
	if (cb)
		kref_get(&cb->ref);
	return cb;
}

/**
 * krdma_cb_put() - drop a reference
 * @cb: the connection or listener, or NULL
 */
void krdma_cb_put(struct krdma_cb *cb)
{
	if (cb)
		kref_put(&cb->ref, krdma_cb_free);
}

/**
 * krdma_cb_attach() - bind a connection or a listener to its test
 * @cb: the connection or listener
 * @test: the test, which does not run yet
 * @status: status of @test
 * @open: operations may begin at once, as on a listener
 */
void krdma_cb_attach(struct krdma_cb *cb, struct krping_test *test,
		     struct krping_status *status, bool open)
{
	cb->test = test;
	cb->status = status;
	cb->open = open;
}

/**
 * krdma_cb_open() - admit operations, unless the owner has released @cb
 * @cb: an established connection
 */
void krdma_cb_open(struct krdma_cb *cb)
{
	spin_lock_bh(&cb->lock);
	cb->open = !cb->released;
	spin_unlock_bh(&cb->lock);
}

/**
 * krdma_cb_close() - end all operations, and wait until they have ended
 * @cb: the connection or listener
 *
 * Context: the test's thread. The wait is short, because krdma_cb_wait() returns at once on a
 * closed connection, and a post does not sleep.
 */
void krdma_cb_close(struct krdma_cb *cb)
{
	int type;

	spin_lock_bh(&cb->lock);
	WRITE_ONCE(cb->open, false);
	spin_unlock_bh(&cb->lock);
	for (type = 0; type < KRDMA_WAITS; type++)
		krdma_cb_wake(cb, type);
	wait_event_idle(cb->status->wait, !READ_ONCE(cb->users));
	/* Wait for the last krdma_cb_leave(), which may still use the status under the lock. */
	spin_lock_bh(&cb->lock);
	spin_unlock_bh(&cb->lock);
}

/**
 * krdma_cb_enter() - begin an operation; its QP or listener exists until krdma_cb_leave()
 * @cb: the connection or listener
 *
 * Return: 0, and the caller calls krdma_cb_leave(); else as krdma_cb_errno().
 */
int krdma_cb_enter(struct krdma_cb *cb)
{
	int ret = 0;

	spin_lock_bh(&cb->lock);
	if (cb->open)
		cb->users++;
	else
		ret = krdma_cb_errno(cb);
	spin_unlock_bh(&cb->lock);
	return ret;
}

/**
 * krdma_cb_leave() - end an operation
 * @cb: the connection or listener
 */
void krdma_cb_leave(struct krdma_cb *cb)
{
	bool last;

	spin_lock_bh(&cb->lock);
	last = !--cb->users && !cb->open;
	/* Wake under the lock, because the status may be freed once krdma_cb_close() returns. */
	if (last)
		wake_up_all(&cb->status->wait);
	spin_unlock_bh(&cb->lock);
}

/**
 * krdma_cb_errno() - return the reason why a connection is closed
 * @cb: the connection or listener, which is not open
 *
 * Return: -ECANCELED if the owner has released @cb; else the error of the test;
 * -ECONNRESET if the test has no error, because the peer has disconnected.
 */
int krdma_cb_errno(const struct krdma_cb *cb)
{
	if (cb->released)
		return -ECANCELED;
	return krping_status_error(cb->status) ?: -ECONNRESET;
}

/**
 * krdma_cb_offer() - hand a connection to krdma_accept()
 * @listener: the listener
 * @cb: the connection, open; the listener takes a reference to it
 *
 * Return: 0; -ECANCELED if the listener is released or closed; -ENOMEM if too many
 * connections wait.
 */
int krdma_cb_offer(struct krdma_cb *listener, struct krdma_cb *cb)
{
	int ret = 0;

	spin_lock_bh(&listener->lock);
	if (listener->released || !listener->open) {
		ret = -ECANCELED;
	} else if (listener->nr_accepted == KRDMA_BACKLOG) {
		ret = -ENOMEM;
	} else {
		list_add_tail(&krdma_cb_get(cb)->entry, &listener->accepted);
		WRITE_ONCE(listener->nr_accepted, listener->nr_accepted + 1);
		krdma_cb_wake(listener, KRDMA_WAIT_RECEIVE);
	}
	spin_unlock_bh(&listener->lock);
	return ret;
}

/**
 * krdma_cb_take() - remove the oldest connection that waits for krdma_accept()
 * @listener: the listener
 *
 * Return: the connection, with the listener's reference to it; or NULL.
 */
struct krdma_cb *krdma_cb_take(struct krdma_cb *listener)
{
	struct krdma_cb *cb;

	spin_lock_bh(&listener->lock);
	cb = list_first_entry_or_null(&listener->accepted, struct krdma_cb, entry);
	if (cb) {
		list_del_init(&cb->entry);
		WRITE_ONCE(listener->nr_accepted, listener->nr_accepted - 1);
	}
	spin_unlock_bh(&listener->lock);
	return cb;
}

/*
 * Poll until @done returns true, at most for &krdma_cb.busy_poll. Stop once another task needs the
 * CPU: that task may be the sender, or ksoftirqd, which delivers the message. KVM's halt polling
 * stops for the same reason. Return true if @done has returned true.
 */
static bool krdma_cb_poll(struct krdma_cb *cb, bool (*done)(struct krdma_cb *cb),
			  int state, u32 timeout_ms)
{
	u64 nsec = (u64)READ_ONCE(cb->busy_poll) * NSEC_PER_USEC;
	u64 begin;

	if (!nsec)
		return false;
	if (timeout_ms)
		nsec = min_t(u64, nsec, (u64)timeout_ms * NSEC_PER_MSEC);
	begin = ktime_get_ns();
	while (READ_ONCE(cb->open) && !signal_pending_state(state, current) &&
	       !need_resched() && single_task_running() &&
	       ktime_get_ns() - begin < nsec) {
		cpu_relax();
		if (done(cb))
			return true;
		cond_resched_tasks_rcu_qs();
	}
	return false;
}

/* Return how many jiffies remain of a wait that began at @begin. A timeout of 0 never expires. */
static long krdma_cb_left(u32 timeout_ms, unsigned long begin)
{
	long left = msecs_to_jiffies(timeout_ms), passed = jiffies - begin;

	if (!timeout_ms)
		return MAX_SCHEDULE_TIMEOUT;
	return passed < left ? left - passed : 0;
}

/**
 * krdma_cb_wait() - wait until a condition holds or the connection ends
 * @cb: the connection or listener
 * @type: wait queue, for krdma_cb_wake()
 * @done: returns true once the condition holds; must not sleep
 * @begun: a part of the data was transferred, so no signal but a fatal one ends the wait
 * @timeout_ms: bound; 0: none
 *
 * Context: process context, between krdma_cb_enter() and krdma_cb_leave().
 *
 * Return: 0; -EINTR; -ETIMEDOUT; as krdma_cb_errno() if the connection has ended and
 * the condition does not hold.
 */
int krdma_cb_wait(struct krdma_cb *cb, enum krdma_wait type,
		  bool (*done)(struct krdma_cb *cb), bool begun, u32 timeout_ms)
{
	int state = begun ? TASK_KILLABLE : TASK_INTERRUPTIBLE;
	unsigned long begin = jiffies;
	DEFINE_WAIT(wait);
	int ret = 0;
	long left;

	if (done(cb) || krdma_cb_poll(cb, done, state, timeout_ms))
		return 0;
	left = krdma_cb_left(timeout_ms, begin);
	for (;;) {
		prepare_to_wait(&cb->waits[type], &wait, state);
		if (done(cb))
			break;
		if (!READ_ONCE(cb->open))
			ret = krdma_cb_errno(cb);
		else if (signal_pending_state(state, current))
			ret = -EINTR;
		else if (!left)
			ret = -ETIMEDOUT;
		if (ret)
			break;
		left = schedule_timeout(left);
	}
	finish_wait(&cb->waits[type], &wait);
	return ret;
}

/**
 * krdma_ring_credit() - store how many fragments the peer has taken out of its ring; wake senders
 * @cb: the connection
 * @taken: the peer's count, which is untrusted
 *
 * The peer sends all its credits from one buffer. If the peer stores a new count while a credit
 * waits in its SQ, the credit carries the new count, and a fragment behind the credit an older one.
 * The function ignores the older count.
 *
 * Context: the CQ's context.
 *
 * Return: 0; -EPROTO if the count exceeds the number of posted SENDs, or is older than any count
 * that the peer's SQ can hold.
 */
int krdma_ring_credit(struct krdma_cb *cb, u32 taken)
{
	if (cb->tx_taken - taken <= KRDMA_STALE_MAX)
		return 0;
	if (taken - cb->tx_taken > READ_ONCE(cb->tx_posted) - cb->tx_taken)
		return -EPROTO;
	WRITE_ONCE(cb->tx_taken, taken);
	krdma_cb_wake(cb, KRDMA_WAIT_SEND);
	return 0;
}

/**
 * krdma_ring_put() - put a fragment into the ring, and store the credits of its header
 * @cb: the connection
 * @data: the peer's SEND: a &struct krping_wire_frag and the fragment, both untrusted
 * @bytes: bytes of @data
 *
 * Context: the CQ's context. The caller wakes the receiver.
 *
 * Return: 0; -EPROTO if the length of the fragment is wrong, if the peer had no credit, or if the
 * header has invalid credits.
 */
int krdma_ring_put(struct krdma_cb *cb, const void *data, u32 bytes)
{
	const struct krping_wire_frag *head = data;
	u32 left = be32_to_cpu(head->left);
	struct krdma_frag *frag;
	u32 len;

	if (bytes <= sizeof(*head) || bytes > KRDMA_SEND_BYTES)
		return -EPROTO;
	len = bytes - sizeof(*head);
	if (!left || left > KRDMA_MESSAGE_MAX || (cb->rx_left && left != cb->rx_left) ||
	    len != min_t(u32, left, KRDMA_FRAG_BYTES))
		return -EPROTO;
	/* pairs with krdma_take_fragment(): the reader no longer uses the slot */
	if (cb->rx_head - smp_load_acquire(&cb->rx_tail) == KRDMA_SLOTS)
		return -EPROTO;
	if (krdma_ring_credit(cb, be32_to_cpu(head->taken)))
		return -EPROTO;
	frag = &cb->rx[cb->rx_head % KRDMA_SLOTS];
	frag->len = len;
	frag->left = left;
	memcpy(frag->data, head + 1, len);
	cb->rx_left = left - len;
	/* pairs with krdma_has_fragment() */
	smp_store_release(&cb->rx_head, cb->rx_head + 1);
	return 0;
}
