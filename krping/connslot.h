/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Connect slots: limit the number of threads that connect or accept, and of connections that
 * disconnect, at the same time. While others wait, a timer takes back each slot that was held for
 * too long.
 */
#ifndef KRPING_CONNSLOT_H
#define KRPING_CONNSLOT_H

#include "status.h"

/**
 * enum krping_connslot_kind - the operation that needs a slot
 * @KRPING_CONNSLOT_ACCEPT: a thread accepts a client
 * @KRPING_CONNSLOT_CONNECT: a thread connects to a server
 * @KRPING_CONNSLOT_DISCONNECT: a connection sends a DREQ and awaits the answer
 * @KRPING_CONNSLOT_KINDS: number of kinds
 */
enum krping_connslot_kind {
	KRPING_CONNSLOT_ACCEPT,
	KRPING_CONNSLOT_CONNECT,
	KRPING_CONNSLOT_DISCONNECT,
	KRPING_CONNSLOT_KINDS,
};

/**
 * struct krping_connslot - a request for a slot, initialised by krping_connslot_init()
 * @entry: in the list of waiting or of granted requests; else empty
 * @slots: the slots of the requested kind; NULL: no request yet
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

/* Initialise a request. */
void krping_connslot_init(struct krping_connslot *slot);
/* Request a slot; the thread then waits until krping_connslot_granted() is true. */
void krping_connslot_request(struct krping_connslot *slot, struct krping_status *status,
			     enum krping_connslot_kind kind);
bool krping_connslot_granted(void *slot);
/* Give back a slot, or withdraw the request. */
void krping_connslot_release(struct krping_connslot *slot);

#endif /* KRPING_CONNSLOT_H */
