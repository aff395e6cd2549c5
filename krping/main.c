// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Load and unload krping, which tests and measures RDMA from inside the kernel.
 */
#include <linux/module.h>

#include "interval.h"
#include "krdma_async.h"
#include "proc.h"
#include "reboot.h"
#include "wait.h"
#include "test.h"
#include "connslot.h"
#include "version.h"

MODULE_DESCRIPTION("Tests and measures RDMA from inside the kernel");
MODULE_AUTHOR("The krping maintainers");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRPING_VERSION);

static int __init krping_init(void)
{
	int ret;

	/* No error below needs an undo of this call: only tests arm the timers of connect slots. */
	krping_connslots_init();
	ret = krping_queues_init();
	if (ret)
		return ret;
	ret = krping_intervals_init();
	if (ret)
		goto out_queues;
	ret = krping_tests_init();
	if (ret)
		goto out_intervals;
	ret = krdma_init();
	if (ret)
		goto out_tests;
	ret = krping_reboot_init();
	if (ret)
		goto out_krdma;
	/* Last, because commands may arrive from now on. */
	ret = krping_proc_init();
	if (ret)
		goto out_reboot;
	return 0;

out_reboot:
	krping_reboot_exit();
out_krdma:
	krdma_exit();
out_tests:
	krping_tests_exit();
out_intervals:
	krping_intervals_exit();
out_queues:
	krping_queues_exit();
	return ret;
}

static void __exit krping_exit(void)
{
	krping_proc_exit();
	krping_reboot_exit();
	krdma_exit();
	krping_tests_exit();
	krping_intervals_exit();
	krping_queues_exit();
	krping_connslots_exit();
}

module_init(krping_init);
module_exit(krping_exit);
