// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Name errnos and the statuses of rdma_cm events. The kernel exports no such function for errnos,
 * and its %pe is unknown to programs that format records themselves, for example trace-cmd.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <rdma/rdma_cm.h>

#include "errno_name.h"

#define ERRNO(error) { error, #error }

static const struct {
	int error;
	const char *name;
} errnos[] = {
	ERRNO(EPERM),
	ERRNO(ENOENT),
	ERRNO(ESRCH),
	ERRNO(EINTR),
	ERRNO(EIO),
	ERRNO(ENXIO),
	ERRNO(E2BIG),
	ERRNO(EAGAIN),
	ERRNO(ENOMEM),
	ERRNO(EACCES),
	ERRNO(EFAULT),
	ERRNO(EBUSY),
	ERRNO(EEXIST),
	ERRNO(ENODEV),
	ERRNO(EINVAL),
	ERRNO(EMFILE),
	ERRNO(ENOSPC),
	ERRNO(ERANGE),
	ERRNO(EBADE),
	ERRNO(EPROTO),
	ERRNO(EBADMSG),
	ERRNO(EMSGSIZE),
	ERRNO(EPROTONOSUPPORT),
	ERRNO(EOPNOTSUPP),
	ERRNO(EADDRINUSE),
	ERRNO(EADDRNOTAVAIL),
	ERRNO(ENETUNREACH),
	ERRNO(ECONNABORTED),
	ERRNO(ECONNRESET),
	ERRNO(ENOBUFS),
	ERRNO(EISCONN),
	ERRNO(ENOTCONN),
	ERRNO(ESHUTDOWN),
	ERRNO(ETIMEDOUT),
	ERRNO(ECONNREFUSED),
	ERRNO(EHOSTUNREACH),
	ERRNO(ESTALE),
	ERRNO(ECANCELED),
};

/**
 * krping_errno_name() - name an errno
 * @error: 0 or a negative errno
 *
 * Context: any.
 *
 * Return: the name, for example "ECONNREFUSED"; "ok" for 0; "unknown" for a value that krping and
 * rdma_cm do not use.
 */
const char *krping_errno_name(int error)
{
	int i;

	if (!error)
		return "ok";
	for (i = 0; i < ARRAY_SIZE(errnos); i++) {
		if (errnos[i].error == -error)
			return errnos[i].name;
	}
	return "unknown";
}

/**
 * krping_cm_status_name() - name the status of an rdma_cm event
 * @id: the id that has the event
 * @event: the event, whose status is the transport's reason if a connection was rejected on
 *         RoCE or InfiniBand, and otherwise 0 or a negative errno
 *
 * Context: any.
 *
 * Return: the name.
 */
const char *krping_cm_status_name(struct rdma_cm_id *id, const struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_REJECTED && event->status > 0)
		return rdma_reject_msg(id, event->status);
	return krping_errno_name(event->status);
}
