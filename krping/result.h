/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tests in words: the list of those that run, and the result of one.
 */
#ifndef KRPING_RESULT_H
#define KRPING_RESULT_H

#include <linux/types.h>

struct krping_test;
struct net;
struct seq_file;

void krping_result_show(struct seq_file *m, const struct krping_test *test);
void krping_result_show_plain(struct seq_file *m, const char *what, int error,
			      const char *detail);
void krping_list_show(struct seq_file *m, const struct net *net);

#endif /* KRPING_RESULT_H */
