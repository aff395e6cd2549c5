/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Code that all scenarios of krping_krdma.ko use. A scenario is a function that uses both sides of
 * a connection, may run calls in other threads, and records the first failure.
 */
#ifndef KRDMA_PAIR_H
#define KRDMA_PAIR_H

#include <linux/completion.h>
#include <linux/sched.h>

#include "../../krping/krdma.h"

/* Size in bytes of the module parameter `result`. */
#define KRDMA_RESULT_MAX	128

extern char *krdma_addr;
extern char *krdma_port;
/* A process in the network namespace of the scenario "namespace". */
extern int krdma_pid;
extern uint krdma_poll;
extern char krdma_result[KRDMA_RESULT_MAX];

/* Compare an expression with a value. If they differ, record the failure and return an error. */
#define expect(expr, value) \
	({ int _ret = (expr); _ret == (value) ? 0 : failed(#expr, _ret); })

/**
 * struct pair - both sides of a connection
 * @listener: the listener
 * @client: the side that has called krdma_connect()
 * @server: the side that krdma_accept() has returned
 * @buf: two buffers of KRDMA_MESSAGE_MAX bytes, to receive [0] and to send [1]
 */
struct pair {
	struct krdma_cb *listener;
	struct krdma_cb *client;
	struct krdma_cb *server;
	char *buf[2];
};

/*
 * A call of @fn in a thread of its own. A signal to @task interrupts the call. @len, @seed and
 * @begun are arguments or results of @fn; @ret is the value that @fn returns.
 */
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
 * struct scenario - a scenario; each load of the module runs one
 * @name: value of the module parameter `scenario`
 * @fn: runs the scenario. Returns 0, or another value after failed() has recorded the reason
 * @attr: attributes of the connection that exists when @fn is called; NULL: there is none
 */
struct scenario {
	const char *name;
	int (*fn)(struct pair *p);
	const struct krdma_attr *attr;
};

/* Attributes of a connection without a region, and with one of 100000 bytes on both sides. */
extern const struct krdma_attr krdma_no_region;
extern const struct krdma_attr krdma_small_region;

/* The scenarios of krdma_*.c. An entry without a name ends each table. */
extern const struct scenario krdma_data_scenarios[];
extern const struct scenario krdma_wait_scenarios[];
extern const struct scenario krdma_handler_scenarios[];
extern const struct scenario krdma_end_scenarios[];
extern const struct scenario krdma_event_scenarios[];

/* Record "@what returns @ret" as the scenario's failure if this is the first. Return an error. */
int failed(const char *what, int ret);

/* fill() writes bytes that depend on @seed; differs() returns 0 if @buf has the same bytes. */
void fill(char *buf, size_t len, u32 seed);
int differs(const char *buf, size_t len, u32 seed);

/* Make buffers and a connection. pair_close() releases all, also after an error. */
int pair_open(struct pair *p, const struct krdma_attr *attr);
void pair_close(struct pair *p);

/*
 * call_begin() starts a thread that runs @call->fn. call_end() waits for its end, and returns its
 * value. send_it() and receive_it() are functions for @fn.
 */
int call_begin(struct call *call);
int call_end(struct call *call);
int send_it(struct call *call);
int receive_it(struct call *call);

/* Send a message of @len bytes from one side to the other, and check the received bytes. */
int transfer(struct pair *p, struct krdma_cb *from, struct krdma_cb *to, size_t len,
	     u32 seed);

#endif /* KRDMA_PAIR_H */
