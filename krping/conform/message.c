// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages on the control connection: the client sends requests, and the server answers them.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "../wait.h"
#include "../wr.h"
#include "message.h"
#include "side.h"

static bool conform_control_is_idle(void *arg)
{
	const struct krping_queue *q = arg;

	return q->posted == READ_ONCE(q->reclaimed);
}

/**
 * conform_settle() - wait until all WRs of the control connection have completed
 * @q: the queue of the control connection
 *
 * Afterwards the caller may reuse the WRs, their memory and their MRs. The arrival of the peer's
 * next message does not prove that this side's SEND has completed: a faulty peer may send its next
 * message too early.
 *
 * Context: the test's thread. The wait lasts CONFORM_WAIT at most.
 *
 * Return: 0; -ETIMEDOUT; or the error that ends the test.
 */
int conform_settle(struct krping_queue *q)
{
	unsigned long end = jiffies + msecs_to_jiffies(CONFORM_WAIT);
	int ret;

	do {
		krping_cq_progress(q->cq);
		ret = krping_wait(q->cq, conform_control_is_idle, q, CONFORM_PAUSE);
	} while (ret == -ETIMEDOUT && time_before(jiffies, end));
	return ret;
}

/**
 * conform_message_alloc() - allocate the message that one side sends
 * @m: the message, all zeros
 * @conn: the control connection, with a QP
 * @size: size of the longest message in bytes
 *
 * Return: 0 or -ENOMEM.
 */
int conform_message_alloc(struct conform_message *m, struct krping_conn *conn, size_t size)
{
	m->queue = &conn->queue;
	if (krping_dma_alloc(&m->mem, conn->pd->device, size, DMA_TO_DEVICE))
		return -ENOMEM;
	m->sge.addr = m->mem.addr;
	m->sge.lkey = conn->pd->local_dma_lkey;
	m->wr.wr_cqe = krping_queue_cqe(m->queue, KRPING_OP_CTL);
	m->wr.sg_list = &m->sge;
	m->wr.num_sge = 1;
	m->wr.opcode = IB_WR_SEND;
	return 0;
}

/**
 * conform_message_free() - free the message
 * @m: the message, allocated or all zeros
 */
void conform_message_free(struct conform_message *m)
{
	krping_dma_free(&m->mem);
}

/* Wait until the previous message has left, and let the CPU write the next one. */
static int conform_message_begin(struct conform_message *m)
{
	int ret = conform_settle(m->queue);

	if (ret == -ETIMEDOUT)
		return krping_status_set(m->queue->status, -EPROTO,
					 "the peer did not receive the previous message within %u ms",
					 CONFORM_WAIT);
	/*
	 * Go on if the wait ended because the connection is lost: the post then fails, or the
	 * device flushes the WR.
	 */
	ib_dma_sync_single_for_cpu(m->mem.device, m->mem.addr, m->mem.size, DMA_TO_DEVICE);
	return 0;
}

/* Send the first @size bytes of the message. */
static int conform_message_end(struct conform_message *m, u32 size)
{
	int ret;

	m->sge.length = size;
	ib_dma_sync_single_for_device(m->mem.device, m->mem.addr, m->mem.size, DMA_TO_DEVICE);
	m->wr.next = NULL;
	krping_queue_prepare(m->queue, &m->wr);
	ret = krping_queue_submit(m->queue, &m->wr);
	/* The connection may be lost already. The next krping_wait() returns the reason. */
	return ret == -ENOTCONN ? 0 : ret;
}

/**
 * conform_message_ask() - send a request
 * @m: the message
 * @ask: the request
 *
 * Return: 0, also if the connection is lost already; or a negative errno, which the function has
 * recorded in the test's status.
 */
int conform_message_ask(struct conform_message *m, const struct krping_conform_ask *ask)
{
	int ret = conform_message_begin(m);

	if (ret)
		return ret;
	krping_wire_conform_ask_encode(m->mem.data, ask);
	return conform_message_end(m, KRPING_CONFORM_ASK_BYTES);
}

/**
 * conform_message_answer() - send an answer
 * @m: the message
 * @answer: the answer
 *
 * Return: 0, also if the connection is lost already; or a negative errno, which the function has
 * recorded in the test's status.
 */
int conform_message_answer(struct conform_message *m,
			   const struct krping_conform_answer *answer)
{
	int ret = conform_message_begin(m);

	if (ret)
		return ret;
	krping_wire_conform_answer_encode(m->mem.data, answer);
	return conform_message_end(m, KRPING_CONFORM_ANSWER_BYTES);
}

/**
 * conform_message_trace() - send the answer to KRPING_CONFORM_TRACE: times and events of a record
 * @m: the message
 * @nr: number of the request
 * @trace: the times and events
 *
 * Return: 0, also if the connection is lost already; or a negative errno, which the function has
 * recorded in the test's status.
 */
int conform_message_trace(struct conform_message *m, u64 nr,
			  const struct krping_conform_trace *trace)
{
	int ret = conform_message_begin(m);

	if (ret)
		return ret;
	krping_wire_conform_trace_encode(m->mem.data, nr, trace);
	return conform_message_end(m, KRPING_CONFORM_TRACE_BYTES);
}
