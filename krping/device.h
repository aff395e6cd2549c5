/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Find RDMA devices by name.
 */
#ifndef KRPING_DEVICE_H
#define KRPING_DEVICE_H

int krping_device_find(const char *name);

#endif /* KRPING_DEVICE_H */
