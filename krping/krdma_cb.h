/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a connection of krdma has beside its QP: its users, the messages that wait to be
 * received, and the credits of both sides.
 */
#ifndef KRDMA_CB_H
#define KRDMA_CB_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "ctlmsg.h"
#include "krdma.h"
#include "memory.h"
#include "status.h"

struct krping_test;
struct krping_thread;

/* Bytes of a SEND, and of the part of a message that it carries. */
#define KRDMA_SEND_BYTES	8192
#define KRDMA_FRAG_BYTES	(KRDMA_SEND_BYTES - sizeof(struct krping_wire_frag))

/* Fragments under way in each direction: the first credits of a sender. */
#define KRDMA_SLOTS		16

/* Bytes of one READ or WRITE. */
#define KRDMA_RW_BYTES		SZ_64K

/* Default of &krdma_attr.timeout_ms. */
#define KRDMA_TIMEOUT		9000

/**
 * enum krdma_lane_type - kinds of asynchronous operations, each in the order of its calls
 * @KRDMA_LANE_SEND: krdma_send_async()
 * @KRDMA_LANE_RECEIVE: krdma_receive_async()
 * @KRDMA_LANE_RW: krdma_read_async(), krdma_write_async()
 * @KRDMA_LANES: their number
 */
enum krdma_lane_type {
	KRDMA_LANE_SEND,
	KRDMA_LANE_RECEIVE,
	KRDMA_LANE_RW,
	KRDMA_LANES
};

/**
 * struct krdma_lane - asynchronous operations of one kind
 * @cb: the connection
 * @lock: guards @ops and @closed
 * @ops: operations that wait
 * @closed: no further operation can begin
 * @work: carries them out
 */
struct krdma_lane {
	struct krdma_cb *cb;
	spinlock_t lock; /* see above */
	struct list_head ops;
	bool closed;
	struct work_struct work;
};

/**
 * struct krdma_frag - a fragment that was received
 * @len: its bytes
 * @left: bytes of the message from this fragment on
 * @data: the bytes
 */
struct krdma_frag {
	u32 len;
	u32 left;
	u8 data[KRDMA_FRAG_BYTES];
};

/**
 * struct krdma_cb - a connection or a listener of krdma
 * @ref: the owner and the test's thread hold it
 * @attr: its attributes; the network namespace is that of the test
 * @test: the test that runs it; the owner has a reference
 * @status: the test's status
 * @lock: guards @open, @users, @released, @accepted, @nr_accepted
 * @open: operations may begin
 * @users: operations under way that may post
 * @released: the owner has released it
 * @entry: in @accepted of the listener
 * @accepted: listener: connections that wait for krdma_accept()
 * @nr_accepted: their number
 * @conn: the connection, while there are @users
 * @iwarp: &krping_conn_iwarp() of @conn
 * @control: adverts and credits
 * @region: memory that the peer reads and writes
 * @region_mr: its registration
 * @stage: bytes of READs and WRITEs
 * @stage_mr: its registration, if READs need one
 * @advertised: @peer is valid
 * @peer: the peer's region
 * @heard: time of the last message of the peer, in jiffies
 * @post_lock: serializes posts
 * @tx_mutex: serializes senders
 * @tx: memory of the SENDs
 * @tx_posted: SENDs so far
 * @tx_done: SENDs that have completed
 * @tx_taken: fragments that the peer has taken out of its ring
 * @rx_mutex: serializes receivers
 * @rx: ring of received fragments
 * @rx_head: fragments received so far; written by the CQ's context
 * @rx_tail: fragments taken out so far; written by receivers
 * @rx_told: value of @rx_tail that the peer knows
 * @rx_left: bytes that the message being received lacks; only for the CQ's context
 * @rw_mutex: serializes readers and writers
 * @rw_done: the READ or WRITE has completed
 * @lanes: asynchronous operations
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

	spinlock_t post_lock; /* see above */
	struct mutex tx_mutex; /* see above */
	struct krping_dma tx[KRDMA_SLOTS];
	u32 tx_posted;
	u32 tx_done;
	u32 tx_taken;
	struct mutex rx_mutex; /* see above */
	struct krdma_frag *rx;
	u32 rx_head;
	u32 rx_tail;
	u32 rx_told;
	u32 rx_left;
	struct mutex rw_mutex; /* see above */
	bool rw_done;
	struct krdma_lane lanes[KRDMA_LANES];
};

struct krdma_cb *krdma_cb_alloc(const struct krdma_attr *attr);
void krdma_cb_attach(struct krdma_cb *cb, struct krping_test *test,
		     struct krping_status *status, bool open);
struct krdma_cb *krdma_cb_get(struct krdma_cb *cb);
void krdma_cb_put(struct krdma_cb *cb);
void krdma_cb_open(struct krdma_cb *cb);
void krdma_cb_close(struct krdma_cb *cb);
int krdma_cb_enter(struct krdma_cb *cb);
void krdma_cb_leave(struct krdma_cb *cb);
int krdma_cb_errno(const struct krdma_cb *cb);
int krdma_cb_offer(struct krdma_cb *listener, struct krdma_cb *cb);
struct krdma_cb *krdma_cb_take(struct krdma_cb *listener);
int krdma_cb_wait(struct krdma_cb *cb, bool (*done)(struct krdma_cb *cb), bool begun,
		  u32 timeout_ms);

int krdma_ring_put(struct krdma_cb *cb, const void *data, u32 bytes);
int krdma_ring_credit(struct krdma_cb *cb, u32 taken);

#endif /* KRDMA_CB_H */
