// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Run the faults that belong to both sides and all tests.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

/* Run the fault if it belongs to this stage. Return: true if it ran, with *status set. */
bool fault_at(struct peer *p, enum peer_stage stage, uint64_t iteration, int *status)
{
	if (p->opt.stage != stage || p->opt.at != iteration)
		return false;
	if (p->opt.fault == FAULT_RKEY)
		return false;
	say("fault at stage %s of iteration %" PRIu64, stage_name[stage],
	    iteration);
	switch (p->opt.fault) {
	case FAULT_EXIT:
		_exit(0);
	case FAULT_KILL:
		kill(getpid(), SIGKILL);
		break;
	case FAULT_DISCONNECT:
		/* Wait until krping has received the posted messages. */
		wait_for(p, all_sent);
		/* Before ESTABLISHED, rdma_disconnect() sends nothing. */
		wait_for(p, has_cm_word);
		rdma_disconnect(p->id);
		break;
	default:
		break;
	}
	*status = await_end(p);
	/* On iWARP a connection without a QP gets no event at its end, so ignore the timeout. */
	if (stage == STAGE_REQUEST)
		*status = 0;
	return true;
}

/* Check whether @fault was requested, and for this iteration. */
bool fault_is(const struct peer *p, enum peer_fault fault, uint64_t iteration)
{
	return p->opt.fault == fault && p->opt.at == iteration;
}

/*
 * Return: the key that the fault inv= invalidates. For inv=none, the function changes @own, the key
 * of an advert, to a key that no MR has.
 */
uint32_t inv_key(const struct peer *p, uint32_t own)
{
	if (!strcmp(p->opt.word, "none"))
		return wrong_key(own);
	return parse_number(p->opt.word, UINT32_MAX);
}

/* Check whether inv=@what was requested, and for this iteration. */
bool inv_is(const struct peer *p, const char *what, uint64_t iteration)
{
	return fault_is(p, FAULT_INV, iteration) && !strcmp(p->opt.word, what);
}

/* Send messages for the time of the fault talk=, or until a SEND fails. */
void send_until(struct peer *p, const struct msg *msg)
{
	int64_t end = now_ms() + p->opt.number;

	say("fault: talking for %" PRIu64 " ms", p->opt.number);
	send_msg(p, msg, MSG_BYTES / 2, false, 0);
	while (now_ms() < end && !p->wc_failed) {
		if (p->sends_posted - p->sends_done < SQ_DEPTH / 2)
			send_msg(p, msg, MSG_BYTES, false, 0);
		reap_events(p);
		reap_completions(p);
	}
}
