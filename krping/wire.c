// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Encode and decode krping's messages and private data.
 *
 * The decoders do not trust the peer's bytes. The decoders of private data also
 * accept any length and alignment.
 */
#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "stride.h"
#include "wire.h"

/**
 * krping_wire_ctl_encode() - fill in a control message
 * @ctl: the message, aligned
 * @type: type of the message
 * @value: value of the message, if @type has one; else 0
 */
void krping_wire_ctl_encode(struct krping_wire_ctl *ctl,
			    enum krping_ctl_type type, u64 value)
{
	memset(ctl, 0, sizeof(*ctl));
	ctl->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	ctl->type = type;
	ctl->value = cpu_to_be64(value);
}

/**
 * krping_wire_report_encode() - fill in a report
 * @wire: the message, aligned
 * @in: the figures
 */
void krping_wire_report_encode(struct krping_wire_report *wire,
			       const struct krping_peer_stats *in)
{
	int i;

	krping_wire_ctl_encode(&wire->ctl, KRPING_CTL_REPORT, in->iterations);
	wire->nsec = cpu_to_be64(in->nsec);
	for (i = 0; i < KRPING_REPORT_COUNTERS; i++)
		wire->counters[i] = cpu_to_be64(in->counters[i]);
	wire->latencies = cpu_to_be64(in->latencies);
	for (i = 0; i < KRPING_REPORT_LATENCIES; i++)
		wire->latency[i] = cpu_to_be64(in->latency[i]);
}

/**
 * krping_wire_report_decode() - read a report
 * @wire: the message, aligned, of the right length and type
 * @out: the figures, unchecked
 */
void krping_wire_report_decode(const struct krping_wire_report *wire,
			       struct krping_peer_stats *out)
{
	int i;

	out->iterations = be64_to_cpu(wire->ctl.value);
	out->nsec = be64_to_cpu(wire->nsec);
	for (i = 0; i < KRPING_REPORT_COUNTERS; i++)
		out->counters[i] = be64_to_cpu(wire->counters[i]);
	out->latencies = be64_to_cpu(wire->latencies);
	for (i = 0; i < KRPING_REPORT_LATENCIES; i++)
		out->latency[i] = be64_to_cpu(wire->latency[i]);
}

/*
 * Check that private data has the magic, this version (or, with @any_version, any), and @need
 * bytes. Return: see krping_wire_req_decode().
 */
static int krping_wire_check(const void *data, size_t len, size_t need,
			     bool any_version)
{
	const u8 *bytes = data;
	__be32 magic;

	if (!data || len < sizeof(magic))
		return -ENOENT;
	memcpy(&magic, data, sizeof(magic));
	if (be32_to_cpu(magic) != KRPING_WIRE_MAGIC)
		return -ENOENT;
	if (len == sizeof(magic))
		return -EPROTO;
	/* Check the version before the length, because another version may have another length. */
	if (!any_version && bytes[sizeof(magic)] != KRPING_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	return len < need ? -EPROTO : 0;
}

/**
 * krping_wire_config_encode() - fill in the options of this side
 * @wire: filled in, aligned; all zeros if @in->known is not set
 * @in: the options
 */
void krping_wire_config_encode(struct krping_wire_config *wire,
			       const struct krping_config *in)
{
	memset(wire, 0, sizeof(*wire));
	if (!in->known)
		return;
	wire->version = KRPING_WIRE_CONFIG_VERSION;
	wire->sge = in->sge;
	wire->flags = cpu_to_be16(in->flags);
	wire->txdepth = cpu_to_be32(in->txdepth);
	wire->rate = cpu_to_be32(in->rate);
	wire->cqmod = cpu_to_be16(in->cqmod < U16_MAX ? in->cqmod : U16_MAX);
	wire->batch = cpu_to_be16(in->batch < U16_MAX ? in->batch : U16_MAX);
	wire->qps = cpu_to_be16(in->qps);
	wire->threads = cpu_to_be16(in->threads);
}

/**
 * krping_wire_config_decode() - read the options of the peer
 * @wire: the options, aligned
 * @out: set to the options; @out->known is false if the peer has sent no options of this version
 *
 * Return: 0; -EPROTO if an option is out of range.
 */
int krping_wire_config_decode(const struct krping_wire_config *wire,
			      struct krping_config *out)
{
	memset(out, 0, sizeof(*out));
	if (wire->version != KRPING_WIRE_CONFIG_VERSION)
		return 0;
	out->sge = wire->sge;
	out->flags = be16_to_cpu(wire->flags);
	out->txdepth = be32_to_cpu(wire->txdepth);
	out->rate = be32_to_cpu(wire->rate);
	out->cqmod = be16_to_cpu(wire->cqmod);
	out->batch = be16_to_cpu(wire->batch);
	out->qps = be16_to_cpu(wire->qps);
	out->threads = be16_to_cpu(wire->threads);
	if (!out->sge || out->flags & ~KRPING_CONFIG_FLAGS || !out->txdepth ||
	    !out->qps || !out->threads ||
	    (u32)out->qps * out->threads > KRPING_WIRE_CONNS_MAX)
		return -EPROTO;
	out->known = true;
	return 0;
}

/*
 * Check whether a test may have a stride. With validate the size determines the stride, so that
 * operations in flight do not overlap.
 */
static bool krping_wire_stride_ok(u8 test, u16 flags, u32 stride, u32 size)
{
	if (!stride)
		return true;
	if (!krping_stride_allowed(test))
		return false;
	return !(flags & KRPING_WIRE_VALIDATE) || stride == krping_stride_validate(size);
}

/* Check and copy the fields that REQ and REP have in common. */
static int krping_wire_params_ok(u8 test, u16 flags, u32 stride, u32 size, u64 count,
				 struct krping_params *out)
{
	if (test >= KRPING_TEST_COUNT)
		return -EPROTO;
	if (flags & ~KRPING_WIRE_FLAGS)
		return -EPROTO;
	if (!size || !krping_wire_stride_ok(test, flags, stride, size))
		return -EPROTO;

	memset(out, 0, sizeof(*out));
	out->test = test;
	out->flags = flags;
	out->size = size;
	out->stride = stride;
	out->count = count;
	out->conns_total = 1;
	return 0;
}

/**
 * krping_wire_req_encode() - fill in the private data of a REQ
 * @req: the private data
 * @in: parameters that the client asks for
 */
void krping_wire_req_encode(struct krping_wire_req *req,
			    const struct krping_params *in)
{
	memset(req, 0, sizeof(*req));
	req->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	req->version = KRPING_WIRE_VERSION;
	req->test = in->test;
	req->flags = cpu_to_be16(in->flags);
	req->stride = cpu_to_be32(in->stride);
	req->size = cpu_to_be32(in->size);
	req->count = cpu_to_be64(in->count);
	req->session = cpu_to_be32(in->session);
	req->conn_idx = cpu_to_be16(in->conn_idx);
	req->conns_total = cpu_to_be16(in->conns_total);
	req->recvs = cpu_to_be32(in->recvs);
	krping_wire_config_encode(&req->config, &in->config);
}

/**
 * krping_wire_req_decode() - read the private data of a REQ
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: parameters that the client asks for; unchanged on error
 *
 * The magic identifies the data. The length does not, because RoCE pads private
 * data with zeros.
 *
 * Return: 0; -ENOENT if there is no magic, as from an old krping or a user-space
 * rping; -EPROTONOSUPPORT for another version; -EPROTO if the private data is
 * truncated or a field is invalid.
 */
int krping_wire_req_decode(const void *data, size_t len,
			   struct krping_params *out)
{
	struct krping_wire_req req = { 0 };
	struct krping_config config;
	u16 conn_idx, conns_total;
	int ret;

	ret = krping_wire_check(data, len, KRPING_WIRE_REQ_MIN, false);
	if (ret)
		return ret;
	/* A shorter REQ comes from an older krping, and has no options. */
	memcpy(&req, data, len < sizeof(req) ? offsetof(struct krping_wire_req, config) :
					       sizeof(req));
	conn_idx = be16_to_cpu(req.conn_idx);
	conns_total = be16_to_cpu(req.conns_total) ? be16_to_cpu(req.conns_total) : 1;
	if (conn_idx >= conns_total || conns_total > KRPING_WIRE_CONNS_MAX)
		return -EPROTO;
	ret = krping_wire_config_decode(&req.config, &config);
	if (ret)
		return ret;
	ret = krping_wire_params_ok(req.test, be16_to_cpu(req.flags),
				    be32_to_cpu(req.stride), be32_to_cpu(req.size),
				    be64_to_cpu(req.count), out);
	if (ret)
		return ret;
	out->config = config;
	out->session = be32_to_cpu(req.session);
	out->conn_idx = conn_idx;
	out->conns_total = conns_total;
	out->recvs = be32_to_cpu(req.recvs);
	return 0;
}

/**
 * krping_wire_rep_encode() - fill in the private data of a REP
 * @rep: the private data
 * @in: parameters that the server runs
 */
void krping_wire_rep_encode(struct krping_wire_rep *rep,
			    const struct krping_params *in)
{
	memset(rep, 0, sizeof(*rep));
	rep->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	rep->version = KRPING_WIRE_VERSION;
	rep->test = in->test;
	rep->flags = cpu_to_be16(in->flags);
	rep->stride = cpu_to_be32(in->stride);
	rep->size = cpu_to_be32(in->size);
	rep->count = cpu_to_be64(in->count);
	rep->recvs = cpu_to_be32(in->recvs);
	krping_wire_config_encode(&rep->config, &in->config);
}

/**
 * krping_wire_rep_decode() - read the private data of a REP
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: parameters that the server runs; unchanged on error
 *
 * Return: as krping_wire_req_decode().
 */
int krping_wire_rep_decode(const void *data, size_t len,
			   struct krping_params *out)
{
	struct krping_wire_rep rep = { 0 };
	struct krping_config config;
	int ret;

	ret = krping_wire_check(data, len, KRPING_WIRE_REP_MIN, false);
	if (ret)
		return ret;
	memcpy(&rep, data, len < sizeof(rep) ? offsetof(struct krping_wire_rep, config) :
					       sizeof(rep));
	ret = krping_wire_config_decode(&rep.config, &config);
	if (ret)
		return ret;
	ret = krping_wire_params_ok(rep.test, be16_to_cpu(rep.flags),
				    be32_to_cpu(rep.stride), be32_to_cpu(rep.size),
				    be64_to_cpu(rep.count), out);
	if (ret)
		return ret;
	out->recvs = be32_to_cpu(rep.recvs);
	out->config = config;
	return 0;
}

/**
 * krping_wire_rej_encode() - fill in the private data of a REJ
 * @rej: the private data
 * @reason: reason for which the server rejects the client
 * @limit: see &enum krping_rej_reason; 0: @reason has no limit
 */
void krping_wire_rej_encode(struct krping_wire_rej *rej,
			    enum krping_rej_reason reason, u64 limit)
{
	memset(rej, 0, sizeof(*rej));
	rej->magic = cpu_to_be32(KRPING_WIRE_MAGIC);
	rej->version = KRPING_WIRE_VERSION;
	rej->reason = reason;
	rej->limit = cpu_to_be64(limit);
}

/**
 * krping_wire_rej_decode() - read the private data of a REJ
 * @data: the private data, of any alignment, or NULL
 * @len: its length in bytes, padding included
 * @out: the rejection; unchanged on error
 *
 * The layout of a REJ is the same in all versions. The reason may be unknown to this
 * version.
 *
 * Return: 0; -ENOENT if there is no magic, as from an old krping or another program;
 * -EPROTO if the private data is truncated or the reason is 0.
 */
int krping_wire_rej_decode(const void *data, size_t len,
			   struct krping_rejection *out)
{
	struct krping_wire_rej rej;
	int ret;

	ret = krping_wire_check(data, len, sizeof(rej), true);
	if (ret)
		return ret;
	memcpy(&rej, data, sizeof(rej));
	if (!rej.reason)
		return -EPROTO;

	out->version = rej.version;
	out->reason = rej.reason;
	out->limit = be64_to_cpu(rej.limit);
	return 0;
}

/**
 * krping_rej_reason_str() - describe a server's reason for a REJ
 * @reason: an enum krping_rej_reason, or any other number
 *
 * Return: words that follow "the server"; never NULL.
 */
const char *krping_rej_reason_str(u8 reason)
{
	switch (reason) {
	case KRPING_REJ_BUSY:
		return "is busy with another client";
	case KRPING_REJ_VERSION:
		return "does not support this version of krping";
	case KRPING_REJ_MALFORMED:
		return "received a malformed request";
	case KRPING_REJ_TEST:
		return "runs another test";
	case KRPING_REJ_SIZE:
		return "does not take this size";
	case KRPING_REJ_UNSUPPORTED:
		return "does not support the request";
	case KRPING_REJ_DEVICE:
		return "is bound to another device";
	case KRPING_REJ_RESOURCES:
		return "is out of resources";
	case KRPING_REJ_STOPPED:
		return "is being stopped";
	case KRPING_REJ_EXPORT:
		return "exports no memory; give it export=SIZE";
	case KRPING_REJ_ADDRESS:
		return "does not allow the client's address; see allow=";
	default:
		return "gives a reason that is not known here";
	}
}
