/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The options of krping-peer, and its faults.
 */
#ifndef PEER_OPTIONS_H
#define PEER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "peer-wire.h"

/* The faults; usage_text in peer-usage.c describes them, the stages and the options. */
enum peer_fault {
	FAULT_NONE,
	FAULT_SILENT,
	FAULT_DISCONNECT,
	FAULT_EXIT,
	FAULT_KILL,
	FAULT_LENGTH,
	FAULT_TWICE,
	FAULT_BURST,
	FAULT_CORRUPT,
	FAULT_REJECT,
	FAULT_REJ,
	FAULT_REP,
	FAULT_INV,
	FAULT_SIZE,
	FAULT_SINK,
	FAULT_ZERO,
	FAULT_RKEY,
	FAULT_REQ,
	FAULT_CTL,
	FAULT_CTL_SECOND,
	FAULT_BUF_ADVERT,
	FAULT_EARLY,
	FAULT_CREDIT,
	FAULT_OVERTAKE,
	FAULT_BOAST,
	FAULT_SETBACK,
	FAULT_TALK,
	FAULT_KRDMA,
	FAULT_PLACE,
	FAULT_ASK,
	FAULT_ANSWER,
	FAULT_DISK,
};

/* The point of a test at which a fault happens. */
enum peer_stage {
	STAGE_NONE,
	STAGE_REQUEST,
	STAGE_CONNECT,
	STAGE_FIRST,
	STAGE_SECOND,
	STAGE_END,
	STAGE_REPORT,
};

/* Roles. They are bits, because a fault may belong to several roles. */
enum {
	SERVER = 1,
	CLIENT = 2,
	TCP = 4,
};

/* The ways in which the fault corrupt= spoils the data of an operation. */
enum spoil {
	SPOIL_BYTE,
	SPOIL_FIRST,
	SPOIL_LAST,
	SPOIL_BIT,
	SPOIL_PAGES,
	SPOIL_STALE,
	SPOIL_SHORT,
	SPOIL_SHIFT,
	SPOIL_AGAIN,
	SPOIL_SWAP,
	SPOIL_LATE,
};

/* The command line. @number, @word, @stage and @spoil are operands of @fault. */
struct options {
	int role;
	const char *addr;
	uint16_t port;
	uint64_t count;
	bool count_given;
	uint32_t size;
	bool old;
	uint64_t at;
	int timeout_ms;
	unsigned int flood;
	unsigned int accepted;
	const char *pause;
	enum peer_fault fault;
	enum peer_stage stage;
	uint64_t number;
	const char *word;
	enum spoil spoil;
	unsigned int late_ms;
	unsigned int conns;
	bool leave;
	bool report;
	enum test test;
	uint16_t flags;
	uint32_t recvs;
	bool recvs_given;
	unsigned int posts;
	uint8_t rnr_retry;
	uint8_t reads;
	uint32_t session;
	uint16_t conn_idx;
	uint16_t conns_total;
	const char *config;
	uint32_t stride;
};

/* peer-usage.c */
extern const char usage_text[];
__attribute__((noreturn))
void usage_error(const char *why);

/* peer-fault-options.c */
extern const char * const spoil_name[];
extern const char * const stage_name[];
void parse_fault(struct options *opt, char *text);

/* peer-options.c */
extern const char * const test_name[];
uint64_t parse_number(const char *text, uint64_t max);
void parse_options(struct options *opt, int argc, char **argv);

#endif
