// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Part of krping-peer: handle completions and events of the connection manager, and wait for both.
 */
#include <endian.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "peer.h"

/* Print krping's reason for the rejection. Return: the reason, or 0 for none. */
static uint8_t say_rejected(const struct peer *p)
{
	struct rej rej;

	memset(&rej, 0, sizeof(rej));
	if (p->private_len >= sizeof(rej))
		memcpy(&rej, p->private_data, sizeof(rej));
	if (be32toh(rej.magic) != MAGIC) {
		say("rejected without a reason");
		return 0;
	}
	say("rejected version=%u reason=%u limit=%" PRIu64, rej.version,
	    rej.reason, be64toh(rej.limit));
	return rej.reason;
}

static void keep_private_data(struct peer *p, struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	p->private_len = param->private_data ? param->private_data_len : 0;
	if (p->private_len)
		memcpy(p->private_data, param->private_data, p->private_len);
}

static void note_event(struct peer *p, struct rdma_cm_event *event)
{
	p->event = event->event;
	say("event %s status=%d", rdma_event_str(event->event), event->status);

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/* Ignore a request that arrives before the previous one is taken. */
		if (p->requested)
			break;
		p->id = event->id;
		p->requested = true;
		keep_private_data(p, event);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		p->established = true;
		p->answers++;
		p->accepted++;
		if (!p->listen_id)
			keep_private_data(p, event);
		break;
	case RDMA_CM_EVENT_REJECTED:
		p->rejected = true;
		p->answers++;
		keep_private_data(p, event);
		if (say_rejected(p) == REJ_BUSY)
			p->busy++;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		p->disconnected = true;
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		p->failed = true;
		p->answers++;
		break;
	default:
		break;
	}
}

void reap_events(struct peer *p)
{
	struct rdma_cm_event *event;

	while (!rdma_get_cm_event(p->channel, &event)) {
		note_event(p, event);
		rdma_ack_cm_event(event);
	}
}

void post_recv(struct peer *p, unsigned int i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(p->recv_buf + (size_t)i * p->recv_bytes),
		.length = p->recv_bytes,
		.lkey = p->recv_mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(p->qp, &wr, &bad))
		die("cannot post a RECV");
}

static void note_completion(struct peer *p, const struct ibv_wc *wc)
{
	unsigned int i = wc->wr_id;

	if (wc->status != IBV_WC_SUCCESS) {
		if (!p->wc_failed)
			say("completion failed: %s", ibv_wc_status_str(wc->status));
		p->wc_failed = true;
		return;
	}
	switch (wc->opcode) {
	case IBV_WC_RECV:
	case IBV_WC_RECV_RDMA_WITH_IMM:
		p->inbox[p->in_head % NR_RECV].len = wc->byte_len;
		p->inbox[p->in_head % NR_RECV].imm = wc->wc_flags & IBV_WC_WITH_IMM;
		if (wc->opcode == IBV_WC_RECV)
			memcpy(p->inbox[p->in_head % NR_RECV].data,
			       p->recv_buf + (size_t)i * p->recv_bytes,
			       p->recv_bytes);
		else
			memset(p->inbox[p->in_head % NR_RECV].data, 0,
			       p->recv_bytes);
		p->in_head++;
		/* If --posts is below NR_RECV, krping-peer posts each RECV only once. */
		if (p->opt.posts == NR_RECV)
			post_recv(p, i);
		break;
	case IBV_WC_SEND:
		p->sends_done++;
		break;
	default:
		p->rdma_done++;
		break;
	}
}

void reap_completions(struct peer *p)
{
	struct ibv_wc wc;

	while (p->cq && ibv_poll_cq(p->cq, 1, &wc) > 0)
		note_completion(p, &wc);
}

static void rearm(struct peer *p)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(p->comp, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(p->cq, 0))
		die("cannot arm the CQ");
}

/* Wait for @done. Return: false at the timeout. */
bool wait_for(struct peer *p, bool (*done)(const struct peer *p))
{
	int64_t end = now_ms() + p->opt.timeout_ms;
	struct pollfd fds[2];

	for (;;) {
		int64_t left;

		reap_completions(p);
		if (done(p))
			return true;
		reap_events(p);
		/* Reap messages that have arrived before the disconnect event. */
		reap_completions(p);
		if (done(p))
			return true;
		left = end - now_ms();
		if (left <= 0)
			return false;

		fds[0] = (struct pollfd) { p->channel->fd, POLLIN, 0 };
		fds[1] = (struct pollfd) { p->comp ? p->comp->fd : -1, POLLIN, 0 };
		poll(fds, 2, left < TICK_MS ? left : TICK_MS);
		if (fds[1].revents)
			rearm(p);
	}
}

bool is_over(const struct peer *p)
{
	return p->disconnected || p->rejected || p->failed;
}

bool has_request(const struct peer *p)
{
	return p->requested;
}

/*
 * Check whether a CM event has ended the resolution of the address or of the route. The caller
 * starts the resolution with p->event set to -1.
 */
bool is_resolved(const struct peer *p)
{
	return p->event >= 0 || is_over(p);
}

bool is_established(const struct peer *p)
{
	/* The first message may arrive before the event ESTABLISHED. */
	return p->established || p->in_head != p->in_tail || is_over(p);
}

/* Check whether the connection manager has reported that the connection is up or over. */
bool has_cm_word(const struct peer *p)
{
	return p->established || is_over(p);
}

bool has_message(const struct peer *p)
{
	return p->in_head != p->in_tail || is_over(p) || p->wc_failed;
}

bool all_sent(const struct peer *p)
{
	return p->sends_done == p->sends_posted || is_over(p) || p->wc_failed;
}

/*
 * Check whether the send queue has room. bench_burst() counts its WRITEs in sends_posted, and
 * note_completion() counts their completions in rdma_done.
 */
bool has_room(const struct peer *p)
{
	return p->sends_posted - p->sends_done - p->rdma_done < SQ_DEPTH - 1 ||
	       is_over(p) || p->wc_failed;
}

bool rdma_is_done(const struct peer *p)
{
	return p->rdma_done || is_over(p) || p->wc_failed;
}

/* Wait for the end of the connection. With --leave, disconnect first. Return: the exit status. */
int await_end(struct peer *p)
{
	if (p->opt.leave) {
		wait_for(p, all_sent);
		rdma_disconnect(p->id);
	}
	if (wait_for(p, is_over)) {
		say("ended by the peer");
		return 0;
	}
	say("error: the peer did not end the connection");
	return 1;
}
