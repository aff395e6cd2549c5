/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Check that the figures of one result do not contradict each other. kwrite checks each result that
 * it reads.
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
 * @setup_ns: longest time that a foreground client may spend outside its iterations
 * @waited: the write returned after the end of the test, so that @wall_ns is the time of the test
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

/* Print a line to @to for each contradiction between figures. Return: number of contradictions. */
int identity_check(const struct identity *id, FILE *to);

#endif /* KRPING_IDENTITY_H */
