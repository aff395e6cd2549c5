// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a device have fewer completion vectors than CPUs, as many adapters do.
 *
 *   insmod krping_vectors.ko device=rxe0 vectors=1
 *
 * Software devices have a vector for each possible CPU. Unloading the module restores the number.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

static char *device = "";
module_param(device, charp, 0444);
static int vectors = 1;
module_param(vectors, int, 0444);

/* The device's own number of vectors; 0 until the device is found. */
static int own_vectors;

/* The RDMA core calls this function for each device. Change the vectors of the chosen device. */
static int vectors_add(struct ib_device *dev)
{
	if (strcmp(dev_name(&dev->dev), device))
		return -EOPNOTSUPP;
	own_vectors = dev->num_comp_vectors;
	dev->num_comp_vectors = vectors;
	return 0;
}

static void vectors_remove(struct ib_device *dev, void *data)
{
	dev->num_comp_vectors = own_vectors;
}

static struct ib_client vectors_client = {
	.name	= "krping_vectors",
	.add	= vectors_add,
	.remove	= vectors_remove,
};

static int __init vectors_init(void)
{
	int ret = ib_register_client(&vectors_client);

	if (!ret && !own_vectors) {
		ib_unregister_client(&vectors_client);
		ret = -ENODEV;
	}
	return ret;
}

static void __exit vectors_exit(void)
{
	ib_unregister_client(&vectors_client);
}

module_init(vectors_init);
module_exit(vectors_exit);
MODULE_DESCRIPTION("Let a device have fewer completion vectors than CPUs");
MODULE_LICENSE("Dual BSD/GPL");
