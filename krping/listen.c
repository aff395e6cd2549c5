// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The server's side of rdma_cm: listen for clients, adopt or reject them.
 */
#include <linux/kernel.h>

#include "device.h"
#include "listen.h"
#include "sockaddr.h"
#include "wait.h"

/* Backlogs of a server for one client, and of a server for many clients. */
#define KRPING_BACKLOG		64
#define KRPING_BACKLOG_MANY	1024

/* Return true if a client waits, or if the listener serves no further client. */
static bool krping_requested_or_drained(void *arg)
{
	const struct krping_conn *conn = arg;

	return krping_conn_is(conn, KRPING_CONN_REQUESTED) || READ_ONCE(conn->drain);
}

/*
 * Check the listener's device. A listener on a wildcard address is bound to no device, so check
 * only that the device of the command exists.
 */
static int krping_listen_device(struct krping_conn *conn)
{
	int ret;

	if (conn->listen_id->device)
		return krping_conn_check_device(conn, conn->listen_id->device);
	if (!*conn->opts->device)
		return 0;

	ret = krping_device_find(conn->opts->device);
	if (ret == -ENODEV)
		return krping_status_set(conn->status, ret,
					 "there is no RDMA device %s; see 'rdma link'",
					 conn->opts->device);
	if (ret)
		return krping_status_set(conn->status, ret,
					 "cannot search for the RDMA device %s (%d)",
					 conn->opts->device, ret);
	return 0;
}

/*
 * Return the errno to report for a bind that has failed with @error. rdma_cm returns -EADDRNOTAVAIL
 * also for a port in use, if this listener or the one that has the port binds the wildcard address.
 * So try to bind to port 0: if the bind succeeds, the address is available, so the port is in use.
 */
static int krping_bind_errno(struct krping_conn *conn, int error,
			     const struct sockaddr_storage *addr)
{
	struct sockaddr_storage any_port = *addr;
	struct rdma_cm_id *id;

	if (error != -EADDRNOTAVAIL)
		return krping_conn_errno(error, -EADDRNOTAVAIL);

	id = krping_create_id(conn);
	if (IS_ERR(id))
		return PTR_ERR(id);
	/* The port has the same offset in sockaddr_in and sockaddr_in6. */
	((struct sockaddr_in *)&any_port)->sin_port = 0;
	if (!rdma_bind_addr(id, (struct sockaddr *)&any_port))
		error = -EADDRINUSE;
	krping_destroy_id(id);
	return error;
}

/**
 * krping_conn_listen() - server: listen for clients
 * @conn: the connection, initialised
 *
 * Context: process context. After an error the caller must call krping_conn_destroy().
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
 */
int krping_conn_listen(struct krping_conn *conn)
{
	struct sockaddr_storage addr;
	struct rdma_cm_id *id;
	int ret;

	ret = krping_sockaddr(conn, &conn->opts->addr, conn->opts->port, &addr);
	if (ret)
		return ret;
	id = krping_create_id(conn);
	if (IS_ERR(id))
		return PTR_ERR(id);
	conn->listen_id = id;

	ret = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (ret) {
		ret = krping_bind_errno(conn, ret, &addr);
		return krping_status_set(conn->status, ret,
					 "cannot bind to %pISpc (%d)",
					 &addr, ret);
	}
	ret = krping_listen_device(conn);
	if (ret)
		return ret;

	krping_cq_progress(conn->queue.cq);
	/* Set the state before the first connect request can arrive. */
	krping_conn_reached(conn, KRPING_CONN_LISTENING);
	ret = rdma_listen(id, conn->admit_all ? KRPING_BACKLOG_MANY :
					       KRPING_BACKLOG);
	if (ret)
		return krping_status_set(conn->status,
					 krping_call_errno(id, ret,
							   -EADDRINUSE),
					 "cannot listen on %pISpc (%d)",
					 &addr, ret);
	return 0;
}

/**
 * krping_conn_reject() - server: reject the waiting client and keep listening
 * @conn: the connection, with a waiting client and without a QP
 * @reason: the reason, which is sent to the client
 * @limit: the limit that the client exceeded; 0 if @reason has no limit
 *
 * Context: process context.
 */
void krping_conn_reject(struct krping_conn *conn, enum krping_rej_reason reason,
			u64 limit)
{
	struct rdma_cm_id *id = conn->cm_id;
	unsigned long flags;

	krping_reject_id(id, reason, limit);
	krping_destroy_id(id);

	krping_publish(&conn->has_device, false);
	krping_publish(&conn->has_addrs, false);
	spin_lock_irqsave(&conn->lock, flags);
	conn->cm_id = NULL;
	krping_conn_set_state(conn, KRPING_CONN_LISTENING);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * krping_conn_no_client() - server: record that no client has come within wait=SECONDS
 * @conn: the listener
 *
 * Return: -ETIMEDOUT, or an earlier error of the test.
 */
int krping_conn_no_client(struct krping_conn *conn)
{
	return krping_status_set(conn->status, -ETIMEDOUT,
				 "no client has come for wait=%u s", conn->opts->wait);
}

/**
 * krping_conn_await_request() - server: wait for a client
 * @conn: the connection, listening
 *
 * Context: process context. Only the option wait bounds the wait. The function rejects clients that
 * arrive on another device than the command names. After a return value of 0, the caller accepts or
 * rejects the client.
 *
 * Return: 0: a client waits; -ESHUTDOWN: the listener serves no further client; another negative
 * errno, which is recorded in &krping_conn.status.
 */
int krping_conn_await_request(struct krping_conn *conn)
{
	for (;;) {
		int ret = krping_wait(conn->queue.cq, krping_requested_or_drained, conn,
				      conn->opts->wait * MSEC_PER_SEC);

		if (ret == -ETIMEDOUT)
			return krping_conn_no_client(conn);
		if (!ret && !krping_conn_is(conn, KRPING_CONN_REQUESTED))
			return -ESHUTDOWN;
		if (ret || krping_conn_requested(conn))
			return ret;
		krping_conn_reject(conn, KRPING_REJ_DEVICE, 0);
	}
}

/**
 * krping_conn_adopt() - server: take over a client's id from the listener
 * @conn: the connection, initialised
 * @id: the client's id, owned by @conn afterwards
 * @event: the connect request
 *
 * Context: the rdma_cm event handler. The thread of @conn accepts or rejects the
 * client later.
 */
void krping_conn_adopt(struct krping_conn *conn, struct rdma_cm_id *id,
		       const struct rdma_cm_event *event)
{
	unsigned long flags;

	id->context = conn;
	spin_lock_irqsave(&conn->lock, flags);
	/* krping_cm_take() sets KRPING_CONN_REQUESTED, which may only follow this state. */
	krping_conn_set_state(conn, KRPING_CONN_LISTENING);
	krping_cm_take(conn, id, event);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * krping_conn_requested() - server: publish the device and addresses of the waiting client
 * @conn: the connection, with a client that waits
 *
 * Context: process context.
 *
 * Return: true; or false, without publishing anything, if the client has arrived on another device
 * than the command names.
 */
bool krping_conn_requested(struct krping_conn *conn)
{
	if (!krping_conn_right_device(conn, conn->cm_id->device))
		return false;
	krping_conn_set_device(conn);
	krping_conn_set_addrs(conn);
	return true;
}
