/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Open regions. A region is the memory that a server exports to one client, its owner. An owner
 * may open its region to the server's other clients, which are then its users.
 */
#ifndef KRPING_OPEN_REGION_H
#define KRPING_OPEN_REGION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>

#include "attachment.h"
#include "status.h"
#include "wire.h"

/**
 * struct krping_regions - the open regions of a server
 * @lock: guards @list, and &krping_open_region.uses and &krping_region_use.region of all regions
 * @list: the regions, in the order in which they were opened
 */
struct krping_regions {
	struct mutex lock; /* see above */
	struct list_head list;
};

/**
 * struct krping_open_region - an open region
 * @entry: in &krping_regions.list, if the region is visible
 * @uses: users of the region
 * @nr_uses: number of @uses; the owner's thread reads the number without the lock
 * @mem: memory of the region
 * @id: id of the owner's test, which is also the id of the region
 * @writable: the users may write
 * @owner: status of the owner's test, through which a user that leaves wakes the owner's thread
 * @addr: address of the owner
 */
struct krping_open_region {
	struct list_head entry;
	struct list_head uses;
	u32 nr_uses;
	struct krping_region_mem *mem;
	u32 id;
	bool writable;
	struct krping_status *owner;
	struct sockaddr_storage addr;
};

/**
 * struct krping_region_use - a client's use of another client's region
 * @entry: in &krping_open_region.uses
 * @region: the region; NULL: the owner has left, or the entry is free
 * @mem: memory of the region, with a reference; NULL: the entry is free
 * @status: status of the user's test, through which the owner wakes the user after @revoked is set
 * @id: id of the region
 * @writable: the user may write
 * @revoked: the user's thread must invalidate the keys and leave; read without the lock
 * @attachment: the registration for the user's connection
 * @list: address, key and size of &krping_attachment.list, from which the client READs the keys
 * @serial: number of the registration, by which the client recognizes the registration's keys
 */
struct krping_region_use {
	struct list_head entry;
	struct krping_open_region *region;
	struct krping_region_mem *mem;
	struct krping_status *status;
	u32 id;
	bool writable;
	bool revoked;
	struct krping_attachment attachment;
	struct krping_advert list;
	u32 serial;
};

/* Initialise the open regions of a server. */
void krping_regions_init(struct krping_regions *regions);

/* For the thread of a region's owner. */

/* Make a region visible to the server's other clients. */
void krping_region_open(struct krping_regions *regions, struct krping_open_region *r);

/* Hide a region, and ask its users to leave. */
void krping_region_close(struct krping_regions *regions, struct krping_open_region *r);

/* Hide a region whose owner leaves, and detach its users. */
void krping_region_end(struct krping_regions *regions, struct krping_open_region *r);

/* For the threads of other clients. */

/* Begin to use the open region with this id, or return the reason for a refusal. */
enum krping_verdict krping_region_enter(struct krping_regions *regions, u32 id,
					const struct krping_region_mem *own,
					struct krping_region_use *use);

/* End the use of a region. */
void krping_region_leave(struct krping_regions *regions, struct krping_region_use *use);

/* List the open regions. */
u32 krping_regions_list(struct krping_regions *regions,
			struct krping_wire_open_region *out, u32 max);

#endif /* KRPING_OPEN_REGION_H */
