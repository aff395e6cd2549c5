/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Count the users of a test, such as openers of its disk. A test that is in use ends by
 * itself or by stop with force, but not by stop without force.
 */
#ifndef KRPING_USERS_H
#define KRPING_USERS_H

#include <linux/errno.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct krping_users - the users of a test
 * @lock: guards the fields below
 * @nr: number of users
 * @closed: the test is ending and accepts no further user
 */
struct krping_users {
	spinlock_t lock; /* see above */
	u32 nr;
	bool closed;
};

/**
 * krping_users_init() - initialise an empty set of users
 * @users: the users
 */
static inline void krping_users_init(struct krping_users *users)
{
	spin_lock_init(&users->lock);
	users->nr = 0;
	users->closed = false;
}

/**
 * krping_users_enter() - add a user
 * @users: the users
 *
 * Return: 0; -ENXIO if the test is ending.
 */
static inline int krping_users_enter(struct krping_users *users)
{
	int ret = -ENXIO;

	spin_lock(&users->lock);
	if (!users->closed) {
		users->nr++;
		ret = 0;
	}
	spin_unlock(&users->lock);
	return ret;
}

/**
 * krping_users_leave() - remove a user
 * @users: the users
 */
static inline void krping_users_leave(struct krping_users *users)
{
	spin_lock(&users->lock);
	users->nr--;
	spin_unlock(&users->lock);
}

/**
 * krping_users_close() - accept no further user
 * @users: the users
 * @force: close even while there are users
 *
 * Return: true; false if there are users and @force is not set.
 */
static inline bool krping_users_close(struct krping_users *users, bool force)
{
	bool closes;

	spin_lock(&users->lock);
	closes = force || !users->nr;
	if (closes)
		users->closed = true;
	spin_unlock(&users->lock);
	return closes;
}

/**
 * krping_users_reopen() - accept users again after krping_users_close()
 * @users: the users
 */
static inline void krping_users_reopen(struct krping_users *users)
{
	spin_lock(&users->lock);
	users->closed = false;
	spin_unlock(&users->lock);
}

/**
 * krping_users_any() - check whether a test has users
 * @users: the users
 *
 * Return: true if there are users.
 */
static inline bool krping_users_any(const struct krping_users *users)
{
	return READ_ONCE(users->nr);
}

#endif /* KRPING_USERS_H */
