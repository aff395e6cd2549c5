// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Test the words and the length of the explanations of rejected commands. */
#include "options_text.h"
#include "tap.h"

/* Test that explanations name the valid use of the option. */
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
			"duration=0: takes a whole number of seconds, or with s, m or h, from 1 to 4294967295",
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
		{
			"server,addr=1.2.3.4,allow=1.2.3.4/33",
			"allow=1.2.3.4/33: takes an IPv4 or IPv6 address, with or without /bits, at most 16 times",
		},
		{
			"server,addr=1.2.3.4,allow=fe80::1%eth0",
			"allow=fe80::1%eth0: takes no %interface, because a network applies to all interfaces",
		},
		{ "client,addr=1.2.3.4,mem_mode=mr", "mem_mode=mr: takes dma or reg" },
		{ "client,addr=1.2.3.4,addr6=::1",
		  "addr6=::1: given twice, first as addr" },
		{ "client,addr=1.2.3.4,clients=1", "clients: only for a server" },
		{ "server,addr=1.2.3.4,fr", "fr: only for a client" },
		{ "stop,port=1", "port: only for a server or a client" },
		{ "client,addr=1.2.3.4,id=1",
		  "id: only for stop, drain, list or an operation of a session" },
		{ "client,addr=1.2.3.4,open", "open: only for an operation of a session" },
		{ "client,addr=1.2.3.4,session,rw", "rw: only for an operation of a session" },
		{ "stop,inline",
		  "inline: only for a server, a client or an operation of a session" },
		{ "client,addr=1.2.3.4,duplex", "duplex: only with bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,cqmod=1", "cqmod: only with wlat, slat, bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,rlat,inline",
		  "inline: only with wlat, slat, bw, sbw or session" },
		{ "client,addr=1.2.3.4,qps=1",
		  "qps: only with wlat, rlat, slat, bw, rbw, sbw or session" },
		{ "client,addr=1.2.3.4,atomic=cas", "atomic: only with rlat" },
		{ "client,addr=1.2.3.4,bw,histogram",
		  "histogram: only with ping, wlat, rlat or slat" },
		{ "client,addr=1.2.3.4,fr,srq",
		  "srq: only with ping, wlat, rlat, slat, bw, rbw or sbw" },
		{ "client,addr=1.2.3.4,wlat,read_inv",
		  "read_inv: only with ping, the default test" },
		{ "client,addr=1.2.3.4,conform,verbose",
		  "verbose: only with ping, wlat, rlat, slat, bw, rbw, sbw or fr" },
		{ "server,addr=1.2.3.4,qps=2", "qps: only for a client" },
		{ "client,addr=1.2.3.4,bw,batch=65",
		  "batch: at most txdepth, which is 64" },
		{ "client,addr=1.2.3.4,bw,txdepth=4,cqmod=5",
		  "cqmod: at most txdepth, which is 4" },
		{ "client,addr=1.2.3.4,wlat,cqmod=9", "cqmod: at most 8 with wlat" },
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
		if (!ok(!strcmp(why, cases[i].why), "explains: %s", cases[i].why))
			diag("explains: %s", visible(why));
	}
}

/* Test that an explanation that does not fit is truncated. */
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
	ok(good, "an explanation is cut off at any size of its buffer");
}

/* Test that KRPING_WHY_MAX bytes hold the longest explanation. */
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
	ok(good, "the explanation of a command of 4096 bytes fits");
}

int main(void)
{
	test_words();
	test_small_why();
	test_long_text();
	return tap_done();
}
