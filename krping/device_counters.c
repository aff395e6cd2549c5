// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The counters of an RDMA port that changed during a test.
 *
 * Retransmissions and discards explain a slow test, and only the device counts them. The
 * core exports no function that reads these counters, so krping calls the device's
 * operations, as drivers/infiniband/core/nldev.c does.
 */
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "compat.h"
#include "device_counters.h"

/* Bytes of the text. mlx5 has about 100 counters, few of which change in one test. */
#define KRPING_DEVICE_COUNTERS_MAX	2048

/* Read all counters of the id's port into new memory; NULL: no memory, or no counters. */
static struct rdma_hw_stats *krping_device_counters_read(const struct rdma_cm_id *id)
{
	struct ib_device *device = id->device;
	struct rdma_hw_stats *stats;

	if (!device || !id->port_num || !device->ops.get_hw_stats)
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
	if (counters->begin)
		return;
	counters->device = id->device;
	counters->begin = krping_device_counters_read(id);
}

/*
 * Return " name=difference" for each changed counter that fits the text, or NULL. Copy the names,
 * because they are gone once the driver is unloaded.
 */
static char *krping_device_counters_text(const struct rdma_hw_stats *begin,
					 const struct rdma_hw_stats *end)
{
	struct seq_buf s;
	char *text;
	int i;

	text = kzalloc(KRPING_DEVICE_COUNTERS_MAX, GFP_KERNEL);
	if (!text)
		return NULL;
	seq_buf_init(&s, text, KRPING_DEVICE_COUNTERS_MAX - 1);
	for (i = 0; i < end->num_counters; i++) {
		unsigned int len = s.len;

		if (end->value[i] == begin->value[i])
			continue;
		seq_buf_printf(&s, " %s=%llu", krping_hw_stat_name(end, i),
			       end->value[i] - begin->value[i]);
		if (seq_buf_has_overflowed(&s)) {
			text[len] = '\0';
			break;
		}
	}
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
	struct rdma_hw_stats *end;

	if (!counters->begin || counters->text || !id || id->device != counters->device)
		return;
	end = krping_device_counters_read(id);
	if (!end)
		return;
	if (end->num_counters == counters->begin->num_counters)
		/* pairs with krping_show_device_counters() */
		smp_store_release(&counters->text,
				  krping_device_counters_text(counters->begin, end));
	rdma_free_hw_stats_struct(end);
}

/**
 * krping_device_counters_free() - free the counters and the text
 * @counters: the counters; the caller ensures that nobody reads the text any more
 */
void krping_device_counters_free(struct krping_device_counters *counters)
{
	if (counters->begin)
		rdma_free_hw_stats_struct(counters->begin);
	kfree(counters->text);
	*counters = (struct krping_device_counters){};
}
