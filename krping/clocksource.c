// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The kernel's current clocksource, for the result of a test.
 *
 * Reading an emulated timer may take longer than the measured operation, so a result names its
 * clocksource. The kernel exports to modules only a counter of clocksource changes, so krping reads
 * the name from sysfs. krping does not use kernel_read_file(), which needs a file type such as
 * firmware. For sysfs the type would be READING_UNKNOWN, about which the security module IPE warns
 * since 6.12.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include "clocksource.h"
#include "compat.h"

#define KRPING_CLOCKSOURCE_FILE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Maximum number of remembered names; few machines have more than four clocksources. */
#define KRPING_CLOCKSOURCES	8
#define KRPING_CLOCKSOURCE_MAX	32

#define KRPING_CLOCK_UNKNOWN	"unknown"

/*
 * Protects the three variables below. Results of tests point to the names, so a name is
 * never overwritten or removed.
 */
static DEFINE_MUTEX(krping_clocks_lock);
static char krping_clocks[KRPING_CLOCKSOURCES][KRPING_CLOCKSOURCE_MAX];
static int krping_nr_clocks;
static struct krping_clock krping_clock_last;

/* Return the remembered copy of @name. If there is none, make one, unless the table is full. */
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

/* Read the name of the clocksource from sysfs, and return a remembered copy. */
static const char *krping_clock_name(void)
{
	char name[KRPING_CLOCKSOURCE_MAX] = "";
	struct file *file;
	loff_t pos = 0;
	ssize_t len;

	/* Since 7.3 the root directory of a kthread is empty, so use init's root directory. */
	scoped_with_init_fs()
		file = filp_open(KRPING_CLOCKSOURCE_FILE, O_RDONLY, 0);
	if (IS_ERR(file))
		return KRPING_CLOCK_UNKNOWN;
	len = kernel_read(file, name, sizeof(name) - 1, &pos);
	filp_close(file, NULL);
	return len > 0 ? krping_clock_intern(strim(name)) : KRPING_CLOCK_UNKNOWN;
}

/**
 * krping_clock_read() - read the name and the resolution of the current clocksource
 * @clock: filled in
 *
 * If two calls return the same &krping_clock.changes, the clocksource has not
 * changed between the calls.
 *
 * Context: process context.
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
