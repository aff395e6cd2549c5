// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the verdicts on behaviour that no device of the tests has: wrong bytes, wrong immediate
 * data, and completions of WRs that are not signaled.
 */
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

/* Test that the verdict has the differences @diff, and reset the observations. */
static void judged(u32 diff, const char *what)
{
	u32 got = 0;
	enum conform_verdict verdict = conform_judge(&message, &seen, &got);

	if (!ok(got == diff && verdict == (diff ? CONFORM_DEVIATES : CONFORM_OK), "%s", what))
		diag("differs: 0x%x instead of 0x%x", got, diff);
	see_message();
}

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

int main(void)
{
	see_message();
	judged(0, "does not deviate: all observations are as expected");
	test_bytes();
	test_message();
	test_first();
	return tap_done();
}
