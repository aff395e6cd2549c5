// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Negotiation: the client puts its request into the CM private data, and the
 * server adopts the request or rejects the client.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "negotiate.h"

/**
 * krping_negotiate_request() - build a client's request, or a server's answer
 * @opts: options of this side's test
 * @request: output: the parameters that @opts determines; the caller sets the others, such as
 *	conn_idx and config
 *
 * The count includes the warm-up. The count is 0 if there is a duration, because the number of
 * iterations depends on the time.
 */
void krping_negotiate_request(const struct krping_options *opts,
			      struct krping_params *request)
{
	memset(request, 0, sizeof(*request));
	request->test = opts->test;
	request->size = opts->size;
	request->stride = opts->stride;
	request->conns_total = 1;
	if (opts->count && !opts->duration)
		request->count = opts->count + opts->warmup;
	request->flags = KRPING_WIRE_REPORT;
	if (opts->validate)
		request->flags |= KRPING_WIRE_VALIDATE;
	if (opts->server_inv)
		request->flags |= KRPING_WIRE_SERVER_INV;
	if (opts->read_inv)
		request->flags |= KRPING_WIRE_READ_INV;
	if (opts->duplex)
		request->flags |= KRPING_WIRE_DUPLEX;
	if (opts->imm)
		request->flags |= KRPING_WIRE_IMM;
	if (opts->atomic)
		request->flags |= KRPING_WIRE_ATOMIC;
}

/* Check that the requested test allows the requested flags, size and stride. */
static bool krping_negotiate_request_ok(const struct krping_params *request)
{
	static const u16 flags[] = {
		[KRPING_TEST_PING] = KRPING_WIRE_SERVER_INV |
				     KRPING_WIRE_READ_INV,
		[KRPING_TEST_WLAT] = KRPING_WIRE_IMM,
		[KRPING_TEST_RLAT] = KRPING_WIRE_ATOMIC,
		[KRPING_TEST_SLAT] = KRPING_WIRE_IMM,
		[KRPING_TEST_BW] = KRPING_WIRE_IMM | KRPING_WIRE_DUPLEX,
		[KRPING_TEST_RBW] = KRPING_WIRE_DUPLEX,
		[KRPING_TEST_SBW] = KRPING_WIRE_IMM | KRPING_WIRE_DUPLEX,
		[KRPING_TEST_FR] = 0,
		[KRPING_TEST_SESSION] = 0,
		[KRPING_TEST_KRDMA] = 0,
		[KRPING_TEST_CONFORM] = 0,
	};

	static_assert(ARRAY_SIZE(flags) == KRPING_TEST_COUNT);

	if (request->flags & KRPING_WIRE_ATOMIC && request->size != sizeof(u64))
		return false;
	/* With a stride the server needs the client's txdepth, which is the number of addresses. */
	if (request->stride && (!request->config.known ||
				request->config.txdepth > KRPING_TXDEPTH_MAX))
		return false;
	return !(request->flags & ~(flags[request->test] | KRPING_WIRE_VALIDATE |
				KRPING_WIRE_REPORT));
}

/**
 * krping_negotiate_adopt() - adopt the request of a client, or reject the client
 * @own: the server's command
 * @request: the client's request
 * @opts: output: the options of the test; valid if the request is adopted
 * @limit: output: for %KRPING_REJ_TEST the test, for %KRPING_REJ_SIZE the largest
 *	size that the server accepts; else 0
 *
 * The test, its size, stride and count, and the flags come from the request. The count includes the
 * client's warm-up, so the server's warmup is 0. Other options stay as in the server's command.
 * Among them are mem_mode, poll, cq, cpu, txdepth and verbose, which concern the server's safety or
 * load.
 *
 * Return: 0, or the &enum krping_rej_reason of the reject.
 */
u8 krping_negotiate_adopt(const struct krping_options *own,
			  const struct krping_params *request,
			  struct krping_options *opts, u64 *limit)
{
	*limit = 0;
	if (!krping_negotiate_request_ok(request))
		return KRPING_REJ_MALFORMED;
	if (request->test == KRPING_TEST_SESSION && !own->export_size)
		return KRPING_REJ_EXPORT;
	/* Only a listener of krdma.h serves krdma, and no command starts such a listener. */
	if ((own->test_given || request->test == KRPING_TEST_KRDMA) && own->test != request->test) {
		*limit = own->test;
		return KRPING_REJ_TEST;
	}
	if (own->size_given && own->size < request->size) {
		*limit = own->size;
		return KRPING_REJ_SIZE;
	}

	*opts = *own;
	opts->test = request->test;
	opts->size = request->size;
	opts->stride = request->stride;
	opts->count = request->count;
	opts->warmup = 0;
	opts->validate = request->flags & KRPING_WIRE_VALIDATE;
	opts->server_inv = request->flags & KRPING_WIRE_SERVER_INV;
	opts->read_inv = request->flags & KRPING_WIRE_READ_INV;
	opts->duplex = request->flags & KRPING_WIRE_DUPLEX;
	opts->imm = request->flags & KRPING_WIRE_IMM;
	/* A server whose command names no test may have the option inline. No READ is inline. */
	if (request->test == KRPING_TEST_RLAT || request->test == KRPING_TEST_RBW)
		opts->inline_data = false;
	/* CAS and FAA share one flag, because the server handles both alike. */
	opts->atomic = request->flags & KRPING_WIRE_ATOMIC ? KRPING_ATOMIC_ANY :
							 KRPING_ATOMIC_NONE;
	return 0;
}

/**
 * krping_negotiate_old_peer() - complete the options for a client without a request
 * @opts: the server's command; on success the options of the test
 * @limit: output: for %KRPING_REJ_TEST the test that the server accepts
 *
 * An old krping and a user-space rping send no request, so the number of iterations
 * is unknown. If the server's command has no size, the buffers have the size of the
 * largest data of a user-space rping.
 *
 * Return: 0, or the &enum krping_rej_reason of the reject.
 */
u8 krping_negotiate_old_peer(struct krping_options *opts, u64 *limit)
{
	if (opts->test != KRPING_TEST_PING) {
		*limit = opts->test;
		return KRPING_REJ_TEST;
	}
	opts->count = 0;
	if (!opts->size_given)
		opts->size = KRPING_RPING_SIZE_MAX;
	return 0;
}

/**
 * krping_negotiate_hint() - explain to a client why a server has rejected its request
 * @opts: the client's command; the option validate implies a stride unless txdepth is 1
 * @reason: the &enum krping_rej_reason of the server's REJ
 *
 * A stride makes successive operations use several addresses in turn. A REJ has no room for the
 * name of a feature that the server lacks, so the server logs the name; older servers do not.
 *
 * Return: words that follow krping_rej_reason_str(), or "".
 */
const char *krping_negotiate_hint(const struct krping_options *opts, u8 reason)
{
	if (reason == KRPING_REJ_UNSUPPORTED)
		return "; the kernel log of a recent server names the feature";
	if (opts->stride && opts->validate && reason == KRPING_REJ_MALFORMED)
		return "; an older krping validates one operation at a time: use txdepth=1";
	if (opts->stride && opts->validate && reason == KRPING_REJ_SIZE)
		return "; with validate the buffer has txdepth slots: use a smaller txdepth";
	if (opts->stride && reason == KRPING_REJ_MALFORMED)
		return "; an older krping has no stride";
	if (opts->stride && reason == KRPING_REJ_SIZE)
		return "; with stride the buffer has size + stride * (txdepth - 1) bytes";
	return "";
}
