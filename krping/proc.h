/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Create and remove the file /proc/krping, by which the user controls krping.
 */
#ifndef KRPING_PROC_H
#define KRPING_PROC_H

/* Create and remove /proc/krping. */
int krping_proc_init(void);
void krping_proc_exit(void);

#endif /* KRPING_PROC_H */
