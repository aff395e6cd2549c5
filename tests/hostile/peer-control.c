// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Recognize and send control messages.
 */
#include <endian.h>
#include <inttypes.h>
#include <string.h>

#include "peer.h"

/* Return: the type of a control message; CTL_NONE for any other message. */
enum ctl_type ctl_type(const void *data, uint32_t len)
{
	static const uint32_t length[] = {
		[CTL_FINISH] = 16, [CTL_CREDIT] = 16, [CTL_REPORT] = 168,
		[CTL_BUF_ADVERT] = 32, [CTL_REFILL] = 16,
	};
	const struct ctl *ctl = data;

	if (len < sizeof(*ctl) || be32toh(ctl->magic) != MAGIC ||
	    ctl->type >= ARRAY_SIZE(length) || len != length[ctl->type])
		return CTL_NONE;
	return ctl->type;
}

/* Return: the value of a control message. */
uint64_t ctl_value(const void *data)
{
	struct ctl ctl;

	memcpy(&ctl, data, sizeof(ctl));
	return be64toh(ctl.value);
}

void send_ctl(struct peer *p, enum ctl_type type, uint64_t value, uint32_t len)
{
	struct ctl ctl = {
		.magic = htobe32(MAGIC),
		.type = type,
		.value = htobe64(value),
	};

	send_data(p, &ctl, sizeof(ctl), len, false, 0);
}

/* Send krping a control message that is unexpected, unknown, or of a wrong length. */
void send_wrong_ctl(struct peer *p, const char *what)
{
	say("fault: control message %s", what);
	if (!strcmp(what, "finish"))
		send_ctl(p, CTL_FINISH, 0, 16);
	else if (!strcmp(what, "credit"))
		send_ctl(p, CTL_CREDIT, 1, 16);
	else if (!strcmp(what, "report"))
		send_ctl(p, CTL_REPORT, 0, 168);
	else if (!strcmp(what, "advert"))
		send_ctl(p, CTL_BUF_ADVERT, 0, 32);
	else if (!strcmp(what, "garbage"))
		send_ctl(p, 0xee, 0xeeeeeeeeeeeeeeee, 16);
	else if (!strcmp(what, "short"))
		send_ctl(p, CTL_FINISH, 0, 15);
	else if (!strcmp(what, "long"))
		send_ctl(p, CTL_FINISH, 0, 17);
	else if (!strcmp(what, "stump"))
		send_ctl(p, CTL_REPORT, 0, 167);
	else
		die("what control message is %s?", what);
}

/* Send a report. Its figures differ from each other, but latencies is equal to @iterations. */
void send_report(struct peer *p, uint64_t iterations)
{
	struct report report = {
		.ctl = {
			.magic = htobe32(MAGIC),
			.type = CTL_REPORT,
			.value = htobe64(iterations),
		},
		.nsec = htobe64(4711),
		.latencies = htobe64(iterations),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(report.counters); i++)
		report.counters[i] = htobe64(101 + i);
	for (i = 0; i < ARRAY_SIZE(report.latency); i++)
		report.latency[i] = htobe64(201 + i);
	if (p->opt.fault == FAULT_BOAST) {
		say("fault: a report that cannot be true");
		report.ctl.value = htobe64(1ULL << 63);
		report.nsec = htobe64(1);
	}
	send_data(p, &report, sizeof(report), sizeof(report), false, 0);
}

/*
 * Send the finish message and receive the server's report. The fault `inv` sends a
 * SEND_WITH_INV, which invalidates @key, the key of the server's buffer. Return: the exit status.
 */
int send_finish(struct peer *p, uint32_t key)
{
	const struct ctl ctl = {
		.magic = htobe32(MAGIC),
		.type = CTL_FINISH,
	};
	uint8_t data[RECV_BYTES];
	struct report report;
	uint32_t len;
	int ret;

	if (p->opt.fault == FAULT_INV)
		say("fault: SEND_WITH_INV of key 0x%x", key);
	send_data(p, &ctl, sizeof(ctl), sizeof(ctl), p->opt.fault == FAULT_INV, key);
	do {
		ret = receive_data(p, data, &len);
	} while (ret > 0 && ctl_type(data, len) == CTL_CREDIT);
	if (ret <= 0 || ctl_type(data, len) != CTL_REPORT) {
		say("error: no report");
		return 1;
	}
	memcpy(&report, data, sizeof(report));
	say("report iterations=%" PRIu64 " nsec=%s latencies=%" PRIu64,
	    be64toh(report.ctl.value), report.nsec ? "given" : "0",
	    be64toh(report.latencies));
	say("report send=%" PRIu64 "/%" PRIu64 " recv=%" PRIu64 "/%" PRIu64
	    " write=%" PRIu64 "/%" PRIu64 " read=%" PRIu64 "/%" PRIu64,
	    be64toh(report.counters[0]), be64toh(report.counters[1]),
	    be64toh(report.counters[2]), be64toh(report.counters[3]),
	    be64toh(report.counters[4]), be64toh(report.counters[5]),
	    be64toh(report.counters[6]), be64toh(report.counters[7]));
	return 0;
}
