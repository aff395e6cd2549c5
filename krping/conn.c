// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A connection of rdma_cm: resolve, allocate PD and QP, connect, accept, disconnect, free, destroy.
 *
 * Only the test's thread calls rdma_destroy_id() for a connection. The removal of the device
 * waits for this call.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/kernel.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "conn.h"
#include "sockaddr.h"
#include "wait.h"

/*
 * Timeout of one rdma_resolve_addr() call. The address resolver of rdma_cm can miss an early
 * answer of the neighbour, and then waits for the whole timeout. So krping calls
 * rdma_resolve_addr() repeatedly with a short timeout.
 */
#define KRPING_RESOLVE_SLICE	250	/* milliseconds */

/*
 * Timeout of one rdma_resolve_route() call. The core divides the timeout among several queries, so
 * a long timeout would delay the repetition of a lost query.
 */
#define KRPING_ROUTE_SLICE	2000	/* milliseconds */

/*
 * ACK timeout, 4.096 us * 2^N, while the route is resolved. On RoCE the core takes half of it,
 * 0.27 s, for the lifetime of a packet (IBTA 12.7.34), and repeats a lost connect request after
 * twice this lifetime and 4.1 s, 4.6 s in all. So the default of the option timeout allows for one
 * repetition. Linux 5.10 and 6.1 would take a lifetime of 1.07 s, which is too long for that.
 */
#define KRPING_ROUTE_ACK_TIMEOUT	17

/*
 * Default of the option ack_timeout on RoCE: 2.1 s, as the core of Linux 5.10 and 6.1 chooses. An
 * emulated peer may acknowledge late. One value for all kernels makes their results comparable.
 */
#define KRPING_ACK_TIMEOUT	19

/* Default of the option min_rnr_timer: 0.64 ms, as in perftest. */
#define KRPING_MIN_RNR_TIMER	12

/* Record the timeout, and interrupt rdma_connect(), which takes too long. */
static void krping_conn_watchdog(struct timer_list *timer)
{
	struct krping_conn *conn = timer_container_of(conn, timer, watchdog);

	krping_status_set(conn->status, -ETIMEDOUT,
			  "connecting took longer than timeout=%u ms",
			  conn->opts->timeout);
	send_sig(SIGINT, conn->thread, 1);
}

/**
 * krping_conn_init() - initialise a connection without allocating it
 * @conn: the connection, all zeros or destroyed by krping_conn_destroy()
 * @net: network namespace; must outlive @conn
 * @opts: the command; must outlive @conn
 * @cq: CQ of the connection, initialised by krping_cq_init()
 *
 * The caller sets &krping_conn.thread before this thread uses the connection.
 */
void krping_conn_init(struct krping_conn *conn, struct net *net,
		      const struct krping_options *opts, struct krping_cq *cq)
{
	conn->opts = opts;
	conn->net = net;
	conn->status = cq->status;
	WRITE_ONCE(conn->state, KRPING_CONN_IDLE);
	conn->alive = NULL;
	krping_connslot_init(&conn->slot);
	conn->leaving = false;
	WRITE_ONCE(conn->gone, false);
	conn->peer_ret = -ENOENT;
	conn->reads_out = 1;
	conn->reads_in = 1;
	spin_lock_init(&conn->lock);
	timer_setup(&conn->watchdog, krping_conn_watchdog, 0);
	krping_queue_init(&conn->queue, cq);
}

/* Conditions for krping_conn_wait(): an event has answered the request to resolve or connect. */

static bool krping_addr_answered(void *conn)
{
	return !krping_conn_is(conn, KRPING_CONN_IDLE);
}

static bool krping_route_answered(void *conn)
{
	return !krping_conn_is(conn, KRPING_CONN_ADDR_RESOLVED);
}

static bool krping_connected(void *conn)
{
	return krping_conn_is(conn, KRPING_CONN_CONNECTED);
}

/* Resolve the server's address, and so bind the connection's id to a device. */
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
						 "cannot resolve %pISc (%d)",
						 &dst, ret);
		ret = krping_conn_wait(conn, krping_addr_answered,
				       "address resolution");
	} while (!ret && krping_conn_is(conn, KRPING_CONN_UNRESOLVED));
	return ret;
}

/* Resolve the route to the server. Repeat a query that gets no answer. */
static int krping_resolve_route(struct krping_conn *conn)
{
	u32 slice = min_t(u32, conn->opts->timeout ?: U32_MAX, KRPING_ROUTE_SLICE);
	int ret;

	if (krping_conn_roce(conn))
		rdma_set_ack_timeout(conn->cm_id, KRPING_ROUTE_ACK_TIMEOUT);
	krping_cq_progress(conn->queue.cq);
	do {
		krping_conn_reached(conn, KRPING_CONN_ADDR_RESOLVED);
		ret = rdma_resolve_route(conn->cm_id, slice);
		if (ret)
			return krping_status_set(conn->status,
						 krping_call_errno(conn->cm_id, ret,
								   -EHOSTUNREACH),
						 "cannot resolve the route (%d)",
						 ret);
		ret = krping_conn_wait(conn, krping_route_answered, "route resolution");
	} while (!ret && krping_conn_is(conn, KRPING_CONN_UNROUTED));
	return ret;
}

/**
 * krping_conn_resolve() - client: find the device and the route to the server
 * @conn: the connection, initialised
 *
 * Context: process context. After an error, the caller calls krping_conn_destroy().
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
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
	return ret ?: krping_resolve_route(conn);
}

/*
 * Set the timers that the command does not set to krping's defaults. Before, the ACK timeout
 * has the value for the route. The core's default of the RNR NAK timer, 0, means 655 ms. Ignore
 * errors, because an old core cannot set the RNR NAK timer.
 */
static void krping_conn_default_timers(struct krping_conn *conn)
{
	if (conn->opts->ack_timeout < 0 && krping_conn_roce(conn))
		rdma_set_ack_timeout(conn->cm_id, KRPING_ACK_TIMEOUT);
	if (conn->opts->min_rnr_timer < 0 && !krping_conn_iwarp(conn))
		rdma_set_min_rnr_timer(conn->cm_id, KRPING_MIN_RNR_TIMER);
}

/* Set the timers that the core writes into the QP's attributes when it connects the QP. */
static int krping_conn_set_timers(struct krping_conn *conn)
{
	const struct krping_options *opts = conn->opts;
	int ret = 0;

	krping_conn_default_timers(conn);
	if (opts->ack_timeout < 0 && opts->min_rnr_timer < 0)
		return 0;
	if (krping_conn_iwarp(conn))
		return krping_status_set(conn->status, -EOPNOTSUPP,
					 "%s: iWARP has no such timer",
					 opts->ack_timeout < 0 ? "min_rnr_timer" :
					 "ack_timeout");
	if (opts->ack_timeout >= 0)
		ret = rdma_set_ack_timeout(conn->cm_id, opts->ack_timeout);
	if (ret)
		return krping_status_set(conn->status, -EOPNOTSUPP,
					 "ack_timeout: the RDMA core refuses it (%d)",
					 ret);
	if (opts->min_rnr_timer >= 0)
		ret = rdma_set_min_rnr_timer(conn->cm_id, opts->min_rnr_timer);
	if (ret)
		return krping_status_set(conn->status, -EOPNOTSUPP,
					 "min_rnr_timer: the RDMA core refuses it (%d)",
					 ret);
	return 0;
}

/* Use the PD of @share, or, if @share is NULL, allocate a PD for this connection. */
static int krping_conn_get_pd(struct krping_conn *conn, struct krping_share *share,
			      bool global_rkey)
{
	struct ib_device *device = conn->cm_id->device;
	struct ib_pd *pd;

	pd = share ? krping_share_enter(share, device, global_rkey) :
		     ib_alloc_pd(device, global_rkey ? IB_PD_UNSAFE_GLOBAL_RKEY : 0);
	if (share && (pd == ERR_PTR(-ECONNRESET) || pd == ERR_PTR(-EPROTO)))
		return krping_status_set(conn->status, PTR_ERR(pd),
					 "share: the first connection has ended or differs");
	if (IS_ERR(pd))
		return krping_status_set(conn->status,
					 krping_alloc_errno(PTR_ERR(pd)),
					 "cannot allocate PD (%ld)",
					 PTR_ERR(pd));
	conn->share = share;
	conn->pd = pd;
	return 0;
}

/**
 * krping_conn_alloc() - set the timers of the connection, and allocate PD and QP
 * @conn: the connection, bound to a device
 * @share: owner of the PD of all connections of the test, outlives @conn; NULL: allocate a PD
 * @global_rkey: the PD needs an unsafe global rkey, which the caller will advertise
 * @attr: attributes of the QP; the caller has already allocated the CQ of the connection
 *
 * Context: process context. After an error, the caller calls krping_conn_free_qp() and
 * krping_conn_free().
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
 */
int krping_conn_alloc(struct krping_conn *conn, struct krping_share *share,
		      bool global_rkey, const struct krping_queue_attr *attr)
{
	int ret;

	ret = krping_conn_set_timers(conn);
	if (ret)
		return ret;
	if (global_rkey)
		pr_info_once("test %u: mem_mode=dma: the peer of each such test can read and write all memory of this machine; use it on a trusted network only, or mem_mode=reg\n",
			     conn->queue.status->id);

	ret = krping_conn_get_pd(conn, share, global_rkey);
	if (ret)
		return ret;
	return krping_queue_alloc(&conn->queue, conn->cm_id, conn->pd, attr);
}

/* Set the READ depths and the retry counts of the REQ or REP. */
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
 * Call rdma_connect(). In this call, some iWARP providers wait until TCP has connected. The
 * watchdog and the command stop send a signal, which interrupts this wait.
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
				  "connecting failed (%d); is a server listening there?",
				  ret);
	return krping_status_error(conn->status);
}

/*
 * Check that the REP has the parameters of the REQ. If the server is old, its REP has no parameters
 * (-ENOENT), and there is nothing to check.
 */
static int krping_conn_check_rep(struct krping_conn *conn,
				 const struct krping_params *request)
{
	const struct krping_params *rep = &conn->peer;

	if (conn->peer_ret == -ENOENT)
		return 0;
	if (conn->peer_ret)
		return krping_status_set(conn->status, -EPROTO,
					 "the server's REP is malformed (%d)",
					 conn->peer_ret);
	if (rep->test != request->test || rep->size != request->size)
		return krping_status_set(conn->status, -EPROTO,
					 "the server runs test %u with size %llu instead",
					 rep->test, rep->size);
	if (rep->stride != request->stride)
		return krping_status_set(conn->status, -EPROTO,
					 "the server accepts stride %u instead of %u",
					 rep->stride, request->stride);
	if (rep->count != request->count)
		return krping_status_set(conn->status, -EPROTO,
					 "the server accepts %llu iteration%s instead of %llu",
					 rep->count, krping_plural(rep->count), request->count);
	/* An older krping sends no final report, so its REP lacks this flag. */
	if ((rep->flags ^ request->flags) & ~KRPING_WIRE_REPORT)
		return krping_status_set(conn->status, -EPROTO,
					 "the server accepts flags 0x%x instead of 0x%x (Documentation/wire.md)",
					 rep->flags, request->flags);
	return 0;
}

/**
 * krping_conn_connect() - client: connect to the server, and wait for the server's answer
 * @conn: the connection, resolved; the caller has posted RECVs to its QP
 * @request: parameters that the client requests
 *
 * Context: the test's thread.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
 */
int krping_conn_connect(struct krping_conn *conn,
			const struct krping_params *request)
{
	struct rdma_conn_param param;
	struct krping_wire_req req;
	int ret;

	krping_wire_req_encode(&req, request);
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
	return krping_conn_check_rep(conn, request);
}

/**
 * krping_conn_accept() - server: accept the waiting client
 * @conn: the connection, with a client that waits; the caller has posted RECVs to its QP
 * @params: the negotiated parameters for the REP; unused if the client has sent no parameters
 *
 * The function does not wait until the connection is established. The client's first message
 * proves that the connection is established, and may arrive before the ESTABLISHED event.
 *
 * Context: process context.
 *
 * Return: 0 or a negative errno, which is recorded in &krping_conn.status.
 */
int krping_conn_accept(struct krping_conn *conn,
		       const struct krping_params *params)
{
	struct rdma_conn_param param;
	struct krping_wire_rep rep;
	int ret;

	krping_conn_param(conn, &param);
	if (krping_conn_negotiated(conn)) {
		krping_wire_rep_encode(&rep, params);
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
					 "cannot accept the client (%d)",
					 ret);
	return 0;
}

/* From now on, failed WRs and a disconnect by the peer are no errors. */
static void krping_conn_close(struct krping_conn *conn)
{
	krping_queue_end(&conn->queue);
	/* From now on ignore flushed WRs, because this side causes the flushes. */
	WRITE_ONCE(conn->queue.closing, true);
}

/*
 * Check whether the peer answers a disconnect. On iWARP await no answer: TCP retransmits a lost
 * disconnect even for a destroyed id.
 */
static bool krping_conn_answers(const struct krping_conn *conn)
{
	return conn->queue.qp && krping_conn_is(conn, KRPING_CONN_CONNECTED) &&
	       !krping_conn_iwarp(conn);
}

/* Condition: the connection has a slot, or needs none because the peer has disconnected. */
static bool krping_conn_may_leave(void *arg)
{
	struct krping_conn *conn = arg;

	return krping_connslot_granted(&conn->slot) || READ_ONCE(conn->gone);
}

/*
 * Wait, until jiffies reach @until, for a slot, so that few connections await an answer at the same
 * time. The answer, or krping_conn_destroy(), releases the slot.
 */
static void krping_conn_get_slot(struct krping_conn *conn, unsigned long until)
{
	krping_connslot_request(&conn->slot, conn->status, KRPING_CONNSLOT_DISCONNECT);
	krping_wait_gone(conn->status, krping_conn_may_leave, conn, until);
	if (!krping_connslot_granted(&conn->slot))
		krping_connslot_release(&conn->slot);
}

/**
 * krping_conns_disconnect() - disconnect from the peers
 * @conns: the connections, connected or not
 * @nr: number of @conns
 * @awaited: the caller awaits the answers by krping_conn_gone() before it destroys the ids
 *
 * The device may access buffers until krping_cq_drain() returns.
 *
 * Context: the test's thread. With @awaited the function may wait for other connections, for
 * at most KRPING_DISCONNECT_GRACE.
 */
void krping_conns_disconnect(struct krping_conn *conns, u32 nr, bool awaited)
{
	unsigned long until = jiffies + KRPING_DISCONNECT_GRACE;
	u32 i;

	/* close all first, because a peer that loses one connection may disconnect the others */
	for (i = 0; i < nr; i++)
		krping_conn_close(&conns[i]);
	for (i = 0; i < nr; i++) {
		if (awaited && krping_conn_answers(&conns[i]))
			krping_conn_get_slot(&conns[i], until);
		if (conns[i].queue.qp && !rdma_disconnect(conns[i].cm_id))
			conns[i].leaving = krping_conn_answers(&conns[i]);
	}
}

/**
 * krping_conn_gone() - check whether the id of a disconnected connection may be destroyed
 * @conn: the connection, disconnected
 *
 * rdma_destroy_id() stops the retransmission of a DREQ. If the DREQ was lost, the peer would not
 * notice the disconnect. So the teardown first waits until this function returns true.
 *
 * Context: any context.
 *
 * Return: true if the peer has answered or cannot answer, or if this side awaits no answer.
 */
bool krping_conn_gone(const struct krping_conn *conn)
{
	return !conn->leaving || READ_ONCE(conn->gone);
}

/**
 * krping_conn_free_qp() - destroy the QP
 * @conn: the connection, which the caller has disconnected and drained
 */
void krping_conn_free_qp(struct krping_conn *conn)
{
	krping_queue_free_qp(&conn->queue);
}

/**
 * krping_conn_free() - free the RECVs and the PD
 * @conn: the connection; the caller has destroyed its QP and freed its MRs and its CQ
 */
void krping_conn_free(struct krping_conn *conn)
{
	krping_queue_free(&conn->queue);
	if (conn->share)
		krping_share_leave(conn->share);
	else if (conn->pd)
		ib_dealloc_pd(conn->pd);
	conn->share = NULL;
	conn->pd = NULL;
}

/* Return the reason to reject a client that still waits when the test ends. */
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
 * krping_conn_unlisten() - free the port of a listener
 * @conn: the connection, initialised
 *
 * Context: process context. When the function returns, no further client is admitted.
 */
void krping_conn_unlisten(struct krping_conn *conn)
{
	if (conn->listen_id)
		krping_destroy_id(conn->listen_id);
	conn->listen_id = NULL;
}

/**
 * krping_conn_destroy() - destroy the rdma_cm ids of the connection and of its listener
 * @conn: the connection, initialised, without a QP
 *
 * If a client still waits to be accepted, the function rejects the client, with the reason in the
 * REJ.
 *
 * Context: process context. When the function returns, no event handler runs for @conn.
 */
void krping_conn_destroy(struct krping_conn *conn)
{
	krping_conn_unlisten(conn);
	if (conn->cm_id && krping_conn_is(conn, KRPING_CONN_REQUESTED))
		krping_reject_id(conn->cm_id, krping_late_reason(conn->status), 0);
	if (conn->cm_id)
		krping_destroy_id(conn->cm_id);
	conn->cm_id = NULL;
	krping_connslot_release(&conn->slot);
}
