// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fuzz the functions that read bytes from a user or a peer: the command parser, and the
 * decoders of private data and of control messages. The fuzzer is libFuzzer. abort() reports
 * a violated invariant, and the sanitizers report memory errors.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/options.h"
#include "../../krping/tests/options_cases.h"
#include "../../krping/wire.h"

#define check(cond)			\
	do {				\
		if (!(cond))		\
			abort();	\
	} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Check that an explanation is one line of printable characters, and ends within its buffer. */
static void check_why(const char *why, size_t size)
{
	size_t len = strnlen(why, size);
	size_t i;

	check(len && len < size);
	for (i = 0; i < len; i++)
		check(why[i] >= ' ' && why[i] <= '~');
	/* A buffer of KRPING_WHY_MAX bytes holds the whole explanation. */
	check(size < KRPING_WHY_MAX || len < size - 1);
}

static void check_addr(const struct krping_addr *addr)
{
	check(addr->family == AF_UNSPEC || addr->family == AF_INET ||
	      addr->family == AF_INET6);
	check(strnlen(addr->scope, sizeof(addr->scope)) < sizeof(addr->scope));
	check(addr->family == AF_INET6 || !addr->scope[0]);
}

/* Check the options that only some tests accept. */
static void check_tests_options(const struct krping_options *opts)
{
	bool any = opts->role == KRPING_ROLE_SERVER && !opts->test_given;
	bool stream = opts->test == KRPING_TEST_BW || opts->test == KRPING_TEST_RBW ||
		      opts->test == KRPING_TEST_SBW;
	bool latency = opts->test == KRPING_TEST_WLAT ||
		       opts->test == KRPING_TEST_RLAT ||
		       opts->test == KRPING_TEST_SLAT;
	bool half = latency && opts->test != KRPING_TEST_RLAT;
	bool reads = opts->test == KRPING_TEST_RLAT || opts->test == KRPING_TEST_RBW;

	check(any || stream || (!opts->duplex && !opts->batch));
	check(any || stream || half || !opts->cqmod);
	check(opts->txdepth && opts->txdepth <= KRPING_TXDEPTH_MAX);
	check(opts->cqmod <= (half ? KRPING_LATENCY_CQMOD_MAX : opts->txdepth));
	check(opts->batch <= opts->txdepth);

	check(any || ((stream || latency) && !reads) ||
	      (!opts->inline_data && !opts->imm));
	check(any || stream || latency || opts->sge == 1);
	check(opts->sge && opts->sge <= KRPING_SGE_MAX && opts->sge <= opts->size);
	check(!opts->atomic || any || opts->test == KRPING_TEST_RLAT);
	check(!opts->atomic || (opts->size == 8 && opts->sge == 1));
	check(!opts->stride || (opts->role == KRPING_ROLE_CLIENT && stream &&
				!opts->validate && opts->sge == 1));
	check(!opts->srq || opts->test != KRPING_TEST_FR);
	check(!opts->histogram || any || latency || opts->test == KRPING_TEST_PING);

	check((opts->role == KRPING_ROLE_CLIENT && (stream || latency)) ||
	      (opts->threads == 1 && !opts->rate));
	check((opts->role == KRPING_ROLE_CLIENT &&
	       (stream || latency || opts->memop == KRPING_MEMOP_DISK)) || opts->qps == 1);
	check(opts->qps && opts->threads);
	check((u64)opts->qps * opts->threads <= KRPING_CONNS_MAX);
	check(!opts->rate || (opts->poll && opts->rate <= KRPING_RATE_MAX));
}

/* Check the rules that hold for the options of every accepted command. */
static void check_options(const struct krping_options *opts)
{
	check(opts->role > KRPING_ROLE_NONE && opts->role <= KRPING_ROLE_DRAIN);
	check(opts->role != KRPING_ROLE_DRAIN || opts->id);
	check((opts->role == KRPING_ROLE_SERVER || opts->role == KRPING_ROLE_CLIENT) ==
	      (opts->addr.family != AF_UNSPEC));
	check_addr(&opts->addr);
	check_addr(&opts->source);
	check(opts->role == KRPING_ROLE_SERVER || !krping_addr_is_any(&opts->addr));
	check(opts->source.family == AF_UNSPEC ||
	      opts->source.family == opts->addr.family);

	check((unsigned int)opts->test < KRPING_TEST_COUNT);
	check(opts->test == KRPING_TEST_PING || opts->test_given);
	check(opts->test != KRPING_TEST_FR || opts->role == KRPING_ROLE_CLIENT);
	check(opts->port && opts->size && opts->size <= U32_MAX);
	check(opts->count + opts->warmup >= opts->count);
	check(strnlen(opts->device, sizeof(opts->device)) < sizeof(opts->device));
	check(opts->vector >= -1 && opts->wait <= INT_MAX / 1000);
	check(opts->ack_timeout >= -1 && opts->ack_timeout <= 31);
	check(opts->min_rnr_timer >= -1 && opts->min_rnr_timer <= 31);
	check(opts->retry <= 7 && opts->rnr_retry <= 7);
	check(opts->tos >= -1 && opts->tos <= 255 && opts->timeout <= INT_MAX);
	check(opts->clients == 1 || opts->role == KRPING_ROLE_SERVER);
	check(opts->mem_mode == KRPING_MEM_REG ||
	      (!opts->server_inv && !opts->read_inv));
	check(opts->nr_cpus <= KRPING_CPUS_MAX);
	check_tests_options(opts);
}

/* Parse a command, with a buffer of @why_size bytes for the explanation of a rejection. */
static void fuzz_options(const u8 *data, size_t size, size_t why_size)
{
	struct krping_options opts;
	char rendered[512];
	char *text, *why;
	int ret;

	text = malloc(size + 1);
	why = malloc(why_size);
	check(text && why);
	memcpy(text, data, size);
	text[size] = '\0';
	memset(&opts, 0xa5, sizeof(opts));
	memset(why, 0xa5, why_size);

	ret = krping_options_parse(text, size, &opts, why, why_size);
	if (!ret) {
		check(!why[0]);
		check_options(&opts);
		krping_options_render(&opts, rendered, sizeof(rendered));
	} else {
		check(ret == -EINVAL);
		check_why(why, why_size);
	}
	free(why);
	free(text);
}

/* Check that neither blanks around options nor empty options change a command. */
static void fuzz_blanks(const u8 *data, size_t size)
{
	static const char comma[] = " ,\t, ";
	struct krping_options opts, spaced_opts;
	char rendered[512], spaced_rendered[512];
	char why[KRPING_WHY_MAX];
	size_t i, len = 0;
	char *text, *spaced;
	int ret;

	text = malloc(size + 1);
	spaced = malloc(size * strlen(comma) + 4);
	check(text && spaced);
	memcpy(text, data, size);
	text[size] = '\0';
	spaced[len++] = ' ';
	for (i = 0; i < size; i++) {
		if (data[i] == ',') {
			memcpy(spaced + len, comma, strlen(comma));
			len += strlen(comma);
		} else {
			spaced[len++] = data[i];
		}
	}
	spaced[len++] = ' ';
	spaced[len++] = '\n';
	spaced[len] = '\0';

	ret = krping_options_parse(text, size, &opts, why, sizeof(why));
	check(krping_options_parse(spaced, len, &spaced_opts, why, sizeof(why)) == ret);
	if (!ret) {
		krping_options_render(&opts, rendered, sizeof(rendered));
		krping_options_render(&spaced_opts, spaced_rendered, sizeof(spaced_rendered));
		check(!strcmp(rendered, spaced_rendered));
	}
	free(spaced);
	free(text);
}

/* Check the decoded parameters of a REQ or REP, or the errno if they are invalid. */
static void check_params(int ret, const struct krping_params *out)
{
	check(!ret || ret == -ENOENT || ret == -EPROTO || ret == -EPROTONOSUPPORT);
	if (ret)
		return;
	check((unsigned int)out->test < KRPING_TEST_COUNT);
	check(!(out->flags & ~KRPING_WIRE_FLAGS));
	check(out->size && out->size <= U32_MAX);
	check(out->conn_idx < out->conns_total && out->conns_total <= KRPING_WIRE_CONNS_MAX);
}

/* Decode the bytes as private data of each kind: REP, REQ, rejection. Encode a valid REQ again. */
static void fuzz_wire(const u8 *data, size_t size)
{
	struct krping_rejection rejection;
	struct krping_params in, out;
	struct krping_wire_req req;
	int ret;

	ret = krping_wire_rep_decode(data, size, &out);
	check_params(ret, &out);

	ret = krping_wire_req_decode(data, size, &in);
	check_params(ret, &in);
	if (!ret) {
		krping_wire_req_encode(&req, &in);
		/* A conns_total of 0 is decoded as 1, so compare only the bytes before it. */
		check(!memcmp(&req, data, offsetof(struct krping_wire_req, conns_total)));
		check(!krping_wire_req_decode(&req, sizeof(req), &out));
		check(out.conns_total == in.conns_total && out.recvs == in.recvs);
		check(out.config.known == in.config.known &&
		      out.config.txdepth == in.config.txdepth &&
		      out.config.threads == in.config.threads);
	}

	ret = krping_wire_rej_decode(data, size, &rejection);
	check(!ret || ret == -ENOENT || ret == -EPROTO);
	check(ret || (rejection.reason && krping_rej_reason_str(rejection.reason)));
}

/* Decode a control message, from an aligned buffer of exactly its size. */
static void fuzz_ctl(const u8 *data, size_t size)
{
	struct krping_wire_report wire;
	struct krping_peer_stats report;
	enum krping_ctl_type type;
	struct krping_wire_ctl ctl;
	u64 value = 7;
	u8 *copy;

	copy = malloc(size ? size : 1);
	check(copy);
	memcpy(copy, data, size);
	type = krping_wire_ctl_decode(copy, size, &value);
	switch (type) {
	case KRPING_CTL_NONE:
		check(value == 7);
		break;
	case KRPING_CTL_FINISH:
	case KRPING_CTL_CREDIT:
	case KRPING_CTL_REFILL:
		check(size == 16);
		break;
	case KRPING_CTL_REPORT:
		check(size == 168);
		krping_wire_report_decode((struct krping_wire_report *)copy, &report);
		check(report.iterations == value);
		krping_wire_report_encode(&wire, &report);
		/* Compare all but the reserved bytes. */
		check(!memcmp(&wire, copy, 5) &&
		      !memcmp((u8 *)&wire + 8, copy + 8, sizeof(wire) - 8));
		break;
	case KRPING_CTL_BUF_ADVERT:
		check(size == 32);
		break;
	case KRPING_CTL_REGION:
	case KRPING_CTL_ANSWER:
	case KRPING_CTL_CONFORM_ASK:
		check(size == 48);
		break;
	case KRPING_CTL_ASK:
		check(size == 32);
		break;
	case KRPING_CTL_CONFORM_ANSWER:
		check(size == 160);
		break;
	case KRPING_CTL_CONFORM_TRACE:
		check(size == 120);
		break;
	default:
		abort();
	}
	if (type != KRPING_CTL_NONE) {
		krping_wire_ctl_encode(&ctl, type, value);
		check(!memcmp(&ctl, copy, 5) &&
		      !memcmp((u8 *)&ctl + 8, copy + 8, 8));
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	fuzz_options(data, size, KRPING_WHY_MAX);
	fuzz_options(data, size, 1 + size % 64 + 1);
	fuzz_blanks(data, size);
	fuzz_wire(data, size);
	fuzz_ctl(data, size);
	return 0;
}
