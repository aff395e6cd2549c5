// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A connection by rdma_cm.
 *
 * The connection manager's handler records what has happened and wakes the
 * test's thread, which does everything else. rdma_destroy_id() is only called
 * by the thread, also after a device removal: the removal waits for it.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/sched/signal.h>
#include <rdma/ib_cm.h>

#include "compat.h"
#include "conn.h"
#include "device.h"
#include "trace.h"

/* Clients that may wait while a server deals with one, or one for many does. */
#define KRPING_BACKLOG		64
#define KRPING_BACKLOG_MANY	1024

/*
 * How long to let rdma_cm resolve an address before it is asked again. Its
 * resolver can miss the neighbour's answer if that comes very soon, and then
 * does not look before its time is over.
 */
#define KRPING_RESOLVE_SLICE	250	/* milliseconds */

/* For rdma_resolve_route(), to which 0 is "at once" instead of "no bound". */
#define KRPING_RESOLVE_FOREVER	(24 * 60 * 60 * 1000)

static bool krping_conn_set_state(struct krping_conn *conn,
				  enum krping_conn_state to)
{
	static const unsigned int from[] = {
		[KRPING_CONN_IDLE]	     = BIT(KRPING_CONN_UNRESOLVED),
		[KRPING_CONN_UNRESOLVED]     = BIT(KRPING_CONN_IDLE),
		[KRPING_CONN_ADDR_RESOLVED]  = BIT(KRPING_CONN_IDLE),
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
		trace_krping_conn_state(conn, conn->state, to);
		/* pairs with krping_conn_is() */
		smp_store_release(&conn->state, to);
	}
	return changed;
}

/* Whoever sees the state also sees what was filled in before it was reached. */
static bool krping_conn_is(const struct krping_conn *conn,
			   enum krping_conn_state state)
{
	/* pairs with krping_conn_set_state() */
	return smp_load_acquire(&conn->state) == state;
}

/* From the connection manager: note the new state and tell the thread. */
static void krping_conn_reached(struct krping_conn *conn,
				enum krping_conn_state state)
{
	unsigned long flags;

	spin_lock_irqsave(&conn->lock, flags);
	krping_conn_set_state(conn, state);
	spin_unlock_irqrestore(&conn->lock, flags);
	wake_up_all(&conn->status->wait);
}

/* What has been filled in before may be read by whoever sees the flag. */
static void krping_publish(bool *flag, bool value)
{
	/* pairs with krping_conn_has_device() and krping_conn_has_addrs() */
	smp_store_release(flag, value);
}

static void krping_conn_set_device(struct krping_conn *conn)
{
	strscpy(conn->device, dev_name(&conn->cm_id->device->dev),
		sizeof(conn->device));
	krping_publish(&conn->has_device, true);
}

static void krping_conn_set_addrs(struct krping_conn *conn)
{
	conn->local = conn->cm_id->route.addr.src_addr;
	conn->remote = conn->cm_id->route.addr.dst_addr;
	krping_publish(&conn->has_addrs, true);
}

/*
 * Errors that the contract of /proc/krping names pass; any other one of the
 * connection manager's would only puzzle the user.
 */
static int krping_conn_errno(int error, int fallback)
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
	/* So say a route and a socket for which there is no memory. */
	case -ENOBUFS:
	case -ENFILE:
		return -ENOMEM;
	default:
		return fallback;
	}
}

/*
 * -EINVAL of a call with an id that was fit for it says nothing of the command:
 * the id is in another state by now. If it is its device's removal, the handler
 * says so with its lock held; if it is the peer's doing, word of it may be on its
 * way yet, and @fallback is what it will say.
 */
static int krping_call_errno(struct rdma_cm_id *id, int error, int fallback)
{
	if (error != -EINVAL)
		return krping_conn_errno(error, fallback);
	rdma_lock_handler(id);
	rdma_unlock_handler(id);
	return fallback;
}

static void krping_cm_rejected(struct krping_conn *conn, struct rdma_cm_id *id,
			       struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct krping_rejection rej;

	/*
	 * Not by rdma_consumer_reject_data(): siw says of a consumer's reject
	 * that the connection was reset. The magic tells that it is one.
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
				  "the server %s (limit %llu)",
				  krping_rej_reason_str(rej.reason), rej.limit);
	else
		krping_status_set(conn->status, -ECONNREFUSED, "the server %s",
				  krping_rej_reason_str(rej.reason));
}

/*
 * A peer that goes away before its connection manager has seen all of the
 * handshake rejects what is established for us.
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
				  "the client went away before it was connected");
		break;
	default:
		krping_cm_rejected(conn, id, event);
		break;
	}
}

static void krping_reject_id(struct rdma_cm_id *id,
			     enum krping_rej_reason reason, u64 limit)
{
	struct krping_wire_rej rej;

	krping_wire_rej_encode(&rej, reason, limit);
	rdma_reject(id, &rej, sizeof(rej), IB_CM_REJ_CONSUMER_DEFINED);
}

/* Note what the client asks for; it is to be accepted or rejected now. */
static void krping_cm_take(struct krping_conn *conn, struct rdma_cm_id *id,
			   const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	conn->cm_id = id;
	conn->peer_ret = krping_wire_req_decode(param->private_data,
						param->private_data_len,
						&conn->peer);
	conn->reads_out = max_t(u8, param->initiator_depth, 1);
	conn->reads_in = max_t(u8, param->responder_resources, 1);
	krping_conn_set_state(conn, KRPING_CONN_REQUESTED);
}

/* Does it ask for another connection of a client that has one? */
static bool krping_cm_asks_for_lane(const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	struct krping_params peer = { 0 };

	krping_wire_req_decode(param->private_data, param->private_data_len,
			       &peer);
	return peer.lane;
}

/* Return: nonzero makes rdma_cm destroy the client's id. */
static int krping_cm_request(struct krping_conn *conn, struct rdma_cm_id *id,
			     struct rdma_cm_event *event)
{
	u8 reason = KRPING_REJ_BUSY;
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&conn->lock, flags);
	taken = !conn->admit_all && !krping_cm_asks_for_lane(event) &&
		krping_conn_is(conn, KRPING_CONN_LISTENING);
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

static void krping_cm_established(struct krping_conn *conn,
				  struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	/* A server has got all this with the request. */
	if (conn->opts->role == KRPING_ROLE_CLIENT) {
		conn->peer_ret = krping_wire_rep_decode(param->private_data,
							param->private_data_len,
							&conn->peer);
		if (param->initiator_depth)
			conn->reads_out = min(conn->reads_out,
					      param->initiator_depth);
	}
	krping_conn_reached(conn, KRPING_CONN_CONNECTED);
}

static void krping_cm_failed(struct krping_conn *conn, const char *what,
			     int status, int fallback)
{
	krping_status_set(conn->status, krping_conn_errno(status, fallback),
			  "%s failed (error %d)", what, status);
}

/* What is established can still be given up, if the peer's neighbour changes. */
static void krping_cm_unreachable(struct krping_conn *conn, int status)
{
	if (krping_conn_is(conn, KRPING_CONN_CONNECTED))
		krping_status_set(conn->status, -ECONNRESET,
				  "the connection manager has given the peer up (error %d)",
				  status);
	else
		krping_cm_failed(conn, "connecting to a peer that does not answer",
				 status, -ETIMEDOUT);
}

/*
 * Is a connection over with this? Word of its beginning may come late: messages
 * are quicker than a busy connection manager.
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

static int krping_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct krping_conn *conn = id->context;

	trace_krping_cm_event(conn, event);

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
		krping_cm_failed(conn, "route resolution", event->status,
				 -EHOSTUNREACH);
		break;
	case RDMA_CM_EVENT_UNREACHABLE:
		krping_cm_unreachable(conn, event->status);
		break;
	case RDMA_CM_EVENT_CONNECT_ERROR:
		/* An answer that makes no sense is the peer's, not the command's. */
		if (event->status == -EINVAL)
			krping_status_set(conn->status, -EPROTO,
					  "the device makes no sense of the peer's answer to the connect request");
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

static void krping_conn_watchdog(struct timer_list *timer)
{
	struct krping_conn *conn = timer_container_of(conn, timer, watchdog);

	krping_status_set(conn->status, -ETIMEDOUT,
			  "connecting took longer than timeout=%u ms",
			  conn->opts->timeout);
	send_sig(SIGINT, conn->thread, 1);
}

/**
 * krping_conn_init() - make a connection that owns nothing yet
 * @conn: to be initialised
 * @net: network namespace; must outlive @conn
 * @opts: the command; must outlive @conn
 * @cq: the thread's CQ, initialised
 *
 * The thread that will use the connection is to be put into &krping_conn.thread
 * before it does.
 */
void krping_conn_init(struct krping_conn *conn, struct net *net,
		      const struct krping_options *opts, struct krping_cq *cq)
{
	conn->opts = opts;
	conn->net = net;
	conn->status = cq->status;
	conn->peer_ret = -ENOENT;
	conn->reads_out = 1;
	conn->reads_in = 1;
	spin_lock_init(&conn->lock);
	timer_setup(&conn->watchdog, krping_conn_watchdog, 0);
	krping_queue_init(&conn->queue, cq);
}

static int krping_scope_id(struct krping_conn *conn, const char *scope)
{
	struct net_device *dev;
	int ifindex;

	if (!*scope)
		return 0;
	dev = dev_get_by_name(conn->net, scope);
	if (!dev)
		return krping_status_set(conn->status, -EINVAL,
					 "there is no interface %s", scope);
	ifindex = dev->ifindex;
	dev_put(dev);
	return ifindex;
}

static int krping_sockaddr(struct krping_conn *conn,
			   const struct krping_addr *addr, u16 port,
			   struct sockaddr_storage *out)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)out;
	struct sockaddr_in *sin = (struct sockaddr_in *)out;
	int scope;

	memset(out, 0, sizeof(*out));
	out->ss_family = addr->family;
	if (addr->family == AF_INET) {
		memcpy(&sin->sin_addr, addr->ip, sizeof(sin->sin_addr));
		sin->sin_port = htons(port);
		return 0;
	}

	scope = krping_scope_id(conn, addr->scope);
	if (scope < 0)
		return scope;
	memcpy(&sin6->sin6_addr, addr->ip, sizeof(sin6->sin6_addr));
	sin6->sin6_port = htons(port);
	sin6->sin6_scope_id = scope;
	return 0;
}

static struct rdma_cm_id *krping_create_id(struct krping_conn *conn)
{
	struct rdma_cm_id *id;

	id = rdma_create_id(conn->net, krping_cm_handler, conn, RDMA_PS_TCP,
			    IB_QPT_RC);
	if (IS_ERR(id)) {
		krping_status_set(conn->status, krping_alloc_errno(PTR_ERR(id)),
				  "rdma_cm gives no id (error %ld)", PTR_ERR(id));
		return id;
	}
	if (conn->opts->tos >= 0)
		rdma_set_service_type(id, conn->opts->tos);
	return id;
}

static bool krping_conn_right_device(const struct krping_conn *conn,
				     const struct ib_device *device)
{
	return !*conn->opts->device ||
	       !strcmp(conn->opts->device, dev_name(&device->dev));
}

static int krping_conn_check_device(struct krping_conn *conn,
				    const struct ib_device *device)
{
	if (krping_conn_right_device(conn, device))
		return 0;
	return krping_status_set(conn->status, -ENODEV,
				 "the address belongs to device %s, not to %s",
				 dev_name(&device->dev), conn->opts->device);
}

static bool krping_addr_answered(void *conn)
{
	return !krping_conn_is(conn, KRPING_CONN_IDLE);
}

static bool krping_route_resolved(void *conn)
{
	return krping_conn_is(conn, KRPING_CONN_ROUTE_RESOLVED);
}

static bool krping_requested(void *conn)
{
	return krping_conn_is(conn, KRPING_CONN_REQUESTED);
}

static bool krping_connected(void *conn)
{
	return krping_conn_is(conn, KRPING_CONN_CONNECTED);
}

/*
 * Wait for the connection manager, as long as krping_queue_progress() is not too
 * far back; the cause is set on error.
 */
static int krping_conn_wait(struct krping_conn *conn, bool (*done)(void *arg),
			    const char *what)
{
	int ret;

	ret = krping_wait(conn->queue.cq, done, conn, conn->opts->timeout);
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

static int krping_resolve_addr(struct krping_conn *conn)
{
	struct sockaddr_storage dst, src;
	struct sockaddr *from = NULL;
	int ret;

	ret = krping_sockaddr(conn, &conn->opts->addr, conn->opts->port, &dst);
	if (!ret && conn->opts->source.family) {
		ret = krping_sockaddr(conn, &conn->opts->source, 0, &src);
		from = (struct sockaddr *)&src;
	}
	if (ret)
		return ret;

	krping_cq_progress(conn->queue.cq);
	do {
		krping_conn_reached(conn, KRPING_CONN_IDLE);
		ret = rdma_resolve_addr(conn->cm_id, from,
					(struct sockaddr *)&dst,
					KRPING_RESOLVE_SLICE);
		if (ret)
			return krping_status_set(conn->status,
						 krping_conn_errno(ret, -EHOSTUNREACH),
						 "cannot resolve %pISc (error %d)",
						 &dst, ret);
		ret = krping_conn_wait(conn, krping_addr_answered,
				       "address resolution");
	} while (!ret && krping_conn_is(conn, KRPING_CONN_UNRESOLVED));
	return ret;
}

/**
 * krping_conn_resolve() - client: find the device and the route to the server
 * @conn: the connection, initialised
 *
 * Process context. On error what was got is kept for krping_conn_destroy().
 *
 * Return: 0 or the cause, which is set.
 */
int krping_conn_resolve(struct krping_conn *conn)
{
	struct rdma_cm_id *id;
	int ret;

	id = krping_create_id(conn);
	if (IS_ERR(id))
		return PTR_ERR(id);
	conn->cm_id = id;

	ret = krping_resolve_addr(conn);
	if (ret)
		return ret;
	krping_conn_set_device(conn);
	ret = krping_conn_check_device(conn, id->device);
	if (ret)
		return ret;

	krping_cq_progress(conn->queue.cq);
	ret = rdma_resolve_route(id, conn->opts->timeout ?: KRPING_RESOLVE_FOREVER);
	if (ret)
		return krping_status_set(conn->status,
					 krping_call_errno(id, ret,
							   -EHOSTUNREACH),
					 "cannot resolve the route (error %d)",
					 ret);
	return krping_conn_wait(conn, krping_route_resolved, "route resolution");
}

/* A wildcard listener has no device; at least the named one must exist. */
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
					 "cannot look for the RDMA device %s (error %d)",
					 conn->opts->device, ret);
	return 0;
}

/*
 * rdma_cm says "not available" also of a port that another listener has on all
 * addresses, or that one on all addresses wants. With any other port it works
 * then.
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
	/* The port stands at the same place for both families. */
	((struct sockaddr_in *)&any_port)->sin_port = 0;
	if (!rdma_bind_addr(id, (struct sockaddr *)&any_port))
		error = -EADDRINUSE;
	rdma_destroy_id(id);
	return error;
}

/**
 * krping_conn_listen() - server: listen for clients
 * @conn: the connection, initialised
 *
 * Process context. On error what was got is kept for krping_conn_destroy().
 *
 * Return: 0 or the cause, which is set.
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
	if (ret)
		return krping_status_set(conn->status,
					 krping_bind_errno(conn, ret, &addr),
					 "cannot bind to %pISpc (error %d)",
					 &addr, ret);
	ret = krping_listen_device(conn);
	if (ret)
		return ret;

	/* Before the first client can come. */
	krping_conn_reached(conn, KRPING_CONN_LISTENING);
	ret = rdma_listen(id, conn->admit_all ? KRPING_BACKLOG_MANY :
					       KRPING_BACKLOG);
	if (ret)
		return krping_status_set(conn->status,
					 krping_call_errno(id, ret,
							   -EADDRINUSE),
					 "cannot listen on %pISpc (error %d)",
					 &addr, ret);
	return 0;
}

/**
 * krping_conn_reject() - server: turn the waiting client away, go on listening
 * @conn: the connection, with a client that waits
 * @reason: why
 * @limit: what would have been accepted; 0 if that has no number
 *
 * Process context. The connection has no QP yet, or no longer.
 */
void krping_conn_reject(struct krping_conn *conn, enum krping_rej_reason reason,
			u64 limit)
{
	struct rdma_cm_id *id = conn->cm_id;
	unsigned long flags;

	krping_reject_id(id, reason, limit);
	rdma_destroy_id(id);

	krping_publish(&conn->has_device, false);
	krping_publish(&conn->has_addrs, false);
	spin_lock_irqsave(&conn->lock, flags);
	conn->cm_id = NULL;
	krping_conn_set_state(conn, KRPING_CONN_LISTENING);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * krping_conn_await_request() - server: wait for a client
 * @conn: the connection, listening
 *
 * Process context. Waits without bound; the client is to be accepted or
 * rejected. One that comes over another device than the named one is turned
 * away here.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_conn_await_request(struct krping_conn *conn)
{
	for (;;) {
		int ret = krping_wait(conn->queue.cq, krping_requested, conn, 0);

		if (ret || krping_conn_requested(conn))
			return ret;
		krping_conn_reject(conn, KRPING_REJ_DEVICE, 0);
	}
}

/**
 * krping_conn_adopt() - make a client that a listener has got one's own
 * @conn: the connection, initialised
 * @id: the client's id
 * @event: its request
 *
 * Called by rdma_cm's handler, which then leaves @id to @conn. The client is to
 * be accepted or rejected.
 */
void krping_conn_adopt(struct krping_conn *conn, struct rdma_cm_id *id,
		       const struct rdma_cm_event *event)
{
	unsigned long flags;

	id->context = conn;
	spin_lock_irqsave(&conn->lock, flags);
	krping_conn_set_state(conn, KRPING_CONN_LISTENING);
	krping_cm_take(conn, id, event);
	spin_unlock_irqrestore(&conn->lock, flags);
}

/**
 * krping_conn_requested() - server: look who wants to connect
 * @conn: the connection, with a client that waits
 *
 * Process context.
 *
 * Return: false if the client came over another device than the named one.
 */
bool krping_conn_requested(struct krping_conn *conn)
{
	if (!krping_conn_right_device(conn, conn->cm_id->device))
		return false;
	krping_conn_set_device(conn);
	krping_conn_set_addrs(conn);
	return true;
}

/**
 * krping_conn_alloc() - get PD and QP
 * @conn: the connection, bound to a device
 * @global_rkey: ask for the PD's unsafe global rkey, to advertise it
 * @attr: what the test needs of its queue, whose CQ has been allocated
 *
 * Process context. On error what was got is kept for krping_conn_free_qp() and
 * krping_conn_free().
 *
 * Return: 0 or the cause, which is set.
 */
int krping_conn_alloc(struct krping_conn *conn, bool global_rkey,
		      const struct krping_queue_attr *attr)
{
	struct ib_pd *pd;

	if (global_rkey)
		pr_info_once("mem_mode=dma: the peer of each such test can read and write all memory of this machine; use it on a trusted network only, or mem_mode=reg\n");

	pd = ib_alloc_pd(conn->cm_id->device,
			 global_rkey ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
	if (IS_ERR(pd))
		return krping_status_set(conn->status,
					 krping_alloc_errno(PTR_ERR(pd)),
					 "the device gives no PD (error %ld)",
					 PTR_ERR(pd));
	conn->pd = pd;
	return krping_queue_alloc(&conn->queue, conn->cm_id, pd, attr);
}

static void krping_conn_param(const struct krping_conn *conn,
			      struct rdma_conn_param *param)
{
	memset(param, 0, sizeof(*param));
	param->responder_resources = conn->reads_in;
	param->initiator_depth = conn->reads_out;
	param->retry_count = conn->opts->retry;
	param->rnr_retry_count = conn->opts->rnr_retry;
}

/*
 * Some iWARP providers sit in a TCP connect here: a signal gets the thread out
 * of it, be it from the watchdog or from whoever stops the test.
 */
static int krping_conn_interruptible_connect(struct krping_conn *conn,
					     struct rdma_conn_param *param)
{
	int ret;

	allow_signal(SIGINT);
	if (conn->opts->timeout)
		mod_timer(&conn->watchdog,
			  jiffies + msecs_to_jiffies(conn->opts->timeout));
	ret = krping_status_stopped(conn->status);
	if (!ret)
		ret = rdma_connect(conn->cm_id, param);
	timer_delete_sync(&conn->watchdog);
	disallow_signal(SIGINT);
	flush_signals(current);

	if (ret && !krping_status_stopped(conn->status))
		krping_status_set(conn->status,
				  krping_call_errno(conn->cm_id, ret,
						    -ECONNRESET),
				  "connecting failed (error %d); is a server listening there?",
				  ret);
	return krping_status_error(conn->status);
}

/* What the server says in its REP must be what it was asked for. */
static int krping_conn_check_rep(struct krping_conn *conn,
				 const struct krping_params *ask)
{
	const struct krping_params *rep = &conn->peer;

	if (conn->peer_ret == -ENOENT)
		return 0;
	if (conn->peer_ret)
		return krping_status_set(conn->status, -EPROTO,
					 "the server's reply makes no sense (error %d)",
					 conn->peer_ret);
	if (rep->test != ask->test || rep->size != ask->size)
		return krping_status_set(conn->status, -EPROTO,
					 "the server runs test %u with size %llu instead",
					 rep->test, rep->size);
	if (rep->count != ask->count)
		return krping_status_set(conn->status, -EPROTO,
					 "the server agrees to %llu iterations instead of %llu",
					 rep->count, ask->count);
	/* A server without a final report is an older one of ours. */
	if ((rep->flags ^ ask->flags) & ~KRPING_WIRE_REPORT)
		return krping_status_set(conn->status, -EPROTO,
					 "the server agrees to flags 0x%x instead of 0x%x (Documentation/wire.md)",
					 rep->flags, ask->flags);
	return 0;
}

/**
 * krping_conn_connect() - client: connect to the server
 * @conn: the connection, with a QP that has its RECVs
 * @ask: what the server is asked to run
 *
 * Process context.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_conn_connect(struct krping_conn *conn,
			const struct krping_params *ask)
{
	struct rdma_conn_param param;
	struct krping_wire_req req;
	int ret;

	krping_wire_req_encode(&req, ask);
	krping_conn_param(conn, &param);
	param.private_data = &req;
	param.private_data_len = sizeof(req);

	krping_cq_progress(conn->queue.cq);
	ret = krping_conn_interruptible_connect(conn, &param);
	if (!ret)
		ret = krping_conn_wait(conn, krping_connected, "connecting");
	if (ret)
		return ret;
	krping_conn_set_addrs(conn);
	return krping_conn_check_rep(conn, ask);
}

/**
 * krping_conn_accept() - server: accept the client that waits
 * @conn: the connection, with a QP that has its RECVs
 * @agreed: what will be run; of no meaning if the peer does not negotiate
 *
 * Process context. Returns before the client has answered: its first message
 * may come before the connection manager's word, and means the same.
 *
 * Return: 0 or the cause, which is set.
 */
int krping_conn_accept(struct krping_conn *conn,
		       const struct krping_params *agreed)
{
	struct rdma_conn_param param;
	struct krping_wire_rep rep;
	int ret;

	krping_conn_param(conn, &param);
	if (krping_conn_negotiated(conn)) {
		krping_wire_rep_encode(&rep, agreed);
		param.private_data = &rep;
		param.private_data_len = sizeof(rep);
	}

	krping_conn_reached(conn, KRPING_CONN_ACCEPTED);
	rdma_lock_handler(conn->cm_id);
	ret = rdma_accept(conn->cm_id, &param);
	rdma_unlock_handler(conn->cm_id);
	if (ret)
		return krping_status_set(conn->status,
					 krping_call_errno(conn->cm_id, ret,
							   -ECONNRESET),
					 "cannot accept the client (error %d)",
					 ret);
	return 0;
}

/**
 * krping_conn_disconnect() - disconnect from the peer
 * @conn: the connection, connected or not
 *
 * Process context. krping_cq_drain() comes next: before that the device may still
 * access buffers.
 */
void krping_conn_disconnect(struct krping_conn *conn)
{
	krping_queue_end(&conn->queue);
	if (conn->queue.qp)
		rdma_disconnect(conn->cm_id);
}

/**
 * krping_conn_free_qp() - give the QP back
 * @conn: the connection, disconnected
 */
void krping_conn_free_qp(struct krping_conn *conn)
{
	krping_queue_free_qp(&conn->queue);
}

/**
 * krping_conn_free() - give back the rest of what krping_conn_alloc() got
 * @conn: the connection, without a QP; its memory regions and its CQ are gone
 */
void krping_conn_free(struct krping_conn *conn)
{
	krping_queue_free(&conn->queue);
	if (conn->pd)
		ib_dealloc_pd(conn->pd);
	conn->pd = NULL;
}

static enum krping_rej_reason
krping_late_reason(const struct krping_status *status)
{
	switch (krping_status_error(status)) {
	case -ECANCELED:
	case -EINTR:
		return KRPING_REJ_STOPPED;
	case -EOPNOTSUPP:
		return KRPING_REJ_UNSUPPORTED;
	default:
		return KRPING_REJ_RESOURCES;
	}
}

/**
 * krping_conn_destroy() - stop listening and forget the peer
 * @conn: the connection, initialised, without a QP
 *
 * Process context. No handler runs for @conn any more when this returns. A
 * client that is not going to be served is told why.
 */
void krping_conn_destroy(struct krping_conn *conn)
{
	if (conn->listen_id)
		rdma_destroy_id(conn->listen_id);
	if (conn->cm_id && krping_conn_is(conn, KRPING_CONN_REQUESTED))
		krping_reject_id(conn->cm_id, krping_late_reason(conn->status), 0);
	if (conn->cm_id)
		rdma_destroy_id(conn->cm_id);
	conn->listen_id = NULL;
	conn->cm_id = NULL;
}
