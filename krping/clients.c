// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who of a server's clients may come.
 *
 * A server for one client serves it itself. A server for more only listens, and
 * each client gets a test of its own. A client that makes more than one
 * connection gets a test for each of the others, also from a server for one
 * client: the first connection opens a session, which the others name.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "clients.h"

/* More at a time are turned away, so that nobody takes all of the machine. */
#define KRPING_CLIENTS_MAX	4096

/**
 * krping_clients_init() - initialise a server's count of clients
 * @c: to be initialised
 * @most: how many may come, beside those that the server serves itself
 * @bounded: @most counts; else any number may come
 */
void krping_clients_init(struct krping_clients *c, u32 most, bool bounded)
{
	memset(c, 0, sizeof(*c));
	spin_lock_init(&c->lock);
	INIT_LIST_HEAD(&c->sessions);
	c->most = most;
	c->bounded = bounded;
}

static bool krping_clients_take_lane(struct krping_clients *c, u32 id)
{
	struct krping_session *s;

	list_for_each_entry(s, &c->sessions, entry) {
		if (s->id != id || !s->left)
			continue;
		s->left--;
		return true;
	}
	return false;
}

/**
 * krping_clients_take() - admit a client or give the reason to reject it
 * @c: the server's clients
 * @lane: it says that it has a connection already
 * @session: what it has sent with that
 * @nr: its number, from 0, if it may
 *
 * Process context.
 *
 * Return: 0, and then it is to be followed by krping_clients_leave() or
 * krping_clients_end(); else the &enum krping_rej_reason to turn it away with.
 */
u8 krping_clients_take(struct krping_clients *c, bool lane, u32 session, u32 *nr)
{
	u8 reason = KRPING_REJ_BUSY;

	spin_lock(&c->lock);
	if (c->closed) {
		reason = KRPING_REJ_STOPPED;
	} else if (c->running >= KRPING_CLIENTS_MAX) {
		reason = KRPING_REJ_BUSY;
	} else if (lane) {
		if (krping_clients_take_lane(c, session))
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
 * @lane: as with krping_clients_take()
 *
 * To be called before the client is told, as it may come again at once.
 * krping_clients_leave() or krping_clients_end() follows.
 */
void krping_clients_refuse(struct krping_clients *c, bool lane)
{
	spin_lock(&c->lock);
	if (!lane)
		c->admitted--;
	spin_unlock(&c->lock);
}

/**
 * krping_clients_leave() - remove a refused client that has no test
 * @c: the server's clients
 */
void krping_clients_leave(struct krping_clients *c)
{
	spin_lock(&c->lock);
	c->running--;
	spin_unlock(&c->lock);
}

/**
 * krping_clients_open() - let a client make its other connections
 * @c: the server's clients
 * @s: the session, which must stay until krping_clients_close()
 * @id: what the client has sent
 * @left: how many connections
 */
void krping_clients_open(struct krping_clients *c, struct krping_session *s,
			 u32 id, u32 left)
{
	spin_lock(&c->lock);
	s->id = id;
	s->left = left;
	list_add(&s->entry, &c->sessions);
	spin_unlock(&c->lock);
}

/**
 * krping_clients_close() - end a session: its client makes no more connections
 * @c: the server's clients
 * @s: the session, initialised as a list entry if it was never opened
 */
void krping_clients_close(struct krping_clients *c, struct krping_session *s)
{
	spin_lock(&c->lock);
	list_del_init(&s->entry);
	spin_unlock(&c->lock);
}

/**
 * krping_clients_close_all() - reject all clients from now on
 * @c: the server's clients
 */
void krping_clients_close_all(struct krping_clients *c)
{
	spin_lock(&c->lock);
	c->closed = true;
	spin_unlock(&c->lock);
}

/**
 * krping_clients_end() - add the result of a client's test to the server's
 * @c: the server's clients
 * @end: how
 */
void krping_clients_end(struct krping_clients *c,
			const struct krping_client_end *end)
{
	int error = krping_status_error(end->status);

	spin_lock(&c->lock);
	c->running--;
	if (!end->lane && !end->refused)
		c->ended++;
	c->iterations += end->iterations;
	if (end->lane && (!c->start_ns || end->start_ns < c->start_ns))
		WRITE_ONCE(c->start_ns, end->start_ns);
	if (end->lane)
		WRITE_ONCE(c->end_ns, max(c->end_ns, end->end_ns));
	krping_stats_add(&c->stats, end->stats);
	/* The error of one connection makes a client disconnect the others. */
	if (error && error != -ECANCELED &&
	    (!c->failed++ || (end->lane && c->error == -ECONNRESET))) {
		c->error = error;
		strscpy(c->detail, end->status->detail, sizeof(c->detail));
	}
	spin_unlock(&c->lock);
}

/**
 * krping_clients_served() - check whether all clients have been served
 * @c: the server's clients
 *
 * Return: true if so; never if any number may come.
 */
bool krping_clients_served(struct krping_clients *c)
{
	bool served;

	spin_lock(&c->lock);
	served = c->bounded && c->ended >= c->most && !c->running;
	spin_unlock(&c->lock);
	return served;
}

/**
 * krping_clients_none() - check whether no test of a client runs
 * @c: the server's clients
 *
 * Return: true if no test of a client runs.
 */
bool krping_clients_none(struct krping_clients *c)
{
	bool none;

	spin_lock(&c->lock);
	none = !c->running;
	spin_unlock(&c->lock);
	return none;
}
