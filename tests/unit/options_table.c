// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Print the table of options in Markdown, for Documentation/options.md. With the argument "help"
 * print the lines of the command help instead, for scripts/krping.d/options.
 */
#include <linux/kernel.h>
#include <stdio.h>
#include <string.h>

#include "../../krping/option_words.h"
#include "../../krping/options.h"

/*
 * Print the roles and tests that an option is for. Print nothing for an option of both roles and
 * every test.
 */
static void print_allowed(const struct krping_option *o)
{
	/* For an option of every test, or of sessions only, the roles suffice. */
	bool any_test = o->tests == KRPING_FOR_EVERY_TEST ||
			o->tests == BIT(KRPING_TEST_SESSION);
	char tests[KRPING_WORDS_MAX];

	krping_option_tests(o, tests, sizeof(tests));
	if (o->roles != KRPING_FOR_RUN)
		printf("%s%s", krping_option_roles(o), any_test ? "" : " with ");
	if (!any_test)
		printf("%s", tests);
}

static void print_row(const struct krping_option *o)
{
	char operand[KRPING_WORDS_MAX];
	char def[KRPING_WORDS_MAX];

	krping_option_operand(o, operand, sizeof(operand));
	krping_option_default(o, def, sizeof(def));
	printf("| `%s`", o->name);
	if (o->alias)
		printf(", `%s`", o->alias);
	printf(" | %s | %s | %s | %s | ", operand, def, o->help, krping_option_server(o));
	/* An option that sets the role, the field at offset 0, is not for a role. */
	if (o->offset)
		print_allowed(o);
	printf(" |\n");
}

static int print_help(void)
{
	char line[KRPING_HELP_MAX];
	unsigned int i;

	for (i = 0; krping_options_help(i, line, sizeof(line)); i++)
		printf("%s\n", line);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc > 1 && !strcmp(argv[1], "help"))
		return print_help();
	printf("| option | operand | default | meaning | server | only for |\n");
	printf("| --- | --- | --- | --- | --- | --- |\n");
	for (i = 0; i < krping_nr_options; i++)
		print_row(&krping_option_table[i]);
	return 0;
}
