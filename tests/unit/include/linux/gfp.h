/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name. */
#ifndef TESTS_UNIT_LINUX_GFP_H
#define TESTS_UNIT_LINUX_GFP_H

#define GFP_KERNEL	0
#define __GFP_NOWARN	0

#endif /* TESTS_UNIT_LINUX_GFP_H */
