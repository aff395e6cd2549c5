// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: damage one operation of krping, so that a test can check that krping
 * detects wrong data.
 *
 * A kprobe on the post_send function of rxe or siw changes the data or the
 * scatter/gather list of one work request before the device reads them. The files in
 * /sys/module/krping_corrupt/parameters/ control the module:
 *
 *   post   (only when loading) the probed function: rxe_post_send or siw_post_send
 *   op     send, write or read: the operations to count. The module never counts
 *          messages of fewer than KRPING_CORRUPT_LEAST bytes
 *   qp     count the operations of this queue pair. Queue pairs are numbered from 0 in
 *          the order of their first operation
 *   fault  first, last, bit: invert one bit of the first, the last or the middle byte;
 *          pages: swap the second and the third page (of a READ: the second and the
 *          third entry of the list); stale: send the data of the previous operation
 *          again; short: leave out the last quarter; shift: move all data by one byte
 *          towards the end; swap: exchange the data of the operation and of the next
 *          one, which must be in the same post; late: transfer no bytes, as if the
 *          data arrived after the completion; lkey: name a local key that does not exist,
 *          so that the device itself fails the operation
 *   nth    damage the N-th operation of this queue pair, counted from the write to nth on;
 *          0: damage none
 *   hits   number of operations damaged since the last write to nth
 *
 * The data of a READ does not exist yet when the READ is posted, so first, last, bit and
 * stale do not change a READ. The handler takes a raw spinlock and allocates nothing.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "corrupt.h"
#include "park.h"

/* Longer than any control message, and shorter than the data of all tests that use this module. */
#define KRPING_CORRUPT_LEAST	200
#define KRPING_CORRUPT_QPS	16

static DEFINE_RAW_SPINLOCK(krping_corrupt_lock);

static char *op = "write";
static char *fault = "first";
static unsigned int qp;
static unsigned int nth;
static unsigned int hits;

/* Queue pairs and the number of their operations since the last write to nth. */
static struct {
	const struct ib_qp *qp;
	unsigned int count;
} krping_corrupt_seen[KRPING_CORRUPT_QPS];

static bool krping_corrupt_writes(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_WRITE ||
	       wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

/* Check whether the operation is of the kind that the parameter op names. */
static bool krping_corrupt_counts(const struct ib_send_wr *wr)
{
	if (sysfs_streq(op, "read"))
		return krping_corrupt_reads(wr);
	if (sysfs_streq(op, "write"))
		return krping_corrupt_writes(wr);
	return wr->opcode == IB_WR_SEND || wr->opcode == IB_WR_SEND_WITH_IMM;
}

/*
 * Count an operation of a queue pair. Return: number of the queue pair's operations, or 0 if the
 * parameter qp names another queue pair.
 */
static unsigned int krping_corrupt_count(const struct ib_qp *from)
{
	unsigned int i;

	for (i = 0; i < KRPING_CORRUPT_QPS; i++) {
		if (!krping_corrupt_seen[i].qp)
			krping_corrupt_seen[i].qp = from;
		if (krping_corrupt_seen[i].qp != from)
			continue;
		krping_corrupt_seen[i].count++;
		return i == qp ? krping_corrupt_seen[i].count : 0;
	}
	return 0;
}

/*
 * Count the operation if its kind and length are the chosen ones. Damage the N-th operation, and
 * keep the data of the operation before, which the fault `stale` sends again.
 */
static void krping_corrupt_wr(const struct ib_qp *from, struct ib_send_wr *wr)
{
	u32 bytes = krping_corrupt_bytes(wr);
	unsigned int count;

	if (!krping_corrupt_counts(wr) || bytes < KRPING_CORRUPT_LEAST ||
	    bytes > KRPING_CORRUPT_MOST)
		return;
	count = krping_corrupt_count(from);
	if (count && count == nth)
		hits += krping_corrupt_spoil(from, wr, fault);
	else if (count && count + 1 == nth)
		krping_corrupt_keep(from, wr);
}

/*
 * Return argument n of the probed function. s390 does not export regs_get_kernel_argument(), and
 * POWER does not have this function.
 */
static unsigned long krping_corrupt_arg(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_S390
	return regs->gprs[2 + n];
#elif defined(CONFIG_PPC64)
	return regs->gpr[3 + n];
#else
	return regs_get_kernel_argument(regs, n);
#endif
}

/* The kprobe's handler: the driver's function post_send() is called. Process each posted WR. */
static int krping_corrupt_post(struct kprobe *probe, struct pt_regs *regs)
{
	const struct ib_qp *from = (void *)krping_corrupt_arg(regs, 0);
	struct ib_send_wr *wr = (void *)krping_corrupt_arg(regs, 1);
	unsigned long flags;

	/* Leave out QPs of user space, and those of the connection manager. */
	if (!READ_ONCE(nth) || from->uobject || from->qp_type != IB_QPT_RC)
		return 0;
	raw_spin_lock_irqsave(&krping_corrupt_lock, flags);
	for (; wr; wr = (struct ib_send_wr *)wr->next)
		krping_corrupt_wr(from, wr);
	raw_spin_unlock_irqrestore(&krping_corrupt_lock, flags);
	return 0;
}

/* Process a write to nth: begin to count again, and damage the N-th operation from now on. */
static int krping_corrupt_set_nth(const char *text,
				  const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int n;
	int ret;

	ret = kstrtouint(text, 0, &n);
	if (ret)
		return ret;
	raw_spin_lock_irqsave(&krping_corrupt_lock, flags);
	memset(krping_corrupt_seen, 0, sizeof(krping_corrupt_seen));
	hits = 0;
	WRITE_ONCE(nth, n);
	raw_spin_unlock_irqrestore(&krping_corrupt_lock, flags);
	return 0;
}

static const struct kernel_param_ops krping_corrupt_nth_ops = {
	.set = krping_corrupt_set_nth,
	.get = param_get_uint,
};

module_param(op, charp, 0600);
module_param(fault, charp, 0600);
module_param(qp, uint, 0600);
module_param_cb(nth, &krping_corrupt_nth_ops, &nth, 0600);
module_param(hits, uint, 0400);

/* The driver's post_send function. */
static char *post = "rxe_post_send";
module_param(post, charp, 0400);

static struct kprobe krping_corrupt_probe = {
	.pre_handler = krping_corrupt_post,
};

void *(*krping_corrupt_lab_va)(u64 bus);

/* The function of the lab device, of which no header has a declaration; only its type is needed. */
void *lab_va(u64 bus);

static int __init krping_corrupt_init(void)
{
	int ret;

	krping_corrupt_lab_va = symbol_get(lab_va);
	krping_corrupt_probe.symbol_name = post;
	ret = krping_park_register(&krping_corrupt_probe);
	if (ret && krping_corrupt_lab_va)
		symbol_put(lab_va);
	return ret;
}

static void __exit krping_corrupt_exit(void)
{
	krping_park_disarm(&krping_corrupt_probe);
	unregister_kprobe(&krping_corrupt_probe);
	if (krping_corrupt_lab_va)
		symbol_put(lab_va);
}

module_init(krping_corrupt_init);
module_exit(krping_corrupt_exit);

MODULE_DESCRIPTION("Wrong data for the tests of rdma_krping");
MODULE_LICENSE("Dual BSD/GPL");
