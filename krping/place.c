// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The CPUs on which a thread's operations are posted and its completions handled.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <rdma/ib_verbs.h>

#include "place.h"

/**
 * krping_place_near() - let the calling thread run on the NUMA node of a device only
 * @device: the device
 *
 * Called by a test's thread before it allocates for the device: the allocations of the
 * thread, of the RDMA core and of the driver are then on that node, too. A thread that may run
 * on no CPU of the node, such as one with cpu=, stays where it is.
 */
void krping_place_near(struct ib_device *device)
{
	int node = ibdev_to_node(device);
	cpumask_var_t cpus;

	if (node == NUMA_NO_NODE || !zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	/* The thread may be restricted to CPUs without real-time tasks. */
	cpumask_and(cpus, current->cpus_ptr, cpumask_of_node(node));
	if (cpumask_intersects(cpus, cpu_online_mask))
		set_cpus_allowed_ptr(current, cpus);
	free_cpumask_var(cpus);
}

/**
 * krping_place_alloc() - allocate the bitmaps
 * @place: to be filled in
 *
 * Context: process context.
 *
 * Return: 0 or -ENOMEM.
 */
int krping_place_alloc(struct krping_place *place)
{
	size_t longs = BITS_TO_LONGS(nr_cpu_ids);

	place->posted = kcalloc(2 * longs, sizeof(long), GFP_KERNEL);
	if (!place->posted)
		return -ENOMEM;
	place->handled = place->posted + longs;
	return 0;
}

/**
 * krping_place_free() - free the bitmaps
 * @place: allocated or not
 */
void krping_place_free(struct krping_place *place)
{
	kfree(place->posted);
	place->posted = NULL;
	place->handled = NULL;
}
