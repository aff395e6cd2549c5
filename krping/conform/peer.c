// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Let the server do the steps of a case: send a request for each step, and wait for the answer.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "../wait.h"
#include "client.h"

static bool conform_has_answer(void *arg)
{
	const struct conform_client *c = arg;

	/* pairs with conform_client_ctl() */
	return smp_load_acquire(&c->answered);
}

/**
 * conform_ask() - let the server do a step, and wait for the answer
 * @c: the client
 * @step: the step
 * @args: KRPING_CONFORM_ARGS arguments of the step; NULL: all are 0
 *
 * If no valid answer arrives, the function stores the error in @c->fatal. Later calls then return
 * this error at once.
 *
 * Return: 0, the error of the step, or the error that ends the test.
 */
int conform_ask(struct conform_client *c, enum krping_conform_step step, const u32 *args)
{
	struct krping_conform_ask ask = { .nr = ++c->nr, .step = step };
	int ret;

	if (c->fatal)
		return c->fatal;
	if (args)
		memcpy(ask.args, args, sizeof(ask.args));
	WRITE_ONCE(c->step, step);
	WRITE_ONCE(c->answered, false);
	krping_cq_progress(&c->thread->cq);
	ret = conform_message_ask(&c->message, &ask);
	if (!ret)
		ret = krping_wait(&c->thread->cq, conform_has_answer, c, CONFORM_ANSWER_WAIT);
	if (!ret && c->answer.nr != ask.nr)
		ret = krping_status_set(c->thread->status, -EPROTO,
					"the server has answered another request");
	c->fatal = ret;
	return ret ? ret : c->answer.error;
}

/* Let the server register the target in the QP's PD or, if @elsewhere, in another PD. */
static int conform_peer_mr(struct conform_client *c, u32 nr, u32 rights, u32 elsewhere,
			   struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = {
		nr, rights, CONFORM_TARGET, CONFORM_TARGET_BYTES, elsewhere,
	};
	int ret = conform_ask(c, KRPING_CONFORM_MR, args);

	t->nr = nr;
	t->key = c->answer.key;
	t->addr = c->answer.addr;
	t->off = CONFORM_TARGET;
	t->len = CONFORM_TARGET_BYTES;
	return ret;
}

/**
 * conform_peer_reg() - let the server register a part of its memory as the target
 * @c: the client
 * @nr: index of the memory region, below CONFORM_MRS
 * @rights: KRPING_CONFORM_REMOTE_WRITE and the like
 * @t: set to the target
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_reg(struct conform_client *c, u32 nr, u32 rights, struct conform_target *t)
{
	return conform_peer_mr(c, nr, rights, false, t);
}

/**
 * conform_peer_reg_elsewhere() - let the server register the target in a PD other than the QP's
 * @c: as in conform_peer_reg()
 * @nr: as in conform_peer_reg()
 * @rights: as in conform_peer_reg()
 * @t: as in conform_peer_reg()
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_reg_elsewhere(struct conform_client *c, u32 nr, u32 rights,
			       struct conform_target *t)
{
	return conform_peer_mr(c, nr, rights, true, t);
}

/**
 * conform_peer_dma_key() - get a target whose key is a key for all memory of the server
 * @c: the client
 * @elsewhere: the key of a PD other than the QP's
 * @t: set to the target, which consists of the same bytes as that of conform_peer_reg()
 *
 * The target is no memory region, so no other step accepts its index.
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_dma_key(struct conform_client *c, bool elsewhere, struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = { CONFORM_TARGET, elsewhere };
	int ret = conform_ask(c, KRPING_CONFORM_DMA_KEY, args);

	*t = (struct conform_target){
		.nr	= CONFORM_MRS,
		.key	= c->answer.key,
		.addr	= c->answer.addr,
		.off	= CONFORM_TARGET,
		.len	= CONFORM_TARGET_BYTES,
	};
	return ret;
}

/**
 * conform_peer_inv() - let the server invalidate a target's key
 * @c: the client
 * @t: the target
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_inv(struct conform_client *c, const struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = { t->nr };

	return conform_ask(c, KRPING_CONFORM_INV, args);
}

/**
 * conform_peer_dereg() - let the server free a target's memory region
 * @c: the client
 * @t: the target
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_dereg(struct conform_client *c, const struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = { t->nr };

	return conform_ask(c, KRPING_CONFORM_DEREG, args);
}

/**
 * conform_peer_rereg() - let the server invalidate a target and register it, several times
 * @c: the client
 * @times: number of times, 1 to KRPING_CONFORM_TIMES; each registration has the next key
 * @t: the target, in which the function updates the key
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_rereg(struct conform_client *c, u32 times, struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = { t->nr, times };
	int ret = conform_ask(c, KRPING_CONFORM_REREG, args);

	t->key = c->answer.key;
	return ret;
}

/**
 * conform_peer_state() - let the server move its QP to a state
 * @c: the client
 * @state: IB_QPS_ERR or IB_QPS_RESET
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_state(struct conform_client *c, enum ib_qp_state state)
{
	const u32 args[KRPING_CONFORM_ARGS] = { state };

	return conform_ask(c, KRPING_CONFORM_STATE, args);
}

/**
 * conform_peer_access() - let the server set the remote access rights of its QP
 * @c: the client
 * @rights: KRPING_CONFORM_REMOTE_WRITE and the like
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_access(struct conform_client *c, u32 rights)
{
	const u32 args[KRPING_CONFORM_ARGS] = { rights };

	return conform_ask(c, KRPING_CONFORM_ACCESS, args);
}

/**
 * conform_peer_recv_at() - let the server post a RECV at an offset of its memory
 * @c: the client
 * @off: offset of the RECV's first byte in the server's memory
 * @len: number of bytes
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_recv_at(struct conform_client *c, u32 off, u32 len)
{
	const u32 args[KRPING_CONFORM_ARGS] = { off, len };

	return conform_ask(c, KRPING_CONFORM_RECV, args);
}

/**
 * conform_peer_recv() - let the server post a RECV at CONFORM_TARGET of its memory
 * @c: the client
 * @len: number of bytes of the RECV
 * @t: the memory region that the RECV uses; NULL: the local DMA lkey
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_recv(struct conform_client *c, u32 len, const struct conform_target *t)
{
	const u32 args[KRPING_CONFORM_ARGS] = { CONFORM_TARGET, len, t ? 1 + t->nr : 0 };

	return conform_ask(c, KRPING_CONFORM_RECV, args);
}

/**
 * conform_peer_srq_limit() - let the server arm the limit of its SRQ
 * @c: the client
 * @limit: when the SRQ has fewer RECVs, the device raises an event
 *
 * If the server is older and has no such step, or its device rejects the limit as not supported,
 * the case becomes unsupported.
 *
 * Return: 0 or a negative errno.
 */
int conform_peer_srq_limit(struct conform_client *c, u32 limit)
{
	const u32 args[KRPING_CONFORM_ARGS] = { limit };
	int ret = conform_ask(c, KRPING_CONFORM_SRQ_LIMIT, args);

	if (ret == -EOPNOTSUPP)
		c->seen->supported = false;
	return ret;
}

/**
 * conform_peer_trace() - let the server send the times and events of its last record
 * @c: the client; the function sets &conform_seen.peer_trace and &conform_seen.peer_traced
 *
 * Return: 0, also if the server is older and has no trace; or a negative errno.
 */
int conform_peer_trace(struct conform_client *c)
{
	int ret = conform_ask(c, KRPING_CONFORM_TRACE, NULL);

	c->seen->peer_traced = !ret;
	c->seen->peer_trace = c->trace;
	return ret == -EOPNOTSUPP ? 0 : ret;
}
