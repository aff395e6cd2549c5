// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse the option --fault.
 */
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
	[SPOIL_AGAIN]	= "again",
	[SPOIL_SWAP]	= "swap",
	[SPOIL_LATE]	= "late",
};

const char * const stage_name[] = {
	[STAGE_REQUEST]	= "request",
	[STAGE_CONNECT]	= "connect",
	[STAGE_FIRST]	= "first",
	[STAGE_SECOND]	= "second",
	[STAGE_END]	= "end",
	[STAGE_REPORT]	= "report",
};

/* Type of the operand of a fault. */
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
	{ "overtake", FAULT_OVERTAKE, CLIENT, OP_NUMBER },
	{ "boast", FAULT_BOAST, SERVER, OP_NONE },
	{ "krdma", FAULT_KRDMA, CLIENT, OP_WORD },
	{ "place", FAULT_PLACE, CLIENT, OP_WORD },
	{ "ask", FAULT_ASK, CLIENT, OP_WORD },
	{ "answer", FAULT_ANSWER, SERVER, OP_WORD },
	{ "disk", FAULT_DISK, SERVER, OP_WORD },
	{ "setback", FAULT_SETBACK, SERVER, OP_NUMBER },
};

static enum peer_stage parse_stage(const char *text)
{
	unsigned int i;

	for (i = STAGE_REQUEST; i < ARRAY_SIZE(stage_name); i++)
		if (!strcmp(text, stage_name[i]))
			return i;
	usage_error("unknown stage");
}

/* Parse the operand of corrupt=, WHAT[@N]. */
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

void parse_fault(struct options *opt, char *text)
{
	char *arg = strchr(text, '=');
	unsigned int i;
	bool takes_operand;

	if (arg)
		*arg++ = '\0';
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(text, faults[i].name) && faults[i].roles & opt->role)
			break;
	if (i == ARRAY_SIZE(faults))
		usage_error("unknown fault, or a fault of another role");
	takes_operand = faults[i].operand != OP_NONE;
	if (takes_operand != !!arg)
		usage_error("the fault lacks its operand, or takes none");

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
