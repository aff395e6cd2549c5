/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The messages of krping's protocol. This file does not include the module's definitions,
 * because krping-peer would then have the same mistakes as the module.
 */
#ifndef PEER_WIRE_H
#define PEER_WIRE_H

#include <stdint.h>

#define MAGIC		0x6b727067u
#define VERSION		1
#define FLAG_VALIDATE	0x0001
#define FLAG_SERVER_INV	0x0002
#define FLAG_DUPLEX	0x0008
#define FLAG_REPORT	0x0010
#define FLAG_IMM	0x0020
#define FLAG_ATOMIC	0x0040
#define REJ_BUSY	1

#define MSG_BYTES	16

/* An advert: address, key and size of memory. In ping, a go-ahead has the same length. */
struct msg {
	uint64_t addr;
	uint32_t rkey;
	uint32_t size;
} __attribute__((packed));

/* Private data of REQ and, in a shorter form, of REP. */
struct conn_params {
	uint32_t magic;
	uint8_t version;
	uint8_t test;
	uint16_t flags;
	uint32_t stride;
	uint32_t size;
	uint64_t count;
	union {
		struct {
			uint32_t session;
			uint16_t conn_idx;
			uint16_t conns_total;
			uint32_t recvs;
			uint8_t config[20];
		} __attribute__((packed)) req;
		struct {
			uint32_t recvs;
			uint8_t config[20];
		} __attribute__((packed)) rep;
	};
} __attribute__((packed));
/* Bytes of private data without options, which an older krping sends. */
#define REQ_BYTES	48
#define REP_BYTES	32
/* Bytes that the options add. */
#define REQ_MORE	8
#define REP_MORE	16
/* Offset of the txdepth in config, and the txdepth that `--options options` sends. */
#define CONFIG_DEPTH	4
#define OPTIONS_DEPTH	33

/* Private data of REJ. */
struct rej {
	uint32_t magic;
	uint8_t version;
	uint8_t reason;
	uint16_t reserved;
	uint64_t limit;
} __attribute__((packed));

/* Control messages. */
struct ctl {
	uint32_t magic;
	uint8_t type;
	uint8_t reserved[3];
	uint64_t value;
} __attribute__((packed));

enum ctl_type {
	CTL_NONE = 0,
	CTL_FINISH = 1,
	CTL_CREDIT = 2,
	CTL_REPORT = 3,
	CTL_BUF_ADVERT = 4,
	CTL_REGION = 5,
	CTL_ASK = 6,
	CTL_ANSWER = 7,
	CTL_REFILL = 10,
};

/* The buffer advert, and the report: control messages with further fields. */
struct advert_msg {
	struct ctl ctl;
	struct msg msg;
} __attribute__((packed));

struct report {
	struct ctl ctl;
	uint64_t nsec;
	uint64_t counters[8];
	uint64_t latencies;
	uint64_t latency[9];
} __attribute__((packed));

enum test {
	TEST_PING = 0,
	TEST_WLAT = 1,
	TEST_RLAT = 2,
	TEST_SLAT = 3,
	TEST_BW = 4,
	TEST_RBW = 5,
	TEST_SBW = 6,
	TEST_FR = 7,
	TEST_SESSION = 8,
	TEST_KRDMA = 9,
};

_Static_assert(sizeof(struct msg) == MSG_BYTES, "message");
_Static_assert(sizeof(struct ctl) == MSG_BYTES, "control message");
_Static_assert(sizeof(struct advert_msg) == 32, "buffer advert");
_Static_assert(sizeof(struct report) == 168, "report");
_Static_assert(sizeof(struct conn_params) == REQ_BYTES + REQ_MORE, "request");
_Static_assert(sizeof(struct rej) == 16, "reject");

#endif
