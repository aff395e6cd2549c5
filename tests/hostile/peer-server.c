// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server listens, accepts or rejects its clients, and serves one test for each connection.
 */
#include <endian.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

static int server_reject(struct peer *p)
{
	struct rej rej = {
		.magic = htobe32(MAGIC),
		.version = VERSION,
		.reason = p->opt.number,
		.limit = htobe64(p->opt.number ? 4711 : 0),
	};
	size_t len = p->opt.number ? sizeof(rej) : 0;

	if (p->opt.fault == FAULT_REJ) {
		/* RoCE pads truncated private data with zeros. */
		len = strcmp(p->opt.word, "truncated") ? sizeof(rej) : 4;
		memset((uint8_t *)&rej + 4, 0xa5, sizeof(rej) - 4);
	}
	if (rdma_reject(p->id, len ? &rej : NULL, len))
		die("cannot reject: %m");
	say("rejected the client");
	return 0;
}

/* Accept the client. Return: true if the client is connected. */
static bool server_accept(struct peer *p, bool krping)
{
	const char *what = p->opt.fault == FAULT_REP ? p->opt.word : NULL;
	struct rdma_conn_param param;
	struct conn_params rep;
	size_t len = 0;

	if (krping && !p->opt.old)
		len = fill_params(p, &rep, what, REP_BYTES);
	fill_conn_param(p, &param, &rep, len);
	if (rdma_accept(p->id, &param))
		die("cannot accept: %m");
	if (!wait_for(p, is_established))
		die("the client did not finish connecting");
	if (!is_over(p))
		say("connected");
	return !is_over(p);
}

/* Serve the client of the connection request. Return: the exit status. */
static int serve_one(struct peer *p)
{
	bool krping = read_params(p, "request");
	int status;

	/* Only the connection of --conn-idx has the fault. With disk=, the others are correct. */
	if (p->opt.conns > 1 && p->conn_idx != p->opt.conn_idx) {
		if (p->opt.fault == FAULT_DISK)
			p->opt.word = strcmp(p->opt.word, "tail") ? "good" : "two";
		else
			p->opt.fault = FAULT_NONE;
		p->opt.stage = STAGE_NONE;
		p->bystander = true;
	}
	if (p->opt.fault == FAULT_REJECT || p->opt.fault == FAULT_REJ)
		return server_reject(p);
	if (fault_at(p, STAGE_REQUEST, 0, &status))
		return status;
	set_up_conn(p);
	if (!server_accept(p, krping))
		return p->opt.fault != FAULT_REP;
	if (p->test == TEST_SESSION)
		return regions_server(p);
	return p->test == TEST_PING ? server_loop(p) : bench_server(p);
}

static void *serve_thread(void *arg)
{
	struct peer *p = arg;

	p->status = serve_one(p);
	return NULL;
}

/* Serve the client of the connection request in a thread of its own. */
static struct peer *serve_in_thread(struct peer *listener)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		die("no memory");
	*p = *listener;
	p->channel = rdma_create_event_channel();
	if (!p->channel || rdma_migrate_id(p->id, p->channel))
		die("no event channel: %m");
	set_nonblocking(p->channel->fd);
	if (pthread_create(&p->thread, NULL, serve_thread, p))
		die("no thread");
	listener->requested = false;
	return p;
}

static int serve_all(struct peer *listener)
{
	struct peer *conn[CONNS_MAX];
	unsigned int i;
	int status = 0;

	for (i = 0; i < listener->opt.conns; i++) {
		if (i && !wait_for(listener, has_request))
			die("no connection number %u came", i);
		conn[i] = serve_in_thread(listener);
	}
	for (i = 0; i < listener->opt.conns; i++) {
		pthread_join(conn[i]->thread, NULL);
		/* The client of a bystander may disconnect before the first message. */
		if (!conn[i]->bystander)
			status |= conn[i]->status;
	}
	return status;
}

int run_server(struct peer *p)
{
	struct sockaddr_storage ss;

	if (rdma_create_id(p->channel, &p->listen_id, NULL, RDMA_PS_TCP))
		die("no id: %m");
	if (rdma_bind_addr(p->listen_id, sockaddr_of(&p->opt, &ss)) ||
	    rdma_listen(p->listen_id, CONNS_MAX))
		die("cannot listen: %m");
	say("listening");

	if (!wait_for(p, has_request))
		die("no client came");
	return p->opt.conns > 1 ? serve_all(p) : serve_one(p);
}
