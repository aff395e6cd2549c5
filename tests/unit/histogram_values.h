/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Random values, and the tolerance of values in buckets, for the tests of the histogram. */
#ifndef KRPING_UNIT_HISTOGRAM_VALUES_H
#define KRPING_UNIT_HISTOGRAM_VALUES_H

#include <linux/kernel.h>
#include <math.h>

/* State of xorshift64* (Vigna 2016), which yields the same values on every machine. */
static u64 random_state;

static inline u64 random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ULL;
}

/* Return: a random number from 0 up to, but not including, 1. */
static inline double random_unit(void)
{
	return (random_u64() >> 11) / 9007199254740992.0; /* divide by 2^53 */
}

/* Return: a value of the normal distribution with mean 100000 and deviation 12000. */
static inline u64 normal(size_t i)
{
	double r = sqrt(-2 * log(1 - random_unit()));

	(void)i;
	return 100000 + 12000 * r * cos(6.283185307179586 * random_unit());
}

/* Return: whether @got differs from @want by at most 1/256 of @want, or not at all below 256. */
static inline bool within_256th(u64 got, u64 want)
{
	u64 error = got > want ? got - want : want - got;

	return want < 256 ? !error : error <= want / 256;
}

#endif /* KRPING_UNIT_HISTOGRAM_VALUES_H */
