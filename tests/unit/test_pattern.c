// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Compare the data of ping with that of a simple implementation. */
#include <linux/kernel.h>
#include <linux/string.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../../krping/pattern.h"
#include "tap.h"

#define GUARD	0xa5

static const u64 iterations[] = {
	0, 1, 9, 10, 56, 57, 58, 59, 99, 100, 12345, 4294967295ULL, 4294967296ULL,
	9999999999999999999ULL, 10000000000000000000ULL, U64_MAX,
};

/* Make the data of an iteration byte by byte. */
static u8 *naive(size_t size, u64 n)
{
	u8 *data = malloc(size);
	char text[40];
	size_t cc, i;

	if (!data)
		abort();
	cc = snprintf(text, sizeof(text), "rdma-ping-%" PRIu64 ": ", n);
	for (i = 0; i < size; i++) {
		if (i < cc)
			data[i] = text[i];
		else
			data[i] = 65 + (n % 58 + (i - cc)) % 58;
	}
	data[size - 1] = '\0';
	return data;
}

/*
 * Make a piece of the data of iteration @n: @len bytes from offset @off, in a buffer of exactly
 * @len bytes. Return: whether the piece equals that of @want, and krping_pattern_check() finds no
 * wrong byte.
 */
static bool piece_is_right(const u8 *want, size_t off, size_t len, size_t size,
			   u64 n)
{
	u8 *got = malloc(len ? len : 1);
	bool good;

	if (!got)
		abort();
	memset(got, GUARD, len ? len : 1);
	krping_pattern_fill(got, off, len, size, n);
	good = len ? !memcmp(got, want + off, len) : got[0] == GUARD;
	good &= krping_pattern_check(got, off, len, size, n) == len;
	if (!good)
		diag("off %zu len %zu size %zu n %" PRIu64, off, len, size, n);
	free(got);
	return good;
}

/* Test every piece of every small size. */
static void test_small(u64 n)
{
	size_t size, off, len;
	bool good = true;

	for (size = 1; size <= 100; size++) {
		u8 *want = naive(size, n);

		for (off = 0; off <= size; off++) {
			for (len = 0; off + len <= size; len++)
				good &= piece_is_right(want, off, len, size, n);
		}
		free(want);
	}
	ok(good, "iteration %" PRIu64 ": every piece of 1 to 100 bytes", n);
}

/* Test large sizes, made in chunks. */
static void test_large(u64 n)
{
	/* The letters repeat after 58 bytes; 928 and 986 are multiples of 58. */
	static const size_t sizes[] = {
		927, 928, 929, 985, 986, 987, 4096, 65535, 65536, 262144, 1 << 20,
	};
	static const size_t chunks[] = { 1000, 4096, 65536, 1 << 20 };
	bool good = true;
	size_t i, j, off;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *want = naive(sizes[i], n);

		for (j = 0; j < ARRAY_SIZE(chunks); j++) {
			for (off = 0; off < sizes[i]; off += chunks[j])
				good &= piece_is_right(want, off,
						       min(chunks[j], sizes[i] - off),
						       sizes[i], n);
		}
		free(want);
	}
	ok(good, "iteration %" PRIu64 ": large sizes in chunks", n);
}

static void test_random(void)
{
	bool good = true;
	int i;

	srand(1);
	for (i = 0; i < 20000; i++) {
		size_t size = 1 + rand() % 3000;
		size_t off = rand() % (size + 1);
		size_t len = rand() % (size - off + 1);
		u64 n = (u64)rand() << (rand() % 33);
		u8 *want = naive(size, n);

		good &= piece_is_right(want, off, len, size, n);
		free(want);
	}
	ok(good, "20000 random pieces");
}

/* Test the data of two iterations against literal texts, and data shorter than the text. */
static void test_known(void)
{
	u8 data[64];

	krping_pattern_fill(data, 0, 64, 64, 0);
	ok(!strcmp((char *)data,
		   "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr"),
	   "iteration 0 is what krping has always sent");
	krping_pattern_fill(data, 0, 64, 64, 57);
	ok(!strcmp((char *)data,
		   "rdma-ping-57: zABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnop"),
	   "iteration 57 starts with the last letter");
	krping_pattern_fill(data, 0, 8, 8, 0);
	ok(!strcmp((char *)data, "rdma-pi"), "a small size cuts the text off");
	data[0] = 'x';
	krping_pattern_fill(data, 0, 1, 1, 0);
	ok(data[0] == '\0', "data of one byte is the NUL");
}

/* Change a bit of each byte in turn: krping_pattern_check() has to find the offset of the byte. */
static void test_check(size_t size, u64 n)
{
	u8 *data = naive(size, n);
	bool good = true;
	size_t i;

	for (i = 0; i < size; i++) {
		data[i] ^= 0x10;
		good &= krping_pattern_check(data, 0, size, size, n) == i;
		good &= krping_pattern_check(data + i, i, size - i, size, n) == 0;
		good &= krping_pattern_check(data, 0, i, size, n) == i;
		data[i] ^= 0x10;
	}
	ok(good, "iteration %" PRIu64 ", %zu bytes: each wrong byte is found", n, size);
	/* The text "rdma-ping-N: " has 12 characters and the digits of N, at most 20. */
	ok(size < 12 || krping_pattern_check(data, 0, size, size, n + 1) < 12 + 20,
	   "iteration %" PRIu64 ", %zu bytes: the next iteration differs", n, size);
	free(data);
}

/* Test that krping_pattern_mismatch() returns the offset of the first different byte. */
static void test_mismatch(void)
{
	static u8 a[4099], b[4099];
	bool good = true;
	size_t len, i;

	krping_pattern_fill(a, 0, sizeof(a), sizeof(a), 3);
	memcpy(b, a, sizeof(a));
	ok(krping_pattern_mismatch(a, b, 0) == 0, "0 bytes do not differ");
	ok(krping_pattern_mismatch(a, b, sizeof(a)) == sizeof(a), "equal data does not differ");
	for (len = 1; len <= sizeof(a); len += 1 + len / 2) {
		for (i = 0; i < len; i++) {
			b[i] ^= 1;
			good &= krping_pattern_mismatch(a, b, len) == i;
			b[len - 1] ^= 2;
			good &= krping_pattern_mismatch(a, b, len) == i;
			memcpy(b, a, len);
		}
	}
	ok(good, "the first difference is found at each offset");
	b[10] ^= 1;
	ok(krping_pattern_mismatch(a, b, 10) == 10, "a difference beyond the end is ignored");
}

int main(void)
{
	size_t i;

	test_known();
	for (i = 0; i < ARRAY_SIZE(iterations); i++) {
		test_small(iterations[i]);
		test_large(iterations[i]);
	}
	test_random();
	test_check(1, 0);
	test_check(5, 3);
	test_check(64, 57);
	test_check(2000, 12345);
	test_mismatch();
	return tap_done();
}
