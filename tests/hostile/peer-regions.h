/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages about open regions.
 */
#ifndef PEER_REGIONS_H
#define PEER_REGIONS_H

#include "peer.h"

struct ask_msg {
	struct ctl ctl;
	uint32_t what;
	uint32_t rights;
	uint8_t reserved[8];
} __attribute__((packed));

struct answer_msg {
	struct ctl ctl;
	struct msg list;
	uint32_t verdict;
	uint32_t rights;
	uint32_t id;
	uint32_t serial;
} __attribute__((packed));

#endif /* PEER_REGIONS_H */
