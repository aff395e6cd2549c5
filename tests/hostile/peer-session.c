// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A client of a server that exports memory. The client prints the address and key of its
 * region, and READs the region again once the file of --pause exists. The fault place= WRITEs to
 * another place. The fault ask= requests other clients' regions from the server.
 */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

struct region_msg {
	struct ctl ctl;
	struct msg list;
	uint32_t rights;
	uint32_t reserved;
	uint64_t identity;
} __attribute__((packed));

/* Receive the advert of the region, and set @piece to its first piece. Return: true on success. */
static bool session_take_region(struct peer *p, struct msg *piece)
{
	uint8_t data[RECV_BYTES];
	struct region_msg region;
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	memcpy(&region, data, sizeof(region));
	if (len != sizeof(region) || be32toh(region.ctl.magic) != MAGIC ||
	    region.ctl.type != CTL_REGION) {
		say("error: a message of %u bytes instead of a region", len);
		return false;
	}
	if (!rdma_all(p, IBV_WR_RDMA_READ, &region.list, sizeof(*piece)))
		return false;
	memcpy(piece, p->source, sizeof(*piece));
	say("piece addr=0x%" PRIx64 " rkey=0x%x size=%u", be64toh(piece->addr),
	    be32toh(piece->rkey), be32toh(piece->size));
	return true;
}

/* READ the beginning of the piece, and check that it is still zero. */
static bool session_unchanged(struct peer *p, const struct msg *piece)
{
	static const uint8_t zeros[64];

	if (!rdma_all(p, IBV_WR_RDMA_READ, piece, sizeof(zeros)))
		return false;
	if (!memcmp(p->source, zeros, sizeof(zeros)))
		return true;
	say("error: the region was changed");
	return false;
}

/* WRITE to the address and key of the fault. Return: 0 if the device rejects the WRITE. */
static int session_intrude(struct peer *p, const struct msg *piece)
{
	struct msg to = *piece;
	uint64_t addr;
	uint32_t rkey;

	if (strcmp(p->opt.word, "own")) {
		if (sscanf(p->opt.word, "%" SCNx64 ":%x", &addr, &rkey) != 2)
			die("what place is %s?", p->opt.word);
		to.addr = htobe64(addr);
		to.rkey = htobe32(rkey);
	}
	memset(p->source, 0xee, 64);
	if (!rdma_all(p, IBV_WR_RDMA_WRITE, &to, 64) || is_over(p))
		return 0;
	/* On iWARP a WRITE completes before the server's device has checked the key. */
	if (!rdma_all(p, IBV_WR_RDMA_READ, &to, 64) || is_over(p))
		return 0;
	say("error: the device has accepted a WRITE to 0x%" PRIx64 " with key 0x%x",
	    be64toh(to.addr), be32toh(to.rkey));
	return 1;
}

int session_client(struct peer *p)
{
	struct msg piece;
	int status;

	if (p->opt.fault == FAULT_ASK && !strcmp(p->opt.word, "early"))
		return regions_early(p);
	if (bench_send_advert(p, NULL))
		return await_end(p);
	if (!session_take_region(p, &piece))
		return 1;
	if (p->opt.fault == FAULT_PLACE)
		return session_intrude(p, &piece);
	if (p->opt.fault == FAULT_ASK) {
		status = regions_client(p, &piece);
		if (status >= 0)
			return status;
		say("piece addr=0x%" PRIx64 " rkey=0x%x size=%u", be64toh(piece.addr),
		    be32toh(piece.rkey), be32toh(piece.size));
	}
	if (p->opt.pause) {
		say("pause");
		while (access(p->opt.pause, F_OK))
			usleep(TICK_MS * 1000);
	}
	if (!session_unchanged(p, &piece))
		return 1;
	rdma_disconnect(p->id);
	return !wait_for(p, is_over);
}
