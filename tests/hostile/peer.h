/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the files of krping-peer.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define MAGIC		0x6b727067u
#define VERSION		1
#define FLAG_VALIDATE	0x0001
#define FLAG_SERVER_INV	0x0002
#define FLAG_DUPLEX	0x0008
#define FLAG_REPORT	0x0010
#define FLAG_IMM	0x0020
#define FLAG_ATOMIC	0x0040
#define REJ_BUSY	1

#define MSG_BYTES	16
#define RECV_BYTES	256
#define NR_RECV		16
#define SQ_DEPTH	16
#define SIZE_MAX_TOTAL	(16u << 20)
#define FLOOD_MAX	256
#define CONNS_MAX	16
#define SPOIL_PAGE	4096

/* RECVs that a server of sbw advertises without --recvs. */
#define DATA_RECVS	8

/* SIGALRM ends a process that hangs: its test fails and the next ones run. */
#define LIMIT_SECONDS	120

/* Interval of polling in a wait without events. */
#define TICK_MS		100

struct msg {
	uint64_t addr;
	uint32_t rkey;
	uint32_t size;
} __attribute__((packed));

/* Private data of REQ and, in a shorter form, of REP. */
struct conn_params {
	uint32_t magic;
	uint8_t version;
	uint8_t test;
	uint16_t flags;
	uint64_t size;
	uint64_t count;
	union {
		struct {
			uint32_t session;
			uint16_t conn_idx;
			uint16_t conns_total;
			uint32_t recvs;
			uint8_t reserved[12];
		} __attribute__((packed)) req;
		struct {
			uint32_t recvs;
			uint8_t reserved[4];
		} __attribute__((packed)) rep;
	};
} __attribute__((packed));
#define REQ_BYTES	48
#define REP_BYTES	32

struct rej {
	uint32_t magic;
	uint8_t version;
	uint8_t reason;
	uint16_t reserved;
	uint64_t limit;
} __attribute__((packed));

/* Control messages. */
struct ctl {
	uint32_t magic;
	uint8_t type;
	uint8_t reserved[3];
	uint64_t value;
} __attribute__((packed));

enum ctl_type {
	CTL_NONE = 0,
	CTL_FINISH = 1,
	CTL_CREDIT = 2,
	CTL_REPORT = 3,
	CTL_BUF_ADVERT = 4,
	CTL_REGION = 5,
	CTL_ASK = 6,
	CTL_ANSWER = 7,
};

struct advert_msg {
	struct ctl ctl;
	struct msg msg;
} __attribute__((packed));

struct report {
	struct ctl ctl;
	uint64_t nsec;
	uint64_t counters[8];
	uint64_t latencies;
	uint64_t latency[9];
} __attribute__((packed));

enum test {
	TEST_PING = 0,
	TEST_WLAT = 1,
	TEST_RLAT = 2,
	TEST_SLAT = 3,
	TEST_BW = 4,
	TEST_RBW = 5,
	TEST_SBW = 6,
	TEST_FR = 7,
	TEST_SESSION = 8,
	TEST_KRDMA = 9,
};

_Static_assert(sizeof(struct msg) == MSG_BYTES, "message");
_Static_assert(sizeof(struct ctl) == MSG_BYTES, "control message");
_Static_assert(sizeof(struct advert_msg) == 32, "buffer advert");
_Static_assert(sizeof(struct report) == 168, "report");
_Static_assert(sizeof(struct conn_params) == REQ_BYTES, "request");
_Static_assert(sizeof(struct rej) == 16, "reject");

enum peer_fault {
	FAULT_NONE,
	FAULT_SILENT,
	FAULT_DISCONNECT,
	FAULT_EXIT,
	FAULT_KILL,
	FAULT_LENGTH,
	FAULT_TWICE,
	FAULT_BURST,
	FAULT_CORRUPT,
	FAULT_REJECT,
	FAULT_REJ,
	FAULT_REP,
	FAULT_INV,
	FAULT_SIZE,
	FAULT_SINK,
	FAULT_ZERO,
	FAULT_RKEY,
	FAULT_REQ,
	FAULT_CTL,
	FAULT_CTL_SECOND,
	FAULT_BUF_ADVERT,
	FAULT_EARLY,
	FAULT_CREDIT,
	FAULT_BOAST,
	FAULT_SETBACK,
	FAULT_TALK,
	FAULT_KRDMA,
	FAULT_PLACE,
	FAULT_ASK,
	FAULT_ANSWER,
};

enum peer_stage {
	STAGE_NONE,
	STAGE_REQUEST,
	STAGE_CONNECT,
	STAGE_FIRST,
	STAGE_SECOND,
	STAGE_END,
	STAGE_REPORT,
};

enum {
	SERVER = 1,
	CLIENT = 2,
	TCP = 4,
};

/* The ways in which the fault corrupt= spoils the data of an operation. */
enum spoil {
	SPOIL_BYTE,
	SPOIL_FIRST,
	SPOIL_LAST,
	SPOIL_BIT,
	SPOIL_PAGES,
	SPOIL_STALE,
	SPOIL_SHORT,
	SPOIL_SHIFT,
};

struct options {
	int role;
	const char *addr;
	uint16_t port;
	uint64_t count;
	bool count_given;
	uint32_t size;
	bool old;
	uint64_t at;
	int timeout_ms;
	unsigned int flood;
	unsigned int accepted;
	const char *pause;
	enum peer_fault fault;
	enum peer_stage stage;
	uint64_t number;
	const char *word;
	enum spoil spoil;
	unsigned int late_ms;
	unsigned int conns;
	bool leave;
	bool report;
	enum test test;
	uint16_t flags;
	uint32_t recvs;
	bool recvs_given;
	unsigned int posts;
	uint8_t rnr_retry;
	uint32_t session;
	uint16_t conn_idx;
	uint16_t conns_total;
};

/* The part of the data that an operation moves. */
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
	uint32_t size;
	uint64_t count;
	bool server_inv;
	uint16_t flags;
	uint8_t test;
	uint32_t recvs;
	uint16_t conn_idx;

	/* for a server of several connections (--conns) */
	pthread_t thread;
	bool bystander;
	int status;

	uint32_t recv_bytes;
	/* the last received message */
	const uint8_t *message;
	bool message_imm;
	bool spoiled;
	uint32_t first_key;
	unsigned int sends_posted;
	uint8_t *send_buf;
	uint8_t *recv_buf;
	uint8_t *source;
	uint8_t *sink;
	uint8_t *before;
	struct ibv_mr *send_mr;
	struct ibv_mr *recv_mr;
	struct ibv_mr *source_mr;
	struct ibv_mr *sink_mr;
};

/* peer-log.c */
__attribute__((format(printf, 1, 2)))
void say(const char *fmt, ...);
__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);
int64_t now_ms(void);

/* peer-options.c */
extern const char * const spoil_name[];
extern const char * const stage_name[];
extern const char * const test_name[];
uint64_t parse_number(const char *text, uint64_t max);
void parse_options(struct options *opt, int argc, char **argv);

/* peer-events.c */
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

/* peer-queue.c */
void *alloc_zeroed(size_t len);
uint32_t wrong_key(uint32_t key);
void nonblocking(int fd);
void set_up_queue(struct peer *p);
void set_up_conn(struct peer *p);
void post_send(struct peer *p, struct ibv_send_wr *wr, struct ibv_sge *sge);
void send_data(struct peer *p, const void *data, size_t have, uint32_t len, bool inv,
	       uint32_t key);
void send_bytes(struct peer *p, const struct msg *msg, uint32_t len, bool inv,
		uint32_t key);
bool burst_goes_on(struct peer *p);
void send_burst(struct peer *p, const struct msg *msg, uint32_t len);
void post_long_send(struct peer *p, uint32_t len);
bool rdma_at(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	     const struct extent *e);
bool rdma_all(struct peer *p, enum ibv_wr_opcode opcode, const struct msg *advert,
	      uint32_t len);
int receive_data(struct peer *p, uint8_t data[RECV_BYTES], uint32_t *len);
int receive_msg(struct peer *p, struct msg *msg, uint32_t *len);

/* peer-data.c */
void fill_pattern(uint8_t *data, uint32_t size, uint64_t n);
bool data_is(const uint8_t *data, uint32_t size, uint64_t n);
void spoil_data(struct peer *p, uint64_t n, bool shared, struct extent *e);

/* peer-control.c */
enum ctl_type ctl_type(const void *data, uint32_t len);
void send_ctl(struct peer *p, enum ctl_type type, uint64_t value, uint32_t len);
void send_wrong_ctl(struct peer *p, const char *what);
void send_report(struct peer *p, uint64_t iterations);
int send_finish(struct peer *p, uint32_t key);

/* peer-fault.c */
bool fault_at(struct peer *p, enum peer_stage stage, uint64_t iteration, int *status);
bool fault_is(const struct peer *p, enum peer_fault fault, uint64_t iteration);
uint32_t inv_key(const struct peer *p, uint32_t own);
bool inv_is(const struct peer *p, const char *what, uint64_t iteration);
void send_until(struct peer *p, const struct msg *msg);

/* peer-params.c */
size_t fill_params(const struct peer *p, struct conn_params *params, const char *what,
		   size_t len);
bool read_params(struct peer *p, const char *what);
void fill_conn_param(const struct peer *p, struct rdma_conn_param *param,
		     const void *data, size_t len);
struct sockaddr *sockaddr_of(const struct options *opt, struct sockaddr_storage *ss);

/* peer-bench.c */
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

/* peer-bench-client.c */
int bench_client(struct peer *p);
int krdma_client(struct peer *p);
int session_client(struct peer *p);

/* peer-regions.c */
int regions_client(struct peer *p, struct msg *piece);
int regions_early(struct peer *p);
int regions_server(struct peer *p);

/* peer-bench-server.c */
int bench_server(struct peer *p);

/* peer-ping-server.c */
int server_loop(struct peer *p);

/* peer-server.c */
int run_server(struct peer *p);

/* peer-ping-client.c */
int client_loop(struct peer *p);

/* peer-client.c */
void client_resolve(struct peer *p, struct rdma_cm_id *id);
int run_client(struct peer *p);

/* peer-flood.c */
int run_flood(struct peer *p);
int run_tcp(const struct options *opt);

#endif
