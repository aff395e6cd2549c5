// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test that a server adopts the options of its client that the table of options marks as adopted,
 * and keeps its own value of those marked as its own.
 */
#include <stdio.h>

#include "../../krping/negotiate.h"
#include "../../krping/option_words.h"
#include "options_text.h"
#include "tap.h"

/* Parse a command, which must be valid. */
static void command(const char *text, struct krping_options *opts)
{
	char why[KRPING_WHY_MAX];

	if (parse(text, strlen(text), opts, why, sizeof(why))) {
		diag("%s: %s", text, why);
		abort();
	}
}

/* Print an option with an operand that is not its default. */
static void print_option(const struct krping_option *o, char *buf, size_t size)
{
	if (o->type == KRPING_OPTION_KEYWORD)
		snprintf(buf, size, "%s", o->name);
	else if (o->type == KRPING_OPTION_WORD)
		snprintf(buf, size, "%s=%s", o->name, o->words[1].word);
	else if (o->type == KRPING_OPTION_DEVICE)
		snprintf(buf, size, "%s=rxe7", o->name);
	else if (krping_option_is_number(o))
		snprintf(buf, size, "%s=%llu", o->name, (unsigned long long)o->min + 1);
	else
		snprintf(buf, size, "%s=1", o->name);
}

/* Return: a test that allows the option. */
static enum krping_test_type allowed(const struct krping_option *o)
{
	enum krping_test_type test = 0;

	while (!(o->tests & BIT(test)))
		test++;
	return test;
}

/* Let a server without options adopt the request of a client that has the option. */
static void test_option(const struct krping_option *o)
{
	struct krping_options client, server, adopted;
	struct krping_params request;
	bool same, changed;
	char option[64];
	char text[128];
	u64 limit;

	print_option(o, option, sizeof(option));
	snprintf(text, sizeof(text), "client,addr=192.0.2.1,%s,%s",
		 krping_test_name(allowed(o)), option);
	command(text, &client);
	command("server,addr=192.0.2.1", &server);
	krping_negotiate_request(&client, &request);
	request.config.known = true;
	if (!ok(!krping_negotiate_adopt(&server, &request, &adopted, &limit),
		"the server accepts a client with %s", option))
		return;
	same = !memcmp((char *)&adopted + o->offset, (char *)&client + o->offset, o->width);
	changed = memcmp((char *)&adopted + o->offset, (char *)&server + o->offset, o->width);
	/* The request does not tell the kind of atomic. */
	if (!strcmp(o->name, "atomic"))
		same = adopted.atomic != KRPING_ATOMIC_NONE;
	if (o->server == KRPING_SERVER_ADOPTED)
		ok(same && changed, "the server adopts %s", option);
	else
		ok(!same && !changed, "the server does not adopt %s", option);
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < krping_nr_options; i++)
		if (krping_option_table[i].server)
			test_option(&krping_option_table[i]);
	return tap_done();
}
