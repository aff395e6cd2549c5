/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Attachments: the registration of a region's memory for one connection. A region is memory that a
 * server exports to a client.
 */
#ifndef KRPING_ATTACHMENT_H
#define KRPING_ATTACHMENT_H

#include "conn.h"
#include "memory.h"
#include "mr.h"
#include "region_mem.h"

/**
 * struct krping_attachment - a region's memory, registered for one connection
 * @mem: the memory; NULL: the attachment is not allocated
 * @conn: the connection, whose PD has the MRs
 * @nr: number of @mrs that are allocated
 * @mrs: an MR for each piece of the memory
 * @list: array of struct krping_wire_msg with address, key and size of each of @mrs, which the
 *	client READs
 * @list_mr: MR of @list
 * @nr_reserved: number of MRs that this attachment counts towards the limit on the MRs of all
 *	attachments
 */
struct krping_attachment {
	struct krping_region_mem *mem;
	struct krping_conn *conn;
	u32 nr;
	struct krping_mr *mrs;
	struct krping_buf list;
	struct krping_mr list_mr;
	u32 nr_reserved;
};

/* Allocate the MRs and the list for a region's memory. */
int krping_attachment_alloc(struct krping_attachment *a, struct krping_conn *conn,
			    struct krping_region_mem *mem, bool writable);

/* As krping_attachment_alloc(), for a region that the test of another client has registered. */
int krping_attachment_alloc_registered(struct krping_attachment *a, struct krping_conn *conn,
				       struct krping_region_mem *mem, bool writable);

/* Register the memory and the list of its keys under new keys. */
int krping_attachment_register(struct krping_attachment *a, u32 timeout, u64 *progress,
			       struct krping_advert *list);

/* Register a list under a new key, and return its advert: address, key and size for the client. */
int krping_attachment_advertise(struct krping_attachment *a, struct krping_mr *mr,
				u32 timeout, struct krping_advert *advert);

/* Post a WR, then wait until the SQ has room for another. */
int krping_attachment_post(struct krping_attachment *a, struct ib_send_wr *wr,
			   u32 timeout);

/* Post a LOCAL_INV whose completion the caller awaits. */
int krping_attachment_post_inv(struct krping_attachment *a, struct krping_mr *mr);

/* Post a LOCAL_INV for each key. */
int krping_attachment_invalidate(struct krping_attachment *a, u32 timeout);

/* Free the MRs and the list, and drop the reference to the memory. */
void krping_attachment_free(struct krping_attachment *a);

#endif /* KRPING_ATTACHMENT_H */
