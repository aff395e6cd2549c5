/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The network path of a connection, which the result of a test shows.
 */
#ifndef KRPING_PATH_H
#define KRPING_PATH_H

#include <rdma/rdma_cm.h>

/* The path has no VLAN, or its VLAN is unknown. */
#define KRPING_NO_VLAN	0xffff

/**
 * struct krping_path - path of a connection
 * @has_gids: @local, @remote, @type, @index, @mtu and @sl are valid; never on iWARP
 * @local: GID of this side
 * @remote: GID of the peer
 * @type: type of @local, such as IB_GID_TYPE_ROCE_UDP_ENCAP
 * @index: index of @local in the port's GID table
 * @vlan: VLAN of @local, or KRPING_NO_VLAN
 * @mtu: path MTU in bytes
 * @sl: service level
 * @node: NUMA node of the device, or NUMA_NO_NODE
 */
struct krping_path {
	bool has_gids;
	union ib_gid local;
	union ib_gid remote;
	enum ib_gid_type type;
	u16 index;
	u16 vlan;
	u16 mtu;
	u8 sl;
	int node;
};

/* Read the path of a connection that is bound to a device and has a route. */
void krping_path_read(struct krping_path *path, const struct rdma_cm_id *id);

#endif /* KRPING_PATH_H */
