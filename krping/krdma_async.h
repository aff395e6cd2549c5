/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The queues of a connection's asynchronous operations of krdma.h, and the workqueue that runs
 * the operations of all connections.
 */
#ifndef KRDMA_ASYNC_H
#define KRDMA_ASYNC_H

struct krdma_cb;

/*
 * krdma_async_close() rejects later operations. krdma_async_flush() then waits until the earlier
 * ones have ended.
 */
void krdma_async_init(struct krdma_cb *cb);
void krdma_async_close(struct krdma_cb *cb);
void krdma_async_flush(struct krdma_cb *cb);

/* Allocate and destroy the workqueue. */
int krdma_init(void);
void krdma_exit(void);

#endif /* KRDMA_ASYNC_H */
