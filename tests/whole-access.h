/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For builds by gcc -include: let READ_ONCE() and WRITE_ONCE() reject numbers that the CPU cannot
 * access by one instruction. On 32-bit kernels these macros accept a u64, and access its halves one
 * after the other. krping/u64.h has functions for such numbers.
 */
#include <asm/rwonce.h>

#undef compiletime_assert_rwonce_type
#define compiletime_assert_rwonce_type(t) \
	compiletime_assert(__native_word(t), "READ_ONCE() or WRITE_ONCE() takes two instructions")
