// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The microbenchmarks of krping-peer: functions that both its client and its server use.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/* Send the buffer advert. Return: true if it has a fault that must make krping disconnect. */
bool bench_send_advert(struct peer *p, const struct ibv_mr *mr)
{
	const char *what = p->opt.fault == FAULT_BUF_ADVERT ? p->opt.word : "";
	struct advert_msg wire = {
		.ctl = { .magic = htobe32(MAGIC), .type = CTL_BUF_ADVERT },
	};
	uint32_t len = sizeof(wire);

	if (mr) {
		wire.msg.addr = htobe64((uintptr_t)mr->addr);
		wire.msg.rkey = htobe32(mr->rkey);
		wire.msg.size = htobe32(buffer_bytes(p));
	}
	if (!strcmp(what, "zero"))
		memset(&wire.msg, 0, sizeof(wire.msg));
	else if (!strcmp(what, "small"))
		wire.msg.size = htobe32(p->size - 1);
	else if (!strcmp(what, "huge"))
		wire.msg.size = htobe32(UINT32_MAX);
	else if (!strcmp(what, "key"))
		wire.msg.rkey = htobe32(wrong_key(be32toh(wire.msg.rkey)));
	else if (!strcmp(what, "short"))
		len = sizeof(wire) - 1;
	else if (!strcmp(what, "twice"))
		send_data(p, &wire, len, len, false, 0);
	else if (*what)
		die("what advert is %s?", what);
	if (*what)
		say("fault: buffer advert %s", what);
	send_data(p, &wire, len, len, false, 0);
	return *what && strcmp(what, "huge") && strcmp(what, "key");
}

/* Receive the buffer advert. Return: true on success. */
bool bench_take_advert(struct peer *p, struct msg *msg)
{
	uint8_t data[RECV_BYTES];
	struct advert_msg wire;
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	if (ctl_type(data, len) != CTL_BUF_ADVERT) {
		say("error: a message of %u bytes instead of a buffer advert", len);
		return false;
	}
	memcpy(&wire, data, sizeof(wire));
	*msg = wire.msg;
	say("buffer advert addr=%s rkey=0x%x size=%u", msg->addr ? "given" : "0",
	    be32toh(msg->rkey), be32toh(msg->size));
	return true;
}

bool validates(const struct peer *p)
{
	return p->flags & FLAG_VALIDATE;
}

static bool moved_by_send(const struct peer *p)
{
	return p->test == TEST_SLAT || p->test == TEST_SBW;
}

bool moved_by_read(const struct peer *p)
{
	return p->test == TEST_RLAT || p->test == TEST_RBW;
}

/* Return: true if an operation of this test consumes a RECV on the other side. */
bool seen_by_recv(const struct peer *p)
{
	return moved_by_send(p) ||
	       ((p->test == TEST_WLAT || p->test == TEST_BW) &&
		p->flags & (FLAG_VALIDATE | FLAG_IMM));
}

bool is_duplex(const struct peer *p)
{
	return p->flags & FLAG_DUPLEX && seen_by_recv(p);
}

/* Wait until all SENDs have completed. Return: true on success. */
static bool bench_sent(struct peer *p)
{
	return wait_for(p, all_sent) && !p->wc_failed && !is_over(p);
}

/* SEND a message of @len bytes, which may be a wrong length. Return: true on success. */
bool bench_send(struct peer *p, uint32_t len)
{
	if (len > RECV_BYTES)
		post_long_send(p, len);
	else
		send_data(p, p->source, len < p->size ? len : p->size, len, false, 0);
	return bench_sent(p);
}

/* Do this side's operation @n, a SEND or a WRITE. Return: true on success. */
bool bench_put(struct peer *p, const struct msg *advert, uint64_t n)
{
	static const uint8_t notify[MSG_BYTES];
	bool imm = p->flags & FLAG_IMM;
	struct extent e = { .off = slot_off(p, n), .len = p->size };

	if (validates(p))
		fill_pattern(p->source, p->size, n);
	/*
	 * krping checks the length of a SEND and of a WRITE with immediate data. "shift" keeps this
	 * length, and shifts the data, so that only the data is wrong.
	 */
	if (fault_is(p, FAULT_CORRUPT, n))
		spoil_data(p, n, p->opt.spoil == SPOIL_SHIFT &&
			   (imm || moved_by_send(p)), &e);
	if (moved_by_send(p)) {
		post_long_send(p, e.len);
		return bench_sent(p);
	}
	if (!rdma_at(p, imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
		     advert, &e))
		return false;
	if (imm || !validates(p))
		return true;
	send_data(p, notify, sizeof(notify), sizeof(notify), false, 0);
	return bench_sent(p);
}

/* Check the received message. Return: true if it is the other side's operation @n. */
bool bench_got(struct peer *p, uint32_t len, uint64_t n)
{
	bool notify = !moved_by_send(p) && !(p->flags & FLAG_IMM);

	if (len != (notify ? MSG_BYTES : p->size)) {
		say("error: a message of %u bytes", len);
		return false;
	}
	if (!notify && p->message_imm != !!(p->flags & FLAG_IMM)) {
		say("error: immediate data is missing, or there should be none");
		return false;
	}
	return !validates(p) ||
	       data_is(moved_by_send(p) ? p->message : p->sink + slot_off(p, n), p->size, n);
}

/* Receive and check the other side's operation @n. Return: true on success. */
bool bench_await(struct peer *p, uint64_t n)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	return receive_data(p, data, &len) > 0 && bench_got(p, len, n);
}

/* Post operations without waiting for the other side's answers. */
void bench_burst(struct peer *p, const struct msg *advert)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = p->size,
		.lkey = p->source_mr->lkey,
	};
	uint64_t i;

	say("fault: %" PRIu64 " operations at once", p->opt.number);
	p->rdma_done = 0;
	for (i = 0; i < p->opt.number && wait_for_room(p); i++) {
		struct ibv_send_wr wr = {
			.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
			.wr.rdma.remote_addr = be64toh(advert->addr),
			.wr.rdma.rkey = be32toh(advert->rkey),
		};

		if (moved_by_send(p)) {
			post_long_send(p, p->size);
			continue;
		}
		p->sends_posted++;
		post_send(p, &wr, &sge);
	}
}
