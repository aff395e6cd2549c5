/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests of a disk, which become RDMA READs and WRITEs of the memory that a server exports.
 */
#ifndef KRPING_DISKIO_H
#define KRPING_DISKIO_H

#include "diskio_req.h"

/*
 * diskio.c: _alloc() and _free() allocate and free the requests. _connect() gives the requests
 * their connections, and _disconnect() takes the connections away.
 */
int krping_diskio_alloc(struct krping_diskio *io, const struct krping_disk_path *paths);
void krping_diskio_free(struct krping_diskio *io);
int krping_diskio_connect(struct krping_diskio *io, const struct krping_disk_path *paths);
void krping_diskio_disconnect(struct krping_diskio *io);

/* Reject new requests, and flush the posted ones. */
void krping_diskio_fail(struct krping_diskio *io);

/*
 * diskio_stop.c: _flush_unposted() waits for the work items &krping_diskio_queue.end_unposted.
 * _suspend() lets all requests wait for the next connections, and _resume() starts them again.
 * After _end_requeues() a failed request ends instead of waiting for the next connections.
 * _reap_flushed() waits for the completions of flushed requests.
 */
void krping_diskio_flush_unposted(struct krping_diskio *io);
void krping_diskio_suspend(struct krping_diskio *io);
void krping_diskio_resume(struct krping_diskio *io);
void krping_diskio_end_requeues(struct krping_diskio *io);
void krping_diskio_reap_flushed(struct krping_diskio *io);

#endif /* KRPING_DISKIO_H */
