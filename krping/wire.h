/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What krping puts on the wire: the 16-byte message of the ping/pong loop and
 * the private data of the connection manager's REQ, REP and REJ. Everything is
 * big-endian and naturally aligned, so no structure needs to be packed.
 *
 * The functions take private data from anywhere, unaligned and untrusted. They
 * depend on no RDMA type and also build in user space for the tests.
 */
#ifndef KRPING_WIRE_H
#define KRPING_WIRE_H

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#define KRPING_WIRE_MAGIC	0x6b727067	/* "krpg" */
#define KRPING_WIRE_VERSION	1

/* What the smallest REQ, that of RDMA/CM over InfiniBand, leaves to us. */
#define KRPING_WIRE_PRIVATE_MAX	56

/**
 * enum krping_test_type - the kinds of test
 * @KRPING_TEST_PING: the ping/pong loop with READ and WRITE
 * @KRPING_TEST_WLAT: latency of RDMA WRITE
 * @KRPING_TEST_RLAT: latency of RDMA READ
 * @KRPING_TEST_SLAT: latency of SEND
 * @KRPING_TEST_BW: throughput of RDMA WRITE
 * @KRPING_TEST_RBW: throughput of RDMA READ
 * @KRPING_TEST_SBW: throughput of SEND
 * @KRPING_TEST_FR: fast-register and invalidate cycles
 * @KRPING_TEST_COUNT: number of tests, itself not one
 *
 * The values go on the wire and never change; new tests are added at the end.
 */
enum krping_test_type {
	KRPING_TEST_PING = 0,
	KRPING_TEST_WLAT = 1,
	KRPING_TEST_RLAT = 2,
	KRPING_TEST_SLAT = 3,
	KRPING_TEST_BW = 4,
	KRPING_TEST_RBW = 5,
	KRPING_TEST_SBW = 6,
	KRPING_TEST_FR = 7,
	KRPING_TEST_COUNT
};

/* Bits of the flags in the private data, and of krping_agreement.flags. */
#define KRPING_WIRE_VALIDATE	0x0001	/* the data is compared each time */
#define KRPING_WIRE_SERVER_INV	0x0002	/* SEND_WITH_INV by the server */
#define KRPING_WIRE_READ_INV	0x0004	/* READ_WITH_INV by the server */
#define KRPING_WIRE_DUPLEX	0x0008	/* both directions at once */
#define KRPING_WIRE_FLAGS	0x000f	/* all that this version knows */

/**
 * enum krping_rej_reason - why a server turned a client away
 * @KRPING_REJ_BUSY: it serves as many clients as it was told to
 * @KRPING_REJ_VERSION: it does not speak the client's version; the limit is
 *	the highest version that it speaks
 * @KRPING_REJ_MALFORMED: it could not make sense of the private data
 * @KRPING_REJ_TEST: it runs another test; the limit is that test's number
 * @KRPING_REJ_SIZE: the size is too large; the limit is the largest one
 * @KRPING_REJ_UNSUPPORTED: its module or device cannot do what is asked for
 * @KRPING_REJ_DEVICE: the client came in over another device than the named one
 * @KRPING_REJ_RESOURCES: it is out of memory, queue pairs or the like
 * @KRPING_REJ_STOPPED: it is being stopped
 *
 * The values go on the wire and never change.
 */
enum krping_rej_reason {
	KRPING_REJ_BUSY = 1,
	KRPING_REJ_VERSION = 2,
	KRPING_REJ_MALFORMED = 3,
	KRPING_REJ_TEST = 4,
	KRPING_REJ_SIZE = 5,
	KRPING_REJ_UNSUPPORTED = 6,
	KRPING_REJ_DEVICE = 7,
	KRPING_REJ_RESOURCES = 8,
	KRPING_REJ_STOPPED = 9,
};

/**
 * struct krping_wire_msg - the message of the ping/pong loop
 * @addr: address of the advertised buffer
 * @rkey: key of the advertised buffer
 * @size: bytes of the advertised buffer
 *
 * Every message has this length, that of krping since 2005 and of rping. The
 * content of a go-ahead is ignored.
 */
struct krping_wire_msg {
	__be64 addr;
	__be32 rkey;
	__be32 size;
};

static_assert(sizeof(struct krping_wire_msg) == 16);

/**
 * struct krping_wire_req - private data of a client's REQ
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @test: an enum krping_test_type
 * @flags: KRPING_WIRE_VALIDATE and the like
 * @size: bytes of data of an operation, 1 to U32_MAX
 * @count: iterations, those of the warm-up included; 0: not agreed
 * @reserved: sent as zeros, ignored by the receiver
 */
struct krping_wire_req {
	__be32 magic;
	u8 version;
	u8 test;
	__be16 flags;
	__be64 size;
	__be64 count;
	u8 reserved[24];
};

static_assert(sizeof(struct krping_wire_req) == 48);
static_assert(sizeof(struct krping_wire_req) <= KRPING_WIRE_PRIVATE_MAX);

/**
 * struct krping_wire_rep - private data of a server's REP
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @test: the test that the server is about to run
 * @flags: the flags that it has adopted
 * @size: bytes of data of an operation
 * @count: iterations after which it may end in order; 0: any number
 * @reserved: sent as zeros, ignored by the receiver
 *
 * The server's view of the agreement, in the layout of the REQ.
 */
struct krping_wire_rep {
	__be32 magic;
	u8 version;
	u8 test;
	__be16 flags;
	__be64 size;
	__be64 count;
	u8 reserved[8];
};

static_assert(sizeof(struct krping_wire_rep) == 32);

/**
 * struct krping_wire_rej - private data of a server's REJ
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @reason: an enum krping_rej_reason
 * @reserved: sent as zeros, ignored by the receiver
 * @limit: what would have been accepted, where @reason has a limit; else 0
 *
 * This layout is that of all versions: a client that is turned away for its
 * version must be able to read why.
 */
struct krping_wire_rej {
	__be32 magic;
	u8 version;
	u8 reason;
	__be16 reserved;
	__be64 limit;
};

static_assert(sizeof(struct krping_wire_rej) == 16);

/**
 * struct krping_advert - an advertised buffer, in host byte order
 * @addr: its address, as the peer's device wants it
 * @rkey: its key
 * @size: its length in bytes
 */
struct krping_advert {
	u64 addr;
	u32 rkey;
	u32 size;
};

/**
 * struct krping_agreement - what both sides of a test have to know alike
 * @test: the test
 * @flags: KRPING_WIRE_VALIDATE and the like
 * @size: bytes of data of an operation
 * @count: iterations, those of the warm-up included; 0: not agreed
 */
struct krping_agreement {
	enum krping_test_type test;
	u16 flags;
	u64 size;
	u64 count;
};

/**
 * struct krping_rejection - a server's refusal, in host byte order
 * @version: the version that the server speaks
 * @reason: an enum krping_rej_reason, or one of a later version
 * @limit: what would have been accepted, where @reason has a limit; else 0
 */
struct krping_rejection {
	u8 version;
	u8 reason;
	u64 limit;
};

/**
 * krping_wire_msg_encode() - fill in a message that advertises a buffer
 * @msg: the message, aligned
 * @addr: the buffer's address
 * @rkey: its key
 * @size: its length in bytes
 */
static inline void krping_wire_msg_encode(struct krping_wire_msg *msg, u64 addr,
					  u32 rkey, u32 size)
{
	msg->addr = cpu_to_be64(addr);
	msg->rkey = cpu_to_be32(rkey);
	msg->size = cpu_to_be32(size);
}

/**
 * krping_wire_msg_decode() - read a message that advertises a buffer
 * @msg: the message, aligned
 * @out: what it says; nothing is checked
 */
static inline void krping_wire_msg_decode(const struct krping_wire_msg *msg,
					  struct krping_advert *out)
{
	out->addr = be64_to_cpu(msg->addr);
	out->rkey = be32_to_cpu(msg->rkey);
	out->size = be32_to_cpu(msg->size);
}

/* Only for the decoders below: whose private data is it, and is it whole? */
static inline int krping_wire_check(const void *data, size_t len, size_t need,
				    bool any_version)
{
	const u8 *bytes = data;
	__be32 magic;

	if (!data || len < sizeof(magic))
		return -ENOENT;
	memcpy(&magic, data, sizeof(magic));
	if (be32_to_cpu(magic) != KRPING_WIRE_MAGIC)
		return -ENOENT;
	if (len == sizeof(magic))
		return -EPROTO;
	/* Before the length, which is another version's own affair. */
	if (!any_version && bytes[sizeof(magic)] != KRPING_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	return len < need ? -EPROTO : 0;
}

/* Only for the decoders below: the fields that REQ and REP have in common. */
static inline int krping_wire_agree(u8 test, u16 flags, u64 size, u64 count,
				    struct krping_agreement *out)
{
	if (test >= KRPING_TEST_COUNT)
		return -EPROTO;
	if (flags & ~KRPING_WIRE_FLAGS)
		return -EPROTO;
	/* The message that advertises a buffer has 32 bits for its size. */
	if (!size || size > U32_MAX)
		return -EPROTO;

	out->test = test;
	out->flags = flags;
	out->size = size;
	out->count = count;
	return 0;
}

/**
 * krping_wire_req_encode() - fill in the private data of a REQ
 * @req: the private data
 * @in: what the client asks for
 */
static inline void krping_wire_req_encode(struct krping_wire_req *req,
					  const struct krping_agreement *in)
{
	memset(req, 0, sizeof(*req));
	req->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	req->version = KRPING_WIRE_VERSION;
	req->test = in->test;
	req->flags = cpu_to_be16(in->flags);
	req->size = cpu_to_be64(in->size);
	req->count = cpu_to_be64(in->count);
}

/**
 * krping_wire_req_decode() - read the private data of a REQ
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: what the client asks for; left alone on error
 *
 * RoCE pads private data with zeros, so the magic tells what it is and the
 * length does not.
 *
 * Return: 0; -ENOENT if there is no magic, so that the client is an old krping
 * or a user-space rping; -EPROTONOSUPPORT if the client speaks another version;
 * -EPROTO if the private data is cut off or a field is invalid.
 */
static inline int krping_wire_req_decode(const void *data, size_t len,
					 struct krping_agreement *out)
{
	struct krping_wire_req req;
	int ret;

	ret = krping_wire_check(data, len, sizeof(req), false);
	if (ret)
		return ret;
	memcpy(&req, data, sizeof(req));
	return krping_wire_agree(req.test, be16_to_cpu(req.flags),
				 be64_to_cpu(req.size), be64_to_cpu(req.count),
				 out);
}

/**
 * krping_wire_rep_encode() - fill in the private data of a REP
 * @rep: the private data
 * @in: what the server is about to run
 */
static inline void krping_wire_rep_encode(struct krping_wire_rep *rep,
					  const struct krping_agreement *in)
{
	memset(rep, 0, sizeof(*rep));
	rep->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	rep->version = KRPING_WIRE_VERSION;
	rep->test = in->test;
	rep->flags = cpu_to_be16(in->flags);
	rep->size = cpu_to_be64(in->size);
	rep->count = cpu_to_be64(in->count);
}

/**
 * krping_wire_rep_decode() - read the private data of a REP
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: what the server is about to run; left alone on error
 *
 * Return: as krping_wire_req_decode().
 */
static inline int krping_wire_rep_decode(const void *data, size_t len,
					 struct krping_agreement *out)
{
	struct krping_wire_rep rep;
	int ret;

	ret = krping_wire_check(data, len, sizeof(rep), false);
	if (ret)
		return ret;
	memcpy(&rep, data, sizeof(rep));
	return krping_wire_agree(rep.test, be16_to_cpu(rep.flags),
				 be64_to_cpu(rep.size), be64_to_cpu(rep.count),
				 out);
}

/**
 * krping_wire_rej_encode() - fill in the private data of a REJ
 * @rej: the private data
 * @reason: why the client is turned away
 * @limit: what would have been accepted, where @reason has a limit; else 0
 */
static inline void krping_wire_rej_encode(struct krping_wire_rej *rej,
					  enum krping_rej_reason reason,
					  u64 limit)
{
	memset(rej, 0, sizeof(*rej));
	rej->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	rej->version = KRPING_WIRE_VERSION;
	rej->reason = reason;
	rej->limit = cpu_to_be64(limit);
}

/**
 * krping_wire_rej_decode() - read the private data of a REJ
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: why the server refused; left alone on error
 *
 * A REJ of another version is read like one of our own, and its reason may be
 * one that this version has no name for.
 *
 * Return: 0; -ENOENT if there is no magic, so that the refusal is not from a
 * krping that gives reasons; -EPROTO if the private data is cut off or without
 * a reason.
 */
static inline int krping_wire_rej_decode(const void *data, size_t len,
					 struct krping_rejection *out)
{
	struct krping_wire_rej rej;
	int ret;

	ret = krping_wire_check(data, len, sizeof(rej), true);
	if (ret)
		return ret;
	memcpy(&rej, data, sizeof(rej));
	if (!rej.reason)
		return -EPROTO;

	out->version = rej.version;
	out->reason = rej.reason;
	out->limit = be64_to_cpu(rej.limit);
	return 0;
}

/**
 * krping_rej_reason_str() - put a server's refusal in words
 * @reason: an enum krping_rej_reason, or any other number
 *
 * Return: words that follow "the server"; never NULL.
 */
static inline const char *krping_rej_reason_str(u8 reason)
{
	switch (reason) {
	case KRPING_REJ_BUSY:
		return "is busy with another client";
	case KRPING_REJ_VERSION:
		return "speaks another version";
	case KRPING_REJ_MALFORMED:
		return "does not understand the request";
	case KRPING_REJ_TEST:
		return "runs another test";
	case KRPING_REJ_SIZE:
		return "does not take this size";
	case KRPING_REJ_UNSUPPORTED:
		return "does not support what is asked for";
	case KRPING_REJ_DEVICE:
		return "is bound to another device";
	case KRPING_REJ_RESOURCES:
		return "is out of resources";
	case KRPING_REJ_STOPPED:
		return "is being stopped";
	default:
		return "gives a reason that is not known here";
	}
}

#endif /* KRPING_WIRE_H */
