// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connect the QPs of a case. The server listens on a second port, and accepts one client at a time.
 * The client must send the cookie that it has received on the control connection.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kernel.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "../compat.h"
#include "pair.h"

/*
 * Timeout and number of calls of rdma_resolve_addr(). A call may miss an early answer of the
 * network, so the timeout is short, and the client calls again.
 */
#define CONFORM_RESOLVE_SLICE	250	/* milliseconds */
#define CONFORM_RESOLVE_TRIES	20

#define CONFORM_BACKLOG		4

/* Number of retries of a QP. 7 RNR retries would mean no limit. */
#define CONFORM_RETRIES		7
#define CONFORM_RNR_RETRIES	1

/*
 * ACK timeout: 4.096 us * 2^18 = 1.07 s. On RoCE, rdma_cm of Linux up to 6.1 sets 2.1 s by itself:
 * after two lost packets in a row, a WR could hardly complete within CONFORM_WAIT. A much shorter
 * timeout would expire while the CPU of an emulated peer is busy.
 */
#define CONFORM_ACK_TIMEOUT	18

/* For a peer that will not answer: an ACK timeout of 4.096 us * 2^17 = 0.54 s, and few retries. */
#define CONFORM_SILENT_TIMEOUT	17
#define CONFORM_SILENT_RETRIES	2

/* Maximum number of READs and atomics that a side has in flight. */
#define CONFORM_READS		4

/* Set the progress of the connection, and wake the test's thread. */
static void conform_cm_set(struct conform_side *side, enum conform_cm cm, int error)
{
	if (error)
		WRITE_ONCE(side->cm_error, error);
	/* pairs with conform_cm_is() */
	smp_store_release(&side->cm, cm);
	wake_up_all(&side->thread->status->wait);
}

static enum conform_cm conform_cm_is(const struct conform_side *side)
{
	/* pairs with conform_cm_set() */
	return smp_load_acquire(&side->cm);
}

/* Return an errno for @status of an event: the reason of the peer's REJ, or a negative errno. */
static int conform_cm_error(int status)
{
	return status < 0 ? status : -ECONNREFUSED;
}

/* Handle a disconnect, which is a failure if the connection is not established. */
static void conform_cm_end(struct conform_side *side)
{
	WRITE_ONCE(side->ended, true);
	conform_trace_note(side, KRPING_CONFORM_CM, 0);
	if (conform_cm_is(side) != CONFORM_CM_ESTABLISHED)
		conform_cm_set(side, CONFORM_CM_FAILED, -ECONNRESET);
	wake_up_all(&side->thread->status->wait);
}

/* Record the progress of a connection, or its end. */
static int conform_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct conform_side *side = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		conform_cm_set(side, CONFORM_CM_ADDR, 0);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
		conform_cm_set(side, CONFORM_CM_UNRESOLVED, 0);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		conform_cm_set(side, CONFORM_CM_ROUTE, 0);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		conform_cm_set(side, CONFORM_CM_ESTABLISHED, 0);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		conform_cm_end(side);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		/* The control connection gets the same event, and ends the test. */
		break;
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		conform_cm_set(side, CONFORM_CM_FAILED, conform_cm_error(event->status));
		break;
	default:
		break;
	}
	return 0;
}

/*
 * The server.
 */

/*
 * Hand the id of a request with the right cookie to the waiting side. If the return value is not 0,
 * rdma_cm destroys the id.
 */
static int conform_cm_request(struct conform_listener *l, struct rdma_cm_id *id,
			      const struct rdma_conn_param *param)
{
	struct conform_side *side = NULL;
	unsigned long flags;
	__be32 cookie;

	if (!param->private_data || param->private_data_len < sizeof(cookie))
		return -EINVAL;
	memcpy(&cookie, param->private_data, sizeof(cookie));
	spin_lock_irqsave(&l->lock, flags);
	if (be32_to_cpu(cookie) == l->cookie && l->side && l->side->device == id->device) {
		side = l->side;
		l->side = NULL;
		id->context = side;
		side->id = id;
		conform_cm_set(side, CONFORM_CM_REQUESTED, 0);
	}
	spin_unlock_irqrestore(&l->lock, flags);
	return side ? 0 : -EINVAL;
}

/* Handle events of the listener, and of the ids of clients, which inherit the handler. */
static int conform_listen_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		return conform_cm_request(id->context, id, &event->param.conn);
	/* The listener, whose context is no side, gets only this event and connect requests. */
	if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return 0;
	return conform_cm_handler(id, event);
}

static void conform_set_port(struct sockaddr_storage *addr, u16 port)
{
	/* The port has the same offset in sockaddr_in and sockaddr_in6. */
	((struct sockaddr_in *)addr)->sin_port = htons(port);
}

/**
 * conform_listen() - server: listen for the QPs of cases
 * @l: the listener, all zeros
 * @conn: the control connection
 * @port: set to the port
 *
 * After an error, the caller calls conform_listen_end().
 *
 * Return: 0 or a negative errno.
 */
int conform_listen(struct conform_listener *l, const struct krping_conn *conn, u16 *port)
{
	struct sockaddr_storage addr = conn->cm_id->route.addr.src_addr;
	struct rdma_cm_id *id;
	int ret;

	spin_lock_init(&l->lock);
	l->cookie = get_random_u32();
	id = rdma_create_id(conn->net, conform_listen_handler, l, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	l->id = id;
	conform_set_port(&addr, 0);
	ret = rdma_bind_addr(id, (struct sockaddr *)&addr);
	if (!ret)
		ret = rdma_listen(id, CONFORM_BACKLOG);
	if (!ret)
		*port = ntohs(((struct sockaddr_in *)&id->route.addr.src_addr)->sin_port);
	return ret;
}

/**
 * conform_listen_for() - server: set the side that waits for its client
 * @l: the listener
 * @side: the side; NULL: none
 *
 * When the function has returned, no handler assigns a client to the previous side.
 */
void conform_listen_for(struct conform_listener *l, struct conform_side *side)
{
	unsigned long flags;

	if (!l->id)
		return;
	spin_lock_irqsave(&l->lock, flags);
	l->side = side;
	spin_unlock_irqrestore(&l->lock, flags);
}

/**
 * conform_listen_end() - server: stop listening
 * @l: the listener, all zeros or as conform_listen() has left it
 */
void conform_listen_end(struct conform_listener *l)
{
	if (l->id)
		krping_destroy_id(l->id);
	l->id = NULL;
}

/**
 * conform_requested() - server: check whether the client waits for conform_accept()
 * @side: the side
 *
 * Return: true if the client's REQ has arrived and the side has no QP yet.
 */
bool conform_requested(const struct conform_side *side)
{
	return conform_cm_is(side) == CONFORM_CM_REQUESTED && !side->qp;
}

/* Set the parameters of the connection: READs in flight, and retries. */
static void conform_param(const struct conform_side *side, struct rdma_conn_param *param)
{
	const struct ib_device_attr *limit = &side->device->attrs;

	memset(param, 0, sizeof(*param));
	param->responder_resources = min_t(u32, limit->max_qp_rd_atom, CONFORM_READS);
	param->initiator_depth = min_t(u32, limit->max_qp_init_rd_atom, CONFORM_READS);
	param->retry_count = CONFORM_RETRIES;
	param->rnr_retry_count = CONFORM_RNR_RETRIES;
}

/**
 * conform_accept() - server: accept the waiting client
 * @side: the side, for which conform_requested() holds
 *
 * Return: 0 or a negative errno.
 */
int conform_accept(struct conform_side *side)
{
	struct rdma_conn_param param;
	int ret;

	ret = conform_side_create_qp(side);
	if (ret)
		return ret;
	conform_param(side, &param);
	rdma_lock_handler(side->id);
	ret = rdma_accept(side->id, &param);
	rdma_unlock_handler(side->id);
	return ret;
}

/*
 * The client.
 */

static bool conform_cm_past_addr(void *side)
{
	return conform_cm_is(side) != CONFORM_CM_IDLE;
}

static bool conform_cm_past_route(void *side)
{
	return conform_cm_is(side) >= CONFORM_CM_ROUTE;
}

static bool conform_cm_past_connect(void *side)
{
	return conform_cm_is(side) >= CONFORM_CM_ESTABLISHED;
}

/* Resolve the address and the route of the server's port for cases. */
static int conform_resolve(struct conform_side *side, const struct krping_conn *conn, u16 port)
{
	struct sockaddr_storage src = conn->cm_id->route.addr.src_addr;
	struct sockaddr_storage dst = conn->cm_id->route.addr.dst_addr;
	int tries = CONFORM_RESOLVE_TRIES;
	int ret;

	conform_set_port(&src, 0);
	conform_set_port(&dst, port);
	do {
		WRITE_ONCE(side->cm, CONFORM_CM_IDLE);
		ret = rdma_resolve_addr(side->id, (struct sockaddr *)&src,
					(struct sockaddr *)&dst, CONFORM_RESOLVE_SLICE);
		if (!ret)
			ret = conform_side_wait(side, conform_cm_past_addr, CONFORM_WAIT);
	} while (!ret && conform_cm_is(side) == CONFORM_CM_UNRESOLVED && --tries);
	if (!ret && conform_cm_is(side) != CONFORM_CM_ADDR)
		ret = -EHOSTUNREACH;
	if (!ret && side->id->device != side->device)
		ret = -ENODEV;
	if (!ret)
		ret = rdma_resolve_route(side->id, CONFORM_WAIT);
	if (!ret)
		ret = conform_side_wait(side, conform_cm_past_route, CONFORM_WAIT);
	return ret ? ret : side->cm_error;
}

/* Bounds the time of rdma_connect(). */
struct conform_watchdog {
	struct timer_list timer;
	struct task_struct *task;
	bool expired;
};

/* Interrupt rdma_connect(), which takes too long. */
static void conform_watchdog_expired(struct timer_list *timer)
{
	struct conform_watchdog *w = timer_container_of(w, timer, timer);

	WRITE_ONCE(w->expired, true);
	send_sig(SIGINT, w->task, 1);
}

/*
 * Call rdma_connect(). In this call, some iWARP providers wait until TCP has connected: if all SYNs
 * are lost, for two minutes. A stop and the watchdog send SIGINT, which interrupts this wait.
 */
static int conform_call_connect(struct conform_side *side, struct rdma_conn_param *param)
{
	struct conform_watchdog watchdog = { .task = current };
	int ret;

	timer_setup_on_stack(&watchdog.timer, conform_watchdog_expired, 0);
	allow_signal(SIGINT);
	mod_timer(&watchdog.timer, jiffies + msecs_to_jiffies(CONFORM_CONNECT_WAIT));
	ret = krping_status_stopped(side->thread->status);
	if (!ret)
		ret = rdma_connect(side->id, param);
	timer_delete_sync(&watchdog.timer);
	timer_destroy_on_stack(&watchdog.timer);
	disallow_signal(SIGINT);
	flush_signals(current);
	return ret && READ_ONCE(watchdog.expired) ? -ETIMEDOUT : ret;
}

/**
 * conform_connect() - client: connect the QP of a case
 * @side: the side
 * @conn: the control connection
 * @port: port of the server
 * @cookie: cookie of the server
 * @silent: the peer will not answer requests, so a request fails after few retries
 *
 * After an error, the caller calls conform_side_free().
 *
 * Return: 0 or a negative errno.
 */
int conform_connect(struct conform_side *side, const struct krping_conn *conn, u16 port,
		    u32 cookie, bool silent)
{
	__be32 private = cpu_to_be32(cookie);
	struct rdma_conn_param param;
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(conn->net, conform_cm_handler, side, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	side->id = id;
	ret = rdma_set_ack_timeout(id, silent ? CONFORM_SILENT_TIMEOUT : CONFORM_ACK_TIMEOUT);
	if (!ret)
		ret = conform_resolve(side, conn, port);
	if (!ret)
		ret = conform_side_create_qp(side);
	if (ret)
		return ret;
	conform_param(side, &param);
	if (silent)
		param.retry_count = CONFORM_SILENT_RETRIES;
	param.private_data = &private;
	param.private_data_len = sizeof(private);
	ret = conform_call_connect(side, &param);
	if (!ret)
		ret = conform_side_wait(side, conform_cm_past_connect, CONFORM_CONNECT_WAIT);
	return ret ? ret : side->cm_error;
}
