// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous operations of krdma.h: a worker carries out those of one kind in the order
 * of their calls, and calls their callbacks.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "krdma_async.h"
#include "krdma_cb.h"

static struct workqueue_struct *krdma_wq;

/**
 * struct krdma_op - an asynchronous operation
 * @entry: in &krdma_lane.ops
 * @lane: its kind
 * @write: KRDMA_LANE_RW: WRITE, else READ
 * @offset: KRDMA_LANE_RW: offset in the region
 * @buffer: the caller's
 * @length: its bytes
 * @done: called at the end
 * @arg: argument of @done
 */
struct krdma_op {
	struct list_head entry;
	enum krdma_lane_type lane;
	bool write;
	u64 offset;
	char *buffer;
	size_t length;
	krdma_done_fn *done;
	void *arg;
};

static int krdma_run(struct krdma_cb *cb, const struct krdma_op *op)
{
	switch (op->lane) {
	case KRDMA_LANE_SEND:
		return krdma_send(cb, op->buffer, op->length);
	case KRDMA_LANE_RECEIVE:
		return krdma_receive(cb, op->buffer, op->length);
	default:
		break;
	}
	if (op->write)
		return krdma_write_at(cb, op->offset, op->buffer, op->length);
	return krdma_read_at(cb, op->offset, op->buffer, op->length);
}

static struct krdma_op *krdma_lane_next(struct krdma_lane *lane)
{
	struct krdma_op *op;

	spin_lock(&lane->lock);
	op = list_first_entry_or_null(&lane->ops, struct krdma_op, entry);
	if (op)
		list_del(&op->entry);
	spin_unlock(&lane->lock);
	return op;
}

/* Carry out the operations of a lane, also after a release, which makes each fail. */
static void krdma_lane_work(struct work_struct *work)
{
	struct krdma_lane *lane = container_of(work, struct krdma_lane, work);
	struct krdma_op *op;

	while ((op = krdma_lane_next(lane))) {
		op->done(op->arg, krdma_run(lane->cb, op));
		kfree(op);
	}
}

static int krdma_queue(struct krdma_cb *cb, struct krdma_op new)
{
	struct krdma_lane *lane = &cb->lanes[new.lane];
	struct krdma_op *op = kmemdup(&new, sizeof(new), GFP_KERNEL);
	bool closed;

	if (!op)
		return -ENOMEM;
	spin_lock(&lane->lock);
	closed = lane->closed;
	if (!closed) {
		list_add_tail(&op->entry, &lane->ops);
		queue_work(krdma_wq, &lane->work);
	}
	spin_unlock(&lane->lock);
	if (closed)
		kfree(op);
	return closed ? -ECANCELED : 0;
}

/**
 * krdma_lanes_init() - make a connection ready for asynchronous operations
 * @cb: the connection, without operations
 */
void krdma_lanes_init(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_LANES; i++) {
		cb->lanes[i].cb = cb;
		cb->lanes[i].closed = false;
		spin_lock_init(&cb->lanes[i].lock);
		INIT_LIST_HEAD(&cb->lanes[i].ops);
		INIT_WORK(&cb->lanes[i].work, krdma_lane_work);
	}
}

/**
 * krdma_lanes_close() - let no asynchronous operation begin
 * @cb: the connection
 */
void krdma_lanes_close(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_LANES; i++) {
		spin_lock(&cb->lanes[i].lock);
		cb->lanes[i].closed = true;
		spin_unlock(&cb->lanes[i].lock);
	}
}

/**
 * krdma_lanes_flush() - wait until no asynchronous operation is left
 * @cb: the connection, released, whose lanes are closed
 *
 * Each operation that is left fails at once; its callback is called.
 */
void krdma_lanes_flush(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_LANES; i++)
		flush_work(&cb->lanes[i].work);
}

/**
 * krdma_send_async() - begin to send a message
 * @cb: the connection
 * @buffer: the message, which the caller leaves alone until @done is called
 * @length: its bytes
 * @done: called with the return value of krdma_send()
 * @arg: argument of @done
 *
 * Process context. Messages are sent in the order of the calls.
 *
 * Return: 0: @done will be called exactly once; -ENOMEM, or -ECANCELED during a release:
 * @done will not be called.
 */
int krdma_send_async(struct krdma_cb *cb, const char *buffer, size_t length,
		     krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.lane = KRDMA_LANE_SEND, .buffer = (char *)buffer, .length = length,
		.done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_send_async);

/**
 * krdma_receive_async() - begin to receive a message
 * @cb: the connection
 * @buffer: to be filled in
 * @size: bytes of @buffer
 * @done: called with the return value of krdma_receive()
 * @arg: argument of @done
 *
 * Process context. Messages are received in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_receive_async(struct krdma_cb *cb, char *buffer, size_t size,
			krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.lane = KRDMA_LANE_RECEIVE, .buffer = buffer, .length = size,
		.done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_receive_async);

/**
 * krdma_read_async() - begin to read from the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: to be filled in
 * @length: bytes
 * @done: called with the return value of krdma_read_at()
 * @arg: argument of @done
 *
 * Process context. Reads and writes are carried out in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_read_async(struct krdma_cb *cb, u64 offset, char *buffer, size_t length,
		     krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.lane = KRDMA_LANE_RW, .offset = offset, .buffer = buffer,
		.length = length, .done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_read_async);

/**
 * krdma_write_async() - begin to write to the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: the data, which the caller leaves alone until @done is called
 * @length: bytes
 * @done: called with the return value of krdma_write_at()
 * @arg: argument of @done
 *
 * Process context. Reads and writes are carried out in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_write_async(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length,
		      krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.lane = KRDMA_LANE_RW, .write = true, .offset = offset,
		.buffer = (char *)buffer, .length = length, .done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_write_async);

/**
 * krdma_init() - allocate the workqueue of asynchronous operations
 *
 * Return: 0 or -ENOMEM.
 */
int krdma_init(void)
{
	krdma_wq = alloc_workqueue("krdma", WQ_UNBOUND, 0);
	return krdma_wq ? 0 : -ENOMEM;
}

/**
 * krdma_exit() - free the workqueue of krdma_init()
 *
 * No module uses krdma any more: each holds a reference to this one.
 */
void krdma_exit(void)
{
	destroy_workqueue(krdma_wq);
}
