// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A client that sends invalid requests about the regions that clients open to each other.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer-regions.h"

/* Values of enum krping_ask. 1, 2 and 3 request to open, to close and to list regions. */
#define ASK_REGION	4

static void regions_send_ask(struct peer *p, uint32_t what, uint64_t id)
{
	struct ask_msg ask = {
		.ctl = { .magic = htobe32(MAGIC), .type = CTL_ASK, .value = htobe64(id) },
		.what = htobe32(what),
		.rights = htobe32(UINT32_MAX),
	};

	memset(ask.reserved, 0xa5, sizeof(ask.reserved));
	send_data(p, &ask, sizeof(ask), sizeof(ask), false, 0);
}

static bool regions_take_answer(struct peer *p, struct answer_msg *answer)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	memcpy(answer, data, sizeof(*answer));
	if (len == sizeof(*answer) && be32toh(answer->ctl.magic) == MAGIC &&
	    answer->ctl.type == CTL_ANSWER)
		return true;
	say("error: a message of %u bytes instead of an answer", len);
	return false;
}

/* Send a request. Return: true if the answer has the verdict @verdict. */
static bool regions_ask(struct peer *p, uint32_t what, uint64_t id, uint32_t verdict)
{
	struct answer_msg answer;

	regions_send_ask(p, what, id);
	if (!regions_take_answer(p, &answer))
		return false;
	if (be32toh(answer.verdict) == verdict)
		return true;
	say("error: the verdict on request %u is %u instead of %u", what,
	    be32toh(answer.verdict), verdict);
	return false;
}

/*
 * Send invalid requests between valid ones. Return: true if the server gives each request the
 * expected verdict, which is the last argument of regions_ask() (an enum krping_verdict).
 */
static bool regions_ask_nonsense(struct peer *p)
{
	int i;

	for (i = 0; i < 50; i++)
		if (!regions_ask(p, 0, 0, 1) || !regions_ask(p, UINT32_MAX, 0, 1) ||
		    !regions_ask(p, 2, 0, 6) || !regions_ask(p, ASK_REGION, 0, 2) ||
		    !regions_ask(p, ASK_REGION, UINT64_MAX, 2) ||
		    !regions_ask(p, 3, 7, 0) || !regions_ask(p, 1, 7, 0) ||
		    !regions_ask(p, 1, 0, 5) || !regions_ask(p, 3, 0, 0) ||
		    !regions_ask(p, 2, 0, 0))
			return false;
	return true;
}

/*
 * Send 1000 pairs of requests, the second request without waiting for the answer to the first. The
 * server must reject a second request that arrives before it has answered the first. A fast server
 * may answer a first request before the second arrives, but not in all pairs.
 */
static int regions_ask_in_pairs(struct peer *p)
{
	struct answer_msg answer;
	int i;

	for (i = 0; i < 1000 && !is_over(p); i++) {
		regions_send_ask(p, 3, 0);
		regions_send_ask(p, 3, 0);
		if (!regions_take_answer(p, &answer) || !regions_take_answer(p, &answer))
			break;
	}
	return await_end(p);
}

/* Get the keys of another client's open region. Return: 0 on success. */
static int regions_hold(struct peer *p, uint64_t id, struct msg *piece)
{
	struct answer_msg answer;

	regions_send_ask(p, ASK_REGION, id);
	if (!regions_take_answer(p, &answer) || answer.verdict ||
	    !rdma_all(p, IBV_WR_RDMA_READ, &answer.list, sizeof(*piece)))
		return 1;
	memcpy(piece, p->source, sizeof(*piece));
	return 0;
}

/*
 * Carry out the option --fault ask=WHAT, except ask=early. Return: the exit status, or -1 if the
 * client goes on. If WHAT is the id of a region and the client goes on, *piece is the first piece
 * of this region.
 */
int regions_client(struct peer *p, struct msg *piece)
{
	const char *what = p->opt.word;
	int i;

	say("fault: ask %s", what);
	if (!strcmp(what, "nonsense"))
		return regions_ask_nonsense(p) ? -1 : 1;
	if (!strcmp(what, "twice"))
		return regions_ask_in_pairs(p);
	if (!strcmp(what, "deaf")) {
		for (i = 0; i < 1000 && wait_for_room(p); i++)
			regions_send_ask(p, 3, 0);
		return await_end(p);
	}
	return regions_hold(p, parse_number(what, UINT32_MAX), piece) ? 1 : -1;
}

/* Send a request before the server has sent the advert of this client's own region. */
int regions_early(struct peer *p)
{
	say("fault: ask early");
	regions_send_ask(p, 3, 0);
	return await_end(p);
}
