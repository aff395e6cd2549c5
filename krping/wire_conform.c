// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encode and decode the messages of the test conform.
 */
#include <linux/limits.h>
#include <linux/string.h>

#include "wire_conform.h"

/* Limits of the peer's values: of an errno, and of an enum of the RDMA core. */
#define KRPING_CONFORM_ERRNO_MAX	4095
#define KRPING_CONFORM_ENUM_MAX		255

/**
 * krping_wire_conform_ask_encode() - fill in a request
 * @wire: the message, aligned
 * @in: the request
 */
void krping_wire_conform_ask_encode(struct krping_wire_conform_ask *wire,
				    const struct krping_conform_ask *in)
{
	int i;

	memset(wire, 0, sizeof(*wire));
	krping_wire_ctl_encode(&wire->ctl, KRPING_CTL_CONFORM_ASK, in->nr);
	wire->step = cpu_to_be32(in->step);
	for (i = 0; i < KRPING_CONFORM_ARGS; i++)
		wire->args[i] = cpu_to_be32(in->args[i]);
}

/**
 * krping_wire_conform_ask_decode() - read a request
 * @wire: the message, aligned, of the right length and type
 * @out: the request, unchecked
 */
void krping_wire_conform_ask_decode(const struct krping_wire_conform_ask *wire,
				    struct krping_conform_ask *out)
{
	int i;

	out->nr = be64_to_cpu(wire->ctl.value);
	out->step = be32_to_cpu(wire->step);
	for (i = 0; i < KRPING_CONFORM_ARGS; i++)
		out->args[i] = be32_to_cpu(wire->args[i]);
}

/**
 * krping_wire_conform_answer_encode() - fill in an answer
 * @wire: the message, aligned
 * @in: the answer
 */
void krping_wire_conform_answer_encode(struct krping_wire_conform_answer *wire,
				       const struct krping_conform_answer *in)
{
	const struct krping_conform_record *r = &in->record;
	int i;

	memset(wire, 0, sizeof(*wire));
	krping_wire_ctl_encode(&wire->ctl, KRPING_CTL_CONFORM_ANSWER, in->nr);
	wire->error = cpu_to_be32(-in->error);
	wire->nr_wcs = cpu_to_be32(r->nr_wcs);
	wire->event = cpu_to_be32(r->event + 1);
	wire->state = cpu_to_be32(r->state + 1);
	wire->ended = cpu_to_be32(r->ended);
	wire->changed = cpu_to_be32(r->changed);
	wire->first = cpu_to_be32(r->first);
	wire->garbled = cpu_to_be32(r->garbled);
	wire->imm = cpu_to_be32(r->imm);
	wire->key = cpu_to_be32(in->key);
	wire->addr = cpu_to_be64(in->addr);
	for (i = 0; i < KRPING_CONFORM_WCS; i++) {
		wire->wc[i].id = r->wc[i].id;
		wire->wc[i].status = r->wc[i].status;
		wire->wc[i].opcode = r->wc[i].opcode;
		wire->wc[i].flags = r->wc[i].flags;
		wire->wc[i].vendor_err = cpu_to_be32(r->wc[i].vendor_err);
		wire->wc[i].byte_len = cpu_to_be32(r->wc[i].byte_len);
	}
}

/* Decode 1 + n as n, and 0 (no value) as -1. Limit n, because peer values are untrusted. */
static int krping_wire_small(__be32 value)
{
	u32 v = be32_to_cpu(value);

	return v > KRPING_CONFORM_ENUM_MAX ? KRPING_CONFORM_ENUM_MAX : (int)v - 1;
}

/**
 * krping_wire_conform_answer_decode() - read an answer
 * @wire: the message, aligned, of the right length and type
 * @out: the answer; errno, event and state are in their range, the rest is unchecked
 */
void krping_wire_conform_answer_decode(const struct krping_wire_conform_answer *wire,
				       struct krping_conform_answer *out)
{
	struct krping_conform_record *r = &out->record;
	u32 error = be32_to_cpu(wire->error);
	int i;

	out->nr = be64_to_cpu(wire->ctl.value);
	out->error = error > KRPING_CONFORM_ERRNO_MAX ? -EPROTO : -(int)error;
	out->key = be32_to_cpu(wire->key);
	out->addr = be64_to_cpu(wire->addr);
	r->nr_wcs = be32_to_cpu(wire->nr_wcs);
	r->event = krping_wire_small(wire->event);
	r->state = krping_wire_small(wire->state);
	r->ended = be32_to_cpu(wire->ended);
	r->changed = be32_to_cpu(wire->changed);
	r->first = be32_to_cpu(wire->first);
	r->garbled = be32_to_cpu(wire->garbled);
	r->imm = be32_to_cpu(wire->imm);
	for (i = 0; i < KRPING_CONFORM_WCS; i++) {
		r->wc[i].id = wire->wc[i].id;
		r->wc[i].status = wire->wc[i].status;
		r->wc[i].opcode = wire->wc[i].opcode;
		r->wc[i].flags = wire->wc[i].flags;
		r->wc[i].vendor_err = be32_to_cpu(wire->wc[i].vendor_err);
		r->wc[i].byte_len = be32_to_cpu(wire->wc[i].byte_len);
	}
}

/**
 * krping_wire_conform_trace_encode() - fill in a trace
 * @wire: the message, aligned
 * @nr: number of the request
 * @in: the trace
 */
void krping_wire_conform_trace_encode(struct krping_wire_conform_trace *wire, u64 nr,
				      const struct krping_conform_trace *in)
{
	int i;

	memset(wire, 0, sizeof(*wire));
	krping_wire_ctl_encode(&wire->ctl, KRPING_CTL_CONFORM_TRACE, nr);
	for (i = 0; i < KRPING_CONFORM_WCS; i++)
		wire->wc_usec[i] = cpu_to_be32(in->wc_usec[i]);
	wire->nr_events = cpu_to_be32(in->nr_events);
	for (i = 0; i < KRPING_CONFORM_EVENTS; i++) {
		wire->event[i].object = in->event[i].object;
		wire->event[i].event = in->event[i].event;
		wire->event[i].usec = cpu_to_be32(in->event[i].usec);
	}
}

/**
 * krping_wire_conform_trace_decode() - read a trace
 * @wire: the message, aligned, of the right length and type
 * @out: the trace, unchecked
 */
void krping_wire_conform_trace_decode(const struct krping_wire_conform_trace *wire,
				      struct krping_conform_trace *out)
{
	int i;

	for (i = 0; i < KRPING_CONFORM_WCS; i++)
		out->wc_usec[i] = be32_to_cpu(wire->wc_usec[i]);
	out->nr_events = be32_to_cpu(wire->nr_events);
	for (i = 0; i < KRPING_CONFORM_EVENTS; i++) {
		out->event[i].object = wire->event[i].object;
		out->event[i].event = wire->event[i].event;
		out->event[i].usec = be32_to_cpu(wire->event[i].usec);
	}
}
