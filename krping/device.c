// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Find RDMA devices by name.
 *
 * Since 7.3 no exported function finds a device by its name. In every version the RDMA
 * core calls add() of a new client for all devices, so krping registers a client and
 * unregisters it at once.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

#include "device.h"

/* add() has no argument for the name, so the mutex allows one search at a time. */
static DEFINE_MUTEX(krping_device_mutex);
static const char *krping_device_wanted;
static bool krping_device_found;

/* The core holds its lock on devices during the call, so no device is renamed meanwhile. */
static int krping_device_add(struct ib_device *device)
{
	if (!strcmp(dev_name(&device->dev), krping_device_wanted))
		krping_device_found = true;
	/* This value is no failure, and lets the core not attach the client to this device. */
	return -EOPNOTSUPP;
}

static struct ib_client krping_device_client = {
	.name = "krping",
	.add = krping_device_add,
};

/**
 * krping_device_find() - check whether an RDMA device of this name exists
 * @name: for example rxe0
 *
 * Context: process context, but not a handler of rdma_cm, because this function may wait for a
 * device removal, which may itself wait for the handler.
 *
 * Return: 0, -ENODEV, or -ENOMEM.
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
