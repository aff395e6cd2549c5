// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a device state the driver id of another driver, so that krping does not treat
 * the device as one with the faults of its own driver.
 *
 *   insmod krping_driver.ko device=siw0 id=9
 *
 * The id is one of enum rdma_driver_id; 9 is I40IW. Unloading the module restores the id.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

static char *device = "";
module_param(device, charp, 0444);
static int id = RDMA_DRIVER_I40IW;
module_param(id, int, 0444);

/* The device's own id, if the device is found. */
static enum rdma_driver_id own_id;
static bool found;

/* The RDMA core calls this function for each device. Change the id of the chosen device. */
static int id_add(struct ib_device *dev)
{
	if (strcmp(dev_name(&dev->dev), device))
		return -EOPNOTSUPP;
	own_id = dev->ops.driver_id;
	dev->ops.driver_id = id;
	found = true;
	return 0;
}

static void id_remove(struct ib_device *dev, void *data)
{
	dev->ops.driver_id = own_id;
}

static struct ib_client id_client = {
	.name	= "krping_driver",
	.add	= id_add,
	.remove	= id_remove,
};

static int __init id_init(void)
{
	int ret = ib_register_client(&id_client);

	if (!ret && !found) {
		ib_unregister_client(&id_client);
		ret = -ENODEV;
	}
	return ret;
}

static void __exit id_exit(void)
{
	ib_unregister_client(&id_client);
}

module_init(id_init);
module_exit(id_exit);
MODULE_DESCRIPTION("Let a device state the id of another driver");
MODULE_LICENSE("Dual BSD/GPL");
