// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command line.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

const char * const spoil_name[] = {
	[SPOIL_BYTE]	= "byte",
	[SPOIL_FIRST]	= "first",
	[SPOIL_LAST]	= "last",
	[SPOIL_BIT]	= "bit",
	[SPOIL_PAGES]	= "pages",
	[SPOIL_STALE]	= "stale",
	[SPOIL_SHORT]	= "short",
	[SPOIL_SHIFT]	= "shift",
};

const char * const stage_name[] = {
	[STAGE_REQUEST]	= "request",
	[STAGE_CONNECT]	= "connect",
	[STAGE_FIRST]	= "first",
	[STAGE_SECOND]	= "second",
	[STAGE_END]	= "end",
	[STAGE_REPORT]	= "report",
};

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

/* Type of a fault's operand. */
enum operand {
	OP_NONE,
	OP_STAGE,
	OP_NUMBER,
	OP_WORD,
	OP_SPOIL,
};

static const struct {
	const char *name;
	enum peer_fault fault;
	int roles;
	enum operand operand;
} faults[] = {
	{ "silent", FAULT_SILENT, SERVER | CLIENT, OP_STAGE },
	{ "disconnect", FAULT_DISCONNECT, SERVER | CLIENT, OP_STAGE },
	{ "exit", FAULT_EXIT, SERVER | CLIENT, OP_STAGE },
	{ "kill", FAULT_KILL, SERVER | CLIENT, OP_STAGE },
	{ "length", FAULT_LENGTH, SERVER | CLIENT, OP_NUMBER },
	{ "twice", FAULT_TWICE, SERVER | CLIENT, OP_NONE },
	{ "burst", FAULT_BURST, SERVER | CLIENT, OP_NUMBER },
	{ "talk", FAULT_TALK, SERVER | CLIENT, OP_NUMBER },
	{ "corrupt", FAULT_CORRUPT, SERVER | CLIENT, OP_SPOIL },
	{ "reject", FAULT_REJECT, SERVER, OP_NUMBER },
	{ "rej", FAULT_REJ, SERVER, OP_WORD },
	{ "rep", FAULT_REP, SERVER, OP_WORD },
	{ "inv", FAULT_INV, SERVER | CLIENT, OP_WORD },
	{ "size", FAULT_SIZE, CLIENT, OP_NUMBER },
	{ "sink", FAULT_SINK, CLIENT, OP_NUMBER },
	{ "zero", FAULT_ZERO, CLIENT, OP_NONE },
	{ "rkey", FAULT_RKEY, CLIENT, OP_STAGE },
	{ "req", FAULT_REQ, CLIENT, OP_WORD },
	{ "ctl", FAULT_CTL, SERVER | CLIENT, OP_WORD },
	{ "ctl-second", FAULT_CTL_SECOND, SERVER | CLIENT, OP_WORD },
	{ "advert", FAULT_BUF_ADVERT, SERVER | CLIENT, OP_WORD },
	{ "early", FAULT_EARLY, SERVER | CLIENT, OP_NONE },
	{ "credit", FAULT_CREDIT, SERVER, OP_NUMBER },
	{ "boast", FAULT_BOAST, SERVER, OP_NONE },
	{ "krdma", FAULT_KRDMA, CLIENT, OP_WORD },
	{ "place", FAULT_PLACE, CLIENT, OP_WORD },
	{ "ask", FAULT_ASK, CLIENT, OP_WORD },
	{ "answer", FAULT_ANSWER, SERVER, OP_WORD },
	{ "setback", FAULT_SETBACK, SERVER, OP_NUMBER },
};

static const char usage_text[] =
"Usage: krping-peer server|client|tcp ADDR PORT [OPTION]...\n"
"\n"
"Speak the ping/pong protocol of krping and rping, or that of krping's\n"
"microbenchmarks, and misbehave on request. tcp does not speak at all: it makes\n"
"--flood N connections of TCP, as iWARP does, and resets each at once.\n"
"\n"
"  --count N        client: iterations (default 1); server: as many are expected\n"
"  --size N         bytes of ping data (default 64; server: at most 65536)\n"
"  --old            no private data, like an old krping or rping\n"
"  --at N           the iteration, from 0, in which the fault happens (default 0)\n"
"  --timeout S      how long each wait may take (default 60)\n"
"  --flood N        client: N connects at once, all of which should be rejected as\n"
"  --accepted N     busy, but for so many (default 0); then all of them vanish\n"
"  --pause FILE     client, not ping: wait for FILE before the first operation\n"
"  --report         ping: negotiate a report, and send or check it at the end\n"
"  --test TEST      client: wlat, rlat, slat, bw, rbw, sbw or fr instead of ping\n"
"  --flags N        client: more flags of the request\n"
"  --recvs N        how many RECVs for data the private data promises\n"
"  --session N, --conn-idx N, --conns-total N\n"
"                   client: these fields of the request\n"
"  --posts N        how many RECVs this side posts (default 16); none of fewer than\n"
"                   16 is posted again\n"
"  --rnr-retry N    how often the peer's QP may retry without a RECV of this side\n"
"                   (default 7: without end)\n"
"  --conns N        server, not ping: the client makes N connections, and the one\n"
"                   whose request has --conn-idx has the fault\n"
"  --late MS        see corrupt\n"
"  --leave          disconnect behind the fault, instead of waiting for the peer's end\n"
"  --fault F        one of these:\n"
"\n"
"both     silent=STAGE       say nothing any more, and wait for the peer's end\n"
"         disconnect=STAGE   in order, where it is not expected\n"
"         exit=STAGE         the process just ends\n"
"         kill=STAGE         it ends by SIGKILL\n"
"         length=N           a message of N bytes (at most 256)\n"
"         twice              a message two times\n"
"         burst=N            N messages (at most 255) without waiting for an answer\n"
"         talk=MS            a message of a wrong length, and then one more after\n"
"                            the other for so long, whatever the peer says\n"
"         inv=KEY            SEND_WITH_INV of this key. none: one that does not\n"
"                            exist. server: at the first go-ahead; own: of the key\n"
"                            that it answers; stale: at the second one, of the key\n"
"                            that the first one answered. client: at the first\n"
"                            advertisement; own, not ping: at the end, of the key\n"
"                            that the server has advertised\n"
"both     corrupt=WHAT[@N]   wrong data in operation N (default: --at). A number: one\n"
"                            bit of the byte at this offset; first, last: of this\n"
"                            byte; bit: one in the middle; pages: the second and\n"
"                            the third page are swapped; stale: the data of the\n"
"                            operation before (of the first: of the second); short:\n"
"                            the last quarter is missing; shift: the data is one\n"
"                            byte further back. A server of rlat or rbw shares the\n"
"                            wrong data from the beginning, or after --late MS\n"
"server   reject=N           with krping's private data and reason N; 0: without\n"
"         rej=WHAT           with private data that is garbage or truncated\n"
"         rep=WHAT           REP whose private data is garbage, truncated, or has\n"
"                            a wrong version, size, test, count or flags, or\n"
"                            no-flags\n"
"         early              ping: a go-ahead that nobody has asked for\n"
"both     ctl=WHAT           an unexpected control message, in place of the first\n"
"                            message of an iteration (server: of its go-ahead):\n"
"                            finish, credit, report, advert; garbage: one of no\n"
"                            known type; short, long: a finish of a wrong length,\n"
"                            stump: a report that is cut off\n"
"         ctl-second=WHAT    likewise, of the second\n"
"         advert=WHAT        not ping: a buffer advert that is zero, small or huge, has a\n"
"                            wrong key, is cut short, or comes twice\n"
"server   credit=N           sbw: say that N messages have been taken\n"
"         boast              not ping: report 2^63 iterations in one nanosecond\n"
"         setback=N          rlat with atomics: set the counter to 0 behind atomic N\n"
"client   early              not ping: data before the buffer advert\n"
"         size=N             advertise so many bytes\n"
"         sink=N             likewise, of the sink only\n"
"         zero               advertise address 0 and rkey 0\n"
"         rkey=first|second  advertise a key that does not exist\n"
"         krdma=WHAT         krdma: message --at is: overrun: 40 without credits; head:\n"
"                            nothing but a head; empty: one of length 0; short: less\n"
"                            than its head says; surplus: more; long: 1 MiB and a\n"
"                            byte; huge: 4 GiB; gap: without its second fragment; new:\n"
"                            begun and followed by another; part: begun, and then\n"
"                            disconnect; taken: with too high a credit; credit,\n"
"                            credit-back: a credit too high, or taken back; silent:\n"
"                            say nothing any more\n"
"         place=ADDR:RKEY    session: WRITE 64 bytes to this place, in hexadecimal\n"
"         ask=WHAT           session: early, twice, deaf, nonsense, or a region's id\n"
"                            digits, or own: to the own region; without this fault:\n"
"                            READ the own region, after --pause\n"
"         req=WHAT           REQ whose private data is garbage, magic (nothing\n"
"                            else), truncated, or has a wrong version, test,\n"
"                            flags, or a size that is zero, large or huge;\n"
"                            short: as truncated, but only for iWARP, which\n"
"                            does not pad\n"
"\n"
"STAGE: request (server: a client asks; client: it has asked, for exit and kill\n"
"only), connect (connected, nothing said yet), first or second (the server\n"
"should send this go-ahead, the client has it), end (server: the iteration is\n"
"over), report (server: it should send the report; client: all iterations are\n"
"done, and the server should hear that). Not ping: connect (no buffer advert yet), first\n"
"(the buffer adverts are exchanged, and the operation is next), second (server of sbw: the\n"
"data has come), report.\n"
"\n"
"Exit status: 0 when all went as planned, which with a fault means that the peer\n"
"ended the connection or rejected it; 1 when not; 2 for a wrong command line.\n";

__attribute__((noreturn))
static void usage_error(const char *why)
{
	fprintf(stderr, "krping-peer: %s\n\n%s", why, usage_text);
	exit(2);
}

uint64_t parse_number(const char *text, uint64_t max)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || n > max)
		usage_error("a number is none, or too large");
	return n;
}

static enum peer_stage parse_stage(const char *text)
{
	unsigned int i;

	for (i = STAGE_REQUEST; i < ARRAY_SIZE(stage_name); i++)
		if (!strcmp(text, stage_name[i]))
			return i;
	usage_error("there is no such stage");
}

static enum test parse_test(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_name); i++)
		if (!strcmp(text, test_name[i]))
			return i;
	usage_error("there is no such test");
}

/* WHAT[@N] */
static void parse_spoil(struct options *opt, char *text)
{
	char *at = strchr(text, '@');
	unsigned int i;

	if (at) {
		*at++ = '\0';
		opt->at = parse_number(at, UINT64_MAX);
	}
	opt->spoil = SPOIL_BYTE;
	for (i = SPOIL_FIRST; i < ARRAY_SIZE(spoil_name); i++)
		if (!strcmp(text, spoil_name[i]))
			opt->spoil = i;
	if (opt->spoil == SPOIL_BYTE)
		opt->number = parse_number(text, UINT32_MAX);
}

static uint64_t max_operand(enum peer_fault fault)
{
	switch (fault) {
	case FAULT_LENGTH:
		return RECV_BYTES;
	case FAULT_BURST:
		return UINT8_MAX;
	default:
		return UINT32_MAX;
	}
}

static void parse_fault(struct options *opt, char *text)
{
	char *arg = strchr(text, '=');
	unsigned int i;
	bool wanted;

	if (arg)
		*arg++ = '\0';
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(text, faults[i].name) && faults[i].roles & opt->role)
			break;
	if (i == ARRAY_SIZE(faults))
		usage_error("there is no such fault");
	wanted = faults[i].operand != OP_NONE;
	if (wanted != !!arg)
		usage_error("the fault's operand is missing, or there should be none");

	opt->fault = faults[i].fault;
	switch (faults[i].operand) {
	case OP_STAGE:
		opt->stage = parse_stage(arg);
		break;
	case OP_NUMBER:
		opt->number = parse_number(arg, max_operand(opt->fault));
		break;
	case OP_SPOIL:
		parse_spoil(opt, arg);
		break;
	default:
		opt->word = arg;
		break;
	}
}

void parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", required_argument, NULL, 'c' },
		{ "size", required_argument, NULL, 's' },
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
		{ "conn-idx", required_argument, NULL, 'l' },
		{ "conns-total", required_argument, NULL, 'L' },
		{ "posts", required_argument, NULL, 'P' },
		{ "rnr-retry", required_argument, NULL, 'N' },
		{ "conns", required_argument, NULL, 'C' },
		{ "late", required_argument, NULL, 'M' },
		{ "leave", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	char *fault = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt->count = parse_number(optarg, UINT64_MAX);
			opt->count_given = true;
			break;
		case 's':
			opt->size = parse_number(optarg, SIZE_MAX_TOTAL);
			break;
		case 'o':
			opt->old = true;
			break;
		case 'a':
			opt->at = parse_number(optarg, UINT64_MAX);
			break;
		case 't':
			opt->timeout_ms = parse_number(optarg, 3600) * 1000;
			break;
		case 'n':
			opt->flood = parse_number(optarg, FLOOD_MAX);
			break;
		case 'A':
			opt->accepted = parse_number(optarg, FLOOD_MAX);
			break;
		case 'p':
			opt->pause = optarg;
			break;
		case 'f':
			fault = optarg;
			break;
		case 'r':
			opt->report = true;
			break;
		case 'T':
			opt->test = parse_test(optarg);
			break;
		case 'F':
			opt->flags = parse_number(optarg, UINT16_MAX);
			break;
		case 'R':
			opt->recvs = parse_number(optarg, UINT32_MAX);
			opt->recvs_given = true;
			break;
		case 'S':
			opt->session = parse_number(optarg, UINT32_MAX);
			break;
		case 'l':
			opt->conn_idx = parse_number(optarg, UINT16_MAX);
			break;
		case 'L':
			opt->conns_total = parse_number(optarg, UINT16_MAX);
			break;
		case 'P':
			opt->posts = parse_number(optarg, NR_RECV);
			break;
		case 'N':
			opt->rnr_retry = parse_number(optarg, 7);
			break;
		case 'C':
			opt->conns = parse_number(optarg, CONNS_MAX);
			break;
		case 'M':
			opt->late_ms = parse_number(optarg, LIMIT_SECONDS * 1000);
			break;
		case 'V':
			opt->leave = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			usage_error("there is no such option");
		}
	}

	if (argc - optind != 3)
		usage_error("wanted: server or client, an address, a port");
	if (!strcmp(argv[optind], "server"))
		opt->role = SERVER;
	else if (!strcmp(argv[optind], "client"))
		opt->role = CLIENT;
	else if (!strcmp(argv[optind], "tcp"))
		opt->role = TCP;
	else
		usage_error("server, client or tcp?");
	opt->addr = argv[optind + 1];
	opt->port = parse_number(argv[optind + 2], UINT16_MAX);
	if (fault)
		parse_fault(opt, fault);
	if (!opt->recvs_given && opt->role == SERVER)
		opt->recvs = DATA_RECVS;
	if (!opt->size)
		opt->size = opt->role == SERVER ? 65536 : 64;
}
