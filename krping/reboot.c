// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * End all tests before the machine shuts down. Reboot, poweroff, halt and kexec call reboot
 * notifiers first, and then shut devices down, even while QPs are in use.
 */
#define pr_fmt(fmt) "krping: " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/notifier.h>
#include <linux/reboot.h>

#include "reboot.h"
#include "registry.h"

/*
 * Maximum wait for the end of all tests, in jiffies. A stopped test ends within three seconds, if
 * its device answers. The other seconds are a margin.
 */
#define KRPING_REBOOT_WAIT	(10 * HZ)

/* The notifier: stop all tests, wait, and log how many were stopped and how many still run. */
static int krping_reboot(struct notifier_block *nb, unsigned long action, void *data)
{
	u32 stopped, left;

	left = krping_registry_close(KRPING_REBOOT_WAIT, &stopped);
	if (left)
		pr_err("shutdown: tests stopped: %u; still running after %u s: %u\n", stopped,
		       KRPING_REBOOT_WAIT / HZ, left);
	else if (stopped)
		pr_info("shutdown: tests stopped: %u\n", stopped);
	return NOTIFY_DONE;
}

/*
 * Run after the notifiers of md and others (priority INT_MAX): they write to disks, some of which
 * may be krping's. Run before the notifiers of drivers (priority 0).
 */
static struct notifier_block krping_reboot_notifier = {
	.notifier_call	= krping_reboot,
	.priority	= 1,
};

/**
 * krping_reboot_init() - register the notifier that ends all tests on shutdown
 *
 * Return: 0 or a negative errno.
 */
int krping_reboot_init(void)
{
	return register_reboot_notifier(&krping_reboot_notifier);
}

/**
 * krping_reboot_exit() - unregister the notifier
 *
 * Context: process context. Waits until the notifier is not running.
 */
void krping_reboot_exit(void)
{
	unregister_reboot_notifier(&krping_reboot_notifier);
}
