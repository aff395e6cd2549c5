/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The states of a connection, for cm.c, which changes the state, and for trace.h, which prints it.
 */
#ifndef KRPING_CONN_STATE_H
#define KRPING_CONN_STATE_H

/**
 * enum krping_conn_state - state of a connection
 * @KRPING_CONN_IDLE: client: no address is resolved; server: not listening yet
 * @KRPING_CONN_UNRESOLVED: client: address resolution timed out and is repeated
 * @KRPING_CONN_ADDR_RESOLVED: client: the device is known, the route is not
 * @KRPING_CONN_UNROUTED: client: route resolution timed out and is repeated
 * @KRPING_CONN_ROUTE_RESOLVED: client: ready to connect
 * @KRPING_CONN_LISTENING: server: no client waits to be accepted or rejected
 * @KRPING_CONN_REQUESTED: server: a client waits to be accepted or rejected
 * @KRPING_CONN_ACCEPTED: server: the client is accepted; data may arrive at any time
 * @KRPING_CONN_CONNECTED: both sides: the ESTABLISHED event has arrived
 */
enum krping_conn_state {
	KRPING_CONN_IDLE,
	KRPING_CONN_UNRESOLVED,
	KRPING_CONN_ADDR_RESOLVED,
	KRPING_CONN_UNROUTED,
	KRPING_CONN_ROUTE_RESOLVED,
	KRPING_CONN_LISTENING,
	KRPING_CONN_REQUESTED,
	KRPING_CONN_ACCEPTED,
	KRPING_CONN_CONNECTED,
};

#endif /* KRPING_CONN_STATE_H */
