// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations of krdma.h: send, receive, read, write.
 *
 * Each operation calls krdma_cb_enter() before it posts, so that the QP exists until
 * krdma_cb_leave(). A failure in the middle of a message ends the connection, because the
 * receiver could not find the beginning of the next message.
 */
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "krdma_conn.h"

static_assert(KRDMA_TRY_MAX == KRDMA_FRAG_BYTES);

/* Record a failure in the middle of the operation @what. The error ends the connection. */
static int krdma_broken(struct krdma_cb *cb, int ret, const char *what)
{
	return krping_status_set(cb->status, ret, "%s ended with incomplete data",
				 what);
}

/*
 * Messages.
 */

/*
 * Post a fragment once a SEND buffer is free and the peer has granted a credit. Wait again if a
 * krdma_try_send() has used the buffer or the credit first.
 */
static int krdma_send_fragment(struct krdma_cb *cb, const char *buffer, u32 len, u32 left,
			       bool begun)
{
	int ret;

	do {
		ret = krdma_cb_wait(cb, KRDMA_WAIT_SEND, krdma_tx_room, begun,
				    cb->attr.timeout_ms);
		if (!ret)
			ret = krdma_post_send(cb, buffer, len, left, false);
	} while (ret > 0);
	return ret;
}

/* SEND a message in fragments. A failure after the first fragment ends the connection. */
static int krdma_send_fragments(struct krdma_cb *cb, const char *buffer, u32 length)
{
	u32 done, len;
	int ret = 0;

	for (done = 0; done < length && !ret; done += len) {
		len = min_t(u32, length - done, KRDMA_FRAG_BYTES);
		ret = krdma_send_fragment(cb, buffer + done, len, length - done, done);
		if (ret && done)
			krdma_broken(cb, ret, "krdma_send()");
	}
	return ret;
}

/**
 * krdma_send() - send a message
 * @cb: the connection
 * @buffer: the message; the caller may reuse it once the function has returned
 * @length: bytes of the message, 1 to KRDMA_MESSAGE_MAX
 *
 * Context: process context. Waits for credits, which the peer grants by receiving. Several
 * callers may send at the same time, and each message arrives whole.
 *
 * Return: 0: the message is posted; if its transmission fails, a later call returns the
 * error; -EINVAL; -EMSGSIZE: longer than KRDMA_MESSAGE_MAX; -EINTR; -ETIMEDOUT: the peer
 * granted no credits; another negative errno: the connection has ended.
 */
int krdma_send(struct krdma_cb *cb, const char *buffer, size_t length)
{
	int ret;

	if (!length)
		return -EINVAL;
	if (length > KRDMA_MESSAGE_MAX)
		return -EMSGSIZE;
	ret = krdma_cb_enter(cb);
	if (ret)
		return ret;
	ret = -EINTR;
	if (!mutex_lock_interruptible(&cb->tx_mutex)) {
		ret = krdma_send_fragments(cb, buffer, length);
		mutex_unlock(&cb->tx_mutex);
	}
	krdma_cb_leave(cb);
	return ret;
}
EXPORT_SYMBOL_GPL(krdma_send);

/**
 * krdma_try_send() - send a message without waiting
 * @cb: the connection
 * @buffer: the message; the caller may reuse it once the function has returned
 * @length: bytes of the message, 1 to KRDMA_TRY_MAX
 *
 * Context: process context, or softirq context, as in a handler.
 *
 * Return: 0: as krdma_send(); -EINVAL; -EMSGSIZE: longer than KRDMA_TRY_MAX; -EAGAIN: there is no
 * credit or no free SEND buffer, or a longer message is being sent; another negative errno: the
 * connection has ended.
 */
int krdma_try_send(struct krdma_cb *cb, const char *buffer, size_t length)
{
	int ret;

	if (!length)
		return -EINVAL;
	if (length > KRDMA_TRY_MAX)
		return -EMSGSIZE;
	ret = krdma_cb_enter(cb);
	if (ret)
		return ret;
	ret = krdma_post_send(cb, buffer, length, length, true);
	krdma_cb_leave(cb);
	return ret > 0 ? -EAGAIN : ret;
}
EXPORT_SYMBOL_GPL(krdma_try_send);

static bool krdma_has_fragment(struct krdma_cb *cb)
{
	/* pairs with krdma_ring_put() */
	return smp_load_acquire(&cb->rx_head) != cb->rx_tail;
}

/* Wait for a fragment. If the connection has ended, a fragment that arrived before suffices. */
static int krdma_await_fragment(struct krdma_cb *cb, bool begun, u32 timeout_ms)
{
	int ret;

	if (krdma_has_fragment(cb))
		return 0;
	ret = krdma_cb_enter(cb);
	if (!ret) {
		ret = krdma_cb_wait(cb, KRDMA_WAIT_RECEIVE, krdma_has_fragment, begun,
				    timeout_ms);
		krdma_cb_leave(cb);
	}
	/* A fragment may have arrived after the wait and before the connection ended. */
	return krdma_has_fragment(cb) ? 0 : ret;
}

/* Post a credit if half of the ring was freed. */
static void krdma_grant(struct krdma_cb *cb)
{
	if (!krdma_owes_credit(cb))
		return;
	/* A failed post ends the connection, and the next wait returns the error. */
	if (!krdma_cb_enter(cb)) {
		krdma_post_credit(cb);
		krdma_cb_leave(cb);
	}
}

/* Copy the oldest fragment and free its slot. Return how many bytes of the message follow. */
static u32 krdma_take_fragment(struct krdma_cb *cb, char *buffer, u32 *len)
{
	const struct krdma_frag *frag = &cb->rx[cb->rx_tail % KRDMA_SLOTS];
	u32 left = frag->left - frag->len;

	*len = frag->len;
	memcpy(buffer, frag->data, frag->len);
	/* pairs with krdma_ring_put() */
	smp_store_release(&cb->rx_tail, cb->rx_tail + 1);
	krdma_grant(cb);
	return left;
}

/*
 * Copy the fragments of one message to @buffer. Return the length of the message. A failure after
 * the first fragment ends the connection.
 */
static int krdma_receive_fragments(struct krdma_cb *cb, char *buffer, size_t size,
				   u32 timeout_ms)
{
	u32 done = 0, left, len;
	int ret;

	ret = krdma_await_fragment(cb, false, timeout_ms);
	if (ret)
		return ret;
	if (cb->rx[cb->rx_tail % KRDMA_SLOTS].left > size)
		return -EMSGSIZE;
	do {
		left = krdma_take_fragment(cb, buffer + done, &len);
		done += len;
		if (left)
			ret = krdma_await_fragment(cb, true, cb->attr.timeout_ms);
	} while (left && !ret);
	if (!ret)
		return done;
	/* Without krdma_cb_enter(), the status may be freed. */
	if (!krdma_cb_enter(cb)) {
		krdma_broken(cb, ret, "krdma_receive()");
		krdma_cb_leave(cb);
	}
	return ret;
}

/**
 * krdma_receive_timeout() - receive a message, with a bound on the wait
 * @cb: the connection
 * @buffer: receives the data
 * @size: bytes of @buffer
 * @timeout_ms: bound on the wait for the message's beginning; 0: none
 *
 * Context: process context. Several callers may receive at the same time; each gets a whole
 * message. The wait also ends when the connection ends. Messages that arrived before the end of
 * the connection can still be received.
 *
 * Return: the message's length; -EMSGSIZE: the message is longer than @size, and a call with
 * a larger buffer can receive it; -EINVAL: the connection has a handler; -EINTR; -ETIMEDOUT;
 * another negative errno: the connection has ended.
 */
int krdma_receive_timeout(struct krdma_cb *cb, char *buffer, size_t size, u32 timeout_ms)
{
	int ret = -EINTR;

	if (cb->attr.handler)
		return -EINVAL;
	krdma_cb_get(cb);
	if (!mutex_lock_interruptible(&cb->rx_mutex)) {
		ret = krdma_receive_fragments(cb, buffer, size, timeout_ms);
		mutex_unlock(&cb->rx_mutex);
	}
	krdma_cb_put(cb);
	return ret;
}
EXPORT_SYMBOL_GPL(krdma_receive_timeout);

/**
 * krdma_receive() - receive a message
 * @cb: the connection
 * @buffer: receives the data
 * @size: bytes of @buffer
 *
 * The function is krdma_receive_timeout() without a bound on the wait.
 *
 * Return: as krdma_receive_timeout().
 */
int krdma_receive(struct krdma_cb *cb, char *buffer, size_t size)
{
	return krdma_receive_timeout(cb, buffer, size, 0);
}
EXPORT_SYMBOL_GPL(krdma_receive);

/*
 * Remote memory.
 */

static bool krdma_rw_completed(struct krdma_cb *cb)
{
	/* pairs with krdma_sent() */
	return smp_load_acquire(&cb->rw_done);
}

/* READ or WRITE at most KRDMA_RW_BYTES, through &krdma_cb.stage. */
static int krdma_rw_piece(struct krdma_cb *cb, bool write, u64 offset, char *buffer,
			  u32 len)
{
	int ret;

	krping_buf_for_cpu(&cb->stage);
	if (write)
		memcpy(sg_virt(cb->stage.sgl), buffer, len);
	krping_buf_for_device(&cb->stage);
	ret = krdma_post_rw(cb, write, offset, len);
	if (ret)
		return ret;
	ret = krdma_cb_wait(cb, KRDMA_WAIT_RW, krdma_rw_completed, true,
			    cb->attr.timeout_ms);
	if (ret)
		return krdma_broken(cb, ret, write ? "krdma_write()" : "krdma_read()");
	krping_buf_for_cpu(&cb->stage);
	if (!write)
		memcpy(buffer, sg_virt(cb->stage.sgl), len);
	krping_buf_for_device(&cb->stage);
	return 0;
}

/* Check that a range has at least one byte, and lies within the first @size bytes. */
static bool krdma_in_range(u64 offset, size_t length, u64 size)
{
	return length && length <= size && offset <= size - length;
}

/* READ into @buffer, or WRITE @buffer if @write, in parts of KRDMA_RW_BYTES. */
static int krdma_rw(struct krdma_cb *cb, bool write, u64 offset, char *buffer,
		    size_t length)
{
	size_t done;
	u32 len;
	int ret;

	ret = krdma_cb_enter(cb);
	if (ret)
		return ret;
	ret = krdma_in_range(offset, length, cb->peer.size) ? 0 : -EINVAL;
	if (!ret && !write && !cb->conn->reads_out)
		ret = -EOPNOTSUPP;
	if (!ret && mutex_lock_interruptible(&cb->rw_mutex))
		ret = -EINTR;
	if (ret)
		goto leave;
	/* Do not post after an error: a late completion of an earlier WR would set rw_done. */
	ret = krping_status_error(cb->status);
	for (done = 0; done < length && !ret; done += len) {
		len = min_t(size_t, length - done, KRDMA_RW_BYTES);
		ret = krdma_rw_piece(cb, write, offset + done, buffer + done, len);
	}
	mutex_unlock(&cb->rw_mutex);
leave:
	krdma_cb_leave(cb);
	return ret;
}

/**
 * krdma_read_at() - RDMA READ from the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: receives the data
 * @length: bytes, at least 1
 *
 * Context: process context. The READ runs no code on the peer. Several callers may read and
 * write at the same time.
 *
 * Return: 0; -EINVAL: the range exceeds the region; -EOPNOTSUPP: the device posts no READs; -EINTR;
 * another negative errno: the connection has ended.
 */
int krdma_read_at(struct krdma_cb *cb, u64 offset, char *buffer, size_t length)
{
	return krdma_rw(cb, false, offset, buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_read_at);

/**
 * krdma_write_at() - RDMA WRITE to the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: the data
 * @length: bytes, at least 1
 *
 * Context: as krdma_read_at(). The data is in the peer's memory once the function has returned.
 *
 * Return: as krdma_read_at().
 */
int krdma_write_at(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length)
{
	return krdma_rw(cb, true, offset, (char *)buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_write_at);

/**
 * krdma_read() - RDMA READ from the beginning of the peer's region
 * @cb: the connection
 * @buffer: receives the data
 * @length: bytes, at least 1
 *
 * Return: as krdma_read_at().
 */
int krdma_read(struct krdma_cb *cb, char *buffer, size_t length)
{
	return krdma_read_at(cb, 0, buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_read);

/**
 * krdma_write() - RDMA WRITE to the beginning of the peer's region
 * @cb: the connection
 * @buffer: the data
 * @length: bytes, at least 1
 *
 * Return: as krdma_write_at().
 */
int krdma_write(struct krdma_cb *cb, const char *buffer, size_t length)
{
	return krdma_write_at(cb, 0, buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_write);

/* Copy this side's region to @buffer, or @buffer to the region if @write. */
static int krdma_region_copy(struct krdma_cb *cb, bool write, u64 offset, char *buffer,
			     size_t length)
{
	const struct krping_buf *region = &cb->region;
	int ret = krdma_cb_enter(cb);

	if (ret)
		return ret;
	ret = -EINVAL;
	if (krdma_in_range(offset, length, cb->attr.region)) {
		krping_buf_for_cpu(region);
		if (write)
			sg_pcopy_from_buffer(region->sgl, region->nents, buffer, length,
					     offset);
		else
			sg_pcopy_to_buffer(region->sgl, region->nents, buffer, length,
					   offset);
		krping_buf_for_device(region);
		ret = 0;
	}
	krdma_cb_leave(cb);
	return ret;
}

/**
 * krdma_region_read() - copy from this side's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: receives the data
 * @length: bytes, at least 1
 *
 * Context: process context. The peer may write at the same time. To read what the peer has
 * written, let the peer send a message after its krdma_write(), and receive the message first.
 *
 * Return: 0; -EINVAL: the range exceeds the region; another negative errno: the
 * connection has ended, and the region with it.
 */
int krdma_region_read(struct krdma_cb *cb, u64 offset, char *buffer, size_t length)
{
	return krdma_region_copy(cb, false, offset, buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_region_read);

/**
 * krdma_region_write() - copy to this side's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: the data
 * @length: bytes, at least 1
 *
 * Context: as krdma_region_read().
 *
 * Return: as krdma_region_read().
 */
int krdma_region_write(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length)
{
	return krdma_region_copy(cb, true, offset, (char *)buffer, length);
}
EXPORT_SYMBOL_GPL(krdma_region_write);
