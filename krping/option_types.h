/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Parse an operand, or take the default of an option, and store the value in struct krping_options.
 */
#ifndef KRPING_OPTION_TYPES_H
#define KRPING_OPTION_TYPES_H

#include "option_table.h"

/* Check whether a character of the user's text may reach the log or a result. */
bool krping_is_printable(char c);

/* Parse an operand and store its value in @opts. */
int krping_option_set(struct krping_options *opts, const struct krping_option *o,
		      const char *operand);

/* Store the default of an option in @opts. */
void krping_option_set_default(struct krping_options *opts,
			       const struct krping_option *o);

#endif /* KRPING_OPTION_TYPES_H */
