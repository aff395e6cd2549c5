/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_STDDEF_H
#define TESTS_UNIT_LINUX_STDDEF_H

#include_next <linux/stddef.h>

#include <stddef.h>

#define sizeof_field(type, member)	sizeof(((type *)0)->member)

#endif /* TESTS_UNIT_LINUX_STDDEF_H */
