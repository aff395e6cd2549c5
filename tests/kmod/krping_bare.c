// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Benchmark module: connect and disconnect by rdma_cm and do nothing else, for a comparison with
 * krping's set-ups.
 *
 * Both sides share one PD and one CQ, and post nothing. For each connection the module calls
 * rdma_create_id(), rdma_resolve_addr(), rdma_resolve_route(), rdma_create_qp(), rdma_connect() and
 * rdma_accept(), then rdma_disconnect(), rdma_destroy_qp() and rdma_destroy_id(). insmod returns
 * when all connections have ended; /sys/module/krping_bare/parameters/nsec then has their time.
 */
#include <linux/completion.h>
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/wait.h>
#include <net/net_namespace.h>
#include <rdma/rdma_cm.h>

#define BARE_WAIT_MS	10000

static char *bare_addr = "10.0.0.1";
module_param_named(addr, bare_addr, charp, 0444);

static unsigned short bare_port = 9998;
module_param_named(port, bare_port, ushort, 0444);

static unsigned int bare_count = 1024;
module_param_named(count, bare_count, uint, 0444);

static unsigned long bare_nsec;
module_param_named(nsec, bare_nsec, ulong, 0444);

static struct ib_pd *bare_pd;
static struct ib_cq *bare_cq;
/* number of QPs of the server */
static atomic_t bare_served = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(bare_none_served);

/*
 * struct bare_client - a connection of the client
 * @id: its id
 * @happened: @event was set
 * @event: the last event
 */
struct bare_client {
	struct rdma_cm_id *id;
	struct completion happened;
	enum rdma_cm_event_type event;
};

static int bare_create_qp(struct rdma_cm_id *id)
{
	struct ib_qp_init_attr attr = {
		.send_cq	= bare_cq,
		.recv_cq	= bare_cq,
		.qp_type	= IB_QPT_RC,
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr	= 1,
			.max_recv_wr	= 1,
			.max_send_sge	= 1,
			.max_recv_sge	= 1,
		},
	};

	return rdma_create_qp(id, bare_pd, &attr);
}

/* Accept a connection request. After an error, rdma_cm destroys the id of the request. */
static int bare_accept(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	int ret = bare_create_qp(id);

	if (ret)
		return ret;
	atomic_inc(&bare_served);
	ret = rdma_accept(id, &param);
	if (!ret)
		return 0;
	rdma_destroy_qp(id);
	atomic_dec(&bare_served);
	return ret;
}

/* Answer the client's disconnect. A return of 1 makes rdma_cm destroy the id. */
static int bare_served_ends(struct rdma_cm_id *id)
{
	rdma_disconnect(id);
	rdma_destroy_qp(id);
	if (atomic_dec_and_test(&bare_served))
		wake_up(&bare_none_served);
	return 1;
}

/* Handle an event of the server: accept each connection, and end it when the client ends it. */
static int bare_server_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return bare_accept(id);
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_REJECTED:
		return bare_served_ends(id);
	default:
		return 0;
	}
}

/* Keep an event of the client, and wake bare_await(). */
static int bare_client_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct bare_client *client = id->context;

	if (event->event == RDMA_CM_EVENT_TIMEWAIT_EXIT)
		return 0;
	client->event = event->event;
	complete(&client->happened);
	return 0;
}

/* Wait for @event if @ret, the return value of the call that begins an operation, is 0. */
static int bare_await(struct bare_client *client, int ret, enum rdma_cm_event_type event)
{
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&client->happened, msecs_to_jiffies(BARE_WAIT_MS)))
		return -ETIMEDOUT;
	return client->event == event ? 0 : -ECONNREFUSED;
}

/* Create the client's id, and resolve the address of the server. */
static int bare_resolve(struct bare_client *client, struct sockaddr *addr)
{
	int ret;

	init_completion(&client->happened);
	client->id = rdma_create_id(&init_net, bare_client_event, client, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(client->id))
		return PTR_ERR(client->id);
	ret = bare_await(client, rdma_resolve_addr(client->id, NULL, addr, BARE_WAIT_MS),
			 RDMA_CM_EVENT_ADDR_RESOLVED);
	if (ret)
		rdma_destroy_id(client->id);
	return ret;
}

/* Connect and disconnect. */
static int bare_talk(struct bare_client *client)
{
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	int ret;

	ret = bare_await(client, rdma_connect(client->id, &param), RDMA_CM_EVENT_ESTABLISHED);
	if (ret)
		return ret;
	return bare_await(client, rdma_disconnect(client->id), RDMA_CM_EVENT_DISCONNECTED);
}

/* Set up and tear down one connection. */
static int bare_connection(struct sockaddr *addr)
{
	struct bare_client client;
	int ret = bare_resolve(&client, addr);

	if (ret)
		return ret;
	ret = bare_await(&client, rdma_resolve_route(client.id, BARE_WAIT_MS),
			 RDMA_CM_EVENT_ROUTE_RESOLVED);
	if (!ret)
		ret = bare_create_qp(client.id);
	if (!ret) {
		ret = bare_talk(&client);
		rdma_destroy_qp(client.id);
	}
	rdma_destroy_id(client.id);
	return ret;
}

/* Make all connections, one after the other, and measure their time. */
static int bare_loop(struct sockaddr *addr)
{
	u64 start = ktime_get_ns();
	unsigned int i;
	int ret = 0;

	for (i = 0; i < bare_count && !ret; i++)
		ret = bare_connection(addr);
	bare_nsec = ktime_get_ns() - start;
	if (ret)
		pr_err("krping_bare: connection %u of %u failed (%d)\n", i, bare_count, ret);
	return ret;
}

/* Listen, run the loop, and wait until the server has no QP left. */
static int bare_serve(struct sockaddr *addr)
{
	struct rdma_cm_id *id;
	int ret;

	id = rdma_create_id(&init_net, bare_server_event, NULL, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	ret = rdma_bind_addr(id, addr);
	if (!ret)
		ret = rdma_listen(id, 16);
	if (!ret)
		ret = bare_loop(addr);
	rdma_destroy_id(id);
	wait_event(bare_none_served, !atomic_read(&bare_served));
	return ret;
}

/* Allocate the PD and the CQ that both sides share, and run the benchmark. */
static int bare_run(struct ib_device *device, struct sockaddr *addr)
{
	int ret;

	bare_pd = ib_alloc_pd(device, 0);
	if (IS_ERR(bare_pd))
		return PTR_ERR(bare_pd);
	bare_cq = ib_alloc_cq(device, NULL, 16, 0, IB_POLL_SOFTIRQ);
	if (IS_ERR(bare_cq)) {
		ret = PTR_ERR(bare_cq);
	} else {
		ret = bare_serve(addr);
		ib_free_cq(bare_cq);
	}
	ib_dealloc_pd(bare_pd);
	return ret;
}

static int __init bare_init(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(bare_port) };
	struct bare_client first;
	int ret;

	addr.sin_addr.s_addr = in_aton(bare_addr);
	/* The id of a resolved address names the device. */
	ret = bare_resolve(&first, (struct sockaddr *)&addr);
	if (ret)
		return ret;
	ret = bare_run(first.id->device, (struct sockaddr *)&addr);
	rdma_destroy_id(first.id);
	return ret;
}

static void __exit bare_exit(void)
{
}

module_init(bare_init);
module_exit(bare_exit);

MODULE_DESCRIPTION("Benchmark module: connections by rdma_cm and nothing else");
MODULE_LICENSE("Dual BSD/GPL");
