// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The parser of commands.
 *
 * A command is a list of options, and all that is known of an option stands in
 * one row of a table: its operand, and the roles and tests that it is for. The
 * parser takes the text apart, stores operands, and notes which row each option
 * was given by; combinations are judged afterwards, so that the order of the
 * options does not matter.
 *
 * What is refused is explained in one line of printable ASCII, whatever the
 * text was: the line goes to the kernel log.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "options.h"

/* The most of the user's text that an explanation quotes, in characters. */
#define QUOTE_MAX	48

/* All atomics work on as many bytes. */
#define ATOMIC_SIZE	8

/* An option can be given once, by whichever of its names. */
enum option_id {
	OPT_ROLE,
	OPT_TEST,
	OPT_ADDR,
	OPT_PORT,
	OPT_SOURCE,
	OPT_DEVICE,
	OPT_COUNT,
	OPT_DURATION,
	OPT_WARMUP,
	OPT_SIZE,
	OPT_VALIDATE,
	OPT_VERBOSE,
	OPT_MEM_MODE,
	OPT_SERVER_INV,
	OPT_READ_INV,
	OPT_LOCAL_DMA_LKEY,
	OPT_TOS,
	OPT_TIMEOUT,
	OPT_RETRY,
	OPT_RNR_RETRY,
	OPT_TXDEPTH,
	OPT_CQMOD,
	OPT_BATCH,
	OPT_INLINE,
	OPT_SGE,
	OPT_IMM,
	OPT_ATOMIC,
	OPT_SRQ,
	OPT_QPS,
	OPT_THREADS,
	OPT_RATE,
	OPT_POLL,
	OPT_CQ,
	OPT_CPU,
	OPT_HISTOGRAM,
	OPT_DUPLEX,
	OPT_CLIENTS,
	OPT_BACKGROUND,
	OPT_ID,
	OPT_COUNT_OF
};

/* What follows the name; from KIND_NUMBER on there is an operand. */
enum option_kind {
	KIND_FLAG,
	KIND_ROLE,
	KIND_TEST,
	KIND_NUMBER,
	KIND_SIZE,
	KIND_ADDR,
	KIND_ADDR6,
	KIND_WORD
};

#define SERVER		BIT(KRPING_ROLE_SERVER)
#define CLIENT		BIT(KRPING_ROLE_CLIENT)
#define STOP		BIT(KRPING_ROLE_STOP)
#define RUN		(SERVER | CLIENT)

#define PING		BIT(KRPING_TEST_PING)
#define RLAT		BIT(KRPING_TEST_RLAT)
#define LATENCIES	(BIT(KRPING_TEST_WLAT) | RLAT | BIT(KRPING_TEST_SLAT))
#define STREAMS		(BIT(KRPING_TEST_BW) | BIT(KRPING_TEST_RBW) | \
			 BIT(KRPING_TEST_SBW))
#define MICRO		(LATENCIES | STREAMS)
#define NOT_READS	(MICRO & ~(RLAT | BIT(KRPING_TEST_RBW)))
#define TIMED		(PING | LATENCIES)
#define NOT_FR		(BIT(KRPING_TEST_FR) - 1)
#define ANY_TEST	(BIT(KRPING_TEST_COUNT) - 1)

/**
 * struct option - all that is known of an option
 * @name: what it is called
 * @id: what it is; two names of an option have the same
 * @kind: how it is written
 * @roles: the roles that it makes sense for
 * @tests: the tests that it makes sense for
 * @min: its smallest operand; the role or test that a keyword stands for
 * @max: its largest operand
 * @want: what its operand is, in words
 */
struct option {
	const char *name;
	enum option_id id;
	enum option_kind kind;
	u8 roles;
	u8 tests;
	u64 min;
	u64 max;
	const char *want;
};

static const char want_number[] = "a number";
static const char want_addr[] = "an IPv4 address, or an IPv6 address with or without %interface";
static const char want_addr6[] = "an IPv6 address, with or without %interface";
static const char want_cpus[] = "up to 64 CPUs from 0 to 65535, as in 3 or 0-3 or 0:2:4-7";
static const char want_device[] = "the name of an RDMA device, of 1 to 63 characters";

static const struct option options[] = {
	{ "server", OPT_ROLE, KIND_ROLE, SERVER, ANY_TEST, KRPING_ROLE_SERVER },
	{ "client", OPT_ROLE, KIND_ROLE, CLIENT, ANY_TEST, KRPING_ROLE_CLIENT },
	{ "stop", OPT_ROLE, KIND_ROLE, STOP, ANY_TEST, KRPING_ROLE_STOP },
	{ "id", OPT_ID, KIND_NUMBER, STOP, ANY_TEST, 1, U32_MAX, want_number },

	{ "addr", OPT_ADDR, KIND_ADDR, RUN, ANY_TEST, 0, 0, want_addr },
	{ "addr6", OPT_ADDR, KIND_ADDR6, RUN, ANY_TEST, 0, 0, want_addr6 },
	{ "port", OPT_PORT, KIND_NUMBER, RUN, ANY_TEST, 1, U16_MAX, want_number },
	{ "source", OPT_SOURCE, KIND_ADDR, CLIENT, ANY_TEST, 0, 0, want_addr },
	{ "device", OPT_DEVICE, KIND_WORD, RUN, ANY_TEST, 0, 0, want_device },
	{ "tos", OPT_TOS, KIND_NUMBER, RUN, ANY_TEST, 0, 255, want_number },
	{ "timeout", OPT_TIMEOUT, KIND_NUMBER, RUN, ANY_TEST, 0, INT_MAX,
	  "a number of milliseconds" },
	{ "retry", OPT_RETRY, KIND_NUMBER, RUN, ANY_TEST, 0, 7, want_number },
	{ "rnr_retry", OPT_RNR_RETRY, KIND_NUMBER, RUN, ANY_TEST, 0, 7, want_number },

	{ "count", OPT_COUNT, KIND_NUMBER, RUN, ANY_TEST, 0, U64_MAX, want_number },
	{ "warmup", OPT_WARMUP, KIND_NUMBER, RUN, ANY_TEST, 0, U64_MAX, want_number },
	{ "duration", OPT_DURATION, KIND_NUMBER, RUN, ANY_TEST, 1, U32_MAX,
	  "a number of seconds" },
	{ "size", OPT_SIZE, KIND_SIZE, RUN, ANY_TEST, 1, U32_MAX,
	  "a number of bytes, with k, m or g for powers of 1024," },
	{ "validate", OPT_VALIDATE, KIND_FLAG, RUN, NOT_FR },
	{ "verbose", OPT_VERBOSE, KIND_FLAG, RUN, PING },

	{ "mem_mode", OPT_MEM_MODE, KIND_WORD, RUN, NOT_FR, 0, 0, "dma or reg" },
	{ "server_inv", OPT_SERVER_INV, KIND_FLAG, RUN, PING },
	{ "read_inv", OPT_READ_INV, KIND_FLAG, RUN, PING },
	{ "local_dma_lkey", OPT_LOCAL_DMA_LKEY, KIND_FLAG, RUN, ANY_TEST },

	{ "txdepth", OPT_TXDEPTH, KIND_NUMBER, RUN, ANY_TEST, 1, KRPING_TXDEPTH_MAX,
	  want_number },
	{ "tx-depth", OPT_TXDEPTH, KIND_NUMBER, RUN, ANY_TEST, 1, KRPING_TXDEPTH_MAX,
	  want_number },
	{ "cqmod", OPT_CQMOD, KIND_NUMBER, RUN, STREAMS, 1, KRPING_TXDEPTH_MAX,
	  want_number },
	{ "batch", OPT_BATCH, KIND_NUMBER, RUN, STREAMS, 1, KRPING_TXDEPTH_MAX,
	  want_number },
	{ "inline", OPT_INLINE, KIND_FLAG, RUN, NOT_READS },
	{ "sge", OPT_SGE, KIND_NUMBER, RUN, MICRO, 1, KRPING_SGE_MAX, want_number },
	{ "imm", OPT_IMM, KIND_FLAG, RUN, NOT_READS },
	{ "atomic", OPT_ATOMIC, KIND_WORD, RUN, RLAT, 0, 0, "cas or faa" },
	{ "srq", OPT_SRQ, KIND_FLAG, RUN, NOT_FR },
	{ "qps", OPT_QPS, KIND_NUMBER, CLIENT, MICRO, 1, KRPING_LANES_MAX, want_number },
	{ "threads", OPT_THREADS, KIND_NUMBER, CLIENT, MICRO, 1, KRPING_LANES_MAX,
	  want_number },
	{ "rate", OPT_RATE, KIND_NUMBER, CLIENT, MICRO, 1, KRPING_RATE_MAX,
	  "a number of messages per second" },
	{ "poll", OPT_POLL, KIND_FLAG, RUN, ANY_TEST },
	{ "cq", OPT_CQ, KIND_WORD, RUN, ANY_TEST, 0, 0, "softirq or workqueue" },
	{ "cpu", OPT_CPU, KIND_WORD, RUN, ANY_TEST, 0, 0, want_cpus },
	{ "histogram", OPT_HISTOGRAM, KIND_FLAG, RUN, TIMED },

	{ "wlat", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_WLAT },
	{ "rlat", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_RLAT },
	{ "slat", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_SLAT },
	{ "bw", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_BW },
	{ "rbw", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_RBW },
	{ "sbw", OPT_TEST, KIND_TEST, RUN, ANY_TEST, KRPING_TEST_SBW },
	{ "fr", OPT_TEST, KIND_TEST, CLIENT, ANY_TEST, KRPING_TEST_FR },
	{ "duplex", OPT_DUPLEX, KIND_FLAG, RUN, STREAMS },

	{ "clients", OPT_CLIENTS, KIND_NUMBER, SERVER, ANY_TEST, 0, U32_MAX, want_number },
	{ "background", OPT_BACKGROUND, KIND_FLAG, RUN, ANY_TEST },
};

/**
 * struct parser - a command in the middle of being parsed
 * @opts: where it goes
 * @given: the row that each option was given by; NULL if it was not
 * @why: the explanation, if it is refused
 * @why_size: bytes of @why
 * @why_len: length of @why without its NUL
 */
struct parser {
	struct krping_options *opts;
	const struct option *given[OPT_COUNT_OF];
	char *why;
	size_t why_size;
	size_t why_len;
};

/* Of all that the user typed, only this may reach the log or a result line. */
static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

static __printf(2, 0) void why_vadd(struct parser *p, const char *fmt, va_list args)
{
	p->why_len += vscnprintf(p->why + p->why_len, p->why_size - p->why_len,
				 fmt, args);
}

static __printf(2, 3) void why_add(struct parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	why_vadd(p, fmt, args);
	va_end(args);
}

static void why_quote(struct parser *p, const char *text)
{
	for (; *text && p->why_len < QUOTE_MAX; text++) {
		if (is_printable(*text))
			why_add(p, "%c", *text);
		else
			why_add(p, "\\x%02x", (u8)*text);
	}
	if (*text)
		why_add(p, "...");
}

/* Explain what is wrong with @about, which may be the user's text. */
static __printf(3, 4) int refuse(struct parser *p, const char *about,
				 const char *fmt, ...)
{
	va_list args;

	p->why_len = 0;
	why_quote(p, about);
	why_add(p, ": ");
	va_start(args, fmt);
	why_vadd(p, fmt, args);
	va_end(args);
	return -EINVAL;
}

static bool takes_operand(const struct option *o)
{
	return o->kind >= KIND_NUMBER;
}

static int refuse_operand(struct parser *p, const struct option *o,
			  const char *token)
{
	if (!takes_operand(o))
		return refuse(p, token, "takes no value");
	if (o->kind == KIND_NUMBER || o->kind == KIND_SIZE)
		return refuse(p, token, "takes %s from %llu to %llu",
			      o->want, (unsigned long long)o->min,
			      (unsigned long long)o->max);
	return refuse(p, token, "takes %s", o->want);
}

/*
 * Digits and nothing else: kstrtou64() would also take a sign, a newline and
 * other bases.
 */
static int parse_digits(const char **text, u64 *value)
{
	const char *s = *text;
	u64 v = 0;

	if (!isdigit(*s))
		return -EINVAL;
	for (; isdigit(*s); s++) {
		unsigned int digit = *s - '0';

		if (v > U64_MAX / 10 ||
		    (v == U64_MAX / 10 && digit > U64_MAX % 10))
			return -ERANGE;
		v = v * 10 + digit;
	}
	*text = s;
	*value = v;
	return 0;
}

static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'k':
	case 'K':
		return 10;
	case 'm':
	case 'M':
		return 20;
	case 'g':
	case 'G':
		return 30;
	default:
		return 0;
	}
}

static int parse_number(const struct option *o, const char *operand, u64 *value)
{
	unsigned int shift = 0;
	int ret;

	ret = parse_digits(&operand, value);
	if (ret)
		return ret;

	if (o->kind == KIND_SIZE)
		shift = suffix_shift(*operand);
	if (shift)
		operand++;
	if (*operand)
		return -EINVAL;
	if (*value > U64_MAX >> shift)
		return -ERANGE;
	*value <<= shift;

	return *value < o->min || *value > o->max ? -ERANGE : 0;
}

/* The caller has seen to the range: no value is cut off. */
static void set_number(struct krping_options *opts, enum option_id id, u64 value)
{
	switch (id) {
	case OPT_PORT:
		opts->port = value;
		break;
	case OPT_COUNT:
		opts->count = value;
		opts->count_given = true;
		break;
	case OPT_DURATION:
		opts->duration = value;
		break;
	case OPT_WARMUP:
		opts->warmup = value;
		break;
	case OPT_SIZE:
		opts->size = value;
		opts->size_given = true;
		break;
	case OPT_TOS:
		opts->tos = value;
		break;
	case OPT_TIMEOUT:
		opts->timeout = value;
		break;
	case OPT_RETRY:
		opts->retry = value;
		break;
	case OPT_RNR_RETRY:
		opts->rnr_retry = value;
		break;
	case OPT_TXDEPTH:
		opts->txdepth = value;
		break;
	case OPT_CQMOD:
		opts->cqmod = value;
		break;
	case OPT_BATCH:
		opts->batch = value;
		break;
	case OPT_SGE:
		opts->sge = value;
		break;
	case OPT_QPS:
		opts->qps = value;
		break;
	case OPT_THREADS:
		opts->threads = value;
		break;
	case OPT_RATE:
		opts->rate = value;
		break;
	case OPT_CLIENTS:
		opts->clients = value;
		break;
	case OPT_ID:
		opts->stop_id = value;
		break;
	default:
		break;
	}
}

static void set_flag(struct krping_options *opts, enum option_id id)
{
	switch (id) {
	case OPT_VALIDATE:
		opts->validate = true;
		break;
	case OPT_VERBOSE:
		opts->verbose = true;
		break;
	case OPT_SERVER_INV:
		opts->server_inv = true;
		break;
	case OPT_READ_INV:
		opts->read_inv = true;
		break;
	case OPT_LOCAL_DMA_LKEY:
		opts->local_dma_lkey = true;
		break;
	case OPT_POLL:
		opts->poll = true;
		break;
	case OPT_DUPLEX:
		opts->duplex = true;
		break;
	case OPT_INLINE:
		opts->inline_data = true;
		break;
	case OPT_IMM:
		opts->imm = true;
		break;
	case OPT_SRQ:
		opts->srq = true;
		break;
	case OPT_HISTOGRAM:
		opts->histogram = true;
		break;
	case OPT_BACKGROUND:
		opts->background = true;
		break;
	default:
		break;
	}
}

/* 010.0.0.1 is ten to some and eight to others, and so it is nothing to us. */
static bool has_leading_zero(const char *ip)
{
	bool start = true;

	for (; *ip; ip++) {
		if (start && ip[0] == '0' && isdigit(ip[1]))
			return true;
		start = *ip == '.';
	}
	return false;
}

static int parse_ipv4(const char *text, struct krping_addr *addr)
{
	const char *end;

	if (has_leading_zero(text))
		return -EINVAL;
	/* It also ends at a colon, and has not looked at what follows. */
	if (!in4_pton(text, strlen(text), addr->ip, '\0', &end) || *end)
		return -EINVAL;
	addr->family = AF_INET;
	return 0;
}

static int parse_scope(const char *text, struct krping_addr *addr)
{
	size_t len = strlen(text);
	size_t i;

	if (!len || len >= sizeof(addr->scope))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!is_printable(text[i]) || strchr(" %/:", text[i]))
			return -EINVAL;
	}
	memcpy(addr->scope, text, len + 1);
	return 0;
}

static int parse_ipv6(const char *text, struct krping_addr *addr)
{
	size_t len = strcspn(text, "%");
	const char *end;

	if (!in6_pton(text, len, addr->ip, '\0', &end) || end != text + len)
		return -EINVAL;
	addr->family = AF_INET6;
	return text[len] ? parse_scope(text + len + 1, addr) : 0;
}

static int set_addr(struct krping_options *opts, const struct option *o,
		    const char *operand)
{
	struct krping_addr *addr;

	addr = o->id == OPT_SOURCE ? &opts->source : &opts->addr;
	if (o->kind == KIND_ADDR && !strchr(operand, ':'))
		return parse_ipv4(operand, addr);
	return parse_ipv6(operand, addr);
}

static int set_device(struct krping_options *opts, const char *name)
{
	size_t len = strlen(name);
	size_t i;

	if (!len || len >= sizeof(opts->device))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!is_printable(name[i]) || name[i] == ' ')
			return -EINVAL;
	}
	memcpy(opts->device, name, len + 1);
	return 0;
}

static int set_mem_mode(struct krping_options *opts, const char *mode)
{
	if (!strcmp(mode, "dma"))
		opts->mem_mode = KRPING_MEM_DMA;
	else if (!strcmp(mode, "reg") || !strcmp(mode, "fastreg"))
		opts->mem_mode = KRPING_MEM_REG;
	else
		return -EINVAL;
	opts->mem_mode_given = true;
	return 0;
}

static int set_cq(struct krping_options *opts, const char *ctx)
{
	if (!strcmp(ctx, "softirq"))
		opts->cq_ctx = KRPING_CQ_SOFTIRQ;
	else if (!strcmp(ctx, "workqueue"))
		opts->cq_ctx = KRPING_CQ_WORKQUEUE;
	else
		return -EINVAL;
	return 0;
}

static int set_atomic(struct krping_options *opts, const char *atomic)
{
	if (!strcmp(atomic, "cas"))
		opts->atomic = KRPING_ATOMIC_CAS;
	else if (!strcmp(atomic, "faa"))
		opts->atomic = KRPING_ATOMIC_FAA;
	else
		return -EINVAL;
	return 0;
}

/* One CPU, or the range of those from one to another. */
static int parse_cpus(const char **text, struct krping_options *opts)
{
	u64 first, last;

	if (parse_digits(text, &first))
		return -EINVAL;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (parse_digits(text, &last))
			return -EINVAL;
	}
	if (last > U16_MAX || first > last ||
	    last - first >= KRPING_CPUS_MAX - opts->nr_cpus)
		return -EINVAL;
	for (; first <= last; first++)
		opts->cpus[opts->nr_cpus++] = first;
	return 0;
}

/* A colon is between two CPUs, since a comma is between two options. */
static int set_cpus(struct krping_options *opts, const char *list)
{
	for (;;) {
		if (parse_cpus(&list, opts))
			return -EINVAL;
		if (!*list)
			return 0;
		if (*list++ != ':')
			return -EINVAL;
	}
}

static int set_word(struct krping_options *opts, enum option_id id,
		    const char *word)
{
	switch (id) {
	case OPT_DEVICE:
		return set_device(opts, word);
	case OPT_MEM_MODE:
		return set_mem_mode(opts, word);
	case OPT_CQ:
		return set_cq(opts, word);
	case OPT_CPU:
		return set_cpus(opts, word);
	case OPT_ATOMIC:
		return set_atomic(opts, word);
	default:
		return -EINVAL;
	}
}

static int set_option(struct krping_options *opts, const struct option *o,
		      const char *operand)
{
	u64 value;
	int ret;

	switch (o->kind) {
	case KIND_FLAG:
		set_flag(opts, o->id);
		return 0;
	case KIND_ROLE:
		opts->role = o->min;
		return 0;
	case KIND_TEST:
		opts->test = o->min;
		opts->test_given = true;
		return 0;
	case KIND_NUMBER:
	case KIND_SIZE:
		ret = parse_number(o, operand, &value);
		if (!ret)
			set_number(opts, o->id, value);
		return ret;
	case KIND_ADDR:
	case KIND_ADDR6:
		return set_addr(opts, o, operand);
	case KIND_WORD:
		return set_word(opts, o->id, operand);
	}
	return -EINVAL;
}

static const struct option *find_option(const char *token, size_t name_len)
{
	const struct option *o;

	for (o = options; o < options + ARRAY_SIZE(options); o++) {
		if (strlen(o->name) == name_len &&
		    !memcmp(o->name, token, name_len))
			return o;
	}
	return NULL;
}

static int parse_option(struct parser *p, const char *token)
{
	size_t name_len = strcspn(token, "=");
	const struct option *o = find_option(token, name_len);
	bool has_operand = token[name_len];

	if (!*token)
		return refuse(p, "empty option",
			      "one option is expected between two commas");
	if (!o)
		return refuse(p, token, "unknown option");
	if (p->given[o->id])
		return refuse(p, token,
			      "%s is given already, and once is right",
			      p->given[o->id]->name);
	if (has_operand != takes_operand(o) ||
	    set_option(p->opts, o, token + name_len + has_operand))
		return refuse_operand(p, o, token);

	p->given[o->id] = o;
	return 0;
}

static int parse_text(struct parser *p, char *text, size_t len)
{
	char *token;
	int ret;

	if (memchr(text, '\0', len))
		return refuse(p, "NUL byte", "a command is text");
	if (len && text[len - 1] == '\n')
		text[--len] = '\0';
	if (len && text[len - 1] == ',')
		text[--len] = '\0';
	if (!len)
		return refuse(p, "empty command",
			      "server, client or stop is expected");

	while ((token = strsep(&text, ","))) {
		ret = parse_option(p, token);
		if (ret)
			return ret;
	}
	return 0;
}

static const char *roles_in_words(u8 roles)
{
	switch (roles) {
	case SERVER:
		return "a server";
	case CLIENT:
		return "a client";
	case STOP:
		return "stop";
	default:
		return "a server or a client";
	}
}

static const char *tests_in_words(u8 tests)
{
	switch (tests) {
	case PING:
		return "the ping test, which has no option of its own";
	case RLAT:
		return "rlat";
	case STREAMS:
		return "bw, rbw or sbw";
	case MICRO:
		return "wlat, rlat, slat, bw, rbw or sbw";
	case NOT_READS:
		return "wlat, slat, bw or sbw";
	case TIMED:
		return "ping, wlat, rlat or slat";
	default:
		return "a test that moves data, which fr does not";
	}
}

/* Is every option one for this role and this test? */
static int check_rows(struct parser *p)
{
	const struct krping_options *opts = p->opts;
	const struct option *o;
	bool any_test;
	int i;

	/* Of a server that names no test, the client decides the test. */
	any_test = opts->role == KRPING_ROLE_SERVER && !opts->test_given;

	for (i = 0; i < OPT_COUNT_OF; i++) {
		o = p->given[i];
		if (!o)
			continue;
		if (!(o->roles & BIT(opts->role)))
			return refuse(p, o->name, "only for %s",
				      roles_in_words(o->roles));
		if (!any_test && !(o->tests & BIT(opts->test)))
			return refuse(p, o->name, "only with %s",
				      tests_in_words(o->tests));
	}
	return 0;
}

static int check_addrs(struct parser *p)
{
	const struct krping_options *opts = p->opts;

	if (!p->given[OPT_ADDR])
		return refuse(p, "addr",
			      "missing; the server's address is expected");
	if (opts->role == KRPING_ROLE_SERVER)
		return 0;
	if (krping_addr_is_any(&opts->addr))
		return refuse(p, p->given[OPT_ADDR]->name,
			      "any address is only for a server; a client takes the server's");
	if (!p->given[OPT_SOURCE])
		return 0;
	if (krping_addr_is_any(&opts->source))
		return refuse(p, "source",
			      "any address is only for a server; a client takes one of its own");
	if (opts->source.family != opts->addr.family)
		return refuse(p, "source",
			      "IPv4 and IPv6 do not mix; addr is IPv%c",
			      opts->addr.family == AF_INET ? '4' : '6');
	return 0;
}

/* Does each option go with the others? */
static int check_pairs(struct parser *p)
{
	const struct krping_options *opts = p->opts;

	if ((opts->server_inv || opts->read_inv) && opts->mem_mode_given &&
	    opts->mem_mode == KRPING_MEM_DMA)
		return refuse(p,
			      opts->server_inv ? "server_inv" : "read_inv",
			      "not with mem_mode=dma; mem_mode=reg is right");
	if (opts->poll && p->given[OPT_CQ])
		return refuse(p, "cq",
			      "not with poll, which takes completions in the test's thread");
	if (opts->rate && p->given[OPT_CQ])
		return refuse(p, "cq",
			      "not with rate, which polls in the test's thread");
	if (opts->warmup > U64_MAX - opts->count)
		return refuse(p, "warmup",
			      "count and warmup together are at most %llu",
			      (unsigned long long)U64_MAX);
	return 0;
}

/* Are there work requests enough in flight, and not too many queue pairs? */
static int check_depths(struct parser *p)
{
	const struct krping_options *opts = p->opts;

	if (opts->cqmod > opts->txdepth)
		return refuse(p, "cqmod", "at most txdepth, which is %u",
			      opts->txdepth);
	if (opts->batch > opts->txdepth)
		return refuse(p, "batch", "at most txdepth, which is %u",
			      opts->txdepth);
	if (opts->qps > KRPING_LANES_MAX / opts->threads)
		return refuse(p, "qps",
			      "qps=%u with threads=%u makes %u queue pairs, and %u is the most",
			      opts->qps, opts->threads, opts->qps * opts->threads,
			      KRPING_LANES_MAX);
	return 0;
}

/* Can the data be what it is to be, and lie in so many pieces? */
static int check_data(struct parser *p)
{
	const struct krping_options *opts = p->opts;

	if (opts->atomic && opts->size_given && opts->size != ATOMIC_SIZE)
		return refuse(p, "size", "an atomic has %u bytes", ATOMIC_SIZE);
	if (opts->atomic && opts->sge > 1)
		return refuse(p, "sge", "the %u bytes of an atomic are one piece",
			      ATOMIC_SIZE);
	if (opts->sge > opts->size)
		return refuse(p, "sge", "at most size, which is %llu",
			      (unsigned long long)opts->size);
	return 0;
}

static int check_options(struct parser *p)
{
	int ret;

	if (!p->given[OPT_ROLE])
		return refuse(p, "no role",
			      "one of server, client and stop is expected");
	ret = check_rows(p);
	if (ret || p->opts->role == KRPING_ROLE_STOP)
		return ret;
	ret = check_addrs(p);
	if (ret)
		return ret;
	ret = check_pairs(p);
	if (ret)
		return ret;
	ret = check_depths(p);
	if (ret)
		return ret;
	return check_data(p);
}

static void set_defaults(struct krping_options *opts)
{
	memset(opts, 0, sizeof(*opts));
	opts->role = KRPING_ROLE_NONE;
	opts->test = KRPING_TEST_PING;
	opts->addr.family = AF_UNSPEC;
	opts->source.family = AF_UNSPEC;
	opts->port = KRPING_PORT_DEFAULT;
	opts->size = KRPING_SIZE_DEFAULT;
	opts->mem_mode = KRPING_MEM_DMA;
	opts->cq_ctx = KRPING_CQ_SOFTIRQ;
	opts->tos = -1;
	opts->timeout = KRPING_TIMEOUT_DEFAULT;
	opts->retry = KRPING_RETRY_DEFAULT;
	opts->rnr_retry = KRPING_RETRY_DEFAULT;
	opts->txdepth = KRPING_TXDEPTH_DEFAULT;
	opts->qps = 1;
	opts->threads = 1;
	opts->sge = 1;
	opts->clients = 1;
}

/* What one option says about another, if that is not given. */
static void set_implied(struct krping_options *opts)
{
	if (opts->server_inv || opts->read_inv)
		opts->mem_mode = KRPING_MEM_REG;
	if (opts->atomic)
		opts->size = ATOMIC_SIZE;
	if (opts->rate)
		opts->poll = true;
}

/**
 * krping_options_parse() - parse and check a command
 * @text: the command, with a NUL behind its last byte; is modified
 * @len: its length in bytes, without that NUL
 * @opts: what it means; of no use on error
 * @why: on error, one line of printable ASCII without a newline that names the
 *	option and says what would be right; else empty
 * @why_size: bytes of @why, at least 1; KRPING_WHY_MAX holds every explanation
 *
 * Options are separated by commas. One comma and after it one newline may end
 * the command; no other byte is ever dropped. Numbers are decimal digits.
 *
 * Any context. Takes time in proportion to @len.
 *
 * Return: 0; -EINVAL if the command is refused.
 */
int krping_options_parse(char *text, size_t len, struct krping_options *opts,
			 char *why, size_t why_size)
{
	struct parser p = {
		.opts = opts,
		.why = why,
		.why_size = why_size,
	};
	int ret;

	why[0] = '\0';
	set_defaults(opts);

	ret = parse_text(&p, text, len);
	if (ret)
		return ret;
	ret = check_options(&p);
	if (ret)
		return ret;

	set_implied(opts);
	return 0;
}

/**
 * krping_options_cpu() - which CPU a thread is to run on
 * @opts: a parsed command
 * @nr: number of the thread, from 0; more threads than CPUs begin again
 *
 * Return: the CPU, which need not exist; -1: any.
 */
int krping_options_cpu(const struct krping_options *opts, u32 nr)
{
	return opts->nr_cpus ? opts->cpus[nr % opts->nr_cpus] : -1;
}

/**
 * krping_addr_is_any() - is it 0.0.0.0 or ::
 * @addr: an address, whose unused bytes are zero
 *
 * Return: true if the address, which is present, stands for every address.
 */
bool krping_addr_is_any(const struct krping_addr *addr)
{
	return addr->family != AF_UNSPEC &&
	       !memchr_inv(addr->ip, 0, sizeof(addr->ip));
}

/**
 * krping_role_name() - what a role is called in commands and results
 * @role: the role
 *
 * Return: a string; never NULL.
 */
const char *krping_role_name(enum krping_role role)
{
	switch (role) {
	case KRPING_ROLE_SERVER:
		return "server";
	case KRPING_ROLE_CLIENT:
		return "client";
	case KRPING_ROLE_STOP:
		return "stop";
	case KRPING_ROLE_NONE:
		break;
	}
	return "none";
}

/**
 * krping_test_name() - what a test is called in commands and results
 * @test: the test
 *
 * Return: a string; "ping" for the test without an option of its own; never
 * NULL.
 */
const char *krping_test_name(enum krping_test_type test)
{
	static const char * const names[] = {
		[KRPING_TEST_PING] = "ping",
		[KRPING_TEST_WLAT] = "wlat",
		[KRPING_TEST_RLAT] = "rlat",
		[KRPING_TEST_SLAT] = "slat",
		[KRPING_TEST_BW] = "bw",
		[KRPING_TEST_RBW] = "rbw",
		[KRPING_TEST_SBW] = "sbw",
		[KRPING_TEST_FR] = "fr",
	};

	/* A number off the wire may have come this far. */
	return (unsigned int)test < ARRAY_SIZE(names) ? names[test] : "unknown";
}

/**
 * krping_mem_mode_name() - what a memory mode is called in commands and results
 * @mode: the mode
 *
 * Return: a string; never NULL.
 */
const char *krping_mem_mode_name(enum krping_mem_mode mode)
{
	return mode == KRPING_MEM_REG ? "reg" : "dma";
}

/**
 * krping_atomic_name() - what an atomic is called in commands and results
 * @atomic: the atomic, or none
 *
 * Return: a string; never NULL.
 */
const char *krping_atomic_name(enum krping_atomic atomic)
{
	switch (atomic) {
	case KRPING_ATOMIC_CAS:
		return "cas";
	case KRPING_ATOMIC_FAA:
		return "faa";
	case KRPING_ATOMIC_ANY:
		return "any";
	case KRPING_ATOMIC_NONE:
		break;
	}
	return "none";
}
