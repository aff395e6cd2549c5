/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The messages of the test `conform`, which has many cases. In each case the client tests one rule
 * that devices have to obey, and both sides record the effects. This file and wire_conform.c use
 * no RDMA type.
 */
#ifndef KRPING_WIRE_CONFORM_H
#define KRPING_WIRE_CONFORM_H

#include "wire.h"

/* Maximum number of completions that a record stores. */
#define KRPING_CONFORM_WCS	8

/* Maximum number of events that a trace stores. */
#define KRPING_CONFORM_EVENTS	8

/* Id of the first RECV. The ids of WRs on the SQ are lower. */
#define KRPING_CONFORM_RECV_ID	8

/* Number of arguments of a step. */
#define KRPING_CONFORM_ARGS	6

/* Maximum number of registrations in one KRPING_CONFORM_REREG. */
#define KRPING_CONFORM_TIMES	256

/* Rights of a memory region of a case. */
#define KRPING_CONFORM_LOCAL_WRITE	0x01
#define KRPING_CONFORM_REMOTE_READ	0x02
#define KRPING_CONFORM_REMOTE_WRITE	0x04
#define KRPING_CONFORM_REMOTE_ATOMIC	0x08
#define KRPING_CONFORM_RIGHTS		0x0f

/**
 * enum krping_conform_step - step that the server carries out for a case
 * @KRPING_CONFORM_OPEN: allocate PD, CQ and memory, and listen; the answer has the port, and a
 *	random number, the cookie, which the client sends in the private data of the case's REQ
 * @KRPING_CONFORM_MR: register a part of the memory: index, rights, offset, bytes, 1 for
 *	another PD; the answer has key and address
 * @KRPING_CONFORM_INV: LOCAL_INV of a memory region: index
 * @KRPING_CONFORM_DEREG: free a memory region: index
 * @KRPING_CONFORM_RECV: post a RECV: offset, bytes, 1 + index of a memory region or 0
 *	for the local DMA lkey
 * @KRPING_CONFORM_BEGIN: fill the memory with canaries (known bytes), and begin a new record
 * @KRPING_CONFORM_RECORD: wait a bounded time for completions of the RQ (number), a state of
 *	the QP (mask of states), an event (0 or 1), the end of the connection (0 or 1) and
 *	changed bytes (number); the answer has the record
 * @KRPING_CONFORM_CLOSE: free all that belongs to the case
 * @KRPING_CONFORM_STATE: move the QP to a state: ERR or RESET
 * @KRPING_CONFORM_REREG: invalidate a memory region and register it again with the next key:
 *	index, times; the answer has key and address
 * @KRPING_CONFORM_ACCESS: set the remote access rights of the QP, KRPING_CONFORM_REMOTE_READ and
 *	the like
 * @KRPING_CONFORM_OPEN_SRQ: as KRPING_CONFORM_OPEN, with an SRQ for the RECVs
 * @KRPING_CONFORM_OPEN_SMALL_CQ: as KRPING_CONFORM_OPEN, with a CQ for the RECVs that nobody polls
 *	and that has fewer entries than the RQ; EOPNOTSUPP if the device has no CQ that is so small
 * @KRPING_CONFORM_TRACE: send a struct krping_wire_conform_trace, which belongs to the last record.
 *	A server without this step sends a struct krping_wire_conform_answer with EOPNOTSUPP
 * @KRPING_CONFORM_OPEN_POLLED: as KRPING_CONFORM_OPEN, with a CQ whose completions raise no
 *	interrupt. The server polls the CQ only in KRPING_CONFORM_BEGIN, KRPING_CONFORM_RECORD and
 *	the steps that wait for a WR of their own: KRPING_CONFORM_MR, KRPING_CONFORM_INV and
 *	KRPING_CONFORM_REREG. A server without this step answers with ENOTCONN
 * @KRPING_CONFORM_SRQ_LIMIT: arm the limit of the SRQ (number of RECVs): when the SRQ has fewer,
 *	the device raises an event
 * @KRPING_CONFORM_OPEN_DMA_KEY: as KRPING_CONFORM_OPEN, with a PD that has a key for all memory.
 *	EOPNOTSUPP unless the server's command has mem_mode=dma
 * @KRPING_CONFORM_DMA_KEY: get a key for all memory: offset of a byte, 1 for the key of another PD;
 *	the answer has key and address of the byte. EINVAL unless KRPING_CONFORM_OPEN_DMA_KEY has
 *	opened the case
 *
 * The arguments of a step stand behind a colon, or in parentheses.
 *
 * The values go on the wire and never change.
 */
enum krping_conform_step {
	KRPING_CONFORM_OPEN = 1,
	KRPING_CONFORM_MR = 2,
	KRPING_CONFORM_INV = 3,
	KRPING_CONFORM_DEREG = 4,
	KRPING_CONFORM_RECV = 5,
	KRPING_CONFORM_BEGIN = 6,
	KRPING_CONFORM_RECORD = 7,
	KRPING_CONFORM_CLOSE = 8,
	KRPING_CONFORM_STATE = 9,
	KRPING_CONFORM_REREG = 10,
	KRPING_CONFORM_ACCESS = 11,
	KRPING_CONFORM_OPEN_SRQ = 12,
	KRPING_CONFORM_OPEN_SMALL_CQ = 13,
	KRPING_CONFORM_TRACE = 14,
	KRPING_CONFORM_OPEN_POLLED = 15,
	KRPING_CONFORM_SRQ_LIMIT = 16,
	KRPING_CONFORM_OPEN_DMA_KEY = 17,
	KRPING_CONFORM_DMA_KEY = 18,
};

/**
 * struct krping_wire_conform_ask - request of a client
 * @ctl: a control message of type KRPING_CTL_CONFORM_ASK; its value is the number of the
 *	request, from 1
 * @step: an enum krping_conform_step
 * @args: arguments of the step; 0: unused
 * @reserved: sent as zeros, ignored by the receiver
 */
struct krping_wire_conform_ask {
	struct krping_wire_ctl ctl;
	__be32 step;
	__be32 args[KRPING_CONFORM_ARGS];
	u8 reserved[4];
};

static_assert(sizeof(struct krping_wire_conform_ask) == KRPING_CONFORM_ASK_BYTES);

/**
 * struct krping_wire_conform_wc - a completion
 * @id: index of the WR; of a RECV: KRPING_CONFORM_RECV_ID + its index
 * @status: an enum ib_wc_status
 * @opcode: an enum ib_wc_opcode modulo 256; valid if @status is 0
 * @flags: IB_WC_WITH_IMM, IB_WC_WITH_INVALIDATE; valid if @status is 0
 * @vendor_err: &ib_wc.vendor_err
 * @byte_len: &ib_wc.byte_len; valid if @status is 0
 */
struct krping_wire_conform_wc {
	u8 id;
	u8 status;
	u8 opcode;
	u8 flags;
	__be32 vendor_err;
	__be32 byte_len;
};

/**
 * struct krping_wire_conform_answer - answer of a server
 * @ctl: a control message of type KRPING_CTL_CONFORM_ANSWER; its value is the number of
 *	the request
 * @error: positive errno of the step; 0: done
 * @nr_wcs: completions since KRPING_CONFORM_BEGIN; at most KRPING_CONFORM_WCS are in @wc
 * @event: 1 + &krping_conform_record.event: an event of the QP, a CQ or the SRQ; 0: none
 * @state: 1 + state of the QP; 0: the device does not report the state
 * @ended: 1: the connection has ended
 * @changed: bytes of the memory that differ from their canaries
 * @first: offset of the first changed byte, if any
 * @key: KRPING_CONFORM_MR, KRPING_CONFORM_DMA_KEY: key; KRPING_CONFORM_OPEN: cookie
 * @addr: KRPING_CONFORM_MR, KRPING_CONFORM_DMA_KEY: address; KRPING_CONFORM_OPEN: port
 * @imm: immediate data, or invalidated key, of the first RECV that has one
 * @garbled: number of changed bytes that differ from the client's byte at the same offset
 * @wc: completions in their order
 */
struct krping_wire_conform_answer {
	struct krping_wire_ctl ctl;
	__be32 error;
	__be32 nr_wcs;
	__be32 event;
	__be32 state;
	__be32 ended;
	__be32 changed;
	__be32 first;
	__be32 key;
	__be64 addr;
	__be32 imm;
	__be32 garbled;
	struct krping_wire_conform_wc wc[KRPING_CONFORM_WCS];
};

static_assert(sizeof(struct krping_wire_conform_answer) == KRPING_CONFORM_ANSWER_BYTES);

/**
 * enum krping_conform_object - object that an event of a trace belongs to
 * @KRPING_CONFORM_QP: the QP
 * @KRPING_CONFORM_CQ: a CQ
 * @KRPING_CONFORM_SRQ: the SRQ
 * @KRPING_CONFORM_DEVICE: the device or one of its ports
 * @KRPING_CONFORM_CM: the connection, which has ended; the event has no number
 *
 * The values go on the wire and never change.
 */
enum krping_conform_object {
	KRPING_CONFORM_QP = 1,
	KRPING_CONFORM_CQ = 2,
	KRPING_CONFORM_SRQ = 3,
	KRPING_CONFORM_DEVICE = 4,
	KRPING_CONFORM_CM = 5,
};

/**
 * struct krping_wire_conform_event - an event
 * @object: an enum krping_conform_object
 * @event: &ib_event.event
 * @reserved: sent as zeros, ignored by the receiver
 * @usec: time of the event, as in struct krping_wire_conform_trace
 */
struct krping_wire_conform_event {
	u8 object;
	u8 event;
	u8 reserved[2];
	__be32 usec;
};

/**
 * struct krping_wire_conform_trace - times and events of the last record of a server
 * @ctl: a control message of type KRPING_CTL_CONFORM_TRACE; its value is the number of the request
 * @wc_usec: times of the completions &krping_wire_conform_answer.wc, in microseconds since the
 *	server began the step before the completion; KRPING_CONFORM_RECORD does not count as a step
 * @nr_events: events since KRPING_CONFORM_BEGIN; at most KRPING_CONFORM_EVENTS are in @event
 * @reserved: sent as zeros, ignored by the receiver
 * @event: events in their order
 */
struct krping_wire_conform_trace {
	struct krping_wire_ctl ctl;
	__be32 wc_usec[KRPING_CONFORM_WCS];
	__be32 nr_events;
	u8 reserved[4];
	struct krping_wire_conform_event event[KRPING_CONFORM_EVENTS];
};

static_assert(sizeof(struct krping_wire_conform_trace) == KRPING_CONFORM_TRACE_BYTES);

/**
 * struct krping_conform_ask - request of a client, in host byte order
 * @nr: number of the request
 * @step: an enum krping_conform_step, unchecked
 * @args: its arguments, unchecked
 */
struct krping_conform_ask {
	u64 nr;
	u32 step;
	u32 args[KRPING_CONFORM_ARGS];
};

/**
 * struct krping_conform_wc - a completion, in host byte order
 * @id: index of the WR; of a RECV: KRPING_CONFORM_RECV_ID + its index
 * @status: an enum ib_wc_status
 * @opcode: an enum ib_wc_opcode modulo 256; valid if @status is 0
 * @flags: IB_WC_WITH_IMM, IB_WC_WITH_INVALIDATE; valid if @status is 0
 * @vendor_err: &ib_wc.vendor_err
 * @byte_len: &ib_wc.byte_len; valid if @status is 0
 */
struct krping_conform_wc {
	u8 id;
	u8 status;
	u8 opcode;
	u8 flags;
	u32 vendor_err;
	u32 byte_len;
};

/**
 * struct krping_conform_record - effects of a case on one side
 * @nr_wcs: completions; the first KRPING_CONFORM_WCS of them are in @wc
 * @event: &ib_event.event of the first event that is an error of the QP, or an event of the SRQ.
 *	The event of an overrun CQ replaces this event. -1: none
 * @state: an enum ib_qp_state; -1: the device does not report the state
 * @ended: the connection has ended
 * @changed: bytes of the memory that differ from their canaries
 * @first: offset of the first changed byte, if any
 * @garbled: number of changed bytes that differ from the other side's byte at the same offset
 * @imm: immediate data, or invalidated key, of the first RECV that has one
 * @wc: completions in their order
 */
struct krping_conform_record {
	u32 nr_wcs;
	int event;
	int state;
	bool ended;
	u32 changed;
	u32 first;
	u32 garbled;
	u32 imm;
	struct krping_conform_wc wc[KRPING_CONFORM_WCS];
};

/**
 * struct krping_conform_event - an event, in host byte order
 * @object: an enum krping_conform_object, unchecked
 * @event: &ib_event.event
 * @usec: time of the event in microseconds
 */
struct krping_conform_event {
	u8 object;
	u8 event;
	u32 usec;
};

/**
 * struct krping_conform_trace - times and events of a record, which no verdict depends on
 * @wc_usec: times of the completions in &krping_conform_record.wc, in microseconds
 * @nr_events: events; the first KRPING_CONFORM_EVENTS of them are in @event
 * @event: events in their order
 */
struct krping_conform_trace {
	u32 wc_usec[KRPING_CONFORM_WCS];
	u32 nr_events;
	struct krping_conform_event event[KRPING_CONFORM_EVENTS];
};

/**
 * struct krping_conform_answer - answer of a server, in host byte order
 * @nr: number of the request
 * @error: 0 or a negative errno
 * @key: key or cookie, see &struct krping_wire_conform_answer
 * @addr: address or port, see &struct krping_wire_conform_answer
 * @record: the effects that the server has recorded
 */
struct krping_conform_answer {
	u64 nr;
	int error;
	u32 key;
	u64 addr;
	struct krping_conform_record record;
};

void krping_wire_conform_ask_encode(struct krping_wire_conform_ask *wire,
				    const struct krping_conform_ask *in);
void krping_wire_conform_ask_decode(const struct krping_wire_conform_ask *wire,
				    struct krping_conform_ask *out);
void krping_wire_conform_answer_encode(struct krping_wire_conform_answer *wire,
				       const struct krping_conform_answer *in);
void krping_wire_conform_answer_decode(const struct krping_wire_conform_answer *wire,
				       struct krping_conform_answer *out);
void krping_wire_conform_trace_encode(struct krping_wire_conform_trace *wire, u64 nr,
				      const struct krping_conform_trace *in);
void krping_wire_conform_trace_decode(const struct krping_wire_conform_trace *wire,
				      struct krping_conform_trace *out);

#endif /* KRPING_WIRE_CONFORM_H */
