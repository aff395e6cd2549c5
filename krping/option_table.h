/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The table of options: a row defines an option. The parser with its checks, the command "help",
 * and the generator of Documentation/options.md read the rows.
 */
#ifndef KRPING_OPTION_TABLE_H
#define KRPING_OPTION_TABLE_H

#include <linux/bitops.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "options.h"

/* Maximum number of rows, for arrays of the parser. */
#define KRPING_OPTIONS_MAX	96

/* Masks of roles, for krping_option.roles. */
#define KRPING_FOR_SERVER	BIT(KRPING_ROLE_SERVER)
#define KRPING_FOR_CLIENT	BIT(KRPING_ROLE_CLIENT)
#define KRPING_FOR_STOP		BIT(KRPING_ROLE_STOP)
#define KRPING_FOR_HELP		BIT(KRPING_ROLE_HELP)
#define KRPING_FOR_LIST		BIT(KRPING_ROLE_LIST)
#define KRPING_FOR_MEMOP	BIT(KRPING_ROLE_MEMOP)
#define KRPING_FOR_DRAIN	BIT(KRPING_ROLE_DRAIN)
#define KRPING_FOR_RUN		(KRPING_FOR_SERVER | KRPING_FOR_CLIENT)

/* Masks of tests, for krping_option.tests. */
#define KRPING_FOR_PING		BIT(KRPING_TEST_PING)
/* All tests that a command can select. Only users of krdma.h run KRPING_TEST_KRDMA. */
#define KRPING_FOR_EVERY_TEST	((BIT(KRPING_TEST_COUNT) - 1) & ~BIT(KRPING_TEST_KRDMA))

/**
 * enum krping_option_type - how an operand is written
 * @KRPING_OPTION_KEYWORD: the option has no operand; it stores a fixed value
 * @KRPING_OPTION_NUMBER: decimal digits
 * @KRPING_OPTION_SIZE: decimal digits, and optionally k, m or g for a power of 1024
 * @KRPING_OPTION_COUNT: decimal digits, and optionally k, m or g for a power of 1000
 * @KRPING_OPTION_TIME: decimal digits, and optionally the unit s, m or h
 * @KRPING_OPTION_WORD: a word out of a list
 * @KRPING_OPTION_ADDR: an IPv4 or IPv6 address
 * @KRPING_OPTION_ADDR6: an IPv6 address
 * @KRPING_OPTION_NETWORK: an address, and optionally / and a number of bits. A command
 *	may have the option several times.
 * @KRPING_OPTION_DEVICE: name of an RDMA device
 * @KRPING_OPTION_DISK: name of a disk
 * @KRPING_OPTION_CASES: names of cases with colons between them
 * @KRPING_OPTION_CPUS: a list of CPUs and of ranges of CPUs
 * @KRPING_OPTION_TEXT: any text; the field is a pointer into the command
 * @KRPING_OPTION_HEX: pairs of hexadecimal digits; the field is a pointer into the command
 */
enum krping_option_type {
	KRPING_OPTION_KEYWORD,
	KRPING_OPTION_NUMBER,
	KRPING_OPTION_SIZE,
	KRPING_OPTION_COUNT,
	KRPING_OPTION_TIME,
	KRPING_OPTION_WORD,
	KRPING_OPTION_ADDR,
	KRPING_OPTION_ADDR6,
	KRPING_OPTION_NETWORK,
	KRPING_OPTION_DEVICE,
	KRPING_OPTION_DISK,
	KRPING_OPTION_CASES,
	KRPING_OPTION_CPUS,
	KRPING_OPTION_TEXT,
	KRPING_OPTION_HEX,
};

/**
 * struct krping_word - a word that an option accepts as its operand
 * @word: the word; NULL ends the list
 * @value: value that the word stores
 */
struct krping_word {
	const char *word;
	u32 value;
};

/**
 * enum krping_option_server - whose value of a client's option the server uses
 * @KRPING_SERVER_NONE: the option is not for both sides of a test, or both must have the same value
 * @KRPING_SERVER_OWN: that of its own command; the client's holds for the client only
 * @KRPING_SERVER_ADOPTED: the client's, which its request has
 */
enum krping_option_server {
	KRPING_SERVER_NONE,
	KRPING_SERVER_OWN,
	KRPING_SERVER_ADOPTED,
};

/**
 * struct krping_option - one row: the complete definition of an option
 * @name: name of the option
 * @alias: second name; NULL: none
 * @type: how the operand is written
 * @offset: offset of the field in struct krping_options that the option sets. Options
 *	that set the same field exclude each other.
 * @width: size of the field in bytes
 * @given: offset in struct krping_options of the bool that is true if the command has the option;
 *	0: none
 * @roles: bits of the roles that allow the option
 * @tests: bits of the tests that allow the option
 * @server: whose value the server of a test uses
 * @value: KRPING_OPTION_KEYWORD: the value to store
 * @words: KRPING_OPTION_WORD: the accepted words
 * @min: smallest value of a number, in @unit
 * @max: largest value of a number, in @unit
 * @unit: unit of the number, as text for the help; NULL: no unit
 * @per_sec: KRPING_OPTION_TIME: number of @unit per second
 * @operand: text that describes the operand in the help; NULL for a keyword or a number
 * @def: default of a number or a word
 * @def_text: text of the default for the help; NULL: the help prints @def for a number or a
 *	word, and nothing for other types
 * @help: the meaning in one line
 */
struct krping_option {
	const char *name;
	const char *alias;
	enum krping_option_type type;
	u16 offset;
	u16 width;
	u16 given;
	u8 roles;
	u16 tests;
	enum krping_option_server server;
	u32 value;
	const struct krping_word *words;
	u64 min;
	u64 max;
	const char *unit;
	u32 per_sec;
	const char *operand;
	u64 def;
	const char *def_text;
	const char *help;
};

extern const struct krping_option krping_option_table[];
extern const unsigned int krping_nr_options;

/**
 * krping_option_is_number() - check whether an operand is a number
 * @o: row of the option
 *
 * Return: true if the operand is a number, so that the row's min, max and numeric def apply.
 */
static inline bool krping_option_is_number(const struct krping_option *o)
{
	return o->type == KRPING_OPTION_NUMBER || o->type == KRPING_OPTION_SIZE ||
	       o->type == KRPING_OPTION_COUNT || o->type == KRPING_OPTION_TIME;
}

#endif /* KRPING_OPTION_TABLE_H */
