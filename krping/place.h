/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Restrict a thread to the CPUs of a device's NUMA node, and record the CPUs that post the thread's
 * operations and handle the completions.
 */
#ifndef KRPING_PLACE_H
#define KRPING_PLACE_H

#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/smp.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct krping_place - CPUs that have worked for a thread
 * @posted: bitmap of the CPUs that have posted an operation
 * @handled: bitmap of the CPUs that have handled a completion
 *
 * A bit is never cleared.
 */
struct krping_place {
	unsigned long *posted;
	unsigned long *handled;
};

/**
 * krping_place_note() - note that this CPU posts an operation or handles a completion
 * @cpus: &krping_place.posted or &krping_place.handled
 *
 * Context: any context. Only the first call on each CPU writes to @cpus.
 */
static inline void krping_place_note(unsigned long *cpus)
{
	unsigned int cpu = raw_smp_processor_id();

	if (unlikely(!test_bit(cpu, cpus)))
		set_bit(cpu, cpus);
}

/* Restrict the calling thread to the CPUs of the device's NUMA node. */
void krping_place_near(struct ib_device *device);

/* Allocate and free the bitmaps. */
int krping_place_alloc(struct krping_place *place);
void krping_place_free(struct krping_place *place);

#endif /* KRPING_PLACE_H */
