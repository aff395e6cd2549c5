/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What client and server agree to run: the client asks, the server adopts or
 * says why not.
 */
#ifndef KRPING_AGREE_H
#define KRPING_AGREE_H

#include "options.h"
#include "wire.h"

/* Largest data of a user-space rping, with its NUL. */
#define KRPING_RPING_SIZE_MAX	65536

void krping_agree_ask(const struct krping_options *opts,
		      struct krping_agreement *ask);
u8 krping_agree_adopt(const struct krping_options *own,
		      const struct krping_agreement *ask,
		      struct krping_options *opts, u64 *limit);
u8 krping_agree_old_peer(struct krping_options *opts, u64 *limit);

#endif /* KRPING_AGREE_H */
