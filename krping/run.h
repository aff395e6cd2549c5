/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One thread of a test, from its connections to their end.
 */
#ifndef KRPING_RUN_H
#define KRPING_RUN_H

#include "kind.h"

int krping_run_init(struct krping_run *run, const struct krping_options *opts,
		    struct net *net, struct krping_cause *cause,
		    const struct krping_kind * const *kinds, u32 nr_conns);
void krping_run_free(struct krping_run *run);
void krping_run_set_thread(struct krping_run *run, struct task_struct *task);

enum ib_poll_context krping_run_context(const struct krping_run *run);

int krping_run_client(struct krping_run *run);
int krping_run_listen(struct krping_run *run);
int krping_run_await_client(struct krping_run *run,
			    const struct krping_options *own);
u8 krping_run_serve(struct krping_run *run, const struct krping_options *own,
		    u64 *limit);
void krping_run_refuse(struct krping_run *run, const struct krping_options *own,
		       u8 reason, u64 limit);
int krping_run_accept(struct krping_run *run);
void krping_run_start(struct krping_run *run);
int krping_run_loop(struct krping_run *run);
void krping_run_teardown(struct krping_run *run);

#endif /* KRPING_RUN_H */
