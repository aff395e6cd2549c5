/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the clock is that latencies are measured with.
 */
#ifndef KRPING_CLOCKSOURCE_H
#define KRPING_CLOCKSOURCE_H

void krping_clocksource_init(void);
const char *krping_clocksource(void);

#endif /* KRPING_CLOCKSOURCE_H */
