/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Build and send control messages, which belong to no iteration: buffer advert, credit, refill,
 * finish and report, and messages about exported regions.
 */
#ifndef KRPING_CTLMSG_H
#define KRPING_CTLMSG_H

#include <rdma/ib_verbs.h>

#include "conn.h"
#include "memory.h"
#include "wire.h"

/**
 * struct krping_answer - answer of a server to a request about regions, in host byte order
 * @verdict: KRPING_VERDICT_OK, or the reason why the server refuses the request
 * @id: id of the region
 * @size: bytes of the region; KRPING_ASK_REGIONS: number of open regions
 * @list: address, key and size of a list that the client READs: the list of the region's pieces;
 *	KRPING_ASK_REGIONS: the list of open regions
 * @rights: rights of the client to the region: KRPING_REGION_WRITE or 0
 * @serial: number of the registration, by which the client recognizes new keys
 */
struct krping_answer {
	enum krping_verdict verdict;
	u32 id;
	u64 size;
	struct krping_advert list;
	u32 rights;
	u32 serial;
};

/*
 * The message types. Each has its own memory (slot), because messages of several types may be in
 * flight at once.
 */
enum krping_ctlmsg_slot {
	KRPING_CTLMSG_BUF_ADVERT,
	KRPING_CTLMSG_CREDIT,
	KRPING_CTLMSG_FINISH,
	KRPING_CTLMSG_REPORT,
	KRPING_CTLMSG_REFILL,
	KRPING_CTLMSG_REGION,
	KRPING_CTLMSG_ASK,
	KRPING_CTLMSG_ANSWER,
	KRPING_CTLMSG_SLOTS
};

/**
 * struct krping_ctlmsg - one side's control messages
 * @queue: the connection's queue
 * @mem: memory of the messages
 * @wr: SENDs of the messages
 * @sge: SGEs of @wr
 */
struct krping_ctlmsg {
	struct krping_queue *queue;
	struct krping_dma mem;
	struct ib_send_wr wr[KRPING_CTLMSG_SLOTS];
	struct ib_sge sge[KRPING_CTLMSG_SLOTS];
};

/* Functions that return a WR do not post the WR; the caller does. */
int krping_ctlmsg_alloc(struct krping_ctlmsg *c, struct krping_conn *conn);
void krping_ctlmsg_free(struct krping_ctlmsg *c);
struct ib_send_wr *krping_ctlmsg_buf_advert(struct krping_ctlmsg *c,
					    const struct krping_advert *advert);
struct ib_send_wr *krping_ctlmsg_region(struct krping_ctlmsg *c, u64 size,
					const struct krping_advert *list, u32 rights,
					u64 identity);
struct ib_send_wr *krping_ctlmsg_ask(struct krping_ctlmsg *c, enum krping_ask what,
				     u32 id, u32 rights);
struct ib_send_wr *krping_ctlmsg_answer(struct krping_ctlmsg *c,
					const struct krping_answer *answer);
int krping_ctlmsg_credit(struct krping_ctlmsg *c, u64 value);
int krping_ctlmsg_refill(struct krping_ctlmsg *c, u64 value);
int krping_ctlmsg_finish(struct krping_ctlmsg *c);
int krping_ctlmsg_report(struct krping_ctlmsg *c,
			 const struct krping_peer_stats *report);

#endif /* KRPING_CTLMSG_H */
