// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Convert the addresses of a command to socket addresses for rdma_cm.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/netdevice.h>
#include <linux/string.h>

#include "sockaddr.h"

/* Return the index of the interface named @scope; 0 if @scope is ""; or a negative errno. */
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

/**
 * krping_sockaddr() - convert an address of the command
 * @conn: the connection; its network namespace must have the interface of a scope
 * @addr: the address
 * @port: the port, in host byte order
 * @out: set to the socket address
 *
 * Context: process context.
 *
 * Return: 0; -EINVAL if the interface does not exist: &krping_conn.status has the reason.
 */
int krping_sockaddr(struct krping_conn *conn,
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
