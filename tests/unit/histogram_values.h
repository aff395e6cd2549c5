/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Random values, and the tolerance of a bucket; shared by the tests of the histogram. */
#ifndef KRPING_UNIT_HISTOGRAM_VALUES_H
#define KRPING_UNIT_HISTOGRAM_VALUES_H

#include <linux/kernel.h>
#include <math.h>

/* xorshift64* (Vigna 2016): the same values on every machine. */
static u64 random_state;

static inline u64 random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ULL;
}

static inline double random_unit(void)
{
	return (random_u64() >> 11) / 9007199254740992.0; /* 2^53 */
}

static inline u64 normal(size_t i)
{
	double r = sqrt(-2 * log(1 - random_unit()));

	(void)i;
	return 100000 + 12000 * r * cos(6.283185307179586 * random_unit());
}

static inline bool within_64th(u64 got, u64 want)
{
	u64 error = got > want ? got - want : want - got;

	return want < 64 ? !error : error <= want / 64;
}

#endif /* KRPING_UNIT_HISTOGRAM_VALUES_H */
