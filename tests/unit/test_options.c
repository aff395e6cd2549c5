// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the command parser with accepted and rejected commands. */
#include "options_text.h"
#include "../../krping/tests/options_cases.h"
#include "tap.h"

/* Test that a command is accepted, and that its options have the meaning of the case. */
static void test_good(const struct krping_good_case *c)
{
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	char means[512];
	int ret;

	ret = parse(c->text, strlen(c->text), &opts, why, sizeof(why));
	krping_options_render(&opts, means, sizeof(means));
	if (ok(!ret && !strcmp(means, c->means) && !why[0], "accepts %s",
	       visible(c->text)))
		return;
	diag("returns %d, means \"%s\", why \"%s\"", ret, means, visible(why));
	diag("should mean \"%s\"", c->means);
}

/* Test that a command is rejected with an explanation, which begins with the words @c->about. */
static void test_bad(const struct krping_bad_case *c)
{
	size_t about = strlen(c->about);
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	bool good;
	int ret;

	ret = parse(c->text, strlen(c->text), &opts, why, sizeof(why));
	good = ret == -EINVAL && is_one_printable_line(why, sizeof(why)) &&
	       !strncmp(why, c->about, about) &&
	       !strncmp(why + about, ": ", 2) && why[about + 2] &&
	       strlen(why) < sizeof(why) - 1;
	if (!ok(good, "refuses \"%s\"", visible(c->text)))
		diag("returns %d, why \"%s\"", ret, visible(why));
}

/* Test that a NUL anywhere in the text is rejected. */
static void test_nul(void)
{
	static const char text[] = "stop,id=1\n";
	size_t len = sizeof(text) - 1;
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	char copy[sizeof(text)];
	size_t i;
	int ret;

	for (i = 0; i < len; i++) {
		memcpy(copy, text, sizeof(text));
		copy[i] = '\0';
		ret = parse(copy, len, &opts, why, sizeof(why));
		ok(ret == -EINVAL && strstr(why, "NUL"),
		   "refuses a NUL as byte %zu of %zu", i, len);
	}
	ret = parse("stop\n\0", 6, &opts, why, sizeof(why));
	ok(ret == -EINVAL && strstr(why, "NUL"), "refuses a NUL after the newline");
}

static void write_seed(const char *dir, const char *kind, size_t n, const char *text)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s-%zu", dir, kind, n);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* Write the commands of this test to files, with which the fuzzer starts. */
static int write_seeds(const char *dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(krping_good_cases); i++)
		write_seed(dir, "good", i, krping_good_cases[i].text);
	for (i = 0; i < ARRAY_SIZE(krping_bad_cases); i++)
		write_seed(dir, "bad", i, krping_bad_cases[i].text);
	return 0;
}

/* With an argument, a directory, only write the commands there. */
int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1)
		return write_seeds(argv[1]);

	for (i = 0; i < ARRAY_SIZE(krping_good_cases); i++)
		test_good(&krping_good_cases[i]);
	for (i = 0; i < ARRAY_SIZE(krping_bad_cases); i++)
		test_bad(&krping_bad_cases[i]);
	test_nul();
	return tap_done();
}
