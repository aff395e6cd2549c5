/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_STRING_H
#define TESTS_UNIT_LINUX_STRING_H

#include <string.h>

#include <linux/types.h>

/* Return the first byte that is not @c; NULL if there is none. */
static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; bytes--, p++) {
		if (*p != (u8)c)
			return (void *)p;
	}
	return NULL;
}

#endif /* TESTS_UNIT_LINUX_STRING_H */
