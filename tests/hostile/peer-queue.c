// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Allocate memory and queues of a connection, post work requests, and receive messages.
 */
#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static struct ibv_mr *register_memory(struct peer *p, void *buf, size_t len)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr;

	/* Only for a test with atomics, because iWARP devices reject this right. */
	if (p->flags & FLAG_ATOMIC)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	mr = ibv_reg_mr(p->pd, buf, len, access);
	if (!mr)
		die("cannot register memory: %m");
	return mr;
}

void *alloc_zeroed(size_t len)
{
	void *buf;

	if (posix_memalign(&buf, 4096, len))
		die("no memory");
	memset(buf, 0, len);
	return buf;
}

/* Return a key that no MR has. Its upper bits, by which a device finds the MR, are not @key's. */
uint32_t wrong_key(uint32_t key)
{
	return key ^ 0x5a5a00;
}

void set_nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Create PD, CQ and QP. The CQ has room for all completions of the SQ and of the RQ. */
void set_up_queue(struct peer *p)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = SQ_DEPTH,
			.max_recv_wr = NR_RECV,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_context *verbs = p->id->verbs;

	p->pd = ibv_alloc_pd(verbs);
	p->comp = ibv_create_comp_channel(verbs);
	if (!p->pd || !p->comp)
		die("cannot allocate a PD: %m");
	set_nonblocking(p->comp->fd);
	p->cq = ibv_create_cq(verbs, 2 * SQ_DEPTH, NULL, p->comp, 0);
	if (!p->cq || ibv_req_notify_cq(p->cq, 0))
		die("cannot create a CQ: %m");
	attr.send_cq = p->cq;
	attr.recv_cq = p->cq;
	if (rdma_create_qp(p->id, p->pd, &attr))
		die("cannot create a QP: %m");
	p->qp = p->id->qp;
}

/* Create the QP, allocate and register the buffers, and post the RECVs. */
void set_up_conn(struct peer *p)
{
	unsigned int i;

	set_up_queue(p);
	p->recv_bytes = RECV_BYTES;
	if ((p->test == TEST_SLAT || p->test == TEST_SBW) && p->size > RECV_BYTES)
		p->recv_bytes = p->size;
	p->send_buf = alloc_zeroed(SQ_DEPTH * RECV_BYTES);
	p->recv_buf = alloc_zeroed((size_t)NR_RECV * p->recv_bytes);
	for (i = 0; i < NR_RECV; i++)
		p->inbox[i].data = alloc_zeroed(p->recv_bytes);
	p->source = alloc_zeroed(buffer_bytes(p));
	p->sink = alloc_zeroed(buffer_bytes(p));
	p->before = alloc_zeroed(p->size);
	p->send_mr = register_memory(p, p->send_buf, SQ_DEPTH * RECV_BYTES);
	p->recv_mr = register_memory(p, p->recv_buf, (size_t)NR_RECV * p->recv_bytes);
	p->source_mr = register_memory(p, p->source, buffer_bytes(p));
	p->sink_mr = register_memory(p, p->sink, buffer_bytes(p));
	for (i = 0; i < p->opt.posts; i++)
		post_recv(p, i);
}

void post_send(struct peer *p, struct ibv_send_wr *wr, struct ibv_sge *sge)
{
	struct ibv_send_wr *bad;
	int ret;

	wr->sg_list = sge;
	wr->num_sge = sge->length ? 1 : 0;
	wr->send_flags |= IBV_SEND_SIGNALED;
	ret = ibv_post_send(p->qp, wr, &bad);
	/* A lost connection is no error here, because the next wait reports the loss. */
	if (ret)
		say("posting failed: %s", strerror(ret));
}

/* SEND @len bytes: @data_len bytes of @data, then zeros. With @inv, the SEND invalidates @key. */
void send_data(struct peer *p, const void *data, size_t data_len, uint32_t len, bool inv,
	       uint32_t key)
{
	uint8_t *buf = p->send_buf + p->sends_posted % SQ_DEPTH * RECV_BYTES;
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf,
		.length = len,
		.lkey = p->send_mr->lkey,
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	memset(buf, 0, RECV_BYTES);
	memcpy(buf, data, data_len);
	if (inv) {
		wr.opcode = IBV_WR_SEND_WITH_INV;
		wr.invalidate_rkey = key;
		/* siw's provider reads the key from here (rdma-core 44). */
		wr.wr.rdma.rkey = key;
	}
	p->sends_posted++;
	post_send(p, &wr, &sge);
}

/* SEND a message, cut or filled up to @len bytes. */
void send_msg(struct peer *p, const struct msg *msg, uint32_t len, bool inv,
	      uint32_t key)
{
	send_data(p, msg, sizeof(*msg), len, inv, key);
}

/* Wait until the send queue has room. Return: false if the connection has ended. */
bool wait_for_room(struct peer *p)
{
	return wait_for(p, has_room) && !is_over(p) && !p->wc_failed;
}

/* SEND as many messages as the fault's operand requests, without waiting for answers. */
void send_burst(struct peer *p, const struct msg *msg, uint32_t len)
{
	uint64_t i;

	p->rdma_done = 0;
	for (i = 0; i < p->opt.number && wait_for_room(p); i++)
		send_msg(p, msg, len, false, 0);
}

/* SEND the first @len bytes of the source. Here @len may exceed RECV_BYTES. */
void post_long_send(struct peer *p, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = len,
		.lkey = p->source_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = p->flags & FLAG_IMM ? IBV_WR_SEND_WITH_IMM :
						IBV_WR_SEND,
	};

	p->sends_posted++;
	post_send(p, &wr, &sge);
}

/* READ the extent @e of the advertised buffer into the source, or WRITE it from the source. */
bool rdma_at(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	     const struct extent *e)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = e->len,
		.lkey = p->source_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma.remote_addr = be64toh(advert->addr) + e->off,
		.wr.rdma.rkey = be32toh(advert->rkey),
	};

	p->rdma_done = 0;
	post_send(p, &wr, &sge);
	if (!wait_for(p, rdma_is_done))
		say("error: no completion");
	return p->rdma_done;
}

/* READ or WRITE the first @len bytes of the advertised buffer. */
bool rdma_all(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	      uint32_t len)
{
	const struct extent all = { .len = len };

	return rdma_at(p, opcode, advert, &all);
}

/* Wait for a message. Return: 1; 0 at the end of the connection; -1 at the timeout. */
int receive_data(struct peer *p, uint8_t data[RECV_BYTES], uint32_t *len)
{
	if (!wait_for(p, has_message)) {
		say("error: the peer is silent");
		return -1;
	}
	if (p->in_head == p->in_tail) {
		if (!wait_for(p, is_over))
			say("error: neither a message nor a disconnect has arrived");
		return p->disconnected ? 0 : -1;
	}
	memcpy(data, p->inbox[p->in_tail % NR_RECV].data, RECV_BYTES);
	p->message = p->inbox[p->in_tail % NR_RECV].data;
	p->message_imm = p->inbox[p->in_tail % NR_RECV].imm;
	*len = p->inbox[p->in_tail % NR_RECV].len;
	p->in_tail++;
	return 1;
}

int receive_msg(struct peer *p, struct msg *msg, uint32_t *len)
{
	uint8_t data[RECV_BYTES];
	int ret = receive_data(p, data, len);

	if (ret > 0)
		memcpy(msg, data, sizeof(*msg));
	return ret;
}
