/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A test's life: id, thread, state, stop, end.
 */
#ifndef KRPING_TEST_H
#define KRPING_TEST_H

#include <linux/types.h>

#include "options.h"
#include "registry.h"

struct krdma_cb;
struct krping_memop;
struct krping_region_mem;
struct krping_share;
struct net;

/**
 * struct krping_attach - objects that the creator of a test shares with the test
 * @memop: the operation of a command, or room for the messages of a server's clients;
 *	or NULL
 * @memory: the memory that a server exports to its client, or to all; or NULL
 * @share: the PD and the MR of all connections of the test, or NULL
 * @krdma: the connection or listener of krdma, or NULL
 */
struct krping_attach {
	struct krping_memop *memop;
	struct krping_region_mem *memory;
	struct krping_share *share;
	struct krdma_cb *krdma;
};

struct krping_test *krping_test_start(const struct krping_options *opts,
				      struct net *net, const struct krping_attach *attach,
				      char *why, size_t why_size);
int krping_test_wait(struct krping_test *test);
int krping_test_wait_started(struct krping_test *test);

int krping_tests_init(void);
void krping_tests_exit(void);

#endif /* KRPING_TEST_H */
