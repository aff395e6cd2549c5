// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Generate commands, most of which are valid.
 */
#include <string.h>

#include "lines.h"

/* Options of a server. With them, most tests of the tables below should succeed. */
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

static void add_from(struct lines *l, struct line *line,
		     const char * const *words, unsigned int nr)
{
	const char *word = words[random_below(l, nr)];
	const char *operand = strstr(word, "=DEVICE");

	if (operand)
		add_text(line, ",%.*s=%s", (int)(operand - word), word,
			 l->place->device);
	else
		add_text(line, ",%s", word);
}

static unsigned int some_timeout(struct lines *l)
{
	static const unsigned int ms[] = { 1, 20, 300, 2000, 2000, 2000 };

	return ms[random_below(l, ARRAY_SIZE(ms))];
}

void server_line(struct lines *l, struct line *line)
{
	bool any = one_in(l, 8);
	unsigned int n;

	add_text(line, "server,addr=%s,port=%u,timeout=%u", any ? "0.0.0.0" : some_addr(l),
		 some_port(l), some_timeout(l));
	for (n = random_below(l, 3); n; n--)
		add_from(l, line, server_options, ARRAY_SIZE(server_options));
	if (!one_in(l, 8))
		add_text(line, ",background");
	line->patience_ms = 20 + random_below(l, 100);
}

void client_line(struct lines *l, struct line *line)
{
	const char *test = tests[random_below(l, ARRAY_SIZE(tests))];
	unsigned int n;

	add_text(line, "client,addr=%s,port=%u,timeout=%u,count=%u%s", some_addr(l),
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
		add_text(line, ",background");
	if (one_in(l, 40))
		add_text(line, ",duration=1");
	line->patience_ms = one_in(l, 8) ? 1 + random_below(l, 100) : 3000;
}

/* Add a server's command. The next line is its client. Most of these pairs should succeed. */
void pair_server_line(struct lines *l, struct line *line)
{
	add_text(line, "server,addr=%s,port=%u,timeout=3000", l->place->addr, l->port);
	if (one_in(l, 2))
		add_from(l, line, server_options, ARRAY_SIZE(server_options));
	add_text(line, ",background");
	l->pending = true;
}

void pair_client_line(struct lines *l, struct line *line)
{
	const char *test = tests[random_below(l, ARRAY_SIZE(tests))];

	add_text(line, "client,addr=%s,port=%u,timeout=3000,count=%u%s", l->place->addr,
		 l->port, 1 + random_below(l, 20), test);
	if (*test && one_in(l, 2))
		add_from(l, line, micro_options, ARRAY_SIZE(micro_options));
	else if (!*test)
		add_from(l, line, ping_options, ARRAY_SIZE(ping_options));
	l->pending = false;
}
