/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Check a parsed command, and explain why the parser refuses a command.
 */
#ifndef KRPING_OPTIONS_CHECK_H
#define KRPING_OPTIONS_CHECK_H

#include <linux/compiler.h>

#include "option_table.h"

/* All atomic operations work on this many bytes. */
#define KRPING_ATOMIC_SIZE	8

/**
 * struct krping_parser - state of krping_options_parse()
 * @opts: the command
 * @given: for each row, the name or alias by which the command has the option;
 *	NULL: the command does not have the option
 * @rows: indices of the elements of @given that are not NULL
 * @nr_rows: number of @rows
 * @why: explanation of the refusal
 * @why_size: bytes of @why
 * @why_len: length of @why without its NUL
 */
struct krping_parser {
	struct krping_options *opts;
	const char *given[KRPING_OPTIONS_MAX];
	u8 rows[KRPING_OPTIONS_MAX];
	unsigned int nr_rows;
	char *why;
	size_t why_size;
	size_t why_len;
};

/* Return the name of the option by which the command sets @field, or NULL. */
#define krping_parser_given(p, field) \
	krping_parser_given_at(p, offsetof(struct krping_options, field))

const char *krping_parser_given_at(const struct krping_parser *p, u16 offset);
/* Refuse a command, or the operand of an option, and store the explanation in @p. */
__printf(3, 4) int krping_parser_refuse(struct krping_parser *p,
					const char *about, const char *fmt, ...);
int krping_parser_refuse_operand(struct krping_parser *p,
				 const struct krping_option *o,
				 const char *word);
/* Check the options of a command against its role, its test and each other. */
int krping_parser_check(struct krping_parser *p);

#endif /* KRPING_OPTIONS_CHECK_H */
