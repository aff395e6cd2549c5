// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: commit a bug on demand, so that a test can check that the kernel reports
 * bugs of this kind. Write a name of krping_plant_kinds[] to /sys/kernel/debug/krping_plant.
 * Shut the machine down afterwards, because the bug may have corrupted its kernel.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#define KRPING_PLANT_SIZE	64

static struct dentry *krping_plant_file;

/* Hide the returned pointer from the compiler, which might warn about the bug or remove it. */
static noinline u8 *krping_plant_alloc(void)
{
	u8 *p = kzalloc(KRPING_PLANT_SIZE, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	return p;
}

static void krping_plant_use_after_free(void)
{
	u8 *p = krping_plant_alloc();

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(*p, 1);
}

static void krping_plant_out_of_bounds(void)
{
	size_t size = KRPING_PLANT_SIZE;
	u8 *p = krping_plant_alloc();

	OPTIMIZER_HIDE_VAR(size);
	if (p)
		WRITE_ONCE(p[size], 1);
	kfree(p);
}

static void krping_plant_double_free(void)
{
	u8 *p = krping_plant_alloc();

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
}

/* Leak several objects: kmemleak overlooks an object whose address is left in memory by chance. */
static void krping_plant_leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		krping_plant_alloc();
}

static DEFINE_MUTEX(krping_plant_one);
static DEFINE_MUTEX(krping_plant_two);

static void krping_plant_lock_order(void)
{
	mutex_lock(&krping_plant_one);
	mutex_lock(&krping_plant_two);
	mutex_unlock(&krping_plant_two);
	mutex_unlock(&krping_plant_one);

	mutex_lock(&krping_plant_two);
	mutex_lock(&krping_plant_one);
	mutex_unlock(&krping_plant_one);
	mutex_unlock(&krping_plant_two);
}

static DEFINE_SPINLOCK(krping_plant_lock);

static void krping_plant_sleep_in_atomic(void)
{
	spin_lock(&krping_plant_lock);
	might_sleep();
	spin_unlock(&krping_plant_lock);
}

static void krping_plant_suspicious_rcu(void)
{
	static int __rcu *pointer;

	/* without rcu_read_lock() */
	if (rcu_dereference(pointer))
		pr_info("krping_plant: not NULL\n");
}

struct krping_plant_object {
	struct timer_list timer;
	struct work_struct work;
};

static void krping_plant_timer_fn(struct timer_list *timer)
{
}

static void krping_plant_work_fn(struct work_struct *work)
{
}

/* DEBUG_OBJECTS reports the active timer and stops it, so it does not run in freed memory. */
static void krping_plant_free_active(void)
{
	struct krping_plant_object *object;

	object = kzalloc(sizeof(*object), GFP_KERNEL);
	if (!object)
		return;
	timer_setup(&object->timer, krping_plant_timer_fn, 0);
	mod_timer(&object->timer, jiffies + 3600 * HZ);
	kfree(object);
}

static void krping_plant_init_twice(void)
{
	static struct krping_plant_object object;

	INIT_WORK(&object.work, krping_plant_work_fn);
	schedule_work(&object.work);
	INIT_WORK(&object.work, krping_plant_work_fn);
	flush_work(&object.work);
}

static void krping_plant_shift(void)
{
	unsigned int by = 40;
	u32 one = 1;

	OPTIMIZER_HIDE_VAR(by);
	OPTIMIZER_HIDE_VAR(one);
	one <<= by;
	OPTIMIZER_HIDE_VAR(one);
}

static void krping_plant_array(void)
{
	static u32 array[4];
	unsigned int at = 4;
	u32 value;

	OPTIMIZER_HIDE_VAR(at);
	value = array[at];
	OPTIMIZER_HIDE_VAR(value);
}

static void krping_plant_dma(void)
{
	struct platform_device *pdev;

	pdev = platform_device_register_simple("krping_plant", PLATFORM_DEVID_NONE,
					       NULL, 0);
	if (IS_ERR(pdev))
		return;
	if (!dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64)))
		dma_unmap_single(&pdev->dev, 0x12345000, PAGE_SIZE, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
}

static void krping_plant_refcount(void)
{
	refcount_t ref = REFCOUNT_INIT(1);

	refcount_dec(&ref);
	refcount_dec(&ref);
}

/* With CONFIG_BUG_ON_DATA_CORRUPTION, the kernel kills the process that requests this bug. */
static void krping_plant_list(void)
{
	struct list_head head, entry;

	INIT_LIST_HEAD(&head);
	head.prev = &entry;
	list_add(&entry, &head);
}

static void krping_plant_warn(void)
{
	WARN_ON(1);
}

/* Sleep for longer than the hung_task_timeout_secs that the test has set. */
static void krping_plant_hang(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_timeout(15 * HZ);
}

static void krping_plant_stall(void)
{
	unsigned long until = jiffies + 12 * HZ;

	preempt_disable();
	/*
	 * Start a grace period, because only a grace period can stall, and an idle machine
	 * starts none. With CONFIG_PROVE_RCU, the kernel adds five seconds to the stall
	 * timeout: see rcu_jiffies_till_stall_check().
	 */
	start_poll_synchronize_rcu();
	while (time_before(jiffies, until))
		cpu_relax();
	preempt_enable();
}

static const struct krping_plant_kind {
	const char *name;
	void (*plant)(void);
} krping_plant_kinds[] = {
	{ "use-after-free",	krping_plant_use_after_free },
	{ "out-of-bounds",	krping_plant_out_of_bounds },
	{ "double-free",	krping_plant_double_free },
	{ "leak",		krping_plant_leak },
	{ "sleep-in-atomic",	krping_plant_sleep_in_atomic },
	{ "suspicious-rcu",	krping_plant_suspicious_rcu },
	{ "free-active",	krping_plant_free_active },
	{ "init-twice",		krping_plant_init_twice },
	{ "shift",		krping_plant_shift },
	{ "array",		krping_plant_array },
	{ "dma",		krping_plant_dma },
	{ "refcount",		krping_plant_refcount },
	{ "warn",		krping_plant_warn },
	{ "hang",		krping_plant_hang },
	{ "stall",		krping_plant_stall },
	{ "lock-order",		krping_plant_lock_order },
	{ "list",		krping_plant_list },
};

static ssize_t krping_plant_write(struct file *file, const char __user *ubuf,
				  size_t len, loff_t *ppos)
{
	char name[32];
	int i;

	if (len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, ubuf, len))
		return -EFAULT;
	name[len] = '\0';
	strim(name);
	for (i = 0; i < ARRAY_SIZE(krping_plant_kinds); i++) {
		if (strcmp(name, krping_plant_kinds[i].name))
			continue;
		krping_plant_kinds[i].plant();
		return len;
	}
	return -EINVAL;
}

static const struct file_operations krping_plant_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_plant_write,
};

static int __init krping_plant_init(void)
{
	krping_plant_file = debugfs_create_file("krping_plant", 0200, NULL,
						NULL, &krping_plant_fops);
	return PTR_ERR_OR_ZERO(krping_plant_file);
}

static void __exit krping_plant_exit(void)
{
	debugfs_remove(krping_plant_file);
}

module_init(krping_plant_init);
module_exit(krping_plant_exit);

MODULE_DESCRIPTION("Bugs for the tests of rdma_krping");
MODULE_AUTHOR("The krping maintainers");
MODULE_LICENSE("Dual BSD/GPL");
