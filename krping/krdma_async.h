/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queues of asynchronous operations of krdma.h: init, close, flush.
 */
#ifndef KRDMA_ASYNC_H
#define KRDMA_ASYNC_H

struct krdma_cb;

void krdma_async_init(struct krdma_cb *cb);
void krdma_async_close(struct krdma_cb *cb);
void krdma_async_flush(struct krdma_cb *cb);

int krdma_init(void);
void krdma_exit(void);

#endif /* KRDMA_ASYNC_H */
