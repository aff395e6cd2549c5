/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Check that the figures of one result do not contradict each other.
 */
#ifndef KRPING_IDENTITY_H
#define KRPING_IDENTITY_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct identity - a result, and what kwrite knows of its command
 * @text: the result's lines
 * @command: the command; NULL if unknown
 * @wall_ns: time from the start of the write to the end of the read; 0 if unknown
 * @setup_ns: limit of the time of a foreground client outside its iterations
 * @waited: the write returned after the end of the test
 * @untrusted_peer: the peer may report invented figures
 */
struct identity {
	const char *text;
	const char *command;
	uint64_t wall_ns;
	uint64_t setup_ns;
	int waited;
	int untrusted_peer;
};

int identity_check(const struct identity *id, FILE *to);

#endif /* KRPING_IDENTITY_H */
