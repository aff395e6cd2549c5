/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * All differences between kernel versions outside the block layer. The other files use the
 * names of the newest kernel, and this file defines these names for older kernels. Where a name
 * does not suffice, the other files call a krping_ function or macro of this file on all kernels.
 * Remove a definition when krping no longer supports a kernel that needs the definition.
 *
 * krping/Kbuild searches the headers of the kernel and defines HAVE_* for what it finds, because
 * LINUX_VERSION_CODE does not cover backports to stable kernels. Names that are macros in the
 * newest kernel need no HAVE_*: this file tests for them by #ifndef.
 */
#ifndef KRPING_COMPAT_H
#define KRPING_COMPAT_H

#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/* Before 5.17 (2022-03) the function was named module_put_and_exit(). */
#ifndef HAVE_MODULE_PUT_AND_KTHREAD_EXIT
#define module_put_and_kthread_exit(code)	module_put_and_exit(code)
#endif

/* 6.2 (2023-02) added this name, and 6.15 removed the old name del_timer_sync(). */
#ifndef HAVE_TIMER_DELETE_SYNC
#define timer_delete_sync(timer)		del_timer_sync(timer)
#endif

/* Before 6.16 (2025-07) the function was named destroy_timer_on_stack(). */
#ifndef HAVE_TIMER_DESTROY_ON_STACK
#define timer_destroy_on_stack(timer)		destroy_timer_on_stack(timer)
#endif

/* 7.2 (2026) replaced ktime_get_snapshot() by this function, which has a clock id. */
#ifndef HAVE_KTIME_GET_SNAPSHOT_ID
#define ktime_get_snapshot_id(id, snapshot)	ktime_get_snapshot(snapshot)
#endif

/*
 * Let the next statement use the root directory of init. 7.3 added this macro, because the
 * root directory of its kthreads is empty. Kthreads of older kernels have init's root directory.
 */
#ifndef scoped_with_init_fs
#define scoped_with_init_fs()
#endif

/* 6.16 (2025-07) replaced from_timer() by this macro. */
#ifndef timer_container_of
#define timer_container_of(var, timer, field)	from_timer(var, timer, field)
#endif

/* 5.13 (2021-06) added this function. Older kernels cannot set the timer. */
#ifndef HAVE_RDMA_SET_MIN_RNR_TIMER
static inline int rdma_set_min_rnr_timer(struct rdma_cm_id *id, u8 min_rnr_timer)
{
	return -EOPNOTSUPP;
}
#endif

/*
 * Allocate the statistics of a port; NULL: the device has none. 5.14 (2021-08) added an operation
 * for ports. Before, alloc_hw_stats() was for both devices and ports.
 */
static inline struct rdma_hw_stats *krping_alloc_port_stats(struct ib_device *device,
							    u32 port)
{
#ifdef HAVE_ALLOC_HW_PORT_STATS
	return device->ops.alloc_hw_port_stats ?
	       device->ops.alloc_hw_port_stats(device, port) : NULL;
#else
	return device->ops.alloc_hw_stats ? device->ops.alloc_hw_stats(device, port) : NULL;
#endif
}

/*
 * 5.16 (2022-01) put the names of statistics into descriptors, and added
 * rdma_free_hw_stats_struct(). In older kernels the statistics are freed by kfree().
 */
#ifdef HAVE_RDMA_STAT_DESC
#define krping_hw_stat_name(stats, i)	((stats)->descs[i].name)
#else
#define krping_hw_stat_name(stats, i)	((stats)->names[i])
#define rdma_free_hw_stats_struct(stats)	kfree(stats)
#endif

#endif /* KRPING_COMPAT_H */
