// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Describe options in words, for error messages, the command help and documentation, and name
 * roles, tests, memory modes and atomics.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "option_words.h"

/* Describe the suffixes that a number may have. */
static const char *suffix_words(const struct krping_option *o)
{
	switch (o->type) {
	case KRPING_OPTION_SIZE:
		return ", with k, m or g for powers of 1024,";
	case KRPING_OPTION_COUNT:
		return ", with k, m or g for powers of 1000,";
	case KRPING_OPTION_TIME:
		return ", or with s, m or h,";
	default:
		return "";
	}
}

/**
 * krping_option_operand() - print the operands that an option accepts
 * @o: row of the option
 * @buf: buffer for the text; "" for a keyword, which has no operand
 * @size: bytes of @buf, at least 1; KRPING_WORDS_MAX holds every text
 */
void krping_option_operand(const struct krping_option *o, char *buf, size_t size)
{
	if (krping_option_is_number(o))
		scnprintf(buf, size, "a %snumber%s%s%s from %llu to %llu",
			  o->type == KRPING_OPTION_TIME ? "whole " : "",
			  o->unit ? " of " : "", o->unit ?: "", suffix_words(o),
			  (unsigned long long)o->min, (unsigned long long)o->max);
	else
		scnprintf(buf, size, "%s", o->operand ?: "");
}

/* Return the word that stands for the option's default; "" if there is none. */
static const char *word_of(const struct krping_option *o)
{
	const struct krping_word *w;

	for (w = o->words; w->word; w++) {
		if (w->value == o->def)
			return w->word;
	}
	return "";
}

/**
 * krping_option_default() - print the default of an option
 * @o: row of the option
 * @buf: buffer for the text; "" if the option has no default
 * @size: bytes of @buf, at least 1; KRPING_WORDS_MAX holds every text
 */
void krping_option_default(const struct krping_option *o, char *buf, size_t size)
{
	if (o->def_text)
		scnprintf(buf, size, "%s", o->def_text);
	else if (krping_option_is_number(o))
		scnprintf(buf, size, "%llu",
			  (unsigned long long)o->def);
	else
		scnprintf(buf, size, "%s", o->words ? word_of(o) : "");
}

/**
 * krping_option_tests() - print the tests that allow an option
 * @o: row of the option
 * @buf: buffer for the text, such as "bw, rbw or sbw"
 * @size: bytes of @buf, at least 1; KRPING_WORDS_MAX holds every text
 */
void krping_option_tests(const struct krping_option *o, char *buf, size_t size)
{
	unsigned int left = o->tests;
	const char *separator = "";
	size_t len = 0;
	int test;

	buf[0] = '\0';
	if (left == BIT(KRPING_TEST_SESSION)) {
		scnprintf(buf, size, "export, session, disk, put, get or send");
		return;
	}
	if (left == KRPING_FOR_PING) {
		scnprintf(buf, size, "ping, the default test");
		return;
	}
	for (test = 0; left; test++) {
		if (!(left & BIT(test)))
			continue;
		left &= ~BIT(test);
		len += scnprintf(buf + len, size - len, "%s%s", separator,
				 krping_test_name(test));
		/* The last two names have "or" between them. */
		separator = left & (left - 1) ? ", " : " or ";
	}
}

/**
 * krping_option_roles() - return the roles that allow an option
 * @o: row of the option
 *
 * Return: a string such as "a server"; never NULL.
 */
const char *krping_option_roles(const struct krping_option *o)
{
	switch (o->roles) {
	case KRPING_FOR_SERVER:
		return "a server";
	case KRPING_FOR_CLIENT:
		return "a client";
	case KRPING_FOR_STOP:
		return "stop";
	case KRPING_FOR_HELP:
		return "help";
	case KRPING_FOR_LIST:
		return "list";
	case KRPING_FOR_DRAIN:
		return "drain";
	case KRPING_FOR_MEMOP:
		return "an operation of a session";
	case KRPING_FOR_RUN | KRPING_FOR_LIST:
		return "a server, a client or list";
	case KRPING_FOR_RUN | KRPING_FOR_MEMOP:
		return "a server, a client or an operation of a session";
	case KRPING_FOR_STOP | KRPING_FOR_DRAIN | KRPING_FOR_LIST | KRPING_FOR_MEMOP:
		return "stop, drain, list or an operation of a session";
	case KRPING_FOR_CLIENT | KRPING_FOR_MEMOP:
		return "a client or an operation of a session";
	default:
		return "a server or a client";
	}
}

/**
 * krping_option_server() - name whose value of a client's option the server uses
 * @o: row of the option
 *
 * Return: "own", "adopted" or "".
 */
const char *krping_option_server(const struct krping_option *o)
{
	switch (o->server) {
	case KRPING_SERVER_OWN:
		return "own";
	case KRPING_SERVER_ADOPTED:
		return "adopted";
	case KRPING_SERVER_NONE:
		break;
	}
	return "";
}

/**
 * krping_options_help() - print one line of the list of options
 * @nr: number of the line, from 0
 * @line: buffer for the line, which has no newline
 * @size: bytes of @line, at least 1; KRPING_HELP_MAX holds every line
 *
 * Return: length of the line; 0: there are no more lines.
 */
size_t krping_options_help(unsigned int nr, char *line, size_t size)
{
	const struct krping_option *o;
	char operand[KRPING_WORDS_MAX];
	char def[KRPING_WORDS_MAX];
	size_t len;

	if (nr >= krping_nr_options)
		return 0;
	o = &krping_option_table[nr];
	krping_option_operand(o, operand, sizeof(operand));
	krping_option_default(o, def, sizeof(def));
	len = scnprintf(line, size, "option name=%s", o->name);
	if (o->alias)
		len += scnprintf(line + len, size - len, " alias=%s", o->alias);
	if (o->server)
		len += scnprintf(line + len, size - len, " server=%s", krping_option_server(o));
	len += scnprintf(line + len, size - len,
			 " operand=\"%s\" default=\"%s\" meaning=\"%s\"",
			 operand, def, o->help);
	return len;
}

/**
 * krping_role_name() - return the name of a role in commands and results
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
	case KRPING_ROLE_HELP:
		return "help";
	case KRPING_ROLE_LIST:
		return "list";
	case KRPING_ROLE_MEMOP:
		return "memop";
	case KRPING_ROLE_DRAIN:
		return "drain";
	case KRPING_ROLE_NONE:
		break;
	}
	return "none";
}

/**
 * krping_test_name() - return the name of a test in commands and results
 * @test: the test; may be a number that a peer has sent
 *
 * Return: a string; "unknown" for a number that is no test; never NULL.
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
		[KRPING_TEST_SESSION] = "session",
		[KRPING_TEST_KRDMA] = "krdma",
		[KRPING_TEST_CONFORM] = "conform",
	};

	return (unsigned int)test < ARRAY_SIZE(names) ? names[test] : "unknown";
}

/**
 * krping_mem_mode_name() - return the name of a memory mode in commands and results
 * @mode: the mode
 *
 * Return: a string; never NULL.
 */
const char *krping_mem_mode_name(enum krping_mem_mode mode)
{
	return mode == KRPING_MEM_REG ? "reg" : "dma";
}

/**
 * krping_atomic_name() - return the name of an atomic operation in results
 * @atomic: the operation
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
