// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: wait until every task has slept or otherwise passed a quiescent state of Tasks RCU.
 *
 *   insmod krping_tasks.ko
 *
 * insmod returns after the wait. Tracers wait in the same way before they free a trampoline. A
 * kernel thread that spins without such a state delays insmod until the thread ends.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

static int __init tasks_init(void)
{
	synchronize_rcu_tasks();
	return 0;
}

static void __exit tasks_exit(void)
{
}

module_init(tasks_init);
module_exit(tasks_exit);
MODULE_DESCRIPTION("Wait for a grace period of Tasks RCU");
MODULE_LICENSE("Dual BSD/GPL");
