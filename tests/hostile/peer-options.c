// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse the command line.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

const char * const test_name[] = {
	[TEST_PING] = "ping",
	[TEST_WLAT] = "wlat",
	[TEST_RLAT] = "rlat",
	[TEST_SLAT] = "slat",
	[TEST_BW]   = "bw",
	[TEST_RBW]  = "rbw",
	[TEST_SBW]  = "sbw",
	[TEST_FR]   = "fr",
	[TEST_SESSION] = "session",
	[TEST_KRDMA] = "krdma",
};

uint64_t parse_number(const char *text, uint64_t max)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || n > max)
		usage_error("invalid number, or above its limit");
	return n;
}

static enum test parse_test(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_name); i++)
		if (!strcmp(text, test_name[i]))
			return i;
	usage_error("unknown test");
}

/* Store the operand of an option that takes a number. Return: false if it takes none. */
static bool store_number(struct options *opt, int letter, const char *text)
{
	switch (letter) {
	case 'c':
		opt->count = parse_number(text, UINT64_MAX);
		opt->count_given = true;
		break;
	case 's':
		opt->size = parse_number(text, SIZE_MAX_TOTAL);
		break;
	case 'a':
		opt->at = parse_number(text, UINT64_MAX);
		break;
	case 'n':
		opt->flood = parse_number(text, FLOOD_MAX);
		break;
	case 'A':
		opt->accepted = parse_number(text, FLOOD_MAX);
		break;
	case 'F':
		opt->flags = parse_number(text, UINT16_MAX);
		break;
	case 'R':
		opt->recvs = parse_number(text, UINT32_MAX);
		opt->recvs_given = true;
		break;
	case 'S':
		opt->session = parse_number(text, UINT32_MAX);
		break;
	case 'l':
		opt->conn_idx = parse_number(text, UINT16_MAX);
		break;
	case 'L':
		opt->conns_total = parse_number(text, UINT16_MAX);
		break;
	case 'P':
		opt->posts = parse_number(text, NR_RECV);
		break;
	case 'N':
		opt->rnr_retry = parse_number(text, 7);
		break;
	case 'D':
		opt->reads = parse_number(text, UINT8_MAX);
		break;
	case 'C':
		opt->conns = parse_number(text, CONNS_MAX);
		break;
	case 'E':
		opt->stride = parse_number(text, UINT32_MAX);
		break;
	case 'M':
		opt->late_ms = parse_number(text, LIMIT_SECONDS * 1000);
		break;
	case 't':
		opt->timeout_ms = parse_number(text, 3600) * 1000;
		break;
	default:
		return false;
	}
	return true;
}

static void parse_option(struct options *opt, int letter)
{
	if (store_number(opt, letter, optarg))
		return;
	switch (letter) {
	case 'o':
		opt->old = true;
		break;
	case 'p':
		opt->pause = optarg;
		break;
	case 'r':
		opt->report = true;
		break;
	case 'O':
		opt->config = optarg;
		break;
	case 'T':
		opt->test = parse_test(optarg);
		break;
	case 'V':
		opt->leave = true;
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(0);
	default:
		usage_error("unknown option");
	}
}

/* Parse the role, the address and the port. */
static void parse_operands(struct options *opt, char **argv)
{
	if (!strcmp(argv[0], "server"))
		opt->role = SERVER;
	else if (!strcmp(argv[0], "client"))
		opt->role = CLIENT;
	else if (!strcmp(argv[0], "tcp"))
		opt->role = TCP;
	else
		usage_error("the role is server, client or tcp");
	opt->addr = argv[1];
	opt->port = parse_number(argv[2], UINT16_MAX);
}

void parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", required_argument, NULL, 'c' },
		{ "size", required_argument, NULL, 's' },
		{ "stride", required_argument, NULL, 'E' },
		{ "old", no_argument, NULL, 'o' },
		{ "at", required_argument, NULL, 'a' },
		{ "timeout", required_argument, NULL, 't' },
		{ "flood", required_argument, NULL, 'n' },
		{ "accepted", required_argument, NULL, 'A' },
		{ "pause", required_argument, NULL, 'p' },
		{ "fault", required_argument, NULL, 'f' },
		{ "report", no_argument, NULL, 'r' },
		{ "test", required_argument, NULL, 'T' },
		{ "flags", required_argument, NULL, 'F' },
		{ "recvs", required_argument, NULL, 'R' },
		{ "session", required_argument, NULL, 'S' },
		{ "options", required_argument, NULL, 'O' },
		{ "conn-idx", required_argument, NULL, 'l' },
		{ "conns-total", required_argument, NULL, 'L' },
		{ "posts", required_argument, NULL, 'P' },
		{ "rnr-retry", required_argument, NULL, 'N' },
		{ "reads", required_argument, NULL, 'D' },
		{ "conns", required_argument, NULL, 'C' },
		{ "late", required_argument, NULL, 'M' },
		{ "leave", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	char *fault = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		if (c == 'f')
			fault = optarg;
		else
			parse_option(opt, c);
	}
	if (argc - optind != 3)
		usage_error("needs a role, an address and a port");
	parse_operands(opt, argv + optind);
	if (fault)
		parse_fault(opt, fault);
	if (!opt->recvs_given && opt->role == SERVER)
		opt->recvs = DATA_RECVS;
	if (!opt->size)
		opt->size = opt->role == SERVER ? 65536 : 64;
}
