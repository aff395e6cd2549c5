/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Print the lines of a result that describe how krping has measured its figures.
 */
#ifndef KRPING_RESULT_CONFIG_H
#define KRPING_RESULT_CONFIG_H

struct krping_test;
struct seq_file;

void krping_result_show_config(struct seq_file *m, const struct krping_test *test);

#endif /* KRPING_RESULT_CONFIG_H */
