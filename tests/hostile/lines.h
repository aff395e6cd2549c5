/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Generate valid, invalid and damaged commands for /proc/krping. The seed determines
 * all commands.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Longest command that krping accepts, and longest line of the generator. */
#define COMMAND_MAX	4096
#define LINE_MAX_BYTES	(COMMAND_MAX + 64)

/**
 * struct place - addresses and devices for the lines
 * @addr: an IPv4 address of this machine, on the device
 * @addr6: an IPv6 address of this machine, on the device
 * @device: the RDMA device
 * @interface: network interface of the device
 */
struct place {
	const char *addr;
	const char *addr6;
	const char *device;
	const char *interface;
};

/**
 * struct lines - generator of one writer's lines
 * @random: state of the random numbers
 * @place: addresses and devices
 * @port: first of the ports that only this writer uses
 * @last_id: number of an earlier test, for stop
 * @pending: the last line was the server of a pair, and the next line is its client
 */
struct lines {
	uint64_t random;
	const struct place *place;
	unsigned int port;
	unsigned int last_id;
	bool pending;
};

/**
 * struct line - one write
 * @text: the bytes
 * @len: number of bytes
 * @bad_pointer: write from an invalid address instead of @text
 * @patience_ms: time in ms after which a writer that is still in write(2) gets a signal
 */
struct line {
	char text[LINE_MAX_BYTES];
	size_t len;
	bool bad_pointer;
	unsigned int patience_ms;
};

/* lines-add.c: random_below() returns a number below @n; one_in() is true once in @n calls. */
unsigned int random_below(struct lines *l, unsigned int n);
bool one_in(struct lines *l, unsigned int n);
__attribute__((format(printf, 2, 3)))
void add_text(struct line *line, const char *fmt, ...);
void add_one_of(struct lines *l, struct line *line, const char *words);
unsigned int some_port(struct lines *l);
const char *some_addr(struct lines *l);

/* lines.c: the table of options */
void add_any_option(struct lines *l, struct line *line);
void print_option_names(void);

/* lines-valid.c: commands, most of which are valid; a pair is a server and then its client */
void server_line(struct lines *l, struct line *line);
void client_line(struct lines *l, struct line *line);
void pair_server_line(struct lines *l, struct line *line);
void pair_client_line(struct lines *l, struct line *line);

/* lines-damage.c */
void damage_line(struct lines *l, struct line *line);

/* lines-next.c */
void next_line(struct lines *l, struct line *line);

#endif /* LINES_H */
