/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_BITOPS_H
#define TESTS_UNIT_LINUX_BITOPS_H

#include <linux/types.h>

#define BIT(nr)		(1UL << (nr))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

#endif /* TESTS_UNIT_LINUX_BITOPS_H */
