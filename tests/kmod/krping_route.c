// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let route resolution fail, as it may on InfiniBand, where the route comes from the
 * subnet manager.
 *
 * Software devices resolve routes without a query. A kprobe changes the event by which rdma_cm
 * reports success into the event of a query that was refused or not answered. The files in
 * /sys/module/krping_route/parameters/:
 *
 *   errors  number of further resolutions that fail; counts down
 *   status  errno of the failure: 110 for a query without an answer, 22 for a refused query
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include "park.h"

static unsigned int route_errors;
module_param_named(errors, route_errors, uint, 0644);

static unsigned int route_status = ETIMEDOUT;
module_param_named(status, route_status, uint, 0644);

/* The argument of cma_work_handler(), as in Linux 5.10 to 7.x. rdma_cm does not export the type. */
struct route_work {
	struct work_struct work;
	void *id;
	int old_state;
	int new_state;
	struct rdma_cm_event event;
};

/* The kprobe's handler: turn the event of a resolved route into that of a failed query. */
static int route_handler(struct kprobe *kp, struct pt_regs *regs)
{
#ifdef CONFIG_X86
	struct route_work *work = (struct route_work *)regs_get_kernel_argument(regs, 0);
	unsigned int errors = READ_ONCE(route_errors);

	if (work->event.event != RDMA_CM_EVENT_ROUTE_RESOLVED || !errors)
		return 0;
	WRITE_ONCE(route_errors, errors - 1);
	work->event.event = RDMA_CM_EVENT_ROUTE_ERROR;
	work->event.status = -(int)READ_ONCE(route_status);
	/* Let the id return to its state before the query, which is old_state - 1. */
	work->new_state = work->old_state - 1;
#endif
	return 0;
}

static struct kprobe route_probe = {
	.symbol_name	= "cma_work_handler",
	.pre_handler	= route_handler,
};

static int __init route_init(void)
{
	return krping_park_register(&route_probe);
}

static void __exit route_exit(void)
{
	krping_park_disarm(&route_probe);
	unregister_kprobe(&route_probe);
}

module_init(route_init);
module_exit(route_exit);
MODULE_DESCRIPTION("Let the resolution of routes fail");
MODULE_LICENSE("Dual BSD/GPL");
