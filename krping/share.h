/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The PD and the MR that all QPs of a test share.
 */
#ifndef KRPING_SHARE_H
#define KRPING_SHARE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/wait.h>

#include "mr.h"
#include "queue.h"

/**
 * struct krping_share - the PD and the MR of a test
 * @ref: held by the threads of a client, or by the tests of a server's client
 * @nr: connections of the test
 * @lock: guards the fields below, except @registered, @settled and @wait
 * @users: connections that use @pd
 * @taken: connections that have taken their buffers
 * @closed: the last user has left, or an allocation has failed; no further connection may enter
 * @pd: the PD, while there are users
 * @global_rkey: @pd has a global rkey
 * @size: bytes of a buffer
 * @parts: number of registered buffers of each connection; 0: no MR
 * @bufs: the buffers of all connections, or NULL
 * @all: DMA segments of all buffers, each extended to whole pages, which @mr covers
 * @mr: the MR and the REG_MR that registers @all
 * @cqe: handles the completion of the REG_MR, which the first connection posts
 * @registered: the REG_MR has completed, so all QPs can use @mr
 * @settled: @registered is set, the last user has left, or there is no MR
 * @wait: woken when @settled is set
 */
struct krping_share {
	struct kref ref;
	u32 nr;
	struct mutex lock; /* see above */
	u32 users;
	u32 taken;
	bool closed;
	struct ib_pd *pd;
	bool global_rkey;
	size_t size;
	u32 parts;
	struct krping_buf *bufs;
	struct krping_buf all;
	struct krping_mr mr;
	struct krping_cqe cqe;
	bool registered;
	bool settled;
	wait_queue_head_t wait;
};

/**
 * struct krping_share_need - what a connection needs of the MR
 * @size: bytes of a buffer
 * @parts: number of registered buffers
 * @access: IB_ACCESS_* of the MR
 */
struct krping_share_need {
	size_t size;
	u32 parts;
	int access;
};

/* Allocate a share without a PD. */
struct krping_share *krping_share_create(u32 nr);

/* Take a reference. */
struct krping_share *krping_share_get(struct krping_share *share);

/* Drop a reference. */
void krping_share_put(struct krping_share *share);

/*
 * A connection enters the share, takes its buffers, and leaves. The first connection registers the
 * MR, and the others wait.
 */

/* Begin to use the PD, which the first caller allocates. */
struct ib_pd *krping_share_enter(struct krping_share *share, struct ib_device *device,
				 bool global_rkey);

/* End the use of PD, MR and buffers, which the last user frees. */
void krping_share_leave(struct krping_share *share);

/* Take the buffers of a connection. */
int krping_share_take(struct krping_share *share, struct krping_queue *q,
		      const struct krping_share_need *need, u32 *nr);

/* Post the REG_MR of the MR, for the first connection. */
int krping_share_register(struct krping_share *share, struct krping_queue *q);

/* Wait until the MR can be used. */
int krping_share_wait(struct krping_share *share, struct krping_cq *cq, u32 timeout_ms);

/**
 * krping_share_has_pd_of() - check whether the PD suits a further connection
 * @share: the share, with a PD
 * @device: device of the connection
 * @global_rkey: the connection needs a global rkey
 *
 * Return: true if the PD belongs to @device, and has a global rkey exactly if @global_rkey is set.
 */
static inline bool krping_share_has_pd_of(const struct krping_share *share,
					  const struct ib_device *device, bool global_rkey)
{
	return share->pd->device == device && share->global_rkey == global_rkey;
}

/**
 * krping_share_admits() - check whether there are buffers for a further connection
 * @share: the share, locked, whose first connection has taken its buffers
 * @need: the requirements of the connection
 *
 * Return: true if the requirements equal those of the first connection, and a buffer is left.
 */
static inline bool krping_share_admits(const struct krping_share *share,
				       const struct krping_share_need *need)
{
	return share->taken < share->nr && need->size == share->size &&
	       need->parts == share->parts &&
	       (!share->parts || need->access == share->mr.reg.access);
}

/**
 * krping_share_registers() - check whether a queue has to register the MR
 * @share: the share, or NULL
 * @q: the queue of a connection that has called krping_share_take()
 *
 * Return: true for the queue of the first connection, if there is an MR.
 */
static inline bool krping_share_registers(const struct krping_share *share,
					  const struct krping_queue *q)
{
	return share && share->parts && share->cqe.queue == q;
}

/**
 * krping_share_registered() - check whether the REG_MR has completed
 * @share: the share
 *
 * Context: any context.
 *
 * Return: true once all QPs can use the MR.
 */
static inline bool krping_share_registered(const struct krping_share *share)
{
	return READ_ONCE(share->registered);
}

/**
 * krping_share_offset() - return where a buffer begins in the MR
 * @size: bytes of a buffer
 * @index: index of the buffer
 *
 * Return: offset in the MR, in bytes; each buffer begins at a page.
 */
static inline u64 krping_share_offset(size_t size, u64 index)
{
	return index * PAGE_ALIGN(size);
}

/**
 * krping_share_size_max() - return the largest size of a buffer
 * @reg_max: largest number of bytes that one MR covers
 * @nr: number of buffers in the MR, at least 1
 *
 * Return: bytes, a multiple of the page size; 0 if not even a page fits.
 */
static inline u64 krping_share_size_max(u64 reg_max, u64 nr)
{
	return round_down(div64_u64(reg_max, nr), PAGE_SIZE);
}

#endif /* KRPING_SHARE_H */
