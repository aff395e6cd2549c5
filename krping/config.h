/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The options of this side that the peer prints in its result, and the context in which completions
 * are handled.
 */
#ifndef KRPING_CONFIG_H
#define KRPING_CONFIG_H

#include "test_ops.h"

/* Return the context in which the CQ handles completions. */
enum ib_poll_context krping_config_context(const struct krping_thread *thread);

/* Collect the options of this side, which the peer's result shows. */
void krping_config_fill(const struct krping_thread *thread, struct krping_config *config);

#endif /* KRPING_CONFIG_H */
