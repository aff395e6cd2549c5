// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the verdicts of conform, krping's conformance test, on behaviour that no device of the tests
 * has, such as wrong bytes, wrong immediate data, completions of WRs that are not signaled, and a
 * refusal on one side only.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "../../krping/conform/verdict.h"
#include "tap.h"

/* Expect that a message arrives with immediate data, and moves bytes on both sides. */
static const struct conform_want message = {
	.send		= { CONFORM_WC(SUCCESS), CONFORM_WC(SUCCESS) },
	.first		= 1,
	.recv		= { CONFORM_WC(SUCCESS) },
	.changed	= 64,
	.own_changed	= 8,
	.len_changed	= true,
	.opcode		= IB_WC_RECV_RDMA_WITH_IMM,
	.flags		= IB_WC_WITH_IMM,
};

/* Expect that the device refuses a WRITE, and that the responder's connection ends. */
static const struct conform_want refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
	.ended		= true,
};

/* Expect that the post of the third WR fails, or that the WR fails as in refused. */
static const struct conform_want post_refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.post		= { EINVAL, EOPNOTSUPP },
	.post_may	= true,
	.bad		= 2,
};

static struct conform_seen seen;

/* Set the observations to those that message expects. */
static void see_message(void)
{
	memset(&seen, 0, sizeof(seen));
	seen.supported = true;
	seen.control = true;
	seen.bad = -1;
	seen.imm = 0x01020304;
	seen.requester.event = -1;
	seen.requester.state = -1;
	seen.requester.nr_wcs = 2;
	seen.requester.wc[0].id = 1;
	seen.requester.wc[1].id = 2;
	seen.requester.changed = 8;
	seen.responder = seen.requester;
	seen.responder.nr_wcs = 1;
	seen.responder.wc[0].id = KRPING_CONFORM_RECV_ID;
	seen.responder.wc[0].opcode = IB_WC_RECV_RDMA_WITH_IMM;
	seen.responder.wc[0].flags = IB_WC_WITH_IMM;
	seen.responder.wc[0].byte_len = 64;
	seen.responder.changed = 64;
	seen.responder.imm = 0x01020304;
}

/* Set the observations to those that refused expects. */
static void see_refused(void)
{
	memset(&seen, 0, sizeof(seen));
	seen.supported = true;
	seen.control = true;
	seen.bad = -1;
	seen.requester.event = -1;
	seen.requester.state = IB_QPS_ERR;
	seen.requester.nr_wcs = 1;
	seen.requester.wc[0].status = IB_WC_REM_ACCESS_ERR;
	seen.responder.event = IB_EVENT_QP_ACCESS_ERR;
	seen.responder.state = IB_QPS_ERR;
	seen.responder.ended = true;
}

/* Test that the verdict on the expectation has the differences @diff. */
static void judged_by(const struct conform_want *want, u32 diff, const char *what)
{
	u32 got = 0;
	enum conform_verdict verdict = conform_judge(want, &seen, &got);

	if (!ok(got == diff && verdict == (diff ? CONFORM_DEVIATES : CONFORM_OK), "%s", what))
		diag("differs: 0x%x instead of 0x%x", got, diff);
}

/* Test the verdict on message, and reset the observations. */
static void judged(u32 diff, const char *what)
{
	judged_by(&message, diff, what);
	see_message();
}

/* Test the verdict on refused, and reset the observations. */
static void judged_refused(u32 diff, const char *what)
{
	judged_by(&refused, diff, what);
	see_refused();
}

/* Test bytes that are wrong or missing. */
static void test_bytes(void)
{
	seen.responder.garbled = 1;
	judged(CONFORM_DIFF_BYTES, "deviates: one byte of the responder is not the requester's");
	seen.requester.garbled = 1;
	judged(CONFORM_DIFF_BYTES, "deviates: one byte of the requester is not the responder's");
	seen.requester.changed = 0;
	judged(CONFORM_DIFF_BYTES, "deviates: nothing has arrived at the requester");
	seen.responder.changed = 63;
	judged(CONFORM_DIFF_BYTES, "deviates: a byte has not arrived at the responder");
	seen.responder.wc[0].byte_len = 63;
	judged(CONFORM_DIFF_LEN, "deviates: the RECV reports fewer bytes than have arrived");
}

/* Test a RECV whose completion has wrong fields. */
static void test_message(void)
{
	seen.responder.imm = 0x04030201;
	judged(CONFORM_DIFF_MESSAGE, "deviates: the immediate data has another byte order");
	seen.responder.wc[0].flags = 0;
	judged(CONFORM_DIFF_MESSAGE, "deviates: the RECV has no flag for the immediate data");
	seen.responder.wc[0].flags = IB_WC_WITH_INVALIDATE;
	judged(CONFORM_DIFF_MESSAGE, "deviates: the RECV has the flag of an invalidated key");
	seen.responder.wc[0].opcode = IB_WC_RECV;
	judged(CONFORM_DIFF_MESSAGE, "deviates: the RECV has the opcode of a SEND");
	seen.responder.nr_wcs = 0;
	judged(CONFORM_DIFF_RECV | CONFORM_DIFF_LEN | CONFORM_DIFF_MESSAGE,
	       "deviates: the RECV has no completion");
}

/* Test completions of the wrong WRs: the message signals its WRs 1 and 2, and not WR 0. */
static void test_first(void)
{
	seen.requester.wc[0].id = 0;
	seen.requester.wc[1].id = 1;
	judged(CONFORM_DIFF_SEND, "deviates: a WR completes that is not signaled");
	seen.requester.wc[0].id = 2;
	seen.requester.wc[1].id = 1;
	judged(CONFORM_DIFF_SEND, "deviates: WRs complete in another order");
	seen.requester.nr_wcs = 3;
	seen.requester.wc[2].id = 2;
	judged(CONFORM_DIFF_SEND, "deviates: a WR completes twice");
}

/* Test a refused WRITE if one observation differs from the expected ones. */
static void test_refused(void)
{
	see_refused();
	judged_refused(0, "refused: as expected");
	seen.requester.wc[0].status = IB_WC_SUCCESS;
	judged_refused(CONFORM_DIFF_SEND, "refused: the WRITE succeeds");
	seen.requester.state = IB_QPS_RTS;
	judged_refused(CONFORM_DIFF_QP, "refused: the requester's QP stays ready");
	seen.responder.state = IB_QPS_RTS;
	judged_refused(CONFORM_DIFF_PEER_QP, "refused: the responder's QP stays ready");
	seen.responder.ended = false;
	judged_refused(CONFORM_DIFF_PEER_QP, "refused: the responder's connection stays");
	seen.responder.event = -1;
	judged_refused(CONFORM_DIFF_EVENT, "refused: no event");
	seen.responder.event = IB_EVENT_QP_FATAL;
	judged_refused(CONFORM_DIFF_EVENT, "refused: another event");
	seen.responder.changed = 1;
	judged_refused(CONFORM_DIFF_BYTES, "refused: a byte has arrived nevertheless");
	seen.post = -EINVAL;
	judged_refused(CONFORM_DIFF_POST, "refused: the post fails");
}

/* Test a refusal for which either the post or the WR may fail. */
static void test_post(void)
{
	see_refused();
	judged_by(&post_refused, 0, "post: the post succeeds, and the WR fails");
	seen.post = -EINVAL;
	seen.bad = 2;
	judged_by(&post_refused, CONFORM_DIFF_SEND, "post: the post fails, and the WR completes");
	seen.requester.nr_wcs = 0;
	judged_by(&post_refused, 0, "post: the post fails with the first errno");
	seen.post = -EOPNOTSUPP;
	judged_by(&post_refused, 0, "post: the post fails with the second errno");
	seen.post = -ENOMEM;
	judged_by(&post_refused, CONFORM_DIFF_POST, "post: the post fails with another errno");
	seen.post = -EINVAL;
	seen.bad = 0;
	judged_by(&post_refused, CONFORM_DIFF_POST, "post: bad_wr is another WR");
}

/* Test that the verdict is @want, whatever differs, and reset the observations. */
static void not_judged(enum conform_verdict want, const char *what)
{
	u32 diff = 0;

	ok(conform_judge(&refused, &seen, &diff) == want && !diff, "%s", what);
	see_refused();
}

/* Test the verdicts on a case that could not be run. */
static void test_not_run(void)
{
	see_refused();
	seen.control = false;
	not_judged(CONFORM_FAILED, "failed: the positive control has failed");
	seen.error = -ETIMEDOUT;
	not_judged(CONFORM_FAILED, "failed: the case could not be run");
	seen.supported = false;
	seen.error = -EOPNOTSUPP;
	not_judged(CONFORM_UNSUPPORTED, "unsupported: the device lacks the operation");
}

int main(void)
{
	see_message();
	judged(0, "does not deviate: all observations are as expected");
	test_bytes();
	test_message();
	test_first();
	test_refused();
	test_post();
	test_not_run();
	return tap_done();
}
