// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Operations on the memory of a server: create them from commands, print their outcome, and hand
 * them to a session's thread by its mailbox. A session is a client that stays connected.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/ipv6.h>

#include "memop.h"
#include "wire.h"

/* Maximum number of operations that wait for a session's thread. */
#define KRPING_MAILBOX_MAX	1024

static struct krping_memop *krping_memop_alloc(enum krping_memop_type type, u32 len)
{
	struct krping_memop *op;

	op = kvzalloc(struct_size(op, data, len), GFP_KERNEL);
	if (!op)
		return NULL;
	kref_init(&op->ref);
	INIT_LIST_HEAD(&op->entry);
	init_completion(&op->done);
	spin_lock_init(&op->lock);
	op->type = type;
	op->len = len;
	op->event = -1;
	return op;
}

/* Return the value of a hex digit. */
static u8 krping_memop_digit(char c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

/* Copy @text to the data. If @hex, decode the pairs of digits, which the parser has checked. */
static void krping_memop_fill(struct krping_memop *op, const char *text, bool hex)
{
	u32 i;

	if (!hex) {
		memcpy(op->data, text, op->len);
		return;
	}
	for (i = 0; i < op->len; i++)
		op->data[i] = krping_memop_digit(text[2 * i]) << 4 |
			      krping_memop_digit(text[2 * i + 1]);
}

/**
 * krping_memop_create() - create the operation of a command
 * @opts: the command, whose @opts->text must still be valid
 *
 * Context: process context.
 *
 * Return: the operation, with one reference; NULL: no memory.
 */
struct krping_memop *krping_memop_create(const struct krping_options *opts)
{
	u32 digits = opts->text ? strlen(opts->text) : 0;
	struct krping_memop *op;
	u32 len = digits;

	if (opts->memop == KRPING_MEMOP_GET)
		len = opts->len;
	else if (opts->hex)
		len = digits / 2;
	else if (opts->memop == KRPING_MEMOP_OPEN)
		len = sizeof(struct krping_wire_open_region);
	else if (opts->memop == KRPING_MEMOP_REGIONS)
		len = KRPING_MEMOP_MAX;
	op = krping_memop_alloc(opts->memop, len);
	if (!op)
		return NULL;
	if (krping_memop_is_request(opts->memop))
		op->len = 0;
	op->region = opts->region;
	op->rw = opts->rw;
	op->unchecked = opts->unchecked;
	op->inline_data = opts->inline_data;
	op->offset = opts->offset;
	if (opts->text)
		krping_memop_fill(op, opts->text, opts->hex);
	return op;
}

/**
 * krping_memop_create_message() - create the buffer for a server's latest message
 *
 * Context: process context.
 *
 * Return: an empty message with one reference; NULL: no memory.
 */
struct krping_memop *krping_memop_create_message(void)
{
	struct krping_memop *op = krping_memop_alloc(KRPING_MEMOP_NONE, KRPING_MESSAGE_MAX);

	if (op)
		op->len = 0;
	return op;
}

static void krping_memop_release(struct kref *ref)
{
	kvfree(container_of(ref, struct krping_memop, ref));
}

/**
 * krping_memop_put() - drop a reference to an operation
 * @op: the operation, or NULL
 *
 * Context: process context.
 */
void krping_memop_put(struct krping_memop *op)
{
	if (op)
		kref_put(&op->ref, krping_memop_release);
}

/**
 * krping_memop_end() - store the outcome of an operation and wake the command's writer
 * @op: the operation
 * @error: 0 or a negative errno
 * @detail: @error in words; ignored if @error is 0
 */
void krping_memop_end(struct krping_memop *op, int error, const char *detail)
{
	op->error = error;
	if (error)
		strscpy(op->detail, detail, sizeof(op->detail));
	complete_all(&op->done);
}

/**
 * krping_memop_receive() - store a message that has arrived
 * @op: from krping_memop_create_message()
 * @data: the message
 * @len: bytes of @data, at most KRPING_MESSAGE_MAX
 *
 * Context: any context. The message replaces the previous message.
 */
void krping_memop_receive(struct krping_memop *op, const void *data, u32 len)
{
	unsigned long flags;

	spin_lock_irqsave(&op->lock, flags);
	memcpy(op->data, data, len);
	op->len = len;
	spin_unlock_irqrestore(&op->lock, flags);
}

/* Print the data in hex and as text, with ' for each quote and a dot for each unprintable byte. */
static void krping_memop_show_bytes(struct seq_file *m, const struct krping_memop *op)
{
	u32 i;

	seq_printf(m, " len=%u hex=", op->len);
	for (i = 0; i < op->len; i++)
		seq_printf(m, "%02x", op->data[i]);
	seq_puts(m, " text=\"");
	for (i = 0; i < op->len; i++) {
		u8 c = op->data[i];

		if (c == '"')
			c = '\'';
		seq_putc(m, c >= ' ' && c <= '~' ? c : '.');
	}
	seq_puts(m, "\"\n");
}

static void krping_memop_show_regions(struct seq_file *m, const struct krping_memop *op)
{
	const struct krping_wire_open_region *r = (const void *)op->data;
	u32 nr = op->len / sizeof(*r);
	u32 i;

	for (i = 0; i < nr; i++) {
		struct in6_addr ip;

		memcpy(&ip, r[i].ip, sizeof(ip));
		seq_printf(m, "region id=%u size=%llu rights=%s owner=", be32_to_cpu(r[i].id),
			   be64_to_cpu(r[i].size),
			   be32_to_cpu(r[i].rights) & KRPING_REGION_WRITE ? "rw" : "ro");
		if (ipv6_addr_v4mapped(&ip))
			seq_printf(m, "%pI4", &ip.s6_addr32[3]);
		else
			seq_printf(m, "[%pI6c]", &ip);
		seq_printf(m, ":%u\n", be16_to_cpu(r[i].port));
	}
}

static void krping_memop_show_completion(struct seq_file *m, const struct krping_memop *op)
{
	/* 0 (RESET) has no name, because a provider that does not fill in the state returns 0. */
	static const char * const states[] = {
		[IB_QPS_INIT]	= "INIT",
		[IB_QPS_RTR]	= "RTR",
		[IB_QPS_RTS]	= "RTS",
		[IB_QPS_SQD]	= "SQD",
		[IB_QPS_SQE]	= "SQE",
		[IB_QPS_ERR]	= "ERR",
	};

	seq_printf(m, "completion wc_status=\"%s\"", ib_wc_status_msg(op->wc_status));
	if (op->type == KRPING_MEMOP_PUT && !op->error)
		seq_printf(m, " offset=%llu len=%u kept=%d", op->offset, op->len, op->kept);
	if (op->error || op->unchecked)
		seq_printf(m, " vendor_err=0x%x qp_state=%s", op->vendor_err,
			   op->qp_state < ARRAY_SIZE(states) && states[op->qp_state] ?
			   states[op->qp_state] : "unknown");
	if (op->event >= 0)
		seq_printf(m, " event=\"%s\"", ib_event_msg(op->event));
	seq_putc(m, '\n');
}

/**
 * krping_memop_show() - print the outcome of an operation, or a received message
 * @m: the output
 * @op: the operation or the message, or NULL
 *
 * Prints nothing for an operation that has not ended, and for an empty message.
 */
void krping_memop_show(struct seq_file *m, struct krping_memop *op)
{
	unsigned long flags;

	if (!op)
		return;
	if (op->type == KRPING_MEMOP_NONE) {
		spin_lock_irqsave(&op->lock, flags);
		if (op->len) {
			seq_puts(m, "message");
			krping_memop_show_bytes(m, op);
		}
		spin_unlock_irqrestore(&op->lock, flags);
		return;
	}
	if (!krping_memop_ended(op))
		return;
	if (krping_memop_is_request(op->type) && !op->error)
		krping_memop_show_regions(m, op);
	if (!op->posted)
		return;
	krping_memop_show_completion(m, op);
	if (op->type == KRPING_MEMOP_GET && !op->error) {
		seq_printf(m, "data offset=%llu", op->offset);
		krping_memop_show_bytes(m, op);
	}
}

/**
 * krping_mailbox_init() - initialise a closed mailbox
 * @box: the mailbox
 */
void krping_mailbox_init(struct krping_mailbox *box)
{
	spin_lock_init(&box->lock);
	INIT_LIST_HEAD(&box->list);
	box->nr = 0;
	box->open = false;
}

/**
 * krping_mailbox_open() - begin to accept operations
 * @box: the mailbox
 */
void krping_mailbox_open(struct krping_mailbox *box)
{
	spin_lock(&box->lock);
	box->open = true;
	spin_unlock(&box->lock);
}

/**
 * krping_mailbox_empty() - check whether no operation waits
 * @box: the mailbox
 *
 * Return: true if no operation waits.
 */
bool krping_mailbox_empty(const struct krping_mailbox *box)
{
	return !READ_ONCE(box->nr);
}

/**
 * krping_mailbox_take() - take the oldest operation
 * @box: the mailbox
 *
 * Return: the operation, whose reference the caller owns; NULL if none waits.
 */
struct krping_memop *krping_mailbox_take(struct krping_mailbox *box)
{
	struct krping_memop *op;

	spin_lock(&box->lock);
	op = list_first_entry_or_null(&box->list, struct krping_memop, entry);
	if (op) {
		list_del_init(&op->entry);
		WRITE_ONCE(box->nr, box->nr - 1);
	}
	spin_unlock(&box->lock);
	return op;
}

/**
 * krping_mailbox_close() - end all waiting operations, and reject further operations
 * @box: the mailbox
 * @error: negative errno with which the waiting operations end
 * @detail: @error in words
 */
void krping_mailbox_close(struct krping_mailbox *box, int error, const char *detail)
{
	struct krping_memop *op;

	spin_lock(&box->lock);
	box->open = false;
	spin_unlock(&box->lock);
	while ((op = krping_mailbox_take(box))) {
		krping_memop_end(op, error, detail);
		krping_memop_put(op);
	}
}

static int krping_mailbox_add(struct krping_mailbox *box, struct krping_memop *op)
{
	int ret = 0;

	spin_lock(&box->lock);
	if (!box->open) {
		ret = -ECONNRESET;
	} else if (box->nr >= KRPING_MAILBOX_MAX) {
		ret = -EBUSY;
	} else {
		kref_get(&op->ref);
		list_add_tail(&op->entry, &box->list);
		WRITE_ONCE(box->nr, box->nr + 1);
	}
	spin_unlock(&box->lock);
	return ret;
}

/* Remove an operation and return true, or return false if the session's thread has taken it. */
static bool krping_mailbox_cancel(struct krping_mailbox *box, struct krping_memop *op)
{
	bool waits;

	spin_lock(&box->lock);
	waits = !list_empty(&op->entry);
	if (waits) {
		list_del_init(&op->entry);
		WRITE_ONCE(box->nr, box->nr - 1);
	}
	spin_unlock(&box->lock);
	if (waits)
		krping_memop_put(op);
	return waits;
}

/**
 * krping_mailbox_run() - hand an operation to a session's thread and wait for its end
 * @box: the session's mailbox
 * @op: the operation
 * @wait: wait queue of the session's thread
 *
 * Context: process context. The thread bounds each operation by the session's timeout. A signal
 * removes an operation that still waits; an operation that has begun continues by itself.
 *
 * Return: 0; the operation's error; -ECONNRESET if the session has ended, -EBUSY if too
 * many operations wait, -EINTR after a signal.
 */
int krping_mailbox_run(struct krping_mailbox *box, struct krping_memop *op,
		       wait_queue_head_t *wait)
{
	int ret = krping_mailbox_add(box, op);

	if (ret)
		return ret;
	wake_up_all(wait);
	if (!wait_for_completion_interruptible(&op->done))
		return op->error;
	krping_mailbox_cancel(box, op);
	return -EINTR;
}
