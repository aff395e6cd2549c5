/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Every difference between kernel versions, and the only place for one. The
 * code is written for the newest kernel; each shim gives an older one the
 * newest kernel's name and goes away with the kernels that need it.
 *
 * HAVE_* are found by Kbuild in the headers that the module is built against,
 * because LINUX_VERSION_CODE does not know what a stable tree has backported.
 */
#ifndef KRPING_COMPAT_H
#define KRPING_COMPAT_H

#include <linux/fs_struct.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <rdma/ib_verbs.h>

/* Renamed in 5.17 (2022-03). */
#ifndef HAVE_MODULE_PUT_AND_KTHREAD_EXIT
#define module_put_and_kthread_exit(code)	module_put_and_exit(code)
#endif

/* Renamed in 6.2 (2023-02), the old name removed in 6.15. */
#ifndef HAVE_TIMER_DELETE_SYNC
#define timer_delete_sync(timer)		del_timer_sync(timer)
#endif

/* Has taken the clock's id as well since 7.2 (2026). */
#ifndef HAVE_KTIME_GET_SNAPSHOT_ID
#define ktime_get_snapshot_id(id, snapshot)	ktime_get_snapshot(snapshot)
#endif

/* A kthread of 7.3 starts in an empty file system, and enters that of init with this. */
#ifndef scoped_with_init_fs
#define scoped_with_init_fs()
#endif

/* Replaces from_timer() since 6.16 (2025-07). */
#ifndef timer_container_of
#define timer_container_of(var, timer, field)	from_timer(var, timer, field)
#endif

#endif /* KRPING_COMPAT_H */
