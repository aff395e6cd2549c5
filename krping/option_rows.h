/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Short names for the rows of option_table.c, the only file that includes this one.
 */
#ifndef KRPING_OPTION_ROWS_H
#define KRPING_OPTION_ROWS_H

#include "option_table.h"

/* Roles that allow an option. */
#define SERVER		KRPING_FOR_SERVER
#define CLIENT		KRPING_FOR_CLIENT
#define STOP		KRPING_FOR_STOP
#define DRAIN		KRPING_FOR_DRAIN
#define HELP		KRPING_FOR_HELP
#define LIST		KRPING_FOR_LIST
#define MEMOP		KRPING_FOR_MEMOP
#define RUN		KRPING_FOR_RUN

/*
 * Tests that allow an option. MEASURED tests report figures. In ECHOES, the server answers each
 * operation with an operation of the same kind. STREAMS measure throughput. NOT_READS move the
 * data by SEND or RDMA WRITE.
 */
#define ALL		KRPING_FOR_EVERY_TEST
#define SESSION		BIT(KRPING_TEST_SESSION)
#define CONFORM		BIT(KRPING_TEST_CONFORM)
#define MEASURED	(ALL & ~(SESSION | CONFORM))
#define PING		KRPING_FOR_PING
#define RLAT		BIT(KRPING_TEST_RLAT)
#define FR		BIT(KRPING_TEST_FR)
#define ECHOES		(BIT(KRPING_TEST_WLAT) | BIT(KRPING_TEST_SLAT))
#define LATENCIES	(ECHOES | RLAT)
#define STREAMS		(BIT(KRPING_TEST_BW) | BIT(KRPING_TEST_RBW) | \
			 BIT(KRPING_TEST_SBW))
#define PERF		(LATENCIES | STREAMS)
#define NOT_READS	(PERF & ~(RLAT | BIT(KRPING_TEST_RBW)))

/* Whose value of a client's option the server uses. */
#define OWN		KRPING_SERVER_OWN
#define ADOPTED		KRPING_SERVER_ADOPTED

/*
 * The field of struct krping_options that an option sets. The macro is variadic,
 * because checkpatch reports a named parameter as evaluated twice.
 */
#define FIELD(...)							\
	.offset = offsetof(struct krping_options, __VA_ARGS__),		\
	.width = sizeof_field(struct krping_options, __VA_ARGS__)

/* The bool that the parser sets if the command has the option. */
#define GIVEN(field)	.given = offsetof(struct krping_options, field)

/* An option without an operand, which stores @_value in @_field. */
#define KEYWORD(_name, _field, _value)					\
	.name = _name, .type = KRPING_OPTION_KEYWORD, FIELD(_field), .value = _value

#define ADDR	"an IPv4 address, or an IPv6 address with or without %interface"

/* The words that the options mem_mode, atomic and cq accept as operands. */

static const struct krping_word mem_modes[] = {
	{ "dma", KRPING_MEM_DMA },
	{ "reg", KRPING_MEM_REG },
	{ "fastreg", KRPING_MEM_REG },
	{ }
};

static const struct krping_word atomics[] = {
	{ "cas", KRPING_ATOMIC_CAS },
	{ "faa", KRPING_ATOMIC_FAA },
	{ }
};

static const struct krping_word cq_contexts[] = {
	{ "softirq", KRPING_CQ_SOFTIRQ },
	{ "workqueue", KRPING_CQ_WORKQUEUE },
	{ }
};

#endif /* KRPING_OPTION_ROWS_H */
