// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The memory of a region, which a server exports to its clients.
 *
 * The first registration determines the device. krping then allocates the memory in pieces that
 * one MR of this device covers. attachment.c registers the pieces in the PD of each connection.
 * All connections use one DMA mapping of a piece, because two mappings may have two bounce
 * buffers, that is, two copies of the data. krping unmaps the pieces when the last registration
 * ends, because no mapping may outlive its device. krping then also frees the memory, unless the
 * server keeps it for later clients.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "region_mem.h"

/* Return the size of a piece: whole pages that one MR covers and one allocation provides. */
static u64 krping_piece_size(const struct ib_device *device)
{
	return min_t(u64, krping_mem_reg_max(device), KRPING_CONTIGUOUS_MAX) & PAGE_MASK;
}

/* Reject a region that exceeds the available memory: its allocation would evict other memory. */
static int krping_piece_check(u64 size, struct krping_status *status)
{
	u64 available = (u64)max(si_mem_available(), 0L) << PAGE_SHIFT;

	if (size <= available)
		return 0;
	return krping_status_set(status, -ENOMEM,
				 "export=%llu: only %llu bytes of memory are available",
				 size, available);
}

/**
 * krping_region_mem_create() - create the memory of a region
 * @size: size in bytes
 * @keep: keep the data while the memory is not registered
 *
 * Context: process context. The function allocates no pieces; krping_region_mem_use() does so.
 *
 * Return: the memory, with a reference; or NULL.
 */
struct krping_region_mem *krping_region_mem_create(u64 size, bool keep)
{
	struct krping_region_mem *mem = kzalloc(sizeof(*mem), GFP_KERNEL);

	if (!mem)
		return NULL;
	kref_init(&mem->ref);
	mutex_init(&mem->lock);
	mem->size = size;
	mem->keep = keep;
	get_random_bytes(&mem->identity, sizeof(mem->identity));
	return mem;
}

static void krping_region_mem_free_pieces(struct krping_region_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr; i++) {
		krping_buf_free(&mem->pieces[i]);
		cond_resched();
	}
	kvfree(mem->pieces);
	mem->pieces = NULL;
	mem->nr = 0;
	krping_u64_write(&mem->allocated, 0);
}

static void krping_region_mem_free(struct kref *ref)
{
	struct krping_region_mem *mem = container_of(ref, struct krping_region_mem, ref);

	krping_region_mem_free_pieces(mem);
	kfree(mem);
}

/**
 * krping_region_mem_get() - take a reference
 * @mem: the memory, or NULL
 *
 * Return: @mem.
 */
struct krping_region_mem *krping_region_mem_get(struct krping_region_mem *mem)
{
	if (mem)
		kref_get(&mem->ref);
	return mem;
}

/**
 * krping_region_mem_put() - drop a reference
 * @mem: the memory, or NULL
 */
void krping_region_mem_put(struct krping_region_mem *mem)
{
	if (mem)
		kref_put(&mem->ref, krping_region_mem_free);
}

/* Allocate and map the pieces. A stop of the test ends the allocation early. */
static int krping_region_mem_alloc(struct krping_region_mem *mem, struct ib_device *device,
				   struct krping_status *status)
{
	u64 piece = krping_piece_size(device);
	u64 nr = div64_u64(mem->size + piece - 1, piece);
	u64 left = mem->size;
	int ret;

	ret = krping_piece_check(mem->size, status);
	if (ret)
		return ret;
	mem->pieces = kvcalloc(nr, sizeof(*mem->pieces), GFP_KERNEL);
	if (!mem->pieces)
		return -ENOMEM;
	for (; mem->nr < nr && !ret; mem->nr++) {
		u64 size = min(left, piece);

		ret = krping_buf_alloc(&mem->pieces[mem->nr], device, size, false,
				       DMA_BIDIRECTIONAL);
		left -= size;
		krping_u64_write(&mem->allocated, mem->size - left);
		if (!ret)
			ret = krping_status_stopped(status);
		cond_resched();
	}
	if (ret)
		krping_region_mem_free_pieces(mem);
	mem->piece = piece;
	return ret;
}

static void krping_region_mem_unmap(struct krping_region_mem *mem)
{
	u32 i;

	for (i = 0; i < mem->nr; i++)
		krping_buf_unmap(&mem->pieces[i]);
}

/* Map kept pieces for the device of the next registration. */
static int krping_region_mem_map(struct krping_region_mem *mem, struct ib_device *device,
				 struct krping_status *status)
{
	int ret = 0;
	u32 i;

	if (krping_piece_size(device) < mem->piece)
		return krping_status_set(status, -EOPNOTSUPP,
					 "an MR of this device covers less memory than that of the first client's device");
	for (i = 0; i < mem->nr && !ret; i++)
		ret = krping_buf_map(&mem->pieces[i], device);
	if (ret)
		krping_region_mem_unmap(mem);
	return ret;
}

/**
 * krping_region_mem_use() - allocate or map the memory for a registration
 * @mem: the memory
 * @device: the device
 * @status: the status of the test that registers the memory
 *
 * Context: process context. The caller registers the pieces, and calls krping_region_mem_unuse()
 * once it has freed the MRs.
 *
 * Return: 0; -EOPNOTSUPP if the memory is registered with another device, or has pieces that
 * exceed an MR of @device; -ENOMEM if a piece cannot be allocated or mapped; the test's error if
 * the test was stopped.
 */
int krping_region_mem_use(struct krping_region_mem *mem, struct ib_device *device,
			  struct krping_status *status)
{
	int ret = 0;

	mutex_lock(&mem->lock);
	if (mem->users && mem->device != device)
		ret = krping_status_set(status, -EOPNOTSUPP,
					"the memory is registered with another device");
	else if (!mem->pieces)
		ret = krping_region_mem_alloc(mem, device, status);
	else if (!mem->users)
		ret = krping_region_mem_map(mem, device, status);
	if (!ret) {
		mem->device = device;
		mem->users++;
	}
	mutex_unlock(&mem->lock);
	return ret;
}

/**
 * krping_region_mem_use_registered() - use memory that another test has registered
 * @mem: the memory
 * @device: the device
 *
 * As krping_region_mem_use(), but the function allocates and maps nothing.
 *
 * Return: true if the memory is registered with @device; else false.
 */
bool krping_region_mem_use_registered(struct krping_region_mem *mem,
				      const struct ib_device *device)
{
	bool joins;

	mutex_lock(&mem->lock);
	joins = mem->users && mem->device == device;
	if (joins)
		mem->users++;
	mutex_unlock(&mem->lock);
	return joins;
}

/**
 * krping_region_mem_pieces() - return the number of MRs that @device needs for new memory
 * @mem: the memory
 * @device: the device
 *
 * Return: the number for memory that is not allocated yet. Allocated memory keeps its
 * &krping_region_mem.nr pieces, even if the MRs of @device are larger.
 */
u64 krping_region_mem_pieces(const struct krping_region_mem *mem,
			     const struct ib_device *device)
{
	u64 piece = krping_piece_size(device);

	return div64_u64(mem->size + piece - 1, piece);
}

/**
 * krping_region_mem_unuse() - end a registration's use of the memory
 * @mem: the memory; the caller has freed the registration's MRs
 *
 * Without another registration, the function unmaps the memory, and frees the memory unless the
 * server keeps it.
 */
void krping_region_mem_unuse(struct krping_region_mem *mem)
{
	mutex_lock(&mem->lock);
	if (!--mem->users) {
		krping_region_mem_unmap(mem);
		if (!mem->keep)
			krping_region_mem_free_pieces(mem);
	}
	mutex_unlock(&mem->lock);
}

/**
 * krping_region_mem_end() - free the memory, or let its last registration free it
 * @mem: the memory, which no client will register again; or NULL
 */
void krping_region_mem_end(struct krping_region_mem *mem)
{
	if (!mem)
		return;
	mutex_lock(&mem->lock);
	mem->keep = false;
	if (!mem->users)
		krping_region_mem_free_pieces(mem);
	mutex_unlock(&mem->lock);
}
