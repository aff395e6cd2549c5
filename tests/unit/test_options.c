// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the command parser with accepted and rejected commands. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "../../krping/option_table.h"
#include "../../krping/options.h"
#include "../../krping/tests/options_cases.h"
#include "tap.h"

/*
 * Copy the text into a buffer of exactly its size, so that the sanitizer reports an
 * access beyond the text.
 */
static int parse(const char *text, size_t len, struct krping_options *opts,
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

/* Test names must be one line of TAP, where # has a meaning. */
static const char *visible(const char *text)
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

static bool is_one_printable_line(const char *why, size_t size)
{
	size_t len = strnlen(why, size);
	size_t i;

	for (i = 0; i < len; i++) {
		if (why[i] < ' ' || why[i] > '~')
			return false;
	}
	return len < size;
}

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

/* Explanations name the valid use of the option. */
static void test_words(void)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "client,addr=1.2.3.4,port=0", "port=0: takes a number from 1 to 65535" },
		{ "client,addr=1.2.3.4,port", "port: takes a number from 1 to 65535" },
		{
			"client,addr=1.2.3.4,duration=0",
			"duration=0: takes a number of seconds, or with s, m or h, from 1 to 4294967295",
		},
		{
			"client,addr=1.2.3.4,count=x",
			"count=x: takes a number, with k, m or g for powers of 1000, from 0 to 18446744073709551615",
		},
		{
			"client,addr=1.2.3.4,size=0",
			"size=0: takes a number of bytes, with k, m or g for powers of 1024, from 1 to 4294967295",
		},
		{ "client,addr=1.2.3.4,validate=1", "validate=1: takes no value" },
		{ "client,addr=1.2.3.4,mem_mode=mr", "mem_mode=mr: takes dma or reg" },
		{ "client,addr=1.2.3.4,addr6=::1",
		  "addr6=::1: given twice, first as addr" },
		{ "client,addr=1.2.3.4,clients=1", "clients: only for a server" },
		{ "server,addr=1.2.3.4,fr", "fr: only for a client" },
		{ "stop,port=1", "port: only for a server or a client" },
		{ "client,addr=1.2.3.4,id=1", "id: only for stop, drain, list, put, get or send" },
		{ "client,addr=1.2.3.4,duplex", "duplex: only with bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,cqmod=1", "cqmod: only with bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,rlat,inline",
		  "inline: only with wlat, slat, bw or sbw" },
		{ "client,addr=1.2.3.4,qps=1",
		  "qps: only with wlat, rlat, slat, bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,atomic=cas", "atomic: only with rlat" },
		{ "client,addr=1.2.3.4,bw,histogram",
		  "histogram: only with ping, wlat, rlat or slat" },
		{ "client,addr=1.2.3.4,fr,srq",
		  "srq: only with ping, wlat, rlat, slat, bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,wlat,read_inv",
		  "read_inv: only with ping, the default test" },
		{ "client,addr=1.2.3.4,bw,verbose",
		  "verbose: only with ping, the default test" },
		{ "server,addr=1.2.3.4,qps=2", "qps: only for a client" },
		{ "client,addr=1.2.3.4,bw,batch=65",
		  "batch: at most txdepth, which is 64" },
		{ "client,addr=1.2.3.4,bw,txdepth=4,cqmod=5",
		  "cqmod: at most txdepth, which is 4" },
		{
			"client,addr=1.2.3.4,bw,threads=33,qps=32",
			"qps: qps=32 with threads=33 needs 1056 queue pairs; the limit is 1024",
		},
		{ "client,addr=1.2.3.4,rlat,atomic=cas,size=9",
		  "size: atomic needs size=8" },
		{ "client,addr=1.2.3.4,rlat,atomic=cas,sge=2",
		  "sge: atomic needs sge=1" },
		{ "client,addr=1.2.3.4,bw,sge=5,size=4",
		  "sge: at most size, which is 4" },
		{ "client,addr=1.2.3.4,bw,rate=1,cq=softirq",
		  "cq: not with rate, which polls in the test's thread" },
		{
			"client,addr=1.2.3.4,cpu=0-64",
			"cpu=0-64: takes up to 64 CPUs from 0 to 65535, as in 3 or 0-3 or 0:2:4-7",
		},
		{ "client,addr=1.2.3.4,server_inv,mem_mode=dma",
		  "server_inv: not with mem_mode=dma; needs mem_mode=reg" },
		{ "client,addr=1.2.3.4,source=::1",
		  "source: needs the family of addr, which is IPv4" },
		{ "client,addr=::1,source=1.2.3.4",
		  "source: needs the family of addr, which is IPv6" },
	};
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parse(cases[i].text, strlen(cases[i].text), &opts, why, sizeof(why));
		if (!ok(!strcmp(why, cases[i].why), "says: %s", cases[i].why))
			diag("says: %s", visible(why));
	}
}

/* A NUL anywhere in the text is rejected. */
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
	ok(ret == -EINVAL && strstr(why, "NUL"), "refuses a NUL behind the newline");
}

/* An explanation that does not fit is truncated. */
static void test_small_why(void)
{
	static const char text[] = "client,addr=1.2.3.4,port=\xff\xff";
	struct krping_options opts;
	char why[64];
	bool good = true;
	size_t size;
	int ret;

	for (size = 1; size <= sizeof(why); size++) {
		ret = parse(text, sizeof(text) - 1, &opts, why, size);
		good &= ret == -EINVAL && is_one_printable_line(why, size);
	}
	ok(good, "cuts the explanation off at any size");
}

/* KRPING_WHY_MAX holds the longest explanation. */
static void test_long_text(void)
{
	static const char * const starts[] = {
		"", "client,size=", "client,addr=", "client,device=", "client,count=",
		"client,mem_mode=", "server=", "client,addr6=::1%", "client,cpu=",
	};
	struct krping_options opts;
	char why[KRPING_WHY_MAX];
	char text[4097];
	bool good = true;
	size_t i, len;
	int fill, ret;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (fill = 1; fill < 256; fill++) {
			if (fill == ',' || fill == '\n')
				continue;
			len = strlen(starts[i]);
			memset(text, fill, 4096);
			memcpy(text, starts[i], len);
			text[4096] = '\0';
			ret = parse(text, 4096, &opts, why, sizeof(why));
			good &= ret == -EINVAL &&
				is_one_printable_line(why, sizeof(why)) &&
				strlen(why) < sizeof(why) - 1;
		}
	}
	ok(good, "bounds what it quotes of 4096 bytes");
}

/* Threads use the CPUs of the list cyclically. */
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
	   "gives CPUs to threads in turn");

	opts.nr_cpus = 0;
	ok(krping_options_cpu(&opts, 0) == -1 && krping_options_cpu(&opts, 5) == -1,
	   "gives no CPU without a list");
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
	   !strcmp(krping_test_name(KRPING_TEST_KRDMA), "krdma"), "names each test");
	ok(!strcmp(krping_test_name(KRPING_TEST_COUNT), "unknown"),
	   "names what is not a test");
	ok(!strcmp(krping_mem_mode_name(KRPING_MEM_DMA), "dma") &&
	   !strcmp(krping_mem_mode_name(KRPING_MEM_REG), "reg"),
	   "names each memory mode");
	ok(!strcmp(krping_role_name(KRPING_ROLE_SERVER), "server") &&
	   !strcmp(krping_role_name(KRPING_ROLE_CLIENT), "client") &&
	   !strcmp(krping_role_name(KRPING_ROLE_STOP), "stop") &&
	   !strcmp(krping_role_name(KRPING_ROLE_DRAIN), "drain") &&
	   !strcmp(krping_role_name(KRPING_ROLE_HELP), "help") &&
	   !strcmp(krping_role_name(KRPING_ROLE_NONE), "none"), "names each role");
}

static bool is_help_text(const char *text)
{
	return text && *text && is_one_printable_line(text, KRPING_HELP_MAX) &&
	       !strchr(text, '"');
}

/* Check what the compiler does not check of a row. */
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
			"option name=cq operand=\"softirq or workqueue\" default=\"softirq\" meaning=\"completion context; not with poll or rate\"",
		},
		{
			"txdepth",
			"option name=txdepth alias=tx-depth operand=\"a number from 1 to 1048576\" default=\"64\" meaning=\"operations in flight; with fr, memory regions; with disk, requests\"",
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

	ok(!krping_addr_is_any(&addr), "no address is not any address");
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

/* The fuzzer starts with the same commands. */
static int write_seeds(const char *dir)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(krping_good_cases); i++)
		write_seed(dir, "good", i, krping_good_cases[i].text);
	for (i = 0; i < ARRAY_SIZE(krping_bad_cases); i++)
		write_seed(dir, "bad", i, krping_bad_cases[i].text);
	return 0;
}

/* With a directory as the argument, write the commands there and test nothing. */
int main(int argc, char **argv)
{
	size_t i;

	if (argc > 1)
		return write_seeds(argv[1]);

	for (i = 0; i < ARRAY_SIZE(krping_good_cases); i++)
		test_good(&krping_good_cases[i]);
	for (i = 0; i < ARRAY_SIZE(krping_bad_cases); i++)
		test_bad(&krping_bad_cases[i]);
	test_words();
	test_nul();
	test_small_why();
	test_long_text();
	test_cpu();
	test_names();
	test_table();
	test_help();
	test_any();
	return tap_done();
}
