// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fill the buffers of a microbenchmark, compare the data of operations, and check the lengths of
 * messages. Operations use the slots of a buffer, which are parts at several addresses, in turn.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "bench_data.h"
#include "pattern.h"
#include "stride.h"

/* Return the slot of @buf that operation @n uses. */
static struct krping_slot krping_bench_slot(const struct krping_bench *b,
					    const struct krping_buf *buf, u64 n)
{
	struct krping_slot slot = { .buf = buf, .size = b->thread->opts.size };
	u32 nr;

	div_u64_rem(n, b->plan->slots, &nr);
	slot.off = krping_stride_offset(b->thread->opts.stride, b->plan->slots, nr);
	return slot;
}

/*
 * Fill the buffer that the peer READs with the data of iteration 0. If slots are refilled, also
 * fill each slot with the data of its first READ. For atomics the buffer stays zero.
 */
static void krping_bench_fill_read(struct krping_bench *b)
{
	u32 n;

	if (b->plan->atomic)
		return;
	krping_buf_for_cpu(&b->shared);
	krping_buf_fill(&b->shared, 0);
	krping_buf_for_device(&b->shared);
	for (n = 0; n < b->plan->slots && b->plan->refills; n++)
		krping_bench_put(b, &b->shared, n);
}

/* Fill a buffer with bytes that no operation sends, so that a comparison finds missing data. */
static void krping_bench_poison(struct krping_buf *buf)
{
	krping_buf_for_cpu(buf);
	krping_buf_poison(buf);
	krping_buf_for_device(buf);
}

/*
 * Initialize the local buffer, and the shared buffer, which the peer accesses. Poison the sink of
 * READs, and with validate the sink of WRITEs, so that the comparison detects an operation that
 * transfers nothing.
 */
void krping_bench_fill(struct krping_bench *b)
{
	bool read = b->op == KRPING_OP_READ;

	if (b->local.sgl && read) {
		krping_bench_poison(&b->local);
	} else if (b->local.sgl) {
		krping_buf_for_cpu(&b->local);
		krping_buf_fill(&b->local, 0);
		krping_buf_for_device(&b->local);
	}
	if (!b->shared.sgl)
		return;
	if (read)
		krping_bench_fill_read(b);
	else if (b->plan->compares_shared)
		krping_bench_poison(&b->shared);
}

/**
 * krping_bench_length_ok() - check the length of a message of the peer
 * @b: the benchmark's state of one connection
 * @wc: completion of the RECV that the message has consumed. The message is an operation, or the
 *	SEND that follows a WRITE
 *
 * Return: true if the length is right; else false, and the status has the reason.
 */
bool krping_bench_length_ok(struct krping_bench *b, const struct ib_wc *wc)
{
	u32 want = b->plan->message_bytes;

	if (likely(wc->byte_len == want))
		return true;
	krping_status_set(b->thread->status, -EPROTO,
			  "the peer sent a message of %u byte%s instead of %u",
			  wc->byte_len, krping_plural(wc->byte_len), want);
	return false;
}

/*
 * Record that operation @n has the wrong byte @got at offset @off. Return false. If the plan is
 * constant, all operations have the data of iteration 0.
 */
static bool krping_bench_differs(struct krping_bench *b, size_t off, u8 got, u64 n)
{
	u8 want;

	krping_pattern_fill(&want, off, 1, b->thread->opts.size, b->plan->constant ? 0 : n);
	krping_status_set(b->thread->status, -EBADMSG,
			  "iteration %llu: data differs at offset %zu: sent 0x%02x, got 0x%02x",
			  n, off, want, got);
	return false;
}

/**
 * krping_bench_put() - fill the slot of an operation with the operation's data
 * @b: the benchmark's state of one connection
 * @buf: the local buffer, or the shared one
 * @n: number of the operation
 */
void krping_bench_put(struct krping_bench *b, const struct krping_buf *buf, u64 n)
{
	struct krping_slot slot = krping_bench_slot(b, buf, n);

	krping_slot_for_cpu(&slot);
	krping_slot_fill(&slot, n);
	krping_slot_for_device(&slot);
}

/**
 * krping_bench_compare() - compare the slot of an operation with the operation's data
 * @b: the benchmark's state of one connection
 * @got: the buffer that has the slot
 * @n: number of the operation
 *
 * The function poisons the slot if the data is right.
 *
 * Return: true if the data is right; else false, and the status has the reason.
 */
bool krping_bench_compare(struct krping_bench *b, const struct krping_buf *got,
			  u64 n)
{
	struct krping_slot slot = krping_bench_slot(b, got, n);
	size_t off;

	krping_slot_for_cpu(&slot);
	off = krping_slot_check(&slot, b->plan->constant ? 0 : n);
	if (unlikely(off != slot.size))
		return krping_bench_differs(b, off, krping_buf_byte(got, slot.off + off), n);
	krping_slot_poison(&slot);
	krping_slot_for_device(&slot);
	return true;
}

/**
 * krping_bench_look() - compare the data of a received SEND, and poison the RECV's buffer
 * @q: the queue
 * @data: the received bytes
 * @wc: the completion of the RECV
 *
 * Implements &typedef krping_look_fn. The function ignores a message of wrong length, because
 * krping_bench_length_ok() reports the length afterwards.
 */
void krping_bench_look(struct krping_queue *q, void *data, const struct ib_wc *wc)
{
	struct krping_bench *b = q->priv;
	u64 size = b->thread->opts.size;
	size_t off;

	if (wc->byte_len != b->plan->message_bytes)
		return;
	off = krping_pattern_check(data, 0, size, size, b->received);
	if (unlikely(off != size))
		krping_bench_differs(b, off, ((const u8 *)data)[off], b->received);
	else
		memset(data, KRPING_POISON, size);
}
