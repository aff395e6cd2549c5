// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The clock that latencies are measured with.
 *
 * An emulated timer instead of the TSC costs more than what is measured with it,
 * and so a figure is worth little without the name of its clock. The kernel gives
 * the name to user space only, and a module the number of changes.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "clocksource.h"
#include "compat.h"

#define KRPING_CLOCKSOURCE_FILE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Clock sources of a machine; few have more than four. */
#define KRPING_CLOCKSOURCES	8
#define KRPING_CLOCKSOURCE_MAX	32

#define KRPING_CLOCK_UNKNOWN	"unknown"

/* Guards the three below. A name never moves, because results point to it. */
static DEFINE_MUTEX(krping_clocks_lock);
static char krping_clocks[KRPING_CLOCKSOURCES][KRPING_CLOCKSOURCE_MAX];
static int krping_nr_clocks;
static struct krping_clock krping_clock_last;

static const char *krping_clock_intern(const char *name)
{
	int i;

	for (i = 0; i < krping_nr_clocks; i++)
		if (!strcmp(krping_clocks[i], name))
			return krping_clocks[i];
	if (i == KRPING_CLOCKSOURCES)
		return KRPING_CLOCK_UNKNOWN;
	strscpy(krping_clocks[i], name, sizeof(krping_clocks[i]));
	krping_nr_clocks++;
	return krping_clocks[i];
}

static const char *krping_clock_name(void)
{
	char name[KRPING_CLOCKSOURCE_MAX] = "";
	struct file *file;
	loff_t pos = 0;
	ssize_t len;

	/* A kthread of 7.3 has an empty root directory. */
	scoped_with_init_fs()
		file = filp_open(KRPING_CLOCKSOURCE_FILE, O_RDONLY, 0);
	if (IS_ERR(file))
		return KRPING_CLOCK_UNKNOWN;
	len = kernel_read(file, name, sizeof(name) - 1, &pos);
	filp_close(file, NULL);
	return len > 0 ? krping_clock_intern(strim(name)) : KRPING_CLOCK_UNKNOWN;
}

/**
 * krping_clock_read() - note which clock the kernel uses now
 * @clock: to be filled in
 *
 * Process context. Two readings with the same &krping_clock.changes have the same
 * clock, and had it all the time between.
 */
void krping_clock_read(struct krping_clock *clock)
{
	struct system_time_snapshot now;

	ktime_get_snapshot_id(CLOCK_REALTIME, &now);
	mutex_lock(&krping_clocks_lock);
	if (!krping_clock_last.name ||
	    !strcmp(krping_clock_last.name, KRPING_CLOCK_UNKNOWN) ||
	    krping_clock_last.changes != now.cs_was_changed_seq) {
		krping_clock_last.name = krping_clock_name();
		krping_clock_last.changes = now.cs_was_changed_seq;
	}
	clock->changes = krping_clock_last.changes;
	clock->step = ktime_get_resolution_ns();
	WRITE_ONCE(clock->name, krping_clock_last.name);
	mutex_unlock(&krping_clocks_lock);
}
