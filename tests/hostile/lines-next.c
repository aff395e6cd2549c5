// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generate the next command: choose its kind at random, and damage some commands.
 */
#include <string.h>

#include "lines.h"

/* Add random options in random order, in most lines after a role, an address and a port. */
static void wild_line(struct lines *l, struct line *line)
{
	unsigned int n = 1 + random_below(l, 8);

	if (!one_in(l, 8)) {
		add_text(line, one_in(l, 2) ? "server," : "client,");
		add_text(line, "addr=%s,port=%u,", some_addr(l), some_port(l));
	}
	while (n--) {
		add_any_option(l, line);
		if (n || one_in(l, 10))
			add_text(line, ",");
	}
	if (one_in(l, 10))
		add_text(line, "\n");
	line->patience_ms = 10 + random_below(l, 150);
}

/* Stop all tests, or the test with an id near the last test's id, if there is one. */
static void stop_line(struct lines *l, struct line *line)
{
	add_text(line, "stop");
	if (!one_in(l, 4))
		add_text(line, ",id=%u", l->last_id + random_below(l, 4));
}

/**
 * next_line() - generate the next line of a writer
 * @l: state of the writer's generator
 * @line: the generated line
 *
 * Of 100 lines, 12 are the server of a pair (the next line is its client), 8 are other servers,
 * 12 are clients, 2 stop tests, and 66 have random options. The function damages 40 of them. One of
 * these has an invalid pointer, and one is empty.
 */
void next_line(struct lines *l, struct line *line)
{
	unsigned int n = random_below(l, 100);

	memset(line, 0, sizeof(*line));
	line->patience_ms = 5000;
	if (l->pending)
		pair_client_line(l, line);
	else if (n < 12)
		pair_server_line(l, line);
	else if (n < 20)
		server_line(l, line);
	else if (n < 32)
		client_line(l, line);
	else if (n < 34)
		stop_line(l, line);
	else
		wild_line(l, line);

	if (n >= 60 && !l->pending)
		damage_line(l, line);
	if (n == 99)
		line->bad_pointer = true;
	if (n == 98)
		line->len = 0;
}
