/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Start a test, and wait for its start or end.
 */
#ifndef KRPING_TEST_H
#define KRPING_TEST_H

#include <linux/types.h>

#include "test_alloc.h"

/* Start a test. On failure return an ERR_PTR, and set @why to the reason. */
struct krping_test *krping_test_start(const struct krping_options *opts,
				      struct net *net, const struct krping_attach *attach,
				      char *why, size_t why_size);

/* Wait until the test has ended and its resources are freed. A signal stops the test. */
int krping_test_wait(struct krping_test *test);

/* Wait until the test listens, is connected, or has ended. */
int krping_test_wait_started(struct krping_test *test);

/* Allocate and free the workqueues of all tests, when the module is loaded and unloaded. */
int krping_tests_init(void);
void krping_tests_exit(void);

#endif /* KRPING_TEST_H */
