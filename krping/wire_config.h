/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The options that each side sends in its REQ or REP, and that the other side prints in
 * its result. As wire.h, this file also builds in user space.
 */
#ifndef KRPING_WIRE_CONFIG_H
#define KRPING_WIRE_CONFIG_H

#include <linux/build_bug.h>
#include <linux/types.h>
#include <asm/byteorder.h>

/* Version of the options. A receiver ignores options of another version. */
#define KRPING_WIRE_CONFIG_VERSION	1

/* Bits of the flags. */
#define KRPING_CONFIG_POLL	0x0001	/* the thread polls the CQ */
#define KRPING_CONFIG_WORKQUEUE	0x0002	/* a worker handles completions; else a softirq */
#define KRPING_CONFIG_REG	0x0004	/* advertised buffers are registered */
#define KRPING_CONFIG_LOCAL	0x0008	/* the sender's own WRs need the lkey of a buffer */
#define KRPING_CONFIG_LOCAL_REG	0x0010	/* this lkey is that of an MR; else the local DMA lkey */
#define KRPING_CONFIG_INLINE	0x0020	/* WRs have inline data */
#define KRPING_CONFIG_SRQ	0x0040	/* RECVs are posted to an SRQ */
#define KRPING_CONFIG_FLAGS	0x007f	/* all flags of this version */

/**
 * struct krping_wire_config - options of the sender, in REQ and REP
 * @version: KRPING_WIRE_CONFIG_VERSION; 0: no options, as an older krping sends zeros here
 * @sge: SGEs per operation, at least 1
 * @flags: KRPING_CONFIG_POLL and the like
 * @txdepth: maximum number of operations in flight, at least 1
 * @rate: operations per second of each connection; 0: no limit
 * @cqmod: signal every Nth WR; 0: the test chooses; 65535: 65535 or more
 * @batch: WRs per post; 0: the test has no batches; 65535: 65535 or more
 * @qps: connections per thread, at least 1
 * @threads: threads, at least 1
 */
struct krping_wire_config {
	u8 version;
	u8 sge;
	__be16 flags;
	__be32 txdepth;
	__be32 rate;
	__be16 cqmod;
	__be16 batch;
	__be16 qps;
	__be16 threads;
};

static_assert(sizeof(struct krping_wire_config) == 20);

/**
 * struct krping_config - options of one side, in host byte order
 * @known: the other members are valid
 * @sge: SGEs per operation
 * @flags: KRPING_CONFIG_POLL and the like
 * @txdepth: maximum number of operations in flight
 * @rate: operations per second of each connection; 0: no limit
 * @cqmod: signal every Nth WR; 0: the test chooses
 * @batch: WRs per post; 0: the test has no batches
 * @qps: connections per thread
 * @threads: threads
 */
struct krping_config {
	bool known;
	u8 sge;
	u16 flags;
	u32 txdepth;
	u32 rate;
	u32 cqmod;
	u32 batch;
	u16 qps;
	u16 threads;
};

void krping_wire_config_encode(struct krping_wire_config *wire,
			       const struct krping_config *in);
int krping_wire_config_decode(const struct krping_wire_config *wire,
			      struct krping_config *out);

#endif /* KRPING_WIRE_CONFIG_H */
