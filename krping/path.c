// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Read the network path of a connection. The result of a test shows this path.
 */
#include <linux/numa.h>
#include <linux/string.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_sa.h>

#include "path.h"

/**
 * krping_path_read() - read the path of a connection
 * @path: filled in
 * @id: the connection, which is bound to a device and has a route
 *
 * Context: process context.
 */
void krping_path_read(struct krping_path *path, const struct rdma_cm_id *id)
{
	const struct ib_gid_attr *attr = id->route.addr.dev_addr.sgid_attr;
	const struct sa_path_rec *rec = id->route.path_rec;
	u16 vlan = KRPING_NO_VLAN;

	memset(path, 0, sizeof(*path));
	path->vlan = KRPING_NO_VLAN;
	path->node = ibdev_to_node(id->device);
	/* iWARP addresses a peer by IP address, not by GID. */
	if (rdma_protocol_iwarp(id->device, id->port_num) || !attr || !rec)
		return;
	path->has_gids = true;
	path->local = rec->sgid;
	path->remote = rec->dgid;
	path->type = attr->gid_type;
	path->index = attr->index;
	path->mtu = ib_mtu_enum_to_int(rec->mtu);
	path->sl = rec->sl;
	if (!rdma_read_gid_l2_fields(attr, &vlan, NULL))
		path->vlan = vlan;
}
