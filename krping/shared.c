// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory that all clients of a server use.
 *
 * The first client brings the device, for which the memory is allocated in pieces that
 * one MR covers. Each client registers the pieces in its own PD. The pieces are mapped
 * once for all clients, since two mappings may have two bounce buffers, and only while
 * there are clients, since no device may be removed before its mappings. The data stays
 * as long as the server.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "shared.h"

/**
 * krping_piece_size() - return the bytes of a piece of exported memory
 * @device: the device
 *
 * Return: bytes that one MR covers, a multiple of the page size.
 */
u64 krping_piece_size(const struct ib_device *device)
{
	return min_t(u64, krping_mem_reg_max(device), KRPING_CONTIGUOUS_MAX) & PAGE_MASK;
}

/**
 * krping_piece_check() - check whether there is enough memory
 * @size: bytes
 * @status: records the error
 *
 * An allocation that is too large takes long, and harms the machine.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_piece_check(u64 size, struct krping_status *status)
{
	u64 available = (u64)max(si_mem_available(), 0L) << PAGE_SHIFT;

	if (size <= available)
		return 0;
	return krping_status_set(status, -ENOMEM,
				 "export=%llu: only %llu bytes of memory are available",
				 size, available);
}

/**
 * krping_shared_create() - create memory for the clients of a server
 * @size: bytes
 *
 * Process context. Allocates nothing of the memory itself.
 *
 * Return: the memory, with a reference; or NULL.
 */
struct krping_shared *krping_shared_create(u64 size)
{
	struct krping_shared *shared = kzalloc(sizeof(*shared), GFP_KERNEL);

	if (!shared)
		return NULL;
	kref_init(&shared->ref);
	mutex_init(&shared->lock);
	shared->size = size;
	get_random_bytes(&shared->identity, sizeof(shared->identity));
	return shared;
}

static void krping_shared_free_pieces(struct krping_shared *shared)
{
	u32 i;

	for (i = 0; i < shared->nr; i++) {
		krping_buf_free(&shared->pieces[i]);
		cond_resched();
	}
	kvfree(shared->pieces);
	shared->pieces = NULL;
	shared->nr = 0;
}

static void krping_shared_free(struct kref *ref)
{
	struct krping_shared *shared = container_of(ref, struct krping_shared, ref);

	krping_shared_free_pieces(shared);
	kfree(shared);
}

/**
 * krping_shared_get() - take a reference
 * @shared: the memory, or NULL
 *
 * Return: @shared.
 */
struct krping_shared *krping_shared_get(struct krping_shared *shared)
{
	if (shared)
		kref_get(&shared->ref);
	return shared;
}

/**
 * krping_shared_put() - drop a reference
 * @shared: the memory, or NULL
 */
void krping_shared_put(struct krping_shared *shared)
{
	if (shared)
		kref_put(&shared->ref, krping_shared_free);
}

/* Allocate and map the pieces. A stop ends the allocation. */
static int krping_shared_alloc(struct krping_shared *shared, struct ib_device *device,
			       struct krping_status *status)
{
	u64 piece = krping_piece_size(device);
	u64 nr = div64_u64(shared->size + piece - 1, piece);
	u64 left = shared->size;
	int ret;

	ret = krping_piece_check(shared->size, status);
	if (ret)
		return ret;
	shared->pieces = kvcalloc(nr, sizeof(*shared->pieces), GFP_KERNEL);
	if (!shared->pieces)
		return -ENOMEM;
	for (; shared->nr < nr && !ret; shared->nr++) {
		u64 size = min(left, piece);

		ret = krping_buf_alloc(&shared->pieces[shared->nr], device, size, false,
				       DMA_BIDIRECTIONAL);
		left -= size;
		if (!ret)
			ret = krping_status_stopped(status);
		cond_resched();
	}
	if (ret)
		krping_shared_free_pieces(shared);
	shared->piece = piece;
	return ret;
}

static void krping_shared_unmap(struct krping_shared *shared)
{
	u32 i;

	for (i = 0; i < shared->nr; i++)
		krping_buf_unmap(&shared->pieces[i]);
}

static int krping_shared_map(struct krping_shared *shared, struct ib_device *device,
			     struct krping_status *status)
{
	int ret = 0;
	u32 i;

	if (krping_piece_size(device) < shared->piece)
		return krping_status_set(status, -EOPNOTSUPP,
					 "shared: this device registers less memory by one MR than the first client's");
	for (i = 0; i < shared->nr && !ret; i++)
		ret = krping_buf_map(&shared->pieces[i], device);
	if (ret)
		krping_shared_unmap(shared);
	return ret;
}

/**
 * krping_shared_use() - allocate or map the memory for a client
 * @shared: the memory
 * @device: the client's device
 * @status: the status of the client's test
 *
 * Process context. The caller registers the pieces, and calls krping_shared_unuse() once
 * the MRs are freed.
 *
 * Return: 0; -EOPNOTSUPP if the other clients are on another device; -ENOMEM; another
 * negative errno if the test was stopped.
 */
int krping_shared_use(struct krping_shared *shared, struct ib_device *device,
		      struct krping_status *status)
{
	int ret = 0;

	mutex_lock(&shared->lock);
	if (shared->users && shared->device != device)
		ret = krping_status_set(status, -EOPNOTSUPP,
					"shared: the other clients are on another device");
	else if (!shared->pieces)
		ret = krping_shared_alloc(shared, device, status);
	else if (!shared->users)
		ret = krping_shared_map(shared, device, status);
	if (!ret) {
		shared->device = device;
		shared->users++;
	}
	mutex_unlock(&shared->lock);
	return ret;
}

/**
 * krping_shared_unuse() - end a client's use of the memory
 * @shared: the memory; the client's MRs are freed
 */
void krping_shared_unuse(struct krping_shared *shared)
{
	mutex_lock(&shared->lock);
	if (!--shared->users)
		krping_shared_unmap(shared);
	mutex_unlock(&shared->lock);
}
