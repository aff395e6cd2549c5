/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The functions of the test conform that the rest of the module calls.
 */
#ifndef KRPING_CONFORM_H
#define KRPING_CONFORM_H

#include <linux/types.h>

#include "../options.h"

struct krping_conform_results;
struct seq_file;

/* Check that the cases and groups of the option case= exist. */
int krping_conform_check(const struct krping_options *opts, char *why, size_t why_size);

/* Print the results of the cases that have ended. */
void krping_conform_show(struct seq_file *m, const struct krping_conform_results *results);

/* Print the list of all cases. */
void krping_conform_list(struct seq_file *m);

void krping_conform_free(struct krping_conform_results *results);

#endif /* KRPING_CONFORM_H */
