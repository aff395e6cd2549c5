/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Whose turn it is to get connected.
 */
#ifndef KRPING_TURN_H
#define KRPING_TURN_H

#include "cause.h"

/**
 * struct krping_turn - a thread's turn; all zeros: it has not asked for one
 * @entry: among those that wait, or among those whose turn it is
 * @gate: where it has asked
 * @cause: whose thread is woken
 * @since: since when it is its turn, in jiffies
 * @mine: it is, or was, its turn
 */
struct krping_turn {
	struct list_head entry;
	struct krping_gate *gate;
	struct krping_cause *cause;
	unsigned long since;
	bool mine;
};

void krping_turns_init(void);
void krping_turns_exit(void);

void krping_turn_ask(struct krping_turn *turn, struct krping_cause *cause,
		     bool client);
bool krping_turn_mine(void *turn);
void krping_turn_end(struct krping_turn *turn);

#endif /* KRPING_TURN_H */
