/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * krdma: messages and remote memory for other kernel modules, which call no verbs.
 *
 * A connection moves whole messages in order (krdma_send(), krdma_receive()). Each side
 * may have a region, which the other side reads and writes (krdma_read(),
 * krdma_write()). Documentation/krdma.md has a complete client and server.
 *
 * Call the functions in process context, because they may sleep, unless their description
 * permits other contexts. Functions that wait return -EINTR after a signal. Other errors are as
 * for /proc/krping: -ECONNREFUSED, -ECONNRESET, -ETIMEDOUT, -EPROTO, -EIO, -ENODEV, -ENOMEM and
 * so on; -ECANCELED: krdma_release_cb() was called, or the command stop of /proc/krping has ended
 * the connection.
 */
#ifndef KRDMA_H
#define KRDMA_H

#include <linux/sizes.h>
#include <linux/types.h>

/* Bytes of the longest message. */
#define KRDMA_MESSAGE_MAX	SZ_1M

/* Bytes of the largest region. The functions krdma_rw_init_*() use a region of this size. */
#define KRDMA_REGION_MAX	SZ_1M

/* Bytes of the longest message of krdma_try_send(). */
#define KRDMA_TRY_MAX		8184

/* Largest argument of krdma_set_busy_poll(), in microseconds. */
#define KRDMA_BUSY_POLL_MAX	1000000

struct krdma_cb;
struct net;

/**
 * typedef krdma_handler_fn - handle a part of a message
 * @cb: the connection; krdma_connect() or krdma_accept() may not have returned it yet
 * @arg: &krdma_attr.handler_arg
 * @data: the part, valid until the function returns; NULL: the connection has ended
 * @len: bytes of @data: KRDMA_TRY_MAX, or fewer in the last part of a message
 * @left: bytes of the message that follow in the next calls
 *
 * Called with softirqs disabled, usually by the handler of the RECV's completion, so that a
 * message wakes no thread. The function must not sleep, and may call krdma_try_send(). Calls for
 * one connection never overlap. The last call has @data NULL and process context; from then on
 * krdma_send() returns the reason of the end. A krdma_connect() that fails may make this last call
 * before it returns.
 */
typedef void krdma_handler_fn(struct krdma_cb *cb, void *arg, const char *data, u32 len,
			      u32 left);

/**
 * struct krdma_attr - attributes of a connection, or of a listener's connections
 * @net: network namespace of the address; NULL: the initial one
 * @timeout_ms: bound on each wait for the peer; 0: 9000 ms. Two waits have no bound:
 *	krdma_receive() for the beginning of a message, krdma_accept() for a connection
 * @region: bytes of this side's memory that the peer may read and write, at most
 *	KRDMA_REGION_MAX; the memory is zero at first; 0: none
 * @handler: called for each part of a message, instead of krdma_receive(); NULL: none
 * @handler_arg: argument of @handler
 */
struct krdma_attr {
	struct net *net;
	u32 timeout_ms;
	u32 region;
	krdma_handler_fn *handler;
	void *handler_arg;
};

/**
 * typedef krdma_done_fn - handle the end of an asynchronous operation
 * @arg: argument of the call that began the operation
 * @ret: return value of the function without _async, for example of krdma_receive()
 *
 * Context: process context. The callbacks of a connection's sends run one after the other. So do
 * those of receives, and those of reads and writes. A callback may sleep and may begin operations,
 * but must not call krdma_release_cb() for its own connection, because the release waits for the
 * callback.
 */
typedef void krdma_done_fn(void *arg, int ret);

/*
 * Connections. krdma_connect() and krdma_listen() create no region. krdma_rw_init_client()
 * connects, and krdma_rw_init_server() accepts one connection, with a region of KRDMA_REGION_MAX
 * bytes. krdma_accept() waits for a connection of a listener. The caller ends and frees each
 * connection and each listener by krdma_release_cb(). krdma_set_busy_poll() lets waits of a
 * connection poll for @usecs before they sleep.
 */
int krdma_connect(const char *host, const char *port, struct krdma_cb **conn_cb);
int krdma_connect_attr(const char *host, const char *port, const struct krdma_attr *attr,
		       struct krdma_cb **conn_cb);
int krdma_listen(const char *host, const char *port, struct krdma_cb **listen_cb);
int krdma_listen_attr(const char *host, const char *port, const struct krdma_attr *attr,
		      struct krdma_cb **listen_cb);
int krdma_accept(struct krdma_cb *listen_cb, struct krdma_cb **conn_cb);
int krdma_rw_init_client(const char *host, const char *port, struct krdma_cb **conn_cb);
int krdma_rw_init_server(const char *host, const char *port, struct krdma_cb **conn_cb);
int krdma_release_cb(struct krdma_cb *cb);
int krdma_set_busy_poll(struct krdma_cb *cb, u32 usecs);

/*
 * Messages. krdma_try_send() does not wait, and returns -EAGAIN if it cannot send at once.
 * krdma_receive_timeout() waits at most @timeout_ms for the beginning of a message; 0: no bound.
 */
int krdma_send(struct krdma_cb *cb, const char *buffer, size_t length);
int krdma_try_send(struct krdma_cb *cb, const char *buffer, size_t length);
int krdma_receive(struct krdma_cb *cb, char *buffer, size_t size);
int krdma_receive_timeout(struct krdma_cb *cb, char *buffer, size_t size,
			  u32 timeout_ms);

/* READs and WRITEs of the peer's region; without _at, from its beginning. */
int krdma_read(struct krdma_cb *cb, char *buffer, size_t length);
int krdma_write(struct krdma_cb *cb, const char *buffer, size_t length);
int krdma_read_at(struct krdma_cb *cb, u64 offset, char *buffer, size_t length);
int krdma_write_at(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length);
/* Copies from and to this side's region. */
int krdma_region_read(struct krdma_cb *cb, u64 offset, char *buffer, size_t length);
int krdma_region_write(struct krdma_cb *cb, u64 offset, const char *buffer,
		       size_t length);

/* As the functions without _async, but return at once, and call @done at the end. */
int krdma_send_async(struct krdma_cb *cb, const char *buffer, size_t length,
		     krdma_done_fn *done, void *arg);
int krdma_receive_async(struct krdma_cb *cb, char *buffer, size_t size,
			krdma_done_fn *done, void *arg);
int krdma_read_async(struct krdma_cb *cb, u64 offset, char *buffer, size_t length,
		     krdma_done_fn *done, void *arg);
int krdma_write_async(struct krdma_cb *cb, u64 offset, const char *buffer, size_t length,
		      krdma_done_fn *done, void *arg);

#endif /* KRDMA_H */
