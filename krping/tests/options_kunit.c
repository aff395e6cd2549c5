// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * KUnit tests of the command parser, with the kernel's in4_pton() and in6_pton(). The unit
 * tests in user space run the same cases, but with replacements of these two functions.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/slab.h>

/* Compile a copy into this test, because the parser needs nothing of the rest of the module. */
#include "../option_table.c"
#include "../option_types.c"
#include "../option_words.c"
#include "../options_check.c"
#include "../options_parse.c"
#include "options_cases.h"

struct options_fixture {
	struct krping_options opts;
	char text[512];
	char why[KRPING_WHY_MAX];
	char rendered[512];
};

static int options_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct options_fixture), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/* Parse a copy of @text, because the parser modifies its text. */
static int options_run(struct options_fixture *f, const char *text)
{
	size_t len = strlen(text);

	if (len >= sizeof(f->text))
		return -E2BIG;
	memcpy(f->text, text, len + 1);
	return krping_options_parse(f->text, len, &f->opts, f->why, sizeof(f->why));
}

static void options_accepts(struct kunit *test)
{
	struct options_fixture *f = test->priv;
	const struct krping_good_case *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(krping_good_cases); i++) {
		c = &krping_good_cases[i];
		KUNIT_EXPECT_EQ_MSG(test, options_run(f, c->text), 0, "%s", c->text);
		krping_options_render(&f->opts, f->rendered, sizeof(f->rendered));
		KUNIT_EXPECT_STREQ_MSG(test, (const char *)f->rendered, c->means,
				       "%s", c->text);
		KUNIT_EXPECT_STREQ(test, (const char *)f->why, "");
	}
}

static void options_refuses(struct kunit *test)
{
	struct options_fixture *f = test->priv;
	const struct krping_bad_case *c;
	size_t len;
	int i;

	for (i = 0; i < ARRAY_SIZE(krping_bad_cases); i++) {
		c = &krping_bad_cases[i];
		len = strlen(c->about);
		KUNIT_EXPECT_EQ_MSG(test, options_run(f, c->text), -EINVAL, "%s",
				    c->text);
		KUNIT_EXPECT_TRUE_MSG(test,
				      !strncmp(f->why, c->about, len) &&
				      !strncmp(f->why + len, ": ", 2),
				      "%s is refused with: %s", c->text, f->why);
	}
}

static void options_refuses_nul(struct kunit *test)
{
	static const char text[] = "stop\0,id=1";
	struct options_fixture *f = test->priv;

	memcpy(f->text, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			krping_options_parse(f->text, sizeof(text) - 1, &f->opts,
					     f->why, sizeof(f->why)));
}

static void options_helps(struct kunit *test)
{
	char line[KRPING_HELP_MAX];
	unsigned int nr;
	size_t len;

	for (nr = 0; nr < krping_nr_options; nr++) {
		len = krping_options_help(nr, line, sizeof(line));
		KUNIT_EXPECT_GT(test, len, (size_t)0);
		KUNIT_EXPECT_LT_MSG(test, len, sizeof(line) - 1, "%s", line);
		KUNIT_EXPECT_EQ(test, len, strlen(line));
	}
	KUNIT_EXPECT_EQ(test, (size_t)0,
			krping_options_help(nr, line, sizeof(line)));
}

static struct kunit_case options_cases[] = {
	KUNIT_CASE(options_accepts),
	KUNIT_CASE(options_refuses),
	KUNIT_CASE(options_refuses_nul),
	KUNIT_CASE(options_helps),
	{}
};

static struct kunit_suite options_suite = {
	.name = "krping_options",
	.init = options_init,
	.test_cases = options_cases,
};

kunit_test_suite(options_suite);

MODULE_DESCRIPTION("KUnit tests of krping's command parser");
MODULE_LICENSE("Dual BSD/GPL");
