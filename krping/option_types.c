// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The values of options: parse an operand and store it where the row of the
 * option says.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "option_types.h"

/**
 * krping_is_printable() - check whether a character may reach a log line
 * @c: the character
 *
 * Only printable ASCII of the user's text may reach the kernel log or a result.
 *
 * Return: true for printable ASCII, the blank included.
 */
bool krping_is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* The caller has checked the range: @value fits the field. */
static void store(struct krping_options *opts, const struct krping_option *o,
		  u64 value)
{
	void *field = (char *)opts + o->offset;

	switch (o->width) {
	case sizeof(u8):
		*(u8 *)field = value;
		break;
	case sizeof(u16):
		*(u16 *)field = value;
		break;
	case sizeof(u32):
		*(u32 *)field = value;
		break;
	case sizeof(u64):
		*(u64 *)field = value;
		break;
	}
}

/* kstrtou64() would also accept a plus sign and a newline. */
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

static int set_number(struct krping_options *opts, const struct krping_option *o,
		      const char *operand)
{
	unsigned int shift = 0;
	u64 value;
	int ret;

	ret = parse_digits(&operand, &value);
	if (ret)
		return ret;

	if (o->type == KRPING_OPTION_SIZE)
		shift = suffix_shift(*operand);
	if (shift)
		operand++;
	if (*operand)
		return -EINVAL;
	if (value > U64_MAX >> shift)
		return -ERANGE;
	value <<= shift;
	if (value < o->min || value > o->max)
		return -ERANGE;

	store(opts, o, value);
	return 0;
}

static int set_word(struct krping_options *opts, const struct krping_option *o,
		    const char *operand)
{
	const struct krping_word *w;

	for (w = o->words; w->word; w++) {
		if (!strcmp(w->word, operand)) {
			store(opts, o, w->value);
			return 0;
		}
	}
	return -EINVAL;
}

/* Some parsers take 010.0.0.1 for 10.0.0.1 and others for 8.0.0.1: refuse it. */
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
	/* in4_pton() also stops at a colon, without parsing the rest. */
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
		if (!krping_is_printable(text[i]) || strchr(" %/:", text[i]))
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

static int set_addr(struct krping_options *opts, const struct krping_option *o,
		    const char *operand)
{
	struct krping_addr *addr = (void *)((char *)opts + o->offset);

	if (o->type == KRPING_OPTION_ADDR && !strchr(operand, ':'))
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
		if (!krping_is_printable(name[i]) || name[i] == ' ')
			return -EINVAL;
	}
	memcpy(opts->device, name, len + 1);
	return 0;
}

/* Parse one CPU, or a range of CPUs such as 4-7. */
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

/* A colon separates CPUs, because a comma separates options. */
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

static int set_value(struct krping_options *opts, const struct krping_option *o,
		     const char *operand)
{
	switch (o->type) {
	case KRPING_OPTION_KEYWORD:
		store(opts, o, o->value);
		return 0;
	case KRPING_OPTION_NUMBER:
	case KRPING_OPTION_SIZE:
		return set_number(opts, o, operand);
	case KRPING_OPTION_WORD:
		return set_word(opts, o, operand);
	case KRPING_OPTION_ADDR:
	case KRPING_OPTION_ADDR6:
		return set_addr(opts, o, operand);
	case KRPING_OPTION_DEVICE:
		return set_device(opts, operand);
	case KRPING_OPTION_CPUS:
		return set_cpus(opts, operand);
	}
	return -EINVAL;
}

/**
 * krping_option_set() - store the operand of an option
 * @opts: the command to store it in
 * @o: row of the option
 * @operand: text of the operand; ignored for a keyword
 *
 * Return: 0; -EINVAL or -ERANGE if the option does not accept the operand.
 */
int krping_option_set(struct krping_options *opts, const struct krping_option *o,
		      const char *operand)
{
	int ret;

	ret = set_value(opts, o, operand);
	if (!ret && o->given)
		*((bool *)opts + o->given) = true;
	return ret;
}

/**
 * krping_option_set_default() - store the default of an option
 * @opts: the command to store it in; zeroed
 * @o: row of the option
 *
 * Zero is the default of a keyword, an address, a device and a list of CPUs.
 */
void krping_option_set_default(struct krping_options *opts,
			       const struct krping_option *o)
{
	if (o->type == KRPING_OPTION_NUMBER || o->type == KRPING_OPTION_SIZE ||
	    o->type == KRPING_OPTION_WORD)
		store(opts, o, o->def);
}

/**
 * krping_options_cpu() - choose the CPU of a thread
 * @opts: a parsed command
 * @nr: number of the thread, from 0; threads beyond the list start over with the
 *	first CPU
 *
 * Return: the CPU, which may not exist; -1: any CPU.
 */
int krping_options_cpu(const struct krping_options *opts, u32 nr)
{
	return opts->nr_cpus ? opts->cpus[nr % opts->nr_cpus] : -1;
}

/**
 * krping_addr_is_any() - check for 0.0.0.0 and ::
 * @addr: an address, whose unused bytes are zero
 *
 * Return: true if there is an address and it stands for every local address.
 */
bool krping_addr_is_any(const struct krping_addr *addr)
{
	return addr->family != AF_UNSPEC &&
	       !memchr_inv(addr->ip, 0, sizeof(addr->ip));
}
