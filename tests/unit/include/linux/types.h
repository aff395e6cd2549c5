/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_TYPES_H
#define TESTS_UNIT_LINUX_TYPES_H

#include_next <linux/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint64_t aligned_u64 __attribute__((aligned(8)));

#endif /* TESTS_UNIT_LINUX_TYPES_H */
