/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Figures of one result that follow from each other.
 */
#ifndef KRPING_IDENTITY_H
#define KRPING_IDENTITY_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct identity - a result and what is known of its command from outside
 * @text: the result's lines
 * @command: the command that was written; NULL if unknown
 * @wall_ns: from the start of the write to the end of the read; 0 if unknown
 * @setup_ns: upper bound for all that a foreground client does beside its iterations
 * @waited: the write returned when the test had ended
 * @untrusted_peer: the peer may report anything
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
