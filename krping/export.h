/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a server exports to one client.
 */
#ifndef KRPING_EXPORT_H
#define KRPING_EXPORT_H

#include "ctlmsg.h"
#include "memory.h"
#include "test_ops.h"

/* Interval of a client's signs of life, in milliseconds. */
#define KRPING_SESSION_ALIVE	500

/**
 * struct krping_export_piece - a part of a region that one MR covers
 * @buf: its memory
 * @mr: its registration
 */
struct krping_export_piece {
	struct krping_buf buf;
	struct krping_mr mr;
};

/**
 * struct krping_export - the region of one client
 * @thread: the client's thread on the server
 * @conn: the connection
 * @nr_pieces: number of @pieces
 * @pieces: the memory
 * @list: array of struct krping_wire_msg, which the client READs
 * @list_mr: its registration
 * @identity: random number, by which a client recognizes the region
 * @uses_shared: krping_shared_unuse() is to be called
 * @control: the region's advert
 * @asked: the client has asked for the advert
 * @advertised: the advert was posted
 */
struct krping_export {
	struct krping_thread *thread;
	struct krping_conn *conn;
	u32 nr_pieces;
	struct krping_export_piece *pieces;
	struct krping_buf list;
	struct krping_mr list_mr;
	u64 identity;
	bool uses_shared;
	struct krping_ctlmsg control;
	bool asked;
	bool advertised;
};

int krping_export_setup(struct krping_thread *thread, struct krping_conn *conn);
int krping_export_loop(struct krping_thread *thread);
void krping_export_cleanup(struct krping_conn *conn);

void krping_export_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
		       const union krping_ctl *ctl);
void krping_export_look(struct krping_queue *q, const void *data,
			const struct ib_wc *wc);
void krping_export_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			const struct ib_wc *wc);

#endif /* KRPING_EXPORT_H */
