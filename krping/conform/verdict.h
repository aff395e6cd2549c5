/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Compute the verdict of a case, by comparing its expectation with the observations of both sides.
 * The requester is the client, and the responder is the server.
 */
#ifndef KRPING_CONFORM_VERDICT_H
#define KRPING_CONFORM_VERDICT_H

#include <linux/bits.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "../wire_conform.h"

/* Maximum number of completions that a case may expect from each queue. */
#define CONFORM_WANTS	KRPING_CONFORM_WCS

/* In &conform_want.events: no event at all. */
#define CONFORM_NO_EVENT	BIT(31)

/* Bit of a completion status in a mask; mask of all errors; mask of all statuses. */
#define CONFORM_WC(status)	BIT(IB_WC_##status)
#define CONFORM_WC_FAILED	(~(u32)BIT(IB_WC_SUCCESS))
#define CONFORM_WC_ANY		(~0U)

/* Bit of a QP state, and bit of an event, in a mask. */
#define CONFORM_STATE(state)	BIT(IB_QPS_##state)
#define CONFORM_EVENT(event)	BIT(IB_EVENT_##event)

/**
 * enum conform_verdict - verdict of a case
 * @CONFORM_NONE: the case has not ended
 * @CONFORM_OK: the device has done what the case expects
 * @CONFORM_DEVIATES: the device has done something else
 * @CONFORM_UNSUPPORTED: the transport or the device lacks the feature
 * @CONFORM_FAILED: the case could not run
 * @CONFORM_VERDICTS: number of verdicts
 */
enum conform_verdict {
	CONFORM_NONE,
	CONFORM_OK,
	CONFORM_DEVIATES,
	CONFORM_UNSUPPORTED,
	CONFORM_FAILED,
	CONFORM_VERDICTS
};

/* Bits of @diff of conform_judge(): observations that differ from the expectation. */
#define CONFORM_DIFF_POST	BIT(0)	/* errno or bad_wr of the post */
#define CONFORM_DIFF_SEND	BIT(1)	/* completions of the requester's SQ or RQ */
#define CONFORM_DIFF_RECV	BIT(2)	/* completions of the responder's RQ */
#define CONFORM_DIFF_LEN	BIT(3)	/* byte_len of the responder's first RECV */
#define CONFORM_DIFF_EVENT	BIT(4)	/* event of the responder's QP */
#define CONFORM_DIFF_QP		BIT(5)	/* state of the requester's QP */
#define CONFORM_DIFF_PEER_QP	BIT(6)	/* state of the responder's QP, or end of its connection */
#define CONFORM_DIFF_BYTES	BIT(7)	/* changed bytes in the memory of either side */
#define CONFORM_DIFF_MESSAGE	BIT(8)	/* opcode, flags, data of the responder's first RECV */
#define CONFORM_DIFFS		9

/**
 * struct conform_want - the expectation of a case
 * @send: masks of allowed statuses, one for each completion of the requester's SQ; then 0
 * @first: index of the WR that completes first; earlier WRs are not signaled
 * @recv: masks of allowed statuses, one for each completion of the responder's RQ; then 0
 * @own_recv: number of RECVs of the requester that must be flushed
 * @events: mask of the allowed events of the responder's QP; 0: any or none
 * @state: mask of the allowed states of the requester's QP; 0: any
 * @peer_state: mask of the allowed states of the responder's QP; 0: any
 * @ended: the connection of the responder must have ended
 * @post: one or two positive errnos, one of which the post must return; both 0: the post must
 *	succeed
 * @post_may: the post may also succeed. If the post succeeds, the other fields describe what must
 *	follow; if the post fails, no effect may follow
 * @bad: index of the WR that bad_wr must name, if the post fails
 * @changed: number of bytes of the responder's memory that must have changed; each must now be
 *	the requester's byte of the same offset
 * @own_changed: as @changed, for the requester's memory
 * @len_given: the case expects @len
 * @len_changed: byte_len must be @changed, instead of @len
 * @len: byte_len of the first completion of the responder's RQ
 * @opcode: opcode of the first completion of the responder's RQ; 0: any
 * @flags: IB_WC_WITH_IMM or IB_WC_WITH_INVALIDATE, a flag that this completion must have, and
 *	whose data must be &conform_seen.imm; 0: any
 */
struct conform_want {
	u32 send[CONFORM_WANTS];
	u32 first;
	u32 recv[CONFORM_WANTS];
	u32 own_recv;
	u32 events;
	u32 state;
	u32 peer_state;
	bool ended;
	int post[2];
	bool post_may;
	int bad;
	u32 changed;
	u32 own_changed;
	bool len_given;
	bool len_changed;
	u32 len;
	u32 opcode;
	u32 flags;
};

/**
 * struct conform_seen - the observations of both sides
 * @error: negative errno if the case could not run; else 0
 * @supported: transport and device have what the case needs
 * @forbidden: the server refuses to open the case because its command lacks mem_mode=dma
 * @control: the positive control, a legal operation, has succeeded
 * @post: return value of the post
 * @bad: index of the WR that bad_wr has named; -1: none
 * @imm: immediate data, or key to invalidate, of the first WR
 * @requester: record of the client
 * @responder: record of the server
 * @own_trace: trace of the client; no verdict depends on the traces
 * @peer_traced: the server has sent @peer_trace, which older servers do not
 * @peer_trace: trace of the server
 */
struct conform_seen {
	int error;
	bool supported;
	bool forbidden;
	bool control;
	int post;
	int bad;
	u32 imm;
	struct krping_conform_record requester;
	struct krping_conform_record responder;
	struct krping_conform_trace own_trace;
	bool peer_traced;
	struct krping_conform_trace peer_trace;
};

/* Compare the observations with the expectation. */
enum conform_verdict conform_judge(const struct conform_want *want,
				   const struct conform_seen *seen, u32 *diff);

/**
 * conform_is_recv() - check whether a completion belongs to a RECV
 * @wc: the completion
 *
 * Return: true for a RECV, false for a WR of the SQ.
 */
static inline bool conform_is_recv(const struct krping_conform_wc *wc)
{
	return wc->id >= KRPING_CONFORM_RECV_ID;
}

/* Return the number of recorded completions: of RECVs if @recvs is set, else of WRs of the SQ. */
u32 conform_record_count(const struct krping_conform_record *r, bool recvs);

/* Return the number of completions that &conform_want.send or &conform_want.recv expects. */
u32 conform_nr_wanted(const u32 *masks);

#endif /* KRPING_CONFORM_VERDICT_H */
