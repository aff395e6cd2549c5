/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Post WRs to the QP of a krdma.h connection, for krdma_io.c.
 */
#ifndef KRDMA_CONN_H
#define KRDMA_CONN_H

#include "krdma_cb.h"

/* Return true if a SEND buffer is free and the peer has granted a credit. */
bool krdma_tx_room(struct krdma_cb *cb);
/*
 * Post a SEND of a fragment; return 1 without a post if there is no room. @left is the number of
 * bytes of the message from this fragment on. @between: the fragment is a whole message; the
 * function also returns 1 if a post would place it between the fragments of another message.
 */
int krdma_post_send(struct krdma_cb *cb, const void *data, u32 len, u32 left,
		    bool between);
/* Post a READ of the peer's region into &krdma_cb.stage, or a WRITE of the stage to the region. */
int krdma_post_rw(struct krdma_cb *cb, bool write, u64 offset, u32 len);
/* Post a SEND that grants credits for the fragments taken out of this side's ring. */
int krdma_post_credit(struct krdma_cb *cb);

#endif /* KRDMA_CONN_H */
