/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection of a disk, as the client's test hands it to the disk and its requests.
 */
#ifndef KRPING_DISK_PATH_H
#define KRPING_DISK_PATH_H

#include <rdma/ib_verbs.h>

struct krping_conn;
struct krping_region;

/**
 * struct krping_disk_path - a connection of a disk
 * @conn: the connection, established
 * @region: the server's memory, with all keys for this connection
 * @sink: SGE of one byte, for a READ that proves that a WRITE is placed
 */
struct krping_disk_path {
	struct krping_conn *conn;
	const struct krping_region *region;
	struct ib_sge sink;
};

#endif /* KRPING_DISK_PATH_H */
