/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands for /proc/krping that somebody might write who does not know better, or
 * who does. Which ones, the seed alone decides.
 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one write may have at most, and what a line may have here. */
#define COMMAND_MAX	4096
#define LINE_MAX_BYTES	(COMMAND_MAX + 64)

/**
 * struct place - where the lines shall be meant for
 * @addr: an IPv4 address of this machine, on the device
 * @addr6: likewise IPv6
 * @device: the RDMA device
 * @interface: the interface that it is on
 */
struct place {
	const char *addr;
	const char *addr6;
	const char *device;
	const char *interface;
};

/**
 * struct lines - one writer's lines
 * @random: what decides
 * @place: see there
 * @port: the first of the ports that no other writer uses
 * @last_id: a test that there was, for stop
 * @pending: a server has been written, and its client comes next
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
 * @len: how many; with @bad_pointer from an address that is none
 * @bad_pointer: see @len
 * @patience_ms: the writer gets a signal after so long
 */
struct line {
	char text[LINE_MAX_BYTES];
	size_t len;
	bool bad_pointer;
	unsigned int patience_ms;
};

unsigned int random_below(struct lines *l, unsigned int n);
void next_line(struct lines *l, struct line *line);
void print_option_names(void);

#endif /* LINES_H */
