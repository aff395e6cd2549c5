// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Messages on the control connection: the client sends requests, and the server answers them.
 */
#include <linux/kernel.h>

#include "../wr.h"
#include "message.h"
#include "side.h"

/**
 * conform_message_alloc() - allocate the message that one side sends
 * @m: the message, all zeros
 * @conn: the control connection, with a QP
 * @size: size of the message in bytes
 *
 * Return: 0 or -ENOMEM.
 */
int conform_message_alloc(struct conform_message *m, struct krping_conn *conn, size_t size)
{
	m->queue = &conn->queue;
	if (krping_dma_alloc(&m->mem, conn->pd->device, size, DMA_TO_DEVICE))
		return -ENOMEM;
	m->sge.addr = m->mem.addr;
	m->sge.length = size;
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
	/* After the connection was lost, the post fails, or the device flushes the WR. */
	ib_dma_sync_single_for_cpu(m->mem.device, m->mem.addr, m->mem.size, DMA_TO_DEVICE);
	return 0;
}

static int conform_message_end(struct conform_message *m)
{
	int ret;

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
	return conform_message_end(m);
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
	return conform_message_end(m);
}
