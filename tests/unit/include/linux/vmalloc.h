/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_VMALLOC_H
#define TESTS_UNIT_LINUX_VMALLOC_H

#include <stdlib.h>

static inline void *__vmalloc(size_t size, int flags)
{
	(void)flags;
	return malloc(size);
}

static inline void vfree(void *memory)
{
	free(memory);
}

#endif /* TESTS_UNIT_LINUX_VMALLOC_H */
