/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A connection of a disk, in the form in which the client's test passes it to the disk.
 */
#ifndef KRPING_DISK_PATH_H
#define KRPING_DISK_PATH_H

#include <rdma/ib_verbs.h>

struct krping_conn;
struct krping_region;

/**
 * struct krping_disk_path - a connection of a disk
 * @conn: the connection, established
 * @region: the server's memory, with the addresses and keys of its pieces for @conn
 * @sink: iWARP: SGE of one byte, for a READ that proves that the server has placed a WRITE's data
 */
struct krping_disk_path {
	struct krping_conn *conn;
	const struct krping_region *region;
	struct ib_sge sink;
};

#endif /* KRPING_DISK_PATH_H */
