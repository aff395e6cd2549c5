// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generate random numbers, and add text and words of the grammar to a line.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"

/* Number of ports of one writer, and the ports that all writers use. */
#define OWN_PORTS	4
#define SHARED_PORT	30000
#define SHARED_PORTS	4

/* splitmix64 */
static uint64_t random_next(struct lines *l)
{
	uint64_t z = l->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

unsigned int random_below(struct lines *l, unsigned int n)
{
	return random_next(l) % n;
}

bool one_in(struct lines *l, unsigned int n)
{
	return !random_below(l, n);
}

/* Add text to a line, and drop the bytes that exceed its size. */
__attribute__((format(printf, 2, 3)))
void add_text(struct line *line, const char *fmt, ...)
{
	size_t room = COMMAND_MAX + 1 - line->len;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line->text + line->len, room, fmt, args);
	va_end(args);
	if (n > 0)
		line->len += (size_t)n < room ? (size_t)n : room - 1;
}

unsigned int some_port(struct lines *l)
{
	if (one_in(l, 8))
		return SHARED_PORT + random_below(l, SHARED_PORTS);
	return l->port + random_below(l, OWN_PORTS);
}

/* Add a word of the grammar, or the value of a placeholder such as ADDR. */
static void add_word(struct lines *l, struct line *line, const char *word,
		     size_t len)
{
	if (len == 4 && !memcmp(word, "ADDR", len))
		add_text(line, "%s", l->place->addr);
	else if (len == 5 && !memcmp(word, "ADDR6", len))
		add_text(line, "%s", l->place->addr6);
	else if (len == 5 && !memcmp(word, "LINK6", len))
		add_text(line, "fe80::1%%%s", l->place->interface);
	else if (len == 6 && !memcmp(word, "DEVICE", len))
		add_text(line, "%s", l->place->device);
	else if (len == 4 && !memcmp(word, "PORT", len))
		add_text(line, "%u", some_port(l));
	else
		add_text(line, "%.*s", (int)len, word);
}

/* Add one of the words, which blanks separate. */
void add_one_of(struct lines *l, struct line *line, const char *words)
{
	unsigned int n = 1;
	const char *s;

	for (s = words; *s; s++)
		n += *s == ' ';
	for (n = random_below(l, n); n; n--)
		words = strchr(words, ' ') + 1;
	add_word(l, line, words, strcspn(words, " "));
}

const char *some_addr(struct lines *l)
{
	return one_in(l, 4) ? l->place->addr6 : l->place->addr;
}
