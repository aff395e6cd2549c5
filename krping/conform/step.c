// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The steps of a case on the client: prepare the client's side, do the legal operation, and
 * provoke (post the WRs that break or test the rule of the case). "The client's data" are the bytes
 * of the client's memory at CONFORM_TARGET.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "client.h"

/*
 * The client's own side.
 */

/**
 * conform_own_map() - allocate a memory region, and map the client's data into it
 * @c: the client
 * @nr: index of the memory region
 * @elsewhere: allocate it in a PD other than the QP's
 *
 * The function does not post the REG_MR.
 *
 * Return: 0 or a negative errno.
 */
int conform_own_map(struct conform_client *c, u32 nr, bool elsewhere)
{
	struct ib_pd *pd = elsewhere ? c->thread->conns->pd : c->side->pd;

	return conform_side_map(c->side, pd, nr, 0, CONFORM_TARGET, CONFORM_TARGET_BYTES);
}

/**
 * conform_own_map_empty() - allocate a memory region, and map no bytes into it
 * @c: the client
 * @nr: index of the memory region
 *
 * The function does not post the REG_MR. If the device refuses an empty mapping, the case becomes
 * unsupported.
 *
 * Return: 0; -EOPNOTSUPP if the device refuses; or another negative errno.
 */
int conform_own_map_empty(struct conform_client *c, u32 nr)
{
	int ret = conform_side_map(c->side, c->side->pd, nr, 0, CONFORM_TARGET, 0);

	if (ret != -EIO)
		return ret;
	c->seen->supported = false;
	return -EOPNOTSUPP;
}

/**
 * conform_own_key() - return the key of a memory region of the client
 * @c: the client
 * @nr: index of the memory region
 *
 * Return: the key of the last REG_MR; before the first REG_MR, the key that this REG_MR will set.
 */
u32 conform_own_key(const struct conform_client *c, u32 nr)
{
	return c->side->mr[nr].key;
}

/**
 * conform_own_dma_key() - return the local DMA lkey of the PD, which covers all memory
 * @c: the client
 *
 * Return: the key.
 */
u32 conform_own_dma_key(const struct conform_client *c)
{
	return c->side->pd->local_dma_lkey;
}

/**
 * conform_own_update_key() - set the next key in the ib_mr, but do not post a REG_MR
 * @c: the client
 * @nr: index of the memory region; conform_own_key() still returns the old key
 */
void conform_own_update_key(struct conform_client *c, u32 nr)
{
	struct ib_mr *mr = c->side->mr[nr].mr;

	if (mr)
		ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
}

/**
 * conform_own_reg() - register the client's data
 * @c: the client
 * @nr: index of the memory region
 * @rights: access rights, KRPING_CONFORM_REMOTE_WRITE and the like
 *
 * Return: 0 or a negative errno.
 */
int conform_own_reg(struct conform_client *c, u32 nr, u32 rights)
{
	return conform_side_reg(c->side, nr, rights, CONFORM_TARGET, CONFORM_TARGET_BYTES);
}

/**
 * conform_own_reg_elsewhere() - register the client's data in a PD other than the QP's
 * @c: the client
 * @nr: index of the memory region
 * @rights: access rights, KRPING_CONFORM_REMOTE_WRITE and the like
 *
 * The function posts the REG_MR to the control connection's QP, and waits for the completion.
 *
 * Return: 0 or a negative errno.
 */
int conform_own_reg_elsewhere(struct conform_client *c, u32 nr, u32 rights)
{
	return conform_side_reg_elsewhere(c->side, nr, rights, CONFORM_TARGET,
					  CONFORM_TARGET_BYTES);
}

/**
 * conform_own_sink() - register the sink (buffer for the data) of READs as memory region 0
 * @c: the client
 *
 * On iWARP, a sink needs remote write access.
 *
 * Return: 0 or a negative errno.
 */
int conform_own_sink(struct conform_client *c)
{
	return conform_own_reg(c, 0, KRPING_CONFORM_LOCAL_WRITE |
			       (krping_conn_iwarp(c->thread->conns) ?
				KRPING_CONFORM_REMOTE_WRITE : 0));
}

/**
 * conform_own_inv() - invalidate a memory region of the client
 * @c: the client
 * @nr: index of the memory region
 *
 * Return: 0 or a negative errno.
 */
int conform_own_inv(struct conform_client *c, u32 nr)
{
	return conform_side_inv(c->side, nr);
}

/**
 * conform_own_recvs() - post RECVs of the client
 * @c: the client, after conform_begin()
 * @nr: number of RECVs
 *
 * Return: 0 or a negative errno.
 */
int conform_own_recvs(struct conform_client *c, u32 nr)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++)
		ret = conform_side_recv(c->side, c->recvs++, 0, CONFORM_LEN, 0);
	return ret;
}

/**
 * conform_too_many_sges() - return the maximum number of SGEs per WR of the client's QP, plus one
 * @c: the client
 *
 * A device may grant more SGEs than the QP requests. If struct conform_op has no room for as many,
 * the case becomes unsupported.
 *
 * Return: the number; 0: the case is unsupported.
 */
u32 conform_too_many_sges(struct conform_client *c)
{
	u32 nr = c->side->max_sge + 1;

	c->seen->supported = nr && nr <= CONFORM_SGES_MAX;
	return c->seen->supported ? nr : 0;
}

/**
 * conform_has_inline() - check whether the QP supports @len bytes of inline data
 * @c: the client
 * @len: bytes of a WR
 *
 * If the QP does not, the case becomes unsupported.
 *
 * Return: true if the QP does.
 */
bool conform_has_inline(struct conform_client *c, u32 len)
{
	c->seen->supported = c->side->max_inline >= len;
	return c->seen->supported;
}

/**
 * conform_expect_mtu() - return the path MTU, and let the case expect that as many bytes change
 * @c: the client
 * @own: the bytes change in the client's memory, else in the server's
 *
 * If the device does not report the path MTU, the case becomes unsupported.
 *
 * Return: the path MTU in bytes; 0: the case is unsupported.
 */
u32 conform_expect_mtu(struct conform_client *c, bool own)
{
	u32 mtu = conform_side_mtu(c->side);

	c->seen->supported = mtu && mtu <= CONFORM_TARGET_BYTES;
	if (!c->seen->supported)
		return 0;
	c->mtu_want = *c->want;
	*(own ? &c->mtu_want.own_changed : &c->mtu_want.changed) = mtu;
	c->want = &c->mtu_want;
	return mtu;
}

/**
 * conform_begin() - fill both sides' memory with canaries (known bytes), and clear both records
 * @c: the client
 *
 * Return: 0 or a negative errno.
 */
int conform_begin(struct conform_client *c)
{
	conform_side_begin(c->side);
	c->recvs = 0;
	return conform_ask(c, KRPING_CONFORM_BEGIN, NULL);
}

/**
 * conform_begin_sends() - call conform_begin(), and prepare SENDs and their RECVs
 * @c: the client
 * @ops: filled in with SENDs
 * @nr: number of @ops, and of RECVs that the server posts
 * @len: bytes of each SEND
 * @room: bytes of each RECV
 *
 * Return: 0 or a negative errno. @ops are filled in if the function returns 0.
 */
int conform_begin_sends(struct conform_client *c, struct conform_op *ops, u32 nr, u32 len, u32 room)
{
	int ret = conform_begin(c);
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		conform_send(&ops[i], CONFORM_TARGET, len);
		ret = conform_peer_recv(c, room, NULL);
	}
	return ret;
}

/*
 * The legal operation.
 */

/* Return the error of the post, or wait for the only completion, which must be a success. */
static int conform_legal_wc(struct conform_client *c)
{
	const struct krping_conform_record *r = &c->side->record;
	int ret;

	if (c->seen->post)
		return c->seen->post;
	ret = conform_side_await_sends(c->side, 1);
	if (!ret && (r->nr_wcs != 1 || r->wc[0].status != IB_WC_SUCCESS))
		ret = -EIO;
	return ret;
}

/* Check whether exactly @len bytes at @off have changed, and have the peer's values. */
static bool conform_moved(const struct krping_conform_record *r, u32 off, u32 len)
{
	return r->changed == len && !r->garbled && (!len || r->first == off);
}

/* Copy the client's record and trace to @c->seen. */
static int conform_own_record(struct conform_client *c, const struct conform_until *until)
{
	int ret = conform_side_record(c->side, until, &c->seen->requester);

	c->seen->own_trace = c->side->recorded;
	return ret;
}

/* Copy both records to @c->seen. The server first waits for the completions of @recvs RECVs. */
static int conform_legal_records(struct conform_client *c, u32 recvs)
{
	const u32 args[KRPING_CONFORM_ARGS] = { recvs };
	const struct conform_until until = { .since = jiffies };
	int ret;

	ret = conform_own_record(c, &until);
	if (!ret)
		ret = conform_ask(c, KRPING_CONFORM_RECORD, args);
	if (!ret)
		c->seen->responder = c->answer.record;
	return ret;
}

/*
 * Check that exactly @own bytes of the client at @own_off and @peer bytes of the server at
 * @peer_off have changed. On iWARP a WRITE may complete before its data arrives, so repeat the
 * check for a bounded time.
 */
static int conform_legal_moves(struct conform_client *c, u32 own_off, u32 own, u32 peer_off,
			       u32 peer)
{
	unsigned long end = jiffies + msecs_to_jiffies(CONFORM_WAIT);
	int ret;

	do {
		ret = conform_legal_records(c, 0);
		if (ret)
			return ret;
		if (conform_moved(&c->seen->requester, own_off, own) &&
		    conform_moved(&c->seen->responder, peer_off, peer))
			return 0;
		ret = conform_side_pause(c->side);
	} while (ret == -ETIMEDOUT && time_before(jiffies, end) && !READ_ONCE(c->side->ended));
	return ret == -ETIMEDOUT ? -EBADMSG : ret;
}

/**
 * conform_legal() - do a legal operation as the positive control of the case
 * @c: the client
 * @op: the operation
 * @t: target of the operation
 *
 * The operation must succeed, and change exactly the bytes that it names. The function records in
 * @c->seen whether both hold.
 *
 * Return: 0 or a negative errno.
 */
int conform_legal(struct conform_client *c, const struct conform_op *op,
		  const struct conform_target *t)
{
	bool reads = op->opcode == IB_WR_RDMA_READ;
	bool atomic = conform_is_atomic(op->opcode);
	u32 own = reads || atomic ? op->len : 0;
	u32 peer = reads ? 0 : op->len;
	int ret;

	ret = conform_begin(c);
	if (ret)
		return ret;
	conform_post_chain(c, c->side->qp, op, 1);
	ret = conform_legal_wc(c);
	if (!ret)
		ret = conform_legal_moves(c, op->off, own, t->off + (u32)(op->addr - t->addr),
					  peer);
	c->seen->control = !ret;
	return ret;
}

/**
 * conform_legal_send() - do a legal SEND as the positive control
 * @c: the client
 *
 * The SEND and its RECV must succeed, and change exactly the bytes of the RECV. The function
 * records in @c->seen whether they have.
 *
 * Return: 0 or a negative errno.
 */
int conform_legal_send(struct conform_client *c)
{
	const struct krping_conform_record *p = &c->seen->responder;
	struct conform_op op;
	int ret;

	ret = conform_begin_sends(c, &op, 1, CONFORM_LEN, CONFORM_LEN);
	if (ret)
		return ret;
	conform_post_chain(c, c->side->qp, &op, 1);
	ret = conform_legal_wc(c);
	if (!ret)
		ret = conform_legal_records(c, 1);
	if (ret)
		return ret;
	if (p->nr_wcs != 1 || p->wc[0].status != IB_WC_SUCCESS ||
	    p->wc[0].byte_len != CONFORM_LEN || !conform_moved(p, CONFORM_TARGET, CONFORM_LEN))
		return -EBADMSG;
	c->seen->control = true;
	return 0;
}

/*
 * The provocation.
 */

/**
 * conform_provoke_behind() - as conform_provoke(), but do not call conform_begin()
 * @c: the client; the caller has called conform_begin(), and may then have posted other WRs
 * @ops: the WRs, posted as one chain
 * @nr: number of @ops, at most CONFORM_DEPTH
 *
 * Return: 0, or the error that ends the test.
 */
int conform_provoke_behind(struct conform_client *c, const struct conform_op *ops, u32 nr)
{
	conform_post_chain(c, c->side->qp, ops, nr);
	return conform_collect(c);
}

/**
 * conform_provoke() - clear the records, post the WRs that break or test the rule, and collect
 *	their effects
 * @c: the client
 * @ops: the WRs, posted as one chain
 * @nr: number of @ops, at most CONFORM_DEPTH
 *
 * Return: 0, or the error that ends the test.
 */
int conform_provoke(struct conform_client *c, const struct conform_op *ops, u32 nr)
{
	int ret = conform_begin(c);

	return ret ? ret : conform_provoke_behind(c, ops, nr);
}

/**
 * conform_provoke_reset() - clear the records, post to a new QP in RESET, and collect the effects
 * @c: the client
 * @recv: true: post a RECV; false: post a SEND
 *
 * Return: 0, or the error that ends the test.
 */
int conform_provoke_reset(struct conform_client *c, bool recv)
{
	const struct conform_op op = { .opcode = IB_WR_SEND, .len = CONFORM_LEN };
	struct ib_recv_wr wr = { .wr_cqe = &c->side->cqe[KRPING_CONFORM_RECV_ID].cqe };
	const struct ib_recv_wr *bad = NULL;
	struct ib_qp_init_attr init = {
		.send_cq	= c->side->cq.cq,
		.recv_cq	= c->side->cq.cq,
		.cap.max_send_wr = CONFORM_DEPTH,
		.cap.max_recv_wr = CONFORM_DEPTH,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
	};
	struct ib_qp *qp;
	int ret;

	ret = conform_begin(c);
	if (ret)
		return ret;
	qp = ib_create_qp(c->side->pd, &init);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	if (recv) {
		conform_trace_since(c->side);
		c->seen->post = ib_post_recv(qp, &wr, &bad);
		c->seen->bad = bad == &wr ? 0 : -1;
	} else {
		conform_post_chain(c, qp, &op, 1);
	}
	ret = conform_collect(c);
	ib_destroy_qp(qp);
	return ret;
}

/*
 * Return true if all WRs have succeeded although the last one had to fail. The device has then
 * missed the fault, so neither an error state nor an error event will follow.
 */
static bool conform_fault_missed(const struct conform_client *c)
{
	const struct krping_conform_record *r = &c->side->record;
	u32 i;

	for (i = 0; i < r->nr_wcs && i < KRPING_CONFORM_WCS; i++)
		if (r->wc[i].status)
			return false;
	return r->nr_wcs && r->nr_wcs == conform_nr_wanted(c->want->send) &&
	       !(c->want->send[r->nr_wcs - 1] & CONFORM_WC(SUCCESS));
}

/**
 * conform_collect() - wait for the effects of a provocation, and copy both records to @c->seen
 * @c: the client
 *
 * Each wait is bounded. The records leave out the effects that come later.
 *
 * Return: 0, or the error that ends the test.
 */
int conform_collect(struct conform_client *c)
{
	const struct conform_want *want = c->want;
	bool refused = want->post_may && c->seen->post;
	struct conform_until until = { 0 };
	u32 args[KRPING_CONFORM_ARGS] = { 0 };
	int ret;

	ret = conform_side_await_sends(c->side, refused ? 0 : conform_nr_wanted(want->send));
	if (ret && ret != -ETIMEDOUT)
		return ret;
	/* After a timeout, do not wait for other effects either: they have had the same time. */
	if (!ret) {
		args[0] = conform_nr_wanted(want->recv);
		until.recvs = want->own_recv;
	}
	/*
	 * Wait for the expected states, event and bytes, unless none can follow. None follows if
	 * the device has refused the post. None follows either if the device has missed the fault,
	 * unless the case expects a RECV, which may still report the fault.
	 */
	if (!ret && !refused && (want->recv[0] || !conform_fault_missed(c))) {
		until.states = want->state;
		args[1] = want->peer_state;
		args[2] = want->events && !(want->events & CONFORM_NO_EVENT);
		args[3] = want->ended;
		args[4] = want->changed;
	}
	/* Begin the client's timeout before the server waits, so that both waits overlap. */
	until.since = jiffies;
	ret = conform_ask(c, KRPING_CONFORM_RECORD, args);
	c->seen->responder = c->answer.record;
	if (!ret)
		ret = conform_own_record(c, &until);
	return ret ? ret : conform_peer_trace(c);
}
