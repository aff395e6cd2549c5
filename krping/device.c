// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check whether an RDMA device with a given name exists.
 *
 * Since Linux 7.3 no exported function finds a device by its name. In every version the RDMA
 * core calls add() of a new client once for each device, so krping registers a client, whose
 * add() compares the names, and unregisters the client at once.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device.h"

/* Guards the two variables below, which pass the name to add() and the result back. */
static DEFINE_MUTEX(krping_device_mutex);
static const char *krping_device_wanted;
static bool krping_device_found;

/*
 * Compare the name of a device with the given name. The core calls this function with its lock on
 * devices held, so no device is renamed meanwhile.
 */
static int krping_device_add(struct ib_device *device)
{
	if (!strcmp(dev_name(&device->dev), krping_device_wanted))
		krping_device_found = true;
	/* The core treats -EOPNOTSUPP as success, but does not attach the client to the device. */
	return -EOPNOTSUPP;
}

static struct ib_client krping_device_client = {
	.name = "krping",
	.add = krping_device_add,
};

/**
 * krping_device_find() - check whether an RDMA device with a given name exists
 * @name: name of the device, for example rxe0
 *
 * Context: process context, but not an event handler of rdma_cm, because this function may wait
 * for a device removal, which may itself wait for the handler.
 *
 * Return: 0: the device exists; -ENODEV; -ENOMEM.
 */
int krping_device_find(const char *name)
{
	int ret;

	mutex_lock(&krping_device_mutex);
	krping_device_wanted = name;
	krping_device_found = false;
	ret = ib_register_client(&krping_device_client);
	if (!ret) {
		ib_unregister_client(&krping_device_client);
		ret = krping_device_found ? 0 : -ENODEV;
	}
	mutex_unlock(&krping_device_mutex);
	return ret;
}
