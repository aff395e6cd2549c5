/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands that the parser must accept or reject. The KUnit suite and the unit tests in
 * user space include this file after options.h.
 */
#ifndef KRPING_OPTIONS_CASES_H
#define KRPING_OPTIONS_CASES_H

#include <linux/kernel.h>

/**
 * struct krping_good_case - a command that the parser must accept
 * @text: the command
 * @means: every value that is not the default, as krping_options_render() prints it
 */
struct krping_good_case {
	const char *text;
	const char *means;
};

/* Operands at their limits: names of 15 and 63 characters, and the first 62 of 64 CPUs. */
#define NAME_15	"abcdefghijklmno"
#define NAME_63	"abcdefghijklmnopqrstuvwxyz-0123456789-abcdefghijklmnopqrstuvwxy"
#define CPUS_62 \
	"0:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25:26:27:28:29:30" \
	":31:32:33:34:35:36:37:38:39:40:41:42:43:44:45:46:47:48:49:50:51:52:53:54:55:56:57:58:59:60:61"

static const struct krping_good_case krping_good_cases[] = {
#include "options_good_values.h"
#include "options_good_tests.h"
#include "options_good_roles.h"
};

#include "options_bad_cases.h"
#include "options_render.h"

#endif /* KRPING_OPTIONS_CASES_H */
