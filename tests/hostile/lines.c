// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The grammar of the commands: each option, with valid and invalid operands.
 */
#include <stdio.h>

#include "lines.h"

/**
 * struct option - an option and its operands
 * @name: name of the option
 * @good: valid operands, separated by blanks; NULL if the option takes none
 * @bad: invalid operands and edge cases, separated by blanks
 *
 * add_one_of() replaces ADDR, ADDR6, LINK6 and DEVICE by values of struct place, and PORT by a
 * number.
 */
struct option {
	const char *name;
	const char *good;
	const char *bad;
};

/* Invalid numbers and edge cases; addresses that are invalid or have no server; a long word. */
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
	{ "interval", "1 1s", "0 24h 86400 86401 " NUMBERS },
	{ "stride", "0 1 64 4k", "4095 4294967295 4294967296 4g " NUMBERS },
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
	{ "share" },
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
	{ "conform" },
	{ "case", "keys zero_write_bad_key keys:post", ": keys: :keys Keys nonsense keys::post" },
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

static void add_option(struct lines *l, struct line *line,
		       const struct option *o)
{
	add_text(line, "%s", o->name);
	if (one_in(l, 40)) {
		add_text(line, o->good ? "" : "=1");
		return;
	}
	if (!o->good)
		return;
	add_text(line, "=");
	if (!one_in(l, 60))
		add_one_of(l, line, one_in(l, 6) ? o->bad : o->good);
}

/**
 * add_any_option() - add a random option of the table
 * @l: state of the writer's generator
 * @line: the line
 */
void add_any_option(struct lines *l, struct line *line)
{
	add_option(l, line, &options[random_below(l, ARRAY_SIZE(options))]);
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
