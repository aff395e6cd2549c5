/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* User-space stand-in for the kernel's header of this name, in which the file is a string. */
#ifndef TESTS_UNIT_LINUX_SEQ_FILE_H
#define TESTS_UNIT_LINUX_SEQ_FILE_H

#include <linux/kernel.h>

struct seq_file {
	char text[1024];
	size_t len;
};

/* Without the __printf attribute, because u64 is unsigned long here and the formats have %llu. */
static inline void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	m->len += vscnprintf(m->text + m->len, sizeof(m->text) - m->len, fmt, args);
	va_end(args);
}

static inline void seq_puts(struct seq_file *m, const char *s)
{
	seq_printf(m, "%s", s);
}

static inline void seq_putc(struct seq_file *m, char c)
{
	seq_printf(m, "%c", c);
}

#endif /* TESTS_UNIT_LINUX_SEQ_FILE_H */
