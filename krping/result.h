/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Print the result of a test, and the list of running tests.
 */
#ifndef KRPING_RESULT_H
#define KRPING_RESULT_H

#include <linux/types.h>

struct krping_test;
struct net;
struct seq_file;

/* Print the result of a test, or its result so far. */
void krping_result_show(struct seq_file *m, const struct krping_test *test);

/* Print the result of a command that ran no test. */
void krping_result_show_plain(struct seq_file *m, const char *what, int error,
			      const char *wc_status, const char *detail);

/*
 * Print the running tests. _show() prints numbers, in the format that krping has had since 2005.
 * _show_keys() prints lines of key=value: of the test @id, or of all tests if @id is 0.
 */
void krping_list_show(struct seq_file *m, const struct net *net);
void krping_list_show_keys(struct seq_file *m, const struct net *net, u32 id);

#endif /* KRPING_RESULT_H */
