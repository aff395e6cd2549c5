// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Whose turn it is to get connected.
 *
 * If a thousand threads set up their queues and connect all at once, the one
 * worker in which the connection manager answers them gets a thousandth of the
 * CPU, its messages are lost or sent again, and hardly anybody comes through
 * before his time is over. So only some do it at a time, in the order in which
 * they have asked; the others sleep. A turn lasts five seconds at most: a server
 * that does not answer holds nobody up for longer.
 */
#include <linux/jiffies.h>
#include <linux/list.h>

#include "compat.h"
#include "connslot.h"

/* How many get connected at a time, clients and servers each. */
#define KRPING_CONNSLOTS		16

/* How long a turn lasts at most. */
#define KRPING_CONNSLOT_SLICE	(5 * HZ)

/* The two sides have a gate each, since a client waits for its server's thread. */
static struct krping_gate {
	spinlock_t lock;	/* guards all below, and the turns */
	struct list_head waiting;
	struct list_head connecting;
	u32 nr_connecting;
	struct timer_list slice;
} krping_gates[2];

static struct krping_connslot *krping_gate_oldest(struct krping_gate *gate)
{
	return list_first_entry_or_null(&gate->connecting, struct krping_connslot,
					entry);
}

/* Called with the lock: it keeps the woken ones from going away. */
static void krping_gate_admit(struct krping_gate *gate)
{
	struct krping_connslot *turn, *next;

	list_for_each_entry_safe(turn, next, &gate->waiting, entry) {
		if (gate->nr_connecting >= KRPING_CONNSLOTS) {
			mod_timer(&gate->slice, krping_gate_oldest(gate)->since +
						KRPING_CONNSLOT_SLICE);
			break;
		}
		gate->nr_connecting++;
		turn->since = jiffies;
		list_move_tail(&turn->entry, &gate->connecting);
		WRITE_ONCE(turn->mine, true);
		wake_up_all(&turn->status->wait);
	}
}

static void krping_gate_leave(struct krping_gate *gate, struct krping_connslot *turn)
{
	list_del_init(&turn->entry);
	if (turn->mine)
		gate->nr_connecting--;
}

static void krping_gate_slice(struct timer_list *timer)
{
	struct krping_gate *gate = timer_container_of(gate, timer, slice);
	struct krping_connslot *turn;

	spin_lock_bh(&gate->lock);
	while ((turn = krping_gate_oldest(gate)) &&
	       time_after_eq(jiffies, turn->since + KRPING_CONNSLOT_SLICE))
		krping_gate_leave(gate, turn);
	krping_gate_admit(gate);
	spin_unlock_bh(&gate->lock);
}

/**
 * krping_connslots_init() - begin with nobody
 */
void krping_connslots_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(krping_gates); i++) {
		struct krping_gate *gate = &krping_gates[i];

		spin_lock_init(&gate->lock);
		INIT_LIST_HEAD(&gate->waiting);
		INIT_LIST_HEAD(&gate->connecting);
		timer_setup(&gate->slice, krping_gate_slice, 0);
	}
}

/**
 * krping_connslots_exit() - the end; there are no threads any more
 */
void krping_connslots_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(krping_gates); i++)
		timer_delete_sync(&krping_gates[i].slice);
}

/**
 * krping_connslot_request() - ask for one's turn
 * @turn: the thread's, all zeros or ended
 * @status: its cause, whose wait queue is woken when it is its turn
 * @client: to connect; else to accept
 *
 * Any context but hard interrupts. krping_connslot_release() is to be called in any case.
 */
void krping_connslot_request(struct krping_connslot *turn, struct krping_status *status,
			     bool client)
{
	struct krping_gate *gate = &krping_gates[client];

	turn->gate = gate;
	turn->status = status;
	turn->mine = false;
	spin_lock_bh(&gate->lock);
	list_add_tail(&turn->entry, &gate->waiting);
	krping_gate_admit(gate);
	spin_unlock_bh(&gate->lock);
}

/**
 * krping_connslot_granted() - is it one's turn?
 * @turn: a &struct krping_connslot that has been asked for
 *
 * For krping_wait().
 *
 * Return: true if so, for good.
 */
bool krping_connslot_granted(void *turn)
{
	return READ_ONCE(((struct krping_connslot *)turn)->mine);
}

/**
 * krping_connslot_release() - let others have theirs
 * @turn: the thread's, asked for; it may have lasted too long already
 */
void krping_connslot_release(struct krping_connslot *turn)
{
	struct krping_gate *gate = turn->gate;

	spin_lock_bh(&gate->lock);
	if (!list_empty(&turn->entry))
		krping_gate_leave(gate, turn);
	krping_gate_admit(gate);
	spin_unlock_bh(&gate->lock);
}
