/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands that the parser must reject. options_cases.h includes this file.
 */
#ifndef KRPING_OPTIONS_BAD_CASES_H
#define KRPING_OPTIONS_BAD_CASES_H

/**
 * struct krping_bad_case - a command that the parser must reject
 * @text: the command
 * @about: start of the explanation, up to the first ": "
 */
struct krping_bad_case {
	const char *text;
	const char *about;
};

#define REFUSED(text, about)	{ text, about }
#define CLIENT_WITH(text)	"client,addr=1.2.3.4," text
#define SERVER_WITH(text)	"server,addr=1.2.3.4," text

static const struct krping_bad_case krping_bad_cases[] = {
#include "options_bad_syntax.h"
#include "options_bad_numbers.h"
#include "options_bad_words.h"
#include "options_bad_roles.h"
#include "options_bad_memory.h"
#include "options_bad_tests.h"
};

#endif /* KRPING_OPTIONS_BAD_CASES_H */
