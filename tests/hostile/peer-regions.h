/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A client's requests about the memory regions that the server's clients open to each other, and
 * the server's answers. krping/wire.h describes the fields: see struct krping_wire_ask and struct
 * krping_wire_answer.
 */
#ifndef PEER_REGIONS_H
#define PEER_REGIONS_H

#include "peer.h"

struct ask_msg {
	struct ctl ctl;
	uint32_t what;		/* enum krping_ask */
	uint32_t rights;
	uint8_t reserved[8];
} __attribute__((packed));

struct answer_msg {
	struct ctl ctl;
	struct msg list;
	uint32_t verdict;	/* enum krping_verdict */
	uint32_t rights;
	uint32_t id;
	uint32_t serial;
} __attribute__((packed));

#endif /* PEER_REGIONS_H */
