// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Restrict a thread to the CPUs of a device's NUMA node, and record the CPUs that post the thread's
 * operations and handle the completions.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <rdma/ib_verbs.h>

#include "place.h"

/**
 * krping_place_near() - restrict the calling thread to the NUMA node of a device
 * @device: the device
 *
 * A test's thread calls this function before it allocates for the device, so that the thread, the
 * RDMA core and the driver allocate memory of this node. The function changes nothing if the
 * thread can run on no CPU of the node, for example because cpu= binds the thread to another CPU.
 */
void krping_place_near(struct ib_device *device)
{
	int node = ibdev_to_node(device);
	cpumask_var_t cpus;

	if (node == NUMA_NO_NODE || !zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return;
	/* Stay within the thread's present affinity, which for example nohz_full= restricts. */
	cpumask_and(cpus, current->cpus_ptr, cpumask_of_node(node));
	if (cpumask_intersects(cpus, cpu_online_mask))
		set_cpus_allowed_ptr(current, cpus);
	free_cpumask_var(cpus);
}

/**
 * krping_place_alloc() - allocate the bitmaps of CPUs
 * @place: filled in, with empty bitmaps
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
 * @place: the bitmaps, allocated or all zeros
 */
void krping_place_free(struct krping_place *place)
{
	kfree(place->posted);
	place->posted = NULL;
	place->handled = NULL;
}
