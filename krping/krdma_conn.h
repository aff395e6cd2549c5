/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Post WRs to the QP of a krdma.h connection, for krdma_io.c.
 */
#ifndef KRDMA_CONN_H
#define KRDMA_CONN_H

#include "krdma_cb.h"

bool krdma_tx_room(struct krdma_cb *cb);
int krdma_post_send(struct krdma_cb *cb, const void *data, u32 len, u32 left,
		    bool between);
int krdma_post_rw(struct krdma_cb *cb, bool write, u64 offset, u32 len);
int krdma_post_credit(struct krdma_cb *cb);

#endif /* KRDMA_CONN_H */
