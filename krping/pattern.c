// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Write and compare the data of an iteration. The loop that krping measures calls these functions,
 * so they do not use snprintf(), and examine single bytes only if the data differs.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "pattern.h"

#define LETTERS		58	/* from 'A', 65, to 'z', 122 */
#define ALPHABET	"ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"

/* Bytes that one memcpy() copies: whole repetitions of the letters. */
#define RUN		(16 * LETTERS)

/* RUN bytes, and all letters once more, because a copy of RUN bytes may start at any letter. */
static const char rotation[] =
	ALPHABET ALPHABET ALPHABET ALPHABET
	ALPHABET ALPHABET ALPHABET ALPHABET
	ALPHABET ALPHABET ALPHABET ALPHABET
	ALPHABET ALPHABET ALPHABET ALPHABET
	ALPHABET;

static_assert(sizeof(rotation) - 1 == RUN + LETTERS);

#define TEXT_START	"rdma-ping-"
#define TEXT_START_LEN	(sizeof(TEXT_START) - 1)
#define TEXT_MAX	(TEXT_START_LEN + 20 + 2)	/* 20 digits hold any u64 */

/*
 * Write "rdma-ping-N: " to the end of @buf, because the last digit is computed first. Return where
 * the text begins.
 */
static const char *write_text(char buf[TEXT_MAX], u64 n)
{
	char *p = buf + TEXT_MAX;
	u32 digit;

	*--p = ' ';
	*--p = ':';
	do {
		n = div_u64_rem(n, 10, &digit);
		*--p = '0' + digit;
	} while (n);
	p -= TEXT_START_LEN;
	memcpy(p, TEXT_START, TEXT_START_LEN);
	return p;
}

/* Write @len letters of iteration @n. The first of them is @pos bytes behind the data's text. */
static void write_letters(u8 *dst, size_t pos, size_t len, u64 n)
{
	const char *from;
	size_t part;
	u32 start;

	div_u64_rem(n, LETTERS, &start);
	from = rotation + (start + pos) % LETTERS;

	/* Each copy but the last repeats all letters, so all copies start at the same letter. */
	while (len) {
		part = min_t(size_t, len, RUN);
		memcpy(dst, from, part);
		dst += part;
		len -= part;
	}
}

/**
 * krping_pattern_fill() - write a part of the data of an iteration
 * @dst: destination of the part, @len bytes
 * @off: offset of the part in the data, in bytes
 * @len: length of the part in bytes; @off + @len is at most @size
 * @size: length of the data in bytes, at least 1
 * @n: the iteration, from 0
 *
 * The data is the text "rdma-ping-N: " with the iteration in decimal, then
 * letters from 'A' to 'z' in rotation, which start one letter later in each
 * iteration, and a NUL as the last byte. If @size is too small for the text, the
 * text is cut off before the NUL.
 *
 * Context: any context.
 */
void krping_pattern_fill(u8 *dst, size_t off, size_t len, size_t size, u64 n)
{
	char buf[TEXT_MAX];
	const char *text = write_text(buf, n);
	size_t text_len = min_t(size_t, buf + TEXT_MAX - text, size - 1);
	size_t part;

	if (!len)
		return;
	if (off + len == size)
		dst[--len] = '\0';
	if (off < text_len) {
		part = min(len, text_len - off);
		memcpy(dst, text + off, part);
		dst += part;
		off += part;
		len -= part;
	}
	if (len)
		write_letters(dst, off - text_len, len, n);
}

/**
 * krping_pattern_mismatch() - find the first byte that differs
 * @a: memory of @len bytes
 * @b: memory of @len bytes
 * @len: number of bytes to compare
 *
 * Context: any context.
 *
 * Return: offset of the first difference in bytes; @len if there is none.
 */
size_t krping_pattern_mismatch(const u8 *a, const u8 *b, size_t len)
{
	size_t i;

	/* The common case is no difference, which memcmp() finds fast. */
	if (!memcmp(a, b, len))
		return len;
	for (i = 0; i < len; i++) {
		if (a[i] != b[i])
			break;
	}
	return i;
}

/* Return the offset of the first byte that differs from the bytes of write_letters(), or @len. */
static size_t check_letters(const u8 *got, size_t pos, size_t len, u64 n)
{
	const char *from;
	size_t done = 0;
	u32 start;

	div_u64_rem(n, LETTERS, &start);
	from = rotation + (start + pos) % LETTERS;
	while (done < len) {
		size_t part = min_t(size_t, len - done, RUN);
		size_t same = krping_pattern_mismatch(got + done, (const u8 *)from, part);

		done += same;
		if (same != part)
			break;
	}
	return done;
}

/**
 * krping_pattern_check() - compare memory with a part of the data of an iteration
 * @got: the memory, @len bytes
 * @off: offset in the data of the part that the memory should have, in bytes
 * @len: length of the part in bytes; @off + @len is at most @size
 * @size: length of the data in bytes, at least 1
 * @n: the iteration, from 0
 *
 * Context: any context.
 *
 * Return: offset in @got of the first byte that differs from those of krping_pattern_fill(); @len
 * if no byte differs.
 */
size_t krping_pattern_check(const u8 *got, size_t off, size_t len, size_t size, u64 n)
{
	char buf[TEXT_MAX];
	const char *text = write_text(buf, n);
	size_t text_len = min_t(size_t, buf + TEXT_MAX - text, size - 1);
	size_t body = len && off + len == size ? len - 1 : len;
	size_t done = 0;

	if (off < text_len) {
		size_t part = min(body, text_len - off);

		done = krping_pattern_mismatch(got, (const u8 *)text + off, part);
		if (done != part)
			return done;
	}
	if (done < body)
		done += check_letters(got + done, off + done - text_len, body - done, n);
	/* The last byte of the data is NUL. */
	if (done == body && done < len && !got[done])
		done++;
	return done;
}
