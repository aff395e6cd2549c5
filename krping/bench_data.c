// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fill the buffers of a microbenchmark, and check the lengths and the data of its messages.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "bench_data.h"

/*
 * Set the first contents of the local buffer and of the shared one, which the peer accesses.
 * For a READ, the shared buffer has the data of iteration 0, and the local buffer is poisoned,
 * so that the comparison detects a READ that transfers nothing. For an atomic, the shared
 * buffer stays zero.
 */
void krping_bench_fill(struct krping_bench *b)
{
	bool read = b->op == KRPING_OP_READ;

	if (b->local.sgl) {
		krping_buf_for_cpu(&b->local);
		if (read)
			krping_buf_poison(&b->local);
		else
			krping_buf_fill(&b->local, 0);
		krping_buf_for_device(&b->local);
	}
	if (!b->shared.sgl || !read || b->plan->atomic)
		return;
	krping_buf_for_cpu(&b->shared);
	krping_buf_fill(&b->shared, 0);
	krping_buf_for_device(&b->shared);
}

/**
 * krping_bench_length_ok() - check the length of a message that reports an operation
 * @b: the benchmark's state of one connection
 * @wc: the message's completion
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

static bool krping_bench_differs(struct krping_bench *b, size_t off, u8 want,
				 u8 got, u64 n)
{
	krping_status_set(b->thread->status, -EBADMSG,
			  "iteration %llu: data differs at offset %zu: sent 0x%02x, got 0x%02x",
			  n, off, want, got);
	return false;
}

/**
 * krping_bench_expect() - fill the local buffer with the data of an iteration
 * @b: the benchmark's state of one connection
 * @n: number of the iteration
 */
void krping_bench_expect(struct krping_bench *b, u64 n)
{
	krping_buf_for_cpu(&b->local);
	krping_buf_fill(&b->local, n);
	krping_buf_for_device(&b->local);
}

/**
 * krping_bench_compare() - compare received data with the expected data
 * @b: the benchmark's state of one connection
 * @got: the buffer with the received data; poisoned afterwards if the data is right
 * @n: number of the iteration
 *
 * Return: true if the data is right; else false, and the status has the reason.
 */
bool krping_bench_compare(struct krping_bench *b, const struct krping_buf *got,
			  u64 n)
{
	const struct krping_buf *want = got == &b->local ? &b->shared : &b->local;
	size_t off;

	krping_buf_for_cpu(got);
	off = krping_buf_mismatch(want, got);
	if (unlikely(off != want->size))
		return krping_bench_differs(b, off, krping_buf_byte(want, off),
					    krping_buf_byte(got, off), n);
	krping_buf_poison(got);
	krping_buf_for_device(got);
	return true;
}

/**
 * krping_bench_look() - compare the data of a SEND
 * @q: the queue
 * @data: the received bytes
 * @wc: the completion of the RECV
 *
 * A &typedef krping_look_fn. Ignores a wrong length, which krping_bench_length_ok() reports.
 */
void krping_bench_look(struct krping_queue *q, const void *data,
		       const struct ib_wc *wc)
{
	struct krping_bench *b = q->priv;
	size_t off;

	if (wc->byte_len != b->plan->message_bytes)
		return;
	krping_bench_expect(b, b->received);
	off = krping_buf_mismatch_flat(&b->local, data);
	if (unlikely(off != b->local.size))
		krping_bench_differs(b, off, krping_buf_byte(&b->local, off),
				     ((const u8 *)data)[off], b->received);
}
