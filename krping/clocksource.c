// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the clock is that latencies are measured with.
 *
 * An emulated timer instead of the TSC costs more than what is measured with it,
 * and so a figure is worth little without the name of its clock. The kernel tells
 * that to user space only.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/string.h>

#include "clocksource.h"

#define KRPING_CLOCKSOURCE_DIR	"/sys/devices/system/clocksource/clocksource0/"

static char krping_clocksource_name[32] = "unknown";

/**
 * krping_clocksource_init() - find out what the clock is now
 *
 * Process context.
 */
void krping_clocksource_init(void)
{
	char name[sizeof(krping_clocksource_name)] = "";
	struct file *file;
	loff_t pos = 0;
	ssize_t len;

	file = filp_open(KRPING_CLOCKSOURCE_DIR "current_clocksource",
			 O_RDONLY, 0);
	if (IS_ERR(file))
		return;
	len = kernel_read(file, name, sizeof(name) - 1, &pos);
	filp_close(file, NULL);
	if (len <= 0)
		return;
	strscpy(krping_clocksource_name, strim(name),
		sizeof(krping_clocksource_name));
}

/**
 * krping_clocksource() - the name of the clock
 *
 * Return: as in /sys/devices/system/clocksource, or "unknown".
 */
const char *krping_clocksource(void)
{
	return krping_clocksource_name;
}
