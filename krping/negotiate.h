/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Negotiation: a client requests a test, and its server adopts the request or
 * rejects the client with a reason.
 */
#ifndef KRPING_NEGOTIATE_H
#define KRPING_NEGOTIATE_H

#include "options.h"
#include "wire.h"

/* Maximum number of bytes that a user-space rping sends per iteration, final NUL included. */
#define KRPING_RPING_SIZE_MAX	65536

/* Build a client's request, or a server's answer. */
void krping_negotiate_request(const struct krping_options *opts,
			      struct krping_params *request);

/*
 * Adopt or reject a client that has sent a request, or an old peer, which sends none. Return 0, or
 * the reason of the reject.
 */
u8 krping_negotiate_adopt(const struct krping_options *own,
			  const struct krping_params *request,
			  struct krping_options *opts, u64 *limit);
u8 krping_negotiate_old_peer(struct krping_options *opts, u64 *limit);

/* Return words that follow krping_rej_reason_str(): the likely cause, or "". */
const char *krping_negotiate_hint(const struct krping_options *opts, u8 reason);

#endif /* KRPING_NEGOTIATE_H */
