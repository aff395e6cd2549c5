// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Report broken identities (contradictions between figures of a result), and read values from the
 * text of a result and from its command.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "identity-check.h"

/* Characters that end a word. */
const char word_ends[] = { ' ', '\n', '\0' };

/* Report and count a broken identity. */
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

/*
 * Find a key's value in a line. @at is the text after the first word of the line, or NULL. Return:
 * the first character of the value, or NULL.
 */
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

/* Return: whether the word that begins at @at is @word. */
bool word_is(const char *at, const char *word)
{
	size_t len = strlen(word);

	return at && !strncmp(at, word, len) && strchr(word_ends, at[len]);
}

/* Get the number of a key in the line that begins with @group. Return: whether the key exists. */
bool get(const struct check *c, const char *group, const char *key,
	 uint64_t *value)
{
	const char *at = result_find(result_line(c, group), key);

	if (!at)
		return false;
	*value = strtoull(at, NULL, 10);
	return true;
}

/* Return: the number of a key in the line that begins with @group; 0 without the key. */
uint64_t get_or_0(const struct check *c, const char *group, const char *key)
{
	uint64_t value = 0;

	get(c, group, key, &value);
	return value;
}

/*
 * Find an option of the command. Return: the operand of the option, or the text after the name if
 * the option has no operand; NULL if the command has no such option.
 */
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

/*
 * Get the value of an option that is a count, whose suffixes are powers of 1000. Return: 0 if the
 * command has no such option.
 */
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

/* Return: whether two values differ by more than @tolerance. */
bool off_by_more(uint64_t a, uint64_t b, uint64_t tolerance)
{
	return (a > b ? a - b : b - a) > tolerance;
}

/* Report a broken identity if two values differ. */
void equal(struct check *c, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		broken(c, "%s is %" PRIu64 " instead of %" PRIu64, what, got, want);
}

/* Return: whether the result's test is among @names, which are separated by blanks. */
bool test_is(const struct check *c, const char *names)
{
	const char *at = strstr(names, c->test);

	return at && strchr(" ", at[strlen(c->test)]) && (at == names || at[-1] == ' ');
}
