/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_KERNEL_H
#define TESTS_UNIT_LINUX_KERNEL_H

#include_next <linux/kernel.h>

#include <stdarg.h>
#include <stdio.h>

#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/types.h>

#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif

/* Like the kernel's macros, these require two values of the same type. */
#define min(a, b)			\
({					\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	(void)(&__a == &__b);		\
	__a < __b ? __a : __b;		\
})

#define max(a, b)			\
({					\
	__typeof__(a) __a = (a);	\
	__typeof__(b) __b = (b);	\
	(void)(&__a == &__b);		\
	__a > __b ? __a : __b;		\
})

#define min_t(type, a, b)	min((type)(a), (type)(b))

static inline u64 clamp(u64 value, u64 low, u64 high)
{
	return value < low ? low : value > high ? high : value;
}

/* Compute bit by bit, because a double has fewer than 64 significant bits. */
static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0;
	int bit;

	for (bit = 31; bit >= 0; bit--) {
		u64 next = root | 1ULL << bit;

		if (next * next <= x)
			root = next;
	}
	return root;
}

/* Unlike vsnprintf(), return the number of characters written. */
static inline int vscnprintf(char *buf, size_t size, const char *fmt,
			     va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	if ((size_t)len < size)
		return len;
	return size ? size - 1 : 0;
}

static inline __printf(3, 4) int scnprintf(char *buf, size_t size,
					   const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}

#endif /* TESTS_UNIT_LINUX_KERNEL_H */
