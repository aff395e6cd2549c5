/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The state of a krdma.h connection: operations under way, received messages, and the credits
 * of both sides; also the state of a listener.
 */
#ifndef KRDMA_CB_H
#define KRDMA_CB_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ctlmsg.h"
#include "krdma.h"
#include "memory.h"
#include "mr.h"
#include "status.h"

struct krping_test;
struct krping_thread;

/* Maximum number of bytes of a SEND, and of the fragment of a message that a SEND carries. */
#define KRDMA_SEND_BYTES	8192
#define KRDMA_FRAG_BYTES	(KRDMA_SEND_BYTES - sizeof(struct krping_wire_frag))

/*
 * Number of slots in the ring of received fragments, and of buffers for SENDs. So a sender begins
 * with this number of credits, and has at most this number of fragments in flight.
 */
#define KRDMA_SLOTS		16

/*
 * Every Nth SEND is signaled. The number divides KRDMA_SLOTS, so that a SEND that takes the last
 * free slot is signaled, and its completion frees slots.
 */
#define KRDMA_SIGNAL		4

/*
 * Entries of &krdma_cb.tx_mark. At most five signaled SENDs are outstanding: four in the slots, and
 * one of krdma_flush(). A power of two, so that the index does not jump when the counters wrap.
 */
#define KRDMA_MARKS		8

/*
 * Maximum by which the count of taken fragments in a fragment's header may be below the newest
 * count received. The peer stores the header's count when it posts the fragment. All credits share
 * one buffer, so a credit carries the count at the time when the device transmits the credit.
 * Credits before a fragment in the peer's SQ may therefore carry newer counts than the fragment.
 * The SQ holds fewer than 32 of these credits. Each credit lets this side send KRDMA_SLOTS more
 * fragments, which the next credit counts.
 */
#define KRDMA_STALE_MAX		(32 * KRDMA_SLOTS)

/* Maximum number of bytes of one READ or WRITE. */
#define KRDMA_RW_BYTES		SZ_64K

/* Default of &krdma_attr.timeout_ms, in milliseconds. */
#define KRDMA_TIMEOUT		9000

/**
 * enum krdma_async_type - queues of asynchronous operations
 * @KRDMA_ASYNC_SEND: krdma_send_async()
 * @KRDMA_ASYNC_RECEIVE: krdma_receive_async()
 * @KRDMA_ASYNC_RW: krdma_read_async(), krdma_write_async()
 * @KRDMA_ASYNC_TYPES: number of queues
 */
enum krdma_async_type {
	KRDMA_ASYNC_SEND,
	KRDMA_ASYNC_RECEIVE,
	KRDMA_ASYNC_RW,
	KRDMA_ASYNC_TYPES
};

/**
 * enum krdma_wait - wait queues of a connection, by what callers sleep for
 * @KRDMA_WAIT_SEND: room for a SEND
 * @KRDMA_WAIT_RECEIVE: a fragment, or a connection of a listener
 * @KRDMA_WAIT_RW: the completion of a READ or WRITE
 * @KRDMA_WAITS: number of wait queues
 */
enum krdma_wait {
	KRDMA_WAIT_SEND,
	KRDMA_WAIT_RECEIVE,
	KRDMA_WAIT_RW,
	KRDMA_WAITS
};

/**
 * struct krdma_async_queue - asynchronous operations of one type, in the order of the calls
 * @cb: the connection
 * @lock: guards @ops and @closed
 * @ops: operations that have not begun
 * @closed: reject further operations
 * @work: runs the operations
 */
struct krdma_async_queue {
	struct krdma_cb *cb;
	spinlock_t lock; /* see above */
	struct list_head ops;
	bool closed;
	struct work_struct work;
};

/**
 * struct krdma_frag - a fragment that was received
 * @len: bytes of @data
 * @left: bytes of this fragment and of the fragments that follow in the message
 * @data: the fragment
 */
struct krdma_frag {
	u32 len;
	u32 left;
	u8 data[KRDMA_FRAG_BYTES];
};

/**
 * struct krdma_cb - a connection or a listener of krdma
 * @ref: references of the owner, until krdma_release_cb(), and of the test
 * @attr: attributes of the connection; &krdma_attr.net is used only to start the test
 * @test: the test that has the QP or the listener; the owner has a reference to it
 * @status: the test's status
 * @lock: guards @open, @users, @released, @accepted, @nr_accepted
 * @open: operations may begin
 * @users: operations under way that may post
 * @released: the owner has called krdma_release_cb()
 * @entry: in @accepted of the listener
 * @accepted: listener: connections that wait for krdma_accept()
 * @nr_accepted: length of @accepted
 * @conn: the connection's QP and rdma_cm id; valid while there are @users
 * @iwarp: @conn is an iWARP connection
 * @control: SENDs of adverts and credits
 * @region: memory that the peer reads and writes
 * @region_mr: registration of @region
 * @stage: buffer through which READs and WRITEs copy the callers' data
 * @stage_mr: iWARP: registration of @stage, which READs need
 * @advertised: the peer's advert has arrived, and @peer is valid
 * @peer: address, rkey and size of the peer's region
 * @heard: time of the peer's last message, in jiffies
 * @alive_at: when the next keep-alive message is due, in jiffies. The timeout of krping_wait()
 *	cannot replace this time, because each post of the owner restarts the timeout
 * @waits: callers that sleep, by &enum krdma_wait
 * @handler_lock: serializes the calls of &krdma_attr.handler
 * @handles: the handler may be called
 * @busy_poll: microseconds for which a wait polls before it sleeps
 * @post_lock: serializes posts
 * @tx_mutex: serializes krdma_send()
 * @tx_partial: fragments of the current message are not posted yet; guarded by @post_lock
 * @tx: buffers of the SENDs; the last one is for krdma_flush()
 * @tx_posted: SENDs posted so far
 * @tx_done: SENDs that have completed
 * @tx_mark: ring with an entry for each outstanding signaled SEND: the value that @tx_done gets
 *	when the SEND completes
 * @tx_marked: signaled SENDs posted so far
 * @tx_reaped: signaled SENDs that have completed; used by the CQ's context only
 * @tx_taken: fragments that the peer has taken out of its ring
 * @rx_mutex: serializes receivers
 * @rx: ring of received fragments
 * @rx_head: fragments received so far; written by the CQ's context
 * @rx_tail: fragments taken out so far; written by receivers, or by the CQ's context if the
 *	connection has a handler
 * @rx_granted: value of @rx_tail that was last sent to the peer, or an earlier value, see
 *	krdma_owes_credit()
 * @rx_left: bytes of the current message that have not arrived; used by the CQ's context only
 * @rw_mutex: serializes readers and writers
 * @rw_done: the posted READ or WRITE has completed
 * @async: queues of asynchronous operations
 */
struct krdma_cb {
	struct kref ref;
	struct krdma_attr attr;
	struct krping_test *test;
	struct krping_status *status;
	spinlock_t lock; /* see above */
	bool open;
	u32 users;
	bool released;
	struct list_head entry;
	struct list_head accepted;
	u32 nr_accepted;

	struct krping_conn *conn;
	bool iwarp;
	struct krping_ctlmsg control;
	struct krping_buf region;
	struct krping_mr region_mr;
	struct krping_buf stage;
	struct krping_mr stage_mr;
	bool advertised;
	struct krping_advert peer;
	unsigned long heard;
	unsigned long alive_at;

	wait_queue_head_t waits[KRDMA_WAITS];
	spinlock_t handler_lock; /* see above */
	bool handles;
	u32 busy_poll;
	spinlock_t post_lock; /* see above */
	struct mutex tx_mutex; /* see above */
	bool tx_partial;
	struct krping_dma tx[KRDMA_SLOTS + 1];
	u32 tx_posted;
	u32 tx_done;
	u32 tx_mark[KRDMA_MARKS];
	u32 tx_marked;
	u32 tx_reaped;
	u32 tx_taken;
	struct mutex rx_mutex; /* see above */
	struct krdma_frag *rx;
	u32 rx_head;
	u32 rx_tail;
	u32 rx_granted;
	u32 rx_left;
	struct mutex rw_mutex; /* see above */
	bool rw_done;
	struct krdma_async_queue async[KRDMA_ASYNC_TYPES];
};

/* Allocate the state, attach it to a test, count references, and admit or end operations. */
struct krdma_cb *krdma_cb_alloc(const struct krdma_attr *attr);
void krdma_cb_attach(struct krdma_cb *cb, struct krping_test *test,
		     struct krping_status *status, bool open);
struct krdma_cb *krdma_cb_get(struct krdma_cb *cb);
void krdma_cb_put(struct krdma_cb *cb);
void krdma_cb_open(struct krdma_cb *cb);
void krdma_cb_close(struct krdma_cb *cb);
/* Begin and end an operation; return the reason why no operation can begin. */
int krdma_cb_enter(struct krdma_cb *cb);
void krdma_cb_leave(struct krdma_cb *cb);
int krdma_cb_errno(const struct krdma_cb *cb);
/* A listener's list of connections that wait for krdma_accept(). */
int krdma_cb_offer(struct krdma_cb *listener, struct krdma_cb *cb);
struct krdma_cb *krdma_cb_take(struct krdma_cb *listener);
/*
 * Wait until @done returns true, the connection ends, or @timeout_ms have passed (0: no timeout). A
 * signal also ends the wait; if @begun is set, only a fatal signal does.
 */
int krdma_cb_wait(struct krdma_cb *cb, enum krdma_wait type,
		  bool (*done)(struct krdma_cb *cb), bool begun, u32 timeout_ms);

/**
 * krdma_cb_wake() - wake the callers that wait in krdma_cb_wait()
 * @cb: the connection or listener
 * @type: what the callers sleep for
 *
 * Context: any context, after the change for which the callers sleep.
 */
static inline void krdma_cb_wake(struct krdma_cb *cb, enum krdma_wait type)
{
	if (wq_has_sleeper(&cb->waits[type]))
		wake_up_all(&cb->waits[type]);
}

/**
 * krdma_owes_credit() - check whether the peer should get credits, and record them as granted
 * @cb: the connection
 *
 * Context: the reader of the ring. If the function returns true, the caller must post a credit.
 *
 * A threshold of half the ring needs few credit messages, and the peer rarely has to wait. Each
 * fragment that this side sends grants credits, too. If a sender on another CPU overwrites
 * rx_granted with an older value, the next credit is posted earlier than necessary.
 *
 * Return: true if half of the ring was freed since the last grant.
 */
static inline bool krdma_owes_credit(struct krdma_cb *cb)
{
	if (cb->rx_tail - READ_ONCE(cb->rx_granted) < KRDMA_SLOTS / 2)
		return false;
	WRITE_ONCE(cb->rx_granted, cb->rx_tail);
	return true;
}

/* In the CQ's context: handle the peer's fragments and credits. */
int krdma_ring_put(struct krdma_cb *cb, const void *data, u32 bytes);
int krdma_ring_credit(struct krdma_cb *cb, u32 taken);

#endif /* KRDMA_CB_H */
