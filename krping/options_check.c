// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check a parsed command for options that the role or the test does not allow, and for
 * options that exclude each other. The explanation of a refusal goes to the kernel log, so
 * the explanation is one line of printable ASCII.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "option_types.h"
#include "option_words.h"
#include "options_check.h"

/* Number of characters of an explanation after which why_quote() ends the quote of the command. */
#define QUOTE_MAX	48

/* Append text to the explanation. */
static __printf(2, 0) void why_vadd(struct krping_parser *p, const char *fmt,
				    va_list args)
{
	p->why_len += vscnprintf(p->why + p->why_len, p->why_size - p->why_len,
				 fmt, args);
}

static __printf(2, 3) void why_add(struct krping_parser *p, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	why_vadd(p, fmt, args);
	va_end(args);
}

/* Quote @text until the explanation has QUOTE_MAX characters. Quote unprintable bytes as \xNN. */
static void why_quote(struct krping_parser *p, const char *text)
{
	for (; *text && p->why_len < QUOTE_MAX; text++) {
		if (krping_is_printable(*text))
			why_add(p, "%c", *text);
		else
			why_add(p, "\\x%02x", (u8)*text);
	}
	if (*text)
		why_add(p, "...");
}

/**
 * krping_parser_refuse() - refuse a command and explain the refusal
 * @p: the command
 * @about: the subject of the explanation, such as an option; may be unprintable text of the command
 * @fmt: format of the text that follows @about and a colon
 *
 * Return: -EINVAL.
 */
int krping_parser_refuse(struct krping_parser *p, const char *about,
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

/**
 * krping_parser_refuse_operand() - refuse an operand and explain which operands are allowed
 * @p: the command
 * @o: row of the option
 * @word: the option with its operand, as in the command
 *
 * Return: -EINVAL.
 */
int krping_parser_refuse_operand(struct krping_parser *p,
				 const struct krping_option *o,
				 const char *word)
{
	char operand[KRPING_WORDS_MAX];

	if (o->type == KRPING_OPTION_KEYWORD)
		return krping_parser_refuse(p, word, "takes no value");
	if (o->type == KRPING_OPTION_NETWORK && strchr(word, '%'))
		return krping_parser_refuse(p, word,
					    "takes no %%interface, because a network applies to all interfaces");
	krping_option_operand(o, operand, sizeof(operand));
	return krping_parser_refuse(p, word, "takes %s", operand);
}

/**
 * krping_parser_given_at() - find the option that sets a field
 * @p: the command
 * @offset: offset of the field in struct krping_options
 *
 * Return: the name or alias by which the command has the option; NULL: the command does not have
 * the option.
 */
const char *krping_parser_given_at(const struct krping_parser *p, u16 offset)
{
	unsigned int i;

	for (i = 0; i < p->nr_rows; i++) {
		unsigned int row = p->rows[i];

		if (krping_option_table[row].offset == offset)
			return p->given[row];
	}
	return NULL;
}

/* Refuse an option that the role or the test of the command does not allow. */
static int check_roles_and_tests(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;
	const struct krping_option *o;
	char tests[KRPING_WORDS_MAX];
	bool any_test;
	unsigned int i;

	/* A server whose command names no test runs any test that its client names. */
	any_test = opts->role == KRPING_ROLE_SERVER && !opts->test_given;

	for (i = 0; i < krping_nr_options; i++) {
		o = &krping_option_table[i];
		if (!p->given[i])
			continue;
		if (!(o->roles & BIT(opts->role)))
			return krping_parser_refuse(p, p->given[i], "only for %s",
						    krping_option_roles(o));
		if (!any_test && !(o->tests & BIT(opts->test))) {
			krping_option_tests(o, tests, sizeof(tests));
			return krping_parser_refuse(p, p->given[i],
						    "only with %s", tests);
		}
	}
	return 0;
}

/* Refuse a command without addr, and an addr or source that the role does not allow. */
static int check_addrs(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;

	if (!krping_parser_given(p, addr))
		return krping_parser_refuse(p, "addr",
			"missing; give the address of the server");
	if (opts->role == KRPING_ROLE_SERVER)
		return 0;
	if (krping_addr_is_any(&opts->addr))
		return krping_parser_refuse(p, krping_parser_given(p, addr),
			"0.0.0.0 and :: are for a server only; give the address of the server");
	if (!krping_parser_given(p, source))
		return 0;
	if (krping_addr_is_any(&opts->source))
		return krping_parser_refuse(p, "source",
			"0.0.0.0 and :: are for a server only; give an address of this host");
	if (opts->source.family != opts->addr.family)
		return krping_parser_refuse(p, "source",
			"needs the family of addr, which is IPv%c",
			opts->addr.family == AF_INET ? '4' : '6');
	return 0;
}

/* Refuse pairs of options that exclude each other, and a sum of count and warmup above 64 bits. */
static int check_pairs(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;

	if ((opts->server_inv || opts->read_inv) && opts->mem_mode_given &&
	    opts->mem_mode == KRPING_MEM_DMA)
		return krping_parser_refuse(p,
			opts->server_inv ? "server_inv" : "read_inv",
			"not with mem_mode=dma; needs mem_mode=reg");
	if (opts->poll && krping_parser_given(p, cq_ctx))
		return krping_parser_refuse(p, "cq",
			"not with poll, which handles completions in the test's thread");
	if (opts->rate && krping_parser_given(p, cq_ctx))
		return krping_parser_refuse(p, "cq",
			"not with rate, which polls in the test's thread");
	if (opts->warmup > U64_MAX - opts->count)
		return krping_parser_refuse(p, "warmup",
			"the sum of count and warmup is at most %llu",
			(unsigned long long)U64_MAX);
	return 0;
}

/* Check cqmod, batch and qps against other options. */
static int check_depths(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;

	if (opts->test == KRPING_TEST_WLAT || opts->test == KRPING_TEST_SLAT) {
		if (opts->cqmod > KRPING_LATENCY_CQMOD_MAX)
			return krping_parser_refuse(p, "cqmod", "at most %u with %s",
						    KRPING_LATENCY_CQMOD_MAX,
						    krping_test_name(opts->test));
	} else if (opts->cqmod > opts->txdepth) {
		return krping_parser_refuse(p, "cqmod",
			"at most txdepth, which is %u", opts->txdepth);
	}
	if (opts->batch > opts->txdepth)
		return krping_parser_refuse(p, "batch",
			"at most txdepth, which is %u", opts->txdepth);
	if (opts->qps > KRPING_CONNS_MAX / opts->threads)
		return krping_parser_refuse(p, "qps",
			"qps=%u with threads=%u needs %u queue pairs; the limit is %u",
			opts->qps, opts->threads, opts->qps * opts->threads,
			KRPING_CONNS_MAX);
	return 0;
}

/* Check the combination of size, sge, stride, atomic and validate. */
static int check_data(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;

	if (opts->atomic && opts->size_given && opts->size != KRPING_ATOMIC_SIZE)
		return krping_parser_refuse(p, "size", "atomic needs size=%u",
					    KRPING_ATOMIC_SIZE);
	if (opts->atomic && opts->sge > 1)
		return krping_parser_refuse(p, "sge", "atomic needs sge=1");
	if (opts->stride && opts->validate)
		return krping_parser_refuse(p, "stride",
			"not with validate, which has a stride of its own");
	if (opts->stride && opts->sge > 1)
		return krping_parser_refuse(p, "stride", "needs sge=1");
	if (opts->sge > opts->size)
		return krping_parser_refuse(p, "sge",
			"at most size, which is %llu",
			(unsigned long long)opts->size);
	return 0;
}

/*
 * Set KRPING_TEST_SESSION for a command that exports memory or uses a server's memory. If such a
 * command has no role, as in "put,id=3", set KRPING_ROLE_MEMOP.
 */
static int set_session(struct krping_parser *p)
{
	struct krping_options *opts = p->opts;
	const char *name = krping_parser_given(p, memop);

	if (!name)
		name = krping_parser_given(p, export_size);
	if (!name)
		return 0;
	if (opts->test_given)
		return krping_parser_refuse(p, name, "not with %s",
					    krping_test_name(opts->test));
	opts->test = KRPING_TEST_SESSION;
	opts->test_given = true;
	if (opts->role == KRPING_ROLE_NONE && krping_memop_is_operation(opts->memop))
		opts->role = KRPING_ROLE_MEMOP;
	return 0;
}

/* Check a disk's options. In another command of KRPING_TEST_SESSION, refuse them. */
static int check_disk(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;
	const char *name = NULL;

	if (opts->memop == KRPING_MEMOP_DISK) {
		if (opts->txdepth > KRPING_DISK_DEPTH_MAX)
			return krping_parser_refuse(p, "txdepth", "at most %u with disk",
						    KRPING_DISK_DEPTH_MAX);
		if (opts->poll && opts->qps > KRPING_CONNS_MAX / 2)
			return krping_parser_refuse(p, "qps", "at most %u with disk and poll",
						    KRPING_CONNS_MAX / 2);
		return 0;
	}
	if (opts->poll)
		name = "poll";
	else if (opts->ro)
		name = "ro";
	else if (opts->name[0])
		name = "name";
	else if (opts->reconnect)
		name = "reconnect";
	else
		name = krping_parser_given(p, txdepth) ?: krping_parser_given(p, qps);
	return name ? krping_parser_refuse(p, name, "only with disk") : 0;
}

/* Check rw, region and unchecked, each of which only some operations on remote memory allow. */
static int check_regions(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;
	bool moves = opts->memop == KRPING_MEMOP_PUT || opts->memop == KRPING_MEMOP_GET;

	if (opts->rw && opts->memop != KRPING_MEMOP_OPEN)
		return krping_parser_refuse(p, "rw", "only with open");
	if (opts->region && !moves)
		return krping_parser_refuse(p, "region", "only with put or get");
	if (opts->unchecked && !moves && opts->memop != KRPING_MEMOP_SEND)
		return krping_parser_refuse(p, "unchecked", "only with put, get or send");
	return 0;
}

/* Check the options of a server that exports memory, and of operations on remote memory. */
static int check_memop(struct krping_parser *p)
{
	const struct krping_options *opts = p->opts;
	const char *name = krping_parser_given(p, memop);
	bool sends = opts->memop == KRPING_MEMOP_PUT || opts->memop == KRPING_MEMOP_SEND;
	int ret;

	if (opts->role == KRPING_ROLE_SERVER) {
		if (opts->ro && !opts->export_size)
			return krping_parser_refuse(p, "ro", "needs export");
		if (opts->shared && !opts->export_size)
			return krping_parser_refuse(p, "shared", "needs export");
		if (opts->export_size && krping_parser_given(p, txdepth))
			return krping_parser_refuse(p, "txdepth", "not with export");
		if (opts->export_size && opts->inline_data)
			return krping_parser_refuse(p, "inline", "not with export");
		if (opts->export_size && opts->poll)
			return krping_parser_refuse(p, "poll", "not with export");
		return 0;
	}
	if (opts->test != KRPING_TEST_SESSION)
		return 0;
	ret = check_disk(p);
	if (ret)
		return ret;
	if (opts->role == KRPING_ROLE_MEMOP && !opts->id)
		return krping_parser_refuse(p, name,
			"needs the id of a session, or client and addr");
	if (!sends && opts->inline_data)
		return krping_parser_refuse(p, "inline", "only with put or send");
	if (!sends && opts->text)
		return krping_parser_refuse(p, opts->hex ? "hex" : "data",
			"only with put or send");
	if (sends && !opts->text)
		return krping_parser_refuse(p, name, "needs data or hex");
	if (opts->memop == KRPING_MEMOP_GET && !opts->len)
		return krping_parser_refuse(p, name, "needs len");
	if (opts->memop != KRPING_MEMOP_GET && opts->len)
		return krping_parser_refuse(p, "len", "only with get");
	if (krping_parser_given(p, offset) && opts->memop != KRPING_MEMOP_PUT &&
	    opts->memop != KRPING_MEMOP_GET)
		return krping_parser_refuse(p, "offset", "only with put or get");
	return check_regions(p);
}

/**
 * krping_parser_check() - check the options of a command against role, test and each other
 * @p: the command, completely parsed
 *
 * The function also sets the test of a command such as put or export=, and the role of a command
 * such as put,id=3.
 *
 * Return: 0; -EINVAL: the command is refused, and @p has the explanation.
 */
int krping_parser_check(struct krping_parser *p)
{
	int ret;

	ret = set_session(p);
	if (ret)
		return ret;
	if (p->opts->role == KRPING_ROLE_NONE)
		return krping_parser_refuse(p, "no role",
			"server, client, stop, drain, list or help is expected");
	ret = check_roles_and_tests(p);
	if (ret)
		return ret;
	if (p->opts->role == KRPING_ROLE_DRAIN && !p->opts->id)
		return krping_parser_refuse(p, "drain", "needs the id of a server");
	if (p->opts->role == KRPING_ROLE_LIST && p->opts->test_given && p->opts->id)
		return krping_parser_refuse(p, "id", "not with conform");
	ret = check_memop(p);
	if (ret || !(BIT(p->opts->role) & KRPING_FOR_RUN))
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
