// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Read values from the text of a result and from its command.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "identity-check.h"

/* Characters that end a word. */
const char word_ends[] = { ' ', '\n', '\0' };

__attribute__((format(printf, 2, 3)))
void broken(struct check *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fprintf(c->to, "identity %s: ", "broken");
	vfprintf(c->to, fmt, args);
	fputc('\n', c->to);
	va_end(args);
	c->broken++;
}

/* Find a line by its first word. Return: the text after this word, or NULL. */
const char *result_line(const struct check *c, const char *group)
{
	const char *at = c->id->text;
	size_t len = strlen(group);

	while (at) {
		if (!strncmp(at, group, len) && at[len] == ' ')
			return at + len;
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return NULL;
}

/* Find a key's value in a line. Return: its first character, or NULL. */
const char *result_find(const char *at, const char *key)
{
	size_t len = strlen(key);

	while (at && *at == ' ') {
		at++;
		if (!strncmp(at, key, len) && at[len] == '=')
			return at + len + 1;
		at += strcspn(at, word_ends);
	}
	return NULL;
}

bool word_is(const char *at, const char *word)
{
	size_t len = strlen(word);

	return at && !strncmp(at, word, len) && strchr(word_ends, at[len]);
}

bool get(const struct check *c, const char *group, const char *key,
	 uint64_t *value)
{
	const char *at = result_find(result_line(c, group), key);

	if (!at)
		return false;
	*value = strtoull(at, NULL, 10);
	return true;
}

uint64_t get_or_0(const struct check *c, const char *group, const char *key)
{
	uint64_t value = 0;

	get(c, group, key, &value);
	return value;
}

/* Find an option of the command. Return: the operand or the text after the name, or NULL. */
const char *command_option(const struct check *c, const char *name)
{
	const char *at = c->id->command;
	size_t len = strlen(name);

	while (at) {
		if (!strncmp(at, name, len) && strchr("=,\n", at[len]))
			return at + len + (at[len] == '=');
		at = strchr(at, ',');
		if (at)
			at++;
	}
	return NULL;
}

/* Get the value of an option that is a count. Its suffixes are powers of 1000. */
uint64_t command_count(const struct check *c, const char *name)
{
	const char *at = command_option(c, name);
	const char *suffix;
	uint64_t number;
	char *end;

	if (!at)
		return 0;
	number = strtoull(at, &end, 10);
	for (suffix = "kmg"; *suffix && *end; suffix++) {
		if (strchr(suffix, *end))
			number *= 1000;
	}
	return number;
}

bool off_by_more(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return (a > b ? a - b : b - a) > tolerance;
}

void equal(struct check *c, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		broken(c, "%s is %" PRIu64 " instead of %" PRIu64, what, got, want);
}

bool test_is(const struct check *c, const char *names)
{
	const char *at = strstr(names, c->test);

	return at && strchr(" ", at[strlen(c->test)]) && (at == names || at[-1] == ' ');
}
