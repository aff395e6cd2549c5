/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Code that the scenarios of krping_krdma.ko share: both sides of a connection, calls in
 * other threads, data, and the result.
 */
#ifndef KRDMA_PAIR_H
#define KRDMA_PAIR_H

#include <linux/completion.h>
#include <linux/sched.h>

#include "../../krping/krdma.h"

/* Bytes of the parameter result. */
#define KRDMA_RESULT_MAX	128

extern char *krdma_addr;
extern char *krdma_port;
extern uint krdma_poll;
extern char krdma_result[KRDMA_RESULT_MAX];

/* Check that an expression has a value. */
#define expect(expr, value) \
	({ int _ret = (expr); _ret == (value) ? 0 : failed(#expr, _ret); })

/**
 * struct pair - both sides of a connection
 * @listener: the listener
 * @client: the side that connected
 * @server: the side that was accepted
 * @buf: memory for a message of each side
 */
struct pair {
	struct krdma_cb *listener;
	struct krdma_cb *client;
	struct krdma_cb *server;
	char *buf[2];
};

/* A call in its own thread, which a signal interrupts. */
struct call {
	int (*fn)(struct call *call);
	struct pair *p;
	struct krdma_cb *cb;
	size_t len;
	u32 seed;
	bool begun;
	struct task_struct *task;
	struct completion done;
	int ret;
};

/**
 * struct scenario - a scenario, which one load of the module runs
 * @name: value of the parameter scenario
 * @fn: returns 0; or another value, and the result has the reason
 * @attr: attributes of the connection that the scenario gets; NULL: it gets none
 */
struct scenario {
	const char *name;
	int (*fn)(struct pair *p);
	const struct krdma_attr *attr;
};

extern const struct krdma_attr krdma_no_region;
extern const struct krdma_attr krdma_small_region;

/* The scenarios of the other files; an entry without a name ends each table. */
extern const struct scenario krdma_data_scenarios[];
extern const struct scenario krdma_wait_scenarios[];
extern const struct scenario krdma_handler_scenarios[];
extern const struct scenario krdma_end_scenarios[];
extern const struct scenario krdma_event_scenarios[];

int failed(const char *what, int ret);
void fill(char *buf, size_t len, u32 seed);
int differs(const char *buf, size_t len, u32 seed);
int pair_open(struct pair *p, const struct krdma_attr *attr);
void pair_close(struct pair *p);
int call_begin(struct call *call);
int call_end(struct call *call);
int send_it(struct call *call);
int receive_it(struct call *call);
int transfer(struct pair *p, struct krdma_cb *from, struct krdma_cb *to, size_t len,
	     u32 seed);

#endif /* KRDMA_PAIR_H */
