/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a microbenchmark needs on each side: buffers, registrations, RECVs, limits.
 */
#ifndef KRPING_BENCH_PLAN_H
#define KRPING_BENCH_PLAN_H

#include "test_ops.h"

/**
 * struct krping_bench_type - properties of a microbenchmark
 * @type: the test
 * @op: operation that moves the data
 * @echo: the server answers each operation with one of its own
 */
struct krping_bench_type {
	enum krping_test_type type;
	enum krping_op op;
	bool echo;
};

bool krping_bench_active(const struct krping_thread *thread,
			 const struct krping_bench_type *type);
bool krping_bench_by_recv(const struct krping_thread *thread,
			  const struct krping_bench_type *type);
bool krping_bench_receives(const struct krping_thread *thread,
			   const struct krping_bench_type *type);
bool krping_bench_advertises(const struct krping_thread *thread,
			     const struct krping_bench_type *type);
bool krping_bench_needs_notify(const struct krping_thread *thread,
			       const struct krping_bench_type *type);
u32 krping_bench_sge(const struct krping_thread *thread);
bool krping_bench_registers_local(const struct krping_thread *thread,
				  const struct krping_bench_type *type);
bool krping_bench_registers_shared(const struct krping_thread *thread,
				   const struct krping_bench_type *type);
bool krping_bench_has_local(const struct krping_thread *thread,
			    const struct krping_bench_type *type);
bool krping_bench_has_shared(const struct krping_thread *thread,
			     const struct krping_bench_type *type);
u32 krping_bench_wrs(const struct krping_thread *thread,
		     const struct krping_bench_type *type);
int krping_bench_check(const struct krping_thread *thread,
		       const struct krping_bench_type *type, u64 *size_max,
		       const char **why);
enum ib_poll_context krping_bench_context(const struct krping_thread *thread);
bool krping_bench_global_rkey(const struct krping_thread *thread,
			      const struct krping_bench_type *type);

#endif /* KRPING_BENCH_PLAN_H */
