// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rdma_cm for both sides: create ids, handle events, keep the state of a connection, and map
 * errors of rdma_cm to documented ones.
 *
 * The event handler records events and wakes the test's thread, which acts on the events.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <rdma/ib_cm.h>

#include "cm.h"
#include "negotiate.h"
#include "trace.h"
#include "wait.h"

/**
 * krping_conn_set_state() - change the state of a connection
 * @conn: the connection; the caller holds &krping_conn.lock
 * @to: the new state
 *
 * Context: any context.
 *
 * Return: true if the state has changed; false if @to must not follow the current state,
 * which is then kept.
 */
bool krping_conn_set_state(struct krping_conn *conn,
			   enum krping_conn_state to)
{
	static const unsigned int from[] = {
		[KRPING_CONN_IDLE]	     = BIT(KRPING_CONN_UNRESOLVED),
		[KRPING_CONN_UNRESOLVED]     = BIT(KRPING_CONN_IDLE),
		[KRPING_CONN_ADDR_RESOLVED]  = BIT(KRPING_CONN_IDLE) |
					       BIT(KRPING_CONN_UNROUTED),
		[KRPING_CONN_UNROUTED]	     = BIT(KRPING_CONN_ADDR_RESOLVED),
		[KRPING_CONN_ROUTE_RESOLVED] = BIT(KRPING_CONN_ADDR_RESOLVED),
		[KRPING_CONN_LISTENING]	     = BIT(KRPING_CONN_IDLE) |
					       BIT(KRPING_CONN_REQUESTED),
		[KRPING_CONN_REQUESTED]	     = BIT(KRPING_CONN_LISTENING),
		[KRPING_CONN_ACCEPTED]	     = BIT(KRPING_CONN_REQUESTED),
		[KRPING_CONN_CONNECTED]	     = BIT(KRPING_CONN_ROUTE_RESOLVED) |
					       BIT(KRPING_CONN_ACCEPTED),
	};
	bool changed;

	lockdep_assert_held(&conn->lock);

	changed = from[to] & BIT(conn->state);
	if (changed) {
		trace_krping_conn_state(conn->queue.status->id, conn->queue.conn_idx,
					conn->state, to);
		/* pairs with krping_conn_is() */
		smp_store_release(&conn->state, to);
	}
	return changed;
}

/**
 * krping_conn_is() - check the state of a connection
 * @conn: the connection
 * @state: the state
 *
 * Context: any context. If the function returns true, the caller also sees the fields that were
 * set before the state.
 *
 * Return: true if the connection is in @state.
 */
bool krping_conn_is(const struct krping_conn *conn,
		    enum krping_conn_state state)
{
	/* pairs with krping_conn_set_state() */
	return smp_load_acquire(&conn->state) == state;
}

/**
 * krping_conn_reached() - change the state and wake the test's thread
 * @conn: the connection
 * @state: the new state; ignored if it must not follow the current state
 *
 * Context: any context. The caller does not hold &krping_conn.lock.
 */
void krping_conn_reached(struct krping_conn *conn,
			 enum krping_conn_state state)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	krping_conn_set_state(conn, state);
	spin_unlock_irqrestore(&conn->lock, flags);
	wake_up_all(&conn->status->wait);
}

/**
 * krping_publish() - set a flag that allows reading other fields without a lock
 * @flag: &krping_conn.has_device or &krping_conn.has_addrs
 * @value: true if the fields are valid
 *
 * Context: any context. A reader that sees the flag also sees the fields.
 */
void krping_publish(bool *flag, bool value)
{
	/* pairs with krping_conn_has_device() and krping_conn_has_addrs() */
	smp_store_release(flag, value);
}

/**
 * krping_conn_set_device() - publish the name of the connection's device
 * @conn: the connection, whose id is bound to a device
 *
 * Context: process context.
 */
void krping_conn_set_device(struct krping_conn *conn)
{
	strscpy(conn->device, dev_name(&conn->cm_id->device->dev),
		sizeof(conn->device));
	krping_publish(&conn->has_device, true);
}

/**
 * krping_conn_set_addrs() - publish the addresses and the path of the connection
 * @conn: the connection, with a peer
 *
 * Context: process context.
 */
void krping_conn_set_addrs(struct krping_conn *conn)
{
	conn->local = conn->cm_id->route.addr.src_addr;
	conn->remote = conn->cm_id->route.addr.dst_addr;
	krping_path_read(&conn->path, conn->cm_id);
	krping_publish(&conn->has_addrs, true);
}

/**
 * krping_conn_errno() - map an error of rdma_cm to a documented errno
 * @error: negative errno of rdma_cm
 * @fallback: negative errno for errors that /proc/krping does not document
 *
 * Context: any context.
 *
 * Return: @error if /proc/krping documents it; -ENOMEM if rdma_cm could not allocate
 * a route or a socket; else @fallback.
 */
int krping_conn_errno(int error, int fallback)
{
	switch (error) {
	case -EADDRINUSE:
	case -EADDRNOTAVAIL:
	case -ECONNREFUSED:
	case -ECONNRESET:
	case -EHOSTUNREACH:
	case -EINVAL:
	case -ENETUNREACH:
	case -ENODEV:
	case -ENOMEM:
	case -ETIMEDOUT:
		return error;
	case -ENOBUFS:
	case -ENFILE:
		return -ENOMEM;
	default:
		return fallback;
	}
}

/**
 * krping_call_errno() - map the error of a call of rdma_cm to a documented errno
 * @id: the id of the call
 * @error: negative errno that the call returned
 * @fallback: negative errno for -EINVAL, and for errors that /proc/krping does not document
 *
 * Context: process context, outside the handler of @id.
 *
 * A call of rdma_cm returns -EINVAL if an event has meanwhile changed the state of @id. To the
 * user, -EINVAL would mean an invalid command, so @fallback replaces -EINVAL. The handler of this
 * event may record a more precise error, such as -ENODEV, and the status keeps only the first
 * error. So for -EINVAL the function waits until no handler of @id runs.
 *
 * Return: a negative errno.
 */
int krping_call_errno(struct rdma_cm_id *id, int error, int fallback)
{
	if (error != -EINVAL)
		return krping_conn_errno(error, fallback);
	rdma_lock_handler(id);
	rdma_unlock_handler(id);
	return fallback;
}

/* Client: record the reason why the server, or the connection manager, has rejected the request. */
static void krping_cm_rejected(struct krping_conn *conn, struct rdma_cm_id *id,
			       struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct krping_rejection rej;

	/*
	 * siw reports a reject by the peer's krping as a reset, so rdma_consumer_reject_data()
	 * would return no data. A magic number shows that krping has sent the private data.
	 */
	if (krping_wire_rej_decode(param->private_data, param->private_data_len,
				   &rej)) {
		krping_status_set(conn->status, -ECONNREFUSED,
				  "connection refused: %s (%d); is a server listening there?",
				  rdma_reject_msg(id, event->status),
				  event->status);
		return;
	}
	if (rej.limit)
		krping_status_set(conn->status, -ECONNREFUSED,
				  "the server %s (limit %llu)%s",
				  krping_rej_reason_str(rej.reason), rej.limit,
				  krping_negotiate_hint(conn->opts, rej.reason));
	else
		krping_status_set(conn->status, -ECONNREFUSED, "the server %s%s",
				  krping_rej_reason_str(rej.reason),
				  krping_negotiate_hint(conn->opts, rej.reason));
}

/*
 * Handle a REJ. If the peer ends during the handshake, the REJ may arrive when this side has
 * accepted the client, or even when this side is connected.
 */
static void krping_cm_rejected_when(struct krping_conn *conn,
				    struct rdma_cm_id *id,
				    struct rdma_cm_event *event)
{
	switch (READ_ONCE(conn->state)) {
	case KRPING_CONN_CONNECTED:
		krping_status_disconnected(conn->status);
		break;
	case KRPING_CONN_REQUESTED:
	case KRPING_CONN_ACCEPTED:
		krping_status_set(conn->status, -ECONNRESET,
				  "the client disconnected before it was connected");
		break;
	default:
		krping_cm_rejected(conn, id, event);
		break;
	}
}

/**
 * krping_reject_id() - reject a client
 * @id: the client's id
 * @reason: sent to the client
 * @limit: the limit that the client exceeded; 0 if @reason has no limit
 *
 * Context: process context. The caller, or rdma_cm, destroys @id afterwards.
 */
void krping_reject_id(struct rdma_cm_id *id,
		      enum krping_rej_reason reason, u64 limit)
{
	struct krping_wire_rej rej;

	krping_wire_rej_encode(&rej, reason, limit);
	rdma_reject(id, &rej, sizeof(rej), IB_CM_REJ_CONSUMER_DEFINED);
}

/*
 * Check whether a 0 in the peer's REQ or REP means that no READ may be in flight. On InfiniBand and
 * RoCE, a krping whose device has no READs sends 0. On iWARP, 0 may also mean that the peer has
 * sent no limit, because requests of MPA revision 1 have none.
 */
static bool krping_cm_sends_limits(const struct krping_conn *conn)
{
	return !conn->peer_ret && !krping_conn_iwarp(conn);
}

/**
 * krping_cm_take() - store the id and the request of a client
 * @conn: the connection, listening; the caller holds &krping_conn.lock
 * @id: the client's id, owned by @conn afterwards
 * @event: the connect request
 *
 * Context: the rdma_cm event handler. The thread of @conn accepts or rejects the
 * client later.
 */
void krping_cm_take(struct krping_conn *conn, struct rdma_cm_id *id,
		    const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	conn->cm_id = id;
	conn->peer_ret = krping_wire_req_decode(param->private_data,
						param->private_data_len,
						&conn->peer);
	conn->queue.conn_idx = conn->peer_ret ? 0 : conn->peer.conn_idx;
	conn->reads_out = param->initiator_depth;
	conn->reads_in = param->responder_resources;
	if (!krping_cm_sends_limits(conn)) {
		conn->reads_out = max_t(u8, conn->reads_out, 1);
		conn->reads_in = max_t(u8, conn->reads_in, 1);
	}
	krping_conn_set_state(conn, KRPING_CONN_REQUESTED);
}

/* Check whether the request is for a further connection of a client that has one already. */
static bool krping_cm_asks_for_further_conn(const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct krping_params peer = { 0 };

	krping_wire_req_decode(param->private_data, param->private_data_len,
			       &peer);
	return peer.conn_idx;
}

/* Check whether the command allows the client's address. */
static bool krping_cm_allows(const struct krping_conn *conn, const struct rdma_cm_id *id)
{
	const struct sockaddr_storage *addr = &id->route.addr.dst_addr;
	const void *ip = &((const struct sockaddr_in *)addr)->sin_addr;

	if (addr->ss_family == AF_INET6)
		ip = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	return krping_options_allow(conn->opts, addr->ss_family, ip);
}

/*
 * Handle a connect request. @conn itself takes the first client, unless @conn->admit_all or
 * @conn->drain is set. @conn->admit() decides about all other requests. If this function returns
 * nonzero, rdma_cm destroys the client's id.
 */
static int krping_cm_request(struct krping_conn *conn, struct rdma_cm_id *id,
			     struct rdma_cm_event *event)
{
	u8 reason = KRPING_REJ_BUSY;
	unsigned long flags;
	bool taken;

	if (!krping_cm_allows(conn, id)) {
		pr_warn_ratelimited("test %u: a client was rejected: the server %s (%pISpc)\n",
				    conn->status->id, krping_rej_reason_str(KRPING_REJ_ADDRESS),
				    &id->route.addr.dst_addr);
		krping_reject_id(id, KRPING_REJ_ADDRESS, 0);
		return KRPING_REJ_ADDRESS;
	}
	spin_lock_irqsave(&conn->lock, flags);
	taken = !conn->admit_all && !krping_cm_asks_for_further_conn(event) &&
		!READ_ONCE(conn->drain) && krping_conn_is(conn, KRPING_CONN_LISTENING);
	if (taken)
		krping_cm_take(conn, id, event);
	spin_unlock_irqrestore(&conn->lock, flags);
	if (taken) {
		wake_up_all(&conn->status->wait);
		return 0;
	}

	if (conn->admit)
		reason = conn->admit(conn, id, event);
	if (reason)
		krping_reject_id(id, reason, 0);
	return reason;
}

/* Handle ESTABLISHED. A client stores the parameters of the server's REP. */
static void krping_cm_established(struct krping_conn *conn,
				  struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	/* A server has stored the client's parameters when the request arrived. */
	if (conn->opts->role == KRPING_ROLE_CLIENT) {
		conn->peer_ret = krping_wire_rep_decode(param->private_data,
							param->private_data_len,
							&conn->peer);
		if (param->initiator_depth || krping_cm_sends_limits(conn))
			conn->reads_out = min(conn->reads_out, param->initiator_depth);
		if (krping_cm_sends_limits(conn))
			conn->reads_in = min(conn->reads_in, param->responder_resources);
	}
	krping_conn_reached(conn, KRPING_CONN_CONNECTED);
}

/* Record that the step @what has failed with @status. */
static void krping_cm_failed(struct krping_conn *conn, const char *what,
			     int status, int fallback)
{
	krping_status_set(conn->status, krping_conn_errno(status, fallback),
			  "%s failed (%d)", what, status);
}

/*
 * Handle a failed route resolution. On InfiniBand, subnet administration (SA) resolves the route.
 * If SA has not answered, the thread repeats the query. If SA knows no route, the core reports
 * -EINVAL, which to the user would mean an invalid command. On RoCE the core sends no query, so
 * there is nothing to repeat.
 */
static void krping_cm_unrouted(struct krping_conn *conn, const struct rdma_cm_id *id, int status)
{
	if (status == -ETIMEDOUT && !rdma_protocol_roce(id->device, id->port_num))
		krping_conn_reached(conn, KRPING_CONN_UNROUTED);
	else if (status == -EINVAL)
		krping_status_set(conn->status, -EHOSTUNREACH,
				  "route resolution failed (%d): the subnet has no such route",
				  status);
	else
		krping_cm_failed(conn, "route resolution", status, -EHOSTUNREACH);
}

/* Handle UNREACHABLE, which the core also reports if the neighbour entry of a peer changes. */
static void krping_cm_unreachable(struct krping_conn *conn, int status)
{
	const char *what = conn->opts->role == KRPING_ROLE_CLIENT ?
		"connecting: the server did not answer the connection request" :
		"accepting: the client did not confirm the connection";

	if (krping_conn_is(conn, KRPING_CONN_CONNECTED))
		krping_status_set(conn->status, -ECONNRESET,
				  "the connection manager reports the peer as unreachable (%d)",
				  status);
	else
		krping_status_set(conn->status, krping_conn_errno(status, -ETIMEDOUT),
				  "%s (%d)", what, status);
}

/*
 * Check whether the handler ignores an event of this type once the test has ended. The handler must
 * not ignore ESTABLISHED, which a busy connection manager may deliver after the last message.
 */
static bool krping_cm_ends(enum rdma_cm_event_type type)
{
	switch (type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		return false;
	default:
		return true;
	}
}

/* After an event that ends the wait for the answer to a DREQ: set @conn->gone, release the slot. */
static void krping_cm_note_gone(struct krping_conn *conn, enum rdma_cm_event_type type)
{
	switch (type) {
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		WRITE_ONCE(conn->gone, true);
		krping_connslot_release(&conn->slot);
		wake_up_all(&conn->status->wait);
		break;
	default:
		break;
	}
}

static int krping_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct krping_conn *conn = id->context;

	trace_krping_cm_event(conn->queue.status->id, conn->queue.conn_idx, id, event);

	krping_cm_note_gone(conn, event->event);
	if (krping_cm_ends(event->event) && krping_queue_ended(&conn->queue))
		return 0;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		krping_conn_reached(conn, KRPING_CONN_ADDR_RESOLVED);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		krping_conn_reached(conn, KRPING_CONN_ROUTE_RESOLVED);
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return krping_cm_request(conn, id, event);
	case RDMA_CM_EVENT_ESTABLISHED:
		krping_cm_established(conn, event);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		if (event->status == -ETIMEDOUT)
			krping_conn_reached(conn, KRPING_CONN_UNRESOLVED);
		else
			krping_cm_failed(conn, "address resolution",
					 event->status, -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
		krping_cm_unrouted(conn, id, event->status);
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		krping_cm_unreachable(conn, event->status);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		/* -EINVAL would blame the command. siw also reports it if the peer has gone. */
		if (event->status == -EINVAL)
			krping_status_set(conn->status,
					  krping_conn_iwarp(conn) ? -ECONNRESET : -EPROTO,
					  "the peer closed the connection, or its answer to the connect request is malformed");
		else
			krping_cm_failed(conn, "connecting", event->status,
					 -ECONNRESET);
		break;
	case RDMA_CM_EVENT_REJECTED:
		krping_cm_rejected_when(conn, id, event);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		krping_status_disconnected(conn->status);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		krping_status_set(conn->status, -ENODEV,
				  "the RDMA device was removed");
		break;
	default:
		break;
	}
	return 0;
}

/**
 * krping_create_id() - create an rdma_cm id
 * @conn: the connection, which receives the id's events
 *
 * Context: process context. The caller destroys the id later.
 *
 * Return: the id, or an ERR_PTR(), whose errno is recorded in &krping_conn.status.
 */
struct rdma_cm_id *krping_create_id(struct krping_conn *conn)
{
	struct rdma_cm_id *id;

	id = rdma_create_id(conn->net, krping_cm_handler, conn, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id)) {
		krping_status_set(conn->status, krping_alloc_errno(PTR_ERR(id)),
				  "cannot create an rdma_cm id (%ld)", PTR_ERR(id));
		return id;
	}
	if (conn->opts->tos >= 0)
		rdma_set_service_type(id, conn->opts->tos);
	return id;
}

/**
 * krping_destroy_id() - destroy an rdma_cm id
 * @id: the id
 *
 * cma_release_dev() in drivers/infiniband/core/cma.c lets the removal of the device continue before
 * it returns the id's reference to a GID. If this reference is the last one, free_gid_work() uses
 * the GID table, which the removal may have freed. So the function holds the device until
 * rdma_destroy_id() has returned: the removal then waits for the work before it frees the table.
 *
 * Context: process context, but not an event handler of @id. Only the caller destroys @id.
 */
void krping_destroy_id(struct rdma_cm_id *id)
{
	struct ib_device *device = READ_ONCE(id->device);

	if (device && !ib_device_try_get(device))
		device = NULL;
	rdma_destroy_id(id);
	if (device)
		ib_device_put(device);
}

/**
 * krping_conn_right_device() - check whether the command allows a device
 * @conn: the connection
 * @device: the device
 *
 * Context: any context.
 *
 * Return: true if the command names @device or no device.
 */
bool krping_conn_right_device(const struct krping_conn *conn,
			      const struct ib_device *device)
{
	return !*conn->opts->device ||
	       !strcmp(conn->opts->device, dev_name(&device->dev));
}

/**
 * krping_conn_check_device() - record an error if the command does not allow a device
 * @conn: the connection
 * @device: the device
 *
 * Context: any context.
 *
 * Return: 0; -ENODEV if the command names another device, recorded in
 * &krping_conn.status.
 */
int krping_conn_check_device(struct krping_conn *conn,
			     const struct ib_device *device)
{
	if (krping_conn_right_device(conn, device))
		return 0;
	return krping_status_set(conn->status, -ENODEV,
				 "the address belongs to device %s, not to %s",
				 dev_name(&device->dev), conn->opts->device);
}

/**
 * krping_conn_wait() - wait for an event of rdma_cm
 * @conn: the connection
 * @done: condition that ends the wait, with @conn as its argument
 * @what: what the thread waits for, such as "address resolution", for the error detail
 *
 * Context: the test's thread. The timeout counts from the last krping_cq_progress().
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
 */
int krping_conn_wait(struct krping_conn *conn, bool (*done)(void *arg),
		     const char *what)
{
	int ret;

	ret = krping_wait_alive(conn->queue.cq, done, conn, conn->opts->timeout, conn->alive,
				conn->alive_arg);
	if (ret == -ETIMEDOUT)
		ret = krping_status_set(conn->status, ret,
					"%s took longer than timeout=%u ms", what,
					conn->opts->timeout);
	else if (ret == -ECONNRESET)
		ret = krping_status_set(conn->status, ret,
					"%s while %s",
					krping_status_loss(conn->status), what);
	return ret;
}
