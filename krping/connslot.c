// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connect slots: limit the number of threads that connect or accept at the same time.
 *
 * If a thousand threads connect at once, the connection manager's only worker gets
 * a thousandth of the CPU, messages are lost or retransmitted, and most connects
 * time out. Therefore a thread needs a slot to connect or to accept. There are KRPING_CONNSLOTS
 * slots for clients and as many for servers. Threads get slots in the order of their requests, and
 * sleep until then. While threads wait, a timer takes back each slot that a thread has held for
 * five seconds, because a server that never answers must not delay other tests. A thread that has
 * lost its slot continues to connect.
 */
#include <linux/jiffies.h>
#include <linux/list.h>

#include "compat.h"
#include "connslot.h"

/* Number of slots for clients; also the number of slots for servers. */
#define KRPING_CONNSLOTS		16

/* Time after which the timer takes a slot back, in jiffies. */
#define KRPING_CONNSLOT_SLICE	(5 * HZ)

/*
 * Clients and servers have slots of their own. If clients could hold all slots, they would
 * wait for the threads of their servers, which would get no slot.
 */
static struct krping_connslots {
	spinlock_t lock;	/* guards the fields below, and the requests in the lists */
	struct list_head waiting;
	struct list_head connecting;
	u32 nr_connecting;
	struct timer_list slice;
} krping_connslot_sides[2];

/* Return the request that has held its slot for the longest time, or NULL. */
static struct krping_connslot *krping_connslots_oldest(struct krping_connslots *slots)
{
	return list_first_entry_or_null(&slots->connecting, struct krping_connslot,
					entry);
}

/*
 * Grant free slots to waiting threads. If there are too few, start the timer. A woken thread cannot
 * free its request meanwhile: krping_connslot_release() needs the lock, which the caller holds.
 */
static void krping_connslots_admit(struct krping_connslots *slots)
{
	struct krping_connslot *slot, *next;

	list_for_each_entry_safe(slot, next, &slots->waiting, entry) {
		if (slots->nr_connecting >= KRPING_CONNSLOTS) {
			mod_timer(&slots->slice, krping_connslots_oldest(slots)->since +
						KRPING_CONNSLOT_SLICE);
			break;
		}
		slots->nr_connecting++;
		slot->since = jiffies;
		list_move_tail(&slot->entry, &slots->connecting);
		WRITE_ONCE(slot->granted, true);
		wake_up_all(&slot->status->wait);
	}
}

/* Unlink a request, and free its slot if it was granted. */
static void krping_connslots_leave(struct krping_connslots *slots, struct krping_connslot *slot)
{
	list_del_init(&slot->entry);
	if (slot->granted)
		slots->nr_connecting--;
}

/* Take back the slots whose time has passed, and grant them to waiting threads. */
static void krping_connslots_slice(struct timer_list *timer)
{
	struct krping_connslots *slots = timer_container_of(slots, timer, slice);
	struct krping_connslot *slot;

	spin_lock_bh(&slots->lock);
	while ((slot = krping_connslots_oldest(slots)) &&
	       time_after_eq(jiffies, slot->since + KRPING_CONNSLOT_SLICE))
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

	for (i = 0; i < ARRAY_SIZE(krping_connslot_sides); i++) {
		struct krping_connslots *slots = &krping_connslot_sides[i];

		spin_lock_init(&slots->lock);
		INIT_LIST_HEAD(&slots->waiting);
		INIT_LIST_HEAD(&slots->connecting);
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

	for (i = 0; i < ARRAY_SIZE(krping_connslot_sides); i++)
		timer_delete_sync(&krping_connslot_sides[i].slice);
}

/**
 * krping_connslot_request() - request a slot, without waiting for it
 * @slot: the thread's request, all zeros or released
 * @status: the test's status, whose wait queue is woken when the slot is granted
 * @client: true to connect, false to accept
 *
 * The caller must call krping_connslot_release(), whether or not the slot is granted.
 *
 * Context: process context or softirq, with interrupts enabled.
 */
void krping_connslot_request(struct krping_connslot *slot, struct krping_status *status,
			     bool client)
{
	struct krping_connslots *slots = &krping_connslot_sides[client];

	slot->slots = slots;
	slot->status = status;
	slot->granted = false;
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
 * krping_connslot_release() - end a request, and give its slot, if any, to the next thread
 * @slot: the thread's request, whether or not the slot was granted or taken back
 */
void krping_connslot_release(struct krping_connslot *slot)
{
	struct krping_connslots *slots = slot->slots;

	spin_lock_bh(&slots->lock);
	if (!list_empty(&slot->entry))
		krping_connslots_leave(slots, slot);
	krping_connslots_admit(slots);
	spin_unlock_bh(&slots->lock);
}
