// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fit the plan of a test (its queue sizes, SGEs and maximum size) to the limits of the device.
 * First reduce spare WRs, the maximum size, and the hardware queues of a disk. If the rest still
 * exceeds a limit, report the limit and, where possible, a value that the device accepts.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "limits.h"

/* Return the number of connections that share a CQ. */
static u32 krping_limits_sharers(const struct krping_thread *thread)
{
	return thread->cqs ? 1 : max_t(u32, thread->nr_conns, 1);
}

/**
 * krping_limits_conns() - reduce a disk's hardware queues to the number of completion vectors
 * @thread: the disk's thread, whose first connection is bound to a device
 * @device: the device
 *
 * Each hardware queue has a connection and a CQ of its own, which are of little use if another CQ
 * has the same vector. With the option poll, each hardware queue has a second connection, for
 * polling. The number does not change if the command sets it, or when a disk reconnects.
 *
 * Context: the test's thread.
 */
void krping_limits_conns(struct krping_thread *thread, const struct ib_device *device)
{
	if (thread->opts.memop != KRPING_MEMOP_DISK || thread->opts.qps_given || thread->block)
		return;
	thread->opts.qps = min_t(u32, thread->opts.qps,
				 max_t(int, device->num_comp_vectors, 1));
	WRITE_ONCE(thread->nr_conns, thread->opts.qps << thread->opts.poll);
	thread->conns_total = thread->nr_conns;
}

/* Limit the size of the test's data to the largest message of the port. */
static void krping_limits_message(struct krping_thread *thread)
{
	const struct rdma_cm_id *id = krping_conn_id(thread->conns);
	struct ib_port_attr port;

	/* Skip a test that moves no data, or that divides the data into messages itself. */
	if (thread->ops->op == KRPING_OP_FR || thread->plan.size_max == U64_MAX)
		return;
	if (ib_query_port(id->device, id->port_num, &port) || !port.max_msg_sz)
		return;
	thread->plan.size_max = min_t(u64, thread->plan.size_max, port.max_msg_sz);
}

/**
 * krping_limits_fit() - reduce a new plan to the limits of the device
 * @thread: the test's thread, with a new plan
 *
 * Spare WRs make the SQ longer than the test requires. If the SQ or the CQ exceeds the device's
 * limit, drop spare WRs, as many as exceed the limit. Limit the size of the test's data to the
 * port's largest message.
 *
 * Context: the test's thread.
 */
void krping_limits_fit(struct krping_thread *thread)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;
	struct krping_queue_attr *attr = &thread->plan.queue;
	u32 entries = krping_queue_entries(attr);
	u32 cqes = (u32)device->attrs.max_cqe / krping_limits_sharers(thread);
	u32 wrs = device->attrs.max_qp_wr;
	u32 excess = 0;

	if (entries > cqes)
		excess = entries - cqes;
	if (attr->sq_size >= wrs)
		excess = max(excess, attr->sq_size - wrs + 1);
	excess = min(excess, attr->sq_spare);
	attr->sq_size -= excess;
	attr->sq_spare -= excess;
	krping_limits_message(thread);
}

/*
 * Return the largest txdepth with which the SQ and the RQ have at most @wrs WRs each, and together
 * need at most @cqes CQEs. Return 0 if no txdepth fits, or if the queues do not depend on txdepth.
 * sq and rq are the WRs that do not depend on txdepth. The drains of SQ and RQ need one CQE each.
 */
static u32 krping_limits_depth(const struct krping_queue_attr *attr, u32 wrs, u32 cqes)
{
	u32 sq = attr->sq_size - attr->depth * attr->depth_wrs;
	u32 rq = attr->recv_depth - attr->depth * attr->depth_recvs;
	u32 per_cq = attr->depth_wrs + attr->depth_recvs;
	u32 depth;

	if (!per_cq || sq > wrs || rq > wrs || sq + rq + 2 > cqes)
		return 0;
	depth = (cqes - sq - rq - 2) / per_cq;
	if (attr->depth_wrs)
		depth = min(depth, (wrs - sq) / attr->depth_wrs);
	if (attr->depth_recvs)
		depth = min(depth, (wrs - rq) / attr->depth_recvs);
	return depth;
}

/*
 * Check the SQ and the RQ, each of which needs one more WR for its drain. @depth is the largest
 * txdepth that fits, or 0.
 */
static int krping_limits_wrs(struct krping_thread *thread, u32 depth)
{
	const struct ib_device_attr *limit = &thread->conns->cm_id->device->attrs;
	const struct krping_queue_attr *attr = &thread->plan.queue;
	u32 need = max(attr->sq_size, attr->recv_depth);
	u32 most = limit->max_qp_wr - 1;

	if (need <= most)
		return 0;
	if (depth)
		return krping_status_set(thread->status, -EINVAL,
					 "txdepth=%u needs a queue of %u WRs, and the device has at most %u; try txdepth=%u",
					 attr->depth, need, most, depth);
	return krping_status_set(thread->status, -EINVAL,
				 "the test needs a queue of %u WRs, and the device has at most %u",
				 need, most);
}

/* Check the CQ. @depth is the largest txdepth that fits, or 0. */
static int krping_limits_cqes(struct krping_thread *thread, u32 depth)
{
	const struct ib_device_attr *limit = &thread->conns->cm_id->device->attrs;
	u64 need = (u64)krping_queue_entries(&thread->plan.queue) * krping_limits_sharers(thread);

	if (need <= limit->max_cqe)
		return 0;
	if (depth && thread->cqs)
		return krping_status_set(thread->status, -EINVAL,
					 "txdepth=%u needs a CQ of %llu entries, and the device has at most %u; try txdepth=%u",
					 thread->opts.txdepth, need, (u32)limit->max_cqe, depth);
	if (depth)
		return krping_status_set(thread->status, -EINVAL,
					 "qps=%u with txdepth=%u needs a CQ of %llu entries, and the device has at most %u; try txdepth=%u, or threads=, because each thread has a CQ",
					 thread->nr_conns, thread->opts.txdepth, need,
					 (u32)limit->max_cqe, depth);
	return krping_status_set(thread->status, -EINVAL,
				 "qps=%u needs a CQ of %llu entries, and the device has at most %u; try threads=, because each thread has a CQ",
				 thread->nr_conns, need, (u32)limit->max_cqe);
}

/**
 * krping_limits_queue() - check a plan's WRs, CQEs, QPs, SGEs and SRQ against the device's limits
 * @thread: the test's thread, bound to a device
 *
 * Context: the test's thread.
 *
 * Return: 0, or a negative errno; the status names the limit.
 */
int krping_limits_queue(struct krping_thread *thread)
{
	const struct ib_device_attr *limit = &thread->conns->cm_id->device->attrs;
	const struct krping_queue_attr *attr = &thread->plan.queue;
	u32 depth;
	int ret;

	depth = krping_limits_depth(attr, limit->max_qp_wr - 1,
				    (u32)limit->max_cqe / krping_limits_sharers(thread));
	ret = krping_limits_wrs(thread, depth);
	if (!ret)
		ret = krping_limits_cqes(thread, depth);
	if (ret)
		return ret;
	if (thread->conns_total > limit->max_qp)
		return krping_status_set(thread->status, -EINVAL,
					 "qps=%u, threads=%u: the device has at most %u QPs",
					 thread->opts.qps, thread->opts.threads,
					 (u32)limit->max_qp);
	if (attr->send_sge > limit->max_send_sge)
		return krping_status_set(thread->status, -EINVAL,
					 "sge=%u: the device accepts 1 to %u SGEs",
					 attr->send_sge, (u32)limit->max_send_sge);
	if (attr->read_sge > limit->max_sge_rd)
		return krping_status_set(thread->status, -EINVAL,
					 "sge=%u: the device accepts 1 to %u SGEs of an RDMA READ",
					 attr->read_sge, (u32)limit->max_sge_rd);
	if (attr->srq && attr->recv_depth > limit->max_srq_wr)
		return krping_status_set(thread->status, limit->max_srq_wr ? -EINVAL :
					 -EOPNOTSUPP,
					 "srq needs %u RECVs, and the device has at most %u",
					 attr->recv_depth, (u32)limit->max_srq_wr);
	return 0;
}

/**
 * krping_limits_reads() - check whether both devices permit the READs and atomics of a plan
 * @thread: the test's thread, with a plan
 * @conn: a connection of @thread. On a server after the connect request, on a client after the
 *	server's acceptance: only then are reads_out and reads_in limited by the peer's device, too
 * @why: set to the reason on failure
 *
 * Context: the test's thread.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int krping_limits_reads(const struct krping_thread *thread, const struct krping_conn *conn,
			const char **why)
{
	const struct ib_device_attr *limit = &krping_conn_id(conn)->device->attrs;

	if (thread->plan.posts_reads && !limit->max_qp_init_rd_atom)
		*why = "the device posts no READs and atomics (max_qp_init_rd_atom is 0)";
	else if (thread->plan.answers_reads && !limit->max_qp_rd_atom)
		*why = "the device answers no READs and atomics (max_qp_rd_atom is 0)";
	else if (thread->plan.posts_reads && !conn->reads_out)
		*why = "the peer's device answers no READs and atomics";
	else if (thread->plan.answers_reads && !conn->reads_in)
		*why = "the peer's device posts no READs and atomics";
	else
		return 0;
	return -EOPNOTSUPP;
}

/**
 * krping_limits_vector() - check the option vector against the device
 * @thread: the test's thread
 * @device: the device of the test
 *
 * Context: the test's thread.
 *
 * Return: 0, or -EINVAL; the status names the limit.
 */
int krping_limits_vector(struct krping_thread *thread, const struct ib_device *device)
{
	int vectors = max_t(int, device->num_comp_vectors, 1);

	if (thread->opts.vector < vectors)
		return 0;
	return krping_status_set(thread->status, -EINVAL,
				 "vector=%d: the device has 0 to %d",
				 thread->opts.vector, vectors - 1);
}
