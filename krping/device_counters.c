// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of an RDMA port that changed during a test.
 *
 * Retransmissions and discards explain a slow test, and only the device counts them. The
 * core exports no function that reads the driver's hardware counters, so krping calls the
 * device's operations, as drivers/infiniband/core/nldev.c does. port_counters.c reads the
 * counters of the InfiniBand specification.
 */
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "compat.h"
#include "device_counters.h"
#include "port_counters.h"

/* Bytes of the text. mlx5 has about 100 counters, few of which change in one test. */
#define KRPING_DEVICE_COUNTERS_MAX	2048

/* Read all hardware counters of the id's port into new memory; NULL: no memory, or no counters. */
static struct rdma_hw_stats *krping_device_counters_read(const struct rdma_cm_id *id)
{
	struct ib_device *device = id->device;
	struct rdma_hw_stats *stats;

	if (!device->ops.get_hw_stats)
		return NULL;
	stats = krping_alloc_port_stats(device, id->port_num);
	if (IS_ERR_OR_NULL(stats))
		return NULL;
	/* num_counters in place of an index requests all counters. */
	if (device->ops.get_hw_stats(device, stats, id->port_num, stats->num_counters) < 0) {
		rdma_free_hw_stats_struct(stats);
		return NULL;
	}
	return stats;
}

/**
 * krping_device_counters_begin() - read the counters of the port at the start of a test
 * @counters: all zeros; if an earlier call has read the counters, this call does nothing
 * @id: an id that is bound to a device
 *
 * If there is no memory, or the device has no counters, the result of the test shows none.
 *
 * Context: process context, because some drivers query their firmware.
 */
void krping_device_counters_begin(struct krping_device_counters *counters,
				  const struct rdma_cm_id *id)
{
	if (counters->device || !id->device || !id->port_num)
		return;
	counters->device = id->device;
	counters->hw = krping_device_counters_read(id);
	counters->port = krping_port_counters_read(id->device, id->port_num);
}

/*
 * Append " name=difference" for a counter that has increased, and that fits the text @s. A counter
 * that another user has reset has no difference.
 */
static void krping_counter_put(struct seq_buf *s, const char *name, u64 begin, u64 end)
{
	unsigned int len = s->len;

	if (end <= begin || seq_buf_has_overflowed(s))
		return;
	seq_buf_printf(s, " %s=%llu", name, end - begin);
	if (seq_buf_has_overflowed(s))
		s->buffer[len] = '\0';
}

/* Append the changes of the driver's hardware counters. */
static void krping_hw_counters_put(struct seq_buf *s, const struct rdma_hw_stats *begin,
				   const struct rdma_hw_stats *end)
{
	int i;

	if (!begin || !end || end->num_counters != begin->num_counters)
		return;
	for (i = 0; i < end->num_counters; i++)
		krping_counter_put(s, krping_hw_stat_name(end, i), begin->value[i], end->value[i]);
}

/* Check whether the driver has a hardware counter of this name. */
static bool krping_hw_counter_is(const struct rdma_hw_stats *hw, const char *name)
{
	int i;

	for (i = 0; hw && i < hw->num_counters; i++)
		if (!strcmp(krping_hw_stat_name(hw, i), name))
			return true;
	return false;
}

/* Append the changes of the specification's counters, except those that @hw has, too. */
static void krping_port_counters_put(struct seq_buf *s, const struct krping_port_counters *begin,
				     const struct krping_port_counters *end,
				     const struct rdma_hw_stats *hw)
{
	u32 i;

	if (!begin || !end)
		return;
	for (i = 0; i < KRPING_PORT_COUNTERS; i++) {
		const char *name = krping_port_counter_name(i);

		if (begin->has & end->has & BIT(i) && !krping_hw_counter_is(hw, name))
			krping_counter_put(s, name, begin->value[i], end->value[i]);
	}
}

/*
 * Return " name=difference" for each changed counter that fits the text, or NULL. Copy the names,
 * because they are gone once the driver is unloaded.
 */
static char *krping_device_counters_text(const struct krping_device_counters *begin,
					 const struct rdma_hw_stats *hw,
					 const struct krping_port_counters *port)
{
	struct seq_buf s;
	char *text;

	text = kzalloc(KRPING_DEVICE_COUNTERS_MAX, GFP_KERNEL);
	if (!text)
		return NULL;
	seq_buf_init(&s, text, KRPING_DEVICE_COUNTERS_MAX - 1);
	krping_hw_counters_put(&s, begin->hw, hw);
	krping_port_counters_put(&s, begin->port, port, hw);
	return text;
}

/**
 * krping_device_counters_end() - store which counters have changed since the start of a test
 * @counters: the counters that krping_device_counters_begin() has read, if any
 * @id: an id that is bound to a device; NULL if there is no connection
 *
 * Without @id, or if the test has reconnected through another device, the function does nothing.
 * Once a call has stored the text, later calls have no effect.
 *
 * Context: process context.
 */
void krping_device_counters_end(struct krping_device_counters *counters,
				const struct rdma_cm_id *id)
{
	struct krping_port_counters *port;
	struct rdma_hw_stats *hw;

	if (!(counters->hw || counters->port) || counters->text || !id ||
	    id->device != counters->device)
		return;
	hw = krping_device_counters_read(id);
	port = krping_port_counters_read(id->device, id->port_num);
	if (hw || port)
		/* pairs with krping_show_device_counters() */
		smp_store_release(&counters->text, krping_device_counters_text(counters, hw, port));
	if (hw)
		rdma_free_hw_stats_struct(hw);
	kfree(port);
}

/**
 * krping_device_counters_free() - free the counters and the text
 * @counters: the counters; the caller ensures that nobody reads the text any more
 */
void krping_device_counters_free(struct krping_device_counters *counters)
{
	if (counters->hw)
		rdma_free_hw_stats_struct(counters->hw);
	kfree(counters->port);
	kfree(counters->text);
	*counters = (struct krping_device_counters){};
}
