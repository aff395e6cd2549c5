// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: damage one operation between two sides that are both krping.
 *
 * A kprobe on the post_send function of rxe and siw changes the data or the
 * scatter/gather list of one work request before the device reads them. The files in
 * /sys/module/krping_corrupt/parameters/ control it:
 *
 *   post   (when loaded) the function: rxe_post_send or siw_post_send
 *   op     send, write or read: the operations that count. Messages of fewer than
 *          KRPING_CORRUPT_LEAST bytes never count
 *   qp     queue pair, numbered from 0 in the order of their first operation
 *   fault  first, last, bit: invert one bit of the first or last byte, or of that
 *          in the middle; pages: swap the second and the third page (of a READ:
 *          the second and the third entry of the list); stale: send what was sent
 *          one operation before; short: leave out the last quarter; shift: move
 *          all data one byte back
 *   nth    damage the N-th operation of this queue pair, counted from this write on;
 *          0: none
 *   hits   number of operations that were damaged since then
 *
 * The data of a READ does not exist yet when the READ is posted, so first, last, bit and
 * stale do not apply to a READ. The handler takes a raw spinlock and allocates nothing.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>

/* Above any control message, and below the data of all tests that use this. */
#define KRPING_CORRUPT_LEAST	200
#define KRPING_CORRUPT_MOST	16384
#define KRPING_CORRUPT_QPS	16
#define KRPING_CORRUPT_PAGE	4096

static DEFINE_RAW_SPINLOCK(krping_corrupt_lock);

static char *op = "write";
static char *fault = "first";
static unsigned int qp;
static unsigned int nth;
static unsigned int hits;

/* Queue pairs and their operations, since @nth was written. */
static struct {
	const struct ib_qp *qp;
	unsigned int count;
} krping_corrupt_seen[KRPING_CORRUPT_QPS];

/* The data of the N-th operation and of the one before, and room to swap pages. */
static u8 krping_corrupt_flat[KRPING_CORRUPT_MOST];
static u8 krping_corrupt_last[KRPING_CORRUPT_MOST];
static u8 krping_corrupt_page[KRPING_CORRUPT_PAGE];

static bool krping_corrupt_is(const char *what)
{
	return sysfs_streq(fault, what);
}

static bool krping_corrupt_reads(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_READ ||
	       wr->opcode == IB_WR_RDMA_READ_WITH_INV;
}

static bool krping_corrupt_writes(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_WRITE ||
	       wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

static bool krping_corrupt_counts(const struct ib_send_wr *wr)
{
	if (sysfs_streq(op, "read"))
		return krping_corrupt_reads(wr);
	if (sysfs_streq(op, "write"))
		return krping_corrupt_writes(wr);
	return wr->opcode == IB_WR_SEND || wr->opcode == IB_WR_SEND_WITH_IMM;
}

static u32 krping_corrupt_bytes(const struct ib_send_wr *wr)
{
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	return bytes;
}

/*
 * Copy the data of a SEND or WRITE between the entries of its list and one piece of
 * memory. An address with the local DMA lkey, or that of inline data, is a kernel address
 * on devices that use virtual addresses for DMA. Return: false if the data is registered.
 */
static bool krping_corrupt_copy(const struct ib_qp *from,
				const struct ib_send_wr *wr, u8 *flat, bool gather)
{
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];
		void *data = (void *)(uintptr_t)sge->addr;

		if (!(wr->send_flags & IB_SEND_INLINE) &&
		    sge->lkey != from->pd->local_dma_lkey)
			return false;
		if (gather)
			memcpy(flat, data, sge->length);
		else
			memcpy(data, flat, sge->length);
		flat += sge->length;
	}
	return true;
}

/* Return: whether this was possible. So do the others. */
static bool krping_corrupt_bytewise(u8 *data, u32 bytes)
{
	if (!data)
		return false;
	if (krping_corrupt_is("first"))
		data[0] ^= 0x01;
	else if (krping_corrupt_is("last"))
		data[bytes - 1] ^= 0x01;
	else if (krping_corrupt_is("bit"))
		data[bytes / 2] ^= 0x10;
	else if (krping_corrupt_is("stale"))
		memcpy(data, krping_corrupt_last, bytes);
	else
		return false;
	return true;
}

static bool krping_corrupt_pages(struct ib_send_wr *wr, u8 *data, u32 bytes)
{
	u8 *a, *b;

	if (krping_corrupt_reads(wr)) {
		if (wr->num_sge < 3)
			return false;
		swap(wr->sg_list[1].addr, wr->sg_list[2].addr);
		return true;
	}
	if (!data || bytes < 3 * KRPING_CORRUPT_PAGE)
		return false;
	a = data + KRPING_CORRUPT_PAGE;
	b = a + KRPING_CORRUPT_PAGE;
	memcpy(krping_corrupt_page, a, KRPING_CORRUPT_PAGE);
	memcpy(a, b, KRPING_CORRUPT_PAGE);
	memcpy(b, krping_corrupt_page, KRPING_CORRUPT_PAGE);
	return true;
}

static void krping_corrupt_cut(struct ib_send_wr *wr, u32 cut)
{
	while (cut) {
		struct ib_sge *last = &wr->sg_list[wr->num_sge - 1];

		if (last->length > cut) {
			last->length -= cut;
			return;
		}
		cut -= last->length;
		wr->num_sge--;
	}
}

static bool krping_corrupt_shift(struct ib_send_wr *wr, u8 *data, u32 bytes)
{
	if (krping_corrupt_reads(wr)) {
		wr->sg_list->addr++;
		wr->sg_list->length--;
	} else if (wr->opcode == IB_WR_RDMA_WRITE) {
		container_of(wr, struct ib_rdma_wr, wr)->remote_addr++;
		krping_corrupt_cut(wr, 1);
	} else if (data) {
		memmove(data + 1, data, bytes - 1);
	} else {
		return false;
	}
	return true;
}

static bool krping_corrupt_spoil(const struct ib_qp *from, struct ib_send_wr *wr)
{
	u32 bytes = krping_corrupt_bytes(wr);
	u8 *data = NULL;
	bool done;

	if (krping_corrupt_is("short")) {
		krping_corrupt_cut(wr, bytes / 4);
		return true;
	}
	if (!krping_corrupt_reads(wr) &&
	    krping_corrupt_copy(from, wr, krping_corrupt_flat, true))
		data = krping_corrupt_flat;
	if (krping_corrupt_is("pages"))
		done = krping_corrupt_pages(wr, data, bytes);
	else if (krping_corrupt_is("shift"))
		done = krping_corrupt_shift(wr, data, bytes);
	else
		done = krping_corrupt_bytewise(data, bytes);
	if (done && data)
		krping_corrupt_copy(from, wr, data, false);
	return done;
}

/* Return: how often it has posted what counts, this time included. */
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

static void krping_corrupt_wr(const struct ib_qp *from, struct ib_send_wr *wr)
{
	u32 bytes = krping_corrupt_bytes(wr);
	unsigned int count;

	if (!krping_corrupt_counts(wr) || bytes < KRPING_CORRUPT_LEAST ||
	    bytes > KRPING_CORRUPT_MOST)
		return;
	count = krping_corrupt_count(from);
	if (count && count == nth)
		hits += krping_corrupt_spoil(from, wr);
	else if (count && count + 1 == nth && !krping_corrupt_reads(wr))
		krping_corrupt_copy(from, wr, krping_corrupt_last, true);
}

static int krping_corrupt_post(struct kprobe *probe, struct pt_regs *regs)
{
	const struct ib_qp *from = (void *)regs_get_kernel_argument(regs, 0);
	struct ib_send_wr *wr = (void *)regs_get_kernel_argument(regs, 1);
	unsigned long flags;

	if (!READ_ONCE(nth) || from->uobject || from->qp_type != IB_QPT_RC)
		return 0;
	raw_spin_lock_irqsave(&krping_corrupt_lock, flags);
	for (; wr; wr = (struct ib_send_wr *)wr->next)
		krping_corrupt_wr(from, wr);
	raw_spin_unlock_irqrestore(&krping_corrupt_lock, flags);
	return 0;
}

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

/* The provider's function. */
static char *post = "rxe_post_send";
module_param(post, charp, 0400);

static struct kprobe krping_corrupt_probe = {
	.pre_handler = krping_corrupt_post,
};

static int __init krping_corrupt_init(void)
{
	krping_corrupt_probe.symbol_name = post;
	return register_kprobe(&krping_corrupt_probe);
}

static void __exit krping_corrupt_exit(void)
{
	unregister_kprobe(&krping_corrupt_probe);
}

module_init(krping_corrupt_init);
module_exit(krping_corrupt_exit);

MODULE_DESCRIPTION("spoil an operation of krping, for tests");
MODULE_LICENSE("Dual BSD/GPL");
