// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fill in and read the private data of REQ and REP, which has the parameters of a test.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/*
 * Fill in the sender's options (struct krping_wire_config), each with another value than its
 * default, and then change them as @what requests.
 */
static size_t fill_config(struct conn_params *params, const char *what, size_t len)
{
	static const uint8_t config[20] = {
		1, 3, 0, 0x65, 0, 0, 0, OPTIONS_DEPTH, 0, 0, 0, 44, 0, 5, 0, 6, 0, 7, 0, 8
	};
	bool req = len == REQ_BYTES;
	uint8_t *to = req ? params->req.config : params->rep.config;

	memcpy(to, config, sizeof(config));
	if (!strcmp(what, "options-later"))
		to[0]++;
	else if (!strcmp(what, "options-flag"))
		to[2] = 0x80;
	else if (!strcmp(what, "options-deep"))
		memset(to + 4, 0xff, 4);
	else if (!strcmp(what, "options-zero"))
		memset(to + 4, 0, 4);
	else if (!strcmp(what, "options-many"))
		memset(to + 16, 0xff, 4);
	else if (strcmp(what, "options"))
		die("what options are %s?", what);
	return len + (req ? REQ_MORE : REP_MORE);
}

size_t fill_params(const struct peer *p, struct conn_params *params, const char *what,
		   size_t len)
{
	memset(params, 0, sizeof(*params));
	params->magic = htobe32(MAGIC);
	params->version = VERSION;
	params->stride = htobe32(p->stride);
	params->size = htobe32(p->size);
	params->count = htobe64(p->count);
	params->test = p->test;
	params->flags = htobe16(p->flags);
	if (len == REQ_BYTES) {
		params->req.session = htobe32(p->opt.session);
		params->req.conn_idx = htobe16(p->opt.conn_idx);
		params->req.conns_total = htobe16(p->opt.conns_total);
		params->req.recvs = htobe32(p->opt.recvs);
	} else {
		params->rep.recvs = htobe32(p->opt.recvs);
	}
	if (!what && p->opt.config)
		return fill_config(params, p->opt.config, len);
	if (!what)
		return len;

	if (!strcmp(what, "garbage"))
		memset((uint8_t *)params + sizeof(params->magic), 0xa5,
		       len - sizeof(params->magic));
	else if (!strncmp(what, "options", 7))
		return fill_config(params, what, len);
	else if (!strcmp(what, "magic"))
		return sizeof(params->magic);
	else if (!strcmp(what, "truncated"))
		memset(&params->version + 1, 0, len - sizeof(params->magic) - 1);
	else if (!strcmp(what, "short"))
		return len / 2;
	else if (!strcmp(what, "version"))
		params->version = VERSION + 1;
	else if (!strcmp(what, "test"))
		params->test = 0x7f;
	else if (!strcmp(what, "flags"))
		params->flags = htobe16(0x8000);
	else if (!strcmp(what, "no-flags"))
		params->flags = 0;
	else if (!strcmp(what, "count"))
		params->count = htobe64(p->count + 1);
	else if (!strcmp(what, "zero"))
		params->size = 0;
	else if (!strcmp(what, "size"))
		params->size = htobe32(p->size + 1);
	else if (!strcmp(what, "stride"))
		params->stride = htobe32(p->stride + 1);
	else if (!strcmp(what, "no-stride"))
		params->stride = 0;
	else if (!strcmp(what, "large"))
		params->size = htobe32(UINT32_MAX);
	else if (!strcmp(what, "huge"))
		params->stride = htobe32(1 << 8);
	else
		die("what private data is %s?", what);
	return len;
}

/*
 * Adopt the parameters in krping's private data. Return: false if there is no such data, or if a
 * reply has flags that the request did not have.
 */
bool read_params(struct peer *p, const char *what)
{
	bool reply = !p->listen_id;
	struct conn_params params;
	uint32_t depth;

	memset(&params, 0, sizeof(params));
	memcpy(&params, p->private_data,
	       p->private_len < sizeof(params) ? p->private_len : sizeof(params));
	if (be32toh(params.magic) != MAGIC) {
		say("%s without krping's private data", what);
		return false;
	}
	say("%s version=%u test=%u flags=0x%04x stride=%u size=%u count=%" PRIu64,
	    what, params.version, params.test, be16toh(params.flags), be32toh(params.stride),
	    be32toh(params.size), be64toh(params.count));
	if (be32toh(params.size) > SIZE_MAX_TOTAL)
		die("the size exceeds SIZE_MAX_TOTAL");
	if (reply && be16toh(params.flags) & ~p->flags) {
		say("error: the reply has flags that the request did not have: 0x%04x",
		    be16toh(params.flags) & ~p->flags);
		return false;
	}
	p->stride = be32toh(params.stride);
	p->size = be32toh(params.size);
	p->count = be64toh(params.count);
	p->test = params.test;
	p->flags = be16toh(params.flags);
	/* This side reports on a ping only with --report. */
	if (p->test == TEST_PING && !p->opt.report)
		p->flags &= ~FLAG_REPORT;
	p->server_inv = p->flags & FLAG_SERVER_INV;
	if (!reply) {
		memcpy(&depth, params.req.config + CONFIG_DEPTH, sizeof(depth));
		p->depth = be32toh(depth);
	}
	p->recvs = be32toh(reply ? params.rep.recvs : params.req.recvs);
	p->conn_idx = reply ? 0 : be16toh(params.req.conn_idx);
	return true;
}

void fill_conn_param(const struct peer *p, struct rdma_conn_param *param,
		     const void *data, size_t len)
{
	memset(param, 0, sizeof(*param));
	param->responder_resources = p->opt.reads;
	param->initiator_depth = p->opt.reads;
	param->retry_count = 7;
	param->rnr_retry_count = p->opt.rnr_retry;
	param->private_data = len ? data : NULL;
	param->private_data_len = len;
}

/* Parse the address by inet_pton(), because getaddrinfo() does not work in a static program. */
struct sockaddr *sockaddr_of(const struct options *opt, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, opt->addr, &sin->sin_addr) == 1) {
		sin->sin_family = AF_INET;
		sin->sin_port = htons(opt->port);
	} else if (inet_pton(AF_INET6, opt->addr, &sin6->sin6_addr) == 1) {
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = htons(opt->port);
	} else {
		die("%s is no address", opt->addr);
	}
	return (struct sockaddr *)ss;
}
