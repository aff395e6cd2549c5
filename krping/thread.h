/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One thread of a test: connect or accept, run the test, tear down.
 */
#ifndef KRPING_THREAD_H
#define KRPING_THREAD_H

#include "test_ops.h"

/* thread_alloc.c */

/* Initialise a thread that is not connected. */
int krping_thread_init(struct krping_thread *thread, const struct krping_options *opts,
		       struct net *net, struct krping_status *status,
		       const struct krping_test_ops * const *ops_table, u32 nr_conns);

/* Set the indices of the connections: @first, @first + 1 and so on. */
void krping_thread_number_conns(struct krping_thread *thread, u16 first);

/* Free what krping_thread_init() has allocated. */
void krping_thread_free(struct krping_thread *thread);

/* Prepare the thread of a disk to connect again by krping_thread_client(). */
void krping_thread_renew(struct krping_thread *thread);

/* Set the task of a thread. */
void krping_thread_set_task(struct krping_thread *thread, struct task_struct *task);

/*
 * thread.c. A client calls _client() and _loop(). A server with clients=1 calls _listen(),
 * _await_client(), _accept() and _loop(). A test of a server's client calls _serve(), and then
 * _refuse(), or _accept() and _loop(). Each ends with _teardown(). A server that only listens calls
 * _start() instead of _loop(). A disk that connects again calls _disconnect() first.
 */

/* Connect to the server. */
int krping_thread_client(struct krping_thread *thread);

/* Listen for clients. */
int krping_thread_listen(struct krping_thread *thread);

/* Wait for a client that can be served. */
int krping_thread_await_client(struct krping_thread *thread,
			       const struct krping_options *own);

/**
 * struct krping_refusal - why a server rejects a client
 * @reason: an &enum krping_rej_reason for the REJ; 0: the server serves the client
 * @limit: for the REJ: the limit that the client has exceeded, or 0
 * @why: for the log: the feature that this side lacks, or NULL
 */
struct krping_refusal {
	u8 reason;
	u64 limit;
	const char *why;
};

/* Adopt the waiting client's parameters, or return the reason to reject the client. */
struct krping_refusal krping_thread_serve(struct krping_thread *thread,
					  const struct krping_options *own);

/* Reject the waiting client, and reset the thread to the options @own. */
void krping_thread_refuse(struct krping_thread *thread, const struct krping_options *own,
			  const struct krping_refusal *no);

/* Accept the waiting client. */
int krping_thread_accept(struct krping_thread *thread);

/* Record the start of the test, and start the timer of its duration. */
void krping_thread_start(struct krping_thread *thread);

/* Run the test, and record its end. */
int krping_thread_loop(struct krping_thread *thread);

/* Disconnect all connections, and free their objects. */
void krping_thread_disconnect(struct krping_thread *thread);

/* Free everything that set-up has allocated. */
void krping_thread_teardown(struct krping_thread *thread);

#endif /* KRPING_THREAD_H */
