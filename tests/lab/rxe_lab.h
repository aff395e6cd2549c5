/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The lab device: rxe with a DMA device, and with the limits and the behaviour of hardware. The
 * patches of this directory make rxe call these functions.
 */
#ifndef RXE_LAB_H
#define RXE_LAB_H

#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

struct rxe_cq;
struct rxe_cqe;
struct rxe_dev;
struct rxe_qp;
struct rxe_send_wqe;

/*
 * The DMA device, for which ULPs map memory. lab_set_node() gives a device the NUMA node of the
 * parameter node. lab_va() translates a bus address to a kernel address. lab_copy() copies between
 * @data and a bus address. lab_user_memory() maps memory of user space without bounce buffers. The
 * parameter bounce_holes fragments the bounce buffers: it maps all of their slots except those of
 * the holes. lab_bounce_exit() unmaps these slots.
 */
int lab_init(void);
void lab_exit(void);
void lab_bounce_exit(void);
struct device *lab_dma_device(void);
void lab_set_node(struct ib_device *device);
void *lab_va(u64 bus);
void lab_copy(u64 bus, void *data, size_t len, bool to_memory);
void lab_user_memory(struct sg_table *sgt);

/* Return the page of a bus address; NULL if it is not mapped. */
static inline struct page *lab_page(u64 bus)
{
	void *va = lab_va(bus);

	return va ? virt_to_page(va) : NULL;
}

/*
 * Limits. lab_limits() sets the attributes of a new device. lab_check_*() return -ENOMEM above a
 * limit, and -EINVAL for too many SGEs or a completion vector that the device lacks.
 */
void lab_limits(struct rxe_dev *rxe);
int lab_check_qp(const struct ib_qp_init_attr *init);
int lab_check_cq(const struct ib_cq_init_attr *attr);

/*
 * ib_map_mr_sg(). lab_map_begin() returns 0, or an errno for a call that the parameters forbid.
 * lab_map_end() returns the result of ib_map_mr_sg(): @entries or, if map_pages is set, @pages.
 */
int lab_map_begin(const struct ib_mr *mr, const unsigned int *sg_offset);
int lab_map_end(int entries, int pages);

/*
 * Work requests. lab_post() returns 0, an errno, or 1 for a WR that never completes; @nr is the
 * index of @wr in its chain. lab_posted(), called after the device has accepted all WRs of a post,
 * returns the post's result: 0 or, if the parameter post_unnamed demands this, an errno.
 * lab_stalls() returns true if the QP begins no WR. lab_inline_sges() returns the number of SGEs
 * whose data an inline WR sends.
 */
int lab_post(struct rxe_qp *qp, const struct ib_send_wr *wr, int nr);
int lab_posted(const struct rxe_qp *qp);
bool lab_stalls(const struct rxe_qp *qp);
int lab_inline_sges(int num_sge);

/*
 * Completions. lab_complete() sets the vendor_err of a failed completion. lab_repeat() may put the
 * completion of a WR on the CQ once more. lab_loses_cqe() returns true for a WR whose completion
 * never reaches the CQ, and lab_loses_flush() for such a completion of a flushed WR. lab_holds() returns true for a completion that the consumer does not see
 * yet; the caller holds the CQ's lock. lab_cq_size() returns the size of a new CQ whose creator
 * asks for @entries. lab_cq_init() sets up a timer that hands over the completions that lab_holds()
 * has held back, and lab_cq_exit() stops the timer. The patches define lab_cq_notify(), which calls
 * the consumer under the CQ's lock, as the patched version of rxe does, and lab_cq_flush(), which
 * waits for these calls.
 */
void lab_complete(struct rxe_cqe *cqe);
void lab_repeat(struct rxe_qp *qp, const struct rxe_send_wqe *wqe, struct rxe_cqe *cqe);
bool lab_loses_cqe(const struct rxe_qp *qp, const struct rxe_send_wqe *wqe);
bool lab_loses_flush(const struct rxe_cq *cq, const struct rxe_cqe *cqe);
bool lab_holds(struct rxe_cq *cq);
int lab_cq_size(int entries);
void lab_cq_init(struct rxe_cq *cq);
void lab_cq_exit(struct rxe_cq *cq);
void lab_cq_notify(struct rxe_cq *cq);
void lab_cq_flush(struct rxe_cq *cq);

/* Decide whether to drop this packet, as if the network had lost its message. */
bool lab_loses(struct rxe_qp *qp, const void *payload);

#endif /* RXE_LAB_H */
