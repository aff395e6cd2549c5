/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Allocate a test with its threads.
 */
#ifndef KRPING_TEST_ALLOC_H
#define KRPING_TEST_ALLOC_H

#include "options.h"
#include "registry.h"

struct krdma_cb;
struct krping_memop;
struct krping_region_mem;
struct krping_share;
struct net;

/**
 * struct krping_attach - objects that the creator of a test gives to the test
 * @memop: the operation of a command, or room for the messages of a server's clients;
 *	or NULL
 * @memory: the memory that a server exports to one client or to all clients; or NULL
 * @share: the PD and the MR of all connections of the test, or NULL
 * @krdma: the connection or listener of krdma, or NULL
 */
struct krping_attach {
	struct krping_memop *memop;
	struct krping_region_mem *memory;
	struct krping_share *share;
	struct krdma_cb *krdma;
};

/* Allocate a test and its threads; give the test the objects of its creator, before it starts. */
struct krping_test *krping_test_alloc(const struct krping_options *opts, struct net *net);
void krping_test_attach(struct krping_test *test, const struct krping_attach *attach);

#endif /* KRPING_TEST_ALLOC_H */
