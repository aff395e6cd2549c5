/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_SOCKET_H
#define TESTS_UNIT_LINUX_SOCKET_H

#include_next <linux/socket.h>

#include <sys/socket.h>

#endif /* TESTS_UNIT_LINUX_SOCKET_H */
