/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Run the operations of a session: a client accesses the memory that a server exports.
 */
#ifndef KRPING_SESSION_OP_H
#define KRPING_SESSION_OP_H

#include "ctlmsg.h"
#include "memop.h"
#include "memory.h"
#include "mr.h"
#include "region.h"
#include "test_ops.h"

/*
 * Maximum number of a region's pieces that one operation touches. A piece is the memory that one
 * MR covers. Each piece but the last one has at least KRPING_REGION_PIECE_MIN bytes, and an
 * operation has at most as many: KRPING_MEMOP_MAX.
 */
#define KRPING_SESSION_PIECES	2

/*
 * Maximum number of WRs of one operation: one per piece, and a READ whose response proves that the
 * server has the data.
 */
#define KRPING_SESSION_WRS	(KRPING_SESSION_PIECES + 1)

/* Bytes of inline data that a session requests. The QP may support less, or more. */
#define KRPING_SESSION_INLINE	64

/* Bytes of the buffer behind the data. The READ that proves the arrival of data reads into them. */
#define KRPING_SESSION_SPARE	8

/* Maximum number of other clients' regions whose keys a session remembers. */
#define KRPING_SESSION_FAR_MAX	16

/**
 * struct krping_session_far - a region of another client
 * @id: id of the region; 0: none
 * @serial: number of the region's registration, from the server's answer
 * @region: the region
 */
struct krping_session_far {
	u32 id;
	u32 serial;
	struct krping_region region;
};

/**
 * struct krping_client_session - a client's connection to a region of a server
 * @thread: the session's thread
 * @conn: the connection
 * @control: control messages to the server
 * @buf: data of an operation
 * @mr: MR of @buf, if READs of the device need an MR
 * @advertised: the server has advertised the region
 * @learned: @region has its list of pieces
 * @completed: the operation has completed
 * @rejected: the device has rejected a WR of the last operation, which never completes
 * @list: address and key of the server's list of pieces
 * @region: the region
 * @asking: a request waits for its answer
 * @answered: @answer has arrived
 * @answer: answer to the last request, unchecked
 * @far: regions of other clients
 * @next_far: modulo the size of @far, the index of the region to replace next
 * @alive_at: when the thread must send keep-alive messages on all its connections, in jiffies; used
 *	only in the session of the thread's first connection
 * @wr: WRs of an operation
 * @sge: SGEs of @wr
 */
struct krping_client_session {
	struct krping_thread *thread;
	struct krping_conn *conn;
	struct krping_ctlmsg control;
	struct krping_buf buf;
	struct krping_mr mr;
	bool advertised;
	bool learned;
	bool completed;
	bool rejected;
	struct krping_advert list;
	struct krping_region region;
	bool asking;
	bool answered;
	struct krping_answer answer;
	struct krping_session_far far[KRPING_SESSION_FAR_MAX];
	u32 next_far;
	unsigned long alive_at;
	struct ib_rdma_wr wr[KRPING_SESSION_WRS];
	struct ib_sge sge[KRPING_SESSION_WRS];
};

/**
 * krping_client_session() - return the session of a client's queue
 * @q: the queue
 */
static inline struct krping_client_session *krping_client_session(struct krping_queue *q)
{
	return q->priv;
}

/* Handle the completion of an operation's last WR. */
void krping_session_sent(struct krping_queue *q, enum krping_op op);

/* Fill in an SGE for @len bytes at offset @at of the session's buffer. */
void krping_session_sge(const struct krping_client_session *s, struct ib_sge *sge,
			u32 at, u32 len);

/* READ into the session's buffer, without counting the READ. */
int krping_session_read(struct krping_client_session *s, u64 addr, u32 rkey, u32 len);

/* Store the reason why a wait has failed, in the status of the test. */
int krping_session_failed(struct krping_client_session *s, int ret, const char *what);

/* Store the reason why a wait has failed, and end the operation with this error. */
int krping_session_broken(struct krping_client_session *s, struct krping_memop *op, int ret,
			  const char *what);

/* Prove by a READ, which is not counted, that the server responds. */
int krping_session_round_trip(struct krping_client_session *s);

/* Run a PUT, GET or SEND. */
int krping_session_run(struct krping_client_session *s, const struct krping_region *r,
		       struct krping_memop *op);

#endif /* KRPING_SESSION_OP_H */
