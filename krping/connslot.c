// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connect slots: limit the number of threads that connect or accept, and of connections that
 * disconnect, at the same time.
 *
 * If a thousand threads connect at once, the connection manager's only worker gets a thousandth of
 * the CPU, messages are lost or retransmitted, and most connects time out. Therefore a thread needs
 * a slot to connect or to accept. Threads get slots in the order of their requests, and sleep until
 * then. While others wait, a timer takes back each slot that was held for too long, because a peer
 * that never answers must not delay other tests. A thread that has lost its slot continues.
 *
 * A connection needs a slot from its request to disconnect (DREQ) to the peer's answer. Until then
 * the IB connection manager keeps an address handle, and rxe of Linux 5.10 has only 100
 * (RXE_MAX_AH). Without an address handle ib_send_cm_dreq() sends nothing, and rdma_disconnect()
 * reports no error: the peer would notice the disconnect only by its timeout.
 */
#include <linux/jiffies.h>
#include <linux/list.h>

#include "compat.h"
#include "connslot.h"

/*
 * Each kind has slots of its own. If clients could hold all slots, they would wait for the threads
 * of their servers, which would get no slot.
 */
static struct krping_connslots {
	const u32 max;			/* number of slots */
	const unsigned long max_time;	/* after which the timer takes a slot back, in jiffies */
	spinlock_t lock;	/* guards the fields below, and the requests in the lists */
	struct list_head waiting;
	struct list_head granted;
	u32 nr_granted;
	struct timer_list slice;
} krping_connslot_kinds[KRPING_CONNSLOT_KINDS] = {
	[KRPING_CONNSLOT_ACCEPT]     = { .max = 16, .max_time = 5 * HZ },
	[KRPING_CONNSLOT_CONNECT]    = { .max = 16, .max_time = 5 * HZ },
	[KRPING_CONNSLOT_DISCONNECT] = { .max = 32, .max_time = HZ },
};

/* Return the request that has held its slot for the longest time, or NULL. */
static struct krping_connslot *krping_connslots_oldest(struct krping_connslots *slots)
{
	return list_first_entry_or_null(&slots->granted, struct krping_connslot, entry);
}

/*
 * Grant free slots to waiting threads. If there are too few, start the timer. A woken thread cannot
 * free its request meanwhile: krping_connslot_release() needs the lock, which the caller holds.
 */
static void krping_connslots_admit(struct krping_connslots *slots)
{
	struct krping_connslot *slot, *next;

	list_for_each_entry_safe(slot, next, &slots->waiting, entry) {
		if (slots->nr_granted >= slots->max) {
			mod_timer(&slots->slice,
				  krping_connslots_oldest(slots)->since + slots->max_time);
			break;
		}
		slots->nr_granted++;
		slot->since = jiffies;
		list_move_tail(&slot->entry, &slots->granted);
		WRITE_ONCE(slot->granted, true);
		wake_up_all(&slot->status->wait);
	}
}

/* Unlink a request, and free its slot if it was granted. */
static void krping_connslots_leave(struct krping_connslots *slots, struct krping_connslot *slot)
{
	list_del_init(&slot->entry);
	if (slot->granted)
		slots->nr_granted--;
}

/* Take back the slots whose time has passed, and grant them to waiting threads. */
static void krping_connslots_slice(struct timer_list *timer)
{
	struct krping_connslots *slots = timer_container_of(slots, timer, slice);
	struct krping_connslot *slot;

	spin_lock_bh(&slots->lock);
	while ((slot = krping_connslots_oldest(slots)) &&
	       time_after_eq(jiffies, slot->since + slots->max_time))
		krping_connslots_leave(slots, slot);
	krping_connslots_admit(slots);
	spin_unlock_bh(&slots->lock);
}

/**
 * krping_connslots_init() - initialise the slots
 */
void krping_connslots_init(void)
{
	int i;

	for (i = 0; i < KRPING_CONNSLOT_KINDS; i++) {
		struct krping_connslots *slots = &krping_connslot_kinds[i];

		spin_lock_init(&slots->lock);
		INIT_LIST_HEAD(&slots->waiting);
		INIT_LIST_HEAD(&slots->granted);
		timer_setup(&slots->slice, krping_connslots_slice, 0);
	}
}

/**
 * krping_connslots_exit() - stop the timers of the slots
 *
 * The caller ensures that all threads of tests have ended.
 */
void krping_connslots_exit(void)
{
	int i;

	for (i = 0; i < KRPING_CONNSLOT_KINDS; i++)
		timer_delete_sync(&krping_connslot_kinds[i].slice);
}

/**
 * krping_connslot_init() - initialise a request, which krping_connslot_request() makes later
 * @slot: the request
 */
void krping_connslot_init(struct krping_connslot *slot)
{
	INIT_LIST_HEAD(&slot->entry);
	slot->slots = NULL;
	slot->granted = false;
}

/**
 * krping_connslot_request() - request a slot, without waiting for it
 * @slot: the request, initialised or released
 * @status: the test's status, whose wait queue is woken when the slot is granted
 * @kind: the operation that needs the slot
 *
 * The caller must call krping_connslot_release(), whether or not the slot is granted.
 *
 * Context: process context or softirq, with interrupts enabled.
 */
void krping_connslot_request(struct krping_connslot *slot, struct krping_status *status,
			     enum krping_connslot_kind kind)
{
	struct krping_connslots *slots = &krping_connslot_kinds[kind];

	slot->status = status;
	slot->granted = false;
	/* an event may release the slot of a connection at any time */
	WRITE_ONCE(slot->slots, slots);
	spin_lock_bh(&slots->lock);
	list_add_tail(&slot->entry, &slots->waiting);
	krping_connslots_admit(slots);
	spin_unlock_bh(&slots->lock);
}

/**
 * krping_connslot_granted() - check whether the slot was granted
 * @slot: the &struct krping_connslot of krping_connslot_request()
 *
 * The function is a condition for krping_wait(). A slot that the timer has taken back still
 * counts as granted.
 *
 * Return: true if the slot was granted.
 */
bool krping_connslot_granted(void *slot)
{
	return READ_ONCE(((struct krping_connslot *)slot)->granted);
}

/**
 * krping_connslot_release() - end a request, if any, and give its slot to the next one
 * @slot: the request, whether or not the slot was requested, granted, taken back or released
 *
 * Context: process context or softirq, with interrupts enabled.
 */
void krping_connslot_release(struct krping_connslot *slot)
{
	struct krping_connslots *slots = READ_ONCE(slot->slots);

	if (!slots)
		return;
	spin_lock_bh(&slots->lock);
	if (!list_empty(&slot->entry))
		krping_connslots_leave(slots, slot);
	krping_connslots_admit(slots);
	spin_unlock_bh(&slots->lock);
}
