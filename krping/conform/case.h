/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Each case of the test `conform` checks one rule of a specification. A case is a row of a table
 * and a function; both are in the file of the case's group, such as keys.c. The function runs on
 * the client. The server only carries out the steps that the client requests.
 */
#ifndef KRPING_CONFORM_CASE_H
#define KRPING_CONFORM_CASE_H

#include <linux/kernel.h>

#include "side.h"

struct conform_client;

/* Bits of &conform_case.needs: without these features a case is unsupported. */
#define CONFORM_NEEDS_ATOMIC	BIT(0)	/* atomic operations */
#define CONFORM_NEEDS_IB	BIT(1)	/* InfiniBand or RoCE, because iWARP lacks the operation */
#define CONFORM_NEEDS_SRQ	BIT(2)	/* an SRQ for the responder's QP */
#define CONFORM_NEEDS_SMALL_CQ	BIT(3)	/* a CQ so small that the responder's RECVs overrun it */
#define CONFORM_NEEDS_DMA_KEY	BIT(4)	/* the responder's key for all memory: mem_mode=dma */

/**
 * struct conform_case - a case
 * @name: name of the case, in lower case with underscores
 * @source: section or rule of the InfiniBand specification (IBTA), or a kernel function
 * @expect: the expectation in words, for the user
 * @needs: CONFORM_NEEDS_*
 * @silent: the server's QP stops answering, so the client's QP gets few retries
 * @polled: both sides poll their CQs
 * @timed: a device with the fault breaks the rule only in most runs, so one run proves little
 * @run: does a legal operation, and then posts the WRs that break or test the rule (the
 *	provocation). Returns 0 or a negative errno.
 * @want: the expectation, which conform_judge() compares with the observations
 * @iwarp: the expectation on iWARP; NULL: @want holds on iWARP, too
 */
struct conform_case {
	const char *name;
	const char *source;
	const char *expect;
	u32 needs;
	bool silent;
	bool polled;
	bool timed;
	int (*run)(struct conform_client *c);
	const struct conform_want *want;
	const struct conform_want *iwarp;
};

/**
 * struct conform_group - the cases of a file
 * @name: name of the group, which the option case= accepts
 * @cases: the cases
 * @nr: number of @cases
 */
struct conform_group {
	const char *name;
	const struct conform_case *cases;
	u32 nr;
};

extern const struct conform_group conform_keys;
extern const struct conform_group conform_bounds;
extern const struct conform_group conform_rights;
extern const struct conform_group conform_zero;
extern const struct conform_group conform_request;
extern const struct conform_group conform_local;
extern const struct conform_group conform_post;
extern const struct conform_group conform_flush;
extern const struct conform_group conform_register;
extern const struct conform_group conform_invalidate;
extern const struct conform_group conform_order;
extern const struct conform_group conform_atomic;
extern const struct conform_group conform_data;
extern const struct conform_group conform_retry;
extern const struct conform_group conform_srq;
extern const struct conform_group conform_poll;
extern const struct conform_group conform_dma_key;

extern const struct conform_group * const conform_groups[];
extern const u32 conform_nr_groups;

/**
 * struct conform_target - a target: a memory region of the server that WRs of the client access
 * @nr: index of the memory region
 * @key: remote key
 * @addr: remote address of the first byte
 * @off: offset of the first byte in the server's memory
 * @len: length in bytes
 */
struct conform_target {
	u32 nr;
	u32 key;
	u64 addr;
	u32 off;
	u32 len;
};

/**
 * struct conform_op - a WR of the client
 * @opcode: opcode of the WR
 * @addr: remote address
 * @key: remote key, or the key that the WR registers or invalidates
 * @off: offset of the data in the client's memory
 * @len: bytes of each SGE
 * @mr: 1 + index of the client's memory region that has the data, or that REG_MR registers;
 *	0: the WR accesses the data by the local DMA lkey
 * @nr_sge: number of SGEs; 0: one
 * @unsignaled: the WR is not signaled
 * @flags: IB_SEND_* other than IB_SEND_SIGNALED
 * @imm: immediate data
 * @rights: REG_MR: access rights, KRPING_CONFORM_REMOTE_WRITE and the like
 * @compare_add: atomic operation: value to compare with, or to add
 * @swap: CMP_SWAP: the new value
 */
struct conform_op {
	enum ib_wr_opcode opcode;
	u64 addr;
	u32 key;
	u32 off;
	u32 len;
	u32 mr;
	u32 nr_sge;
	bool unsignaled;
	int flags;
	u32 imm;
	u32 rights;
	u64 compare_add;
	u64 swap;
};

/* The access rights of a target that the client may READ and WRITE. */
#define CONFORM_READ_WRITE	(KRPING_CONFORM_LOCAL_WRITE | KRPING_CONFORM_REMOTE_READ | \
				 KRPING_CONFORM_REMOTE_WRITE)

/* peer.c: let the server do a step, and wait for its answer. */

/* Register a target in the PD of the case's QP, or elsewhere (in another PD). */
int conform_peer_reg(struct conform_client *c, u32 nr, u32 rights, struct conform_target *t);
int conform_peer_reg_elsewhere(struct conform_client *c, u32 nr, u32 rights,
			       struct conform_target *t);

/*
 * Get a target that consists of the same bytes, with the key for all memory of the QP's PD or, if
 * @elsewhere, of another PD.
 */
int conform_peer_dma_key(struct conform_client *c, bool elsewhere, struct conform_target *t);

/* Invalidate the key of a target. */
int conform_peer_inv(struct conform_client *c, const struct conform_target *t);

/* Free the memory region of a target. */
int conform_peer_dereg(struct conform_client *c, const struct conform_target *t);

/* Invalidate and register a target @times times. */
int conform_peer_rereg(struct conform_client *c, u32 times, struct conform_target *t);

/* Set the state of the server's QP. */
int conform_peer_state(struct conform_client *c, enum ib_qp_state state);

/* Set the remote access rights of the server's QP. */
int conform_peer_access(struct conform_client *c, u32 rights);

/* Post a RECV at CONFORM_TARGET, with the target's key unless @t is NULL. */
int conform_peer_recv(struct conform_client *c, u32 len, const struct conform_target *t);

/* Post a RECV at an offset of the server's memory. */
int conform_peer_recv_at(struct conform_client *c, u32 off, u32 len);

/*
 * Arm the limit of the server's SRQ. If the server or its device cannot, the case is unsupported.
 */
int conform_peer_srq_limit(struct conform_client *c, u32 limit);

/* Copy the trace of the server's last record to &conform_seen.peer_trace. */
int conform_peer_trace(struct conform_client *c);

/* step.c: prepare the client's own side, or return its properties. */

/*
 * Allocate memory region @nr, in another PD than the QP's if @elsewhere. Map the client's data into
 * the memory region, but post no REG_MR.
 */
int conform_own_map(struct conform_client *c, u32 nr, bool elsewhere);

/* Allocate memory region @nr, and map no bytes into it. Post no REG_MR. */
int conform_own_map_empty(struct conform_client *c, u32 nr);

/* Return the key of memory region @nr. */
u32 conform_own_key(const struct conform_client *c, u32 nr);

/* Return the local DMA lkey of the QP's PD. */
u32 conform_own_dma_key(const struct conform_client *c);

/* Set the next key in struct ib_mr of memory region @nr, but post no REG_MR. */
void conform_own_update_key(struct conform_client *c, u32 nr);

/* Register the client's data as memory region @nr, in the QP's PD or elsewhere. */
int conform_own_reg(struct conform_client *c, u32 nr, u32 rights);
int conform_own_reg_elsewhere(struct conform_client *c, u32 nr, u32 rights);

/* Invalidate memory region @nr. */
int conform_own_inv(struct conform_client *c, u32 nr);

/* Register the sink of READs (buffer for their data) as memory region 0. */
int conform_own_sink(struct conform_client *c);

/* Post @nr RECVs. */
int conform_own_recvs(struct conform_client *c, u32 nr);

/* Return the maximum number of SGEs of a WR, plus one; 0: the case is unsupported. */
u32 conform_too_many_sges(struct conform_client *c);

/* Check whether the QP supports @len bytes of inline data; if not, the case is unsupported. */
bool conform_has_inline(struct conform_client *c, u32 len);

/*
 * Return the path MTU in bytes, at most CONFORM_TARGET_BYTES, and let the case expect that as many
 * bytes change: in the client's memory if @own is set, else in the server's. 0: the case is
 * unsupported.
 */
u32 conform_expect_mtu(struct conform_client *c, bool own);

/* op.c: fill in the WR of an operation. */
void conform_write(struct conform_op *op, const struct conform_target *t);
void conform_read(struct conform_op *op, const struct conform_target *t);
void conform_send(struct conform_op *op, u32 off, u32 len);
void conform_add(struct conform_op *op, const struct conform_target *t);
void conform_swap(struct conform_op *op, const struct conform_target *t);

/* step.c: do the legal operation of a case, which must succeed. */
int conform_legal(struct conform_client *c, const struct conform_op *op,
		  const struct conform_target *t);
int conform_legal_send(struct conform_client *c);

/* step.c: post the WRs that break or test the rule, and copy the records of both sides. */

/* Fill the memory of both sides with known bytes, and clear both records. */
int conform_begin(struct conform_client *c);

/*
 * Call conform_begin(), fill in @nr SENDs of @len bytes, and let the server post a RECV of @room
 * bytes for each.
 */
int conform_begin_sends(struct conform_client *c, struct conform_op *ops, u32 nr, u32 len,
			u32 room);

/* Wait for the effects of the posted WRs, and copy both records. */
int conform_collect(struct conform_client *c);

/* Begin, post @ops, and collect. */
int conform_provoke(struct conform_client *c, const struct conform_op *ops, u32 nr);

/* Post @ops and collect. The caller has called conform_begin(), and may have posted other WRs. */
int conform_provoke_behind(struct conform_client *c, const struct conform_op *ops, u32 nr);

/* Begin, post a RECV or a SEND to a new QP in the state RESET, and collect. */
int conform_provoke_reset(struct conform_client *c, bool recv);

/* op.c: post @op repeatedly until the SQ is full. Returns false if the case is unsupported. */
bool conform_fill_sq(struct conform_client *c, const struct conform_op *op);

/*
 * remote.c: expectations that several groups use. With conform_access_*, conform_later_*,
 * conform_send_inv_* and conform_request_* the responder's device refuses an operation, with the
 * others the requester's device does.
 */
extern const struct conform_want conform_access_refused;
extern const struct conform_want conform_access_refused_iwarp_write;
extern const struct conform_want conform_access_refused_iwarp_read;
extern const struct conform_want conform_later_flushes;
extern const struct conform_want conform_send_inv_refused;
extern const struct conform_want conform_send_inv_refused_iwarp;
extern const struct conform_want conform_request_refused;
extern const struct conform_want conform_lkey_refused;
extern const struct conform_want conform_mr_refused;
extern const struct conform_want conform_refused_locally_iwarp;

/* remote.c: do a legal READ or WRITE of the first @len bytes of a target, and set @op to it. */
int conform_legal_rdma_to(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
			  const struct conform_target *t, struct conform_op *op);

/* remote.c: register a target, do a legal operation on it, and set @op to the operation. */
int conform_legal_rdma(struct conform_client *c, enum ib_wr_opcode opcode, u32 len,
		       struct conform_target *t, struct conform_op *op);
int conform_legal_atomic(struct conform_client *c, struct conform_target *t,
			 struct conform_op *op);
int conform_legal_write_from(struct conform_client *c, u32 nr, struct conform_op *op);

/* As conform_legal_rdma(), for a WRITE of CONFORM_LEN bytes. */
static inline int conform_legal_write(struct conform_client *c, struct conform_target *t,
				      struct conform_op *op)
{
	return conform_legal_rdma(c, IB_WR_RDMA_WRITE, CONFORM_LEN, t, op);
}

/* As conform_legal_rdma(), for a READ of CONFORM_LEN bytes. */
static inline int conform_legal_read(struct conform_client *c, struct conform_target *t,
				     struct conform_op *op)
{
	return conform_legal_rdma(c, IB_WR_RDMA_READ, CONFORM_LEN, t, op);
}

#endif /* KRPING_CONFORM_CASE_H */
