// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A block device whose data is in a server's memory. This file creates, names, reconnects and
 * removes disks, and defines their sysfs attributes and file operations. See diskio.c for requests.
 *
 * A completed WRITE is in the server's memory. So the disk has no volatile write cache, and the
 * block layer sends no FLUSH. The data lives as long as the server.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "disk.h"
#include "diskio.h"

/**
 * struct krping_disk - a disk
 * @thread: the client's thread
 * @io: the requests
 * @gendisk: the disk of the block layer
 * @limits: limits of the requests, which must be the same after a reconnect
 * @identity: random number that the server has assigned to the memory that holds the data
 * @reconnects: how often the disk has got new connections
 * @entry: in the list of disks
 * @name: name of the disk
 */
struct krping_disk {
	struct krping_thread *thread;
	struct krping_diskio io;
	struct gendisk *gendisk;
	struct queue_limits limits;
	u64 identity;
	u32 reconnects;
	struct list_head entry;
	char name[DISK_NAME_LEN];
};

/* Guards the list of disks, and &gendisk.private_data of each disk. */
static DEFINE_MUTEX(krping_disk_lock);
static LIST_HEAD(krping_disks);

/*
 * Open and release count the users of a disk. An open gendisk may outlive its struct krping_disk;
 * then &gendisk.private_data is NULL.
 */

static int krping_disk_open(KRPING_OPEN_PARAMS)
{
	struct krping_disk *disk;
	int ret = -ENXIO;

	mutex_lock(&krping_disk_lock);
	disk = krping_open_disk(opened)->private_data;
	if (disk)
		ret = krping_users_enter(&disk->thread->users);
	mutex_unlock(&krping_disk_lock);
	return ret;
}

static void krping_disk_release(KRPING_RELEASE_PARAMS)
{
	struct krping_disk *disk;

	mutex_lock(&krping_disk_lock);
	disk = gendisk->private_data;
	if (disk)
		krping_users_leave(&disk->thread->users);
	mutex_unlock(&krping_disk_lock);
}

static const struct block_device_operations krping_disk_fops = {
	.owner		= THIS_MODULE,
	.open		= krping_disk_open,
	.release	= krping_disk_release,
};

/*
 * Attributes in sysfs. krping frees the struct krping_disk after del_gendisk(), which waits for
 * readers of attributes.
 */

static struct krping_disk *krping_disk_of(struct device *dev)
{
	return dev_to_disk(dev)->private_data;
}

static ssize_t server_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%pISpc\n", &krping_disk_of(dev)->io.queues->path.conn->remote);
}
static DEVICE_ATTR_RO(server);

static ssize_t serial_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%016llx\n", krping_disk_of(dev)->identity);
}
static DEVICE_ATTR_RO(serial);

/* Return the state of the connections, for the attribute state. */
static const char *krping_disk_state(const struct krping_disk *disk)
{
	const struct krping_status *status = disk->thread->status;

	if (READ_ONCE(disk->io.dead))
		return "failed";
	if (READ_ONCE(disk->io.suspended))
		return "connecting";
	if (!krping_status_error(status) && !READ_ONCE(status->disconnected))
		return "live";
	return disk->thread->opts.reconnect ? "connecting" : "failed";
}

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", krping_disk_state(krping_disk_of(dev)));
}
static DEVICE_ATTR_RO(state);

static ssize_t reconnects_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	return sysfs_emit(buf, "%u\n", READ_ONCE(krping_disk_of(dev)->reconnects));
}
static DEVICE_ATTR_RO(reconnects);

static ssize_t queues_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", krping_disk_of(dev)->io.tags.nr_hw_queues);
}
static DEVICE_ATTR_RO(queues);

static struct attribute *krping_disk_attrs[] = {
	&dev_attr_server.attr,
	&dev_attr_serial.attr,
	&dev_attr_state.attr,
	&dev_attr_reconnects.attr,
	&dev_attr_queues.attr,
	NULL
};

static const struct attribute_group krping_disk_group = {
	.attrs = krping_disk_attrs,
};

static const struct attribute_group *krping_disk_groups[] = {
	&krping_disk_group,
	NULL
};

/*
 * Names. If two disks or partitions had the same name, the kernel would print a stack trace, so
 * reject a name that is in use.
 */

/*
 * Check whether @name could be the name of a partition of @disk: the disk's name and a number. If
 * the disk's name ends in a digit, its partitions have a p before the number. The function need not
 * detect such a name, because the parser of commands rejects a disk's name like krping0p1.
 */
static bool krping_disk_is_partition(const char *disk, const char *name)
{
	size_t len = strlen(disk);

	return !strncmp(disk, name, len) && !isdigit(disk[len - 1]) &&
	       name[len] && !name[len + strspn(name + len, "0123456789")];
}

/*
 * Check whether @name is in use: a disk has @name, @name could be the name of a partition of a
 * disk, or a disk has a name that a partition of the disk @name could have.
 */
static bool krping_disk_taken(const char *name)
{
	const struct krping_disk *disk;

	list_for_each_entry(disk, &krping_disks, entry)
		if (!strcmp(disk->name, name) ||
		    krping_disk_is_partition(disk->name, name) ||
		    krping_disk_is_partition(name, disk->name))
			return true;
	return false;
}

/* Reserve the name that the command gives, or else the first unused name. */
static int krping_disk_choose_name(struct krping_disk *disk)
{
	const struct krping_options *opts = &disk->thread->opts;
	unsigned int nr = 0;
	int ret = 0;

	mutex_lock(&krping_disk_lock);
	strscpy(disk->name, opts->name, sizeof(disk->name));
	if (!opts->name[0]) {
		do
			snprintf(disk->name, sizeof(disk->name), "krping%u", nr++);
		while (krping_disk_taken(disk->name));
	} else if (krping_disk_taken(disk->name)) {
		ret = -EEXIST;
	}
	if (!ret)
		list_add(&disk->entry, &krping_disks);
	mutex_unlock(&krping_disk_lock);
	if (ret)
		krping_status_set(disk->thread->status, ret,
				  "name=%s: a disk or a partition has this name already",
				  disk->name);
	return ret;
}

static void krping_disk_free_name(struct krping_disk *disk)
{
	mutex_lock(&krping_disk_lock);
	list_del(&disk->entry);
	mutex_unlock(&krping_disk_lock);
}

/*
 * Creation and removal.
 */

static int krping_disk_alloc_gendisk(struct krping_disk *disk)
{
	const struct krping_region *region = disk->io.queues->path.region;
	struct queue_limits lim = disk->limits;
	struct gendisk *gendisk;

	gendisk = krping_blk_alloc_disk(&disk->io.tags, &lim, disk->io.registers,
					&disk->io);
	if (IS_ERR(gendisk))
		return PTR_ERR(gendisk);
	strscpy(gendisk->disk_name, disk->name, sizeof(gendisk->disk_name));
	gendisk->fops = &krping_disk_fops;
	gendisk->private_data = disk;
	set_capacity(gendisk, region->size >> SECTOR_SHIFT);
	set_disk_ro(gendisk, disk->thread->opts.ro || !region->writable);
	disk->gendisk = gendisk;
	disk->io.queue = gendisk->queue;
	return 0;
}

/* Detach the gendisk, which users may still have open, from the disk, and drop the reference. */
static void krping_disk_free_gendisk(struct krping_disk *disk)
{
	mutex_lock(&krping_disk_lock);
	disk->gendisk->private_data = NULL;
	mutex_unlock(&krping_disk_lock);
	krping_blk_free_disk(disk->gendisk);
}

/* Choose a name, allocate the requests, give them the connections, and add the disk. */
static int krping_disk_setup(struct krping_disk *disk, const struct krping_disk_path *paths)
{
	int ret;

	ret = krping_disk_choose_name(disk);
	if (ret)
		return ret;
	ret = krping_diskio_alloc(&disk->io, paths);
	if (ret)
		goto free_name;
	ret = krping_diskio_connect(&disk->io, paths);
	if (ret)
		goto disconnect;
	krping_diskio_limits(&disk->io, &disk->limits);
	ret = krping_disk_alloc_gendisk(disk);
	if (ret)
		goto disconnect;
	ret = krping_blk_add_disk(disk->gendisk, krping_disk_groups);
	if (ret)
		goto free_gendisk;
	/*
	 * Only now let failed requests wait for a new connection, because only this thread can
	 * connect again. Before, the thread itself waited for requests in krping_blk_add_disk().
	 */
	WRITE_ONCE(disk->io.requeues, disk->thread->opts.reconnect);
	strscpy(disk->thread->disk, disk->name, sizeof(disk->thread->disk));
	return 0;

free_gendisk:
	krping_disk_free_gendisk(disk);
disconnect:
	krping_diskio_disconnect(&disk->io);
	krping_diskio_free(&disk->io);
free_name:
	krping_disk_free_name(disk);
	return ret;
}

/* Check whether the regions of two connections agree. Addresses and keys of pieces may differ. */
static bool krping_disk_same(const struct krping_region *a, const struct krping_region *b)
{
	return a->identity == b->identity && a->size == b->size &&
	       a->writable == b->writable && a->nr_pieces == b->nr_pieces &&
	       krping_region_stride(a) == krping_region_stride(b);
}

/*
 * Check that the server's region can hold a disk, is the same on each connection and, if the disk
 * reconnects, outlives a connection.
 */
static int krping_disk_check(const struct krping_thread *thread,
			     const struct krping_disk_path *paths)
{
	const struct krping_region *region = paths->region;
	u64 stride = krping_region_stride(region);
	u32 i;

	for (i = 1; i < thread->nr_conns; i++)
		if (!krping_disk_same(region, paths[i].region))
			return krping_status_set(thread->status, -EPROTO,
						 "the server's region is not the same on each connection");
	if (region->size < SECTOR_SIZE)
		return krping_status_set(thread->status, -EINVAL,
					 "disk: the server's region has %llu byte%s; a disk needs 512",
					 region->size, krping_plural(region->size));
	if (!stride || (region->nr_pieces > 1 && stride % PAGE_SIZE))
		return krping_status_set(thread->status, -EPROTO,
					 "the pieces of the server's region have different sizes");
	if (thread->opts.reconnect && !region->shared)
		return krping_status_set(thread->status, -EINVAL,
					 "reconnect: the server frees this client's memory with the connection; a server with export=SIZE,shared keeps it");
	return 0;
}

/**
 * krping_disk_attr() - plan a connection's queue for the WRs and SGEs of a disk's requests
 * @device: the device
 * @iwarp: the connection is an iWARP connection
 * @depth: maximum number of requests in flight on the connection
 * @attr: attributes of the queue, updated
 */
void krping_disk_attr(const struct ib_device *device, bool iwarp, u32 depth,
		      struct krping_queue_attr *attr)
{
	krping_diskio_attr(device, iwarp, depth, attr);
}

/* Make a disk, and store it in &krping_thread.block. */
static int krping_disk_add(struct krping_thread *thread,
			   const struct krping_disk_path *paths)
{
	struct krping_disk *disk;
	int ret = -ENOMEM;

	disk = kzalloc(sizeof(*disk), GFP_KERNEL);
	if (disk) {
		disk->thread = thread;
		disk->identity = paths->region->identity;
		disk->io.thread = thread;
		ret = krping_disk_setup(disk, paths);
	}
	if (!ret) {
		thread->block = disk;
		return 0;
	}
	kfree(disk);
	if (ret != -EEXIST)
		ret = krping_status_set(thread->status, krping_alloc_errno(ret),
					"no memory or MRs for a disk of txdepth=%u (%d)",
					thread->opts.txdepth, ret);
	return ret;
}

/*
 * Check that the server's memory still has the disk's data. A restarted server has new
 * memory, whose zeros must not pass for the data.
 */
static int krping_disk_check_identity(const struct krping_disk *disk,
				      const struct krping_region *region)
{
	if (region->identity == disk->identity)
		return 0;
	return krping_status_set(disk->thread->status, -ESTALE,
				 "the server was restarted and has lost the data of the disk: its memory is %016llx, not %016llx",
				 region->identity, disk->identity);
}

/*
 * Check that the limits, the capacity and the right to write are as before, because a disk with
 * requests cannot change them.
 */
static int krping_disk_check_limits(const struct krping_disk *disk,
				    const struct krping_region *region)
{
	struct queue_limits limits;

	memset(&limits, 0, sizeof(limits));
	krping_diskio_limits(&disk->io, &limits);
	if (krping_diskio_suits(&disk->io) &&
	    !memcmp(&limits, &disk->limits, sizeof(limits)) &&
	    region->size >> SECTOR_SHIFT == get_capacity(disk->gendisk) &&
	    (region->writable || get_disk_ro(disk->gendisk)))
		return 0;
	return krping_status_set(disk->thread->status, -ESTALE,
				 "the server's memory or the device has other limits than before the connection was lost");
}

/* Continue the requests of a suspended disk on new connections. */
static int krping_disk_resume(struct krping_disk *disk, const struct krping_disk_path *paths)
{
	int ret;

	ret = krping_diskio_connect(&disk->io, paths);
	if (ret)
		ret = krping_status_set(disk->thread->status, krping_alloc_errno(ret),
					"no memory or MRs for a disk of txdepth=%u (%d)",
					disk->thread->opts.txdepth, ret);
	else
		ret = krping_disk_check_limits(disk, paths->region);
	if (ret) {
		krping_diskio_disconnect(&disk->io);
		return ret;
	}
	WRITE_ONCE(disk->reconnects, disk->reconnects + 1);
	krping_diskio_resume(&disk->io);
	return 0;
}

/**
 * krping_disk_attach() - make a disk, or give a suspended disk its new connections
 * @thread: the client's thread
 * @paths: the connections of @thread; the regions of @paths outlive the connections
 *
 * Context: the test's thread. When the function returns, a new disk is in &krping_thread.block,
 * and the kernel has read the disk's partition table.
 *
 * Return: 0, or a negative errno; the status has the reason.
 */
int krping_disk_attach(struct krping_thread *thread, const struct krping_disk_path *paths)
{
	int ret = 0;

	if (thread->block)
		ret = krping_disk_check_identity(thread->block, paths->region);
	if (!ret)
		ret = krping_disk_check(thread, paths);
	if (ret)
		return ret;
	return thread->block ? krping_disk_resume(thread->block, paths) :
			       krping_disk_add(thread, paths);
}

/**
 * krping_disk_suspend() - let the requests of a disk wait for the next connection
 * @disk: the disk, which has lost a connection, and whose QPs still exist
 *
 * Context: the test's thread.
 */
void krping_disk_suspend(struct krping_disk *disk)
{
	krping_diskio_suspend(&disk->io);
}

/**
 * krping_disk_remove() - remove the disk of a thread
 * @thread: the client's thread, with or without a disk and a QP
 *
 * Context: the test's thread. If no task has the disk open and no connection is lost, posted
 * requests complete. Otherwise they fail.
 */
void krping_disk_remove(struct krping_thread *thread)
{
	const struct krping_status *status = thread->status;
	int error = krping_status_error(status);
	struct krping_disk *disk = thread->block;

	if (!disk)
		return;
	krping_users_close(&thread->users, true);
	krping_diskio_end_requeues(&disk->io);
	if (krping_users_any(&thread->users) || disk->io.suspended ||
	    READ_ONCE(status->disconnected) || READ_ONCE(status->flushed) ||
	    (error && error != -ECANCELED && error != -EINTR))
		krping_diskio_fail(&disk->io);
	if (disk->io.suspended) {
		krping_diskio_resume(&disk->io);
	} else if (disk->io.dead) {
		/* Wait for the work items that drain the QPs and then end requests. */
		krping_diskio_flush_unposted(&disk->io);
		krping_diskio_reap_flushed(&disk->io);
	}
	del_gendisk(disk->gendisk);
	/* Wait for work items. They use the request queue, which is freed with the gendisk. */
	krping_diskio_flush_unposted(&disk->io);
	krping_disk_free_gendisk(disk);
	krping_diskio_disconnect(&disk->io);
	krping_diskio_free(&disk->io);
	krping_disk_free_name(disk);
	thread->block = NULL;
	kfree(disk);
}
