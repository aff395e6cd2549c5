/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints. Each records the id of the test; a tracepoint of a connection also records the
 * connection's index. The test of a server's client records its own id, not the server's, and
 * the index that the client has given to the connection.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM krping

#if !defined(KRPING_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KRPING_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "conn_state.h"
#include "errno_name.h"

TRACE_DEFINE_ENUM(KRPING_CONN_IDLE);
TRACE_DEFINE_ENUM(KRPING_CONN_UNRESOLVED);
TRACE_DEFINE_ENUM(KRPING_CONN_ADDR_RESOLVED);
TRACE_DEFINE_ENUM(KRPING_CONN_UNROUTED);
TRACE_DEFINE_ENUM(KRPING_CONN_ROUTE_RESOLVED);
TRACE_DEFINE_ENUM(KRPING_CONN_LISTENING);
TRACE_DEFINE_ENUM(KRPING_CONN_REQUESTED);
TRACE_DEFINE_ENUM(KRPING_CONN_ACCEPTED);
TRACE_DEFINE_ENUM(KRPING_CONN_CONNECTED);

#define show_krping_conn_state(value)					\
	__print_symbolic(value,						\
		{ KRPING_CONN_IDLE, "idle" }, \
		{ KRPING_CONN_UNRESOLVED, "unresolved" }, \
		{ KRPING_CONN_ADDR_RESOLVED, "addr_resolved" }, \
		{ KRPING_CONN_UNROUTED, "unrouted" }, \
		{ KRPING_CONN_ROUTE_RESOLVED, "route_resolved" }, \
		{ KRPING_CONN_LISTENING, "listening" }, \
		{ KRPING_CONN_REQUESTED, "requested" }, \
		{ KRPING_CONN_ACCEPTED, "accepted" }, \
		{ KRPING_CONN_CONNECTED, "connected" })

TRACE_EVENT(krping_command,
	    TP_PROTO(u32 id, const char *role, const char *test, u64 size, u64 count),

	    TP_ARGS(id, role, test, size, count),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u64, size)
			     __field(u64, count)
			     __array(char, role, 8)
			     __array(char, test, 16)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->size = size;
			   __entry->count = count;
			   strscpy(__entry->role, role, sizeof(__entry->role));
			   strscpy(__entry->test, test, sizeof(__entry->test));
	    ),

	    TP_printk("id=%u role=%s test=%s size=%llu count=%llu", __entry->id,
		      __entry->role, __entry->test, __entry->size, __entry->count)
);

TRACE_EVENT(krping_error,
	    TP_PROTO(u32 id, int error, const char *detail),

	    TP_ARGS(id, error, detail),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(int, error)
			     __array(char, words, 16)
			     __array(char, detail, 96)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->error = error;
			   strscpy(__entry->words, krping_errno_name(error),
				   sizeof(__entry->words));
			   strscpy(__entry->detail, detail, sizeof(__entry->detail));
	    ),

	    TP_printk("id=%u error=%d (%s) %s", __entry->id, __entry->error,
		      __entry->words, __entry->detail)
);

TRACE_EVENT(krping_end,
	    TP_PROTO(u32 id, int error, u64 iterations),

	    TP_ARGS(id, error, iterations),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(int, error)
			     __field(u64, iterations)
			     __array(char, words, 16)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->error = error;
			   __entry->iterations = iterations;
			   strscpy(__entry->words, krping_errno_name(error),
				   sizeof(__entry->words));
	    ),

	    TP_printk("id=%u error=%d (%s) iterations=%llu", __entry->id, __entry->error,
		      __entry->words, __entry->iterations)
);

TRACE_EVENT(krping_wait_begin,
	    TP_PROTO(u32 id, u32 timeout_ms),

	    TP_ARGS(id, timeout_ms),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, timeout_ms)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->timeout_ms = timeout_ms;
	    ),

	    TP_printk("id=%u timeout=%u", __entry->id, __entry->timeout_ms)
);

TRACE_EVENT(krping_wait_end,
	    TP_PROTO(u32 id, int ret),

	    TP_ARGS(id, ret),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(int, ret)
			     __array(char, words, 16)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->ret = ret;
			   strscpy(__entry->words, krping_errno_name(ret),
				   sizeof(__entry->words));
	    ),

	    TP_printk("id=%u ret=%d (%s)", __entry->id, __entry->ret, __entry->words)
);

TRACE_EVENT(krping_conn_state,
	    TP_PROTO(u32 id, u32 conn, int from, int to),

	    TP_ARGS(id, conn, from, to),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, conn)
			     __field(int, from)
			     __field(int, to)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->conn = conn;
			   __entry->from = from;
			   __entry->to = to;
	    ),

	    TP_printk("id=%u conn=%u from=%s to=%s", __entry->id, __entry->conn,
		      show_krping_conn_state(__entry->from),
		      show_krping_conn_state(__entry->to))
);

TRACE_EVENT(krping_cm_event,
	    TP_PROTO(u32 id, u32 conn, struct rdma_cm_id *cm_id,
		     const struct rdma_cm_event *event),

	    TP_ARGS(id, conn, cm_id, event),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, conn)
			     __field(int, event)
			     __field(int, status)
			     __array(char, name, 24)
			     __array(char, words, 40)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->conn = conn;
			   __entry->event = event->event;
			   __entry->status = event->status;
			   strscpy(__entry->name, rdma_event_msg(event->event),
				   sizeof(__entry->name));
			   strscpy(__entry->words, krping_cm_status_name(cm_id, event),
				   sizeof(__entry->words));
	    ),

	    TP_printk("id=%u conn=%u %s (%d) status=%d (%s)", __entry->id, __entry->conn,
		      __entry->name, __entry->event, __entry->status, __entry->words)
);

TRACE_EVENT(krping_post,
	    TP_PROTO(u32 id, u32 conn, u32 qp_num, const char *what, u32 nr_wr,
		     bool signaled),

	    TP_ARGS(id, conn, qp_num, what, nr_wr, signaled),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, conn)
			     __field(u32, qp_num)
			     __field(u32, nr_wr)
			     __field(bool, signaled)
			     __array(char, what, 24)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->conn = conn;
			   __entry->qp_num = qp_num;
			   __entry->nr_wr = nr_wr;
			   __entry->signaled = signaled;
			   strscpy(__entry->what, what, sizeof(__entry->what));
	    ),

	    TP_printk("id=%u conn=%u qp=%u %s wrs=%u%s", __entry->id, __entry->conn,
		      __entry->qp_num, __entry->what, __entry->nr_wr,
		      __entry->signaled ? " signaled" : "")
);

TRACE_EVENT(krping_complete,
	    TP_PROTO(u32 id, u32 conn, u32 qp_num, const char *what,
		     const struct ib_wc *wc),

	    TP_ARGS(id, conn, qp_num, what, wc),

	    TP_STRUCT__entry(__field(u32, id)
			     __field(u32, conn)
			     __field(u32, qp_num)
			     __field(int, status)
			     __field(u32, vendor_err)
			     __field(u32, bytes)
			     __array(char, what, 24)
			     __array(char, words, 40)
	    ),

	    TP_fast_assign(__entry->id = id;
			   __entry->conn = conn;
			   __entry->qp_num = qp_num;
			   __entry->status = wc->status;
			   __entry->vendor_err = wc->status ? wc->vendor_err : 0;
			   __entry->bytes = wc->status ? 0 : wc->byte_len;
			   strscpy(__entry->what, what, sizeof(__entry->what));
			   strscpy(__entry->words, ib_wc_status_msg(wc->status),
				   sizeof(__entry->words));
	    ),

	    TP_printk("id=%u conn=%u qp=%u %s status=%d (%s) vendor_err=0x%x bytes=%u",
		      __entry->id, __entry->conn, __entry->qp_num, __entry->what,
		      __entry->status, __entry->words, __entry->vendor_err,
		      __entry->bytes)
);

#endif /* KRPING_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
