/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Control messages, which belong to no iteration.
 */
#ifndef KRPING_CTLMSG_H
#define KRPING_CTLMSG_H

#include <rdma/ib_verbs.h>

#include "conn.h"
#include "memory.h"
#include "wire.h"

/* Each type has its own memory, so that no type overwrites another under way. */
enum krping_ctlmsg_slot {
	KRPING_CTLMSG_BUF_ADVERT,
	KRPING_CTLMSG_CREDIT,
	KRPING_CTLMSG_FINISH,
	KRPING_CTLMSG_REPORT,
	KRPING_CTLMSG_SLOTS
};

/**
 * struct krping_ctlmsg - one side's control messages
 * @queue: the connection's queue
 * @mem: the messages
 * @wr: their SENDs
 * @sge: their SGEs
 */
struct krping_ctlmsg {
	struct krping_queue *queue;
	struct krping_dma mem;
	struct ib_send_wr wr[KRPING_CTLMSG_SLOTS];
	struct ib_sge sge[KRPING_CTLMSG_SLOTS];
};

int krping_ctlmsg_alloc(struct krping_ctlmsg *c, struct krping_conn *conn);
void krping_ctlmsg_free(struct krping_ctlmsg *c);
struct ib_send_wr *krping_ctlmsg_buf_advert(struct krping_ctlmsg *c,
					    const struct krping_advert *advert);
int krping_ctlmsg_credit(struct krping_ctlmsg *c, u64 value);
int krping_ctlmsg_finish(struct krping_ctlmsg *c);
int krping_ctlmsg_report(struct krping_ctlmsg *c,
			 const struct krping_peer_stats *report);

#endif /* KRPING_CTLMSG_H */
