/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Parse commands and print texts, for the tests of the parser. */
#ifndef KRPING_UNIT_OPTIONS_TEXT_H
#define KRPING_UNIT_OPTIONS_TEXT_H

#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/options.h"

/*
 * Parse a copy of the text in a buffer of exactly its size, so that the sanitizer reports an
 * access beyond the text.
 */
static inline int parse(const char *text, size_t len, struct krping_options *opts,
			char *why, size_t why_size)
{
	char *copy = malloc(len + 1);
	int ret;

	if (!copy)
		abort();
	memcpy(copy, text, len);
	copy[len] = '\0';
	memset(opts, 0xa5, sizeof(*opts));
	memset(why, 0xa5, why_size);
	ret = krping_options_parse(copy, len, opts, why, why_size);
	free(copy);
	return ret;
}

/* Return: the text as part of a test's name, which is one line of TAP without #. */
static inline const char *visible(const char *text)
{
	static char buf[2048];
	size_t len = 0;

	buf[0] = '\0';
	for (; *text && len < sizeof(buf) - 5; text++) {
		if (*text >= ' ' && *text <= '~' && *text != '#')
			len += sprintf(buf + len, "%c", *text);
		else
			len += sprintf(buf + len, "\\x%02x", (u8)*text);
	}
	return buf;
}

static inline bool is_one_printable_line(const char *why, size_t size)
{
	size_t len = strnlen(why, size);
	size_t i;

	for (i = 0; i < len; i++) {
		if (why[i] < ' ' || why[i] > '~')
			return false;
	}
	return len < size;
}

#endif /* KRPING_UNIT_OPTIONS_TEXT_H */
