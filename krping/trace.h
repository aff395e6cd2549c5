/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints: connection states and events, posted chains, completions, and the
 * first error of a test.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM krping

#if !defined(KRPING_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KRPING_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

TRACE_EVENT(krping_error,
	    TP_PROTO(const void *status, int error, const char *detail),

	    TP_ARGS(status, error, detail),

	    TP_STRUCT__entry(__field(const void *, status)
			     __field(int, error)
			     __array(char, detail, 96)
	    ),

	    TP_fast_assign(__entry->status = status;
			   __entry->error = error;
			   strscpy(__entry->detail, detail, sizeof(__entry->detail));
	    ),

	    TP_printk("status=%p error=%d %s", __entry->status, __entry->error,
		      __entry->detail)
);

TRACE_EVENT(krping_conn_state,
	    TP_PROTO(const void *conn, int from, int to),

	    TP_ARGS(conn, from, to),

	    TP_STRUCT__entry(__field(const void *, conn)
			     __field(int, from)
			     __field(int, to)
	    ),

	    TP_fast_assign(__entry->conn = conn;
			   __entry->from = from;
			   __entry->to = to;
	    ),

	    TP_printk("conn=%p state %d -> %d", __entry->conn, __entry->from,
		      __entry->to)
);

TRACE_EVENT(krping_cm_event,
	    TP_PROTO(const void *conn, const struct rdma_cm_event *event),

	    TP_ARGS(conn, event),

	    TP_STRUCT__entry(__field(const void *, conn)
			     __field(int, event)
			     __field(int, status)
			     __array(char, name, 24)
	    ),

	    TP_fast_assign(__entry->conn = conn;
			   __entry->event = event->event;
			   __entry->status = event->status;
			   strscpy(__entry->name, rdma_event_msg(event->event),
				   sizeof(__entry->name));
	    ),

	    TP_printk("conn=%p %s (%d) status=%d", __entry->conn, __entry->name,
		      __entry->event, __entry->status)
);

TRACE_EVENT(krping_post,
	    TP_PROTO(const struct ib_qp *qp, u32 nr_wr, bool signaled),

	    TP_ARGS(qp, nr_wr, signaled),

	    TP_STRUCT__entry(__field(u32, qp_num)
			     __field(u32, nr_wr)
			     __field(bool, signaled)
	    ),

	    TP_fast_assign(__entry->qp_num = qp->qp_num;
			   __entry->nr_wr = nr_wr;
			   __entry->signaled = signaled;
	    ),

	    TP_printk("qp=%u wrs=%u%s", __entry->qp_num, __entry->nr_wr,
		      __entry->signaled ? " signaled" : "")
);

TRACE_EVENT(krping_complete,
	    TP_PROTO(u32 qp_num, const char *what, const struct ib_wc *wc),

	    TP_ARGS(qp_num, what, wc),

	    TP_STRUCT__entry(__field(u32, qp_num)
			     __field(int, status)
			     __field(u32, vendor_err)
			     __field(u32, bytes)
			     __array(char, what, 24)
	    ),

	    TP_fast_assign(__entry->qp_num = qp_num;
			   __entry->status = wc->status;
			   __entry->vendor_err = wc->status ? wc->vendor_err : 0;
			   __entry->bytes = wc->status ? 0 : wc->byte_len;
			   strscpy(__entry->what, what, sizeof(__entry->what));
	    ),

	    TP_printk("qp=%u %s status=%d vendor_err=0x%x bytes=%u",
		      __entry->qp_num, __entry->what, __entry->status,
		      __entry->vendor_err, __entry->bytes)
);

#endif /* KRPING_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
