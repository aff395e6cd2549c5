/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Operations on the memory of a server, and the mailbox by which the writer of a command hands
 * an operation to the thread of a session. A session is a client that stays connected. A struct
 * krping_memop may also hold the latest message that a server has received.
 */
#ifndef KRPING_MEMOP_H
#define KRPING_MEMOP_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "options.h"
#include "status.h"

struct seq_file;

/* Bytes of the longest message that a server accepts. */
#define KRPING_MESSAGE_MAX	4096

/**
 * struct krping_memop - one operation on a server's memory, or a received message
 * @ref: references of the test, the mailbox, the command's writer and the open file
 * @entry: in &krping_mailbox.list
 * @type: the operation
 * @unchecked: post a PUT or GET even if it exceeds the region, or if a PUT's region is read-only
 * @inline_data: PUT and SEND: the WR contains the data
 * @offset: PUT and GET: offset in the region of the first byte
 * @len: bytes of @data
 * @done: completed when the operation has ended
 * @region: PUT and GET: id of another client's region; 0: the client's own region
 * @rw: OPEN: other clients may write to the region
 * @kept: PUT: the written bytes outlive this client's connection
 * @posted: the WR has completed, and @wc_status is valid
 * @wc_status: status of the WR's completion
 * @vendor_err: vendor's code of a failed completion
 * @qp_state: state of the QP after a failed or an unchecked operation; 0: not known
 * @event: &ib_event.event of the QP's last event that is an error; -1: none
 * @error: 0 or a negative errno
 * @detail: @error in words
 * @lock: guards @len and @data of a received message, which the next message overwrites
 * @data: the data to send, the data that was read, or the received message; OPEN and
 *	REGIONS: an array of struct krping_wire_open_region
 */
struct krping_memop {
	struct kref ref;
	struct list_head entry;
	enum krping_memop_type type;
	bool unchecked;
	bool inline_data;
	u64 offset;
	u32 len;
	struct completion done;
	u32 region;
	bool rw;
	bool kept;
	bool posted;
	enum ib_wc_status wc_status;
	u32 vendor_err;
	enum ib_qp_state qp_state;
	int event;
	int error;
	char detail[KRPING_DETAIL_MAX];
	spinlock_t lock; /* see above */
	u8 data[];
};

/**
 * struct krping_mailbox - queue of operations that wait for a session's thread
 * @lock: guards the other members
 * @list: the operations, in the order of their commands
 * @nr: number of operations on @list
 * @open: the session accepts operations
 */
struct krping_mailbox {
	spinlock_t lock; /* see above */
	struct list_head list;
	u32 nr;
	bool open;
};

/**
 * krping_memop_ended() - check whether an operation has ended
 * @op: the operation
 */
static inline bool krping_memop_ended(struct krping_memop *op)
{
	return completion_done(&op->done);
}

/* Create the operation of a command. */
struct krping_memop *krping_memop_create(const struct krping_options *opts);

/* Create the buffer for a server's latest message. */
struct krping_memop *krping_memop_create_message(void);

/* Drop a reference to an operation. */
void krping_memop_put(struct krping_memop *op);

/* Store the outcome of an operation and wake the command's writer. */
void krping_memop_end(struct krping_memop *op, int error, const char *detail);

/* Store a message that has arrived. */
void krping_memop_receive(struct krping_memop *op, const void *data, u32 len);

/* Print the outcome of an operation, or a received message. */
void krping_memop_show(struct seq_file *m, struct krping_memop *op);

/*
 * A session opens and closes its mailbox, and the session's thread takes operations out.
 */

/* Initialise a closed mailbox. */
void krping_mailbox_init(struct krping_mailbox *box);

/* Begin to accept operations. */
void krping_mailbox_open(struct krping_mailbox *box);

/* End all waiting operations, and reject further operations. */
void krping_mailbox_close(struct krping_mailbox *box, int error, const char *detail);

/* Check whether no operation waits. */
bool krping_mailbox_empty(const struct krping_mailbox *box);

/* Take the oldest operation. */
struct krping_memop *krping_mailbox_take(struct krping_mailbox *box);

/* The writer of a command hands over an operation, and waits until the operation has ended. */
int krping_mailbox_run(struct krping_mailbox *box, struct krping_memop *op,
		       wait_queue_head_t *wait);

#endif /* KRPING_MEMOP_H */
