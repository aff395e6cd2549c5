// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server of the microbenchmarks, and its faults.
 */
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/* Return the MR that the client READs or WRITEs, or NULL. */
static const struct ibv_mr *bench_shared(const struct peer *p)
{
	switch (p->test) {
	case TEST_RLAT:
	case TEST_RBW:
		return p->source_mr;
	case TEST_WLAT:
	case TEST_BW:
		return p->sink_mr;
	default:
		return NULL;
	}
}

/* Fill the buffer that the client READs. */
static void bench_fill_shared(struct peer *p)
{
	struct extent all;

	if (moved_by_read(p) && nr_slots(p) > 1) {
		fill_slots(p);
		return;
	}
	if (!moved_by_read(p) || p->flags & FLAG_ATOMIC)
		memset(p->source, 0, p->size);
	else
		fill_pattern(p->source, p->size, 0);
	if (moved_by_read(p) && p->opt.fault == FAULT_CORRUPT && !p->opt.late_ms)
		spoil_data(p, 0, true, &all);
}

/* Spoil the buffer --late milliseconds later, while the client READs it. */
static void bench_spoil_late(struct peer *p)
{
	int timeout_ms = p->opt.timeout_ms;
	struct extent all;

	p->opt.timeout_ms = p->opt.late_ms;
	wait_for(p, is_over);
	p->opt.timeout_ms = timeout_ms;
	spoil_data(p, 0, true, &all);
}

static uint64_t counter(const struct peer *p)
{
	return __atomic_load_n((const uint64_t *)p->source, __ATOMIC_RELAXED);
}

static bool counter_is_reached(const struct peer *p)
{
	return counter(p) >= p->opt.number || is_over(p);
}

/* Set the counter to 0, so that the next atomic of the client returns too small a value. */
static void bench_set_back(struct peer *p)
{
	if (!wait_for(p, counter_is_reached))
		say("error: only %" PRIu64 " atomics", counter(p));
	say("fault: the counter is set back to 0");
	__atomic_store_n((uint64_t *)p->source, 0, __ATOMIC_RELAXED);
}

/*
 * Return: the number of messages that a credit covers: half of the messages that may be in flight.
 * If a credit covered fewer, more credits would be in flight than the four RECVs that the client
 * has for control messages.
 */
static uint32_t credit_every(const struct peer *p)
{
	uint32_t window = nr_slots(p) < p->opt.recvs ? nr_slots(p) : p->opt.recvs;

	return window > 1 ? window / 2 : 1;
}

/*
 * Answer or acknowledge the data of one operation. Return: false if the data was wrong, or if the
 * answer could not be sent although the connection lasts.
 */
static bool bench_take_data(struct peer *p, const struct msg *advert, uint32_t len,
			    uint64_t received)
{
	if (!seen_by_recv(p)) {
		say("error: a message of %u bytes in a test without messages", len);
		return false;
	}
	if (!bench_got(p, len, received))
		return false;
	if (p->test == TEST_WLAT || p->test == TEST_SLAT || is_duplex(p))
		return bench_put(p, advert, received) || is_over(p);
	if (fault_is(p, FAULT_CREDIT, received)) {
		say("fault: credit %" PRIu64, p->opt.number);
		send_ctl(p, CTL_CREDIT, p->opt.number, 16);
	} else if ((received + 1) % credit_every(p) == 0) {
		send_ctl(p, CTL_CREDIT, received + 1, 16);
	}
	return true;
}

/* Check whether the connection has ended because of a fault on this or another connection. */
static bool may_end(const struct peer *p)
{
	return (p->spoiled || p->bystander) && (p->wc_failed || is_over(p));
}

int bench_server(struct peer *p)
{
	uint8_t data[RECV_BYTES];
	uint64_t received = 0;
	struct msg advert;
	uint32_t len;
	int status;

	if (p->test == TEST_WLAT && !seen_by_recv(p))
		die("wlat needs validate or imm, because this server does not poll its memory");
	bench_fill_shared(p);
	if (!bench_take_advert(p, &advert))
		return p->opt.fault != FAULT_REP;
	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_CTL_SECOND) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	if (bench_send_advert(p, bench_shared(p)))
		return await_end(p);
	if (fault_at(p, STAGE_FIRST, 0, &status))
		return status;
	if (fault_is(p, FAULT_CTL, 0)) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}

	if (fault_is(p, FAULT_BURST, 0)) {
		bench_burst(p, &advert);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_SETBACK) {
		bench_set_back(p);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_CORRUPT && p->opt.late_ms)
		bench_spoil_late(p);
	for (;;) {
		if (receive_data(p, data, &len) <= 0)
			return p->opt.fault == FAULT_NONE && !p->bystander;
		switch (ctl_type(data, len)) {
		case CTL_CREDIT:
			if (moved_by_read(p) && nr_slots(p) > 1)
				refill_slots(p, ctl_value(data));
			break;
		case CTL_FINISH:
			say("finished after %" PRIu64 " messages", received);
			if (fault_at(p, STAGE_REPORT, 0, &status))
				return status;
			send_report(p, seen_by_recv(p) ? received : p->count);
			return await_end(p);
		case CTL_NONE:
			if (fault_at(p, STAGE_SECOND, received, &status))
				return status;
			if (!bench_take_data(p, &advert, len, received++))
				return may_end(p) ? await_end(p) : 1;
			break;
		default:
			say("error: an unexpected control message");
			return 1;
		}
	}
}
