/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The state of krping-peer's side of a connection, and the interfaces between its files.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "peer-options.h"
#include "peer-wire.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Bytes of a RECV for messages, number of RECVs, and depth of the send queue. */
#define RECV_BYTES	256
#define NR_RECV		16
#define SQ_DEPTH	16

/* Maximum of --size, of --flood and of --conns. */
#define SIZE_MAX_TOTAL	(16u << 20)
#define FLOOD_MAX	256
#define CONNS_MAX	16

/* Bytes of a page that the fault corrupt=pages swaps. */
#define SPOIL_PAGE	4096

/* Number of RECVs that a server of sbw advertises without --recvs. */
#define DATA_RECVS	8

/* SIGALRM ends a krping-peer that hangs, so that only its own check fails. */
#define LIMIT_SECONDS	120

/* Without an event, a wait polls again after this time. */
#define TICK_MS		100

/* The part of the data that an operation moves: offset and length in bytes. */
struct extent {
	uint32_t off;
	uint32_t len;
};

struct peer {
	struct options opt;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listen_id;
	struct rdma_cm_id *id;
	struct ibv_comp_channel *comp;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;

	/* from the events of the connection manager */
	int event;
	bool requested;
	bool established;
	bool rejected;
	bool disconnected;
	bool failed;
	/* for --flood: connects that have an answer, were rejected as busy, were accepted */
	unsigned int answers;
	unsigned int busy;
	unsigned int accepted;
	uint8_t private_data[256];
	size_t private_len;

	/* from completions */
	unsigned int sends_done;
	unsigned int rdma_done;
	bool wc_failed;
	struct {
		uint8_t *data;
		uint32_t len;
		bool imm;
	} inbox[NR_RECV];
	unsigned int in_head;
	unsigned int in_tail;

	/* negotiated parameters */
	uint32_t stride;
	/* server: the client's txdepth */
	uint32_t depth;
	uint32_t size;
	uint64_t count;
	bool server_inv;
	uint16_t flags;
	uint8_t test;
	uint32_t recvs;
	uint16_t conn_idx;

	/* for a server of several connections (--conns) */
	pthread_t thread;
	/* the fault belongs to another connection */
	bool bystander;
	/* exit status of the thread */
	int status;

	uint32_t recv_bytes;
	/* the last received message */
	const uint8_t *message;
	bool message_imm;
	/* the fault corrupt= has changed the data of an operation */
	bool spoiled;
	/* server of rbw with validate: number of READs whose slots have new data again */
	uint64_t refilled;
	/* server of ping: key of the first advert of this iteration */
	uint32_t first_key;
	unsigned int sends_posted;
	uint8_t *send_buf;
	uint8_t *recv_buf;
	uint8_t *source;
	uint8_t *sink;
	/* server of ping: data of the previous iteration */
	uint8_t *before;
	struct ibv_mr *send_mr;
	struct ibv_mr *recv_mr;
	struct ibv_mr *source_mr;
	struct ibv_mr *sink_mr;
};

/* peer-log.c: say() prints a line; die() prints an error, and ends the process. */
__attribute__((format(printf, 1, 2)))
void say(const char *fmt, ...);
__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);
int64_t now_ms(void);

/*
 * peer-events.c: handle pending events or completions, and wait for a condition. The functions from
 * is_over() to rdma_is_done() are conditions. Each of them, except has_request(), also holds at the
 * end of the connection, so that wait_for() returns.
 */
void reap_events(struct peer *p);
void post_recv(struct peer *p, unsigned int i);
void reap_completions(struct peer *p);
bool wait_for(struct peer *p, bool (*done)(const struct peer *p));
bool is_over(const struct peer *p);
bool has_request(const struct peer *p);
bool is_resolved(const struct peer *p);
bool is_established(const struct peer *p);
bool has_cm_word(const struct peer *p);
bool has_message(const struct peer *p);
bool all_sent(const struct peer *p);
bool has_room(const struct peer *p);
bool rdma_is_done(const struct peer *p);
int await_end(struct peer *p);

/*
 * peer-queue.c: set up a connection's QP, buffers and RECVs, post, and receive. With @inv, a SEND
 * invalidates @key. The rdma_ functions return false if the operation fails. The receive functions
 * return 1 for a message, 0 at the end of the connection, and -1 at the timeout.
 */
void *alloc_zeroed(size_t len);
uint32_t wrong_key(uint32_t key);
void set_nonblocking(int fd);
void set_up_queue(struct peer *p);
void set_up_conn(struct peer *p);
void post_send(struct peer *p, struct ibv_send_wr *wr, struct ibv_sge *sge);
void send_data(struct peer *p, const void *data, size_t data_len, uint32_t len, bool inv,
	       uint32_t key);
void send_msg(struct peer *p, const struct msg *msg, uint32_t len, bool inv,
	      uint32_t key);
bool wait_for_room(struct peer *p);
void send_burst(struct peer *p, const struct msg *msg, uint32_t len);
void post_long_send(struct peer *p, uint32_t len);
bool rdma_at(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	     const struct extent *e);
bool rdma_all(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	      uint32_t len);
int receive_data(struct peer *p, uint8_t data[RECV_BYTES], uint32_t *len);
int receive_msg(struct peer *p, struct msg *msg, uint32_t *len);

/* peer-slots.c: slots are parts of a buffer, one for each operation in flight. */
uint32_t nr_slots(const struct peer *p);
uint64_t slot_off(const struct peer *p, uint64_t n);
uint64_t buffer_bytes(const struct peer *p);
void fill_slots(struct peer *p);
void refill_slots(struct peer *p, uint64_t value);

/* peer-data.c: fill, compare and spoil the data of operation @n. */
void fill_pattern(uint8_t *data, uint32_t size, uint64_t n);
bool data_is(const uint8_t *data, uint32_t size, uint64_t n);
void spoil_data(struct peer *p, uint64_t n, bool shared, struct extent *e);

/* peer-control.c: control messages. send_finish() also receives the server's report. */
enum ctl_type ctl_type(const void *data, uint32_t len);
uint64_t ctl_value(const void *data);
void send_ctl(struct peer *p, enum ctl_type type, uint64_t value, uint32_t len);
void send_wrong_ctl(struct peer *p, const char *what);
void send_report(struct peer *p, uint64_t iterations);
int send_finish(struct peer *p, uint32_t key);

/*
 * peer-fault.c: fault_at() runs the fault if it belongs to @stage and @iteration. fault_is() checks
 * whether @fault is due in @iteration. inv_key() and inv_is() parse inv=; send_until() runs talk=.
 */
bool fault_at(struct peer *p, enum peer_stage stage, uint64_t iteration, int *status);
bool fault_is(const struct peer *p, enum peer_fault fault, uint64_t iteration);
uint32_t inv_key(const struct peer *p, uint32_t own);
bool inv_is(const struct peer *p, const char *what, uint64_t iteration);
void send_until(struct peer *p, const struct msg *msg);

/*
 * peer-params.c: private data of REQ and REP. @what is the operand of req= or rep= for
 * fill_params(), and the name of the message in the output for read_params().
 */
size_t fill_params(const struct peer *p, struct conn_params *params, const char *what,
		   size_t len);
bool read_params(struct peer *p, const char *what);
void fill_conn_param(const struct peer *p, struct rdma_conn_param *param,
		     const void *data, size_t len);
struct sockaddr *sockaddr_of(const struct options *opt, struct sockaddr_storage *ss);

/*
 * peer-bench.c: both sides of a microbenchmark. bench_put() does operation @n, bench_got() checks
 * a received message, and bench_await() receives and checks a message.
 */
bool bench_send_advert(struct peer *p, const struct ibv_mr *mr);
bool bench_take_advert(struct peer *p, struct msg *msg);
bool validates(const struct peer *p);
bool moved_by_read(const struct peer *p);
bool seen_by_recv(const struct peer *p);
bool is_duplex(const struct peer *p);
bool bench_send(struct peer *p, uint32_t len);
bool bench_put(struct peer *p, const struct msg *advert, uint64_t n);
bool bench_got(struct peer *p, uint32_t len, uint64_t n);
bool bench_await(struct peer *p, uint64_t n);
void bench_burst(struct peer *p, const struct msg *advert);

/*
 * The functions below run a connection or one side of a test, and return the exit status.
 * regions_client() returns -1 if the client goes on. client_resolve() only resolves the address
 * and the route.
 */

/* peer-bench-client.c, peer-krdma.c, peer-session.c: clients of other tests than ping */
int bench_client(struct peer *p);
int krdma_client(struct peer *p);
int session_client(struct peer *p);

/* peer-regions.c, peer-regions-server.c: requests for open regions; a server that exports memory */
int regions_client(struct peer *p, struct msg *piece);
int regions_early(struct peer *p);
int regions_server(struct peer *p);

/* peer-bench-server.c: a server of a microbenchmark */
int bench_server(struct peer *p);

/* peer-ping-server.c: the test ping */
int server_loop(struct peer *p);

/* peer-server.c: listen, and serve the connections */
int run_server(struct peer *p);

/* peer-ping-client.c: the test ping */
int client_loop(struct peer *p);

/* peer-client.c: connect, and run one test */
void client_resolve(struct peer *p, struct rdma_cm_id *id);
int run_client(struct peer *p);

/* peer-flood.c: connect many times at once, or make TCP connections and reset them */
int run_flood(struct peer *p);
int run_tcp(const struct options *opt);

#endif
