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

/* The client's request or the server's answer; the server's decision, 0 or a reason to reject. */
void krping_negotiate_request(const struct krping_options *opts,
			      struct krping_params *request);
u8 krping_negotiate_adopt(const struct krping_options *own,
			  const struct krping_params *request,
			  struct krping_options *opts, u64 *limit);
/* The decision about a client that sends no request: an old krping or a user-space rping. */
u8 krping_negotiate_old_peer(struct krping_options *opts, u64 *limit);

#endif /* KRPING_NEGOTIATE_H */
