// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of a port that the InfiniBand specification defines (16.1, Performance Management).
 *
 * The core exports no function that reads these counters, so krping queries the device by a MAD, as
 * drivers/infiniband/core/sysfs.c does for /sys/class/infiniband/DEVICE/ports/PORT/counters.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_verbs.h>

#include "port_counters.h"

/* Offsets in &ib_mad.data: the port number of a query, and the attribute of an answer. */
#define KRPING_PMA_PORT		41
#define KRPING_PMA_ATTR		40

/* Offset and width in bits of a counter in the attribute PortCounters or PortCountersExtended. */
struct krping_port_counter {
	const char *name;
	bool ext;
	u16 offset;
	u8 width;
};

static const struct krping_port_counter krping_port_counter[KRPING_PORT_COUNTERS] = {
	{ "symbol_error",			false,  32, 16 },
	{ "link_error_recovery",		false,  48,  8 },
	{ "link_downed",			false,  56,  8 },
	{ "port_rcv_errors",			false,  64, 16 },
	{ "port_rcv_remote_physical_errors",	false,  80, 16 },
	{ "port_rcv_switch_relay_errors",	false,  96, 16 },
	{ "port_xmit_discards",			false, 112, 16 },
	{ "port_xmit_constraint_errors",	false, 128,  8 },
	{ "port_rcv_constraint_errors",		false, 136,  8 },
	{ "local_link_integrity_errors",	false, 152,  4 },
	{ "excessive_buffer_overrun_errors",	false, 156,  4 },
	{ "VL15_dropped",			false, 176, 16 },
	{ "port_xmit_wait",			false, 320, 32 },
	{ "port_xmit_data",			true,   64, 64 },
	{ "port_rcv_data",			true,  128, 64 },
	{ "port_xmit_packets",			true,  192, 64 },
	{ "port_rcv_packets",			true,  256, 64 },
	{ "unicast_xmit_packets",		true,  320, 64 },
	{ "unicast_rcv_packets",		true,  384, 64 },
	{ "multicast_xmit_packets",		true,  448, 64 },
	{ "multicast_rcv_packets",		true,  512, 64 },
};

/**
 * krping_port_counter_name() - return the name of a counter
 * @nr: index in &krping_port_counters.value
 *
 * Return: the name of the counter in sysfs.
 */
const char *krping_port_counter_name(u32 nr)
{
	return krping_port_counter[nr].name;
}

/* Query an attribute of the port. Return true if the device has answered into @out. */
static bool krping_port_query(struct ib_device *device, u32 port, __be16 attr, struct ib_mad *in,
			      struct ib_mad *out)
{
	const int answered = IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	size_t size = sizeof(*out);
	u16 pkey_index = 0;

	memset(in, 0, sizeof(*in));
	memset(out, 0, sizeof(*out));
	in->mad_hdr.base_version = 1;
	in->mad_hdr.mgmt_class = IB_MGMT_CLASS_PERF_MGMT;
	in->mad_hdr.class_version = 1;
	in->mad_hdr.method = IB_MGMT_METHOD_GET;
	in->mad_hdr.attr_id = attr;
	if (attr != IB_PMA_CLASS_PORT_INFO)
		in->data[KRPING_PMA_PORT] = port;
	return (device->ops.process_mad(device, IB_MAD_IGNORE_MKEY, port, NULL, NULL, in, out,
					&size, &pkey_index) & answered) == answered;
}

static u64 krping_port_value(const struct krping_port_counter *c, const struct ib_mad *mad)
{
	/* The specification aligns each counter to its width. */
	const void *at = mad->data + KRPING_PMA_ATTR + c->offset / 8;

	switch (c->width) {
	case 4:
		return *(const u8 *)at >> (4 - c->offset % 8) & 0xf;
	case 8:
		return *(const u8 *)at;
	case 16:
		return be16_to_cpup(at);
	case 32:
		return be32_to_cpup(at);
	default:
		return be64_to_cpup(at);
	}
}

/* Copy the counters of PortCounters or, with @ext, of PortCountersExtended from the answer. */
static void krping_port_copy(struct krping_port_counters *counters, bool ext,
			     const struct ib_mad *mad)
{
	u32 i;

	for (i = 0; i < KRPING_PORT_COUNTERS; i++) {
		if (krping_port_counter[i].ext != ext)
			continue;
		counters->value[i] = krping_port_value(&krping_port_counter[i], mad);
		counters->has |= BIT(i);
	}
}

/* Check whether the device has PortCountersExtended. Devices without it have no 64-bit counters. */
static bool krping_port_has_ext(struct ib_device *device, u32 port, struct ib_mad *in,
				struct ib_mad *out)
{
	const struct ib_class_port_info *info = (void *)(out->data + KRPING_PMA_ATTR);

	return krping_port_query(device, port, IB_PMA_CLASS_PORT_INFO, in, out) &&
	       info->capability_mask & (IB_PMA_CLASS_CAP_EXT_WIDTH |
					IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF);
}

/**
 * krping_port_counters_read() - read all counters of a port
 * @device: the device
 * @port: number of the port
 *
 * A counter of less than 64 bits stops at its largest value.
 *
 * Context: process context, because some drivers query their firmware.
 *
 * Return: the counters, which the caller frees by kfree(); NULL: no memory, or the device has no
 * such counters.
 */
struct krping_port_counters *krping_port_counters_read(struct ib_device *device, u32 port)
{
	struct krping_port_counters *counters;
	struct ib_mad *mad;

	if (!device->ops.process_mad)
		return NULL;
	counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	mad = kcalloc(2, sizeof(*mad), GFP_KERNEL);
	if (counters && mad) {
		if (krping_port_query(device, port, IB_PMA_PORT_COUNTERS, &mad[0], &mad[1]))
			krping_port_copy(counters, false, &mad[1]);
		if (krping_port_has_ext(device, port, &mad[0], &mad[1]) &&
		    krping_port_query(device, port, IB_PMA_PORT_COUNTERS_EXT, &mad[0], &mad[1]))
			krping_port_copy(counters, true, &mad[1]);
	}
	kfree(mad);
	if (counters && counters->has)
		return counters;
	kfree(counters);
	return NULL;
}
