// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Clients that run no test: run_flood() sends many connection requests at once, and
 * run_tcp() makes TCP connections and resets each of them at once.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "peer.h"

/* Resolve all ids first, so that the connection requests leave at once. */
static void flood_connect(struct peer *p, struct rdma_cm_id **ids)
{
	struct rdma_conn_param param;
	struct conn_params req;
	unsigned int i;

	fill_conn_param(p, &param, &req,
			p->opt.old ? 0 : fill_params(p, &req, NULL, REQ_BYTES));
	for (i = 0; i < p->opt.flood; i++) {
		if (rdma_create_id(p->channel, &ids[i], NULL, RDMA_PS_TCP))
			die("no id: %m");
		p->id = ids[i];
		client_resolve(p, p->id);
		/* iWARP needs a QP to connect. */
		set_up_queue(p);
	}
	for (i = 0; i < p->opt.flood; i++)
		if (rdma_connect(ids[i], &param))
			die("cannot connect: %m");
}

static bool all_answered(const struct peer *p)
{
	return p->answers == p->opt.flood;
}

int run_flood(struct peer *p)
{
	struct rdma_cm_id *ids[FLOOD_MAX];

	flood_connect(p, ids);
	wait_for(p, all_answered);
	say("flood=%u answers=%u busy=%u accepted=%u", p->opt.flood, p->answers,
	    p->busy, p->accepted);
	return p->accepted != p->opt.accepted ||
	       p->busy + p->accepted != p->opt.flood;
}

int run_tcp(const struct options *opt)
{
	const struct linger reset = { .l_onoff = 1 };
	struct sockaddr_storage ss;
	unsigned int done = 0;
	unsigned int i;

	sockaddr_of(opt, &ss);
	for (i = 0; i < opt->flood; i++) {
		int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			die("no socket: %m");
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		done += !connect(fd, (struct sockaddr *)&ss, sizeof(ss));
		close(fd);
	}
	say("tcp=%u connected=%u", opt->flood, done);
	return done != opt->flood;
}
