/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Connect slots: limit the number of threads that connect or accept at the same time. While other
 * threads wait, a timer takes back each slot that a thread has held for too long.
 */
#ifndef KRPING_CONNSLOT_H
#define KRPING_CONNSLOT_H

#include "status.h"

/**
 * struct krping_connslot - a thread's request for a connect slot; all zeros: no request
 * @entry: in the list of waiting or of connecting threads; empty after the slot is
 *	taken back or released
 * @slots: the slots of clients, or those of servers
 * @status: status of the test, whose wait queue is woken when the slot is granted
 * @since: when the slot was granted, in jiffies
 * @granted: the slot was granted; remains true after the slot is taken back
 */
struct krping_connslot {
	struct list_head entry;
	struct krping_connslots *slots;
	struct krping_status *status;
	unsigned long since;
	bool granted;
};

/* Initialize, and clean up, the slots that all tests share. */
void krping_connslots_init(void);
void krping_connslots_exit(void);

/* Request a slot; the thread then waits until krping_connslot_granted() is true. */
void krping_connslot_request(struct krping_connslot *slot, struct krping_status *status,
			     bool client);
bool krping_connslot_granted(void *slot);
/* Give back a slot, or withdraw the request. */
void krping_connslot_release(struct krping_connslot *slot);

#endif /* KRPING_CONNSLOT_H */
