// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a device have fewer completion vectors than CPUs, as many adapters do.
 *
 *   insmod krping_vectors.ko device=rxe0 vectors=1
 *
 * Software devices have a vector for each possible CPU. Unloading the module restores the number.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

static char *device = "";
module_param(device, charp, 0444);
static int vectors = 1;
module_param(vectors, int, 0444);

static int own_vectors;

/* Set the number of vectors, and return the old one. */
static int vectors_set(int nr)
{
	struct ib_device *dev = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	int old;

	if (!dev)
		return -ENODEV;
	old = dev->num_comp_vectors;
	dev->num_comp_vectors = nr;
	ib_device_put(dev);
	return old;
}

static int __init vectors_init(void)
{
	own_vectors = vectors_set(vectors);
	return own_vectors < 0 ? own_vectors : 0;
}

static void __exit vectors_exit(void)
{
	vectors_set(own_vectors);
}

module_init(vectors_init);
module_exit(vectors_exit);
MODULE_DESCRIPTION("Let a device have fewer completion vectors than CPUs");
MODULE_LICENSE("Dual BSD/GPL");
