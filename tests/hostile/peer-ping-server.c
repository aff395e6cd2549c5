// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server of the test ping, and its faults. The server answers each advert by a go-ahead, after
 * which the client continues.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/* Receive an advert. Return: as receive_msg(), but 2 for the finish message. */
static int server_take(struct peer *p, struct msg *advert, const char *what)
{
	uint32_t len;
	int ret = receive_msg(p, advert, &len);

	if (ret <= 0)
		return ret;
	if (ctl_type(advert, len) == CTL_FINISH)
		return 2;
	say("%s addr=0x%" PRIx64 " rkey=0x%x size=%u", what,
	    be64toh(advert->addr), be32toh(advert->rkey), be32toh(advert->size));
	if (len != MSG_BYTES || be32toh(advert->size) > p->size) {
		say("error: a message of %u bytes", len);
		return -1;
	}
	return 1;
}

/* Send the go-ahead that answers @advert. With inv=own or inv=stale, it invalidates a key. */
static void server_go_ahead(struct peer *p, const struct msg *advert,
			    enum peer_stage stage, uint64_t iteration)
{
	uint32_t key = be32toh(advert->rkey);
	bool own = stage == STAGE_FIRST && inv_is(p, "own", iteration);
	bool stale = stage == STAGE_SECOND && inv_is(p, "stale", iteration);

	if (stage == STAGE_FIRST)
		p->first_key = key;
	if (stale)
		key = p->first_key;
	if (own || stale)
		say("fault: SEND_WITH_INV of key 0x%x", key);
	send_msg(p, advert, MSG_BYTES, p->server_inv || own || stale, key);
}

/* Run a fault that replaces the first go-ahead. Return: true if it ran. */
static bool server_fault(struct peer *p, const struct msg *advert,
			 uint64_t iteration)
{
	uint32_t key = be32toh(advert->rkey);

	if (fault_is(p, FAULT_LENGTH, iteration)) {
		say("fault: a go-ahead of %" PRIu64 " bytes", p->opt.number);
		send_msg(p, advert, p->opt.number, false, 0);
	} else if (fault_is(p, FAULT_TWICE, iteration)) {
		say("fault: two go-aheads");
		send_msg(p, advert, MSG_BYTES, false, 0);
		send_msg(p, advert, MSG_BYTES, false, 0);
	} else if (fault_is(p, FAULT_EARLY, iteration)) {
		/* The early go-ahead was the first one. This is the second, before the WRITE. */
		send_msg(p, advert, MSG_BYTES, false, 0);
	} else if (fault_is(p, FAULT_CTL, iteration)) {
		send_wrong_ctl(p, p->opt.word);
	} else if (fault_is(p, FAULT_BURST, iteration)) {
		say("fault: %" PRIu64 " go-aheads", p->opt.number);
		send_burst(p, advert, MSG_BYTES);
	} else if (fault_is(p, FAULT_TALK, iteration)) {
		send_until(p, advert);
	} else if (fault_is(p, FAULT_INV, iteration) &&
		   strcmp(p->opt.word, "own") && strcmp(p->opt.word, "stale")) {
		key = inv_key(p, key);
		say("fault: SEND_WITH_INV of key 0x%x", key);
		send_msg(p, advert, MSG_BYTES, true, key);
	} else {
		return false;
	}
	return true;
}

/* Answer the finish message. Return: the exit status. */
static int server_finish(struct peer *p, uint64_t iteration)
{
	int status;

	if (!(p->flags & FLAG_REPORT) || (p->count && p->count != iteration)) {
		say("error: the client has finished too early");
		return 1;
	}
	say("finished after %" PRIu64, iteration);
	if (p->opt.stage == STAGE_REPORT)
		p->opt.at = iteration;
	if (fault_at(p, STAGE_REPORT, iteration, &status))
		return status;
	if (p->opt.fault == FAULT_CTL && p->opt.at == iteration)
		send_wrong_ctl(p, p->opt.word);
	else
		send_report(p, iteration);
	return await_end(p);
}

/* Return: 1 after an iteration; 0 if it was not completed or a fault ran, with *status set. */
static int server_iteration(struct peer *p, uint64_t iteration, int *status)
{
	struct extent all = { 0 };
	struct msg advert;
	uint32_t len;
	int ret;

	*status = 1;
	ret = server_take(p, &advert, "source");
	if (ret == 2) {
		*status = server_finish(p, iteration);
		return 0;
	}
	if (ret <= 0) {
		*status = ret || (p->opt.count_given && p->opt.count != iteration);
		/* The client should disconnect at once, because of the wrong REP. */
		if (p->opt.fault == FAULT_REP)
			*status = iteration > 0;
		return 0;
	}
	if (fault_at(p, STAGE_FIRST, iteration, status))
		return 0;
	len = be32toh(advert.size);
	if (!rdma_all(p, IBV_WR_RDMA_READ, &advert, len))
		return 0;
	if (server_fault(p, &advert, iteration)) {
		*status = await_end(p);
		return 0;
	}
	server_go_ahead(p, &advert, STAGE_FIRST, iteration);

	if (server_take(p, &advert, "sink") != 1)
		return 0;
	if (fault_at(p, STAGE_SECOND, iteration, status))
		return 0;
	all.len = len;
	if (fault_is(p, FAULT_CORRUPT, iteration))
		spoil_data(p, iteration, false, &all);
	else
		memcpy(p->before, p->source, len);
	if (!rdma_at(p, IBV_WR_RDMA_WRITE, &advert, &all))
		return 0;
	if (fault_is(p, FAULT_CTL_SECOND, iteration)) {
		send_wrong_ctl(p, p->opt.word);
		*status = await_end(p);
		return 0;
	}
	server_go_ahead(p, &advert, STAGE_SECOND, iteration);
	return !fault_at(p, STAGE_END, iteration, status);
}

int server_loop(struct peer *p)
{
	uint64_t iteration = 0;
	int status;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_EARLY) {
		static const struct msg msg;

		say("fault: a go-ahead before the first advertisement");
		send_msg(p, &msg, MSG_BYTES, false, 0);
	}
	while (server_iteration(p, iteration, &status))
		iteration++;
	say("iterations=%" PRIu64, iteration);
	return status;
}
