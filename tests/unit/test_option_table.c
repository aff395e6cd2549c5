// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test the table of options, the help, the names of tests, modes and roles, the CPUs of threads,
 * and wildcard addresses.
 */
#include "options_text.h"
#include "../../krping/option_table.h"
#include "../../krping/option_words.h"
#include "tap.h"

/* Test that threads use the CPUs of the list cyclically. */
static void test_cpu(void)
{
	static const char text[] = "client,addr=1.2.3.4,wlat,threads=8,cpu=7:0-1";
	static const int cpus[] = { 7, 0, 1 };
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	bool good;
	u32 i;

	good = !parse(text, sizeof(text) - 1, &opts, why, sizeof(why));
	for (i = 0; i < opts.threads; i++)
		good &= krping_options_cpu(&opts, i) == cpus[i % 3];
	ok(good && krping_options_cpu(&opts, U32_MAX) == cpus[U32_MAX % 3],
	   "threads use the CPUs of cpu= in turn");

	opts.nr_cpus = 0;
	ok(krping_options_cpu(&opts, 0) == -1 && krping_options_cpu(&opts, 5) == -1,
	   "threads have no CPU without cpu=");
}

static void test_names(void)
{
	ok(!strcmp(krping_test_name(KRPING_TEST_PING), "ping") &&
	   !strcmp(krping_test_name(KRPING_TEST_WLAT), "wlat") &&
	   !strcmp(krping_test_name(KRPING_TEST_RLAT), "rlat") &&
	   !strcmp(krping_test_name(KRPING_TEST_SLAT), "slat") &&
	   !strcmp(krping_test_name(KRPING_TEST_BW), "bw") &&
	   !strcmp(krping_test_name(KRPING_TEST_RBW), "rbw") &&
	   !strcmp(krping_test_name(KRPING_TEST_SBW), "sbw") &&
	   !strcmp(krping_test_name(KRPING_TEST_FR), "fr") &&
	   !strcmp(krping_test_name(KRPING_TEST_SESSION), "session") &&
	   !strcmp(krping_test_name(KRPING_TEST_KRDMA), "krdma") &&
	   !strcmp(krping_test_name(KRPING_TEST_CONFORM), "conform"), "each test has its name");
	ok(!strcmp(krping_test_name(KRPING_TEST_COUNT), "unknown"),
	   "an invalid test has the name unknown");
	ok(!strcmp(krping_mem_mode_name(KRPING_MEM_DMA), "dma") &&
	   !strcmp(krping_mem_mode_name(KRPING_MEM_REG), "reg"),
	   "each memory mode has its name");
	ok(!strcmp(krping_role_name(KRPING_ROLE_SERVER), "server") &&
	   !strcmp(krping_role_name(KRPING_ROLE_CLIENT), "client") &&
	   !strcmp(krping_role_name(KRPING_ROLE_STOP), "stop") &&
	   !strcmp(krping_role_name(KRPING_ROLE_DRAIN), "drain") &&
	   !strcmp(krping_role_name(KRPING_ROLE_HELP), "help") &&
	   !strcmp(krping_role_name(KRPING_ROLE_NONE), "none"), "each role has its name");
}

static bool is_help_text(const char *text)
{
	return text && *text && is_one_printable_line(text, KRPING_HELP_MAX) &&
	       !strchr(text, '"');
}

/* Check the rules for a row that the compiler does not check. */
static void test_row(const struct krping_option *o)
{
	bool number = krping_option_is_number(o);
	u64 most = o->width < 8 ? (1ULL << 8 * o->width) - 1 : U64_MAX;
	bool good = o->roles && o->tests && is_help_text(o->help);

	good &= o->offset + o->width <= sizeof(struct krping_options);
	if (number || o->type == KRPING_OPTION_KEYWORD)
		good &= o->width == 1 || o->width == 2 || o->width == 4 || o->width == 8;
	if (o->type == KRPING_OPTION_KEYWORD)
		good &= o->value <= most && !o->operand;
	else if (o->type == KRPING_OPTION_WORD)
		good &= o->words && o->width == 4 && is_help_text(o->operand);
	else if (number)
		good &= o->min <= o->max && o->max <= most && !o->operand;
	else
		good &= is_help_text(o->operand);
	good &= !!o->per_sec == (o->type == KRPING_OPTION_TIME);
	/* A server has no value of its own of an option that it cannot have. */
	good &= o->server != KRPING_SERVER_OWN || o->roles & KRPING_FOR_SERVER;
	ok(good, "the row of %s is complete", o->name);
}

static bool has_name(const struct krping_option *o, const char *name)
{
	return !strcmp(o->name, name) || (o->alias && !strcmp(o->alias, name));
}

static void test_table(void)
{
	const struct krping_option *o = krping_option_table;
	bool unique = true;
	unsigned int i, j;

	for (i = 0; i < krping_nr_options; i++) {
		test_row(&o[i]);
		for (j = 0; j < i; j++)
			unique &= !has_name(&o[j], o[i].name) &&
				  !(o[i].alias && has_name(&o[j], o[i].alias));
	}
	ok(unique, "each name stands for one option");
}

/* Test that options with different roles have different texts in a refusal. */
static void test_roles(void)
{
	const struct krping_option *a, *b;
	unsigned int i, j;
	bool good = true;

	for (i = 0; i < krping_nr_options; i++) {
		for (j = 0; j < i; j++) {
			a = &krping_option_table[i];
			b = &krping_option_table[j];
			good &= (a->roles == b->roles) ==
				!strcmp(krping_option_roles(a), krping_option_roles(b));
		}
	}
	ok(good, "options have the same text for their roles only if their roles are the same");
}

static void test_help(void)
{
	static const struct {
		const char *name;
		const char *line;
	} cases[] = {
		{
			"server",
			"option name=server operand=\"\" default=\"\" meaning=\"listen for clients\"",
		},
		{
			"port",
			"option name=port operand=\"a number from 1 to 65535\" default=\"9999\" meaning=\"port of the server\"",
		},
		{
			"cq",
			"option name=cq server=own operand=\"softirq or workqueue\" default=\"softirq\" meaning=\"completion context; not with poll or rate\"",
		},
		{
			"txdepth",
			"option name=txdepth alias=tx-depth server=own operand=\"a number from 1 to 1048576\" default=\"64; fewer with validate\" meaning=\"operations in flight; with fr, memory regions; with disk, requests\"",
		},
	};
	char line[KRPING_HELP_MAX];
	bool good = true;
	unsigned int nr;
	size_t i, len;

	for (nr = 0; (len = krping_options_help(nr, line, sizeof(line))); nr++) {
		good &= len == strlen(line) && len < sizeof(line) - 1 &&
			is_one_printable_line(line, sizeof(line));
		for (i = 0; i < ARRAY_SIZE(cases); i++) {
			if (strcmp(krping_option_table[nr].name, cases[i].name))
				continue;
			if (!ok(!strcmp(line, cases[i].line), "help: %s", cases[i].name))
				diag("says: %s", line);
		}
	}
	ok(good && nr == krping_nr_options, "help has a line for each option");
}

static void test_any(void)
{
	struct krping_addr addr = { .family = AF_UNSPEC };

	ok(!krping_addr_is_any(&addr), "an unset address is not any address");
	addr.family = AF_INET;
	ok(krping_addr_is_any(&addr), "0.0.0.0 is any address");
	addr.ip[3] = 1;
	ok(!krping_addr_is_any(&addr), "0.0.0.1 is not any address");
	memset(&addr, 0, sizeof(addr));
	addr.family = AF_INET6;
	ok(krping_addr_is_any(&addr), ":: is any address");
	addr.ip[15] = 1;
	ok(!krping_addr_is_any(&addr), "::1 is not any address");
}

int main(void)
{
	test_cpu();
	test_names();
	test_table();
	test_roles();
	test_help();
	test_any();
	return tap_done();
}
