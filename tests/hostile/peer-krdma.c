// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A client that connects to a listener of krdma.h, and sends whole messages, or fragments that
 * break the protocol.
 */
#include <endian.h>
#include <string.h>

#include "peer.h"

/* Bytes of a fragment's header; bytes of data in each fragment of a message, except the last. */
#define HEAD_BYTES	8
#define FRAG_BYTES	(8192 - HEAD_BYTES)

/*
 * SEND a fragment: a header and @bytes of data. In the header, @left is the number of the message's
 * bytes in this and later fragments, and @taken is the number of received fragments, a credit.
 * Return: true on success.
 */
static bool krdma_send(struct peer *p, uint32_t bytes, uint32_t left, uint32_t taken)
{
	uint32_t head[2] = { htobe32(left), htobe32(taken) };

	if (HEAD_BYTES + bytes > RECV_BYTES) {
		memcpy(p->source, head, sizeof(head));
		post_long_send(p, HEAD_BYTES + bytes);
	} else {
		send_data(p, head, sizeof(head), HEAD_BYTES + bytes, false, 0);
	}
	return wait_for(p, all_sent) && !p->wc_failed && !is_over(p);
}

static void krdma_send_credit(struct peer *p, uint64_t value)
{
	struct ctl ctl = {
		.magic = htobe32(MAGIC), .type = CTL_CREDIT, .value = htobe64(value),
	};

	send_data(p, &ctl, sizeof(ctl), sizeof(ctl), false, 0);
}

/* Send 40 messages, more than the peer has granted credits for. */
static void krdma_overrun(struct peer *p)
{
	int i;

	for (i = 0; i < 40 && krdma_send(p, 1, 1, 0); i++)
		;
}

static void krdma_misbehave(struct peer *p, const char *what)
{
	say("fault: krdma %s", what);
	if (!strcmp(what, "overrun"))
		krdma_overrun(p);
	else if (!strcmp(what, "head"))
		krdma_send(p, 0, 1, 0);
	else if (!strcmp(what, "empty"))
		krdma_send(p, 1, 0, 0);
	else if (!strcmp(what, "short"))
		krdma_send(p, 50, 100, 0);
	else if (!strcmp(what, "surplus"))
		krdma_send(p, 100, 50, 0);
	else if (!strcmp(what, "long"))
		krdma_send(p, FRAG_BYTES, (1U << 20) + 1, 0);
	else if (!strcmp(what, "huge"))
		krdma_send(p, FRAG_BYTES, UINT32_MAX, 0);
	else if (!strcmp(what, "gap") && krdma_send(p, FRAG_BYTES, 20000, 0))
		krdma_send(p, FRAG_BYTES, 20000, 0);
	else if (!strcmp(what, "new") && krdma_send(p, FRAG_BYTES, 20000, 0))
		krdma_send(p, 10, 10, 0);
	else if (!strcmp(what, "taken"))
		krdma_send(p, 10, 10, 1);
	else if (!strcmp(what, "credit"))
		krdma_send_credit(p, 1);
	else if (!strcmp(what, "credit-back"))
		krdma_send_credit(p, UINT32_MAX / 2 + 1);
	else if (!strcmp(what, "stale"))
		krdma_send(p, 10, 10, UINT32_MAX);
	else if (!strcmp(what, "part"))
		krdma_send(p, FRAG_BYTES, 20000, 0);
	else if (strcmp(what, "silent"))
		die("what fault of krdma is %s?", what);
}

int krdma_client(struct peer *p)
{
	struct msg advert;
	uint64_t n;

	if (p->opt.fault == FAULT_EARLY) {
		say("fault: data before the buffer advert");
		krdma_send(p, 1, 1, 0);
		return await_end(p);
	}
	if (bench_send_advert(p, NULL))
		return await_end(p);
	if (!bench_take_advert(p, &advert))
		return 1;
	for (n = 0; n < p->opt.count; n++) {
		if (p->opt.fault == FAULT_KRDMA && n == p->opt.at) {
			krdma_misbehave(p, p->opt.word);
			if (!strcmp(p->opt.word, "stale"))
				continue;
			if (!strcmp(p->opt.word, "part"))
				break;
			return await_end(p);
		}
		if (!krdma_send(p, 10, 10, 0))
			return 1;
	}
	rdma_disconnect(p->id);
	return !wait_for(p, is_over);
}
