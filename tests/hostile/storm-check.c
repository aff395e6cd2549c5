// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Check the return value of a write(2) to /proc/krping, and the result that the file then has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "storm.h"

/* The contract: the errno values that a command of kstorm may have, and no others. */
static const int contract[] = {
	EINVAL, EOPNOTSUPP, E2BIG, EFAULT, ENOMEM, ENODEV, EADDRINUSE,
	EADDRNOTAVAIL, ENETUNREACH, EHOSTUNREACH, ETIMEDOUT, ECONNREFUSED,
	ECONNRESET, EIO, EINTR, ECANCELED, ESRCH,
};

static bool in_contract(int error)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contract); i++)
		if (contract[i] == error)
			return true;
	return false;
}

static size_t read_result(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

static bool result_has(const char *result, const char *word)
{
	const char *end = strchr(result, '\n');
	const char *at = strstr(result, word);

	return at && end && at < end;
}

static unsigned int result_number(const char *result, const char *key)
{
	const char *at = strstr(result, key);

	return at ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* Check that a failed command's result has the errno of the write, and this errno's status. */
static void judge_failed(struct writer *w, const char *result, int error)
{
	const char *status = error == EINTR || error == ECANCELED ?
			     " status=stopped" : " status=failed";

	if (result_number(result, " errno=") != (unsigned int)error ||
	    !result_has(result, status))
		complain(w, result, "the write has errno %d, the result another one",
			 error);
	if (!in_contract(error))
		complain(w, result, "the contract does not allow errno %d: %s", error,
			 strerror(error));
}

/* Check for a command whose write(2) returns while the command's test still runs. */
bool outlives_write(const char *command)
{
	return strstr(command, "background") || strstr(command, "session") ||
	       strstr(command, "disk");
}

/* Check a successful write's result. If the test outlives the write, any status is right. */
static void judge_succeeded(struct writer *w, const char *result)
{
	bool ok = result_has(result, " status=ok");

	if (!ok && !outlives_write(w->line.text))
		complain(w, result, "the write has succeeded, but status is not ok");
	if (ok && !result_has(result, " id=0 "))
		atomic_fetch_add(&ended_well, 1);
}

/* Check the result that the file has after the write(2). */
void judge_result(struct writer *w, ssize_t ret, int error)
{
	char result[16384];

	if (!read_result(w->fd, result, sizeof(result)) ||
	    strncmp(result, "result id=", 10)) {
		complain(w, result, "there is no result, and the errno is %d", error);
		return;
	}
	if (result_number(result, " id="))
		w->lines.last_id = result_number(result, " id=");
	if (ret < 0)
		judge_failed(w, result, error);
	else
		judge_succeeded(w, result);
}

/* Check return value and errno of the write(2). */
void judge_write(struct writer *w, ssize_t ret, int error)
{
	const struct line *line = &w->line;
	bool too_long = line->len > COMMAND_MAX;

	if (ret >= 0) {
		atomic_fetch_add(&errors[0], 1);
		if ((size_t)ret != line->len)
			complain(w, NULL, "write(2) has returned %zd of %zu", ret,
				 line->len);
		if (too_long || line->bad_pointer)
			complain(w, NULL, "krping has accepted an invalid write");
		return;
	}
	atomic_fetch_add(&errors[error < ERRNO_MAX ? error : ERRNO_MAX - 1], 1);
	if (too_long ? error != E2BIG : error == E2BIG)
		complain(w, NULL, "errno %d for %zu bytes", error, line->len);
	if (error == EFAULT && !line->bad_pointer)
		complain(w, NULL, "EFAULT for a good pointer");
	if (error == EINTR && !w->signalled)
		complain(w, NULL, "EINTR without a signal");
}
