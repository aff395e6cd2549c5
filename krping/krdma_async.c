// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Asynchronous operations of krdma.h. A connection has a queue for sends, one for receives,
 * and one for reads and writes. The worker of a queue runs the operations of the queue in the
 * order of the calls, and calls the callback of each operation.
 */
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "krdma_async.h"
#include "krdma_cb.h"

static struct workqueue_struct *krdma_wq;

/**
 * struct krdma_op - an asynchronous operation
 * @entry: in &krdma_async_queue.ops
 * @type: queue of the operation
 * @write: KRDMA_ASYNC_RW: true for a WRITE, false for a READ
 * @offset: KRDMA_ASYNC_RW: offset in the peer's region
 * @buffer: the caller's buffer
 * @length: bytes of @buffer
 * @done: called when the operation has ended
 * @arg: argument of @done
 */
struct krdma_op {
	struct list_head entry;
	enum krdma_async_type type;
	bool write;
	u64 offset;
	char *buffer;
	size_t length;
	krdma_done_fn *done;
	void *arg;
};

/* Run an operation, and return its result. The functions called may wait for the peer. */
static int krdma_run(struct krdma_cb *cb, const struct krdma_op *op)
{
	switch (op->type) {
	case KRDMA_ASYNC_SEND:
		return krdma_send(cb, op->buffer, op->length);
	case KRDMA_ASYNC_RECEIVE:
		return krdma_receive(cb, op->buffer, op->length);
	default:
		break;
	}
	if (op->write)
		return krdma_write_at(cb, op->offset, op->buffer, op->length);
	return krdma_read_at(cb, op->offset, op->buffer, op->length);
}

/* Remove the oldest operation from a queue. Return NULL if the queue is empty. */
static struct krdma_op *krdma_async_next(struct krdma_async_queue *queue)
{
	struct krdma_op *op;

	spin_lock(&queue->lock);
	op = list_first_entry_or_null(&queue->ops, struct krdma_op, entry);
	if (op)
		list_del(&op->entry);
	spin_unlock(&queue->lock);
	return op;
}

/*
 * Run the queued operations, also after a release. No operation waits then: an operation fails at
 * once, or receives a message that arrived before the release.
 */
static void krdma_async_work(struct work_struct *work)
{
	struct krdma_async_queue *queue = container_of(work, struct krdma_async_queue, work);
	struct krdma_op *op;

	while ((op = krdma_async_next(queue))) {
		op->done(op->arg, krdma_run(queue->cb, op));
		kfree(op);
	}
}

/* Queue a copy of @new, unless the connection is being released. */
static int krdma_queue(struct krdma_cb *cb, struct krdma_op new)
{
	struct krdma_async_queue *queue = &cb->async[new.type];
	struct krdma_op *op = kmemdup(&new, sizeof(new), GFP_KERNEL);
	bool closed;

	if (!op)
		return -ENOMEM;
	spin_lock(&queue->lock);
	closed = queue->closed;
	if (!closed) {
		list_add_tail(&op->entry, &queue->ops);
		queue_work(krdma_wq, &queue->work);
	}
	spin_unlock(&queue->lock);
	if (closed)
		kfree(op);
	return closed ? -ECANCELED : 0;
}

/**
 * krdma_async_init() - initialize the queues of asynchronous operations
 * @cb: a connection on which no operation has begun
 */
void krdma_async_init(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_ASYNC_TYPES; i++) {
		cb->async[i].cb = cb;
		cb->async[i].closed = false;
		spin_lock_init(&cb->async[i].lock);
		INIT_LIST_HEAD(&cb->async[i].ops);
		INIT_WORK(&cb->async[i].work, krdma_async_work);
	}
}

/**
 * krdma_async_close() - reject further asynchronous operations
 * @cb: the connection
 */
void krdma_async_close(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_ASYNC_TYPES; i++) {
		spin_lock(&cb->async[i].lock);
		cb->async[i].closed = true;
		spin_unlock(&cb->async[i].lock);
	}
}

/**
 * krdma_async_flush() - wait until all asynchronous operations have ended
 * @cb: the connection; the caller has called krdma_async_close() and released @cb
 *
 * Operations that are still queued do not wait for the peer, and the worker calls their callbacks.
 */
void krdma_async_flush(struct krdma_cb *cb)
{
	int i;

	for (i = 0; i < KRDMA_ASYNC_TYPES; i++)
		flush_work(&cb->async[i].work);
}

/**
 * krdma_send_async() - begin to send a message
 * @cb: the connection
 * @buffer: the message; the caller must not change it until @done is called
 * @length: bytes of the message, as in krdma_send()
 * @done: called with the return value of krdma_send()
 * @arg: argument of @done
 *
 * Context: process context. Messages are sent in the order of the calls.
 *
 * Return: 0: @done will be called exactly once; -ENOMEM, or -ECANCELED during a release:
 * @done will not be called.
 */
int krdma_send_async(struct krdma_cb *cb, const char *buffer, size_t length,
		     krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.type = KRDMA_ASYNC_SEND, .buffer = (char *)buffer, .length = length,
		.done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_send_async);

/**
 * krdma_receive_async() - begin to receive a message
 * @cb: the connection
 * @buffer: receives the data
 * @size: bytes of @buffer
 * @done: called with the return value of krdma_receive()
 * @arg: argument of @done
 *
 * Context: process context. Messages are received in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_receive_async(struct krdma_cb *cb, char *buffer, size_t size,
			krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.type = KRDMA_ASYNC_RECEIVE, .buffer = buffer, .length = size,
		.done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_receive_async);

/**
 * krdma_read_async() - begin to read from the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: receives the data
 * @length: bytes
 * @done: called with the return value of krdma_read_at()
 * @arg: argument of @done
 *
 * Context: process context. Reads and writes run in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_read_async(struct krdma_cb *cb, u64 offset, char *buffer, size_t length,
		     krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.type = KRDMA_ASYNC_RW, .offset = offset, .buffer = buffer,
		.length = length, .done = done, .arg = arg,
	});
}
EXPORT_SYMBOL_GPL(krdma_read_async);

/**
 * krdma_write_async() - begin to write to the peer's region
 * @cb: the connection
 * @offset: offset in the region
 * @buffer: the data; the caller must not change it until @done is called
 * @length: bytes
 * @done: called with the return value of krdma_write_at()
 * @arg: argument of @done
 *
 * Context: process context. Reads and writes run in the order of the calls.
 *
 * Return: as krdma_send_async().
 */
int krdma_write_async(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length,
		      krdma_done_fn *done, void *arg)
{
	return krdma_queue(cb, (struct krdma_op){
		.type = KRDMA_ASYNC_RW, .write = true, .offset = offset,
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
 * Each user of krdma.h holds a reference to this module, so no operation is queued any more.
 */
void krdma_exit(void)
{
	destroy_workqueue(krdma_wq);
}
