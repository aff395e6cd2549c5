/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Parameters of a REQ, and functions that decode and compare parameters, for tests of wire.h. */
#ifndef KRPING_UNIT_WIRE_PARAMS_H
#define KRPING_UNIT_WIRE_PARAMS_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/wire.h"

typedef int (*decode_fn)(const void *data, size_t len,
			 struct krping_params *out);

/* The bytes within each field differ, so that a test finds a wrong byte order. */
static const struct krping_params negotiated = {
	.test = KRPING_TEST_SBW,
	.flags = KRPING_WIRE_VALIDATE | KRPING_WIRE_DUPLEX | KRPING_WIRE_REPORT,
	.size = 0xf1f2f3f4,
	.count = 0x1112131415161718ULL,
	.session = 0xf1222324,
	.conn_idx = 0x0102,
	.conns_total = 0x0301,
	.recvs = 0xf1323334,
	.config = {
		.known = true, .sge = 0x41, .flags = 0x0055, .txdepth = 0xf1424344,
		.rate = 0xf1525354, .cqmod = 0xf162, .batch = 0xf172, .qps = 0x0182,
		.threads = 2,
	},
};

static bool same_config(const struct krping_config *a, const struct krping_config *b)
{
	return a->known == b->known && a->sge == b->sge && a->flags == b->flags &&
	       a->txdepth == b->txdepth && a->rate == b->rate && a->cqmod == b->cqmod &&
	       a->batch == b->batch && a->qps == b->qps && a->threads == b->threads;
}

/* Compare all parameters. */
static bool same(const struct krping_params *a,
		 const struct krping_params *b)
{
	return a->test == b->test && a->flags == b->flags &&
	       a->stride == b->stride && a->size == b->size &&
	       a->count == b->count && a->session == b->session &&
	       a->conn_idx == b->conn_idx && a->conns_total == b->conns_total &&
	       a->recvs == b->recvs && same_config(&a->config, &b->config);
}

/*
 * Decode from an unaligned buffer of exactly this length, so that the sanitizer reports an
 * access beyond its end.
 */
static int decode(decode_fn fn, const void *data, size_t len,
		  struct krping_params *out)
{
	u8 *copy = malloc(len + 1);
	int ret;

	if (!copy)
		abort();
	memcpy(copy + 1, data, len);
	ret = fn(copy + 1, len, out);
	free(copy);
	return ret;
}

#endif /* KRPING_UNIT_WIRE_PARAMS_H */
