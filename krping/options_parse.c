// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The parser of commands.
 *
 * A command is a list of options. One row of option_table.c defines each option. The
 * parser splits the text, stores the operands, and records which options the command
 * has. options_check.c checks combinations afterwards, so the order of the options
 * does not matter.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "option_table.h"
#include "option_types.h"
#include "options_check.h"
#include "stride.h"

/*
 * Check whether the first @len bytes of @word are @name. Compare the first byte first, because most
 * names differ there.
 */
static bool is_name(const char *name, const char *word, size_t len)
{
	return name && *name == *word && !strncmp(name, word, len) && !name[len];
}

/* Find the row named by the first @name_len bytes of @word. Set @name to its name or alias. */
static const struct krping_option *find_option(const char *word, size_t name_len,
					       const char **name)
{
	const struct krping_option *o = krping_option_table;
	unsigned int i;

	for (i = 0; i < krping_nr_options; i++, o++) {
		if (is_name(o->name, word, name_len)) {
			*name = o->name;
			return o;
		}
		if (is_name(o->alias, word, name_len)) {
			*name = o->alias;
			return o;
		}
	}
	return NULL;
}

/*
 * Check whether an option may set a member that an earlier option has set: a network extends a
 * list, and the repetition of a keyword changes nothing.
 */
static bool may_repeat(const struct krping_parser *p, unsigned int row)
{
	switch (krping_option_table[row].type) {
	case KRPING_OPTION_NETWORK:
		return true;
	case KRPING_OPTION_KEYWORD:
		return p->given[row];
	default:
		return false;
	}
}

/* Parse one option, NAME or NAME=OPERAND, and record that the command has the option. */
static int parse_option(struct krping_parser *p, const char *word)
{
	size_t name_len = strcspn(word, "=");
	bool has_operand = word[name_len];
	const struct krping_option *o;
	const char *name, *given;
	bool takes_operand;
	unsigned int row;

	o = find_option(word, name_len, &name);
	if (!o)
		return krping_parser_refuse(p, word, "unknown option");
	row = o - krping_option_table;
	takes_operand = o->type != KRPING_OPTION_KEYWORD;
	given = krping_parser_given_at(p, o->offset);
	if (given && !may_repeat(p, row))
		return krping_parser_refuse(p, word,
			"given twice, first as %s", given);
	if (has_operand != takes_operand ||
	    krping_option_set(p->opts, o, word + name_len + has_operand))
		return krping_parser_refuse_operand(p, o, word);

	if (!p->given[row])
		p->rows[p->nr_rows++] = row;
	p->given[row] = name;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Remove outer blanks. strim() of the kernel would also remove control characters and 0xa0. */
static char *trim_blanks(char *word)
{
	size_t len;

	while (is_blank(*word))
		word++;
	len = strlen(word);
	while (len && is_blank(word[len - 1]))
		word[--len] = '\0';
	return word;
}

/* Split a command at its commas, and parse each option. */
static int parse_text(struct krping_parser *p, char *text, size_t len)
{
	char *word;
	int ret;

	if (memchr(text, '\0', len))
		return krping_parser_refuse(p, "NUL byte", "a command is text");
	while (len && (is_blank(text[len - 1]) || text[len - 1] == '\n'))
		text[--len] = '\0';

	while ((word = strsep(&text, ","))) {
		word = trim_blanks(word);
		if (!*word)
			continue;
		ret = parse_option(p, word);
		if (ret)
			return ret;
	}
	if (!p->nr_rows)
		return krping_parser_refuse(p, "empty command",
			"server, client, stop, drain, list or help is expected");
	return 0;
}

/* Set each option to its default. */
static void set_defaults(struct krping_options *opts)
{
	unsigned int i;

	memset(opts, 0, sizeof(*opts));
	for (i = 0; i < krping_nr_options; i++)
		krping_option_set_default(opts, &krping_option_table[i]);
}

/*
 * For a client of a throughput test with validate, set the stride, so that each operation in flight
 * has a part of the buffer for itself: its slot. If the command has no txdepth, lower the default,
 * so that the slots of all connections take at most KRPING_SLOTS_BYTES.
 */
static void set_slots(struct krping_options *opts)
{
	u32 budget = KRPING_SLOTS_BYTES / (opts->qps * opts->threads);
	u32 stride = krping_stride_validate(opts->size);

	if (opts->role != KRPING_ROLE_CLIENT || !opts->validate || !stride ||
	    !krping_stride_allowed(opts->test))
		return;
	if (!opts->txdepth_given && opts->txdepth > budget / stride)
		opts->txdepth = budget / stride ?: 1;
	if (opts->txdepth > 1)
		opts->stride = stride;
}

/* Set the options that other options imply. */
static void set_implied(struct krping_options *opts)
{
	/* fr moves no data, so its request and its config line have no validate. */
	if (opts->test == KRPING_TEST_FR)
		opts->validate = false;
	if (opts->server_inv || opts->read_inv)
		opts->mem_mode = KRPING_MEM_REG;
	if (opts->atomic)
		opts->size = KRPING_ATOMIC_SIZE;
	if (opts->rate)
		opts->poll = true;
	if (opts->memop == KRPING_MEMOP_SESSION || opts->memop == KRPING_MEMOP_DISK)
		opts->background = true;
	set_slots(opts);
}

/**
 * krping_options_parse() - parse and check a command
 * @text: the command, NUL-terminated; the function modifies the text
 * @len: bytes of @text without the final NUL
 * @opts: output: the parsed command; undefined on error
 * @why: on error, one line of printable ASCII without a newline that names the
 *	option and its valid use; else empty
 * @why_size: bytes of @why, at least 1; KRPING_WHY_MAX holds every explanation
 *
 * Commas separate options. Blanks may surround an option, an option may be empty,
 * and blanks and newlines may end the command; the parser drops no other byte.
 * Numbers are decimal digits.
 *
 * Context: any context. Takes time in proportion to @len.
 *
 * Return: 0; -EINVAL if the command is refused.
 */
int krping_options_parse(char *text, size_t len, struct krping_options *opts,
			 char *why, size_t why_size)
{
	struct krping_parser p = {
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
	ret = krping_parser_check(&p);
	if (ret)
		return ret;

	set_implied(opts);
	return 0;
}
