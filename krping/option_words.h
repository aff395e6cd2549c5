/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Describe options in words, for error messages, the command help and documentation.
 */
#ifndef KRPING_OPTION_WORDS_H
#define KRPING_OPTION_WORDS_H

#include "option_table.h"

/* Bytes of the longest text that a function below prints, with its NUL. */
#define KRPING_WORDS_MAX	96

/* Print the valid operands, the default, or the tests of an option; return its roles. */
void krping_option_operand(const struct krping_option *o, char *buf, size_t size);
void krping_option_default(const struct krping_option *o, char *buf, size_t size);
void krping_option_tests(const struct krping_option *o, char *buf, size_t size);
const char *krping_option_roles(const struct krping_option *o);

/* Return whose value of a client's option the server uses: "own", "adopted" or "". */
const char *krping_option_server(const struct krping_option *o);

#endif /* KRPING_OPTION_WORDS_H */
