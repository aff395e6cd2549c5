/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Whose turn it is to get connected.
 */
#ifndef KRPING_CONNSLOT_H
#define KRPING_CONNSLOT_H

#include "status.h"

/**
 * struct krping_connslot - a thread's turn; all zeros: it has not asked for one
 * @entry: among those that wait, or among those whose turn it is
 * @gate: where it has asked
 * @status: whose thread is woken
 * @since: since when it is its turn, in jiffies
 * @mine: it is, or was, its turn
 */
struct krping_connslot {
	struct list_head entry;
	struct krping_gate *gate;
	struct krping_status *status;
	unsigned long since;
	bool mine;
};

void krping_connslots_init(void);
void krping_connslots_exit(void);

void krping_connslot_request(struct krping_connslot *turn, struct krping_status *status,
			     bool client);
bool krping_connslot_granted(void *turn);
void krping_connslot_release(struct krping_connslot *turn);

#endif /* KRPING_CONNSLOT_H */
