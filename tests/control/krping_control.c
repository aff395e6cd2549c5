// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * For the tests: a bug of each kind, on demand, to see that it is noticed. Write
 * the kind to /sys/kernel/debug/krping_control. The kernel that this is loaded
 * into is of no use afterwards.
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

#define KRPING_CONTROL_SIZE	64

static struct dentry *krping_control_file;

/* The compiler must not see that it is wrong, nor leave it out. */
static noinline u8 *krping_control_alloc(void)
{
	u8 *p = kzalloc(KRPING_CONTROL_SIZE, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	return p;
}

static void krping_control_use_after_free(void)
{
	u8 *p = krping_control_alloc();

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(*p, 1);
}

static void krping_control_out_of_bounds(void)
{
	size_t size = KRPING_CONTROL_SIZE;
	u8 *p = krping_control_alloc();

	OPTIMIZER_HIDE_VAR(size);
	if (p)
		WRITE_ONCE(p[size], 1);
	kfree(p);
}

static void krping_control_double_free(void)
{
	u8 *p = krping_control_alloc();

	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	kfree(p);
}

/* Several: the address of one may stand somewhere by chance. */
static void krping_control_leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		krping_control_alloc();
}

static DEFINE_MUTEX(krping_control_one);
static DEFINE_MUTEX(krping_control_two);

static void krping_control_lock_order(void)
{
	mutex_lock(&krping_control_one);
	mutex_lock(&krping_control_two);
	mutex_unlock(&krping_control_two);
	mutex_unlock(&krping_control_one);

	mutex_lock(&krping_control_two);
	mutex_lock(&krping_control_one);
	mutex_unlock(&krping_control_one);
	mutex_unlock(&krping_control_two);
}

static DEFINE_SPINLOCK(krping_control_lock);

static void krping_control_sleep_in_atomic(void)
{
	spin_lock(&krping_control_lock);
	might_sleep();
	spin_unlock(&krping_control_lock);
}

static void krping_control_suspicious_rcu(void)
{
	static int __rcu *pointer;

	/* without rcu_read_lock() */
	if (rcu_dereference(pointer))
		pr_info("krping_control: not NULL\n");
}

struct krping_control_object {
	struct timer_list timer;
	struct work_struct work;
};

static void krping_control_timer_fn(struct timer_list *timer)
{
}

static void krping_control_work_fn(struct work_struct *work)
{
}

/* DEBUG_OBJECTS stops the timer, and so nothing worse happens. */
static void krping_control_free_active(void)
{
	struct krping_control_object *object;

	object = kzalloc(sizeof(*object), GFP_KERNEL);
	if (!object)
		return;
	timer_setup(&object->timer, krping_control_timer_fn, 0);
	mod_timer(&object->timer, jiffies + 3600 * HZ);
	kfree(object);
}

static void krping_control_init_twice(void)
{
	static struct krping_control_object object;

	INIT_WORK(&object.work, krping_control_work_fn);
	schedule_work(&object.work);
	INIT_WORK(&object.work, krping_control_work_fn);
	flush_work(&object.work);
}

static void krping_control_shift(void)
{
	unsigned int by = 40;
	u32 one = 1;

	OPTIMIZER_HIDE_VAR(by);
	OPTIMIZER_HIDE_VAR(one);
	one <<= by;
	OPTIMIZER_HIDE_VAR(one);
}

static void krping_control_array(void)
{
	static u32 array[4];
	unsigned int at = 4;
	u32 value;

	OPTIMIZER_HIDE_VAR(at);
	value = array[at];
	OPTIMIZER_HIDE_VAR(value);
}

static void krping_control_dma(void)
{
	struct platform_device *pdev;

	pdev = platform_device_register_simple("krping_control", PLATFORM_DEVID_NONE,
					       NULL, 0);
	if (IS_ERR(pdev))
		return;
	if (!dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64)))
		dma_unmap_single(&pdev->dev, 0x12345000, PAGE_SIZE, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
}

static void krping_control_refcount(void)
{
	refcount_t ref = REFCOUNT_INIT(1);

	refcount_dec(&ref);
	refcount_dec(&ref);
}

/* Kills whoever asks for it. */
static void krping_control_list(void)
{
	struct list_head head, entry;

	INIT_LIST_HEAD(&head);
	head.prev = &entry;
	list_add(&entry, &head);
}

static void krping_control_warn(void)
{
	WARN_ON(1);
}

/* Longer than any limit that the test has set. */
static void krping_control_hang(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_timeout(15 * HZ);
}

static void krping_control_stall(void)
{
	unsigned long until = jiffies + 12 * HZ;

	preempt_disable();
	/*
	 * Only a grace period can stall, and an idle machine begins none. With
	 * CONFIG_PROVE_RCU it has five seconds more than the timeout says, see
	 * rcu_jiffies_till_stall_check().
	 */
	start_poll_synchronize_rcu();
	while (time_before(jiffies, until))
		cpu_relax();
	preempt_enable();
}

static const struct krping_control_kind {
	const char *name;
	void (*plant)(void);
} krping_control_kinds[] = {
	{ "use-after-free",	krping_control_use_after_free },
	{ "out-of-bounds",	krping_control_out_of_bounds },
	{ "double-free",	krping_control_double_free },
	{ "leak",		krping_control_leak },
	{ "sleep-in-atomic",	krping_control_sleep_in_atomic },
	{ "suspicious-rcu",	krping_control_suspicious_rcu },
	{ "free-active",	krping_control_free_active },
	{ "init-twice",		krping_control_init_twice },
	{ "shift",		krping_control_shift },
	{ "array",		krping_control_array },
	{ "dma",		krping_control_dma },
	{ "refcount",		krping_control_refcount },
	{ "warn",		krping_control_warn },
	{ "hang",		krping_control_hang },
	{ "stall",		krping_control_stall },
	{ "lock-order",		krping_control_lock_order },
	{ "list",		krping_control_list },
};

static ssize_t krping_control_write(struct file *file, const char __user *ubuf,
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
	for (i = 0; i < ARRAY_SIZE(krping_control_kinds); i++) {
		if (strcmp(name, krping_control_kinds[i].name))
			continue;
		krping_control_kinds[i].plant();
		return len;
	}
	return -EINVAL;
}

static const struct file_operations krping_control_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= krping_control_write,
};

static int __init krping_control_init(void)
{
	krping_control_file = debugfs_create_file("krping_control", 0200, NULL,
						  NULL, &krping_control_fops);
	return PTR_ERR_OR_ZERO(krping_control_file);
}

static void __exit krping_control_exit(void)
{
	debugfs_remove(krping_control_file);
}

module_init(krping_control_init);
module_exit(krping_control_exit);

MODULE_DESCRIPTION("Bugs for the tests of rdma_krping");
MODULE_AUTHOR("The krping maintainers");
MODULE_LICENSE("Dual BSD/GPL");
