// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Build control messages: buffer advert, credit, refill, finish and report, and messages about
 * regions, which are memory that a server exports. Post the SENDs of credit, refill, finish and
 * report; return the SEND of each other message to the caller, which posts it.
 *
 * Control messages belong to no iteration, and no counter includes them. A side sends them only to
 * a peer that has sent parameters in its REQ or REP. An old krping sends no parameters.
 */
#include <linux/kernel.h>

#include "ctlmsg.h"
#include "u64.h"
#include "wr.h"

/* Offset and length of each message in &krping_ctlmsg.mem. */
static const struct {
	size_t off;
	size_t len;
} krping_ctlmsg_layout[KRPING_CTLMSG_SLOTS] = {
	[KRPING_CTLMSG_BUF_ADVERT]	= { 0, sizeof(struct krping_wire_buf_advert) },
	[KRPING_CTLMSG_CREDIT]	= { 32, sizeof(struct krping_wire_ctl) },
	[KRPING_CTLMSG_FINISH]	= { 48, sizeof(struct krping_wire_ctl) },
	[KRPING_CTLMSG_REPORT]	= { 64, sizeof(struct krping_wire_report) },
	[KRPING_CTLMSG_REFILL]	= { 240, sizeof(struct krping_wire_ctl) },
	[KRPING_CTLMSG_REGION]	= { 256, sizeof(struct krping_wire_region) },
	[KRPING_CTLMSG_ASK]	= { 304, sizeof(struct krping_wire_ask) },
	[KRPING_CTLMSG_ANSWER]	= { 336, sizeof(struct krping_wire_answer) },
};

#define KRPING_CTLMSG_BYTES	(336 + sizeof(struct krping_wire_answer))

/* Let the CPU write a message, and return the message's memory. */
static void *krping_ctlmsg_begin(struct krping_ctlmsg *c,
				 enum krping_ctlmsg_slot slot)
{
	ib_dma_sync_single_for_cpu(c->mem.device, c->sge[slot].addr,
				   c->sge[slot].length, DMA_TO_DEVICE);
	return c->mem.data + krping_ctlmsg_layout[slot].off;
}

/* Let the device read a message that the CPU has written. */
static void krping_ctlmsg_sync(struct krping_ctlmsg *c,
			       enum krping_ctlmsg_slot slot)
{
	ib_dma_sync_single_for_device(c->mem.device, c->sge[slot].addr,
				      c->sge[slot].length, DMA_TO_DEVICE);
}

/* Let the device read a message, and return the SEND of the message, not linked to other WRs. */
static struct ib_send_wr *krping_ctlmsg_end(struct krping_ctlmsg *c,
					    enum krping_ctlmsg_slot slot)
{
	krping_ctlmsg_sync(c, slot);
	c->wr[slot].next = NULL;
	return &c->wr[slot];
}

/* Write a message that has only a type and a value. The value is 0 until a sender sets another. */
static void krping_ctlmsg_init(struct krping_ctlmsg *c,
			       enum krping_ctlmsg_slot slot,
			       enum krping_ctl_type type)
{
	krping_wire_ctl_encode(krping_ctlmsg_begin(c, slot), type, 0);
	krping_ctlmsg_end(c, slot);
}

/**
 * krping_ctlmsg_alloc() - allocate memory for control messages, and build their SENDs
 * @c: the control messages, all zeros; filled in
 * @conn: the connection, with a QP
 *
 * Context: process context.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_ctlmsg_alloc(struct krping_ctlmsg *c, struct krping_conn *conn)
{
	int i;

	c->queue = &conn->queue;
	if (krping_dma_alloc(&c->mem, conn->pd->device, KRPING_CTLMSG_BYTES,
			     DMA_TO_DEVICE))
		return -ENOMEM;
	for (i = 0; i < KRPING_CTLMSG_SLOTS; i++) {
		c->sge[i].addr = c->mem.addr + krping_ctlmsg_layout[i].off;
		c->sge[i].length = krping_ctlmsg_layout[i].len;
		c->sge[i].lkey = conn->pd->local_dma_lkey;
		c->wr[i].wr_cqe = krping_queue_cqe(c->queue, KRPING_OP_CTL);
		c->wr[i].sg_list = &c->sge[i];
		c->wr[i].num_sge = 1;
		c->wr[i].opcode = IB_WR_SEND;
	}
	krping_ctlmsg_init(c, KRPING_CTLMSG_CREDIT, KRPING_CTL_CREDIT);
	krping_ctlmsg_init(c, KRPING_CTLMSG_FINISH, KRPING_CTL_FINISH);
	krping_ctlmsg_init(c, KRPING_CTLMSG_REFILL, KRPING_CTL_REFILL);
	return 0;
}

/**
 * krping_ctlmsg_free() - free the memory of krping_ctlmsg_alloc()
 * @c: the control messages; if they are all zeros, nothing happens
 */
void krping_ctlmsg_free(struct krping_ctlmsg *c)
{
	krping_dma_free(&c->mem);
}

static int krping_ctlmsg_post(struct krping_ctlmsg *c, struct ib_send_wr *wr)
{
	krping_queue_prepare(c->queue, wr);
	return krping_queue_submit(c->queue, wr);
}

/**
 * krping_ctlmsg_buf_advert() - fill in the message that advertises a buffer
 * @c: the control messages
 * @advert: the buffer; all zeros: no buffer
 *
 * Context: any context.
 *
 * Return: the SEND, which the caller posts.
 */
struct ib_send_wr *krping_ctlmsg_buf_advert(struct krping_ctlmsg *c,
					    const struct krping_advert *advert)
{
	struct krping_wire_buf_advert *buf_advert;

	buf_advert = krping_ctlmsg_begin(c, KRPING_CTLMSG_BUF_ADVERT);
	krping_wire_ctl_encode(&buf_advert->ctl, KRPING_CTL_BUF_ADVERT, 0);
	krping_wire_msg_encode(&buf_advert->msg, advert->addr, advert->rkey,
			       advert->size);
	return krping_ctlmsg_end(c, KRPING_CTLMSG_BUF_ADVERT);
}

/**
 * krping_ctlmsg_region() - fill in the message that advertises a region
 * @c: the control messages
 * @size: bytes of the region
 * @list: address, key and size of the list of the region's pieces, which the client READs
 * @rights: any of KRPING_REGION_WRITE and KRPING_REGION_SHARED
 * @identity: random number by which the client recognizes the region
 *
 * Context: any context.
 *
 * Return: the SEND, which the caller posts.
 */
struct ib_send_wr *krping_ctlmsg_region(struct krping_ctlmsg *c, u64 size,
					const struct krping_advert *list, u32 rights,
					u64 identity)
{
	struct krping_wire_region *region;

	region = krping_ctlmsg_begin(c, KRPING_CTLMSG_REGION);
	krping_wire_ctl_encode(&region->ctl, KRPING_CTL_REGION, size);
	krping_wire_msg_encode(&region->list, list->addr, list->rkey, list->size);
	region->rights = cpu_to_be32(rights);
	region->identity = cpu_to_be64(identity);
	return krping_ctlmsg_end(c, KRPING_CTLMSG_REGION);
}

/**
 * krping_ctlmsg_ask() - fill in a request about regions
 * @c: the control messages
 * @what: kind of the request
 * @id: KRPING_ASK_REGION: id of the region; else 0
 * @rights: KRPING_ASK_OPEN: KRPING_REGION_WRITE or 0; else 0
 *
 * All requests use the same memory, so the caller must have received the answer to the previous
 * request.
 *
 * Return: the SEND, which the caller posts.
 */
struct ib_send_wr *krping_ctlmsg_ask(struct krping_ctlmsg *c, enum krping_ask what,
				     u32 id, u32 rights)
{
	struct krping_wire_ask *ask;

	ask = krping_ctlmsg_begin(c, KRPING_CTLMSG_ASK);
	krping_wire_ctl_encode(&ask->ctl, KRPING_CTL_ASK, id);
	ask->what = cpu_to_be32(what);
	ask->rights = cpu_to_be32(rights);
	return krping_ctlmsg_end(c, KRPING_CTLMSG_ASK);
}

/**
 * krping_ctlmsg_answer() - fill in the answer to a request
 * @c: the control messages
 * @answer: the answer
 *
 * All answers use the same memory. A client sends its next request only after it has received the
 * previous answer.
 *
 * Return: the SEND, which the caller posts.
 */
struct ib_send_wr *krping_ctlmsg_answer(struct krping_ctlmsg *c,
					const struct krping_answer *answer)
{
	struct krping_wire_answer *wire;

	wire = krping_ctlmsg_begin(c, KRPING_CTLMSG_ANSWER);
	krping_wire_ctl_encode(&wire->ctl, KRPING_CTL_ANSWER, answer->size);
	krping_wire_msg_encode(&wire->list, answer->list.addr, answer->list.rkey,
			       answer->list.size);
	wire->verdict = cpu_to_be32(answer->verdict);
	wire->rights = cpu_to_be32(answer->rights);
	wire->id = cpu_to_be32(answer->id);
	wire->serial = cpu_to_be32(answer->serial);
	return krping_ctlmsg_end(c, KRPING_CTLMSG_ANSWER);
}

/*
 * Send a message whose value only increases. All SENDs of a message type (slot) use the same
 * memory, so an outstanding SEND may already carry the new value. krping_u64_write() ensures that
 * this value is whole. If the type's SEND still waits for room on the SQ (is parked), the function
 * posts no other SEND, because the parked SEND carries the new value.
 */
static int krping_ctlmsg_number(struct krping_ctlmsg *c, enum krping_ctlmsg_slot slot, u64 value)
{
	struct krping_wire_ctl *ctl;

	ctl = krping_ctlmsg_begin(c, slot);
	krping_u64_write((__force u64 *)&ctl->value, (__force u64)cpu_to_be64(value));
	/* krping_ctlmsg_end() would cut the link of a parked SEND to other parked WRs. */
	if (krping_queue_parked(c->queue, &c->wr[slot])) {
		krping_ctlmsg_sync(c, slot);
		return 0;
	}
	return krping_ctlmsg_post(c, krping_ctlmsg_end(c, slot));
}

/**
 * krping_ctlmsg_credit() - send a credit, or a client's keep-alive message, which has the same type
 * @c: the control messages
 * @value: credit: number of messages that this side has received so far, or of READs whose data it
 *	has compared; keep-alive message: number of operations that this side has completed
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
 */
int krping_ctlmsg_credit(struct krping_ctlmsg *c, u64 value)
{
	return krping_ctlmsg_number(c, KRPING_CTLMSG_CREDIT, value);
}

/**
 * krping_ctlmsg_refill() - allow the peer to READ slots that have new data
 * @c: the control messages
 * @value: number of the peer's READs so far whose slots this side has filled with new data
 *
 * Context: the CQ's.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
 */
int krping_ctlmsg_refill(struct krping_ctlmsg *c, u64 value)
{
	return krping_ctlmsg_number(c, KRPING_CTLMSG_REFILL, value);
}

/**
 * krping_ctlmsg_finish() - client: send the finish message, after the last operation
 * @c: the control messages
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
 */
int krping_ctlmsg_finish(struct krping_ctlmsg *c)
{
	return krping_ctlmsg_post(c, &c->wr[KRPING_CTLMSG_FINISH]);
}

/**
 * krping_ctlmsg_report() - server: send the report, which answers the finish message
 * @c: the control messages
 * @report: iterations, time, counters and latencies of the server
 *
 * Context: the CQ's, or a thread that polls the CQ or memory.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_queue.status.
 */
int krping_ctlmsg_report(struct krping_ctlmsg *c,
			 const struct krping_peer_stats *report)
{
	krping_wire_report_encode(krping_ctlmsg_begin(c, KRPING_CTLMSG_REPORT),
				  report);
	return krping_ctlmsg_post(c, krping_ctlmsg_end(c, KRPING_CTLMSG_REPORT));
}
