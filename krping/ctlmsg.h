/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Build and send control messages: buffer advert, credit, refill, finish and report, and messages
 * about regions, which are memory that a server exports. Control messages belong to no iteration.
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
 * @size: bytes of the region
 * @list: address, key and size of the list of the region's pieces, which the client READs
 * @rights: rights of the client to the region: KRPING_REGION_WRITE or 0
 * @serial: number of the registration, by which the client recognizes new keys
 *
 * In the answer to KRPING_ASK_REGIONS, @size is the number of open regions, and @list is the list
 * of open regions.
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

/* Allocate and free the memory of the messages. */
int krping_ctlmsg_alloc(struct krping_ctlmsg *c, struct krping_conn *conn);
void krping_ctlmsg_free(struct krping_ctlmsg *c);

/*
 * Fill in a message and return its SEND, which the caller posts:
 *
 * _buf_advert(): advertise a buffer.
 * _region(): server: advertise the region of a new client. @identity is a random number, by which a
 *	client that connects again recognizes the region.
 * _ask(): client: send a request about regions, such as for the keys to another client's region.
 * _answer(): server: answer a request.
 */
struct ib_send_wr *krping_ctlmsg_buf_advert(struct krping_ctlmsg *c,
					    const struct krping_advert *advert);
struct ib_send_wr *krping_ctlmsg_region(struct krping_ctlmsg *c, u64 size,
					const struct krping_advert *list, u32 rights,
					u64 identity);
struct ib_send_wr *krping_ctlmsg_ask(struct krping_ctlmsg *c, enum krping_ask what,
				     u32 id, u32 rights);
struct ib_send_wr *krping_ctlmsg_answer(struct krping_ctlmsg *c,
					const struct krping_answer *answer);

/*
 * Fill in and post a message:
 *
 * _credit(): @value is the number of messages that this side has received so far, or of READs whose
 *	data it has compared. A client also sends this message to show that it is alive. Then @value
 *	is the number of its operations that are done.
 * _refill(): @value is the number of the peer's READs so far whose slots (parts of the buffer) this
 *	side has filled with new data.
 * _finish(): client: all operations are done.
 * _report(): server: answer the finish message.
 */
int krping_ctlmsg_credit(struct krping_ctlmsg *c, u64 value);
int krping_ctlmsg_refill(struct krping_ctlmsg *c, u64 value);
int krping_ctlmsg_finish(struct krping_ctlmsg *c);
int krping_ctlmsg_report(struct krping_ctlmsg *c,
			 const struct krping_peer_stats *report);

#endif /* KRPING_CTLMSG_H */
