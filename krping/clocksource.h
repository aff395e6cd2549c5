/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The clock that latencies are measured with.
 */
#ifndef KRPING_CLOCKSOURCE_H
#define KRPING_CLOCKSOURCE_H

#include <linux/types.h>

/**
 * struct krping_clock - the kernel's clock at one moment
 * @name: as in /sys/devices/system/clocksource, or "unknown"; NULL: not read yet
 * @changes: how often the kernel has changed its clock
 * @step: nanoseconds of a step of the clock
 */
struct krping_clock {
	const char *name;
	unsigned int changes;
	u32 step;
};

void krping_clock_read(struct krping_clock *clock);

#endif /* KRPING_CLOCKSOURCE_H */
