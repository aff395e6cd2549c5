// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server side of a test, and the admission of clients.
 *
 * A server with clients=1 serves its client itself. Any other server only listens,
 * and serves each client in a test of its own. Each further connection of a client
 * has a test of its own, too, even with clients=1. The first connection opens a
 * session; the requests of the further connections carry the session's number.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "listen.h"
#include "server.h"
#include "wait.h"

/* Maximum number of tests that a server runs for clients at a time; bounds their use of memory. */
#define KRPING_CLIENTS_MAX	4096

/**
 * krping_clients_init() - initialise a server's count of clients
 * @c: initialised by this function
 * @most: maximum number of clients for which the server starts tests
 * @bounded: @most is valid; else there is no maximum
 */
void krping_clients_init(struct krping_clients *c, u32 most, bool bounded)
{
	memset(c, 0, sizeof(*c));
	spin_lock_init(&c->lock);
	INIT_LIST_HEAD(&c->sessions);
	c->most = most;
	c->bounded = bounded;
}

/*
 * Admit a further connection of session @id, and set @common, with references for the caller.
 * Return false if the session does not exist or has all its connections. The caller holds the lock.
 */
static bool krping_clients_take_conn(struct krping_clients *c, u32 id,
				     struct krping_common *common)
{
	struct krping_session *s;

	list_for_each_entry(s, &c->sessions, entry) {
		if (s->id != id || !s->left)
			continue;
		s->left--;
		common->memory = krping_region_mem_get(s->common.memory);
		common->share = krping_share_get(s->common.share);
		return true;
	}
	return false;
}

/**
 * krping_clients_take() - admit a client, or return the reason to reject it
 * @c: the server's clients
 * @further: the request is for a further connection of a client
 * @session: the session of the request
 * @nr: set to the number of tests that already run for clients; unchanged on rejection
 * @common: for a further connection, set to the objects that the client's first connection
 *	uses, and the caller gets references to them; else unchanged
 *
 * Context: process context.
 *
 * Return: 0, or the &enum krping_rej_reason of the rejection. After 0, the caller starts a test for
 * the client, which ends with krping_server_child_ended(), or calls krping_clients_leave().
 */
u8 krping_clients_take(struct krping_clients *c, bool further, u32 session, u32 *nr,
		       struct krping_common *common)
{
	u8 reason = KRPING_REJ_BUSY;

	spin_lock(&c->lock);
	if (c->closed || (c->draining && !further)) {
		reason = KRPING_REJ_STOPPED;
	} else if (c->running >= KRPING_CLIENTS_MAX) {
		reason = KRPING_REJ_BUSY;
	} else if (further) {
		if (krping_clients_take_conn(c, session, common))
			reason = 0;
	} else if (!c->bounded || c->admitted < c->most) {
		c->admitted++;
		reason = 0;
	}
	if (!reason)
		*nr = c->running++;
	spin_unlock(&c->lock);
	return reason;
}

/**
 * krping_clients_refuse() - take back the admission of a client
 * @c: the server's clients
 * @further: the same value as for krping_clients_take()
 *
 * The caller calls this function before it sends the REJ, because the client may connect again
 * at once. The client's test still counts as running until krping_server_child_ended() or, if the
 * test could not start, krping_clients_leave().
 */
void krping_clients_refuse(struct krping_clients *c, bool further)
{
	spin_lock(&c->lock);
	if (!further)
		c->admitted--;
	spin_unlock(&c->lock);
}

/**
 * krping_clients_leave() - no longer count the test of a refused client, which could not start
 * @c: the server's clients
 */
void krping_clients_leave(struct krping_clients *c)
{
	spin_lock(&c->lock);
	c->running--;
	spin_unlock(&c->lock);
}

/* Open session @s, in which a client makes its further connections. */
static void krping_clients_open(struct krping_clients *c, struct krping_session *s,
				const struct krping_thread *thread)
{
	const struct krping_params *peer = &thread->conns->peer;

	spin_lock(&c->lock);
	s->id = peer->session;
	s->left = peer->conns_total - 1;
	s->common.memory = thread->memory;
	s->common.share = thread->share;
	list_add(&s->entry, &c->sessions);
	spin_unlock(&c->lock);
}

/* End a session, so that its client can make no more connections. */
static void krping_clients_close(struct krping_clients *c, struct krping_session *s)
{
	spin_lock(&c->lock);
	list_del_init(&s->entry);
	spin_unlock(&c->lock);
}

/* Reject all clients from now on. */
static void krping_clients_close_all(struct krping_clients *c)
{
	spin_lock(&c->lock);
	WRITE_ONCE(c->closed, true);
	spin_unlock(&c->lock);
}

/**
 * struct krping_client_end - result of the test of a client
 * @further: the connection was not the client's first
 * @refused: the client was rejected, see krping_clients_refuse()
 * @status: status of the test
 * @iterations: iterations of the test
 * @start_ns: start of the first iteration
 * @end_ns: end of the last iteration
 * @stats: counters of the test
 */
struct krping_client_end {
	bool further;
	bool refused;
	const struct krping_status *status;
	u64 iterations;
	u64 start_ns;
	u64 end_ns;
	const struct krping_stats *stats;
};

/* Add the result of a client's test to the server's result. */
static void krping_clients_end(struct krping_clients *c,
			       const struct krping_client_end *end)
{
	int error = krping_status_error(end->status);

	spin_lock(&c->lock);
	c->running--;
	if (!end->further && !end->refused)
		c->ended++;
	krping_u64_write(&c->iterations, c->iterations + end->iterations);
	if (end->further && (!c->start_ns || end->start_ns < c->start_ns))
		krping_u64_write(&c->start_ns, end->start_ns);
	if (end->further)
		krping_u64_write(&c->end_ns, max(c->end_ns, end->end_ns));
	krping_stats_add(&c->stats, end->stats);
	/*
	 * If a connection fails, the client's other connections end with -ECONNRESET, perhaps
	 * earlier. Let the cause replace this error.
	 */
	if (error && error != -ECANCELED &&
	    (!c->failed++ || (end->further && c->error == -ECONNRESET))) {
		c->error = error;
		strscpy(c->detail, end->status->detail, sizeof(c->detail));
	}
	spin_unlock(&c->lock);
}

/* Check whether the server has served all clients. Never true if their number is not limited. */
static bool krping_clients_served(struct krping_clients *c)
{
	bool served;

	spin_lock(&c->lock);
	served = c->bounded && c->ended >= c->most && !c->running;
	spin_unlock(&c->lock);
	return served;
}

/* Check whether no test of a client runs. */
static bool krping_clients_none(struct krping_clients *c)
{
	bool none;

	spin_lock(&c->lock);
	none = !c->running;
	spin_unlock(&c->lock);
	return none;
}

/* Return the clients of @test, or of the server whose client @test serves. */
static struct krping_clients *krping_test_clients(struct krping_test *test)
{
	return test->parent ? &test->parent->clients : &test->clients;
}

/* Accept the client, after opening a session if the client makes further connections. */
static int krping_server_accept(struct krping_test *test)
{
	const struct krping_thread *thread = test->threads;
	const struct krping_conn *conn = thread->conns;

	/* Open the session first, because an accepted client may make its further connections. */
	if (krping_conn_negotiated(conn) && !conn->peer.conn_idx &&
	    conn->peer.conns_total > 1)
		krping_clients_open(krping_test_clients(test), &test->session, thread);
	return krping_thread_accept(test->threads);
}

/*
 * Check whether a drained server may end. It rejects new clients, but listens until its last client
 * has gone, so that a client can make its further connections. A listener of krdma.h ends at once,
 * because its clients make no further connections, and its address must be free at once.
 */
static bool krping_server_drained(struct krping_test *test)
{
	return READ_ONCE(test->clients.draining) &&
	       (test->opts.test == KRPING_TEST_KRDMA ||
		krping_clients_none(&test->clients));
}

/* Check whether a server that only listens is done. */
static bool krping_server_done(void *arg)
{
	struct krping_test *test = arg;

	return krping_clients_served(&test->clients) || krping_server_drained(test) ||
	       READ_ONCE(test->threads->expired);
}

/**
 * krping_server_drain() - admit no new client, and end after the last client
 * @test: the server
 *
 * Context: process context. The function does not wait for the end.
 */
void krping_server_drain(struct krping_test *test)
{
	struct krping_clients *c = &test->clients;

	spin_lock(&c->lock);
	WRITE_ONCE(c->draining, true);
	spin_unlock(&c->lock);
	WRITE_ONCE(test->threads->conns->drain, true);
	wake_up_all(&test->status.wait);
}

/**
 * krping_server_wait_closed() - wait until a server no longer listens
 * @test: the server, which the caller has drained or stopped
 *
 * Context: process context. A drained server listens until its last client has gone, unless the
 * server is a listener of krdma.h.
 */
void krping_server_wait_closed(struct krping_test *test)
{
	wait_event_idle(test->status.wait, READ_ONCE(test->clients.closed));
}

/* Wait until the server is done. wait= limits the time without a client. */
static void krping_server_await_all(struct krping_test *test)
{
	struct krping_thread *thread = test->threads;

	while (krping_wait(&thread->cq, krping_server_done, test,
			   test->opts.wait * MSEC_PER_SEC) == -ETIMEDOUT) {
		if (krping_clients_none(&test->clients)) {
			krping_conn_no_client(thread->conns);
			return;
		}
		krping_cq_progress(&thread->cq);
	}
}

/**
 * krping_server_serve() - serve one client, or wait until all have been served
 * @test: the server, listening
 *
 * A server for more than one client only waits, because each client has a test of its own.
 */
void krping_server_serve(struct krping_test *test)
{
	struct krping_thread *thread = test->threads;

	if (test->opts.clients != 1) {
		krping_thread_start(thread);
		krping_server_await_all(test);
		return;
	}
	if (!krping_thread_await_client(thread, &test->opts) &&
	    !krping_server_accept(test))
		krping_thread_loop(thread);
}

/**
 * krping_server_close() - reject all clients from now on
 * @test: the server
 */
void krping_server_close(struct krping_test *test)
{
	krping_clients_close_all(&test->clients);
	krping_clients_close(&test->clients, &test->session);
	wake_up_all(&test->status.wait);
}

/*
 * Check whether to stop the tests of the clients. Connections of krdma.h outlive their listener,
 * unless the listener was stopped.
 */
static bool krping_server_ends_clients(struct krping_test *test)
{
	if (test->opts.test == KRPING_TEST_KRDMA)
		return READ_ONCE(test->status.stop_error);
	return krping_status_stopped(&test->status) || READ_ONCE(test->threads->expired);
}

/**
 * krping_server_finish() - wait for the tests of a server's clients
 * @test: the server, closed by krping_server_close()
 *
 * The function waits until the tests have ended by themselves. It stops them if the server was
 * stopped, has failed, or has used up its duration. For a listener of krdma.h, it stops them only
 * if the listener was stopped. If a client's test has failed, the server fails, too.
 */
void krping_server_finish(struct krping_test *test)
{
	struct krping_clients *c = &test->clients;
	struct krping_status *status = &test->status;

	wait_event_idle(status->wait, krping_clients_none(c) ||
			krping_server_ends_clients(test));
	krping_registry_stop_children(test, -ECANCELED, "its server has ended");
	wait_event_idle(status->wait, krping_clients_none(c));
	if (c->failed)
		krping_status_set_root(status, c->error,
				       "tests of %u client%s failed, the first: %.120s",
				       c->failed, krping_plural(c->failed), c->detail);
}

static bool krping_test_is_further_conn(const struct krping_test *test)
{
	const struct krping_conn *conn = test->threads->conns;

	return krping_conn_negotiated(conn) && conn->peer.conn_idx;
}

/**
 * krping_server_child() - serve one connection of a client in a test of its own
 * @test: the test of the client, whose parent is the server
 */
void krping_server_child(struct krping_test *test)
{
	struct krping_thread *thread = test->threads;
	struct krping_refusal no = { .reason = KRPING_REJ_DEVICE };

	/* false: the request arrived at a device other than the server's device= */
	if (krping_conn_requested(thread->conns))
		no = krping_thread_serve(thread, &test->opts);
	if (no.reason) {
		test->refused = true;
		krping_clients_refuse(&test->parent->clients,
				      krping_test_is_further_conn(test));
		krping_thread_refuse(thread, &test->opts, &no);
	} else if (!krping_server_accept(test)) {
		krping_thread_loop(thread);
	}
	krping_thread_teardown(thread);
	krping_clients_close(krping_test_clients(test), &test->session);
}

/**
 * krping_server_child_ended() - add the result of a client's test to its server
 * @test: the client's test, which has ended
 */
void krping_server_child_ended(struct krping_test *test)
{
	const struct krping_thread *thread = test->threads;
	const struct krping_client_end end = {
		.further		= krping_test_is_further_conn(test),
		.refused	= test->refused,
		.status		= &test->status,
		.iterations	= thread->iterations,
		.start_ns	= thread->start_ns,
		.end_ns		= thread->end_ns,
		.stats		= &thread->stats,
	};

	krping_cq_progress(&test->parent->threads->cq);
	krping_clients_end(&test->parent->clients, &end);
	wake_up_all(&test->parent->status.wait);
}
