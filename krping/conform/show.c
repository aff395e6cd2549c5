// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The test `conform`: print its results, print the list of its cases, and check the case names in a
 * command.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "client.h"

const struct conform_group * const conform_groups[] = {
	&conform_keys,
	&conform_bounds,
	&conform_rights,
	&conform_zero,
	&conform_request,
	&conform_local,
	&conform_post,
	&conform_flush,
	&conform_register,
	&conform_invalidate,
	&conform_order,
	&conform_atomic,
	&conform_data,
	&conform_retry,
	&conform_srq,
	&conform_poll,
	&conform_dma_key,
};

const u32 conform_nr_groups = ARRAY_SIZE(conform_groups);

static const char * const conform_verdict_names[CONFORM_VERDICTS] = {
	[CONFORM_NONE]		= "none",
	[CONFORM_OK]		= "ok",
	[CONFORM_DEVIATES]	= "deviates",
	[CONFORM_UNSUPPORTED]	= "unsupported",
	[CONFORM_FAILED]	= "failed",
};

/* Names of CONFORM_DIFF_*, in the order of the bits. */
static const char * const conform_diff_names[CONFORM_DIFFS] = {
	"post", "requester", "responder", "byte_len", "event", "qp", "peer_qp", "bytes", "message",
};

/*
 * The names in a command.
 */

/* Check whether a case or a group has this name. */
static bool conform_known(const char *name, size_t len)
{
	u32 i, j;

	for (i = 0; i < conform_nr_groups; i++) {
		const struct conform_group *group = conform_groups[i];

		if (strlen(group->name) == len && !memcmp(group->name, name, len))
			return true;
		for (j = 0; j < group->nr; j++)
			if (strlen(group->cases[j].name) == len &&
			    !memcmp(group->cases[j].name, name, len))
				return true;
	}
	return false;
}

/**
 * krping_conform_check() - check that the cases of a command exist
 * @opts: the command
 * @why: text that explains an error
 * @why_size: size of @why
 *
 * Return: 0 or -EINVAL.
 */
int krping_conform_check(const struct krping_options *opts, char *why, size_t why_size)
{
	const char *name = opts->cases;

	while (*name) {
		size_t len = strcspn(name, ":");

		if (!conform_known(name, len)) {
			snprintf(why, why_size,
				 "case: there is no case or group %.*s; see conform,list",
				 (int)len, name);
			return -EINVAL;
		}
		name += len;
		if (*name)
			name++;
	}
	return 0;
}

/*
 * The list.
 */

/* Print the features that a case needs. iWARP has no atomics, so "atomic" implies "infiniband". */
static void conform_show_needs(struct seq_file *m, u32 needs)
{
	static const struct {
		u32 need;
		const char *name;
	} features[] = {
		{ CONFORM_NEEDS_DMA_KEY, "dma_key" },
		{ CONFORM_NEEDS_ATOMIC, "atomic" },
		{ CONFORM_NEEDS_SRQ, "srq" },
		{ CONFORM_NEEDS_SMALL_CQ, "small_cq" },
		{ CONFORM_NEEDS_IB, "infiniband" },
	};
	const char *separator = "";
	u32 i;

	if (needs & CONFORM_NEEDS_ATOMIC)
		needs &= ~CONFORM_NEEDS_IB;
	seq_puts(m, " needs=");
	for (i = 0; i < ARRAY_SIZE(features); i++) {
		if (!(needs & features[i].need))
			continue;
		seq_printf(m, "%s%s", separator, features[i].name);
		separator = ":";
	}
	if (!*separator)
		seq_puts(m, "nothing");
}

/**
 * krping_conform_list() - print all cases, one line each
 * @m: the output
 */
void krping_conform_list(struct seq_file *m)
{
	u32 i, j;

	for (i = 0; i < conform_nr_groups; i++) {
		const struct conform_group *group = conform_groups[i];

		for (j = 0; j < group->nr; j++) {
			const struct conform_case *c = &group->cases[j];

			seq_printf(m, "case name=%s group=%s source=\"%s\"", c->name,
				   group->name, c->source);
			conform_show_needs(m, c->needs);
			seq_printf(m, " expect=\"%s\"\n", c->expect);
		}
	}
}

/*
 * The result.
 */

/* Print the completions of a side's RECVs, or of its SQ if !@recvs; "none" if there is none. */
static void conform_show_wcs(struct seq_file *m, const struct krping_conform_record *r,
			     bool recvs)
{
	const char *separator = "";
	u32 i;

	for (i = 0; i < r->nr_wcs && i < KRPING_CONFORM_WCS; i++) {
		const struct krping_conform_wc *wc = &r->wc[i];

		if (conform_is_recv(wc) != recvs)
			continue;
		seq_printf(m, "%s%s", separator, ib_wc_status_msg(wc->status));
		if (recvs && wc->status == IB_WC_SUCCESS)
			seq_printf(m, " byte_len=%u", wc->byte_len);
		if (wc->vendor_err)
			seq_printf(m, " vendor=0x%x", wc->vendor_err);
		separator = "; ";
	}
	if (!*separator)
		seq_puts(m, "none");
}

static void conform_show_requester(struct seq_file *m, const struct conform_seen *seen)
{
	seq_puts(m, " requester=\"");
	if (seen->post) {
		seq_printf(m, "post errno=%d bad_wr=%d", -seen->post, seen->bad);
		if (seen->requester.nr_wcs)
			seq_puts(m, "; ");
	}
	if (!seen->post || seen->requester.nr_wcs)
		conform_show_wcs(m, &seen->requester, false);
	seq_puts(m, "\"");
}

static const char *conform_state_name(int state)
{
	static const char * const names[] = {
		[IB_QPS_RESET]	= "RESET",
		[IB_QPS_INIT]	= "INIT",
		[IB_QPS_RTR]	= "RTR",
		[IB_QPS_RTS]	= "RTS",
		[IB_QPS_SQD]	= "SQD",
		[IB_QPS_SQE]	= "SQE",
		[IB_QPS_ERR]	= "ERR",
	};

	return state >= 0 && state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static void conform_show_qp(struct seq_file *m, const struct conform_seen *seen)
{
	seq_printf(m, " qp=\"requester %s%s, responder %s%s\"",
		   conform_state_name(seen->requester.state),
		   seen->requester.ended ? " disconnected" : "",
		   conform_state_name(seen->responder.state),
		   seen->responder.ended ? " disconnected" : "");
}

/*
 * Print the number of changed bytes in the server's memory, and the offset of the first of them. If
 * the server's memory has not changed, print "own:", and number and offset for the client's memory.
 */
static void conform_show_bytes(struct seq_file *m, const struct conform_seen *seen)
{
	const struct krping_conform_record *r = &seen->requester;
	const struct krping_conform_record *p = &seen->responder;

	if (!r->changed && !p->changed)
		seq_puts(m, " bytes=unchanged");
	else if (p->changed)
		seq_printf(m, " bytes=%u@%u", p->changed, p->first);
	else
		seq_printf(m, " bytes=own:%u@%u", r->changed, r->first);
	if (r->garbled || p->garbled)
		seq_printf(m, " garbled=%u", r->garbled + p->garbled);
}

/*
 * Print the completions of a side: index of the WR, with a leading r for a RECV; microseconds;
 * status; opcode and byte_len, or "-" if the WR has failed; vendor's error code. "none" if there is
 * none.
 */
static void conform_show_trace(struct seq_file *m, const struct krping_conform_record *r,
			       const struct krping_conform_trace *trace)
{
	const char *separator = "";
	u32 i;

	for (i = 0; i < r->nr_wcs && i < KRPING_CONFORM_WCS; i++) {
		const struct krping_conform_wc *wc = &r->wc[i];
		bool recv = conform_is_recv(wc);

		seq_printf(m, "%s%s%u %u %u", separator, recv ? "r" : "",
			   recv ? wc->id - KRPING_CONFORM_RECV_ID : wc->id, trace->wc_usec[i],
			   wc->status);
		if (wc->status == IB_WC_SUCCESS)
			seq_printf(m, " %u %u", wc->opcode, wc->byte_len);
		else
			seq_puts(m, " - -");
		seq_printf(m, " 0x%x", wc->vendor_err);
		separator = "; ";
	}
	if (!*separator)
		seq_puts(m, "none");
}

/* Print the events of a side after @separator, and return the separator of what follows. */
static const char *conform_show_events(struct seq_file *m, const char *separator,
				       const char *side, const struct krping_conform_trace *trace)
{
	static const char * const objects[] = {
		[KRPING_CONFORM_QP]	= "qp",
		[KRPING_CONFORM_CQ]	= "cq",
		[KRPING_CONFORM_SRQ]	= "srq",
		[KRPING_CONFORM_DEVICE]	= "device",
		[KRPING_CONFORM_CM]	= "cm",
	};
	u32 i;

	for (i = 0; i < trace->nr_events && i < KRPING_CONFORM_EVENTS; i++) {
		const struct krping_conform_event *e = &trace->event[i];
		bool known = e->object < ARRAY_SIZE(objects) && objects[e->object];

		seq_printf(m, "%s%s %s %u %s", separator, side,
			   known ? objects[e->object] : "unknown", e->usec,
			   e->object == KRPING_CONFORM_CM ? "disconnected" :
			   ib_event_msg(e->event));
		separator = "; ";
	}
	return separator;
}

static void conform_show_traces(struct seq_file *m, const struct conform_seen *seen)
{
	const char *separator = "";

	seq_puts(m, " requester_wcs=\"");
	conform_show_trace(m, &seen->requester, &seen->own_trace);
	seq_puts(m, "\" responder_wcs=\"");
	if (seen->peer_traced)
		conform_show_trace(m, &seen->responder, &seen->peer_trace);
	else
		seq_puts(m, "unknown");
	seq_puts(m, "\" events=\"");
	separator = conform_show_events(m, separator, "requester", &seen->own_trace);
	if (seen->peer_traced)
		separator = conform_show_events(m, separator, "responder", &seen->peer_trace);
	seq_printf(m, "%s\"", *separator ? "" : "none");
}

static void conform_show_diff(struct seq_file *m, u32 diff)
{
	const char *separator = "";
	u32 i;

	seq_puts(m, " differs=");
	for (i = 0; i < CONFORM_DIFFS; i++) {
		if (!(diff & BIT(i)))
			continue;
		seq_printf(m, "%s%s", separator, conform_diff_names[i]);
		separator = ":";
	}
}

/* Print the line of a case: its verdict, and what both sides have observed. */
static void conform_show_case(struct seq_file *m, const struct conform_result *result)
{
	const struct conform_seen *seen = &result->seen;

	seq_printf(m, "case name=%s source=\"%s\" verdict=%s", result->c->name,
		   result->c->source, conform_verdict_names[result->verdict]);
	if (result->verdict == CONFORM_UNSUPPORTED) {
		if (seen->forbidden)
			seq_puts(m, " reason=\"the server runs without mem_mode=dma\"");
		seq_puts(m, "\n");
		return;
	}
	if (result->verdict == CONFORM_FAILED) {
		seq_printf(m, " error=%d control=%s\n", -seen->error,
			   seen->control ? "ok" : "failed");
		return;
	}
	if (result->diff)
		conform_show_diff(m, result->diff);
	seq_printf(m, " expect=\"%s\"", result->c->expect);
	conform_show_requester(m, seen);
	seq_puts(m, " responder=\"");
	conform_show_wcs(m, &seen->responder, true);
	seq_printf(m, "\" event=\"%s\"", seen->responder.event < 0 ? "none" :
		   ib_event_msg(seen->responder.event));
	conform_show_qp(m, seen);
	conform_show_bytes(m, seen);
	conform_show_traces(m, seen);
	if (result->repeated)
		seq_puts(m, " repeats=1");
	seq_puts(m, "\n");
}

/**
 * krping_conform_show() - print the results of the cases that have ended, and totals
 * @m: the output
 * @results: the results, or NULL
 */
void krping_conform_show(struct seq_file *m, const struct krping_conform_results *results)
{
	u32 nr[CONFORM_VERDICTS] = { 0 };
	u32 i, ended;

	if (!results)
		return;
	/* pairs with conform_run_group() */
	ended = smp_load_acquire(&results->nr);
	for (i = 0; i < ended; i++) {
		conform_show_case(m, &results->result[i]);
		nr[results->result[i].verdict]++;
	}
	seq_printf(m, "conform ok=%u deviates=%u unsupported=%u failed=%u\n", nr[CONFORM_OK],
		   nr[CONFORM_DEVIATES], nr[CONFORM_UNSUPPORTED], nr[CONFORM_FAILED]);
}

/**
 * krping_conform_free() - free the results
 * @results: the results, or NULL
 */
void krping_conform_free(struct krping_conform_results *results)
{
	kvfree(results);
}
