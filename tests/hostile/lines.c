// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generate commands from a grammar.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"

/* Ports of one writer, and ports that all writers share. */
#define OWN_PORTS	4
#define SHARED_PORT	30000
#define SHARED_PORTS	4

/**
 * struct option - an option and operands for it, separated by blanks
 * @name: name of the option
 * @good: valid operands; NULL if it takes none
 * @bad: invalid operands and edge cases
 *
 * ADDR, ADDR6, LINK6, DEVICE and PORT are replaced by values of struct place.
 */
struct option {
	const char *name;
	const char *good;
	const char *bad;
};

/* Wrong numbers and edge cases, wrong addresses, addresses without server, long words. */
#define NUMBERS \
	"-1 +1 0x10 010 1e3 1k 18446744073709551615 18446744073709551616 1000000000000000000 %"
#define NO_ADDRS \
	"224.0.0.1 255.255.255.255 ff02::1 fe80::1 fe80::1%none0 " \
	"fe80::1%averylongnameofaninterface 10.0.0 10.0.0.256 010.0.0.1 10.0.0.1%d0 fd00:::1 localhost"
#define SIXTEEN	"0123456789abcdef"

static const struct option options[] = {
	{ "server" },
	{ "client" },
	{ "stop" },
	{ "drain" },
	{ "help" },
	{ "list" },
	{ "id", "1 2 3", "0 4294967295 4294967296 " NUMBERS },
	{ "addr", "ADDR ADDR ADDR ADDR6 LINK6",
	  "0.0.0.0 :: 127.0.0.1 ::1 10.0.0.77 10.0.0.200 203.0.113.1 " NO_ADDRS },
	{ "addr6", "ADDR6 LINK6", "ADDR :: ::1 fe80::1 ::ffff:10.0.0.1 fd00::%" },
	{ "port", "PORT", "0 1 65535 65536 " NUMBERS },
	{ "source", "ADDR ADDR6", "0.0.0.0 :: 10.0.0.200 127.0.0.1 fe80::1 x" },
	{ "device", "DEVICE", "none0 .. / " SIXTEEN SIXTEEN SIXTEEN SIXTEEN },
	{ "tos", "0 32 255", "256 " NUMBERS },
	{ "timeout", "1 20 300 1s", "0 2147483647 2147483648 2147484s 1k " NUMBERS },
	{ "wait", "1 1s", "0 30 2147484 1h " NUMBERS },
	{ "vector", "0 1", "7 2147483647 2147483648 " NUMBERS },
	{ "ack_timeout", "0 14 31", "32 " NUMBERS },
	{ "min_rnr_timer", "0 1 31", "32 " NUMBERS },
	{ "retry", "0 1 7", "8 " NUMBERS },
	{ "rnr_retry", "0 1 7", "8 " NUMBERS },
	{ "count", "1 2 3 10", "0 2K 1s 18446744073709551614 " NUMBERS },
	{ "warmup", "0 1 3", "18446744073709551614 " NUMBERS },
	{ "duration", "1 1s", "0 1h 1ms 4294967295 4294967296 " NUMBERS },
	{ "size", "1 2 8 63 64 65 4095 4096 4097 16k 64K 1m",
	  "0 2m 2097153 4m 4194305 16m 1g 4g 4294967295 4294967296 5t k " NUMBERS },
	{ "validate" },
	{ "verbose" },
	{ "mem_mode", "dma reg fastreg", "mr none reg,reg" },
	{ "server_inv" },
	{ "read_inv" },
	{ "local_dma_lkey" },
	{ "txdepth", "1 2 16 64", "0 4096 65536 1048576 1048577 " NUMBERS },
	{ "tx-depth", "1 64", "0 16384 1048576 " NUMBERS },
	{ "cqmod", "1 2 16", "0 65 1048576 " NUMBERS },
	{ "batch", "1 2 16", "0 65 1048576 " NUMBERS },
	{ "inline" },
	{ "sge", "1 2 4", "0 16 32 33 " NUMBERS },
	{ "imm" },
	{ "atomic", "cas faa", "cmp none" },
	{ "srq" },
	{ "qps", "1 2 3", "0 64 1024 1025 4294967295 " NUMBERS },
	{ "threads", "1 2 3", "0 33 1024 1025 4294967295 " NUMBERS },
	{ "rate", "100 10000", "0 1 1000000000 1000000001 " NUMBERS },
	{ "poll" },
	{ "cq", "softirq workqueue", "direct irq" },
	{ "cpu", "0 0-1 0:0 0:1-1", "2 63 64 8191 65535 65536 0- -0 1-0 : 0: 0-63 0-64 0:0-62:1" },
	{ "histogram" },
	{ "ping" },
	{ "wlat" },
	{ "rlat" },
	{ "slat" },
	{ "bw" },
	{ "rbw" },
	{ "sbw" },
	{ "fr" },
	{ "duplex" },
	{ "clients", "0 1 2 3", "4294967295 4294967296 " NUMBERS },
	{ "background" },
	{ "export", "1 4k 1m 3000000", "0 64g 1t 1099511627776 1099511627777 " NUMBERS },
	{ "shared" },
	{ "ro" },
	{ "session" },
	{ "put" },
	{ "get" },
	{ "send" },
	{ "offset", "0 1 4095 1m", "4096 18446744073709551615 " NUMBERS },
	{ "len", "1 8 4k 64k", "0 65k 65537 " NUMBERS },
	{ "data", "hello a", "\" %s " SIXTEEN SIXTEEN },
	{ "hex", "00 0aFf", "0 0g 0x00 " SIXTEEN SIXTEEN SIXTEEN SIXTEEN },
	{ "unchecked" },
	{ "open" },
	{ "rw" },
	{ "close" },
	{ "regions" },
	{ "region", "1 7 2147483647", "0 2147483648 " NUMBERS },
	{ "disk" },
	{ "allow", "10.0.0.0/8 ::/0 0.0.0.0/0", "1.2.3.4 / 1.2.3.4/33 fd00::/129 " NUMBERS },
	{ "name", "krping7 krping-x", "krping sda krping0p1 krping/1 " SIXTEEN SIXTEEN },
	{ "reconnect", "1 30", "0 4294967296 " NUMBERS },
	{ "force" },
};

/* Options that fit both sides of a test that should succeed. */
static const char * const server_options[] = {
	"mem_mode=dma", "mem_mode=reg", "cq=workqueue", "srq", "histogram",
	"local_dma_lkey", "clients=2", "clients=0", "cpu=0-1", "verbose", "poll", "wait=1",
	"vector=1", "min_rnr_timer=1",
	"export=1m", "export=4k,ro",
};

static const char * const any_client_options[] = {
	"cq=workqueue", "warmup=2", "tos=32", "poll", "cpu=1", "local_dma_lkey",
	"retry=3", "device=DEVICE", "vector=0", "ack_timeout=14",
};

static const char * const ping_options[] = {
	"mem_mode=reg", "server_inv", "read_inv", "validate", "size=4k",
	"size=64k", "srq", "histogram", "verbose", "ping", "validate,validate",
};

static const char * const micro_options[] = {
	"mem_mode=reg", "qps=2", "threads=2", "sge=2", "size=4k", "size=64k",
	"srq", "txdepth=16", "rate=1000", "validate",
};

static const char * const tests[] = {
	"", "", "", ",wlat", ",rlat", ",slat", ",bw", ",rbw", ",sbw", ",fr",
	",wlat,inline", ",slat,imm", ",rlat,atomic=cas", ",rlat,atomic=faa",
	",bw,duplex", ",rbw,duplex", ",sbw,duplex", ",bw,batch=4,cqmod=4",
	",sbw,imm", ",sbw,inline",
};

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

/* Text beyond the end of the line is dropped. */
__attribute__((format(printf, 2, 3)))
static void add(struct line *line, const char *fmt, ...)
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

static unsigned int some_port(struct lines *l)
{
	if (one_in(l, 8))
		return SHARED_PORT + random_below(l, SHARED_PORTS);
	return l->port + random_below(l, OWN_PORTS);
}

/* Add a word of the grammar, or the value that it is replaced by. */
static void add_word(struct lines *l, struct line *line, const char *word,
		     size_t len)
{
	if (len == 4 && !memcmp(word, "ADDR", len))
		add(line, "%s", l->place->addr);
	else if (len == 5 && !memcmp(word, "ADDR6", len))
		add(line, "%s", l->place->addr6);
	else if (len == 5 && !memcmp(word, "LINK6", len))
		add(line, "fe80::1%%%s", l->place->interface);
	else if (len == 6 && !memcmp(word, "DEVICE", len))
		add(line, "%s", l->place->device);
	else if (len == 4 && !memcmp(word, "PORT", len))
		add(line, "%u", some_port(l));
	else
		add(line, "%.*s", (int)len, word);
}

/* Choose one of the words, which blanks separate. */
static void add_one_of(struct lines *l, struct line *line, const char *words)
{
	unsigned int n = 1;
	const char *s;

	for (s = words; *s; s++)
		n += *s == ' ';
	for (n = random_below(l, n); n; n--)
		words = strchr(words, ' ') + 1;
	add_word(l, line, words, strcspn(words, " "));
}

static void add_option(struct lines *l, struct line *line,
		       const struct option *o)
{
	add(line, "%s", o->name);
	if (one_in(l, 40)) {
		add(line, o->good ? "" : "=1");
		return;
	}
	if (!o->good)
		return;
	add(line, "=");
	if (!one_in(l, 60))
		add_one_of(l, line, one_in(l, 6) ? o->bad : o->good);
}

static void add_from(struct lines *l, struct line *line,
		     const char * const *words, unsigned int nr)
{
	const char *word = words[random_below(l, nr)];
	const char *operand = strstr(word, "=DEVICE");

	if (operand)
		add(line, ",%.*s=%s", (int)(operand - word), word,
		    l->place->device);
	else
		add(line, ",%s", word);
}

static const char *some_addr(struct lines *l)
{
	return one_in(l, 4) ? l->place->addr6 : l->place->addr;
}

static unsigned int some_timeout(struct lines *l)
{
	static const unsigned int ms[] = { 1, 20, 300, 2000, 2000, 2000 };

	return ms[random_below(l, ARRAY_SIZE(ms))];
}

static void server_line(struct lines *l, struct line *line)
{
	bool any = one_in(l, 8);
	unsigned int n;

	add(line, "server,addr=%s,port=%u,timeout=%u", any ? "0.0.0.0" : some_addr(l),
	    some_port(l), some_timeout(l));
	for (n = random_below(l, 3); n; n--)
		add_from(l, line, server_options, ARRAY_SIZE(server_options));
	if (!one_in(l, 8))
		add(line, ",background");
	line->patience_ms = 20 + random_below(l, 100);
}

static void client_line(struct lines *l, struct line *line)
{
	const char *test = tests[random_below(l, ARRAY_SIZE(tests))];
	unsigned int n;

	add(line, "client,addr=%s,port=%u,timeout=%u,count=%u%s", some_addr(l),
	    some_port(l), some_timeout(l), 1 + random_below(l, 20), test);
	for (n = random_below(l, 3); n; n--) {
		if (one_in(l, 2))
			add_from(l, line, any_client_options,
				 ARRAY_SIZE(any_client_options));
		else if (*test)
			add_from(l, line, micro_options, ARRAY_SIZE(micro_options));
		else
			add_from(l, line, ping_options, ARRAY_SIZE(ping_options));
	}
	if (one_in(l, 6))
		add(line, ",background");
	if (one_in(l, 40))
		add(line, ",duration=1");
	line->patience_ms = one_in(l, 8) ? 1 + random_below(l, 100) : 3000;
}

/* Write a server; the next line is a client that mostly fits. */
static void pair_server_line(struct lines *l, struct line *line)
{
	add(line, "server,addr=%s,port=%u,timeout=3000", l->place->addr, l->port);
	if (one_in(l, 2))
		add_from(l, line, server_options, ARRAY_SIZE(server_options));
	add(line, ",background");
	l->pending = true;
}

static void pair_client_line(struct lines *l, struct line *line)
{
	const char *test = tests[random_below(l, ARRAY_SIZE(tests))];

	add(line, "client,addr=%s,port=%u,timeout=3000,count=%u%s", l->place->addr,
	    l->port, 1 + random_below(l, 20), test);
	if (*test && one_in(l, 2))
		add_from(l, line, micro_options, ARRAY_SIZE(micro_options));
	else if (!*test)
		add_from(l, line, ping_options, ARRAY_SIZE(ping_options));
	l->pending = false;
}

/* Write random options in random order. */
static void wild_line(struct lines *l, struct line *line)
{
	unsigned int n = 1 + random_below(l, 8);

	if (!one_in(l, 8)) {
		add(line, one_in(l, 2) ? "server," : "client,");
		add(line, "addr=%s,port=%u,", some_addr(l), some_port(l));
	}
	while (n--) {
		add_option(l, line, &options[random_below(l, ARRAY_SIZE(options))]);
		if (n || one_in(l, 10))
			add(line, ",");
	}
	if (one_in(l, 10))
		add(line, "\n");
	line->patience_ms = 10 + random_below(l, 150);
}

static void stop_line(struct lines *l, struct line *line)
{
	add(line, "stop");
	if (!one_in(l, 4))
		add(line, ",id=%u", l->last_id + random_below(l, 4));
}

/**
 * next_line() - generate the next line of a writer
 * @l: state of the writer's generator
 * @line: the generated line
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

/**
 * print_option_names() - print all options of the grammar
 */
void print_option_names(void)
{
	const struct option *o;

	for (o = options; o < options + ARRAY_SIZE(options); o++)
		puts(o->name);
}
