/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name: constants that verdicts need. */
#ifndef TESTS_UNIT_RDMA_IB_VERBS_H
#define TESTS_UNIT_RDMA_IB_VERBS_H

enum ib_wc_status {
	IB_WC_SUCCESS		= 0,
	IB_WC_WR_FLUSH_ERR	= 5,
	IB_WC_REM_ACCESS_ERR	= 10,
};

enum ib_wc_opcode {
	IB_WC_RECV		= 128,
	IB_WC_RECV_RDMA_WITH_IMM = 129,
};

enum ib_wc_flags {
	IB_WC_WITH_IMM		= 2,
	IB_WC_WITH_INVALIDATE	= 4,
};

enum ib_qp_state {
	IB_QPS_RTS		= 3,
	IB_QPS_ERR		= 6,
};

enum ib_event_type {
	IB_EVENT_QP_FATAL	= 1,
	IB_EVENT_QP_ACCESS_ERR	= 3,
};

#endif /* TESTS_UNIT_RDMA_IB_VERBS_H */
