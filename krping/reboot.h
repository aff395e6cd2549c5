/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * End all tests before the machine shuts down.
 */
#ifndef KRPING_REBOOT_H
#define KRPING_REBOOT_H

/* Register and unregister the notifier that ends all tests on shutdown. */
int krping_reboot_init(void);
void krping_reboot_exit(void);

#endif /* KRPING_REBOOT_H */
