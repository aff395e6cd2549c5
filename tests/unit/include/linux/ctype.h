/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_CTYPE_H
#define TESTS_UNIT_LINUX_CTYPE_H

static inline int isdigit(int c)
{
	return c >= '0' && c <= '9';
}

static inline int islower(int c)
{
	return c >= 'a' && c <= 'z';
}

static inline int isxdigit(int c)
{
	return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline int tolower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

#endif /* TESTS_UNIT_LINUX_CTYPE_H */
