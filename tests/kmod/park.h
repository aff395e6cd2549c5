/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Arm and disarm a kprobe while the other CPUs are parked.
 *
 * To arm a kprobe, the kernel replaces an instruction by a breakpoint, and ftrace then replaces
 * the breakpoint by a call. In the emulation of QEMU before 8.1, a CPU that runs this code
 * meanwhile sometimes keeps its translation of the breakpoint. The CPU then takes a breakpoint that
 * the kernel has removed, and repeats the instruction for ever.
 *
 * A work item parks each CPU but the first one: the item spins with softirqs disabled, so the CPU
 * runs neither tasks nor softirqs. Interrupts stay enabled, because the kernel sends IPIs to all
 * CPUs and waits for them while it changes code. The first CPU arms the kprobe. No module parks the
 * first CPU, so two modules that park at the same time cannot block each other.
 *
 * An item spins for a limited time, because stop_machine(), CPU hotplug and RCU grace periods wait
 * for a parked CPU, and another task may hold a lock of kprobes or ftrace while it waits for one of
 * them. After this time the kernel changes the code while the other CPUs run. For the same reason
 * only enable_kprobe() and disable_kprobe() run while CPUs are parked: unregister_kprobe() waits
 * for a grace period.
 *
 * The kernel replaces the breakpoint of a kprobe inside a function by a jump later, while no CPU is
 * parked. With PREEMPT_RT, a CPU that spins here still runs tasks.
 *
 * Include this file in one file of a module only. The file has its own copy of the state.
 */
#ifndef PARK_H
#define PARK_H

#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/workqueue.h>

/* Limits in ms: how long the first CPU waits for the others, and how long a CPU stays parked. */
#define KRPING_PARK_WAIT	1000
#define KRPING_PARK_LIMIT	2000

/* Serializes users of the variables below. */
static DEFINE_MUTEX(krping_park_mutex);
static DEFINE_PER_CPU(struct work_struct, krping_park_work);
/* number of CPUs that are not yet parked */
static atomic_t krping_park_missing;
static bool krping_park_over;
static unsigned long krping_park_began;
/* the function that runs on the first CPU, its argument and its result */
static int (*krping_park_fn)(struct kprobe *kp);
static struct kprobe *krping_park_kp;
static int krping_park_ret;

static bool krping_park_within(unsigned int msecs)
{
	return time_before(jiffies, krping_park_began + msecs_to_jiffies(msecs));
}

static bool krping_park_is_over(void)
{
	/* pairs with krping_park_run() */
	return smp_load_acquire(&krping_park_over) || !krping_park_within(KRPING_PARK_LIMIT);
}

/* Park this CPU. If the CPU of the work item has gone offline, another CPU runs the item. */
static void krping_park_spin(struct work_struct *work)
{
	local_bh_disable();
	atomic_dec(&krping_park_missing);
	while (work == this_cpu_ptr(&krping_park_work) && !krping_park_is_over())
		cpu_relax();
	local_bh_enable();
}

static void krping_park_run(struct work_struct *work)
{
	while (atomic_read(&krping_park_missing) && krping_park_within(KRPING_PARK_WAIT))
		usleep_range(20, 100);
	if (atomic_read(&krping_park_missing))
		pr_info("krping_park: %d CPUs are not parked\n", atomic_read(&krping_park_missing));
	krping_park_ret = krping_park_fn(krping_park_kp);
	if (!krping_park_within(KRPING_PARK_LIMIT))
		pr_info("krping_park: the CPUs did not stay parked\n");
	/* pairs with krping_park_is_over() */
	smp_store_release(&krping_park_over, true);
}

/*
 * Queue an item for each CPU, and return the first CPU. Release the lock of CPU hotplug at once:
 * enable_kprobe() acquires the lock too, and waits for ever if its caller holds the lock and a CPU
 * hotplug operation waits for the lock.
 */
static unsigned int krping_park_queue(void)
{
	unsigned int cpu, first;

	cpus_read_lock();
	first = cpumask_first(cpu_online_mask);
	krping_park_began = jiffies;
	krping_park_over = false;
	atomic_set(&krping_park_missing, num_online_cpus() - 1);
	for_each_possible_cpu(cpu)
		INIT_WORK(per_cpu_ptr(&krping_park_work, cpu),
			  cpu == first ? krping_park_run : krping_park_spin);
	for_each_online_cpu(cpu)
		queue_work_on(cpu, system_highpri_wq, per_cpu_ptr(&krping_park_work, cpu));
	cpus_read_unlock();
	return first;
}

/*
 * Call fn(kp) while the other CPUs are parked, and return its result. Do not park CPUs of other
 * architectures than x86, which change code by stop_machine(): the function would wait for them.
 */
static int krping_park(int (*fn)(struct kprobe *kp), struct kprobe *kp)
{
	unsigned int cpu, first;
	int ret;

	if (!IS_ENABLED(CONFIG_X86) || num_online_cpus() == 1)
		return fn(kp);
	mutex_lock(&krping_park_mutex);
	krping_park_fn = fn;
	krping_park_kp = kp;
	first = krping_park_queue();
	flush_work(per_cpu_ptr(&krping_park_work, first));
	for_each_possible_cpu(cpu)
		cancel_work_sync(per_cpu_ptr(&krping_park_work, cpu));
	ret = krping_park_ret;
	mutex_unlock(&krping_park_mutex);
	return ret;
}

/* Register a kprobe, and arm it while the other CPUs are parked. Return 0 or an errno. */
static int krping_park_register(struct kprobe *kp)
{
	int ret;

	kp->flags = KPROBE_FLAG_DISABLED;
	ret = register_kprobe(kp);
	if (ret)
		return ret;
	ret = krping_park(enable_kprobe, kp);
	if (ret)
		unregister_kprobe(kp);
	return ret;
}

/* Disarm a kprobe while the other CPUs are parked. The caller unregisters the kprobe then. */
static void krping_park_disarm(struct kprobe *kp)
{
	/* The function fails only for a kprobe that is not registered. */
	krping_park(disable_kprobe, kp);
}

#endif /* PARK_H */
