/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One side of a case: its PD, CQ, QP and memory regions, and the record of its completions, events
 * and changed bytes.
 */
#ifndef KRPING_CONFORM_SIDE_H
#define KRPING_CONFORM_SIDE_H

#include <rdma/rdma_cm.h>

#include "../memory.h"
#include "../thread.h"
#include "verdict.h"

/* Depth that a side requests for the SQ and the RQ. The device may round the depth up. */
#define CONFORM_DEPTH	8

/* Bits of @with of conform_side_alloc(): what the QP uses. */
#define CONFORM_WITH_SRQ	BIT(0)	/* an SRQ for its RECVs */
#define CONFORM_WITH_SMALL_CQ	BIT(1)	/* a small CQ for its RECVs, which nobody polls */
#define CONFORM_WITH_POLLED_CQ	BIT(2)	/* a CQ that the test's thread polls */
#define CONFORM_WITH_DMA_KEY	BIT(3)	/* a PD that has a key for all memory */

/* Maximum number of memory regions of a side. */
#define CONFORM_MRS	4

/* Number of SGEs that a side requests for a WR on the SQ. */
#define CONFORM_SGES	2

/*
 * Offset and size of the target (the bytes that the operations of a case access), and size of each
 * side's memory. The target neither begins nor ends at the edge of a page, so that cases detect a
 * device that only checks whole pages.
 */
#define CONFORM_TARGET		(PAGE_SIZE + 64)
#define CONFORM_TARGET_BYTES	(PAGE_SIZE + 128)
#define CONFORM_BYTES		(4 * PAGE_SIZE)

/* Maximum number of bytes of inline data in a WR of a case. */
#define CONFORM_INLINE	32

/* The bit that is set in the server's canaries (known bytes), and clear in the client's. */
#define CONFORM_PEER_FILL	0x80

/*
 * The lower seven bits of a canary have this number of values. The number is odd, so that the pages
 * of a side have different canaries at the same offset.
 */
#define CONFORM_CANARIES	127

/* Length in bytes of an operation for which a case sets no other length. */
#define CONFORM_LEN	64

/* Timeouts of waits, in milliseconds. */
#define CONFORM_WAIT	5000	/* completions */
#define CONFORM_CONNECT_WAIT	15000	/* connecting; a lost MAD is resent after 4 to 6 s */
#define CONFORM_STATE_WAIT	5000	/* QP states, the end of a connection */
#define CONFORM_PAUSE		5	/* between two queries of a QP, or of a record */
#define CONFORM_EVENT_WAIT	200	/* an event, which a device may never raise */

/**
 * enum conform_cm - progress of the connection between the QPs of a case
 * @CONFORM_CM_IDLE: no event of the connection manager has arrived
 * @CONFORM_CM_UNRESOLVED: client: address resolution has failed, and may be repeated
 * @CONFORM_CM_ADDR: client: the address is resolved
 * @CONFORM_CM_ROUTE: client: the route is resolved
 * @CONFORM_CM_REQUESTED: server: the client's REQ has arrived
 * @CONFORM_CM_ESTABLISHED: connected
 * @CONFORM_CM_FAILED: an error has occurred, or the peer has disconnected too early
 */
enum conform_cm {
	CONFORM_CM_IDLE,
	CONFORM_CM_UNRESOLVED,
	CONFORM_CM_ADDR,
	CONFORM_CM_ROUTE,
	CONFORM_CM_REQUESTED,
	CONFORM_CM_ESTABLISHED,
	CONFORM_CM_FAILED,
};

/**
 * struct conform_mr - a memory region
 * @mr: the memory region, or NULL
 * @key: key of its last REG_MR, or of the REG_MR that conform_side_map() has filled in
 * @addr: address of the first byte, for WRs
 * @off: offset of the first byte in the memory of the side
 * @len: number of bytes
 * @access: access rights, IB_ACCESS_*
 */
struct conform_mr {
	struct ib_mr *mr;
	u32 key;
	u64 addr;
	u32 off;
	u32 len;
	int access;
};

/**
 * struct conform_cqe - ib_cqe of one WR
 * @cqe: &ib_send_wr.wr_cqe or &ib_recv_wr.wr_cqe points here
 * @side: the side
 */
struct conform_cqe {
	struct ib_cqe cqe;
	struct conform_side *side;
};

/**
 * struct conform_side - one side of a case
 * @thread: the test's thread
 * @device: the device of the control connection
 * @id: the connection, or NULL
 * @cm: progress of the connection
 * @ended: the connection has ended
 * @cm_error: error of the connection manager
 * @status: status that &conform_side.cq requires; only the CQ sets it
 * @stats: counters that &conform_side.cq requires; nothing reads them
 * @cq: the CQ
 * @pd: the PD
 * @qp: the QP, or NULL
 * @srq: the SRQ of the QP, or NULL
 * @small_cq: the CQ for the RECVs of the QP, with fewer entries than the RQ; NULL: @cq
 * @mem: memory of CONFORM_BYTES
 * @fill: the bit of this side's canaries: CONFORM_PEER_FILL on the server, 0 on the client
 * @max_sge: number of SGEs that the QP supports in a WR on the SQ
 * @max_inline: bytes of inline data that the QP supports in a WR
 * @mr: the memory regions
 * @cqe: CQEs of the case's WRs; the index is the id of the WR. The ids of RECVs begin with
 *	KRPING_CONFORM_RECV_ID
 * @reg: WR that registers a memory region
 * @own: CQE of WRs that prepare a case; the record leaves out these WRs
 * @own_done: 1 + status of the last completion of @own; 0: not completed yet
 * @lock: guards the record
 * @record: completions and events since conform_side_begin()
 * @trace: times of the completions, and all events, since conform_side_begin()
 * @recorded: copy of @trace that conform_side_record() has made
 * @since: time in nanoseconds from which the times of @trace count
 * @device_handler: handler of the device's events; its device is NULL until it is registered
 */
struct conform_side {
	struct krping_thread *thread;
	struct ib_device *device;
	struct rdma_cm_id *id;
	enum conform_cm cm;
	bool ended;
	int cm_error;
	struct krping_status status;
	struct krping_stats stats;
	struct krping_cq cq;
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct ib_srq *srq;
	struct ib_cq *small_cq;
	struct krping_buf mem;
	u8 fill;
	u32 max_sge;
	u32 max_inline;
	struct conform_mr mr[CONFORM_MRS];
	struct conform_cqe cqe[2 * KRPING_CONFORM_RECV_ID];
	struct ib_reg_wr reg;
	struct conform_cqe own;
	u32 own_done;
	spinlock_t lock; /* guards the record */
	struct krping_conform_record record;
	struct krping_conform_trace trace;
	struct krping_conform_trace recorded;
	u64 since;
	struct ib_event_handler device_handler;
};

/**
 * struct conform_until - effects for which conform_side_record() waits
 * @recvs: minimum number of completions of RECVs
 * @states: mask of states of the QP; 0: any
 * @event: wait for an event
 * @ended: wait for the end of the connection
 * @changed: minimum number of bytes that have changed
 * @since: jiffies from which the timeout of the wait counts
 */
struct conform_until {
	u32 recvs;
	u32 states;
	bool event;
	bool ended;
	u32 changed;
	unsigned long since;
};

/* Return the canary at offset @off of a side whose bit is @fill. */
static inline u8 conform_canary(u8 fill, u32 off)
{
	return fill | off % CONFORM_CANARIES;
}

/* side.c */

/* Allocate a side without a connection. */
struct conform_side *conform_side_alloc(struct krping_thread *thread, u8 fill, u32 with);

/* Disconnect and free a side. */
void conform_side_free(struct conform_side *side);

/* Create the QP. */
int conform_side_create_qp(struct conform_side *side);

/* Move the QP to a state. */
int conform_side_set_state(struct conform_side *side, enum ib_qp_state state);

/* Fill the memory with canaries (known bytes), and begin a new record. */
void conform_side_begin(struct conform_side *side);

/* Wait for effects, and copy the record of a side. */
int conform_side_record(struct conform_side *side, const struct conform_until *until,
			struct krping_conform_record *out);

/* Wait until a condition of a side holds, and meanwhile poll its CQ if it is in direct context. */
int conform_side_wait(struct conform_side *side, bool (*done)(void *side), u32 msec);

/* Wait for CONFORM_PAUSE milliseconds. */
int conform_side_pause(struct conform_side *side);

/* Wait for @nr completions of the SQ. */
int conform_side_await_sends(struct conform_side *side, u32 nr);

/* side.c: post a WR that prepares a case, and wait for its completion. */
int conform_side_own(struct conform_side *side, struct ib_send_wr *wr);

/* trace.c */

/* Check whether @side, which may be NULL, has a QP, whose completions the trace records. */
bool conform_trace_exists(const struct conform_side *side);

/* Let the times of completions and events count from now. */
void conform_trace_since(struct conform_side *side);

/* Add the time of completion @nr, or an event. The caller holds @side->lock. */
void conform_trace_wc(struct conform_side *side, u32 nr);
void conform_trace_event(struct conform_side *side, enum krping_conform_object object, u32 event);

/* Add an event. */
void conform_trace_note(struct conform_side *side, enum krping_conform_object object, u32 event);

/* Begin and end to record the events of the device. */
void conform_trace_device(struct conform_side *side);
void conform_trace_device_end(struct conform_side *side);

/* side_mr.c */

/* Convert rights KRPING_CONFORM_* to IB_ACCESS_*. */
int conform_access(u32 rights);

/* Set the remote access rights of the QP. */
int conform_side_set_access(struct conform_side *side, u32 rights);

/* Arm the limit of the SRQ: the device raises an event when the SRQ has fewer than @limit RECVs. */
int conform_side_srq_limit(struct conform_side *side, u32 limit);

/* Return the path MTU of the QP in bytes; 0: the device does not report the path MTU. */
u32 conform_side_mtu(struct conform_side *side);

/* side_mr.c: allocate and map memory region @nr, and fill in @side->reg, but do not post it. */
int conform_side_map(struct conform_side *side, struct ib_pd *pd, u32 nr, u32 rights, u32 off,
		     u32 len);

/* Register a part of the memory as memory region @nr, and wait for the completion. */
int conform_side_reg(struct conform_side *side, u32 nr, u32 rights, u32 off, u32 len);

/* Register a part of the memory in the control connection's PD. */
int conform_side_reg_elsewhere(struct conform_side *side, u32 nr, u32 rights, u32 off,
			       u32 len);

/* Invalidate and register memory region @nr, @times times, each time with the next key. */
int conform_side_rereg(struct conform_side *side, u32 nr, u32 times);

/* Invalidate memory region @nr, and wait for the completion. */
int conform_side_inv(struct conform_side *side, u32 nr);

/* Free memory region @nr. */
int conform_side_dereg(struct conform_side *side, u32 nr);

/* side_mr.c: post a RECV. */
int conform_side_recv(struct conform_side *side, u32 id, u32 off, u32 len, u32 mr);

#endif /* KRPING_CONFORM_SIDE_H */
