/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The messages between negotiating peers that belong to no iteration.
 */
#ifndef KRPING_CONTROL_H
#define KRPING_CONTROL_H

#include <rdma/ib_verbs.h>

#include "conn.h"
#include "memory.h"
#include "wire.h"

/* A message that is under way is not overwritten by one of another kind. */
enum krping_control_slot {
	KRPING_CONTROL_HELLO,
	KRPING_CONTROL_CREDIT,
	KRPING_CONTROL_FINISH,
	KRPING_CONTROL_REPORT,
	KRPING_CONTROL_SLOTS
};

/**
 * struct krping_control - one side's control messages
 * @queue: the connection's
 * @mem: the messages
 * @wr: their SENDs
 * @sge: the one entry of each
 */
struct krping_control {
	struct krping_queue *queue;
	struct krping_dma mem;
	struct ib_send_wr wr[KRPING_CONTROL_SLOTS];
	struct ib_sge sge[KRPING_CONTROL_SLOTS];
};

int krping_control_alloc(struct krping_control *c, struct krping_conn *conn);
void krping_control_free(struct krping_control *c);
struct ib_send_wr *krping_control_hello(struct krping_control *c,
					const struct krping_advert *advert);
int krping_control_credit(struct krping_control *c, u64 value);
int krping_control_finish(struct krping_control *c);
int krping_control_report(struct krping_control *c,
			  const struct krping_report *report);

#endif /* KRPING_CONTROL_H */
