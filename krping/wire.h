/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The layouts on the wire: the 16-byte message of the ping/pong loop; control messages; the
 * fragments of messages of krdma.h; and the private data of REQ, REP and REJ. All fields are
 * big-endian and naturally aligned, so no structure needs to be packed.
 *
 * This file and wire.c use no RDMA type, so that the tests can build them in user space.
 */
#ifndef KRPING_WIRE_H
#define KRPING_WIRE_H

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "wire_config.h"

#define KRPING_WIRE_MAGIC	0x6b727067	/* "krpg" */
#define KRPING_WIRE_VERSION	1

/* Bytes of private data in a REQ of RDMA/CM over InfiniBand; other transports have more. */
#define KRPING_WIRE_PRIVATE_MAX	56

/**
 * enum krping_test_type - the tests
 * @KRPING_TEST_PING: the ping/pong loop with READ and WRITE
 * @KRPING_TEST_WLAT: latency of RDMA WRITE
 * @KRPING_TEST_RLAT: latency of RDMA READ
 * @KRPING_TEST_SLAT: latency of SEND
 * @KRPING_TEST_BW: throughput of RDMA WRITE
 * @KRPING_TEST_RBW: throughput of RDMA READ
 * @KRPING_TEST_SBW: throughput of SEND
 * @KRPING_TEST_FR: fast-register and invalidate cycles
 * @KRPING_TEST_SESSION: a client uses memory that a server exports
 * @KRPING_TEST_KRDMA: a connection of a kernel module that uses krdma.h
 * @KRPING_TEST_CONFORM: check that the device refuses violations of memory protection
 * @KRPING_TEST_COUNT: number of tests
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
	KRPING_TEST_SESSION = 8,
	KRPING_TEST_KRDMA = 9,
	KRPING_TEST_CONFORM = 10,
	KRPING_TEST_COUNT
};

/* Bits of the flags in the private data, and of krping_params.flags. */
#define KRPING_WIRE_VALIDATE	0x0001	/* compare the data of each operation */
#define KRPING_WIRE_SERVER_INV	0x0002	/* SEND_WITH_INV by the server */
#define KRPING_WIRE_READ_INV	0x0004	/* READ_WITH_INV by the server */
#define KRPING_WIRE_DUPLEX	0x0008	/* both sides post operations */
#define KRPING_WIRE_REPORT	0x0010	/* the server reports at the end */
#define KRPING_WIRE_IMM		0x0020	/* operations have immediate data */
#define KRPING_WIRE_ATOMIC	0x0040	/* rlat measures an atomic */
#define KRPING_WIRE_FLAGS	0x007f	/* all flags of this version */

/* Maximum number of connections of a client's test. */
#define KRPING_WIRE_CONNS_MAX	1024

/**
 * enum krping_rej_reason - reason of a REJ by a server, and meaning of the REJ's limit
 * @KRPING_REJ_BUSY: the server has as many clients as it may serve
 * @KRPING_REJ_VERSION: the server does not support the client's version; the limit
 *	is the server's highest version
 * @KRPING_REJ_MALFORMED: the private data is malformed
 * @KRPING_REJ_TEST: the server runs another test; the limit is that test's number
 * @KRPING_REJ_SIZE: an operation, or the buffer for successive operations, is too large; the limit
 *	is the largest accepted size in bytes
 * @KRPING_REJ_UNSUPPORTED: the server's module or device does not support the request
 * @KRPING_REJ_DEVICE: the request arrived at a device other than the server's device=
 * @KRPING_REJ_RESOURCES: the server is out of memory, QPs or other resources
 * @KRPING_REJ_STOPPED: the server is being stopped
 * @KRPING_REJ_EXPORT: the server exports no memory
 * @KRPING_REJ_ADDRESS: the server does not accept clients with this address
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
	KRPING_REJ_EXPORT = 10,
	KRPING_REJ_ADDRESS = 11,
};

/**
 * struct krping_wire_msg - the message of the ping/pong loop
 * @addr: address of the advertised buffer
 * @rkey: key of the advertised buffer
 * @size: bytes of the advertised buffer
 *
 * Every message of the loop has this length, as in krping since 2005 and in rping. A server
 * answers an advert with a go-ahead: a message whose content the client ignores.
 */
struct krping_wire_msg {
	__be64 addr;
	__be32 rkey;
	__be32 size;
};

static_assert(sizeof(struct krping_wire_msg) == 16);

/**
 * enum krping_ctl_type - type of a control message
 * @KRPING_CTL_NONE: no control message
 * @KRPING_CTL_FINISH: client: all operations are done, and the client waits for a report
 * @KRPING_CTL_CREDIT: the value is the number of messages that the sender of the credit has handled
 *	so far; with rbw and validate, the number of READs whose data the sender has compared; in a
 *	session, the number of operations that the client has completed
 * @KRPING_CTL_REPORT: server: a struct krping_wire_report
 * @KRPING_CTL_BUF_ADVERT: a struct krping_wire_buf_advert
 * @KRPING_CTL_REGION: server: a struct krping_wire_region; the value is the region's size
 * @KRPING_CTL_ASK: client: a struct krping_wire_ask
 * @KRPING_CTL_ANSWER: server: a struct krping_wire_answer
 * @KRPING_CTL_CONFORM_ASK: client: a struct krping_wire_conform_ask
 * @KRPING_CTL_CONFORM_ANSWER: server: a struct krping_wire_conform_answer
 * @KRPING_CTL_REFILL: rbw, validate: number of the receiver's READs whose slots have new data
 * @KRPING_CTL_CONFORM_TRACE: server: a struct krping_wire_conform_trace
 *
 * The values go on the wire and never change.
 */
enum krping_ctl_type {
	KRPING_CTL_NONE = 0,
	KRPING_CTL_FINISH = 1,
	KRPING_CTL_CREDIT = 2,
	KRPING_CTL_REPORT = 3,
	KRPING_CTL_BUF_ADVERT = 4,
	KRPING_CTL_REGION = 5,
	KRPING_CTL_ASK = 6,
	KRPING_CTL_ANSWER = 7,
	KRPING_CTL_CONFORM_ASK = 8,
	KRPING_CTL_CONFORM_ANSWER = 9,
	KRPING_CTL_REFILL = 10,
	KRPING_CTL_CONFORM_TRACE = 11,
};

/**
 * struct krping_wire_ctl - a control message, only between peers that negotiate by REQ and REP
 * @magic: KRPING_WIRE_MAGIC
 * @type: an enum krping_ctl_type
 * @reserved: sent as zeros, ignored by the receiver
 * @value: value of the message, if @type has one; else 0
 *
 * No other message looks like a control message. The data pattern of the tests does not begin with
 * the magic. A struct krping_wire_msg begins with an address, whose upper half is where @magic is.
 * No DMA address is so high. The iova of an MR may be, but its lower half is then an offset within
 * a page, so the byte where @type is has the value 0.
 */
struct krping_wire_ctl {
	__be32 magic;
	u8 type;
	u8 reserved[3];
	__be64 value;
};

static_assert(sizeof(struct krping_wire_ctl) == sizeof(struct krping_wire_msg));

/**
 * struct krping_wire_buf_advert - advert of a buffer for a whole test
 * @ctl: a control message of type KRPING_CTL_BUF_ADVERT
 * @msg: the buffer; all zeros: no buffer
 */
struct krping_wire_buf_advert {
	struct krping_wire_ctl ctl;
	struct krping_wire_msg msg;
};

static_assert(sizeof(struct krping_wire_buf_advert) == 32);

/**
 * struct krping_wire_frag - header of a fragment of a message of krdma.h
 * @left: bytes of the message in this fragment and later ones
 * @taken: number of fragments that the sender of this header has taken out of its receive
 *	ring so far, modulo 2^32; they are credits for the peer
 *
 * @left is at most 1 MiB, so that no fragment looks like a control message.
 */
struct krping_wire_frag {
	__be32 left;
	__be32 taken;
};

static_assert(sizeof(struct krping_wire_frag) == 8);

/* Rights of a client on a region, the memory that a server exports to the client. */
#define KRPING_REGION_WRITE	0x00000001	/* READ and WRITE; else READ only */
#define KRPING_REGION_SHARED	0x00000002	/* the memory outlives the connection */

/* Minimum size of a piece of a region, in bytes; the last piece may be smaller. */
#define KRPING_REGION_PIECE_MIN	65536

/**
 * struct krping_wire_region - advert of the memory that a server exports to a client
 * @ctl: a control message of type KRPING_CTL_REGION
 * @list: a buffer that the client READs: an array of struct krping_wire_msg, one for each
 *	piece of the region, in the order of the pieces
 * @rights: KRPING_REGION_WRITE, KRPING_REGION_SHARED
 * @reserved: sent as zeros, ignored by the receiver
 * @identity: random number that the server chooses for each region
 */
struct krping_wire_region {
	struct krping_wire_ctl ctl;
	struct krping_wire_msg list;
	__be32 rights;
	u8 reserved[4];
	__be64 identity;
};

static_assert(sizeof(struct krping_wire_region) == 48);

/**
 * enum krping_ask - request of a client
 * @KRPING_ASK_OPEN: make the client's region visible to the server's other clients
 * @KRPING_ASK_CLOSE: hide the client's region again
 * @KRPING_ASK_REGIONS: list the open regions
 * @KRPING_ASK_REGION: get the keys to the open region of another client
 *
 * The values go on the wire and never change.
 */
enum krping_ask {
	KRPING_ASK_OPEN = 1,
	KRPING_ASK_CLOSE = 2,
	KRPING_ASK_REGIONS = 3,
	KRPING_ASK_REGION = 4,
};

/**
 * struct krping_wire_ask - request of a client
 * @ctl: a control message of type KRPING_CTL_ASK; its value is the id of the region for
 *	KRPING_ASK_REGION, else 0
 * @what: an enum krping_ask
 * @rights: for KRPING_ASK_OPEN, KRPING_REGION_WRITE or 0; for other requests 0
 * @reserved: sent as zeros, ignored by the receiver
 *
 * A client sends its next request only after it has received the answer.
 */
struct krping_wire_ask {
	struct krping_wire_ctl ctl;
	__be32 what;
	__be32 rights;
	u8 reserved[8];
};

static_assert(sizeof(struct krping_wire_ask) == 32);

/**
 * enum krping_verdict - outcome of a client's request
 * @KRPING_VERDICT_OK: done
 * @KRPING_VERDICT_UNKNOWN: the server does not know this request
 * @KRPING_VERDICT_NO_REGION: no open region has this id
 * @KRPING_VERDICT_OWN: the region is the client's own
 * @KRPING_VERDICT_SHARED: all clients of this server use the same memory
 * @KRPING_VERDICT_OPEN: the client's region is open already
 * @KRPING_VERDICT_CLOSED: the client's region is not open
 * @KRPING_VERDICT_LIMIT: the client has the keys to as many regions as it may have
 * @KRPING_VERDICT_MEMORY: the server is out of memory or MRs
 * @KRPING_VERDICT_COUNT: number of verdicts
 *
 * The values go on the wire and never change.
 */
enum krping_verdict {
	KRPING_VERDICT_OK = 0,
	KRPING_VERDICT_UNKNOWN = 1,
	KRPING_VERDICT_NO_REGION = 2,
	KRPING_VERDICT_OWN = 3,
	KRPING_VERDICT_SHARED = 4,
	KRPING_VERDICT_OPEN = 5,
	KRPING_VERDICT_CLOSED = 6,
	KRPING_VERDICT_LIMIT = 7,
	KRPING_VERDICT_MEMORY = 8,
	KRPING_VERDICT_COUNT
};

/**
 * struct krping_wire_answer - answer of a server
 * @ctl: a control message of type KRPING_CTL_ANSWER; its value is the size of the region,
 *	or for KRPING_ASK_REGIONS the number of open regions
 * @list: a buffer that the client READs: the pieces of the region as in struct
 *	krping_wire_region, or for KRPING_ASK_REGIONS an array of struct
 *	krping_wire_open_region; all zeros: none
 * @verdict: an enum krping_verdict; unless it is KRPING_VERDICT_OK, all fields but @ctl and
 *	@verdict are 0
 * @rights: KRPING_REGION_WRITE or 0
 * @id: id of the region
 * @serial: KRPING_ASK_REGION: number of the registration. The keys of an earlier answer
 *	with the same id and number are still valid.
 */
struct krping_wire_answer {
	struct krping_wire_ctl ctl;
	struct krping_wire_msg list;
	__be32 verdict;
	__be32 rights;
	__be32 id;
	__be32 serial;
};

static_assert(sizeof(struct krping_wire_answer) == 48);

/**
 * struct krping_wire_open_region - an open region
 * @id: id of the region
 * @rights: KRPING_REGION_WRITE or 0
 * @size: bytes of the region
 * @ip: address of the client that owns the region, IPv6 or IPv4-mapped
 * @port: port of this client
 * @reserved: sent as zeros, ignored by the receiver
 */
struct krping_wire_open_region {
	__be32 id;
	__be32 rights;
	__be64 size;
	u8 ip[16];
	__be16 port;
	u8 reserved[6];
};

static_assert(sizeof(struct krping_wire_open_region) == 40);

/* Lengths of the messages of wire_conform.h. */
#define KRPING_CONFORM_ASK_BYTES	48
#define KRPING_CONFORM_ANSWER_BYTES	160
#define KRPING_CONFORM_TRACE_BYTES	120

/* Number of counters and of latencies in a report. */
#define KRPING_REPORT_COUNTERS	8
#define KRPING_REPORT_LATENCIES	9

/**
 * struct krping_wire_report - report of a server to its client at the end
 * @ctl: a control message of type KRPING_CTL_REPORT; its value is the number of iterations
 * @nsec: time of the iterations in nanoseconds
 * @counters: bytes and messages of SEND, RECV, WRITE and READ
 * @latencies: number of measured latencies
 * @latency: nanoseconds: minimum, p50, p90, p99, p99.9, p99.99, maximum, mean
 *	and standard deviation; not valid if @latencies is 0
 */
struct krping_wire_report {
	struct krping_wire_ctl ctl;
	__be64 nsec;
	__be64 counters[KRPING_REPORT_COUNTERS];
	__be64 latencies;
	__be64 latency[KRPING_REPORT_LATENCIES];
};

static_assert(sizeof(struct krping_wire_report) == 168);

/**
 * struct krping_wire_req - private data of a client's REQ
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @test: an enum krping_test_type
 * @flags: KRPING_WIRE_VALIDATE and the like
 * @stride: bytes between the addresses of successive operations; only bw, rbw and sbw, else 0.
 *	With KRPING_WIRE_VALIDATE the value of krping_stride_validate(), or 0 if only one operation
 *	is in flight. An older krping has a 64-bit @size, whose upper half (0) is here.
 * @size: bytes of data of an operation, at least 1
 * @count: iterations, those of the warm-up included; 0: not negotiated
 * @session: the same number for all connections of a client
 * @conn_idx: index of this connection, from 0
 * @conns_total: number of connections of the client; 0 means 1
 * @recvs: number of RECVs that the client posts for data
 * @config: options of the client; 12 reserved bytes in an older krping
 */
struct krping_wire_req {
	__be32 magic;
	u8 version;
	u8 test;
	__be16 flags;
	__be32 stride;
	__be32 size;
	__be64 count;
	__be32 session;
	__be16 conn_idx;
	__be16 conns_total;
	__be32 recvs;
	struct krping_wire_config config;
};

/* Length of the REQ of an older krping. */
#define KRPING_WIRE_REQ_MIN	48

static_assert(sizeof(struct krping_wire_req) == 56);
static_assert(sizeof(struct krping_wire_req) <= KRPING_WIRE_PRIVATE_MAX);

/**
 * struct krping_wire_rep - private data of a server's REP
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @test: the test that the server runs
 * @flags: the flags that the server has adopted
 * @stride: as in the REQ
 * @size: bytes of data of an operation
 * @count: iterations after which the test may end in order; 0: after any number of iterations
 * @recvs: number of RECVs that the server posts for data
 * @config: options of the server; 4 reserved bytes in an older krping
 *
 * The test, flags, stride, size and count are the negotiated parameters.
 */
struct krping_wire_rep {
	__be32 magic;
	u8 version;
	u8 test;
	__be16 flags;
	__be32 stride;
	__be32 size;
	__be64 count;
	__be32 recvs;
	struct krping_wire_config config;
};

/* Length of the REP of an older krping. */
#define KRPING_WIRE_REP_MIN	32

static_assert(sizeof(struct krping_wire_rep) == 48);

/**
 * struct krping_wire_rej - private data of a server's REJ
 * @magic: KRPING_WIRE_MAGIC
 * @version: KRPING_WIRE_VERSION
 * @reason: an enum krping_rej_reason
 * @reserved: sent as zeros, ignored by the receiver
 * @limit: see &enum krping_rej_reason; 0: @reason has no limit
 *
 * All versions have this layout, so that a client of another version can read the
 * reason.
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
 * @addr: address of the buffer, for requests of the peer's device
 * @rkey: key of the buffer
 * @size: length of the buffer in bytes
 */
struct krping_advert {
	u64 addr;
	u32 rkey;
	u32 size;
};

/**
 * struct krping_params - parameters that both sides of a test negotiate
 * @test: the test
 * @flags: KRPING_WIRE_VALIDATE and the like
 * @size: bytes of data of an operation
 * @stride: bytes between the addresses of successive operations; 0: one address
 * @count: iterations, those of the warm-up included; 0: not negotiated
 * @session: the same number for all connections of a client; only in a REQ
 * @conn_idx: index of this connection, from 0; only in a REQ
 * @conns_total: number of connections of the client, at least 1; only in a REQ
 * @recvs: number of RECVs that the sender of the parameters posts for data
 * @config: options of the sender; not known for an older krping
 */
struct krping_params {
	enum krping_test_type test;
	u16 flags;
	u64 size;
	u32 stride;
	u64 count;
	u32 session;
	u16 conn_idx;
	u16 conns_total;
	u32 recvs;
	struct krping_config config;
};

/**
 * struct krping_peer_stats - report of a server, in host byte order
 * @iterations: number of iterations that the server has measured
 * @nsec: time of the iterations in nanoseconds
 * @counters: bytes and messages of SEND, RECV, WRITE and READ
 * @latencies: number of measured latencies
 * @latency: as in &struct krping_wire_report
 */
struct krping_peer_stats {
	u64 iterations;
	u64 nsec;
	u64 counters[KRPING_REPORT_COUNTERS];
	u64 latencies;
	u64 latency[KRPING_REPORT_LATENCIES];
};

/**
 * struct krping_rejection - rejection by a server, in host byte order
 * @version: the version of the server
 * @reason: an enum krping_rej_reason, or one of a later version
 * @limit: see &enum krping_rej_reason; 0: @reason has no limit
 */
struct krping_rejection {
	u8 version;
	u8 reason;
	u64 limit;
};

/**
 * krping_wire_ctl_decode() - decode a control message
 * @data: the message, aligned; at least its first 16 bytes
 * @len: length of the whole message
 * @value: set to the value of a control message; else unchanged
 *
 * Return: type of the message; KRPING_CTL_NONE if the message is no control message.
 */
static inline enum krping_ctl_type
krping_wire_ctl_decode(const void *data, size_t len, u64 *value)
{
	static const u8 length[] = {
		[KRPING_CTL_FINISH]	= sizeof(struct krping_wire_ctl),
		[KRPING_CTL_CREDIT]	= sizeof(struct krping_wire_ctl),
		[KRPING_CTL_REPORT]	= sizeof(struct krping_wire_report),
		[KRPING_CTL_BUF_ADVERT]	= sizeof(struct krping_wire_buf_advert),
		[KRPING_CTL_REGION]	= sizeof(struct krping_wire_region),
		[KRPING_CTL_ASK]	= sizeof(struct krping_wire_ask),
		[KRPING_CTL_ANSWER]	= sizeof(struct krping_wire_answer),
		[KRPING_CTL_CONFORM_ASK] = KRPING_CONFORM_ASK_BYTES,
		[KRPING_CTL_CONFORM_ANSWER] = KRPING_CONFORM_ANSWER_BYTES,
		[KRPING_CTL_REFILL]	= sizeof(struct krping_wire_ctl),
		[KRPING_CTL_CONFORM_TRACE] = KRPING_CONFORM_TRACE_BYTES,
	};
	const struct krping_wire_ctl *ctl = data;

	if (len < sizeof(*ctl) || be32_to_cpu(ctl->magic) != KRPING_WIRE_MAGIC ||
	    ctl->type > KRPING_CTL_CONFORM_TRACE || len != length[ctl->type])
		return KRPING_CTL_NONE;
	*value = be64_to_cpu(ctl->value);
	return (enum krping_ctl_type)ctl->type;
}

/**
 * krping_wire_msg_encode() - fill in a message that advertises a buffer
 * @msg: the message, aligned
 * @addr: address of the buffer
 * @rkey: key of the buffer
 * @size: length of the buffer in bytes
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
 * @out: set to the buffer, unchecked
 */
static inline void krping_wire_msg_decode(const struct krping_wire_msg *msg,
					  struct krping_advert *out)
{
	out->addr = be64_to_cpu(msg->addr);
	out->rkey = be32_to_cpu(msg->rkey);
	out->size = be32_to_cpu(msg->size);
}

void krping_wire_ctl_encode(struct krping_wire_ctl *ctl,
			    enum krping_ctl_type type, u64 value);
void krping_wire_report_encode(struct krping_wire_report *wire,
			       const struct krping_peer_stats *in);
void krping_wire_report_decode(const struct krping_wire_report *wire,
			       struct krping_peer_stats *out);
void krping_wire_req_encode(struct krping_wire_req *req,
			    const struct krping_params *in);
int krping_wire_req_decode(const void *data, size_t len,
			   struct krping_params *out);
void krping_wire_rep_encode(struct krping_wire_rep *rep,
			    const struct krping_params *in);
int krping_wire_rep_decode(const void *data, size_t len,
			   struct krping_params *out);
void krping_wire_rej_encode(struct krping_wire_rej *rej,
			    enum krping_rej_reason reason, u64 limit);
int krping_wire_rej_decode(const void *data, size_t len,
			   struct krping_rejection *out);
const char *krping_rej_reason_str(u8 reason);

#endif /* KRPING_WIRE_H */
