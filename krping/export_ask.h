/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A client's region on a server that exports memory, and the server's answers to the client's
 * requests about regions.
 */
#ifndef KRPING_EXPORT_ASK_H
#define KRPING_EXPORT_ASK_H

#include "attachment.h"
#include "ctlmsg.h"
#include "open_region.h"
#include "test_ops.h"

/*
 * Number of WRs on the SQ for which the test keeps room by itself (&krping_queue_attr.sq_own): one,
 * the LOCAL_INV of krping_attachment_post_inv(), whose completion the thread awaits.
 */
#define KRPING_EXPORT_OWN	1

/* Maximum number of other clients' regions to which one client has keys. */
#define KRPING_EXPORT_USES_MAX	16

/**
 * struct krping_export_ask - a client's request
 * @pending: the server has not answered the request yet; set after the other fields
 * @what: kind of the request: an enum krping_ask, or an unknown number
 * @id: id of the region whose keys the client requests
 * @rights: KRPING_REGION_WRITE or 0, and unknown bits
 */
struct krping_export_ask {
	bool pending;
	u32 what;
	u32 id;
	u32 rights;
};

/**
 * struct krping_export - the region of one client, and the client's keys to other regions
 * @thread: the server's thread for the client
 * @conn: the connection
 * @own: the registration of the region
 * @control: control messages to the client
 * @asked: the client has requested the advert, which has the address and key of the client's region
 * @advertised: the server has posted the advert
 * @ask: the client's request
 * @is_open: the other clients may use the region
 * @closing: the region is being closed; once no other client uses the region, the thread answers
 *	the request to close it
 * @open: the region, for the other clients; valid if @is_open or @closing
 * @uses: regions of other clients to which this client has keys
 * @serial: number of registrations in @uses so far
 * @working: the thread waits for the device to handle a request; meanwhile messages of the client
 *	do not restart the timeout
 * @invalidated: the last LOCAL_INV that the thread waits for has completed
 * @list: list of the open regions, which the client READs
 * @list_mr: MR of @list
 */
struct krping_export {
	struct krping_thread *thread;
	struct krping_conn *conn;
	struct krping_attachment own;
	struct krping_ctlmsg control;
	bool asked;
	bool advertised;
	struct krping_export_ask ask;
	bool is_open;
	bool closing;
	struct krping_open_region open;
	struct krping_region_use uses[KRPING_EXPORT_USES_MAX];
	u32 serial;
	bool working;
	bool invalidated;
	struct krping_buf list;
	struct krping_mr list_mr;
};

/* In the CQ's context: store a request for krping_export_work(). */
void krping_export_ask(struct krping_export *e, const struct krping_wire_ask *ask);

/* Record that the last LOCAL_INV of a region or list has completed. */
void krping_export_sent(struct krping_queue *q, enum krping_op op);

/* Check whether krping_export_work() has work to do, or the client is gone. */
bool krping_export_has_work(void *export);

/* Invalidate the keys to one revoked region, or else handle a request. */
int krping_export_work(struct krping_export *e);

/* Let no other client use this client's region. */
void krping_export_hide(struct krping_export *e);

/* Free the keys to other regions, and the list of regions. */
void krping_export_free_uses(struct krping_export *e);

#endif /* KRPING_EXPORT_ASK_H */
