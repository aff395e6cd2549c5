// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client of the microbenchmarks, and its faults. Both sides send adverts, then one or
 * both post operations, and in the end the client sends FINISH and the server sends REPORT.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "peer.h"

/*
 * Receive a credit or a refill. Set *taken to the number of acknowledged operations.
 * Return: true on success.
 */
static bool bench_await_credit(struct peer *p, enum ctl_type type, uint64_t *taken)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	if (ctl_type(data, len) != type) {
		say("error: a message of %u bytes instead of a credit", len);
		return false;
	}
	*taken = ctl_value(data);
	say("credit %" PRIu64, *taken);
	return true;
}

/* Check whether the echo of a WRITE of wlat has arrived: both ends of the sink are @seq. */
static bool sink_is(const struct peer *p, uint8_t seq)
{
	return __atomic_load_n(&p->sink[0], __ATOMIC_ACQUIRE) == seq &&
	       __atomic_load_n(&p->sink[p->size - 1], __ATOMIC_ACQUIRE) == seq;
}

static bool bench_wlat(struct peer *p, const struct msg *advert, uint64_t n)
{
	uint8_t seq = n % 255 + 1;
	int64_t end = now_ms() + p->opt.timeout_ms;

	p->source[0] = seq;
	p->source[p->size - 1] = seq;
	if (!rdma_all(p, IBV_WR_RDMA_WRITE, advert, p->size))
		return false;
	while (!sink_is(p, seq)) {
		if (now_ms() > end || is_over(p) || p->wc_failed) {
			say("error: no echo");
			return false;
		}
		reap_events(p);
		reap_completions(p);
	}
	return true;
}

/* Do operation @n. Without duplex, wait first until the server has a free RECV (and slot). */
static bool bench_stream(struct peer *p, const struct msg *advert, uint64_t n,
			 uint64_t *taken)
{
	uint64_t window = p->recvs;

	if (validates(p) && window > nr_slots(p))
		window = nr_slots(p);
	while (!is_duplex(p) && n >= *taken + window)
		if (!bench_await_credit(p, CTL_CREDIT, taken))
			return false;
	if (!bench_put(p, advert, n))
		return false;
	return !is_duplex(p) || p->spoiled || bench_await(p, n);
}

/* READ the slot of operation @n. When all slots are read, wait until the server refills them. */
static bool bench_read(struct peer *p, const struct msg *advert, uint64_t n, uint64_t *taken)
{
	const struct extent e = { .off = slot_off(p, n), .len = p->size };
	bool refills = nr_slots(p) > 1;

	while (refills && n >= *taken + nr_slots(p)) {
		send_ctl(p, CTL_CREDIT, fault_is(p, FAULT_OVERTAKE, n) ? p->opt.number : n, 16);
		if (!bench_await_credit(p, CTL_REFILL, taken))
			return false;
	}
	return rdma_at(p, IBV_WR_RDMA_READ, advert, &e) &&
	       (!validates(p) || data_is(p->source, p->size, refills ? n : 0));
}

static bool bench_operation(struct peer *p, const struct msg *advert, uint64_t n,
			    uint64_t *taken)
{
	/* fr moves no data. */
	if (p->test == TEST_FR)
		return true;
	if (moved_by_read(p))
		return bench_read(p, advert, n, taken);
	if (!seen_by_recv(p))
		return p->test == TEST_WLAT ?
		       bench_wlat(p, advert, n) :
		       rdma_all(p, IBV_WR_RDMA_WRITE, advert, p->size);
	if (p->test == TEST_BW || p->test == TEST_SBW)
		return bench_stream(p, advert, n, taken);
	return bench_put(p, advert, n) && (p->spoiled || bench_await(p, n));
}

static void bench_pause(struct peer *p)
{
	say("pause");
	while (access(p->opt.pause, F_OK))
		usleep(TICK_MS * 1000);
}

/* Return: 1 after all operations; 0 after a fault or an error, with *status set. */
static int bench_operations(struct peer *p, const struct msg *advert, int *status)
{
	uint64_t taken = 0;
	uint64_t n;

	if (p->opt.pause)
		bench_pause(p);
	for (n = 0; n < p->opt.count; n++) {
		if (fault_at(p, STAGE_FIRST, n, status))
			return 0;
		if (fault_is(p, FAULT_CTL, n)) {
			send_wrong_ctl(p, p->opt.word);
			*status = await_end(p);
			return 0;
		}
		if (fault_is(p, FAULT_BURST, n)) {
			bench_burst(p, advert);
			*status = await_end(p);
			return 0;
		}
		if (fault_is(p, FAULT_LENGTH, n)) {
			say("fault: data of %" PRIu64 " bytes", p->opt.number);
			bench_send(p, p->opt.number);
			*status = await_end(p);
			return 0;
		}
		if (!bench_operation(p, advert, n, &taken)) {
			say("error in operation %" PRIu64, n);
			*status = p->spoiled ? await_end(p) : 1;
			return 0;
		}
		if (p->spoiled && validates(p)) {
			*status = await_end(p);
			return 0;
		}
	}
	say("operations=%" PRIu64, n);
	return 1;
}

/* Return the MR that the server accesses, or NULL. Fill a buffer that the server will READ. */
static const struct ibv_mr *bench_client_shared(struct peer *p)
{
	struct extent all;

	if (p->test == TEST_WLAT)
		return p->sink_mr;
	if (!(p->flags & FLAG_DUPLEX))
		return NULL;
	switch (p->test) {
	case TEST_BW:
		return p->sink_mr;
	case TEST_RBW:
		/* rdma_all() READs into the source, so the server reads the sink. */
		fill_pattern(p->source, p->size, 0);
		if (p->opt.fault == FAULT_CORRUPT)
			spoil_data(p, 0, true, &all);
		memcpy(p->sink, p->source, p->size);
		return p->sink_mr;
	default:
		return NULL;
	}
}

int bench_client(struct peer *p)
{
	struct msg advert;
	int status = 1;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_EARLY) {
		say("fault: data before the buffer advert");
		bench_send(p, p->size);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_CTL_SECOND) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	if (bench_send_advert(p, bench_client_shared(p)))
		return await_end(p);
	if (!bench_take_advert(p, &advert) ||
	    !bench_operations(p, &advert, &status))
		return status;
	p->opt.at = 0;
	if (fault_at(p, STAGE_REPORT, 0, &status))
		return status;
	if (send_finish(p, be32toh(advert.rkey)))
		return 1;
	rdma_disconnect(p->id);
	return !wait_for(p, is_over);
}
