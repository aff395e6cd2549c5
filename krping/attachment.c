// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Attachments. A region is memory that a server exports to a client. An attachment is the
 * registration of a region's memory for one connection: an MR for each piece of the memory, and a
 * list of the MRs' addresses, keys and sizes, which the client READs.
 *
 * The device accepts a key only on QPs of the MR's PD, and each connection has a PD of its own.
 * So the server needs an attachment for each connection that may use the memory: the connections
 * of the client that owns the region, and of the clients to which the owner has opened the region.
 */
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "attachment.h"
#include "wait.h"
#include "wr.h"

/*
 * Maximum number of MRs of all attachments together. An attachment of 1 GiB has 512 MRs on rxe
 * and 1024 on siw.
 */
#define KRPING_ATTACHMENT_MRS_MAX	262144

static atomic_t krping_attachment_mrs = ATOMIC_INIT(0);

/*
 * Change the number of MRs that @a reserves to @nr. Return false, and change nothing, if more MRs
 * than the device or krping permits would be reserved.
 */
static bool krping_attachment_reserve(struct krping_attachment *a,
				      const struct ib_device *device, u64 nr)
{
	u32 max = min_t(u32, KRPING_ATTACHMENT_MRS_MAX, device->attrs.max_mr);
	int more;

	if (nr > max)
		return false;
	more = (int)nr - (int)a->nr_reserved;
	if (atomic_add_return(more, &krping_attachment_mrs) > max && more > 0) {
		atomic_sub(more, &krping_attachment_mrs);
		return false;
	}
	a->nr_reserved = nr;
	return true;
}

/* Subtract the MRs of an attachment from those of all attachments. */
static void krping_attachment_unreserve(struct krping_attachment *a)
{
	atomic_sub(a->nr_reserved, &krping_attachment_mrs);
	a->nr_reserved = 0;
}

/* Allocate an MR for @buf, and let the queue handle the completions of its REG_MR and LOCAL_INV. */
static int krping_attachment_alloc_mr(struct krping_attachment *a, struct krping_mr *mr,
				      const struct krping_buf *buf, int access)
{
	struct krping_queue *q = &a->conn->queue;

	return krping_mr_alloc(mr, a->conn->pd, buf, access,
			       krping_queue_cqe(q, KRPING_OP_REG),
			       krping_queue_cqe(q, KRPING_OP_INV));
}

/*
 * Allocate an MR for each piece. A large region has many MRs, so the loop ends early if the user
 * stops the test.
 */
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

/* Allocate the list for the client, and an MR with which the client READs the list. */
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

/* Take a reference to @mem, and allocate the MRs and the list of addresses, keys and sizes. */
static int krping_attachment_fill(struct krping_attachment *a, struct krping_conn *conn,
				  struct krping_region_mem *mem, bool writable)
{
	int ret;

	a->mem = krping_region_mem_get(mem);
	a->conn = conn;
	ret = krping_attachment_alloc_mrs(a, writable);
	return ret ?: krping_attachment_alloc_list(a);
}

/* Record that @mem needs @nr MRs, and that too few are left. */
static int krping_attachment_no_mrs(struct krping_conn *conn,
				    const struct krping_region_mem *mem, u64 nr)
{
	return krping_status_set(conn->queue.status, -ENOMEM,
				 "export=%llu needs %llu MR%s, more than this host has left for exports",
				 mem->size, nr, krping_plural(nr));
}

/**
 * krping_attachment_alloc() - allocate the MRs and the list for a region's memory
 * @a: the attachment, zeroed
 * @conn: the connection, with a QP
 * @mem: the memory; the function takes a reference
 * @writable: the keys have remote write access
 *
 * If @mem has no attachment yet, the function also allocates and maps the pieces of the memory.
 * After an error the caller calls krping_attachment_free().
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno, which the function records in the test's status for some errors.
 */
int krping_attachment_alloc(struct krping_attachment *a, struct krping_conn *conn,
			    struct krping_region_mem *mem, bool writable)
{
	struct ib_device *device = conn->pd->device;
	u64 nr = krping_region_mem_pieces(mem, device);
	int ret;

	/* Allocate no memory that cannot be registered. */
	if (!krping_attachment_reserve(a, device, nr))
		return krping_attachment_no_mrs(conn, mem, nr);
	ret = krping_region_mem_use(mem, device, conn->queue.status);
	/* An earlier attachment may have divided the memory into more pieces, for smaller MRs. */
	if (!ret && !krping_attachment_reserve(a, device, mem->nr)) {
		ret = krping_attachment_no_mrs(conn, mem, mem->nr);
		krping_region_mem_unuse(mem);
	}
	if (ret) {
		krping_attachment_unreserve(a);
		return ret;
	}
	return krping_attachment_fill(a, conn, mem, writable);
}

/**
 * krping_attachment_alloc_registered() - allocate MRs for the region of another client
 * @a: as with krping_attachment_alloc()
 * @conn: as with krping_attachment_alloc()
 * @mem: the memory, which its owner has registered; the function takes a reference
 * @writable: as with krping_attachment_alloc()
 *
 * Sets no status, because the client's test continues without the region. After an error the
 * caller calls krping_attachment_free().
 *
 * Context: the test's thread.
 *
 * Return: 0; -ENODEV if the memory is not registered with this device; or another negative
 * errno.
 */
int krping_attachment_alloc_registered(struct krping_attachment *a, struct krping_conn *conn,
				       struct krping_region_mem *mem, bool writable)
{
	struct ib_device *device = conn->pd->device;

	if (!krping_region_mem_use_registered(mem, device))
		return -ENODEV;
	if (!krping_attachment_reserve(a, device, mem->nr)) {
		krping_region_mem_unuse(mem);
		return -ENOMEM;
	}
	return krping_attachment_fill(a, conn, mem, writable);
}

/**
 * krping_attachment_free() - free the MRs and the list, and drop the reference to the memory
 * @a: the attachment; if it is all zeros, nothing happens
 *
 * The caller must not have freed the PD, but may have destroyed the QP. When the memory's last
 * attachment is freed, so is the memory, unless the server keeps the memory for later clients.
 *
 * Context: process context.
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
	krping_attachment_unreserve(a);
	krping_region_mem_unuse(a->mem);
	krping_region_mem_put(a->mem);
	memset(a, 0, sizeof(*a));
}

/* Condition for krping_wait(): the SQ has room for a WR, or the connection is lost. */
static bool krping_attachment_has_room(void *arg)
{
	struct krping_attachment *a = arg;

	return !krping_queue_full(&a->conn->queue) || READ_ONCE(a->conn->queue.gone);
}

/**
 * krping_attachment_post() - post a WR, then wait until the SQ has room for another
 * @a: an attachment of the connection
 * @wr: the WR
 * @timeout: bound on the wait, in milliseconds
 *
 * Context: the test's thread.
 *
 * Return: 0, or the negative errno of the post or of krping_wait().
 */
int krping_attachment_post(struct krping_attachment *a, struct ib_send_wr *wr,
			   u32 timeout)
{
	struct krping_queue *q = &a->conn->queue;
	int ret;

	wr->next = NULL;
	krping_queue_prepare(q, wr);
	ret = krping_queue_submit(q, wr);
	/* -ENOTCONN means that the connection is lost. krping_wait() then returns the reason. */
	if (ret && ret != -ENOTCONN)
		return ret;
	return krping_wait(q->cq, krping_attachment_has_room, a, timeout);
}

/* Post the REG_MR of @mr under a new key. */
static int krping_attachment_register_mr(struct krping_attachment *a, struct krping_mr *mr,
					 u32 timeout)
{
	int ret;

	/* A peer with an old key of this MR must not be able to compute the new key. */
	ib_update_fast_reg_key(mr->mr, get_random_u32());
	ret = krping_mr_renew(mr);
	if (ret)
		return krping_status_set(a->conn->queue.status, ret,
					 "the device does not map a buffer of %zu byte%s",
					 mr->buf->size, krping_plural(mr->buf->size));
	return krping_attachment_post(a, &mr->reg.wr, timeout);
}

/* Write the address, key and size of each MR into the list. */
static void krping_attachment_fill_list(struct krping_attachment *a)
{
	u32 i;

	krping_buf_for_cpu(&a->list);
	for (i = 0; i < a->nr; i++) {
		const struct krping_mr *mr = &a->mrs[i];
		struct krping_wire_msg msg;

		krping_wire_msg_encode(&msg, mr->mr->iova, mr->mr->rkey, mr->buf->size);
		/*
		 * The buffer consists of chunks, which need not be contiguous. Each entry of the
		 * list lies within one chunk, because the entry's size divides the chunk's size.
		 */
		memcpy(krping_buf_at(&a->list, i * sizeof(msg)), &msg, sizeof(msg));
	}
	krping_buf_for_device(&a->list);
}

/**
 * krping_attachment_register() - register the memory and the list of its keys under new keys
 * @a: the attachment, not registered
 * @timeout: bound on each wait for the device, in milliseconds
 * @progress: set to the bytes registered so far, for readers in any context; or NULL
 * @list: filled in: address, key and size of the list of keys, for the caller to send
 *
 * The function does not wait until the registrations have completed, because the device executes
 * them before any SEND that the caller posts to the same SQ afterwards.
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno of krping_status_set() or krping_attachment_post().
 */
int krping_attachment_register(struct krping_attachment *a, u32 timeout, u64 *progress,
			       struct krping_advert *list)
{
	u64 done = 0;
	int ret = 0;
	u32 i;

	for (i = 0; i < a->nr && !ret; i++) {
		ret = krping_attachment_register_mr(a, &a->mrs[i], timeout);
		done += a->mrs[i].buf->size;
		if (progress)
			krping_u64_write(progress, done);
	}
	if (ret)
		return ret;
	krping_attachment_fill_list(a);
	return krping_attachment_advertise(a, &a->list_mr, timeout, list);
}

/**
 * krping_attachment_advertise() - register a list under a new key, and return its advert
 * @a: an attachment of the connection
 * @mr: MR of the list, which is either the attachment's list of keys or a list of open regions
 * @timeout: bound on the wait for the device, in milliseconds
 * @advert: filled in: address, key and size of the list, for the caller to send
 *
 * Context: the test's thread.
 *
 * Return: as krping_attachment_register().
 */
int krping_attachment_advertise(struct krping_attachment *a, struct krping_mr *mr,
				u32 timeout, struct krping_advert *advert)
{
	int ret = krping_attachment_register_mr(a, mr, timeout);

	if (ret)
		return ret;
	advert->addr = mr->mr->iova;
	advert->rkey = mr->mr->rkey;
	advert->size = mr->buf->size;
	return 0;
}

/**
 * krping_attachment_post_inv() - post a LOCAL_INV whose completion the caller awaits
 * @a: an attachment of the connection
 * @mr: an MR of the connection, registered
 *
 * The caller ensures that the SQ has room for the WR. When the WR completes, the CQ's handler calls
 * &krping_queue.sent_fn with KRPING_OP_FR, a value of &enum krping_op that no other WR of this QP
 * has. By then all earlier WRs of the SQ have completed, too, and the caller may free @mr.
 *
 * Context: the test's thread.
 *
 * Return: 0; -ENOTCONN if the connection is lost, and krping_wait() then returns the reason; or
 * another negative errno, which is recorded in the test's status.
 */
int krping_attachment_post_inv(struct krping_attachment *a, struct krping_mr *mr)
{
	struct krping_queue *q = &a->conn->queue;
	struct ib_send_wr *wr = &mr->inv;

	wr->next = NULL;
	wr->wr_cqe = krping_queue_cqe(q, KRPING_OP_FR);
	wr->send_flags = IB_SEND_SIGNALED;
	krping_queue_note(q, wr, 1, true);
	return krping_queue_post(q, wr);
}

/**
 * krping_attachment_invalidate() - post a LOCAL_INV for each key
 * @a: the attachment, registered
 * @timeout: bound on each wait for the device, in milliseconds
 *
 * The last LOCAL_INV invalidates the key of the list; krping_attachment_post_inv() posts it. The
 * caller awaits the completion of this WR, which proves that all keys are invalid. When the
 * function is called, the SQ must have room for one WR.
 *
 * Context: the test's thread.
 *
 * Return: 0, or as krping_attachment_post() or krping_attachment_post_inv().
 */
int krping_attachment_invalidate(struct krping_attachment *a, u32 timeout)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < a->nr && !ret; i++)
		ret = krping_attachment_post(a, &a->mrs[i].inv, timeout);
	return ret ?: krping_attachment_post_inv(a, &a->list_mr);
}
