/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The counters of an RDMA port that changed during a test.
 */
#ifndef KRPING_DEVICE_COUNTERS_H
#define KRPING_DEVICE_COUNTERS_H

struct ib_device;
struct krping_port_counters;
struct rdma_cm_id;
struct rdma_hw_stats;

/**
 * struct krping_device_counters - counters of a port at the start of a test, and the changes
 * @hw: hardware counters of the driver at the start, or NULL
 * @port: counters of the specification at the start, or NULL
 * @device: device of the counters, only compared, never dereferenced; NULL before the start
 * @text: " name=difference" for each counter that has changed; NULL until
 *	krping_device_counters_end() has compared the counters
 */
struct krping_device_counters {
	struct rdma_hw_stats *hw;
	struct krping_port_counters *port;
	const struct ib_device *device;
	const char *text;
};

/* Read the counters of the port at the start of a test. */
void krping_device_counters_begin(struct krping_device_counters *counters,
				  const struct rdma_cm_id *id);

/* Read the counters again, and format those that have changed. */
void krping_device_counters_end(struct krping_device_counters *counters,
				const struct rdma_cm_id *id);

/* Free the counters and the text. */
void krping_device_counters_free(struct krping_device_counters *counters);

#endif /* KRPING_DEVICE_COUNTERS_H */
