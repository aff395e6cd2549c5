// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The regions that a session accesses: the client's own region, and regions that other
 * clients have opened.
 *
 * Before each operation on another client's region the session asks the server for the region,
 * because the owner may have closed it, and a READ or WRITE with an invalid key would end the
 * session. The answer has the serial number of the region's registration. If the session knows keys
 * with this serial number, they are still valid. An operation with the option "unchecked" uses the
 * keys that the session knows, and does not ask the server.
 *
 * The session does not trust the server, and checks each answer before using it.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "session_region.h"
#include "wait.h"
#include "wr.h"

/* A verdict is a server's reason to refuse a request: the errno and the text for each. */
static const struct {
	int error;
	const char *why;
} krping_verdicts[KRPING_VERDICT_COUNT] = {
	[KRPING_VERDICT_UNKNOWN] = {
		-EOPNOTSUPP, "the server does not know this request" },
	[KRPING_VERDICT_NO_REGION] = {
		-ESRCH, "no open region has this id: there is none, or its owner has closed it" },
	[KRPING_VERDICT_OWN] = {
		-EINVAL, "the region is this client's own; leave out region=" },
	[KRPING_VERDICT_SHARED] = {
		-EOPNOTSUPP, "a server with 'shared' has one region for all clients" },
	[KRPING_VERDICT_OPEN] = {
		-EEXIST, "the region is open already; close it first" },
	[KRPING_VERDICT_CLOSED] = {
		-EINVAL, "the region is not open" },
	[KRPING_VERDICT_LIMIT] = {
		-EMFILE, "this client uses as many regions of other clients as it may" },
	[KRPING_VERDICT_MEMORY] = {
		-ENOMEM, "the server is out of memory or MRs for this region" },
};

/*
 * Lists of pieces.
 */

/* READ the list of pieces, in parts that fit into the session's buffer, and add them to @r. */
static int krping_session_read_list(struct krping_client_session *s, struct krping_region *r,
				    const struct krping_advert *list)
{
	u32 done, len;
	int ret;

	for (done = 0; done < list->size; done += len) {
		len = min_t(u32, list->size - done, KRPING_MEMOP_MAX);
		ret = krping_session_read(s, list->addr + done, list->rkey, len);
		if (ret)
			return krping_session_failed(s, ret,
						     "while this side read the list of pieces");
		ret = krping_region_add(r, sg_virt(s->buf.sgl),
					len / sizeof(struct krping_wire_msg));
		krping_buf_for_device(&s->buf);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * krping_session_read_region() - READ the list of a region's pieces
 * @s: the session
 * @r: the region, in which the caller has set the size; krping_session_free_regions() frees
 *	the pieces
 * @list: address, key and length of the list, unchecked
 *
 * Context: the session's thread.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_session_read_region(struct krping_client_session *s, struct krping_region *r,
			       const struct krping_advert *list)
{
	struct krping_status *status = s->thread->status;
	int ret = krping_region_count(r, list->size);

	if (ret > 0) {
		r->nr_known = 0;
		r->nr_pieces = ret;
		r->pieces = kvcalloc(ret, sizeof(*r->pieces), GFP_KERNEL);
		if (!r->pieces)
			return krping_status_set(status, -ENOMEM,
						 "no memory for %d piece%s of the region", ret,
						 krping_plural(ret));
		ret = krping_session_read_list(s, r, list);
	}
	if (ret == -EPROTO)
		return krping_status_set(status, -EPROTO,
					 "the server's region of %llu byte%s has a wrong list of %u byte%s",
					 r->size, krping_plural(r->size), list->size,
					 krping_plural(list->size));
	return ret;
}

/**
 * krping_session_free_regions() - free the lists of pieces of all regions
 * @s: the session
 */
void krping_session_free_regions(struct krping_client_session *s)
{
	u32 i;

	kvfree(s->region.pieces);
	for (i = 0; i < KRPING_SESSION_FAR_MAX; i++)
		kvfree(s->far[i].region.pieces);
}

/*
 * Requests and answers.
 */

/**
 * krping_session_answer() - store the answer to a request
 * @s: the session
 * @wire: the message, unchecked
 *
 * Context: the CQ's context.
 */
void krping_session_answer(struct krping_client_session *s,
			   const struct krping_wire_answer *wire)
{
	struct krping_answer *a = &s->answer;

	if (!READ_ONCE(s->asking)) {
		krping_status_set(s->thread->status, -EPROTO,
				  "the server sent an answer without a request");
		return;
	}
	WRITE_ONCE(s->asking, false);
	a->size = be64_to_cpu(wire->ctl.value);
	krping_wire_msg_decode(&wire->list, &a->list);
	a->verdict = be32_to_cpu(wire->verdict);
	a->rights = be32_to_cpu(wire->rights);
	a->id = be32_to_cpu(wire->id);
	a->serial = be32_to_cpu(wire->serial);
	/* pairs with krping_session_answered() */
	smp_store_release(&s->answered, true);
	wake_up_all(&s->thread->status->wait);
}

static bool krping_session_answered(void *arg)
{
	struct krping_client_session *s = arg;

	/* pairs with krping_session_answer() */
	return smp_load_acquire(&s->answered);
}

/*
 * Send a request and wait for the answer. If the server refuses, end @op, but not the session, and
 * return 0.
 */
static int krping_session_ask(struct krping_client_session *s, struct krping_memop *op,
			      enum krping_ask what, u32 rights)
{
	struct krping_queue *q = &s->conn->queue;
	struct ib_send_wr *wr;
	u32 verdict;
	int ret;

	wr = krping_ctlmsg_ask(&s->control, what, op->region, rights);
	s->answered = false;
	WRITE_ONCE(s->asking, true);
	krping_queue_prepare(q, wr);
	ret = krping_queue_submit(q, wr);
	if (!ret || ret == -ENOTCONN)
		ret = krping_wait(q->cq, krping_session_answered, s, s->thread->opts.timeout);
	if (ret)
		return krping_session_broken(s, op, ret, "while the server prepared its answer");
	verdict = s->answer.verdict;
	if (!verdict)
		return 0;
	if (verdict >= KRPING_VERDICT_COUNT)
		verdict = KRPING_VERDICT_UNKNOWN;
	krping_memop_end(op, krping_verdicts[verdict].error, krping_verdicts[verdict].why);
	return 0;
}

/*
 * Regions of other clients.
 */

/* Find another client's region, if the session knows its keys. */
static struct krping_session_far *krping_session_far(struct krping_client_session *s, u32 id)
{
	u32 i;

	for (i = 0; i < KRPING_SESSION_FAR_MAX; i++)
		if (s->far[i].id == id)
			return &s->far[i];
	return NULL;
}

/* Forget the keys of another client's region. */
static void krping_session_forget(struct krping_session_far *far)
{
	kvfree(far->region.pieces);
	memset(far, 0, sizeof(*far));
}

/* Store the region of an answer in @far, unless the session already knows its keys. */
static int krping_session_learn(struct krping_client_session *s, struct krping_memop *op,
				struct krping_session_far *far)
{
	const struct krping_answer *a = &s->answer;
	int ret;

	if (a->id != op->region) {
		ret = krping_status_set(s->thread->status, -EPROTO,
					"the server answered for region %u instead of region %u",
					a->id, op->region);
		return krping_session_broken(s, op, ret, "while the server prepared its answer");
	}
	if (far->id == op->region && far->serial == a->serial)
		return 0;
	krping_session_forget(far);
	far->region.size = a->size;
	far->region.writable = a->rights & KRPING_REGION_WRITE;
	ret = krping_session_read_region(s, &far->region, &a->list);
	if (ret) {
		krping_session_forget(far);
		return krping_session_broken(s, op, ret, "while this side read the list of pieces");
	}
	far->id = op->region;
	far->serial = a->serial;
	return 0;
}

/**
 * krping_session_find_region() - find the region of an operation
 * @s: the session
 * @op: a PUT or GET, which this function ends if the server refuses the region
 * @r: set to the region; unchanged if @op has ended
 *
 * Context: the session's thread. If the session knows the keys of the region, an operation with
 * the option unchecked uses them, and the function does not ask the server.
 *
 * Return: 0; or a negative errno, in which case @op has ended and the status has the reason.
 */
int krping_session_find_region(struct krping_client_session *s, struct krping_memop *op,
			       const struct krping_region **r)
{
	struct krping_session_far *far = krping_session_far(s, op->region);
	int ret;

	if (!far || !op->unchecked) {
		ret = krping_session_ask(s, op, KRPING_ASK_REGION, 0);
		if (ret || krping_memop_ended(op))
			return ret;
		if (!far)
			far = &s->far[s->next_far++ % KRPING_SESSION_FAR_MAX];
		ret = krping_session_learn(s, op, far);
		if (ret)
			return ret;
	}
	*r = &far->region;
	return 0;
}

/*
 * The commands open, close and regions.
 */

/* READ the list of open regions into the data of the operation. */
static int krping_session_read_open(struct krping_client_session *s, struct krping_memop *op)
{
	const struct krping_advert *list = &s->answer.list;
	int ret;

	if (list->size > KRPING_MEMOP_MAX || !s->answer.size != !list->size ||
	    list->size % sizeof(struct krping_wire_open_region))
		ret = krping_status_set(s->thread->status, -EPROTO,
					"the server's list of %llu open region%s has %u byte%s",
					s->answer.size, krping_plural(s->answer.size), list->size,
					krping_plural(list->size));
	else
		ret = list->size ? krping_session_read(s, list->addr, list->rkey, list->size) : 0;
	if (ret)
		return krping_session_broken(s, op, ret,
					     "while this side read the list of regions");
	if (list->size) {
		memcpy(op->data, sg_virt(s->buf.sgl), list->size);
		krping_buf_for_device(&s->buf);
	}
	op->len = list->size;
	return 0;
}

/* Store the client's own region as the result of the command open. */
static void krping_session_opened(struct krping_client_session *s, struct krping_memop *op)
{
	struct krping_wire_open_region *own = (void *)op->data;
	const struct sockaddr_in6 *in6 = (const void *)&s->conn->local;
	const struct sockaddr_in *in = (const void *)&s->conn->local;
	bool v6 = s->conn->local.ss_family == AF_INET6;
	struct in6_addr ip;

	own->id = cpu_to_be32(s->answer.id);
	own->rights = cpu_to_be32(s->answer.rights);
	own->size = cpu_to_be64(s->answer.size);
	own->port = v6 ? in6->sin6_port : in->sin_port;
	if (v6)
		ip = in6->sin6_addr;
	else
		ipv6_addr_set_v4mapped(in->sin_addr.s_addr, &ip);
	memcpy(own->ip, &ip, sizeof(own->ip));
	op->len = sizeof(*own);
}

/**
 * krping_session_manage() - carry out the command open, close or regions
 * @s: the session
 * @op: the operation, which this function ends
 *
 * Context: the session's thread.
 *
 * Return: 0, also if the server has refused the request; else a negative errno, and the status
 * has the reason.
 */
int krping_session_manage(struct krping_client_session *s, struct krping_memop *op)
{
	int ret;

	if (op->type == KRPING_MEMOP_OPEN)
		ret = krping_session_ask(s, op, KRPING_ASK_OPEN,
					 op->rw ? KRPING_REGION_WRITE : 0);
	else if (op->type == KRPING_MEMOP_CLOSE)
		ret = krping_session_ask(s, op, KRPING_ASK_CLOSE, 0);
	else
		ret = krping_session_ask(s, op, KRPING_ASK_REGIONS, 0);
	if (ret || krping_memop_ended(op))
		return ret;
	if (op->type == KRPING_MEMOP_OPEN)
		krping_session_opened(s, op);
	else if (op->type == KRPING_MEMOP_REGIONS)
		ret = krping_session_read_open(s, op);
	if (!ret)
		krping_memop_end(op, 0, NULL);
	return ret;
}
