/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The tests that exist.
 */
#ifndef KRPING_TESTS_H
#define KRPING_TESTS_H

#include <linux/poll.h>
#include <linux/types.h>

struct krping_test;
struct net;

int krping_tests_add(struct krping_test *test,
		     int (*create)(struct krping_test *test));
void krping_tests_remove(struct krping_test *test);
void krping_test_put(struct krping_test *test);
void krping_test_stop(struct krping_test *test, int error, const char *why);
void krping_tests_stop_children(const struct krping_test *parent, int error,
				const char *why);
int krping_tests_stop(const struct net *net, u32 id, u32 *stopped);
int krping_tests_for_each(const struct net *net,
			  void (*fn)(struct krping_test *test, int nr, void *arg),
			  void *arg);
void krping_tests_poll_wait(struct file *file, poll_table *wait);
void krping_tests_poll_wake(void);
void krping_tests_destroy(void);

#endif /* KRPING_TESTS_H */
