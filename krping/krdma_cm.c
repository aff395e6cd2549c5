// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections of krdma.h: connect, listen, accept, release.
 *
 * Each connection and each listener is a test of krping, whose thread sets it up and tears it
 * down. The test's command is text, as for /proc/krping, so that addresses have one parser.
 */
#include <linux/completion.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "krdma_cb.h"
#include "krdma_async.h"
#include "registry.h"
#include "server.h"
#include "test.h"

/* Bytes of a command with the longest address. */
#define KRDMA_COMMAND_MAX	256

static const struct krdma_attr krdma_no_region = { .timeout_ms = KRDMA_TIMEOUT };

static const struct krdma_attr krdma_max_region = {
	.timeout_ms = KRDMA_TIMEOUT,
	.region = KRDMA_REGION_MAX,
};

/*
 * Build a command that begins with @role, and parse it into @opts. Reject attributes out of range.
 * Reject a host or port with a comma, which would add options to the command.
 */
static int krdma_parse(const char *role, const char *host, const char *port,
		       const struct krdma_attr *attr, struct krping_options *opts)
{
	char text[KRDMA_COMMAND_MAX];
	char why[KRPING_WHY_MAX];
	int len, ret;

	if (!host || !port || strpbrk(host, ",=\n") || strpbrk(port, ",=\n") ||
	    attr->region > KRDMA_REGION_MAX || attr->timeout_ms > INT_MAX)
		return -EINVAL;
	len = snprintf(text, sizeof(text), "%s,addr=%s,port=%s,timeout=%u,background",
		       role, host, port, attr->timeout_ms);
	if (len >= sizeof(text))
		return -EINVAL;
	ret = krping_options_parse(text, len, opts, why, sizeof(why));
	opts->text = NULL;
	opts->test = KRPING_TEST_KRDMA;
	opts->test_given = true;
	return ret;
}

/* Start the test of @cb. On success @cb has a reference to the test. */
static int krdma_start(struct krdma_cb *cb, const struct krping_options *opts)
{
	struct net *net = cb->attr.net ?: &init_net;
	struct krping_attach attach = { .krdma = cb };
	char why[KRPING_WHY_MAX];
	struct krping_test *test;
	int ret;

	test = krping_test_start(opts, net, &attach, why, sizeof(why));
	if (IS_ERR(test))
		return PTR_ERR(test);
	ret = krping_test_wait_started(test);
	if (ret)
		krping_test_put(test);
	return ret;
}

/* Create a connection or a listener, start its test, and store the new &struct krdma_cb in @out. */
static int krdma_create(const char *role, const char *host, const char *port,
			const struct krdma_attr *attr, struct krdma_cb **out)
{
	struct krdma_attr own = *attr;
	struct krping_options *opts;
	struct krdma_cb *cb;
	int ret = -ENOMEM;

	own.timeout_ms = own.timeout_ms ?: KRDMA_TIMEOUT;
	opts = kmalloc(sizeof(*opts), GFP_KERNEL);
	cb = krdma_cb_alloc(&own);
	if (!opts || !cb)
		goto out;
	krdma_async_init(cb);
	ret = krdma_parse(role, host, port, &own, opts);
	if (!ret)
		ret = krdma_start(cb, opts);
	if (!ret)
		*out = krdma_cb_get(cb);
out:
	krdma_cb_put(cb);
	kfree(opts);
	return ret;
}

/**
 * krdma_connect_attr() - connect to a listener of krdma
 * @host: the listener's IPv4 or IPv6 address; a link-local address needs %ifname
 * @port: the listener's port, in decimal digits
 * @attr: attributes of the connection, which are copied
 * @conn_cb: output: the connection, which the caller releases by krdma_release_cb()
 *
 * Context: process context.
 *
 * Return: 0; -EINVAL: an argument is invalid; -EINTR; -ECONNREFUSED: no listener, or
 * the listener is a server of /proc/krping; -ETIMEDOUT; -ENODEV: no RDMA device has a
 * route to the host; another negative errno. After an error @conn_cb is unchanged.
 */
int krdma_connect_attr(const char *host, const char *port, const struct krdma_attr *attr,
		       struct krdma_cb **conn_cb)
{
	return krdma_create("client", host, port, attr, conn_cb);
}
EXPORT_SYMBOL_GPL(krdma_connect_attr);

/**
 * krdma_connect() - connect to a listener of krdma, without a region
 * @host: as in krdma_connect_attr()
 * @port: as in krdma_connect_attr()
 * @conn_cb: as in krdma_connect_attr()
 *
 * Return: as krdma_connect_attr().
 */
int krdma_connect(const char *host, const char *port, struct krdma_cb **conn_cb)
{
	return krdma_connect_attr(host, port, &krdma_no_region, conn_cb);
}
EXPORT_SYMBOL_GPL(krdma_connect);

/**
 * krdma_rw_init_client() - connect to a listener of krdma, with a region
 * @host: as in krdma_connect_attr()
 * @port: as in krdma_connect_attr()
 * @conn_cb: as in krdma_connect_attr()
 *
 * The region has KRDMA_REGION_MAX bytes.
 *
 * Return: as krdma_connect_attr().
 */
int krdma_rw_init_client(const char *host, const char *port, struct krdma_cb **conn_cb)
{
	return krdma_connect_attr(host, port, &krdma_max_region, conn_cb);
}
EXPORT_SYMBOL_GPL(krdma_rw_init_client);

/**
 * krdma_listen_attr() - listen for connections
 * @host: the address to listen on; 0.0.0.0 or "::" for any
 * @port: the port, in decimal digits
 * @attr: attributes of the connections, which are copied
 * @listen_cb: output: the listener, which the caller releases by krdma_release_cb()
 *
 * Context: process context.
 *
 * Return: 0; -EINVAL; -EINTR; -EADDRINUSE; -EADDRNOTAVAIL; another negative errno. After
 * an error @listen_cb is unchanged.
 */
int krdma_listen_attr(const char *host, const char *port, const struct krdma_attr *attr,
		      struct krdma_cb **listen_cb)
{
	struct krdma_cb *cb;
	int ret;

	ret = krdma_create("server,clients=0", host, port, attr, &cb);
	if (!ret)
		*listen_cb = cb;
	return ret;
}
EXPORT_SYMBOL_GPL(krdma_listen_attr);

/**
 * krdma_listen() - listen for connections without a region
 * @host: as in krdma_listen_attr()
 * @port: as in krdma_listen_attr()
 * @listen_cb: as in krdma_listen_attr()
 *
 * Return: as krdma_listen_attr().
 */
int krdma_listen(const char *host, const char *port, struct krdma_cb **listen_cb)
{
	return krdma_listen_attr(host, port, &krdma_no_region, listen_cb);
}
EXPORT_SYMBOL_GPL(krdma_listen);

/* Return true if krdma_accept() can take a connection. */
static bool krdma_has_accepted(struct krdma_cb *listener)
{
	return READ_ONCE(listener->nr_accepted);
}

/*
 * Take a connection, and initialize its asynchronous queues. krdma_conn.c, which creates the
 * connection, is a lower layer than krdma_async.c and must not call krdma_async_init().
 */
static struct krdma_cb *krdma_take(struct krdma_cb *listener)
{
	struct krdma_cb *cb = krdma_cb_take(listener);

	if (cb)
		krdma_async_init(cb);
	return cb;
}

/**
 * krdma_accept() - take the oldest connection of a listener
 * @listen_cb: the listener
 * @conn_cb: output: the connection, which the caller releases by krdma_release_cb()
 *
 * Context: process context. Waits without a timeout until there is a connection. Several
 * callers may accept at the same time. The connection outlives its listener.
 *
 * Return: 0; -EINTR; -ECANCELED: the listener was released; another negative errno.
 */
int krdma_accept(struct krdma_cb *listen_cb, struct krdma_cb **conn_cb)
{
	struct krdma_cb *cb = NULL;
	int ret;

	ret = krdma_cb_enter(listen_cb);
	if (ret)
		return ret;
	while (!ret && !cb) {
		ret = krdma_cb_wait(listen_cb, KRDMA_WAIT_RECEIVE,
				    krdma_has_accepted, false, 0);
		if (!ret)
			cb = krdma_take(listen_cb);
	}
	krdma_cb_leave(listen_cb);
	if (!ret)
		*conn_cb = cb;
	return ret;
}
EXPORT_SYMBOL_GPL(krdma_accept);

/**
 * krdma_rw_init_server() - accept one connection, with a region
 * @host: as in krdma_listen_attr()
 * @port: as in krdma_listen_attr()
 * @conn_cb: output: the connection, which the caller releases by krdma_release_cb()
 *
 * Context: process context. Listens, waits for one client without a timeout, and releases the
 * listener. The region has KRDMA_REGION_MAX bytes.
 *
 * Return: as krdma_listen_attr() and krdma_accept().
 */
int krdma_rw_init_server(const char *host, const char *port, struct krdma_cb **conn_cb)
{
	struct krdma_cb *listener;
	int ret;

	ret = krdma_listen_attr(host, port, &krdma_max_region, &listener);
	if (ret)
		return ret;
	ret = krdma_accept(listener, conn_cb);
	krdma_release_cb(listener);
	return ret;
}
EXPORT_SYMBOL_GPL(krdma_rw_init_server);

/**
 * krdma_set_busy_poll() - let the waits of a connection poll before they sleep
 * @cb: a connection, not a listener
 * @usecs: microseconds for which a wait polls, at most KRDMA_BUSY_POLL_MAX; 0, the default:
 *	sleep at once
 *
 * Context: any context. The setting applies to later waits of krdma_receive(), krdma_send(),
 * krdma_read(), krdma_write() and their variants. A message that arrives while its receiver
 * polls needs no wake-up and no context switch. A wait stops polling and sleeps once another
 * task needs the CPU. Signals, the end of the connection and timeouts end a poll as they end a
 * sleep.
 *
 * Return: 0 or -EINVAL.
 */
int krdma_set_busy_poll(struct krdma_cb *cb, u32 usecs)
{
	if (krping_test_is_server(cb->test) || usecs > KRDMA_BUSY_POLL_MAX)
		return -EINVAL;
	WRITE_ONCE(cb->busy_poll, usecs);
	return 0;
}
EXPORT_SYMBOL_GPL(krdma_set_busy_poll);

/* Reject further operations, and let the test's thread end. */
static void krdma_set_released(struct krdma_cb *cb)
{
	int type;

	spin_lock_bh(&cb->lock);
	WRITE_ONCE(cb->released, true);
	WRITE_ONCE(cb->open, false);
	spin_unlock_bh(&cb->lock);
	for (type = 0; type < KRDMA_WAITS; type++)
		krdma_cb_wake(cb, type);
	wake_up_all(&cb->status->wait);
}

/* Wait until the test and the asynchronous operations have ended, and drop the references. */
static void krdma_release_conn(struct krdma_cb *cb)
{
	krdma_async_close(cb);
	krdma_set_released(cb);
	wait_for_completion(&cb->test->done);
	krdma_async_flush(cb);
	krping_test_put(cb->test);
	krdma_cb_put(cb);
}

/* End a listener, and the connections that krdma_accept() has not returned. */
static void krdma_release_listener(struct krdma_cb *cb)
{
	struct krdma_cb *conn, *next;
	LIST_HEAD(conns);

	krdma_set_released(cb);
	krping_server_drain(cb->test);
	krping_server_wait_closed(cb->test);
	/* Each release may wait for the peer, so begin all releases before the first wait. */
	while ((conn = krdma_take(cb))) {
		krdma_set_released(conn);
		list_add_tail(&conn->entry, &conns);
	}
	list_for_each_entry_safe(conn, next, &conns, entry)
		krdma_release_conn(conn);
	krping_test_put(cb->test);
	krdma_cb_put(cb);
}

/**
 * krdma_release_cb() - end a connection or a listener, and free it
 * @cb: the connection or listener; NULL is ignored
 *
 * Context: process context. Calls that wait return -ECANCELED. Messages that krdma_send() has
 * accepted are transmitted first, within the timeout. On RoCE and InfiniBand the function
 * then waits up to 8 seconds for the peer's answer to the disconnect. No signal ends this wait.
 * Connections that krdma_accept() has returned outlive their listener. After the return, @cb is
 * invalid, no callback is called, and the device accesses no memory of the connection.
 *
 * Return: 0.
 */
int krdma_release_cb(struct krdma_cb *cb)
{
	if (!cb)
		return 0;
	if (krping_test_is_server(cb->test))
		krdma_release_listener(cb);
	else
		krdma_release_conn(cb);
	return 0;
}
EXPORT_SYMBOL_GPL(krdma_release_cb);
