// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A server that exports memory. The server answers requests about open regions with garbage, or
 * misbehaves while the client uses the memory as a disk.
 */
#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "peer-regions.h"

#define REGION_BYTES	65536

/* Rights of a disk's region: writable, and shared by all clients. */
#define DISK_RIGHTS	3

/* Factor by which the fault disk=size overstates the size of the region. */
#define DISK_LIE	8

struct region {
	struct ibv_mr *mr;
	uint8_t *data;
};

/*
 * Return the size of the second piece of a disk's region, or 0 if there is none. Both pieces are
 * the same memory.
 */
static uint32_t disk_second(const struct peer *p)
{
	if (p->opt.fault != FAULT_DISK)
		return 0;
	if (!strcmp(p->opt.word, "two"))
		return REGION_BYTES;
	return strcmp(p->opt.word, "tail") ? 0 : REGION_BYTES / 2;
}

/* Change the advert of a disk's region. The advert's last 8 bytes identify the region. */
static void regions_change_disk(const char *what, struct answer_msg *m)
{
	/* The field verdict of an answer is the field rights of an advert. */
	m->verdict = htobe32(DISK_RIGHTS);
	if (!strcmp(what, "size"))
		m->ctl.value = htobe64(DISK_LIE * REGION_BYTES);
	else if (!strcmp(what, "ro"))
		m->verdict = htobe32(DISK_RIGHTS & ~1);
	else if (!strcmp(what, "identity"))
		m->serial = htobe32(2);
}

/* Send the advert of a region or an answer. Only the last 16 bytes of the two messages differ. */
static void regions_send_region(struct peer *p, const struct region *r, int type,
				const char *what)
{
	struct answer_msg m = {
		.ctl = { .magic = htobe32(MAGIC), .type = type, .value = htobe64(REGION_BYTES) },
		.list = {
			.addr = htobe64((uintptr_t)r->data),
			.rkey = htobe32(r->mr->rkey),
			.size = htobe32(sizeof(struct msg)),
		},
		.id = htobe32(1),
		.serial = htobe32(1),
	};

	if (!strcmp(what, "verdict"))
		m.verdict = htobe32(4711);
	else if (!strcmp(what, "empty"))
		m.ctl.value = 0;
	else if (!strcmp(what, "size"))
		m.ctl.value = UINT64_MAX;
	else if (!strcmp(what, "odd"))
		m.list.size = htobe32(15);
	else if (!strcmp(what, "none"))
		memset(&m.list, 0, sizeof(m.list));
	else if (!strcmp(what, "huge"))
		m.list.size = htobe32(UINT32_MAX);
	else if (!strcmp(what, "long"))
		/* The shortest list of 40-byte entries that exceeds KRPING_MEMOP_MAX. */
		m.list.size = htobe32(40 * 1639);
	else if (!strcmp(what, "id"))
		m.id = htobe32(2);
	else if (!strcmp(what, "key"))
		m.list.rkey = htobe32(wrong_key(r->mr->rkey));
	if (disk_second(p)) {
		m.ctl.value = htobe64(REGION_BYTES + disk_second(p));
		m.list.size = htobe32(2 * sizeof(struct msg));
	}
	if (p->opt.fault == FAULT_DISK)
		regions_change_disk(p->opt.word, &m);
	send_data(p, &m, sizeof(m), sizeof(m), false, 0);
}

/* Allocate and register the region. The region begins with the list of its pieces. */
static bool regions_set_up(struct peer *p, struct region *r)
{
	struct msg piece;

	r->data = alloc_zeroed(REGION_BYTES);
	r->mr = ibv_reg_mr(p->pd, r->data, REGION_BYTES,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ);
	if (!r->mr)
		return false;
	piece.addr = htobe64((uintptr_t)r->data);
	piece.rkey = htobe32(r->mr->rkey);
	piece.size = htobe32(REGION_BYTES);
	if (p->opt.fault == FAULT_DISK && !strcmp(p->opt.word, "key"))
		piece.rkey = htobe32(wrong_key(r->mr->rkey));
	if (p->opt.fault == FAULT_DISK && !strcmp(p->opt.word, "size"))
		piece.size = htobe32(DISK_LIE * REGION_BYTES);
	memcpy(r->data, &piece, sizeof(piece));
	piece.size = htobe32(disk_second(p));
	memcpy(r->data + sizeof(piece), &piece, sizeof(piece));
	return true;
}

/* Receive keep-alive messages until the file of --pause exists, or the connection ends. */
static void disk_pause(struct peer *p)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	while (p->opt.pause && access(p->opt.pause, F_OK) && !is_over(p)) {
		reap_events(p);
		reap_completions(p);
		while (has_message(p) && receive_data(p, data, &len) > 0)
			;
		usleep(TICK_MS * 1000);
	}
}

/* Serve a disk until the client disconnects. */
static int disk_server(struct peer *p, struct region *r)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	regions_send_region(p, r, CTL_REGION, "");
	disk_pause(p);
	say("fault: disk %s", p->opt.word);
	if (!strcmp(p->opt.word, "leave"))
		rdma_disconnect(p->id);
	if (!strcmp(p->opt.word, "revoke") && ibv_dereg_mr(r->mr))
		die("cannot deregister the MR: %m");
	say("done");
	while (receive_data(p, data, &len) > 0)
		;
	return 0;
}

int regions_server(struct peer *p)
{
	const char *what = p->opt.fault == FAULT_ANSWER ? p->opt.word : "";
	struct region r;
	struct msg advert;
	uint8_t data[RECV_BYTES];
	uint32_t len;
	int status;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (!regions_set_up(p, &r) || !bench_take_advert(p, &advert))
		return 1;
	if (p->opt.fault == FAULT_DISK)
		return disk_server(p, &r);
	if (!strcmp(what, "unasked"))
		regions_send_region(p, &r, CTL_ANSWER, "");
	regions_send_region(p, &r, CTL_REGION, "");
	while (receive_data(p, data, &len) > 0) {
		if (len != sizeof(struct ask_msg) || data[4] != CTL_ASK)
			continue;
		say("fault: answer %s", what);
		if (!strcmp(what, "silent"))
			continue;
		regions_send_region(p, &r, CTL_ANSWER, what);
		if (!strcmp(what, "twice"))
			regions_send_region(p, &r, CTL_ANSWER, what);
	}
	return 0;
}
