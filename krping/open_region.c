// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Open regions. A region is the memory that a server exports to one client, its owner. An owner
 * may open its region to the server's other clients, which are then its users.
 *
 * The server has a thread for each client. Only this thread registers the regions that the client
 * uses, in the PD of the client's connection, and only this thread invalidates their keys. To close
 * a region, the owner's thread therefore marks each use as revoked and wakes the users' threads.
 * Until the last user has left, the owner's thread serves its own client. If the thread only waited
 * instead, two clients that use each other's regions and close their own would deadlock.
 */
#include <linux/kernel.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "open_region.h"

/**
 * krping_regions_init() - initialise the open regions of a server
 * @regions: to be initialised
 */
void krping_regions_init(struct krping_regions *regions)
{
	mutex_init(&regions->lock);
	INIT_LIST_HEAD(&regions->list);
}

/**
 * krping_region_open() - make a region visible to the server's other clients
 * @regions: the server's regions
 * @r: the region, filled in except for @r->entry, @r->uses and @r->nr_uses
 *
 * Context: the owner's thread.
 */
void krping_region_open(struct krping_regions *regions, struct krping_open_region *r)
{
	INIT_LIST_HEAD(&r->uses);
	r->nr_uses = 0;
	mutex_lock(&regions->lock);
	list_add_tail(&r->entry, &regions->list);
	mutex_unlock(&regions->lock);
	WRITE_ONCE(r->mem->open, r->writable ? KRPING_REGION_OPEN_RW : KRPING_REGION_OPEN_RO);
}

/**
 * krping_region_close() - hide a region, and ask its users to leave
 * @regions: the server's regions
 * @r: the region, open
 *
 * The users may still access the region afterwards. A user invalidates its keys, and then calls
 * krping_region_leave(), which wakes the owner's thread.
 *
 * Context: the owner's thread.
 */
void krping_region_close(struct krping_regions *regions, struct krping_open_region *r)
{
	struct krping_region_use *use;

	mutex_lock(&regions->lock);
	list_del_init(&r->entry);
	list_for_each_entry(use, &r->uses, entry) {
		WRITE_ONCE(use->revoked, true);
		wake_up_all(&use->status->wait);
	}
	mutex_unlock(&regions->lock);
	WRITE_ONCE(r->mem->open, KRPING_REGION_CLOSED);
}

/**
 * krping_region_end() - hide a region whose owner leaves, and detach its users
 * @regions: the server's regions
 * @r: the region, open or closed
 *
 * Context: as krping_region_close(). No user refers to @r afterwards, so the caller may free @r.
 * The users keep the memory until they have invalidated their keys.
 */
void krping_region_end(struct krping_regions *regions, struct krping_open_region *r)
{
	struct krping_region_use *use, *next;

	krping_region_close(regions, r);
	mutex_lock(&regions->lock);
	list_for_each_entry_safe(use, next, &r->uses, entry) {
		list_del_init(&use->entry);
		use->region = NULL;
	}
	mutex_unlock(&regions->lock);
}

/* Return the visible region with this id, or NULL. The caller holds the lock. */
static struct krping_open_region *krping_regions_find(struct krping_regions *regions, u32 id)
{
	struct krping_open_region *r;

	list_for_each_entry(r, &regions->list, entry)
		if (r->id == id)
			return r;
	return NULL;
}

/**
 * krping_region_enter() - begin to use an open region
 * @regions: the server's regions
 * @id: id of the region
 * @own: memory of the client's own region, which the function refuses
 * @use: a free entry, whose status the caller has set; the function sets the other fields, except
 *	those of the registration: attachment, list and serial
 *
 * Context: the thread of the client that asks for the region.
 *
 * Return: KRPING_VERDICT_OK, and the caller must call krping_region_leave() later; or another
 * verdict, and @use is still free.
 */
enum krping_verdict krping_region_enter(struct krping_regions *regions, u32 id,
					const struct krping_region_mem *own,
					struct krping_region_use *use)
{
	enum krping_verdict verdict = KRPING_VERDICT_OK;
	struct krping_open_region *r;

	mutex_lock(&regions->lock);
	r = krping_regions_find(regions, id);
	if (!r) {
		verdict = KRPING_VERDICT_NO_REGION;
	} else if (r->mem == own) {
		verdict = KRPING_VERDICT_OWN;
	} else {
		use->region = r;
		use->mem = krping_region_mem_get(r->mem);
		use->id = id;
		use->writable = r->writable;
		use->revoked = false;
		list_add_tail(&use->entry, &r->uses);
		WRITE_ONCE(r->nr_uses, r->nr_uses + 1);
	}
	mutex_unlock(&regions->lock);
	return verdict;
}

/**
 * krping_region_leave() - end the use of a region
 * @regions: the server's regions
 * @use: the use, whose keys the caller has invalidated; nothing happens if the entry is free
 *
 * Context: the thread of the client that used the region.
 */
void krping_region_leave(struct krping_regions *regions, struct krping_region_use *use)
{
	struct krping_open_region *r;

	if (!use->mem)
		return;
	mutex_lock(&regions->lock);
	r = use->region;
	if (r) {
		list_del_init(&use->entry);
		WRITE_ONCE(r->nr_uses, r->nr_uses - 1);
		wake_up_all(&r->owner->wait);
	}
	use->region = NULL;
	mutex_unlock(&regions->lock);
	krping_region_mem_put(use->mem);
	use->mem = NULL;
	use->revoked = false;
}

/* Encode a region for the list: id, rights, size, and the owner's address as IPv6. */
static void krping_region_encode(struct krping_wire_open_region *out,
				 const struct krping_open_region *r)
{
	const struct sockaddr_in6 *in6 = (const void *)&r->addr;
	const struct sockaddr_in *in = (const void *)&r->addr;
	struct in6_addr ip;

	memset(out, 0, sizeof(*out));
	out->id = cpu_to_be32(r->id);
	out->rights = cpu_to_be32(r->writable ? KRPING_REGION_WRITE : 0);
	out->size = cpu_to_be64(r->mem->size);
	if (r->addr.ss_family == AF_INET6)
		ip = in6->sin6_addr;
	else
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, &ip);
	memcpy(out->ip, &ip, sizeof(out->ip));
	out->port = r->addr.ss_family == AF_INET6 ? in6->sin6_port : in->sin_port;
}

/**
 * krping_regions_list() - list the open regions
 * @regions: the server's regions
 * @out: output: the regions, at most @max
 * @max: number of elements of @out
 *
 * Context: process context.
 *
 * Return: the number of open regions, which may exceed @max.
 */
u32 krping_regions_list(struct krping_regions *regions,
			struct krping_wire_open_region *out, u32 max)
{
	const struct krping_open_region *r;
	u32 nr = 0;

	mutex_lock(&regions->lock);
	list_for_each_entry(r, &regions->list, entry) {
		if (nr < max)
			krping_region_encode(&out[nr], r);
		nr++;
	}
	mutex_unlock(&regions->lock);
	return nr;
}
