// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * krping-peer: a client or server in user space that speaks krping's protocol, and misbehaves
 * on request. peer-wire.h does not use krping's definitions of the messages, because krping-peer
 * would then have the same mistakes as krping.
 */
#include <unistd.h>

#include "peer.h"

int main(int argc, char **argv)
{
	static struct peer peer = {
		.opt.count = 1,
		.opt.timeout_ms = 60000,
		.opt.posts = NR_RECV,
		.opt.rnr_retry = 7,
		.opt.reads = 1,
	};
	int status;

	parse_options(&peer.opt, argc, argv);
	alarm(LIMIT_SECONDS + peer.opt.timeout_ms / 1000);
	if (peer.opt.role == TCP)
		return run_tcp(&peer.opt);
	peer.size = peer.opt.size;
	peer.stride = peer.opt.stride;
	peer.count = peer.opt.count;
	peer.test = peer.opt.test;
	peer.flags = peer.opt.flags | (peer.opt.report ? FLAG_REPORT : 0);
	ibv_static_providers(NULL, &verbs_provider_rxe, &verbs_provider_siw, NULL);
	peer.channel = rdma_create_event_channel();
	if (!peer.channel)
		die("no event channel: %m");
	set_nonblocking(peer.channel->fd);

	if (peer.opt.role == SERVER)
		status = run_server(&peer);
	else if (peer.opt.flood)
		status = run_flood(&peer);
	else
		status = run_client(&peer);

	/* On exit the kernel disconnects and frees all resources. */
	say("exit %d", status);
	return status;
}
