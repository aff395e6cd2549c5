/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_BUILD_BUG_H
#define TESTS_UNIT_LINUX_BUILD_BUG_H

#undef static_assert
#define static_assert(expr)	_Static_assert(expr, #expr)

#endif /* TESTS_UNIT_LINUX_BUILD_BUG_H */
