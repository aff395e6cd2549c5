// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client of the test ping, and its faults.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer.h"

static void client_fill(struct peer *p, uint64_t iteration)
{
	struct extent all;

	fill_pattern(p->source, p->size, iteration);
	if (fault_is(p, FAULT_CORRUPT, iteration))
		spoil_data(p, iteration, true, &all);
	memset(p->sink, 0xff, p->size);
}

/* Spoil the advert @msg or its length. Return: the number of times to send the advert. */
static uint64_t client_distort(const struct peer *p, enum peer_stage stage,
			       struct msg *msg, uint32_t *len)
{
	uint64_t times = 1;

	switch (p->opt.fault) {
	case FAULT_SIZE:
		if (stage == STAGE_FIRST)
			msg->size = htobe32(p->opt.number);
		break;
	case FAULT_SINK:
		if (stage == STAGE_SECOND)
			msg->size = htobe32(p->opt.number);
		break;
	case FAULT_ZERO:
		msg->addr = 0;
		msg->rkey = 0;
		break;
	case FAULT_RKEY:
		if (stage == p->opt.stage)
			msg->rkey = htobe32(wrong_key(be32toh(msg->rkey)));
		break;
	case FAULT_LENGTH:
		*len = p->opt.number;
		break;
	case FAULT_TWICE:
		times = 2;
		break;
	case FAULT_BURST:
		times = p->opt.number;
		break;
	default:
		return times;
	}
	say("fault: addr=0x%" PRIx64 " rkey=0x%x size=%u, %u bytes, %" PRIu64 " times",
	    be64toh(msg->addr), be32toh(msg->rkey), be32toh(msg->size), *len,
	    times);
	return times;
}

/* Send an advert. Return: true if the advert has a fault that must make krping disconnect. */
static bool client_advertise(struct peer *p, enum peer_stage stage,
			     uint64_t iteration)
{
	const struct ibv_mr *mr = stage == STAGE_FIRST ? p->source_mr :
							 p->sink_mr;
	struct msg msg = {
		.addr = htobe64((uintptr_t)mr->addr),
		.rkey = htobe32(mr->rkey),
		.size = htobe32(p->size),
	};
	uint32_t len = MSG_BYTES;
	uint64_t times = 1;
	uint32_t key;
	uint64_t i;

	if (fault_is(p, stage == STAGE_FIRST ? FAULT_CTL : FAULT_CTL_SECOND,
		     iteration)) {
		send_wrong_ctl(p, p->opt.word);
		return true;
	}
	if (fault_is(p, FAULT_TALK, iteration)) {
		send_until(p, &msg);
		return true;
	}
	if (fault_is(p, FAULT_INV, iteration) && stage == STAGE_FIRST) {
		key = inv_key(p, mr->rkey);
		say("fault: SEND_WITH_INV of key 0x%x", key);
		send_msg(p, &msg, len, true, key);
		return false;
	}
	if (p->opt.at == iteration)
		times = client_distort(p, stage, &msg, &len);
	if (p->opt.fault == FAULT_BURST && times > 1) {
		send_burst(p, &msg, len);
		return true;
	}
	for (i = 0; i < times; i++)
		send_msg(p, &msg, len, false, 0);
	return times > 1;
}

/* Wait for a go-ahead. Return: 1, or 0 at the end of the connection. */
static int client_await(struct peer *p)
{
	struct msg msg;
	uint32_t len;

	if (receive_msg(p, &msg, &len) <= 0)
		return 0;
	if (len == MSG_BYTES)
		return 1;
	say("error: a go-ahead of %u bytes", len);
	return 0;
}

/* Return: 0 if the fault of this iteration explains the end of the connection, else 1. */
static int client_ended(struct peer *p, uint64_t iteration)
{
	bool planned = p->opt.fault != FAULT_NONE && p->opt.at == iteration;

	say("%s in iteration %" PRIu64, is_over(p) ? "ended by the peer" : "error",
	    iteration);
	return planned && is_over(p) ? 0 : 1;
}

/* Return: 1 after an iteration; 0 after a fault or an error, with *status set. */
static int client_iteration(struct peer *p, uint64_t iteration, int *status)
{
	client_fill(p, iteration);
	if (client_advertise(p, STAGE_FIRST, iteration)) {
		*status = await_end(p);
		return 0;
	}
	if (!client_await(p)) {
		*status = client_ended(p, iteration);
		return 0;
	}
	if (fault_at(p, STAGE_FIRST, iteration, status))
		return 0;
	if (client_advertise(p, STAGE_SECOND, iteration)) {
		*status = await_end(p);
		return 0;
	}
	if (!client_await(p)) {
		*status = client_ended(p, iteration);
		return 0;
	}
	if (memcmp(p->source, p->sink, p->size)) {
		say("error: the data of iteration %" PRIu64 " differs", iteration);
		*status = 1;
		return 0;
	}
	return !fault_at(p, STAGE_SECOND, iteration, status);
}

/* Finish after the last iteration. Return: the exit status. */
static int client_end(struct peer *p, uint64_t iteration)
{
	if (p->flags & FLAG_REPORT && send_finish(p, 0))
		return 1;
	/* After the report, any message is unexpected. */
	if (fault_is(p, FAULT_CTL, iteration)) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	rdma_disconnect(p->id);
	return !wait_for(p, is_over);
}

int client_loop(struct peer *p)
{
	uint64_t iteration;
	int status;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	for (iteration = 0; iteration < p->opt.count; iteration++)
		if (!client_iteration(p, iteration, &status))
			return status;
	say("iterations=%" PRIu64, iteration);
	if (p->opt.stage == STAGE_REPORT)
		p->opt.at = iteration;
	if (fault_at(p, STAGE_REPORT, iteration, &status))
		return status;
	if (p->opt.fault != FAULT_NONE && p->opt.at < iteration) {
		say("error: the peer has not noticed the fault");
		return 1;
	}
	return client_end(p, iteration);
}
