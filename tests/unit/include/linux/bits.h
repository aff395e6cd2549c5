/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_BITS_H
#define TESTS_UNIT_LINUX_BITS_H

#define BIT(nr)		(1UL << (nr))

#endif /* TESTS_UNIT_LINUX_BITS_H */
