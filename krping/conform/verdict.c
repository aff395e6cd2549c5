// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Compute the verdict of a case. The functions depend on their arguments only.
 */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "verdict.h"

/**
 * conform_record_count() - count recorded completions
 * @r: the record
 * @recvs: count the completions of RECVs, else those of WRs of the SQ
 *
 * Return: the number.
 */
u32 conform_record_count(const struct krping_conform_record *r, bool recvs)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < r->nr_wcs && i < KRPING_CONFORM_WCS; i++)
		nr += conform_is_recv(&r->wc[i]) == recvs;
	return nr;
}

/**
 * conform_nr_wanted() - count the completions that a case expects
 * @masks: &conform_want.send or &conform_want.recv
 *
 * Return: number of masks that precede the first 0.
 */
u32 conform_nr_wanted(const u32 *masks)
{
	u32 nr = 0;

	while (nr < CONFORM_WANTS && masks[nr])
		nr++;
	return nr;
}

static bool conform_allows(u32 mask, u32 bit)
{
	return bit < 32 && mask & BIT(bit);
}

/*
 * Check that a queue has as many completions as expected, each with an allowed status. Their ids
 * must be @first, @first + 1, and so on.
 */
static bool conform_wcs_ok(const u32 *masks, u32 first, const struct krping_conform_record *r,
			   bool recvs)
{
	u32 want = conform_nr_wanted(masks);
	u32 nr = 0;
	u32 i;

	if (r->nr_wcs > KRPING_CONFORM_WCS)
		return false;
	for (i = 0; i < r->nr_wcs; i++) {
		const struct krping_conform_wc *wc = &r->wc[i];

		if (conform_is_recv(wc) != recvs)
			continue;
		if (nr == want || wc->id != first + nr ||
		    !conform_allows(masks[nr], wc->status))
			return false;
		nr++;
	}
	return nr == want;
}

/* Check that @want->own_recv RECVs of the requester have completed, each with a flush. */
static bool conform_own_recvs_ok(const struct conform_want *want,
				 const struct krping_conform_record *r)
{
	u32 flush[CONFORM_WANTS] = { 0 };
	u32 i;

	for (i = 0; i < want->own_recv && i < CONFORM_WANTS; i++)
		flush[i] = CONFORM_WC(WR_FLUSH_ERR);
	return conform_wcs_ok(flush, KRPING_CONFORM_RECV_ID, r, true);
}

static const struct krping_conform_wc *conform_first_recv(const struct krping_conform_record *r)
{
	u32 i;

	for (i = 0; i < r->nr_wcs && i < KRPING_CONFORM_WCS; i++)
		if (conform_is_recv(&r->wc[i]))
			return &r->wc[i];
	return NULL;
}

/*
 * Check the length of the first message, if the case expects one: @want->len bytes, or as many
 * bytes as must have changed in memory.
 */
static bool conform_len_ok(const struct conform_want *want,
			   const struct krping_conform_record *r)
{
	const struct krping_conform_wc *wc = conform_first_recv(r);
	u32 len = want->len_changed ? want->changed : want->len;

	return !(want->len_given || want->len_changed) || (wc && wc->byte_len == len);
}

/* Check opcode and flag of the first message, and its immediate data or invalidated key. */
static bool conform_message_ok(const struct conform_want *want, const struct conform_seen *seen)
{
	const struct krping_conform_record *p = &seen->responder;
	const struct krping_conform_wc *wc = conform_first_recv(p);

	if (!want->opcode && !want->flags)
		return true;
	if (!wc || (want->opcode && wc->opcode != want->opcode))
		return false;
	return !want->flags || ((wc->flags & want->flags) && p->imm == seen->imm);
}

static bool conform_bytes_ok(const struct krping_conform_record *r, u32 changed)
{
	return r->changed == changed && !r->garbled;
}

/* Check errno and bad_wr of the post, or its success if the case expects no errno. */
static bool conform_post_ok(const struct conform_want *want, const struct conform_seen *seen)
{
	if (!want->post[0] || (want->post_may && !seen->post))
		return !seen->post;
	if (!seen->post || (seen->post != -want->post[0] && seen->post != -want->post[1]))
		return false;
	return seen->bad == want->bad;
}

static bool conform_event_ok(const struct conform_want *want,
			     const struct krping_conform_record *r)
{
	if (!want->events)
		return true;
	if (r->event < 0)
		return want->events & CONFORM_NO_EVENT;
	return conform_allows(want->events & ~CONFORM_NO_EVENT, r->event);
}

/* Check the state of a QP. A state that the device does not report (@state < 0) passes. */
static bool conform_state_ok(u32 states, int state)
{
	return !states || state < 0 || conform_allows(states, state);
}

/**
 * conform_judge() - decide whether a device has behaved as a case expects
 * @want: the expected completions, states, events and bytes
 * @seen: the observations of both sides
 * @diff: set to the CONFORM_DIFF_* that differ
 *
 * Context: any context.
 *
 * Return: the verdict.
 */
enum conform_verdict conform_judge(const struct conform_want *want,
				   const struct conform_seen *seen, u32 *diff)
{
	static const struct conform_want none;
	const struct krping_conform_record *r = &seen->requester;
	const struct krping_conform_record *p = &seen->responder;

	*diff = 0;
	if (!seen->supported)
		return CONFORM_UNSUPPORTED;
	/*
	 * If the case could not run, or its positive control (a legal operation) has failed, the
	 * refusal of an illegal operation proves nothing.
	 */
	if (seen->error || !seen->control)
		return CONFORM_FAILED;
	if (!conform_post_ok(want, seen))
		*diff |= CONFORM_DIFF_POST;
	/* If the device may refuse the post, and does, expect no completion and no changed byte. */
	if (want->post_may && seen->post)
		want = &none;
	if (!conform_wcs_ok(want->send, want->first, r, false) ||
	    !conform_own_recvs_ok(want, r))
		*diff |= CONFORM_DIFF_SEND;
	if (!conform_wcs_ok(want->recv, KRPING_CONFORM_RECV_ID, p, true))
		*diff |= CONFORM_DIFF_RECV;
	if (!conform_len_ok(want, p))
		*diff |= CONFORM_DIFF_LEN;
	if (!conform_event_ok(want, p))
		*diff |= CONFORM_DIFF_EVENT;
	if (!conform_state_ok(want->state, r->state))
		*diff |= CONFORM_DIFF_QP;
	if (!conform_state_ok(want->peer_state, p->state) || (want->ended && !p->ended))
		*diff |= CONFORM_DIFF_PEER_QP;
	if (!conform_message_ok(want, seen))
		*diff |= CONFORM_DIFF_MESSAGE;
	if (!conform_bytes_ok(r, want->own_changed) || !conform_bytes_ok(p, want->changed))
		*diff |= CONFORM_DIFF_BYTES;
	return *diff ? CONFORM_DEVIATES : CONFORM_OK;
}
