/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The version of the module.
 */
#ifndef KRPING_VERSION_H
#define KRPING_VERSION_H

#define KRPING_VERSION "1.0"

#endif /* KRPING_VERSION_H */
