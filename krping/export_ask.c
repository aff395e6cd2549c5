// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests of a client about regions, and the server's answers. A region is memory that the server
 * exports to a client. A client opens its region to the other clients, closes its region again,
 * lists the open regions, or requests keys to an open region of another client.
 *
 *	client				server
 *	SEND ask		--->
 *					registers the region for this client
 *				<---	SEND answer: verdict, size, rights, list of pieces
 *	RDMA READ of the list	--->
 *	operations		--->
 *
 * The server does not trust a client. The client may have one request outstanding, and keys to a
 * bounded number of regions. The thread of the client's connection handles the request; the
 * CQ's context only stores the request.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "export_ask.h"
#include "wait.h"
#include "wr.h"

/* Maximum number of open regions in a list. The client READs the whole list. */
#define KRPING_EXPORT_LIST_MAX	1024

/**
 * krping_export_ask() - store a request
 * @e: the client's region
 * @ask: the message
 *
 * Context: the CQ's context. A request before the advert, or before the answer to the last request,
 * ends the connection.
 */
void krping_export_ask(struct krping_export *e, const struct krping_wire_ask *ask)
{
	struct krping_queue *q = &e->conn->queue;

	if (!READ_ONCE(e->advertised)) {
		krping_status_set(q->status, -EPROTO,
				  "the client sent a request before the advert of its region");
		return;
	}
	if (READ_ONCE(e->ask.pending)) {
		krping_status_set(q->status, -EPROTO,
				  "the client sent a request before the answer to its last one");
		return;
	}
	e->ask.what = be32_to_cpu(ask->what);
	e->ask.rights = be32_to_cpu(ask->rights);
	e->ask.id = min_t(u64, be64_to_cpu(ask->ctl.value), U32_MAX);
	/* pairs with krping_export_has_work() */
	smp_store_release(&e->ask.pending, true);
	wake_up_all(&q->status->wait);
}

/**
 * krping_export_sent() - record that the last LOCAL_INV of a region or list has completed
 * @q: the queue
 * @op: KRPING_OP_FR, the operation of the WR of krping_attachment_post_inv()
 *
 * This is a &typedef krping_sent_fn.
 */
void krping_export_sent(struct krping_queue *q, enum krping_op op)
{
	struct krping_export *e = q->priv;

	/* pairs with krping_export_invalidated() */
	smp_store_release(&e->invalidated, true);
	wake_up_all(&q->status->wait);
}

/* Condition for krping_wait(): the last LOCAL_INV has completed, or the connection has ended. */
static bool krping_export_invalidated(void *arg)
{
	struct krping_export *e = arg;

	/* pairs with krping_export_sent() */
	return smp_load_acquire(&e->invalidated) || READ_ONCE(e->conn->queue.gone);
}

/* Free the client's keys to a region of another client, and stop using the region. */
static void krping_export_free_use(struct krping_export *e, struct krping_region_use *use)
{
	krping_attachment_free(&use->attachment);
	krping_region_leave(e->thread->regions, use);
}

/*
 * Wait for the last LOCAL_INV, whose post has returned @ret. After -ENOTCONN, krping_wait() returns
 * why the connection is lost.
 */
static int krping_export_await_inv(struct krping_export *e, int ret)
{
	if (ret && ret != -ENOTCONN)
		return ret;
	return krping_wait(&e->thread->cq, krping_export_invalidated, e,
			   e->thread->opts.timeout);
}

/* Invalidate the keys to a region, then release the region. Its owner waits for the release. */
static int krping_export_revoke(struct krping_export *e, struct krping_region_use *use)
{
	int ret;

	e->invalidated = false;
	ret = krping_attachment_invalidate(&use->attachment, e->thread->opts.timeout);
	ret = krping_export_await_inv(e, ret);
	if (ret)
		return ret;
	/* If the connection has ended, teardown destroys the QP and then frees the MRs. */
	if (!READ_ONCE(e->conn->queue.gone))
		krping_export_free_use(e, use);
	return 0;
}

/* Return an entry of @e->uses whose keys the thread has to invalidate, or NULL. */
static struct krping_region_use *krping_export_revoked(struct krping_export *e)
{
	u32 i;

	for (i = 0; i < KRPING_EXPORT_USES_MAX; i++)
		if (READ_ONCE(e->uses[i].revoked))
			return &e->uses[i];
	return NULL;
}

/* Check whether a pending close is complete: no other client uses the region. */
static bool krping_export_closed(const struct krping_export *e)
{
	return e->closing && !READ_ONCE(e->open.nr_uses);
}

/**
 * krping_export_has_work() - check whether the thread is needed
 * @export: a struct krping_export
 *
 * The function is the thread's condition for krping_wait().
 *
 * Return: true if krping_export_work() has work, or the client has gone.
 */
bool krping_export_has_work(void *export)
{
	struct krping_export *e = export;

	if (READ_ONCE(e->conn->queue.gone) || krping_export_revoked(e))
		return true;
	if (e->closing)
		return krping_export_closed(e);
	/* pairs with krping_export_ask() */
	return smp_load_acquire(&e->ask.pending);
}

/* Send the answer to the pending request. */
static int krping_export_answer(struct krping_export *e, const struct krping_answer *answer)
{
	struct ib_send_wr *wr = krping_ctlmsg_answer(&e->control, answer);

	/* The client may send its next request when it has the answer. */
	WRITE_ONCE(e->ask.pending, false);
	/* Wait until the WR is on the SQ, because the next answer uses the same WR. */
	return krping_attachment_post(&e->own, wr, e->thread->opts.timeout);
}

/* Let the server's other clients use this client's region. */
static void krping_export_open(struct krping_export *e, struct krping_answer *answer)
{
	struct krping_thread *thread = e->thread;

	if (thread->opts.shared)
		answer->verdict = KRPING_VERDICT_SHARED;
	else if (e->is_open)
		answer->verdict = KRPING_VERDICT_OPEN;
	if (answer->verdict)
		return;
	e->open.mem = e->own.mem;
	e->open.id = thread->id;
	e->open.writable = !thread->opts.ro && (e->ask.rights & KRPING_REGION_WRITE);
	e->open.owner = thread->status;
	e->open.addr = e->conn->remote;
	krping_region_open(thread->regions, &e->open);
	e->is_open = true;
	answer->id = e->open.id;
	answer->size = e->open.mem->size;
	answer->rights = e->open.writable ? KRPING_REGION_WRITE : 0;
}

/* Begin to close the region. The thread sends the answer when no other client has a valid key. */
static void krping_export_close(struct krping_export *e, struct krping_answer *answer)
{
	if (!e->is_open) {
		answer->verdict = KRPING_VERDICT_CLOSED;
		return;
	}
	krping_region_close(e->thread->regions, &e->open);
	e->is_open = false;
	e->closing = true;
}

static void krping_export_free_list(struct krping_export *e)
{
	krping_mr_free(&e->list_mr);
	krping_buf_free(&e->list);
}

/*
 * Free the list of an earlier request. The SQ may still have the WR that registers the list, so
 * post a LOCAL_INV and wait for its completion first.
 */
static int krping_export_drop_list(struct krping_export *e)
{
	int ret;

	if (!e->list_mr.mr)
		return 0;
	e->invalidated = false;
	ret = krping_attachment_post_inv(&e->own, &e->list_mr);
	ret = krping_export_await_inv(e, ret);
	if (ret)
		return ret;
	/* If the connection has ended, teardown destroys the QP and then frees the list. */
	if (READ_ONCE(e->conn->queue.gone))
		return -ECONNRESET;
	krping_export_free_list(e);
	return 0;
}

/* Copy the list of open regions to a new buffer with an MR, which the client can READ. */
static int krping_export_alloc_list(struct krping_export *e,
				    const struct krping_wire_open_region *entries, u32 nr)
{
	size_t size = nr * sizeof(*entries);
	int ret;

	ret = krping_buf_alloc(&e->list, e->conn->pd->device, size, true, DMA_BIDIRECTIONAL);
	if (!ret)
		ret = krping_mr_alloc(&e->list_mr, e->conn->pd, &e->list, IB_ACCESS_REMOTE_READ,
				      krping_queue_cqe(&e->conn->queue, KRPING_OP_REG),
				      krping_queue_cqe(&e->conn->queue, KRPING_OP_INV));
	if (ret) {
		krping_export_free_list(e);
		return ret;
	}
	krping_buf_for_cpu(&e->list);
	memcpy(sg_virt(e->list.sgl), entries, size);
	krping_buf_for_device(&e->list);
	return 0;
}

/* List the open regions. Return 0 with @answer filled in, or an error that ends the connection. */
static int krping_export_list(struct krping_export *e, struct krping_answer *answer)
{
	struct krping_wire_open_region *entries;
	int ret;
	u32 nr;

	ret = krping_export_drop_list(e);
	if (ret)
		return ret;
	entries = kvcalloc(KRPING_EXPORT_LIST_MAX, sizeof(*entries), GFP_KERNEL);
	if (!entries) {
		answer->verdict = KRPING_VERDICT_MEMORY;
		return 0;
	}
	nr = krping_regions_list(e->thread->regions, entries, KRPING_EXPORT_LIST_MAX);
	answer->size = nr;
	nr = min_t(u32, nr, KRPING_EXPORT_LIST_MAX);
	if (nr && krping_export_alloc_list(e, entries, nr))
		answer->verdict = KRPING_VERDICT_MEMORY;
	else if (nr)
		ret = krping_attachment_advertise(&e->own, &e->list_mr,
						  e->thread->opts.timeout, &answer->list);
	kvfree(entries);
	return ret;
}

/* Find the entry of @e->uses for the region @id; if @id is 0, find a free entry. */
static struct krping_region_use *krping_export_find(struct krping_export *e, u32 id)
{
	u32 i;

	for (i = 0; i < KRPING_EXPORT_USES_MAX; i++)
		if (id ? e->uses[i].mem && e->uses[i].id == id && !READ_ONCE(e->uses[i].revoked) :
		    !e->uses[i].mem)
			return &e->uses[i];
	return NULL;
}

/*
 * Register the region of @use for this client. If there is no memory, set a verdict in @answer and
 * return 0. A returned error ends the connection. Posted WRs may then refer to the MRs, so only
 * teardown frees the MRs.
 */
static int krping_export_attach(struct krping_export *e, struct krping_region_use *use,
				struct krping_answer *answer)
{
	use->serial = ++e->serial;
	if (krping_attachment_alloc_registered(&use->attachment, e->conn, use->mem,
					       use->writable)) {
		krping_export_free_use(e, use);
		answer->verdict = KRPING_VERDICT_MEMORY;
		return 0;
	}
	return krping_attachment_register(&use->attachment, e->thread->opts.timeout, NULL,
					  &use->list);
}

/* Answer with keys to another client's region: those that the client has already, or new ones. */
static int krping_export_region(struct krping_export *e, struct krping_answer *answer)
{
	struct krping_region_use *use = krping_export_find(e, e->ask.id);
	int ret = 0;

	if (!e->ask.id)
		answer->verdict = KRPING_VERDICT_NO_REGION;
	if (!use && !answer->verdict) {
		use = krping_export_find(e, 0);
		if (!use) {
			answer->verdict = KRPING_VERDICT_LIMIT;
			return 0;
		}
		use->status = e->thread->status;
		answer->verdict = krping_region_enter(e->thread->regions, e->ask.id,
						      e->own.mem, use);
		if (!answer->verdict)
			ret = krping_export_attach(e, use, answer);
	}
	if (ret || answer->verdict)
		return ret;
	answer->id = use->id;
	answer->size = use->mem->size;
	answer->list = use->list;
	answer->rights = use->writable ? KRPING_REGION_WRITE : 0;
	answer->serial = use->serial;
	return 0;
}

/* Handle the pending request. Or, if a pending close is complete, answer the request to close. */
static int krping_export_handle(struct krping_export *e)
{
	struct krping_answer answer = { .verdict = KRPING_VERDICT_OK };
	int ret = 0;

	if (krping_export_closed(e)) {
		/* Wait for the lock: the last krping_region_leave() may hold it and use e->open. */
		krping_region_end(e->thread->regions, &e->open);
		e->closing = false;
		return krping_export_answer(e, &answer);
	}
	switch (e->ask.what) {
	case KRPING_ASK_OPEN:
		krping_export_open(e, &answer);
		break;
	case KRPING_ASK_CLOSE:
		krping_export_close(e, &answer);
		if (e->closing)
			return 0;
		break;
	case KRPING_ASK_REGIONS:
		ret = krping_export_list(e, &answer);
		break;
	case KRPING_ASK_REGION:
		ret = krping_export_region(e, &answer);
		break;
	default:
		answer.verdict = KRPING_VERDICT_UNKNOWN;
	}
	/* Send no answer if the test has an error, for example because the device failed. */
	ret = ret ?: krping_status_error(e->thread->status);
	return ret ?: krping_export_answer(e, &answer);
}

/**
 * krping_export_work() - invalidate the keys to one revoked region, or else handle a request
 * @e: the client's region, advertised
 *
 * Context: the test's thread, after krping_export_has_work() has returned true.
 *
 * Return: 0, or a negative errno as krping_wait().
 */
int krping_export_work(struct krping_export *e)
{
	struct krping_region_use *use = krping_export_revoked(e);
	struct krping_cq *cq = &e->thread->cq;
	int ret;

	if (READ_ONCE(e->conn->queue.gone))
		return 0;
	krping_cq_progress(cq);
	WRITE_ONCE(e->working, true);
	ret = use ? krping_export_revoke(e, use) : krping_export_handle(e);
	WRITE_ONCE(e->working, false);
	krping_cq_progress(cq);
	return ret;
}

/**
 * krping_export_hide() - let no other client use this client's region
 * @e: the client's region
 *
 * Context: the test's thread, before the connection ends.
 */
void krping_export_hide(struct krping_export *e)
{
	if (e->is_open || e->closing)
		krping_region_end(e->thread->regions, &e->open);
	e->is_open = false;
	e->closing = false;
}

/**
 * krping_export_free_uses() - free the keys to other regions, and the list of regions
 * @e: the client's region; the caller has destroyed the QP
 */
void krping_export_free_uses(struct krping_export *e)
{
	u32 i;

	for (i = 0; i < KRPING_EXPORT_USES_MAX; i++)
		krping_export_free_use(e, &e->uses[i]);
	krping_export_free_list(e);
}
