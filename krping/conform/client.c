// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The client side of the test `conform`, which checks how devices handle illegal and legal
 * requests.
 *
 *	client				server
 *	SEND ask: open		--->	PD, CQ, memory; listens
 *				<---	SEND answer: port, cookie
 *	connects a QP		<-->	accepts
 *	SEND ask: step		--->
 *				<---	SEND answer
 *	posts a legal operation, then the WRs that break or test a rule, on the case's QP
 *	SEND ask: record	--->
 *				<---	SEND answer: the record of the server
 *	SEND ask: close		--->	frees all
 *				<---	SEND answer
 *
 * The control connection carries requests and answers. Each case has its own PD, CQ, QP and memory
 * on both sides. A case that needs a second PD also uses the PD of the control connection.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../wait.h"
#include "../wr.h"
#include "client.h"
#include "pair.h"
#include "server.h"

/* Depth of the control connection's SQ, for SENDs of messages, and for REG_MRs in its PD. */
#define CONFORM_CONTROL_WRS	16
#define CONFORM_CONTROL_RECVS	4

/* Maximum number of cases of a run that are repeated because a WR has no completion. */
#define CONFORM_REPEATS		4

/*
 * How often a case with &conform_case.timed runs again while it conforms. On siw about one run of
 * order_read_write_read in a hundred conforms if the CPUs are busy.
 */
#define CONFORM_RERUNS		4

static struct conform_client *conform_client(const struct krping_thread *thread)
{
	return thread->conns->queue.priv;
}

/*
 * Messages.
 */

/* Decode an answer. Return false if the message does not answer the last request. */
static bool conform_decode(struct conform_client *c, enum krping_ctl_type type,
			   const union krping_ctl *ctl)
{
	if (type == KRPING_CTL_CONFORM_ANSWER) {
		krping_wire_conform_answer_decode(&ctl->conform_answer, &c->answer);
		/* The server answers KRPING_CONFORM_TRACE by a trace unless it has an error. */
		return READ_ONCE(c->step) != KRPING_CONFORM_TRACE || c->answer.error;
	}
	if (type != KRPING_CTL_CONFORM_TRACE || READ_ONCE(c->step) != KRPING_CONFORM_TRACE)
		return false;
	krping_wire_conform_trace_decode(&ctl->conform_trace, &c->trace);
	c->answer.nr = be64_to_cpu(ctl->ctl.value);
	c->answer.error = 0;
	return true;
}

/* Handle a control message of the server: store the answer, and wake conform_ask(). */
static void conform_client_ctl(struct krping_queue *q, enum krping_ctl_type type, u64 value,
			       const union krping_ctl *ctl)
{
	struct conform_client *c = q->priv;

	krping_cq_progress(q->cq);
	if (READ_ONCE(c->answered) || !conform_decode(c, type, ctl)) {
		krping_status_set(q->status, -EPROTO,
				  "the server sent an unexpected control message of type %d",
				  type);
		return;
	}
	/* pairs with conform_has_answer() */
	smp_store_release(&c->answered, true);
	wake_up_all(&q->status->wait);
}

/* Reject a message that is no control message, because the control connection carries no data. */
static void conform_recv(struct krping_queue *q, const struct krping_wire_msg *msg,
			 const struct ib_wc *wc)
{
	krping_status_set(q->status, -EPROTO, "the peer sent an unexpected message of %u byte%s",
			  wc->byte_len, krping_plural(wc->byte_len));
}

/*
 * A case.
 */

/* Return the step that opens the case on the server, with the objects that the case needs. */
static enum krping_conform_step conform_open_step(const struct conform_case *row)
{
	if (row->needs & CONFORM_NEEDS_SRQ)
		return KRPING_CONFORM_OPEN_SRQ;
	if (row->needs & CONFORM_NEEDS_SMALL_CQ)
		return KRPING_CONFORM_OPEN_SMALL_CQ;
	if (row->needs & CONFORM_NEEDS_DMA_KEY)
		return KRPING_CONFORM_OPEN_DMA_KEY;
	if (row->polled)
		return KRPING_CONFORM_OPEN_POLLED;
	return KRPING_CONFORM_OPEN;
}

/* Let the server open the case, allocate the client's side, and connect both QPs. */
static int conform_case_open(struct conform_client *c, const struct conform_case *row)
{
	enum krping_conform_step step = conform_open_step(row);
	struct conform_side *side;
	int ret;

	ret = conform_ask(c, step, NULL);
	/*
	 * An older server answers with -ENOTCONN to a step that it does not have. Each server has
	 * KRPING_CONFORM_OPEN.
	 */
	if (ret == -EOPNOTSUPP || (ret == -ENOTCONN && step != KRPING_CONFORM_OPEN))
		c->seen->supported = false;
	c->seen->forbidden = ret == -EOPNOTSUPP && step == KRPING_CONFORM_OPEN_DMA_KEY;
	if (ret)
		return ret;
	side = conform_side_alloc(c->thread, 0, row->polled ? CONFORM_WITH_POLLED_CQ : 0);
	if (IS_ERR(side))
		return PTR_ERR(side);
	c->side = side;
	c->recvs = 0;
	return conform_connect(side, c->thread->conns, c->answer.addr, c->answer.key,
			       row->silent);
}

/* Free both sides of the case. The server's answer proves that the control connection works. */
static int conform_case_close(struct conform_client *c)
{
	conform_side_free(c->side);
	c->side = NULL;
	return conform_ask(c, KRPING_CONFORM_CLOSE, NULL);
}

/* Check whether the transport and the client's device have what a case needs. */
static bool conform_case_supported(const struct conform_client *c, const struct conform_case *row)
{
	const struct krping_conn *conn = c->thread->conns;

	if (krping_conn_iwarp(conn) && row->needs & CONFORM_NEEDS_IB)
		return false;
	if (row->needs & CONFORM_NEEDS_SRQ && !conn->pd->device->attrs.max_srq)
		return false;
	return !(row->needs & CONFORM_NEEDS_ATOMIC) ||
	       conn->pd->device->attrs.atomic_cap != IB_ATOMIC_NONE;
}

/*
 * Check whether a WR has no completion although the responder has refused its request. The
 * responder sends the NAK once and then drops all packets, so a wire that loses the NAK looks like
 * a device that sends none.
 */
static bool conform_unanswered(const struct conform_client *c, const struct conform_result *result)
{
	return result->verdict == CONFORM_DEVIATES && !result->seen.post &&
	       conform_record_count(&result->seen.requester, false) <
	       conform_nr_wanted(c->want->send) &&
	       result->seen.responder.state == IB_QPS_ERR;
}

/*
 * Check whether to run the case again because the WR may have lost its NAK. A case runs again once
 * at most, and a run repeats CONFORM_REPEATS cases at most, so a device that sends no NAK delays
 * the run little.
 */
static bool conform_repeat(struct conform_client *c, const struct conform_result *result)
{
	if (result->repeated || c->repeats == CONFORM_REPEATS || !conform_unanswered(c, result))
		return false;
	c->repeats++;
	return true;
}

/* Check whether to run the case again, and if so, clear @result. */
static bool conform_again(struct conform_client *c, struct conform_result *result)
{
	bool repeated = result->repeated;
	u32 reruns = result->reruns;

	if (conform_repeat(c, result))
		repeated = true;
	else if (result->c->timed && result->verdict == CONFORM_OK && reruns < CONFORM_RERUNS)
		reruns++;
	else
		return false;
	memset(result, 0, sizeof(*result));
	result->repeated = repeated;
	result->reruns = reruns;
	return true;
}

/* Run one case. Return 0, or the error that ends the run. */
static int conform_case_run(struct conform_client *c, const struct conform_case *row,
			    struct conform_result *result)
{
	struct conform_seen *seen = &result->seen;
	bool iwarp = krping_conn_iwarp(c->thread->conns);
	int ret;

	result->c = row;
	c->want = iwarp && row->iwarp ? row->iwarp : row->want;
	c->seen = seen;
	seen->bad = -1;
	seen->supported = conform_case_supported(c, row);
	if (seen->supported) {
		seen->error = conform_case_open(c, row);
		if (!seen->error)
			seen->error = row->run(c);
		ret = conform_case_close(c);
		if (!seen->error)
			seen->error = ret;
	}
	result->verdict = conform_judge(c->want, seen, &result->diff);
	return c->fatal ? c->fatal : krping_status_error(c->thread->status);
}

/*
 * The run.
 */

/* Check whether @name is one of the names in @list, which colons separate. */
static bool conform_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (;;) {
		size_t word = strcspn(list, ":");

		if (word == len && !memcmp(list, name, len))
			return true;
		list += word;
		if (!*list++)
			return false;
	}
}

/* Check whether the option case= selects a case, by its name or by its group. */
static bool conform_chosen(const struct krping_options *opts, const struct conform_group *group,
			   const struct conform_case *row)
{
	return !opts->cases[0] || conform_listed(opts->cases, group->name) ||
	       conform_listed(opts->cases, row->name);
}

static u32 conform_nr_cases(void)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < conform_nr_groups; i++)
		nr += conform_groups[i]->nr;
	return nr;
}

/* Run the cases of a group that the command selects. */
static int conform_run_group(struct conform_client *c, const struct conform_group *group)
{
	struct krping_conform_results *results = c->thread->conform;
	int ret = 0;
	u32 i;

	for (i = 0; i < group->nr && !ret; i++) {
		struct conform_result *result = &results->result[results->nr];

		if (!conform_chosen(&c->thread->opts, group, &group->cases[i]))
			continue;
		do {
			ret = conform_case_run(c, &group->cases[i], result);
		} while (!ret && conform_again(c, result));
		if (ret)
			break;
		krping_u64_write(&c->thread->iterations, c->thread->iterations + 1);
		/* pairs with krping_conform_show() */
		smp_store_release(&results->nr, results->nr + 1);
	}
	return ret;
}

/* Set the test's error: EBADE if a case deviates, else EIO if a case could not run. */
static int conform_outcome(struct krping_thread *thread)
{
	const struct krping_conform_results *results = thread->conform;
	const struct conform_result *first[CONFORM_VERDICTS] = { NULL };
	u32 nr[CONFORM_VERDICTS] = { 0 };
	u32 i;

	for (i = 0; i < results->nr; i++) {
		const struct conform_result *r = &results->result[i];

		if (!nr[r->verdict]++)
			first[r->verdict] = r;
	}
	if (nr[CONFORM_DEVIATES])
		return krping_status_set(thread->status, -EBADE,
					 "%u of %u case%s deviate%s, the first: %s",
					 nr[CONFORM_DEVIATES], results->nr,
					 krping_plural(results->nr),
					 nr[CONFORM_DEVIATES] == 1 ? "s" : "",
					 first[CONFORM_DEVIATES]->c->name);
	if (nr[CONFORM_FAILED])
		return krping_status_set(thread->status, -EIO,
					 "%u of %u case%s could not be run, the first: %s (%d)",
					 nr[CONFORM_FAILED], results->nr,
					 krping_plural(results->nr),
					 first[CONFORM_FAILED]->c->name,
					 first[CONFORM_FAILED]->seen.error);
	return 0;
}

/* Run all groups and set the test's error; on a server, serve the client. */
static int conform_loop(struct krping_thread *thread)
{
	struct conform_client *c = conform_client(thread);
	int ret = 0;
	u32 i;

	if (!krping_is_client(thread))
		return conform_server_loop(thread);
	for (i = 0; i < conform_nr_groups && !ret; i++)
		ret = conform_run_group(c, conform_groups[i]);
	if (!ret)
		return conform_outcome(thread);
	if (ret == -ETIMEDOUT)
		return krping_status_set(thread->status, ret,
					 "the server has not answered a request");
	if (ret == -ECONNRESET)
		return krping_status_set(thread->status, ret, "%s",
					 krping_status_loss(thread->status));
	return ret;
}

/*
 * Set-up and teardown.
 */

static int conform_client_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct krping_conform_results *results;
	struct conform_client *c;
	u32 nr = conform_nr_cases();

	c = kvzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	c->thread = thread;
	conn->queue.priv = c;
	results = kvzalloc(struct_size(results, result, nr), GFP_KERNEL);
	if (!results)
		return krping_status_set(thread->status, -ENOMEM, "no memory for the results");
	results->room = nr;
	results->iwarp = krping_conn_iwarp(conn);
	/* pairs with krping_conform_show() */
	smp_store_release(&thread->conform, results);
	if (conform_message_alloc(&c->message, conn, KRPING_CONFORM_ASK_BYTES))
		return krping_status_set(thread->status, -ENOMEM, "no memory");
	return krping_queue_start_recvs(&conn->queue);
}

static int conform_setup(struct krping_thread *thread, struct krping_conn *conn)
{
	return krping_is_client(thread) ? conform_client_setup(thread, conn) :
	       conform_server_setup(thread, conn);
}

static void conform_end(struct krping_thread *thread)
{
	struct conform_client *c = conform_client(thread);

	if (!krping_is_client(thread)) {
		conform_server_end(thread);
	} else if (c) {
		conform_side_free(c->side);
		c->side = NULL;
	}
}

static void conform_cleanup(struct krping_thread *thread, struct krping_conn *conn)
{
	struct conform_client *c = conn->queue.priv;

	if (!c)
		return;
	if (!krping_is_client(thread)) {
		conform_server_cleanup(conn);
		return;
	}
	conform_message_free(&c->message);
	kvfree(c);
	conn->queue.priv = NULL;
}

static int conform_plan(const struct krping_thread *thread, struct krping_plan *plan,
			const char **why)
{
	const struct ib_device *device = krping_conn_id(thread->conns)->device;

	plan->size_max = U64_MAX;
	if (krping_mem_reg_max(device) < CONFORM_BYTES) {
		*why = "the device has no registration by work request";
		return -EOPNOTSUPP;
	}
	/*
	 * The client learns the key, so only the server's own command permits it: without
	 * mem_mode=dma the mode of a server is KRPING_MEM_REG.
	 */
	plan->global_rkey = !krping_is_client(thread) && thread->opts.mem_mode == KRPING_MEM_DMA;
	plan->queue.sq_size = CONFORM_CONTROL_WRS;
	/* conform_settle() waits for each WR. */
	plan->queue.signal_every = 1;
	plan->queue.recv_depth = CONFORM_CONTROL_RECVS;
	plan->queue.ctl = krping_is_client(thread) ? conform_client_ctl : conform_server_ctl;
	plan->queue.recv = conform_recv;
	return 0;
}

const struct krping_test_ops krping_conform_ops = {
	.type		= KRPING_TEST_CONFORM,
	.streams	= true,
	.plan		= conform_plan,
	.setup		= conform_setup,
	.end		= conform_end,
	.loop		= conform_loop,
	.cleanup	= conform_cleanup,
};
