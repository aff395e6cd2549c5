/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_INET_H
#define TESTS_UNIT_LINUX_INET_H

#include <arpa/inet.h>
#include <string.h>

#include <linux/types.h>

/* Unlike the kernel's functions, these accept only a text that is one whole address. */
static inline int shim_pton(int family, const char *src, int srclen, u8 *dst,
			    const char **end)
{
	char text[INET6_ADDRSTRLEN];

	if (srclen < 0 || (size_t)srclen >= sizeof(text))
		return 0;
	memcpy(text, src, srclen);
	text[srclen] = '\0';
	if (inet_pton(family, text, dst) != 1)
		return 0;
	*end = src + srclen;
	return 1;
}

static inline int in4_pton(const char *src, int srclen, u8 *dst, int delim,
			   const char **end)
{
	(void)delim;
	return shim_pton(AF_INET, src, srclen, dst, end);
}

static inline int in6_pton(const char *src, int srclen, u8 *dst, int delim,
			   const char **end)
{
	(void)delim;
	return shim_pton(AF_INET6, src, srclen, dst, end);
}

#endif /* TESTS_UNIT_LINUX_INET_H */
