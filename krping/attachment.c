// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The registration of a region's memory in the PD of one connection: an MR for each piece
 * of the memory, and a list of their keys, which the client READs.
 *
 * One memory may have any number of attachments: one for each connection of its owner, and
 * of each client that may use the memory. Their keys differ, and the device accepts a key
 * only on a QP of the same PD.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "attachment.h"
#include "wait.h"
#include "wr.h"

static int krping_attachment_alloc_mr(struct krping_attachment *a, struct krping_mr *mr,
				      const struct krping_buf *buf, int access)
{
	struct krping_queue *q = &a->conn->queue;

	return krping_mr_alloc(mr, a->conn->pd, buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

/* A region may be as large as the machine's memory: a stop ends the allocation. */
static int krping_attachment_alloc_mrs(struct krping_attachment *a, bool writable)
{
	struct krping_region_mem *mem = a->mem;
	int access = IB_ACCESS_REMOTE_READ;
	int ret = 0;

	if (writable)
		access |= IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	a->mrs = kvcalloc(mem->nr, sizeof(*a->mrs), GFP_KERNEL);
	if (!a->mrs)
		return -ENOMEM;
	for (; a->nr < mem->nr && !ret; a->nr++) {
		ret = krping_attachment_alloc_mr(a, &a->mrs[a->nr], &mem->pieces[a->nr],
						 access);
		if (!ret)
			ret = krping_status_stopped(a->conn->queue.status);
		cond_resched();
	}
	return ret;
}

static int krping_attachment_alloc_list(struct krping_attachment *a)
{
	int ret;

	ret = krping_buf_alloc(&a->list, a->conn->pd->device,
			       a->nr * sizeof(struct krping_wire_msg), false,
			       DMA_BIDIRECTIONAL);
	if (ret)
		return ret;
	return krping_attachment_alloc_mr(a, &a->list_mr, &a->list, IB_ACCESS_REMOTE_READ);
}

/**
 * krping_attachment_alloc() - allocate MRs for a region's memory
 * @a: to be filled in, all zeros
 * @conn: the connection, with a QP
 * @mem: the memory, of which the function takes a reference
 * @writable: the keys have remote write access
 *
 * The test's thread. Allocates the memory for its first attachment. After an error
 * krping_attachment_free() frees what was allocated.
 *
 * Return: 0, or a negative errno; the status may have the reason.
 */
int krping_attachment_alloc(struct krping_attachment *a, struct krping_conn *conn,
			    struct krping_region_mem *mem, bool writable)
{
	int ret;

	ret = krping_region_mem_use(mem, conn->pd->device, conn->queue.status);
	if (ret)
		return ret;
	a->mem = krping_region_mem_get(mem);
	a->conn = conn;
	ret = krping_attachment_alloc_mrs(a, writable);
	return ret ?: krping_attachment_alloc_list(a);
}

/**
 * krping_attachment_free() - free the MRs
 * @a: the attachment; nothing happens if it was never allocated
 *
 * Process context. The PD exists; the QP need not exist. Frees the memory with its last
 * attachment, unless the memory is to be kept.
 */
void krping_attachment_free(struct krping_attachment *a)
{
	u32 i;

	if (!a->mem)
		return;
	krping_mr_free(&a->list_mr);
	krping_buf_free(&a->list);
	for (i = 0; i < a->nr; i++) {
		krping_mr_free(&a->mrs[i]);
		cond_resched();
	}
	kvfree(a->mrs);
	krping_region_mem_unuse(a->mem);
	krping_region_mem_put(a->mem);
	memset(a, 0, sizeof(*a));
}

static bool krping_attachment_has_room(void *arg)
{
	struct krping_attachment *a = arg;

	return !krping_queue_full(&a->conn->queue);
}

/* Post a chain. The SQ is short: wait while a chain is parked. */
static int krping_attachment_post(struct krping_attachment *a, struct ib_send_wr *wr,
				  u32 timeout)
{
	struct krping_queue *q = &a->conn->queue;
	int ret;

	wr->next = NULL;
	krping_queue_prepare(q, wr);
	ret = krping_queue_submit(q, wr);
	return ret ?: krping_wait(q->cq, krping_attachment_has_room, a, timeout);
}

static int krping_attachment_register_mr(struct krping_attachment *a, struct krping_mr *mr,
					 u32 timeout)
{
	int ret = krping_mr_renew(mr);

	if (ret)
		return krping_status_set(a->conn->queue.status, ret,
					 "the device does not map a buffer of %zu bytes",
					 mr->buf->size);
	return krping_attachment_post(a, &mr->reg.wr, timeout);
}

static void krping_attachment_fill_list(struct krping_attachment *a)
{
	u32 i;

	krping_buf_for_cpu(&a->list);
	for (i = 0; i < a->nr; i++) {
		const struct krping_mr *mr = &a->mrs[i];
		struct krping_wire_msg msg;

		krping_wire_msg_encode(&msg, mr->mr->iova, mr->mr->rkey, mr->buf->size);
		/* An entry never crosses a chunk, whose size is a power of two. */
		memcpy(krping_buf_at(&a->list, i * sizeof(msg)), &msg, sizeof(msg));
	}
	krping_buf_for_device(&a->list);
}

/**
 * krping_attachment_register() - register the memory under new keys
 * @a: the attachment, not registered
 * @timeout: bound on each wait for the device, in milliseconds
 * @list: filled in: the list of keys
 *
 * The test's thread. The registrations are posted: a SEND that the caller posts follows
 * them.
 *
 * Return: 0, or as krping_wait().
 */
int krping_attachment_register(struct krping_attachment *a, u32 timeout,
			       struct krping_advert *list)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < a->nr && !ret; i++) {
		ret = krping_attachment_register_mr(a, &a->mrs[i], timeout);
		WRITE_ONCE(a->registered, a->registered + a->mrs[i].buf->size);
	}
	if (!ret)
		ret = krping_attachment_register_mr(a, &a->list_mr, timeout);
	if (ret)
		return ret;
	krping_attachment_fill_list(a);
	list->addr = a->list_mr.mr->iova;
	list->rkey = a->list_mr.mr->rkey;
	list->size = a->list.size;
	return 0;
}
