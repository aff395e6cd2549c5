/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Send the client's requests and the server's answers on the control connection.
 */
#ifndef KRPING_CONFORM_MESSAGE_H
#define KRPING_CONFORM_MESSAGE_H

#include "../test_ops.h"

/**
 * struct conform_message - memory and SEND of the messages that a side sends, one at a time
 * @queue: the control connection's queue
 * @mem: memory of the message
 * @wr: SEND of the message
 * @sge: SGE of @wr
 */
struct conform_message {
	struct krping_queue *queue;
	struct krping_dma mem;
	struct ib_send_wr wr;
	struct ib_sge sge;
};

int conform_message_alloc(struct conform_message *m, struct krping_conn *conn, size_t size);
void conform_message_free(struct conform_message *m);

/* Wait until all WRs of the control connection have completed. */
int conform_settle(struct krping_queue *q);

/* Client: send a request. Server: send an answer, or a trace (times and events) as the answer. */
int conform_message_ask(struct conform_message *m, const struct krping_conform_ask *ask);
int conform_message_answer(struct conform_message *m,
			   const struct krping_conform_answer *answer);
int conform_message_trace(struct conform_message *m, u64 nr,
			  const struct krping_conform_trace *trace);

#endif /* KRPING_CONFORM_MESSAGE_H */
