// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What client and server agree to run.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "negotiate.h"

/**
 * krping_negotiate_request() - what a client asks its server to run
 * @opts: the client's command
 * @ask: to be filled in
 *
 * The iterations are those on the wire, warm-up included. A client that also
 * stops by time cannot promise a number.
 */
void krping_negotiate_request(const struct krping_options *opts,
			      struct krping_params *ask)
{
	memset(ask, 0, sizeof(*ask));
	ask->test = opts->test;
	ask->size = opts->size;
	ask->lanes = 1;
	if (opts->count && !opts->duration)
		ask->count = opts->count + opts->warmup;
	ask->flags = KRPING_WIRE_REPORT;
	if (opts->validate)
		ask->flags |= KRPING_WIRE_VALIDATE;
	if (opts->server_inv)
		ask->flags |= KRPING_WIRE_SERVER_INV;
	if (opts->read_inv)
		ask->flags |= KRPING_WIRE_READ_INV;
	if (opts->duplex)
		ask->flags |= KRPING_WIRE_DUPLEX;
	if (opts->imm)
		ask->flags |= KRPING_WIRE_IMM;
	if (opts->atomic)
		ask->flags |= KRPING_WIRE_ATOMIC;
}

/* Does what the client asks for go together? */
static bool krping_negotiate_request_ok(const struct krping_params *ask)
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
	};

	static_assert(ARRAY_SIZE(flags) == KRPING_TEST_COUNT);

	if (ask->flags & KRPING_WIRE_ATOMIC && ask->size != sizeof(u64))
		return false;
	return !(ask->flags & ~(flags[ask->test] | KRPING_WIRE_VALIDATE |
				KRPING_WIRE_REPORT));
}

/**
 * krping_negotiate_adopt() - a server takes over what its client asks for
 * @own: the server's command
 * @ask: what the client asks for
 * @opts: what is to be run, if the result is 0
 * @limit: what would have been accepted, if the result is a reason with a limit
 *
 * What the server does for its own safety or load is never adopted: mem_mode,
 * poll, cq, cpu, txdepth, verbose.
 *
 * Return: 0, or the &enum krping_rej_reason to turn the client away with.
 */
u8 krping_negotiate_adopt(const struct krping_options *own,
			  const struct krping_params *ask,
			  struct krping_options *opts, u64 *limit)
{
	*limit = 0;
	if (!krping_negotiate_request_ok(ask))
		return KRPING_REJ_MALFORMED;
	if (own->test_given && own->test != ask->test) {
		*limit = own->test;
		return KRPING_REJ_TEST;
	}
	if (own->size_given && own->size < ask->size) {
		*limit = own->size;
		return KRPING_REJ_SIZE;
	}

	*opts = *own;
	opts->test = ask->test;
	opts->size = ask->size;
	opts->count = ask->count;
	opts->warmup = 0;
	opts->validate = ask->flags & KRPING_WIRE_VALIDATE;
	opts->server_inv = ask->flags & KRPING_WIRE_SERVER_INV;
	opts->read_inv = ask->flags & KRPING_WIRE_READ_INV;
	opts->duplex = ask->flags & KRPING_WIRE_DUPLEX;
	opts->imm = ask->flags & KRPING_WIRE_IMM;
	/* A server that names no test may have been given what is not for this one. */
	if (ask->test == KRPING_TEST_RLAT || ask->test == KRPING_TEST_RBW)
		opts->inline_data = false;
	/* Which of them it is makes no difference to the server. */
	opts->atomic = ask->flags & KRPING_WIRE_ATOMIC ? KRPING_ATOMIC_ANY :
							 KRPING_ATOMIC_NONE;
	return 0;
}

/**
 * krping_negotiate_old_peer() - a server's options for a client that does not ask
 * @opts: the server's command, to be completed
 *
 * @limit: what would have been accepted, if the result is a reason with a limit
 *
 * Such a client may do any number of iterations. A server without a size of its
 * own has room for whatever a user-space rping sends.
 *
 * Return: 0, or the &enum krping_rej_reason to turn the client away with.
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
