// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Damage a line: change, insert, remove or repeat bytes.
 */
#include <string.h>

#include "lines.h"

static void flip(struct lines *l, struct line *line)
{
	line->text[random_below(l, line->len)] ^= 1 << random_below(l, 8);
}

static void replace(struct lines *l, struct line *line)
{
	static const char odd[] = "\0\n,,==%:- \t\x7f\xff\r09\\\"";

	line->text[random_below(l, line->len)] =
		odd[random_below(l, sizeof(odd) - 1)];
}

static void truncate_line(struct lines *l, struct line *line)
{
	line->len = random_below(l, line->len + 1);
}

static void cut_out(struct lines *l, struct line *line)
{
	size_t from = random_below(l, line->len);
	size_t n = 1 + random_below(l, line->len - from);

	memmove(line->text + from, line->text + from + n, line->len - from - n);
	line->len -= n;
}

/* Repeat a part of the line, so that some options are given twice. */
static void repeat(struct lines *l, struct line *line)
{
	size_t from = random_below(l, line->len);
	size_t n = 1 + random_below(l, line->len - from);

	if (line->len + n > COMMAND_MAX)
		return;
	memmove(line->text + from + n, line->text + from, line->len - from);
	line->len += n;
}

/* Make the line as long as the longest command, or one byte shorter or longer. */
static void stretch(struct lines *l, struct line *line)
{
	size_t len = COMMAND_MAX - 1 + random_below(l, 3);
	bool commas = one_in(l, 2);

	if (len > COMMAND_MAX + 1 || line->len >= len)
		return;
	memset(line->text + line->len, commas ? ',' : '9', len - line->len);
	line->len = len;
}

/* Insert blanks before a comma, and maybe an empty option. krping accepts both. */
static void space(struct lines *l, struct line *line)
{
	char *comma = memchr(line->text, ',', line->len);
	size_t from = comma ? (size_t)(comma - line->text) : line->len;
	const char *blanks = one_in(l, 2) ? " " : "\t, ";
	size_t n = strlen(blanks);

	if (line->len + n > COMMAND_MAX)
		return;
	memmove(line->text + from + n, line->text + from, line->len - from);
	memcpy(line->text + from, blanks, n);
	line->len += n;
}

static void newline(struct lines *l, struct line *line)
{
	line->text[random_below(l, line->len)] = '\n';
}

/**
 * damage_line() - damage a generated line at random
 * @l: state of the writer's generator
 * @line: the line
 */
void damage_line(struct lines *l, struct line *line)
{
	static void (* const accidents[])(struct lines *l, struct line *line) = {
		flip, flip, replace, replace, truncate_line, cut_out, repeat,
		stretch, newline, space,
	};
	unsigned int n = 1 + random_below(l, 3);

	while (n-- && line->len)
		accidents[random_below(l, ARRAY_SIZE(accidents))](l, line);
	/* The damaged command may run without a time limit, so interrupt it early. */
	line->patience_ms = 10 + random_below(l, 150);
}
