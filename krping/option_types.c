// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The values of options: parse an operand, and store the value in the field that the option's row
 * names. For allow= and cpu=, also use the stored values: match an address, choose a CPU.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/inet.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "option_types.h"

/* Room for an IPv6 address, a slash and a number. */
#define NETWORK_TEXT_MAX	64

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

/* Store @value in the option's field. The caller has checked the range, so @value fits. */
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

/* Parse digits, and move @text behind them. kstrtou64() would also accept a plus and a newline. */
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

/* Return the factor of a suffix such as k: 1 for no suffix, 0 for one that @o does not allow. */
static u64 suffix_factor(const struct krping_option *o, const char *suffix)
{
	static const struct {
		char suffix;
		u32 size;
		u32 count;
	} factors[] = {
		{ 'k', 1024, 1000 },
		{ 'm', 1024 * 1024, 1000 * 1000 },
		{ 'g', 1024 * 1024 * 1024, 1000 * 1000 * 1000 },
	};
	unsigned int i;

	if (!*suffix)
		return 1;
	if (suffix[1])
		return 0;
	for (i = 0; i < ARRAY_SIZE(factors); i++) {
		if (tolower(*suffix) != factors[i].suffix)
			continue;
		if (o->type == KRPING_OPTION_SIZE)
			return factors[i].size;
		if (o->type == KRPING_OPTION_COUNT)
			return factors[i].count;
	}
	return 0;
}

/* Return the factor from @unit (s, m or h) to @o->unit: 1 without a unit, 0 for an unknown unit. */
static u64 time_factor(const struct krping_option *o, const char *unit)
{
	if (!*unit)
		return 1;
	if (unit[1])
		return 0;
	switch (*unit) {
	case 's':
		return o->per_sec;
	case 'm':
		return o->per_sec * 60;
	case 'h':
		return o->per_sec * 3600;
	default:
		return 0;
	}
}

static int set_number(struct krping_options *opts, const struct krping_option *o,
		      const char *operand)
{
	u64 value, factor;
	int ret;

	ret = parse_digits(&operand, &value);
	if (ret)
		return ret;

	if (o->type == KRPING_OPTION_TIME)
		factor = time_factor(o, operand);
	else
		factor = suffix_factor(o, operand);
	if (!factor)
		return -EINVAL;
	if (value > div64_u64(U64_MAX, factor))
		return -ERANGE;
	value *= factor;
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

/* Check for a number such as 010 in an address. Some parsers read 010 as 10, others as 8. */
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
	/* in4_pton() also stops at a colon, so check that it has parsed the whole text. */
	if (!in4_pton(text, strlen(text), addr->ip, '\0', &end) || *end)
		return -EINVAL;
	addr->family = AF_INET;
	return 0;
}

/* Parse the interface name behind the % of an IPv6 address. */
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

static int parse_network(char *text, struct krping_network *net)
{
	const char *bits = strchr(text, '/');
	u64 most, value;
	int ret;

	if (bits)
		text[bits++ - text] = '\0';
	memset(net, 0, sizeof(*net));
	if (strchr(text, ':'))
		ret = parse_ipv6(text, &net->addr);
	else
		ret = parse_ipv4(text, &net->addr);
	if (ret || net->addr.scope[0])
		return -EINVAL;
	most = net->addr.family == AF_INET ? 32 : 128;
	value = most;
	if (bits && (parse_digits(&bits, &value) || *bits || value > most))
		return -EINVAL;
	net->bits = value;
	return 0;
}

/* parse_network() changes its text, so pass a copy: an error message may quote @operand. */
static int add_network(struct krping_options *opts, const char *operand)
{
	char text[NETWORK_TEXT_MAX];

	if (opts->nr_allow >= KRPING_ALLOW_MAX || strlen(operand) >= sizeof(text))
		return -EINVAL;
	strcpy(text, operand);
	if (parse_network(text, &opts->allow[opts->nr_allow]))
		return -EINVAL;
	opts->nr_allow++;
	return 0;
}

/* Check whether the address @ip is in the network @net. */
static bool network_has(const struct krping_network *net, u16 family, const u8 *ip)
{
	u32 bytes = net->bits / 8;
	u8 mask = 0xff00 >> net->bits % 8;

	return net->addr.family == family && !memcmp(net->addr.ip, ip, bytes) &&
	       !(net->bits % 8 && (net->addr.ip[bytes] ^ ip[bytes]) & mask);
}

/**
 * krping_options_allow() - check whether a server's command allows a client
 * @opts: the command
 * @family: AF_INET or AF_INET6, of the client's address
 * @ip: the client's address, 4 or 16 bytes in network byte order
 *
 * If the server listens on ::, an IPv4 client has an IPv4-mapped IPv6 address. For such a client
 * the function compares the IPv4 address.
 *
 * Context: any context.
 *
 * Return: true if the command has no allow=, or if a network of allow= contains the address.
 */
bool krping_options_allow(const struct krping_options *opts, u16 family, const u8 *ip)
{
	static const u8 mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	u32 i;

	if (family == AF_INET6 && !memcmp(ip, mapped, sizeof(mapped))) {
		family = AF_INET;
		ip += sizeof(mapped);
	}
	for (i = 0; i < opts->nr_allow; i++)
		if (network_has(&opts->allow[i], family, ip))
			return true;
	return !opts->nr_allow;
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

/* Check for an ASCII letter or digit, - or _. The kernel's isalnum() accepts more letters. */
static bool is_name_char(char c)
{
	return isdigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '-' || c == '_';
}

/*
 * Check and set a disk's name. It must begin with krping. It must not end with a digit, p and a
 * number, because krping0p1 is the name of a partition.
 */
static int set_disk(struct krping_options *opts, const char *name)
{
	size_t len = strlen(name);
	size_t i, end = len;

	if (len <= strlen("krping") || len >= sizeof(opts->name) ||
	    strncmp(name, "krping", strlen("krping")))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!is_name_char(name[i]))
			return -EINVAL;
	}
	while (isdigit(name[end - 1]))
		end--;
	if (end < len && name[end - 1] == 'p' && isdigit(name[end - 2]))
		return -EINVAL;
	memcpy(opts->name, name, len + 1);
	return 0;
}

/* Check and set a list of case names with colons between them. */
static int set_cases(struct krping_options *opts, const char *names)
{
	size_t len = strlen(names);
	size_t i;

	if (!len || len >= sizeof(opts->cases))
		return -EINVAL;
	for (i = 0; i < len; i++) {
		bool colon = names[i] == ':';

		if (!colon && names[i] != '_' && !isdigit(names[i]) && !islower(names[i]))
			return -EINVAL;
		/* Reject an empty name. */
		if (colon && (!i || i == len - 1 || names[i - 1] == ':'))
			return -EINVAL;
	}
	memcpy(opts->cases, names, len + 1);
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

/* Parse a list of CPUs. A colon separates its elements, because a comma separates options. */
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

static int set_text(struct krping_options *opts, const char *text)
{
	if (!*text)
		return -EINVAL;
	opts->text = text;
	return 0;
}

static int set_hex(struct krping_options *opts, const char *text)
{
	size_t len;

	for (len = 0; isxdigit(text[len]); len++)
		;
	if (text[len] || len % 2)
		return -EINVAL;
	return set_text(opts, text);
}

/* Parse an operand by the type of its option, and store the value. */
static int set_value(struct krping_options *opts, const struct krping_option *o,
		     const char *operand)
{
	switch (o->type) {
	case KRPING_OPTION_KEYWORD:
		store(opts, o, o->value);
		return 0;
	case KRPING_OPTION_NUMBER:
	case KRPING_OPTION_SIZE:
	case KRPING_OPTION_COUNT:
	case KRPING_OPTION_TIME:
		return set_number(opts, o, operand);
	case KRPING_OPTION_WORD:
		return set_word(opts, o, operand);
	case KRPING_OPTION_ADDR:
	case KRPING_OPTION_ADDR6:
		return set_addr(opts, o, operand);
	case KRPING_OPTION_NETWORK:
		return add_network(opts, operand);
	case KRPING_OPTION_DEVICE:
		return set_device(opts, operand);
	case KRPING_OPTION_DISK:
		return set_disk(opts, operand);
	case KRPING_OPTION_CASES:
		return set_cases(opts, operand);
	case KRPING_OPTION_CPUS:
		return set_cpus(opts, operand);
	case KRPING_OPTION_TEXT:
		return set_text(opts, operand);
	case KRPING_OPTION_HEX:
		return set_hex(opts, operand);
	}
	return -EINVAL;
}

/**
 * krping_option_set() - store the operand of an option
 * @opts: the command in which the operand is stored
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
 * @opts: the command in which the default is stored; zeroed
 * @o: row of the option
 *
 * Only numbers and words have defaults other than zero.
 */
void krping_option_set_default(struct krping_options *opts,
			       const struct krping_option *o)
{
	if (krping_option_is_number(o) || o->type == KRPING_OPTION_WORD)
		store(opts, o, o->def);
}

/**
 * krping_options_cpu() - choose the CPU of a thread
 * @opts: a parsed command
 * @nr: number of the thread, from 0; threads beyond the list start over with the
 *	first CPU
 *
 * Return: the CPU, which this machine may lack; -1: any CPU.
 */
int krping_options_cpu(const struct krping_options *opts, u32 nr)
{
	return opts->nr_cpus ? opts->cpus[nr % opts->nr_cpus] : -1;
}

/**
 * krping_addr_is_any() - check for 0.0.0.0 and ::
 * @addr: an address, whose unused bytes are zero
 *
 * Return: true if the address stands for all local addresses.
 */
bool krping_addr_is_any(const struct krping_addr *addr)
{
	return addr->family != AF_UNSPEC &&
	       !memchr_inv(addr->ip, 0, sizeof(addr->ip));
}
