/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Client side of the test `conform`. The client runs the cases, and judges what both sides have
 * recorded.
 */
#ifndef KRPING_CONFORM_CLIENT_H
#define KRPING_CONFORM_CLIENT_H

#include "case.h"
#include "conform.h"
#include "message.h"

/* Timeout of the server's answer, in milliseconds. Any step of the server takes less time. */
#define CONFORM_ANSWER_WAIT	20000

/* Post at most this many WRs to fill an SQ, so that their completions fit into the CQ. */
#define CONFORM_FILL		48

/* Maximum number of SGEs of a WR in a case. */
#define CONFORM_SGES_MAX	64

/**
 * struct conform_result - result of one case
 * @c: the case
 * @verdict: verdict of the case
 * @diff: which observations differ from the expectation, CONFORM_DIFF_*
 * @repeated: the case has run again because a WR had no completion
 * @reruns: how often the case has run again for another reason, &conform_case.timed
 * @seen: the observations of both sides, in the last run
 */
struct conform_result {
	const struct conform_case *c;
	enum conform_verdict verdict;
	u32 diff;
	bool repeated;
	u32 reruns;
	struct conform_seen seen;
};

/**
 * struct krping_conform_results - results of a run
 * @nr: number of cases that have ended
 * @room: number of elements that @result has room for
 * @iwarp: the transport is iWARP
 * @result: the results, in the order of the cases
 */
struct krping_conform_results {
	u32 nr;
	u32 room;
	bool iwarp;
	struct conform_result result[];
};

/**
 * struct conform_wr - memory of one WR
 * @rdma: a WR that is neither atomic nor a registration
 * @atomic: an atomic operation
 * @reg: a registration
 * @sge: SGEs of the WR
 */
struct conform_wr {
	union {
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
		struct ib_reg_wr reg;
	};
	struct ib_sge sge[CONFORM_SGES_MAX];
};

/**
 * struct conform_client - a client that runs cases
 * @thread: the test's thread
 * @message: memory and SEND of the requests to the server
 * @nr: serial number of the last request
 * @step: step of the last request
 * @answer: the server's answer to the last request
 * @trace: the last trace that the server has sent
 * @answered: @answer has arrived
 * @fatal: error of the control connection, which ends the run; 0: none
 * @repeats: number of cases that were repeated
 * @side: the client's QP, memory and record for the current case; NULL: no case runs
 * @want: expectation of the current case
 * @mtu_want: copy of @want in which conform_expect_mtu() has set the number of bytes
 * @seen: observations of both sides in the current case
 * @recvs: number of RECVs that the client has posted since conform_begin()
 * @wr: memory of the WRs that the current case posts
 */
struct conform_client {
	struct krping_thread *thread;
	struct conform_message message;
	u64 nr;
	enum krping_conform_step step;
	struct krping_conform_answer answer;
	struct krping_conform_trace trace;
	bool answered;
	int fatal;
	u32 repeats;
	struct conform_side *side;
	const struct conform_want *want;
	struct conform_want mtu_want;
	struct conform_seen *seen;
	u32 recvs;
	struct conform_wr wr[CONFORM_DEPTH];
};

/* Let the server do a step, and wait for the answer. */
int conform_ask(struct conform_client *c, enum krping_conform_step step, const u32 *args);

bool conform_is_atomic(enum ib_wr_opcode opcode);

/* Post @ops as one chain, and record errno and bad_wr of the post. */
void conform_post_chain(struct conform_client *c, struct ib_qp *qp, const struct conform_op *ops,
			u32 nr);

#endif /* KRPING_CONFORM_CLIENT_H */
