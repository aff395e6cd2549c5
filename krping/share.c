// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The PD and the MR that all QPs of a test share.
 *
 * Each connection has buffers of its own, with DMA mappings of their own. The MR covers the
 * buffers of all connections. The first connection allocates the buffers and the MR, posts the
 * REG_MR once its QP is connected, and waits for the completion, because the device does not order
 * WRs of other QPs behind the REG_MR. The last connection to end frees the buffers, the MR and the
 * PD, because any QP of the test may use them.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "memory.h"
#include "share.h"
#include "wait.h"
#include "wr.h"

/*
 * Limit of krping_share_wait() in ms if the test has none. The first connection waits only for its
 * device, not for the peer.
 */
#define KRPING_SHARE_PATIENCE	5000

/**
 * struct krping_share_waiter - a thread that waits until the share is settled
 * @entry: in &krping_share.wait
 * @share: the share
 * @status: status of the thread's test, whose wait queue the thread sleeps on
 */
struct krping_share_waiter {
	wait_queue_entry_t entry;
	struct krping_share *share;
	struct krping_status *status;
};

/**
 * krping_share_create() - allocate a share without a PD
 * @nr: connections of the test
 *
 * Return: the share with one reference, or NULL.
 */
struct krping_share *krping_share_create(u32 nr)
{
	struct krping_share *share = kzalloc(sizeof(*share), GFP_KERNEL);

	if (!share)
		return NULL;
	kref_init(&share->ref);
	mutex_init(&share->lock);
	init_waitqueue_head(&share->wait);
	share->nr = nr;
	return share;
}

/**
 * krping_share_get() - take a reference
 * @share: the share, or NULL
 *
 * Return: @share.
 */
struct krping_share *krping_share_get(struct krping_share *share)
{
	if (share)
		kref_get(&share->ref);
	return share;
}

static void krping_share_release(struct kref *ref)
{
	kfree(container_of(ref, struct krping_share, ref));
}

/**
 * krping_share_put() - drop a reference
 * @share: the share, or NULL
 */
void krping_share_put(struct krping_share *share)
{
	if (share)
		kref_put(&share->ref, krping_share_release);
}

/* Let the other connections continue: the MR can be used, or there will be none. */
static void krping_share_settle(struct krping_share *share)
{
	/* pairs with krping_share_settled() */
	smp_store_release(&share->settled, true);
	wake_up_all(&share->wait);
}

/* As krping_share_enter(). The caller holds the lock. */
static struct ib_pd *krping_share_enter_locked(struct krping_share *share,
					       struct ib_device *device, bool global_rkey)
{
	struct ib_pd *pd;

	if (share->closed)
		return ERR_PTR(-ECONNRESET);
	/* Only a misbehaving peer's connection needs a PD other than the first connection's. */
	if (share->pd && !krping_share_has_pd_of(share, device, global_rkey))
		return ERR_PTR(-EPROTO);
	if (!share->pd) {
		pd = ib_alloc_pd(device, global_rkey ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
		if (IS_ERR(pd))
			return pd;
		share->pd = pd;
		share->global_rkey = global_rkey;
	}
	share->users++;
	return share->pd;
}

/**
 * krping_share_enter() - begin to use the PD, which the first caller allocates
 * @share: the share
 * @device: device of the connection
 * @global_rkey: the PD must have a global rkey
 *
 * Context: process context.
 *
 * Return: the PD, which krping_share_leave() releases; or an ERR_PTR.
 */
struct ib_pd *krping_share_enter(struct krping_share *share, struct ib_device *device,
				 bool global_rkey)
{
	struct ib_pd *pd;

	mutex_lock(&share->lock);
	pd = krping_share_enter_locked(share, device, global_rkey);
	mutex_unlock(&share->lock);
	return pd;
}

/* Free the MR, the buffers and the PD after the last connection has ended. */
static void krping_share_free(struct krping_share *share)
{
	u32 i;

	krping_mr_free(&share->mr);
	kvfree(share->all.sgl);
	share->all.sgl = NULL;
	for (i = 0; share->bufs && i < share->nr * share->parts; i++)
		krping_buf_free(&share->bufs[i]);
	kvfree(share->bufs);
	share->bufs = NULL;
	ib_dealloc_pd(share->pd);
	share->pd = NULL;
}

/**
 * krping_share_leave() - end the use of PD, MR and buffers, which the last user frees
 * @share: the share, entered
 *
 * Context: process context. The caller has destroyed the connection's QP and freed its CQ.
 */
void krping_share_leave(struct krping_share *share)
{
	mutex_lock(&share->lock);
	if (!--share->users) {
		share->closed = true;
		krping_share_free(share);
		krping_share_settle(share);
	}
	mutex_unlock(&share->lock);
}

/* Allocate and map the buffers of all connections. */
static int krping_share_alloc_bufs(struct krping_share *share)
{
	u32 nr = share->nr * share->parts;
	int ret = 0;
	u32 i;

	share->bufs = kvcalloc(nr, sizeof(*share->bufs), GFP_KERNEL);
	if (!share->bufs)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++) {
		ret = krping_buf_alloc(&share->bufs[i], share->pd->device, share->size, false,
				       DMA_BIDIRECTIONAL);
		share->all.mapped += share->bufs[i].mapped;
	}
	return ret;
}

/*
 * List the DMA segments of all buffers, with lengths rounded up to whole pages. The last segment of
 * a buffer ends with the data, but krping_buf_alloc() has mapped the rest of the page too. Even in
 * a bounce buffer, the rest of the page therefore belongs to no other mapping.
 */
static int krping_share_list_bufs(struct krping_share *share)
{
	struct scatterlist *to, *sg;
	u32 nr = share->nr * share->parts;
	u32 i;
	int k;

	share->all.sgl = kvcalloc(share->all.mapped, sizeof(*to), GFP_KERNEL);
	if (!share->all.sgl)
		return -ENOMEM;
	sg_init_table(share->all.sgl, share->all.mapped);
	share->all.nents = share->all.mapped;
	share->all.size = krping_share_offset(share->size, nr);
	to = share->all.sgl;
	for (i = 0; i < nr; i++)
		for_each_sg(share->bufs[i].sgl, sg, share->bufs[i].mapped, k) {
			sg_dma_address(to) = sg_dma_address(sg);
			sg_dma_len(to) = PAGE_ALIGN(sg_dma_len(sg));
			to++;
		}
	return 0;
}

/*
 * Allocate the buffers of all connections and their MR, when the first connection takes its
 * buffers. If the test registers no buffers, there is no MR, and krping_share_wait() need not wait.
 */
static int krping_share_alloc(struct krping_share *share, struct krping_queue *q,
			      const struct krping_share_need *need)
{
	int ret;

	share->size = need->size;
	share->parts = need->parts;
	if (!share->parts) {
		krping_share_settle(share);
		return 0;
	}
	ret = krping_share_alloc_bufs(share);
	if (!ret)
		ret = krping_share_list_bufs(share);
	if (!ret)
		ret = krping_mr_alloc(&share->mr, share->pd, &share->all, need->access,
				      &share->cqe.cqe, NULL);
	if (!ret)
		share->cqe.queue = q;
	return ret;
}

/**
 * krping_share_take() - take the buffers of a connection
 * @share: the share, entered
 * @q: the connection's queue
 * @need: buffers and access rights of the connection, which must equal those of the test's first
 *	connection
 * @nr: set to the number of the connection, whose buffers begin at
 *	&krping_share.bufs[@nr * @need->parts]
 *
 * Context: process context. A server cannot trust @need or the number of calls, which the peer
 * chooses.
 *
 * Return: 0; for the first connection, the error of the allocation. For another connection, -EPROTO
 * if @need differs from that of the first connection or if there are too many connections, and
 * -ECONNRESET if the allocation has failed or the last user has left.
 */
int krping_share_take(struct krping_share *share, struct krping_queue *q,
		      const struct krping_share_need *need, u32 *nr)
{
	int ret = 0;

	mutex_lock(&share->lock);
	if (share->closed) {
		ret = -ECONNRESET;
	} else if (!share->taken) {
		ret = krping_share_alloc(share, q, need);
		/* After an error, the next connection must not overwrite the allocated objects. */
		share->closed = ret;
	} else if (!krping_share_admits(share, need)) {
		ret = -EPROTO;
	}
	if (!ret)
		*nr = share->taken++;
	mutex_unlock(&share->lock);
	return ret;
}

/* Handle the completion of the REG_MR, in the CQ's context. A failed REG_MR ends the test. */
static void krping_share_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct krping_cqe *cqe = container_of(wc->wr_cqe, struct krping_cqe, cqe);
	struct krping_share *share = container_of(cqe, struct krping_share, cqe);

	if (wc->status != IB_WC_SUCCESS) {
		krping_wc_failed(cqe->queue, cqe->op, wc);
		return;
	}
	WRITE_ONCE(share->registered, true);
	krping_share_settle(share);
	wake_up_all(&cqe->queue->status->wait);
}

/**
 * krping_share_register() - post the REG_MR
 * @share: the share, for which krping_share_registers() returns true
 * @q: the queue of the first connection, connected, with an empty SQ
 *
 * Context: the test's thread, which posts no other WR until krping_share_registered() returns true.
 *
 * Return: 0; or a negative errno, whose reason the function has recorded in the test's status.
 */
int krping_share_register(struct krping_share *share, struct krping_queue *q)
{
	int ret = krping_mr_renew(&share->mr);

	if (ret)
		return krping_status_set(q->status, ret,
					 "share: the device does not map the buffers of %u connection%s, %zu bytes, into one MR",
					 share->nr, krping_plural(share->nr), share->all.size);
	share->cqe.cqe.done = krping_share_done;
	share->cqe.op = KRPING_OP_REG;
	share->mr.reg.wr.send_flags = IB_SEND_SIGNALED;
	return krping_queue_post(q, &share->mr.reg.wr);
}

/* Wake the thread of a waiter, for wake_up_all(&share->wait). */
static int krping_share_wake(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	struct krping_share_waiter *waiter = container_of(entry, struct krping_share_waiter, entry);

	wake_up_all(&waiter->status->wait);
	return 0;
}

/* Condition for krping_wait() */
static bool krping_share_settled(void *arg)
{
	struct krping_share_waiter *waiter = arg;

	/* pairs with krping_share_settle() */
	return smp_load_acquire(&waiter->share->settled);
}

/**
 * krping_share_wait() - wait until the MR can be used
 * @share: the share
 * @cq: the CQ of the caller's thread
 * @timeout_ms: as for krping_wait(), but 0 means KRPING_SHARE_PATIENCE
 *
 * Context: process context, in a thread other than that of the first connection.
 *
 * Return: 0; or a negative errno, which is recorded in the test's status: -ECONNRESET if the first
 * connection has failed or has taken too long, else the error that has ended krping_wait().
 */
int krping_share_wait(struct krping_share *share, struct krping_cq *cq, u32 timeout_ms)
{
	struct krping_share_waiter waiter = { .share = share, .status = cq->status };
	bool usable;
	int ret;

	init_waitqueue_func_entry(&waiter.entry, krping_share_wake);
	add_wait_queue(&share->wait, &waiter.entry);
	krping_cq_progress(cq);
	ret = krping_wait(cq, krping_share_settled, &waiter,
			  timeout_ms ? timeout_ms : KRPING_SHARE_PATIENCE);
	remove_wait_queue(&share->wait, &waiter.entry);
	if (ret == -ECONNRESET)
		return krping_status_set(cq->status, ret, "%s before the MR was registered",
					 krping_status_loss(cq->status));
	if (ret && ret != -ETIMEDOUT)
		return ret;
	mutex_lock(&share->lock);
	usable = !ret && !share->closed;
	mutex_unlock(&share->lock);
	return usable ? 0 : krping_status_set(cq->status, -ECONNRESET,
					      "share: the client's first connection has no MR");
}
