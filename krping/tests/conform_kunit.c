// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of conform_judge(), which computes the verdict of a conformance case.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../conform/verdict.c"

/* Expect that the device refuses a WRITE. seen_refused() makes observations that match. */
static const struct conform_want refused = {
	.send		= { CONFORM_WC(REM_ACCESS_ERR) },
	.state		= CONFORM_STATE(ERR),
	.peer_state	= CONFORM_STATE(ERR),
	.events		= CONFORM_EVENT(QP_ACCESS_ERR),
};

static void seen_refused(struct conform_seen *seen)
{
	memset(seen, 0, sizeof(*seen));
	seen->supported = true;
	seen->control = true;
	seen->bad = -1;
	seen->requester.nr_wcs = 1;
	seen->requester.wc[0].status = IB_WC_REM_ACCESS_ERR;
	seen->requester.event = -1;
	seen->requester.state = IB_QPS_ERR;
	seen->responder.event = IB_EVENT_QP_ACCESS_ERR;
	seen->responder.state = IB_QPS_ERR;
}

/* Check that @seen deviates from @want in exactly @diff, or not at all if @diff is 0. */
static void deviates(struct kunit *test, const struct conform_want *want,
		     const struct conform_seen *seen, u32 diff)
{
	u32 got = 0;

	KUNIT_EXPECT_EQ(test, (int)conform_judge(want, seen, &got),
			(int)(diff ? CONFORM_DEVIATES : CONFORM_OK));
	KUNIT_EXPECT_EQ(test, got, diff);
}

/* A missing feature decides first, then a case that could not run, then differences. */
static void verdict_order(struct kunit *test)
{
	struct conform_seen seen;
	u32 diff = 7;

	seen_refused(&seen);
	KUNIT_EXPECT_EQ(test, (int)conform_judge(&refused, &seen, &diff), (int)CONFORM_OK);
	KUNIT_EXPECT_EQ(test, diff, 0U);
	seen.control = false;
	KUNIT_EXPECT_EQ(test, (int)conform_judge(&refused, &seen, &diff), (int)CONFORM_FAILED);
	seen.control = true;
	seen.error = -ETIMEDOUT;
	KUNIT_EXPECT_EQ(test, (int)conform_judge(&refused, &seen, &diff), (int)CONFORM_FAILED);
	seen.supported = false;
	KUNIT_EXPECT_EQ(test, (int)conform_judge(&refused, &seen, &diff),
			(int)CONFORM_UNSUPPORTED);
}

static void verdict_send(struct kunit *test)
{
	static const struct conform_want two = {
		.send = { CONFORM_WC(REM_ACCESS_ERR), CONFORM_WC(WR_FLUSH_ERR) },
	};
	struct conform_seen seen;
	struct krping_conform_record *r = &seen.requester;

	seen_refused(&seen);
	r->wc[0].status = IB_WC_SUCCESS;
	deviates(test, &refused, &seen, CONFORM_DIFF_SEND);
	r->wc[0].status = 200;
	deviates(test, &refused, &seen, CONFORM_DIFF_SEND);
	r->wc[0].status = IB_WC_REM_ACCESS_ERR;
	r->nr_wcs = 0;
	deviates(test, &refused, &seen, CONFORM_DIFF_SEND);
	/* The same WR completes twice. */
	r->nr_wcs = 2;
	r->wc[1] = r->wc[0];
	deviates(test, &refused, &seen, CONFORM_DIFF_SEND);
	r->wc[1].status = IB_WC_WR_FLUSH_ERR;
	deviates(test, &two, &seen, CONFORM_DIFF_SEND);
	r->wc[1].id = 1;
	deviates(test, &two, &seen, 0);
	/* The WRs complete in the wrong order. */
	swap(r->wc[0].id, r->wc[1].id);
	deviates(test, &two, &seen, CONFORM_DIFF_SEND);
	/* More completions than a record can hold. */
	swap(r->wc[0].id, r->wc[1].id);
	r->nr_wcs = KRPING_CONFORM_WCS + 1;
	deviates(test, &two, &seen, CONFORM_DIFF_SEND);
}

static void verdict_recv(struct kunit *test)
{
	struct conform_want want = refused;
	struct krping_conform_record *p;
	struct conform_seen seen;

	seen_refused(&seen);
	p = &seen.responder;
	want.recv[0] = CONFORM_WC(SUCCESS);
	deviates(test, &want, &seen, CONFORM_DIFF_RECV);
	p->nr_wcs = 1;
	p->wc[0].id = KRPING_CONFORM_RECV_ID;
	p->wc[0].byte_len = 5;
	deviates(test, &want, &seen, 0);
	deviates(test, &refused, &seen, CONFORM_DIFF_RECV);
	want.len_given = true;
	want.len = 5;
	deviates(test, &want, &seen, 0);
	want.len = 0;
	deviates(test, &want, &seen, CONFORM_DIFF_LEN);
	want.len_changed = true;
	want.changed = 1;
	deviates(test, &want, &seen, CONFORM_DIFF_LEN | CONFORM_DIFF_BYTES);
	want.len_changed = false;
	want.changed = 0;
	/* A RECV of the requester is flushed. */
	seen.requester.nr_wcs = 2;
	seen.requester.wc[1].id = KRPING_CONFORM_RECV_ID;
	seen.requester.wc[1].status = IB_WC_WR_FLUSH_ERR;
	want.len = 5;
	deviates(test, &want, &seen, CONFORM_DIFF_SEND);
	want.own_recv = 1;
	deviates(test, &want, &seen, 0);
	seen.requester.wc[1].status = IB_WC_SUCCESS;
	deviates(test, &want, &seen, CONFORM_DIFF_SEND);
}

static void verdict_post(struct kunit *test)
{
	struct conform_want want = { .post = { EINVAL, EOPNOTSUPP }, .bad = 2 };
	struct conform_seen seen;

	seen_refused(&seen);
	seen.requester.nr_wcs = 0;
	deviates(test, &want, &seen, CONFORM_DIFF_POST);
	seen.post = -EINVAL;
	deviates(test, &want, &seen, CONFORM_DIFF_POST);
	seen.bad = 2;
	deviates(test, &want, &seen, 0);
	seen.post = -EOPNOTSUPP;
	deviates(test, &want, &seen, 0);
	seen.post = -EIO;
	deviates(test, &want, &seen, CONFORM_DIFF_POST);
	/* If a case names no errno, the post must succeed. */
	seen_refused(&seen);
	seen.post = -EINVAL;
	deviates(test, &refused, &seen, CONFORM_DIFF_POST);
	/* With post_may, either the post fails with one of the errnos, or the WR must fail. */
	want = refused;
	want.post[0] = EINVAL;
	want.post_may = true;
	seen.bad = 0;
	deviates(test, &want, &seen, CONFORM_DIFF_SEND);
	seen.requester.nr_wcs = 0;
	seen.responder.event = -1;
	deviates(test, &want, &seen, 0);
	seen_refused(&seen);
	deviates(test, &want, &seen, 0);
	seen.responder.event = -1;
	deviates(test, &want, &seen, CONFORM_DIFF_EVENT);
}

static void verdict_event_and_state(struct kunit *test)
{
	struct conform_want want = refused;
	struct conform_seen seen;

	seen_refused(&seen);
	seen.responder.event = -1;
	deviates(test, &refused, &seen, CONFORM_DIFF_EVENT);
	want.events = CONFORM_NO_EVENT;
	deviates(test, &want, &seen, 0);
	seen.responder.event = IB_EVENT_QP_ACCESS_ERR;
	deviates(test, &want, &seen, CONFORM_DIFF_EVENT);
	/* Bit 31 of a mask is CONFORM_NO_EVENT, so no mask allows an event 31. */
	seen.responder.event = 31;
	deviates(test, &want, &seen, CONFORM_DIFF_EVENT);
	want.events = 0;
	deviates(test, &want, &seen, 0);

	seen_refused(&seen);
	seen.requester.state = IB_QPS_RTS;
	deviates(test, &refused, &seen, CONFORM_DIFF_QP);
	seen.requester.state = -1;
	deviates(test, &refused, &seen, 0);
	seen.responder.state = IB_QPS_RTS;
	deviates(test, &refused, &seen, CONFORM_DIFF_PEER_QP);
	seen.responder.state = -1;
	deviates(test, &refused, &seen, 0);
	want = refused;
	want.ended = true;
	deviates(test, &want, &seen, CONFORM_DIFF_PEER_QP);
	seen.responder.ended = true;
	deviates(test, &want, &seen, 0);
}

static void verdict_bytes(struct kunit *test)
{
	struct conform_want want = refused;
	struct conform_seen seen;

	seen_refused(&seen);
	seen.responder.changed = 1;
	deviates(test, &refused, &seen, CONFORM_DIFF_BYTES);
	want.changed = 1;
	deviates(test, &want, &seen, 0);
	seen.responder.changed = 0;
	deviates(test, &want, &seen, CONFORM_DIFF_BYTES);
	seen_refused(&seen);
	seen.requester.changed = 64;
	deviates(test, &refused, &seen, CONFORM_DIFF_BYTES);
	want = refused;
	want.own_changed = 64;
	deviates(test, &want, &seen, 0);
	seen.requester.garbled = 1;
	deviates(test, &want, &seen, CONFORM_DIFF_BYTES);
	seen_refused(&seen);
	want = refused;
	want.changed = 2;
	seen.responder.changed = 2;
	deviates(test, &want, &seen, 0);
	seen.responder.garbled = 2;
	deviates(test, &want, &seen, CONFORM_DIFF_BYTES);
}

/* The first completion is that of WR @first, because earlier WRs are not signaled. */
static void verdict_first(struct kunit *test)
{
	struct conform_want want = refused;
	struct conform_seen seen;

	seen_refused(&seen);
	want.first = 2;
	deviates(test, &want, &seen, CONFORM_DIFF_SEND);
	seen.requester.wc[0].id = 2;
	deviates(test, &want, &seen, 0);
	deviates(test, &refused, &seen, CONFORM_DIFF_SEND);
}

static void verdict_message(struct kunit *test)
{
	struct conform_want want = refused;
	struct krping_conform_wc *wc;
	struct conform_seen seen;

	seen_refused(&seen);
	want.recv[0] = CONFORM_WC(SUCCESS);
	want.opcode = IB_WC_RECV_RDMA_WITH_IMM;
	want.flags = IB_WC_WITH_IMM;
	deviates(test, &want, &seen, CONFORM_DIFF_RECV | CONFORM_DIFF_MESSAGE);
	seen.imm = 0x01020304;
	seen.responder.imm = 0x01020304;
	seen.responder.nr_wcs = 1;
	wc = &seen.responder.wc[0];
	wc->id = KRPING_CONFORM_RECV_ID;
	wc->opcode = IB_WC_RECV_RDMA_WITH_IMM;
	wc->flags = IB_WC_WITH_IMM;
	deviates(test, &want, &seen, 0);
	seen.responder.imm = 0x04030201;
	deviates(test, &want, &seen, CONFORM_DIFF_MESSAGE);
	seen.responder.imm = seen.imm;
	wc->flags = IB_WC_WITH_INVALIDATE;
	deviates(test, &want, &seen, CONFORM_DIFF_MESSAGE);
	wc->flags = IB_WC_WITH_IMM;
	wc->opcode = IB_WC_RECV;
	deviates(test, &want, &seen, CONFORM_DIFF_MESSAGE);
	want.opcode = 0;
	deviates(test, &want, &seen, 0);
	want.flags = 0;
	seen.imm = 0;
	deviates(test, &want, &seen, 0);
}

static struct kunit_case conform_cases[] = {
	KUNIT_CASE(verdict_order),
	KUNIT_CASE(verdict_send),
	KUNIT_CASE(verdict_recv),
	KUNIT_CASE(verdict_post),
	KUNIT_CASE(verdict_event_and_state),
	KUNIT_CASE(verdict_bytes),
	KUNIT_CASE(verdict_first),
	KUNIT_CASE(verdict_message),
	{}
};

static struct kunit_suite conform_suite = {
	.name = "krping_conform",
	.test_cases = conform_cases,
};

kunit_test_suite(conform_suite);

MODULE_DESCRIPTION("KUnit tests of krping's conformance verdicts");
MODULE_LICENSE("Dual BSD/GPL");
