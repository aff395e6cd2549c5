// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client of krping-peer: connect to a server of krping, and run one test, with the fault that
 * the options request.
 */
#include <string.h>

#include "peer.h"

/* Resolve the address and the route of @id. */
void client_resolve(struct peer *p, struct rdma_cm_id *id)
{
	struct sockaddr_storage ss;

	p->event = -1;
	if (rdma_resolve_addr(id, NULL, sockaddr_of(&p->opt, &ss), p->opt.timeout_ms))
		die("cannot resolve the address: %m");
	if (!wait_for(p, is_resolved) || is_over(p))
		die("cannot resolve the address");
	p->event = -1;
	if (rdma_resolve_route(id, p->opt.timeout_ms))
		die("cannot resolve the route: %m");
	if (!wait_for(p, is_resolved) || is_over(p))
		die("cannot resolve the route");
}

/*
 * Connect to the server, without private data if the client pretends to be an old krping. With
 * FAULT_REQ the private data is wrong in the way that the option's word names.
 */
static void client_connect(struct peer *p)
{
	const char *what = p->opt.fault == FAULT_REQ ? p->opt.word : NULL;
	struct rdma_conn_param param;
	struct conn_params req;
	size_t len = 0;
	int status;

	if (!p->opt.old)
		len = fill_params(p, &req, what, REQ_BYTES);
	fill_conn_param(p, &param, &req, len);
	if (rdma_connect(p->id, &param))
		die("cannot connect: %m");
	fault_at(p, STAGE_REQUEST, 0, &status);
	if (!wait_for(p, is_established))
		die("the server does not answer");
}

/* Run the client, and return the exit status of the program. */
int run_client(struct peer *p)
{
	if (rdma_create_id(p->channel, &p->id, NULL, RDMA_PS_TCP))
		die("no id: %m");
	client_resolve(p, p->id);
	set_up_conn(p);
	client_connect(p);
	if (p->rejected)
		return p->opt.fault != FAULT_REQ;
	if (is_over(p))
		return 1;
	say("connected");
	if (!read_params(p, "reply") != p->opt.old) {
		say("error: %s", p->opt.old ? "the reply has krping's private data" :
		    "the reply has no valid private data of krping");
		return 1;
	}
	if (p->opt.report && !(p->flags & FLAG_REPORT)) {
		say("error: the server does not report");
		return 1;
	}
	if (p->opt.fault == FAULT_REQ) {
		say("error: the server has accepted the invalid request");
		return 1;
	}
	if (p->test == TEST_KRDMA)
		return krdma_client(p);
	if (p->test == TEST_SESSION)
		return session_client(p);
	return p->test == TEST_PING ? client_loop(p) : bench_client(p);
}
