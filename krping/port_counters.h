/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The counters of a port that the InfiniBand specification defines.
 */
#ifndef KRPING_PORT_COUNTERS_H
#define KRPING_PORT_COUNTERS_H

#include <linux/types.h>

struct ib_device;

/* Number of counters. */
#define KRPING_PORT_COUNTERS	21

/**
 * struct krping_port_counters - values of the counters
 * @value: the values
 * @has: a bit for each counter that the device has
 */
struct krping_port_counters {
	u64 value[KRPING_PORT_COUNTERS];
	u32 has;
};

/* Return the name of a counter. */
const char *krping_port_counter_name(u32 nr);

/* Read all counters of a port into new memory; NULL: no memory, or no counters. */
struct krping_port_counters *krping_port_counters_read(struct ib_device *device, u32 port);

#endif /* KRPING_PORT_COUNTERS_H */
