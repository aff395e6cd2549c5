/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-space stand-in for the kernel's header of this name. krping/u64.h needs atomic64_t on 32-bit
 * machines only, and the unit tests run on 64-bit ones.
 */
#ifndef TESTS_UNIT_LINUX_ATOMIC_H
#define TESTS_UNIT_LINUX_ATOMIC_H

#endif /* TESTS_UNIT_LINUX_ATOMIC_H */
