/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection of rdma_cm: its state, and the functions that both sides use.
 */
#ifndef KRPING_CM_H
#define KRPING_CM_H

#include <linux/socket.h>
#include <linux/timer.h>
#include <rdma/rdma_cm.h>

#include "conn_state.h"
#include "connslot.h"
#include "options.h"
#include "path.h"
#include "qp.h"
#include "share.h"
#include "wire.h"

struct net;

struct krping_conn;

/**
 * typedef krping_admit_fn - decide about a client that the listener's own test does not serve
 * @listener: the listener
 * @id: the client's id
 * @event: the client's connect request
 *
 * To admit the client, the function creates a test for the client, and passes @id to
 * krping_conn_adopt() for the connection of this test.
 *
 * Context: the rdma_cm event handler, which may sleep.
 *
 * Return: 0, or the &enum krping_rej_reason with which the caller rejects the client.
 */
typedef u8 krping_admit_fn(struct krping_conn *listener, struct rdma_cm_id *id,
			   const struct rdma_cm_event *event);

/**
 * struct krping_conn - one connection of one test
 * @opts: the command
 * @net: the network namespace of the command's writer
 * @status: the test's status
 * @lock: guards changes of @state, and of @cm_id while clients may connect
 * @state: state of the connection
 * @listen_id: id of the server's listener, or NULL
 * @cm_id: id of the connection, or NULL
 * @share: owns @pd if all connections of the test use one PD; NULL: the connection owns @pd
 * @pd: the PD
 * @queue: the connection's QP
 * @thread: the test's thread
 * @watchdog: sends @thread a signal if rdma_connect(), which waits for TCP on siw, takes longer
 *	than the timeout
 * @peer_ret: 0 if @peer is valid; -ENOENT if the peer has sent no parameters, like an old krping
 *	or a user-space rping; else the error of decoding the private data
 * @peer: parameters of the peer's REQ or REP
 * @reads_out: maximum number of RDMA READs and atomics that this side has under way
 * @reads_in: maximum number of RDMA READs and atomics that the peer has under way
 * @admit: listener: called for each connect request that @conn itself does not take; or NULL
 * @admit_all: listener: @admit decides about the first client, too; otherwise @conn itself connects
 *	to the first client
 * @admit_arg: listener: the server's test, for @admit
 * @drain: listener: from now on @admit decides about each request, as with @admit_all
 * @alive: client: while this connection is being set up, sends keep-alive messages on earlier
 *	connections of the test, see krping_wait_alive(); or NULL
 * @alive_arg: argument of @alive
 * @slot: the connect slot that this side needs to send a DREQ and to await the answer
 * @leaving: this side has sent a DREQ, and waits for the answer before it destroys the id
 * @gone: the peer has disconnected, has answered the DREQ, or can no longer answer the DREQ
 * @has_device: @device is valid; krping_publish() sets this flag, so readers take no lock
 * @device: name of the RDMA device
 * @has_addrs: @local, @remote and @path are valid; krping_publish() sets this flag, too
 * @local: address of this side
 * @remote: address of the peer
 * @path: path to the peer
 */
struct krping_conn {
	const struct krping_options *opts;
	struct net *net;
	struct krping_status *status;
	spinlock_t lock; /* see above */
	enum krping_conn_state state;
	struct rdma_cm_id *listen_id;
	struct rdma_cm_id *cm_id;
	struct krping_share *share;
	struct ib_pd *pd;
	struct krping_queue queue;
	struct task_struct *thread;
	struct timer_list watchdog;
	int peer_ret;
	struct krping_params peer;
	u8 reads_out;
	u8 reads_in;
	krping_admit_fn *admit;
	bool admit_all;
	void *admit_arg;
	bool drain;
	int (*alive)(void *arg);
	void *alive_arg;
	struct krping_connslot slot;
	bool leaving;
	bool gone;
	bool has_device;
	char device[KRPING_DEVICE_MAX];
	bool has_addrs;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	struct krping_path path;
};

/* Create an rdma_cm id. */
struct rdma_cm_id *krping_create_id(struct krping_conn *conn);

/* Destroy an rdma_cm id. */
void krping_destroy_id(struct rdma_cm_id *id);

/* Store the id and the request of a client. */
void krping_cm_take(struct krping_conn *conn, struct rdma_cm_id *id,
		    const struct rdma_cm_event *event);

/* Reject a client. */
void krping_reject_id(struct rdma_cm_id *id, enum krping_rej_reason reason,
		      u64 limit);

/* Change the state; the caller holds the lock. */
bool krping_conn_set_state(struct krping_conn *conn, enum krping_conn_state to);

/* Check the state of a connection. */
bool krping_conn_is(const struct krping_conn *conn,
		    enum krping_conn_state state);

/* Change the state and wake the test's thread. */
void krping_conn_reached(struct krping_conn *conn, enum krping_conn_state state);

/* Wait until @done returns true; @what names the wait in the error detail. */
int krping_conn_wait(struct krping_conn *conn, bool (*done)(void *arg),
		     const char *what);

/* Map the error of an event of rdma_cm to an errno that a command of /proc/krping may return. */
int krping_conn_errno(int error, int fallback);

/* Map the error of a call of rdma_cm to an errno that a command of /proc/krping may return. */
int krping_call_errno(struct rdma_cm_id *id, int error, int fallback);

/* Check whether the command allows a device. */
bool krping_conn_right_device(const struct krping_conn *conn,
			      const struct ib_device *device);

/* Record an error if the command does not allow a device. */
int krping_conn_check_device(struct krping_conn *conn,
			     const struct ib_device *device);

/* Set a flag that allows reading other fields without a lock. */
void krping_publish(bool *flag, bool value);

/* Publish the name of the connection's device. */
void krping_conn_set_device(struct krping_conn *conn);

/* Publish the addresses and the path of the connection. */
void krping_conn_set_addrs(struct krping_conn *conn);

/**
 * krping_conn_id() - return the rdma_cm id of a connection or of its listener
 * @conn: the connection
 *
 * Return: the connection's id, or the listener's id before there is a connection.
 */
static inline struct rdma_cm_id *krping_conn_id(const struct krping_conn *conn)
{
	return conn->cm_id ? conn->cm_id : conn->listen_id;
}

/**
 * krping_conn_iwarp() - check whether a connection uses iWARP
 * @conn: the connection, bound to a device
 *
 * On iWARP, the sink of an RDMA READ needs remote write access, and a READ may invalidate the key
 * of its sink (READ_WITH_INV). Neither holds on InfiniBand or RoCE.
 *
 * Return: true for iWARP.
 */
static inline bool krping_conn_iwarp(const struct krping_conn *conn)
{
	const struct rdma_cm_id *id = krping_conn_id(conn);

	return rdma_protocol_iwarp(id->device, id->port_num);
}

/**
 * krping_conn_roce() - check whether a connection uses RoCE
 * @conn: the connection, bound to a device
 *
 * Return: true for RoCE.
 */
static inline bool krping_conn_roce(const struct krping_conn *conn)
{
	const struct rdma_cm_id *id = krping_conn_id(conn);

	return rdma_protocol_roce(id->device, id->port_num);
}

/**
 * krping_conn_has_device() - check whether &krping_conn.device is valid
 * @conn: the connection
 *
 * Context: any context.
 *
 * Return: true once the connection is bound to a device.
 */
static inline bool krping_conn_has_device(const struct krping_conn *conn)
{
	/* pairs with krping_publish() */
	return smp_load_acquire(&conn->has_device);
}

/**
 * krping_conn_has_addrs() - check whether the connection's addresses and path are valid
 * @conn: the connection
 *
 * Context: any context.
 *
 * Return: true once the connection has a peer.
 */
static inline bool krping_conn_has_addrs(const struct krping_conn *conn)
{
	/* pairs with krping_publish() */
	return smp_load_acquire(&conn->has_addrs);
}

/**
 * krping_conn_negotiated() - check whether the peer has sent valid parameters
 * @conn: the connection
 *
 * Return: true; false for an old krping, a user-space rping, or malformed parameters.
 */
static inline bool krping_conn_negotiated(const struct krping_conn *conn)
{
	return !conn->peer_ret;
}

#endif /* KRPING_CM_H */
