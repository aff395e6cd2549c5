// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The CPUs on which a thread's operations are posted and its completions handled.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/slab.h>

#include "place.h"

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
