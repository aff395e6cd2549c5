// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests about open regions: a client with invalid requests, and a server that exports
 * memory and answers with garbage, or misbehaves while the memory is a disk.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

#define REGION_BYTES	65536
#define ASK_REGION	4

/* Rights of a disk's region: writable, and shared by all clients. */
#define DISK_RIGHTS	3
#define DISK_LIE	8

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

/*
 * The client.
 */

static void regions_send_ask(struct peer *p, uint32_t what, uint64_t id)
{
	struct ask_msg ask = {
		.ctl = { .magic = htobe32(MAGIC), .type = CTL_ASK, .value = htobe64(id) },
		.what = htobe32(what),
		.rights = htobe32(UINT32_MAX),
	};

	memset(ask.reserved, 0xa5, sizeof(ask.reserved));
	send_data(p, &ask, sizeof(ask), sizeof(ask), false, 0);
}

static bool regions_take_answer(struct peer *p, struct answer_msg *answer)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	memcpy(answer, data, sizeof(*answer));
	if (len == sizeof(*answer) && be32toh(answer->ctl.magic) == MAGIC &&
	    answer->ctl.type == CTL_ANSWER)
		return true;
	say("error: a message of %u bytes instead of an answer", len);
	return false;
}

/* Send a request. Return: true if the answer has the verdict @verdict. */
static bool regions_ask(struct peer *p, uint32_t what, uint64_t id, uint32_t verdict)
{
	struct answer_msg answer;

	regions_send_ask(p, what, id);
	if (!regions_take_answer(p, &answer))
		return false;
	if (be32toh(answer.verdict) == verdict)
		return true;
	say("error: the verdict on request %u is %u instead of %u", what,
	    be32toh(answer.verdict), verdict);
	return false;
}

/* Send each request that a server refuses, many times. */
static bool regions_ask_nonsense(struct peer *p)
{
	int i;

	for (i = 0; i < 50; i++)
		if (!regions_ask(p, 0, 0, 1) || !regions_ask(p, UINT32_MAX, 0, 1) ||
		    !regions_ask(p, 2, 0, 6) || !regions_ask(p, ASK_REGION, 0, 2) ||
		    !regions_ask(p, ASK_REGION, UINT64_MAX, 2) ||
		    !regions_ask(p, 3, 7, 0) || !regions_ask(p, 1, 7, 0) ||
		    !regions_ask(p, 1, 0, 5) || !regions_ask(p, 3, 0, 0) ||
		    !regions_ask(p, 2, 0, 0))
			return false;
	return true;
}

/*
 * Send requests in pairs, the second one without waiting for the answer. A fast server may have
 * answered the first one, but not in each pair.
 */
static int regions_ask_in_pairs(struct peer *p)
{
	struct answer_msg answer;
	int i;

	for (i = 0; i < 1000 && !is_over(p); i++) {
		regions_send_ask(p, 3, 0);
		regions_send_ask(p, 3, 0);
		if (!regions_take_answer(p, &answer) || !regions_take_answer(p, &answer))
			break;
	}
	return await_end(p);
}

/* Get the keys of an open region, and keep them until the file of --pause exists. */
static int regions_hold(struct peer *p, uint64_t id, struct msg *piece)
{
	struct answer_msg answer;

	regions_send_ask(p, ASK_REGION, id);
	if (!regions_take_answer(p, &answer) || answer.verdict ||
	    !rdma_all(p, IBV_WR_RDMA_READ, &answer.list, sizeof(*piece)))
		return 1;
	memcpy(piece, p->source, sizeof(*piece));
	return 0;
}

/*
 * Run the fault ask=. Return: the exit status; -1: the client goes on with *piece, which is
 * then that of the region it has asked for.
 */
int regions_client(struct peer *p, struct msg *piece)
{
	const char *what = p->opt.word;
	int i;

	say("fault: ask %s", what);
	if (!strcmp(what, "nonsense"))
		return regions_ask_nonsense(p) ? -1 : 1;
	if (!strcmp(what, "twice"))
		return regions_ask_in_pairs(p);
	if (!strcmp(what, "deaf")) {
		for (i = 0; i < 1000 && wait_for_room(p); i++)
			regions_send_ask(p, 3, 0);
		return await_end(p);
	}
	return regions_hold(p, parse_number(what, UINT32_MAX), piece) ? 1 : -1;
}

/* A request before the region is known. */
int regions_early(struct peer *p)
{
	say("fault: ask early");
	regions_send_ask(p, 3, 0);
	return await_end(p);
}

/*
 * The server.
 */

struct region {
	struct ibv_mr *mr;
	uint8_t *data;
};

/* Fill in the region of a disk. Its identity is the last 8 bytes. */
static void regions_change_disk(const char *what, struct answer_msg *m)
{
	m->verdict = htobe32(DISK_RIGHTS);
	if (!strcmp(what, "size"))
		m->ctl.value = htobe64(DISK_LIE * REGION_BYTES);
	else if (!strcmp(what, "ro"))
		m->verdict = htobe32(DISK_RIGHTS & ~1);
	else if (!strcmp(what, "identity"))
		m->serial = htobe32(2);
}

/* Send a region, or the answer to a request for one: they differ in their last 16 bytes. */
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
		m.list.size = htobe32(40 * 1639);
	else if (!strcmp(what, "key"))
		m.list.rkey = htobe32(wrong_key(r->mr->rkey));
	if (p->opt.fault == FAULT_DISK)
		regions_change_disk(p->opt.word, &m);
	send_data(p, &m, sizeof(m), sizeof(m), false, 0);
}

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
