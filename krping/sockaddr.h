/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Convert the addresses of a command to socket addresses for rdma_cm.
 */
#ifndef KRPING_SOCKADDR_H
#define KRPING_SOCKADDR_H

#include "cm.h"

/*
 * Convert @addr and @port to @out. For a link-local address @addr names an interface of the
 * connection's network namespace. Return 0 or a negative errno.
 */
int krping_sockaddr(struct krping_conn *conn, const struct krping_addr *addr,
		    u16 port, struct sockaddr_storage *out);

#endif /* KRPING_SOCKADDR_H */
