/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Check whether an RDMA device with a given name exists.
 */
#ifndef KRPING_DEVICE_H
#define KRPING_DEVICE_H

/* Returns 0 if the device exists, else -ENODEV or -ENOMEM. */
int krping_device_find(const char *name);

#endif /* KRPING_DEVICE_H */
