/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_LIMITS_H
#define TESTS_UNIT_LINUX_LIMITS_H

#include_next <linux/limits.h>

#include <limits.h>

#define U8_MAX	0xff
#define U16_MAX	0xffff
#define U32_MAX	0xffffffffU
#define U64_MAX	0xffffffffffffffffULL

#endif /* TESTS_UNIT_LINUX_LIMITS_H */
