/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The kernel's current clocksource, for the result of a test.
 */
#ifndef KRPING_CLOCKSOURCE_H
#define KRPING_CLOCKSOURCE_H

#include <linux/types.h>

/**
 * struct krping_clock - the clocksource of the kernel at one moment
 * @name: name as in /sys/devices/system/clocksource, or "unknown"; NULL: krping_clock_read() has
 *	not filled in the struct
 * @changes: the kernel's counter of clocksource changes
 * @step: resolution of the kernel's timestamps in nanoseconds
 */
struct krping_clock {
	const char *name;
	unsigned int changes;
	u32 step;
};

/* Read the name and the resolution of the current clocksource. */
void krping_clock_read(struct krping_clock *clock);

#endif /* KRPING_CLOCKSOURCE_H */
