// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The other side of krping's ping/pong loop and of its microbenchmarks, in user
 * space, which misbehaves on request. What goes on the wire is written down here a
 * second time on purpose: a test that shared krping's own definitions would share
 * their mistakes.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* What a server of sbw says that it has, unless --recvs says otherwise. */
#define DATA_RECVS	8

/* A process that hangs ends by SIGALRM, so that its test fails and others go on. */
#define LIMIT_SECONDS	120

/* How often a wait that nothing wakes looks around. */
#define TICK_MS		100

struct msg {
	uint64_t addr;
	uint32_t rkey;
	uint32_t size;
} __attribute__((packed));

/* Private data of REQ and, shorter, of REP. */
struct ask {
	uint32_t magic;
	uint8_t version;
	uint8_t test;
	uint16_t flags;
	uint64_t size;
	uint64_t count;
	union {
		struct {
			uint32_t session;
			uint16_t lane;
			uint16_t lanes;
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
	CTL_HELLO = 4,
};

struct hello {
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
};

static const char * const test_name[] = {
	[TEST_PING] = "ping",
	[TEST_WLAT] = "wlat",
	[TEST_RLAT] = "rlat",
	[TEST_SLAT] = "slat",
	[TEST_BW]   = "bw",
	[TEST_RBW]  = "rbw",
	[TEST_SBW]  = "sbw",
	[TEST_FR]   = "fr",
};

_Static_assert(sizeof(struct msg) == MSG_BYTES, "message");
_Static_assert(sizeof(struct ctl) == MSG_BYTES, "control message");
_Static_assert(sizeof(struct hello) == 32, "hello");
_Static_assert(sizeof(struct report) == 168, "report");
_Static_assert(sizeof(struct ask) == REQ_BYTES, "request");
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
	FAULT_HELLO,
	FAULT_EARLY,
	FAULT_CREDIT,
	FAULT_BOAST,
	FAULT_SETBACK,
	FAULT_TALK,
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

/* What a fault's operand is. */
enum operand {
	OP_NONE,
	OP_STAGE,
	OP_NUMBER,
	OP_WORD,
	OP_SPOIL,
};

/* What is wrong with the data of an operation. */
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

static const char * const spoil_name[] = {
	[SPOIL_BYTE]	= "byte",
	[SPOIL_FIRST]	= "first",
	[SPOIL_LAST]	= "last",
	[SPOIL_BIT]	= "bit",
	[SPOIL_PAGES]	= "pages",
	[SPOIL_STALE]	= "stale",
	[SPOIL_SHORT]	= "short",
	[SPOIL_SHIFT]	= "shift",
};

static const struct {
	const char *name;
	enum peer_fault fault;
	int roles;
	enum operand operand;
} faults[] = {
	{ "silent", FAULT_SILENT, SERVER | CLIENT, OP_STAGE },
	{ "disconnect", FAULT_DISCONNECT, SERVER | CLIENT, OP_STAGE },
	{ "exit", FAULT_EXIT, SERVER | CLIENT, OP_STAGE },
	{ "kill", FAULT_KILL, SERVER | CLIENT, OP_STAGE },
	{ "length", FAULT_LENGTH, SERVER | CLIENT, OP_NUMBER },
	{ "twice", FAULT_TWICE, SERVER | CLIENT, OP_NONE },
	{ "burst", FAULT_BURST, SERVER | CLIENT, OP_NUMBER },
	{ "talk", FAULT_TALK, SERVER | CLIENT, OP_NUMBER },
	{ "corrupt", FAULT_CORRUPT, SERVER | CLIENT, OP_SPOIL },
	{ "reject", FAULT_REJECT, SERVER, OP_NUMBER },
	{ "rej", FAULT_REJ, SERVER, OP_WORD },
	{ "rep", FAULT_REP, SERVER, OP_WORD },
	{ "inv", FAULT_INV, SERVER | CLIENT, OP_WORD },
	{ "size", FAULT_SIZE, CLIENT, OP_NUMBER },
	{ "sink", FAULT_SINK, CLIENT, OP_NUMBER },
	{ "zero", FAULT_ZERO, CLIENT, OP_NONE },
	{ "rkey", FAULT_RKEY, CLIENT, OP_STAGE },
	{ "req", FAULT_REQ, CLIENT, OP_WORD },
	{ "ctl", FAULT_CTL, SERVER | CLIENT, OP_WORD },
	{ "ctl-second", FAULT_CTL_SECOND, SERVER | CLIENT, OP_WORD },
	{ "hello", FAULT_HELLO, SERVER | CLIENT, OP_WORD },
	{ "early", FAULT_EARLY, SERVER | CLIENT, OP_NONE },
	{ "credit", FAULT_CREDIT, SERVER, OP_NUMBER },
	{ "boast", FAULT_BOAST, SERVER, OP_NONE },
	{ "setback", FAULT_SETBACK, SERVER, OP_NUMBER },
};

static const char * const stage_name[] = {
	[STAGE_REQUEST]	= "request",
	[STAGE_CONNECT]	= "connect",
	[STAGE_FIRST]	= "first",
	[STAGE_SECOND]	= "second",
	[STAGE_END]	= "end",
	[STAGE_REPORT]	= "report",
};

static const char usage_text[] =
"Usage: krping-peer server|client|tcp ADDR PORT [OPTION]...\n"
"\n"
"Speak the ping/pong protocol of krping and rping, or that of krping's\n"
"microbenchmarks, and misbehave on request. tcp does not speak at all: it makes\n"
"--flood N connections of TCP, as iWARP does, and resets each at once.\n"
"\n"
"  --count N        client: iterations (default 1); server: as many are expected\n"
"  --size N         bytes of ping data (default 64; server: at most 65536)\n"
"  --old            no private data, like an old krping or rping\n"
"  --at N           the iteration, from 0, in which the fault happens (default 0)\n"
"  --timeout S      how long each wait may take (default 60)\n"
"  --flood N        client: N connects at once, all of which should be rejected as\n"
"  --accepted N     busy, but for so many (default 0); then all of them vanish\n"
"  --pause FILE     client, not ping: wait for FILE before the first operation\n"
"  --report         ping: agree upon a report at the end, and send or check it\n"
"  --test TEST      client: wlat, rlat, slat, bw, rbw, sbw or fr instead of ping\n"
"  --flags N        client: more flags of the request\n"
"  --recvs N        how many RECVs for data the private data promises\n"
"  --session N, --lane N, --lanes N\n"
"                   client: these fields of the request\n"
"  --posts N        how many RECVs this side posts (default 16); none of fewer than\n"
"                   16 is posted again\n"
"  --rnr-retry N    how often the peer's QP may retry without a RECV of this side\n"
"                   (default 7: without end)\n"
"  --conns N        server, not ping: the client makes N connections, and the one\n"
"                   whose request has --lane has the fault\n"
"  --late MS        see corrupt\n"
"  --leave          disconnect behind the fault, instead of waiting for the peer's end\n"
"  --fault F        one of these:\n"
"\n"
"both     silent=STAGE       say nothing any more, and wait for the peer's end\n"
"         disconnect=STAGE   in order, where it is not expected\n"
"         exit=STAGE         the process just ends\n"
"         kill=STAGE         it ends by SIGKILL\n"
"         length=N           a message of N bytes (at most 256)\n"
"         twice              a message two times\n"
"         burst=N            N messages (at most 255) without waiting for an answer\n"
"         talk=MS            a message of a wrong length, and then one more after\n"
"                            the other for so long, whatever the peer says\n"
"         inv=KEY            SEND_WITH_INV of this key. none: one that does not\n"
"                            exist. server: at the first go-ahead; own: of the key\n"
"                            that it answers; stale: at the second one, of the key\n"
"                            that the first one answered. client: at the first\n"
"                            advertisement; own, not ping: at the end, of the key\n"
"                            that the server has advertised\n"
"both     corrupt=WHAT[@N]   wrong data in operation N (default: --at). A number: one\n"
"                            bit of the byte at this offset; first, last: of this\n"
"                            byte; bit: one in the middle; pages: the second and\n"
"                            the third page are swapped; stale: the data of the\n"
"                            operation before (of the first: of the second); short:\n"
"                            the last quarter is missing; shift: the data is one\n"
"                            byte further back. A server of rlat or rbw shares the\n"
"                            wrong data from the beginning, or after --late MS\n"
"server   reject=N           with krping's private data and reason N; 0: without\n"
"         rej=WHAT           with private data that is garbage or truncated\n"
"         rep=WHAT           REP whose private data is garbage, truncated, or has\n"
"                            a wrong version, size, test, count or flags, or\n"
"                            no-flags\n"
"         early              ping: a go-ahead that nobody has asked for\n"
"both     ctl=WHAT           a control message out of turn, in place of the first\n"
"                            message of an iteration (server: of its go-ahead):\n"
"                            finish, credit, report, hello; garbage: one of no\n"
"                            known type; short, long: a finish of a wrong length,\n"
"                            stump: a report that is cut off\n"
"         ctl-second=WHAT    likewise, of the second\n"
"         hello=WHAT         not ping: a hello that is zero, small or huge, has a\n"
"                            wrong key, is cut short, or comes twice\n"
"server   credit=N           sbw: say that N messages have been taken\n"
"         boast              not ping: report 2^63 iterations in one nanosecond\n"
"         setback=N          rlat with atomics: set the counter to 0 behind atomic N\n"
"client   early              not ping: data before the hello\n"
"         size=N             advertise so many bytes\n"
"         sink=N             likewise, of the sink only\n"
"         zero               advertise address 0 and rkey 0\n"
"         rkey=first|second  advertise a key that does not exist\n"
"         req=WHAT           REQ whose private data is garbage, magic (nothing\n"
"                            else), truncated, or has a wrong version, test,\n"
"                            flags, or a size that is zero, large or huge;\n"
"                            short: as truncated, but only for iWARP, which\n"
"                            does not pad\n"
"\n"
"STAGE: request (server: a client asks; client: it has asked, for exit and kill\n"
"only), connect (connected, nothing said yet), first or second (the server\n"
"should send this go-ahead, the client has it), end (server: the iteration is\n"
"over), report (server: it should send the report; client: all iterations are\n"
"done, and the server should hear that). Not ping: connect (no hello yet), first\n"
"(the hellos are exchanged, and the operation is next), second (server of sbw: the\n"
"data has come), report.\n"
"\n"
"Exit status: 0 when all went as planned, which with a fault means that the peer\n"
"ended the connection or rejected it; 1 when not; 2 for a wrong command line.\n";

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
	uint16_t lane;
	uint16_t lanes;
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

	/* what the connection manager has said */
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

	/* what the CQ has said */
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

	/* what client and server have agreed upon */
	uint32_t size;
	uint64_t count;
	bool server_inv;
	uint16_t flags;
	uint8_t test;
	uint32_t recvs;
	uint16_t lane;

	/* one of several connections */
	pthread_t thread;
	bool bystander;
	int status;

	uint32_t recv_bytes;
	/* the message that was received last */
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

__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	flockfile(stdout);
	printf("peer: ");
	vprintf(fmt, args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
	va_end(args);
}

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("peer: error: ");
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
	fflush(stdout);
	exit(1);
}

__attribute__((noreturn))
static void usage(const char *why)
{
	fprintf(stderr, "krping-peer: %s\n\n%s", why, usage_text);
	exit(2);
}

static uint64_t parse_number(const char *text, uint64_t max)
{
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text || *text == '-' || n > max)
		usage("a number is none, or too large");
	return n;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * What has happened: events of the connection manager and completions.
 */

/* Return: krping's reason, or 0. */
static uint8_t say_rejected(const struct peer *p)
{
	struct rej rej;

	memset(&rej, 0, sizeof(rej));
	if (p->private_len >= sizeof(rej))
		memcpy(&rej, p->private_data, sizeof(rej));
	if (be32toh(rej.magic) != MAGIC) {
		say("rejected without a reason");
		return 0;
	}
	say("rejected version=%u reason=%u limit=%" PRIu64, rej.version,
	    rej.reason, be64toh(rej.limit));
	return rej.reason;
}

static void keep_private_data(struct peer *p, struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;

	p->private_len = param->private_data ? param->private_data_len : 0;
	if (p->private_len)
		memcpy(p->private_data, param->private_data, p->private_len);
}

static void note_event(struct peer *p, struct rdma_cm_event *event)
{
	p->event = event->event;
	say("event %s status=%d", rdma_event_str(event->event), event->status);

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/* One client is enough; another one may wait in vain. */
		if (p->requested)
			break;
		p->id = event->id;
		p->requested = true;
		keep_private_data(p, event);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		p->established = true;
		p->answers++;
		p->accepted++;
		if (!p->listen_id)
			keep_private_data(p, event);
		break;
	case RDMA_CM_EVENT_REJECTED:
		p->rejected = true;
		p->answers++;
		keep_private_data(p, event);
		if (say_rejected(p) == REJ_BUSY)
			p->busy++;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		p->disconnected = true;
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		p->failed = true;
		p->answers++;
		break;
	default:
		break;
	}
}

static void reap_events(struct peer *p)
{
	struct rdma_cm_event *event;

	while (!rdma_get_cm_event(p->channel, &event)) {
		note_event(p, event);
		rdma_ack_cm_event(event);
	}
}

static void post_recv(struct peer *p, unsigned int i)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)(p->recv_buf + (size_t)i * p->recv_bytes),
		.length = p->recv_bytes,
		.lkey = p->recv_mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(p->qp, &wr, &bad))
		die("cannot post a RECV");
}

static void note_completion(struct peer *p, const struct ibv_wc *wc)
{
	unsigned int i = wc->wr_id;

	if (wc->status != IBV_WC_SUCCESS) {
		if (!p->wc_failed)
			say("completion failed: %s", ibv_wc_status_str(wc->status));
		p->wc_failed = true;
		return;
	}
	switch (wc->opcode) {
	case IBV_WC_RECV:
	case IBV_WC_RECV_RDMA_WITH_IMM:
		p->inbox[p->in_head % NR_RECV].len = wc->byte_len;
		p->inbox[p->in_head % NR_RECV].imm = wc->wc_flags & IBV_WC_WITH_IMM;
		if (wc->opcode == IBV_WC_RECV)
			memcpy(p->inbox[p->in_head % NR_RECV].data,
			       p->recv_buf + (size_t)i * p->recv_bytes,
			       p->recv_bytes);
		else
			memset(p->inbox[p->in_head % NR_RECV].data, 0,
			       p->recv_bytes);
		p->in_head++;
		if (p->opt.posts == NR_RECV)
			post_recv(p, i);
		break;
	case IBV_WC_SEND:
		p->sends_done++;
		break;
	default:
		p->rdma_done++;
		break;
	}
}

static void reap_completions(struct peer *p)
{
	struct ibv_wc wc;

	while (p->cq && ibv_poll_cq(p->cq, 1, &wc) > 0)
		note_completion(p, &wc);
}

static void rearm(struct peer *p)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(p->comp, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	if (ibv_req_notify_cq(p->cq, 0))
		die("cannot arm the CQ");
}

/* Return: whether @done came true in time. */
static bool wait_for(struct peer *p, bool (*done)(const struct peer *p))
{
	int64_t end = now_ms() + p->opt.timeout_ms;
	struct pollfd fds[2];

	for (;;) {
		int64_t left;

		reap_completions(p);
		if (done(p))
			return true;
		reap_events(p);
		/* what has come before the end of the connection */
		reap_completions(p);
		if (done(p))
			return true;
		left = end - now_ms();
		if (left <= 0)
			return false;

		fds[0] = (struct pollfd) { p->channel->fd, POLLIN, 0 };
		fds[1] = (struct pollfd) { p->comp ? p->comp->fd : -1, POLLIN, 0 };
		poll(fds, 2, left < TICK_MS ? left : TICK_MS);
		if (fds[1].revents)
			rearm(p);
	}
}

static bool over(const struct peer *p)
{
	return p->disconnected || p->rejected || p->failed;
}

static bool has_request(const struct peer *p)
{
	return p->requested;
}

static bool is_resolved(const struct peer *p)
{
	return p->event >= 0 || over(p);
}

static bool is_established(const struct peer *p)
{
	/* The first message may come before the connection manager's word. */
	return p->established || p->in_head != p->in_tail || over(p);
}

static bool has_cm_word(const struct peer *p)
{
	return p->established || over(p);
}

static bool has_message(const struct peer *p)
{
	return p->in_head != p->in_tail || over(p) || p->wc_failed;
}

static bool all_sent(const struct peer *p)
{
	return p->sends_done == p->sends_posted || over(p) || p->wc_failed;
}

/* In a burst, WRITEs count as posted sends, too. */
static bool has_room(const struct peer *p)
{
	return p->sends_posted - p->sends_done - p->rdma_done < SQ_DEPTH - 1 ||
	       over(p) || p->wc_failed;
}

static bool rdma_is_done(const struct peer *p)
{
	return p->rdma_done || over(p) || p->wc_failed;
}

/* The peer should end it now. Return: the exit status. */
static int await_end(struct peer *p)
{
	if (p->opt.leave) {
		wait_for(p, all_sent);
		rdma_disconnect(p->id);
	}
	if (wait_for(p, over)) {
		say("ended by the peer");
		return 0;
	}
	say("error: the peer did not end the connection");
	return 1;
}

/*
 * Work requests.
 */

static struct ibv_mr *reg(struct peer *p, void *buf, size_t len)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr;

	/* which iWARP does not know */
	if (p->flags & FLAG_ATOMIC)
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	mr = ibv_reg_mr(p->pd, buf, len, access);
	if (!mr)
		die("cannot register memory: %m");
	return mr;
}

static void *alloc(size_t len)
{
	void *buf;

	if (posix_memalign(&buf, 4096, len))
		die("no memory");
	memset(buf, 0, len);
	return buf;
}

/* A key that belongs to nothing: another number of the provider's table. */
static uint32_t wrong_key(uint32_t key)
{
	return key ^ 0x5a5a00;
}

static void nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void set_up_queue(struct peer *p)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = SQ_DEPTH,
			.max_recv_wr = NR_RECV,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	struct ibv_context *verbs = p->id->verbs;

	p->pd = ibv_alloc_pd(verbs);
	p->comp = ibv_create_comp_channel(verbs);
	if (!p->pd || !p->comp)
		die("cannot allocate a PD: %m");
	nonblocking(p->comp->fd);
	p->cq = ibv_create_cq(verbs, 2 * SQ_DEPTH, NULL, p->comp, 0);
	if (!p->cq || ibv_req_notify_cq(p->cq, 0))
		die("cannot create a CQ: %m");
	attr.send_cq = p->cq;
	attr.recv_cq = p->cq;
	if (rdma_create_qp(p->id, p->pd, &attr))
		die("cannot create a QP: %m");
	p->qp = p->id->qp;
}

static void set_up(struct peer *p)
{
	unsigned int i;

	set_up_queue(p);
	p->recv_bytes = RECV_BYTES;
	if ((p->test == TEST_SLAT || p->test == TEST_SBW) && p->size > RECV_BYTES)
		p->recv_bytes = p->size;
	p->send_buf = alloc(SQ_DEPTH * RECV_BYTES);
	p->recv_buf = alloc((size_t)NR_RECV * p->recv_bytes);
	for (i = 0; i < NR_RECV; i++)
		p->inbox[i].data = alloc(p->recv_bytes);
	p->source = alloc(p->size);
	p->sink = alloc(p->size);
	p->before = alloc(p->size);
	p->send_mr = reg(p, p->send_buf, SQ_DEPTH * RECV_BYTES);
	p->recv_mr = reg(p, p->recv_buf, (size_t)NR_RECV * p->recv_bytes);
	p->source_mr = reg(p, p->source, p->size);
	p->sink_mr = reg(p, p->sink, p->size);
	for (i = 0; i < p->opt.posts; i++)
		post_recv(p, i);
}

static void post_send(struct peer *p, struct ibv_send_wr *wr,
		      struct ibv_sge *sge)
{
	struct ibv_send_wr *bad;
	int ret;

	wr->sg_list = sge;
	wr->num_sge = sge->length ? 1 : 0;
	wr->send_flags |= IBV_SEND_SIGNALED;
	ret = ibv_post_send(p->qp, wr, &bad);
	/* The connection may be gone; whoever waits will see that. */
	if (ret)
		say("posting failed: %s", strerror(ret));
}

/* The first @have of the @len bytes are those at @data, the others are zeros. */
static void send_data(struct peer *p, const void *data, size_t have, uint32_t len,
		      bool inv, uint32_t key)
{
	uint8_t *buf = p->send_buf + p->sends_posted % SQ_DEPTH * RECV_BYTES;
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf,
		.length = len,
		.lkey = p->send_mr->lkey,
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	memset(buf, 0, RECV_BYTES);
	memcpy(buf, data, have);
	if (inv) {
		wr.opcode = IBV_WR_SEND_WITH_INV;
		wr.invalidate_rkey = key;
		/* where siw's provider looks for it (rdma-core 44) */
		wr.wr.rdma.rkey = key;
	}
	p->sends_posted++;
	post_send(p, &wr, &sge);
}

static void send_bytes(struct peer *p, const struct msg *msg, uint32_t len,
		       bool inv, uint32_t key)
{
	send_data(p, msg, sizeof(*msg), len, inv, key);
}

/* Return: whether the next message of a burst can be posted. */
static bool burst_goes_on(struct peer *p)
{
	return wait_for(p, has_room) && !over(p) && !p->wc_failed;
}

static void burst(struct peer *p, const struct msg *msg, uint32_t len)
{
	uint64_t i;

	p->rdma_done = 0;
	for (i = 0; i < p->opt.number && burst_goes_on(p); i++)
		send_bytes(p, msg, len, false, 0);
}

/*
 * Data, and what is wrong with it.
 */

/* The data of an iteration, as Documentation/wire.md has it. */
static void pattern(uint8_t *data, uint32_t size, uint64_t n)
{
	char text[48];
	uint32_t len = snprintf(text, sizeof(text), "rdma-ping-%" PRIu64 ": ", n);
	uint32_t i;

	if (len > size - 1)
		len = size - 1;
	memcpy(data, text, len);
	for (i = len; i < size - 1; i++)
		data[i] = 65 + (n + i - len) % 58;
	data[size - 1] = '\0';
}

/* Return: whether it is the data of this iteration. */
static bool data_is(const uint8_t *data, uint32_t size, uint64_t n)
{
	uint8_t *want = alloc(size);
	uint32_t i;

	pattern(want, size, n);
	for (i = 0; i < size; i++)
		if (data[i] != want[i])
			break;
	if (i < size)
		say("error: operation %" PRIu64 ", offset %u: 0x%02x instead of 0x%02x",
		    n, i, data[i], want[i]);
	free(want);
	return i == size;
}

/* What of the data goes where. */
struct extent {
	uint32_t off;
	uint32_t len;
};

static void swap_pages(uint8_t *a, uint8_t *b)
{
	uint8_t page[SPOIL_PAGE];

	memcpy(page, a, SPOIL_PAGE);
	memcpy(a, b, SPOIL_PAGE);
	memcpy(b, page, SPOIL_PAGE);
}

/*
 * Spoil the data of operation @n, or what of it goes where. Shared memory that the
 * other side reads has all of it always, in its place.
 */
static void spoil(struct peer *p, uint64_t n, bool shared, struct extent *e)
{
	uint32_t quarter = (p->size + 3) / 4;

	switch (p->opt.spoil) {
	case SPOIL_BYTE:
		if (p->opt.number < p->size)
			p->source[p->opt.number] ^= 0x01;
		break;
	case SPOIL_FIRST:
		p->source[0] ^= 0x01;
		break;
	case SPOIL_LAST:
		p->source[p->size - 1] ^= 0x01;
		break;
	case SPOIL_BIT:
		p->source[p->size / 2] ^= 0x10;
		break;
	case SPOIL_PAGES:
		if (p->size < 3 * SPOIL_PAGE)
			die("%u bytes are no three pages", p->size);
		swap_pages(p->source + SPOIL_PAGE, p->source + 2 * SPOIL_PAGE);
		break;
	case SPOIL_STALE:
		/* ping's data is the client's */
		if (p->test == TEST_PING && p->opt.role == SERVER)
			memcpy(p->source, p->before, p->size);
		else
			pattern(p->source, p->size, n ? n - 1 : 1);
		break;
	case SPOIL_SHORT:
		if (shared)
			memset(p->source + p->size - quarter, 0, quarter);
		else
			e->len -= quarter;
		break;
	case SPOIL_SHIFT:
		if (shared) {
			memmove(p->source + 1, p->source, p->size - 1);
		} else {
			e->off = 1;
			e->len -= 1;
		}
		break;
	}
	p->spoiled = true;
	say("fault: corrupt %s, operation %" PRIu64, spoil_name[p->opt.spoil], n);
}

/* Return: whether the data has been moved. */
static bool rdma_at(struct peer *p, enum ibv_wr_opcode opcode,
		    const struct msg *advert, const struct extent *e)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = e->len,
		.lkey = p->source_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma.remote_addr = be64toh(advert->addr) + e->off,
		.wr.rdma.rkey = be32toh(advert->rkey),
	};

	p->rdma_done = 0;
	post_send(p, &wr, &sge);
	if (!wait_for(p, rdma_is_done))
		say("error: no completion");
	return p->rdma_done;
}

static bool rdma(struct peer *p, enum ibv_wr_opcode opcode,
		 const struct msg *advert, uint32_t len)
{
	const struct extent all = { .len = len };

	return rdma_at(p, opcode, advert, &all);
}

/* Return: 1 and the message, 0 when the connection is gone, -1 after the time. */
static int receive_data(struct peer *p, uint8_t data[RECV_BYTES], uint32_t *len)
{
	if (!wait_for(p, has_message)) {
		say("error: the peer is silent");
		return -1;
	}
	if (p->in_head == p->in_tail) {
		if (!wait_for(p, over))
			say("error: no word about the end of the connection");
		return p->disconnected ? 0 : -1;
	}
	memcpy(data, p->inbox[p->in_tail % NR_RECV].data, RECV_BYTES);
	p->message = p->inbox[p->in_tail % NR_RECV].data;
	p->message_imm = p->inbox[p->in_tail % NR_RECV].imm;
	*len = p->inbox[p->in_tail % NR_RECV].len;
	p->in_tail++;
	return 1;
}

static int receive(struct peer *p, struct msg *msg, uint32_t *len)
{
	uint8_t data[RECV_BYTES];
	int ret = receive_data(p, data, len);

	if (ret > 0)
		memcpy(msg, data, sizeof(*msg));
	return ret;
}

/*
 * Control messages.
 */

static enum ctl_type ctl_type(const void *data, uint32_t len)
{
	static const uint32_t length[] = {
		[CTL_FINISH] = 16, [CTL_CREDIT] = 16, [CTL_REPORT] = 168,
		[CTL_HELLO] = 32,
	};
	const struct ctl *ctl = data;

	if (len < sizeof(*ctl) || be32toh(ctl->magic) != MAGIC ||
	    ctl->type >= ARRAY_SIZE(length) || len != length[ctl->type])
		return CTL_NONE;
	return ctl->type;
}

static void send_ctl(struct peer *p, enum ctl_type type, uint64_t value,
		     uint32_t len)
{
	struct ctl ctl = {
		.magic = htobe32(MAGIC),
		.type = type,
		.value = htobe64(value),
	};

	send_data(p, &ctl, sizeof(ctl), len, false, 0);
}

/* A control message out of turn. */
static void send_wrong_ctl(struct peer *p, const char *what)
{
	say("fault: control message %s", what);
	if (!strcmp(what, "finish"))
		send_ctl(p, CTL_FINISH, 0, 16);
	else if (!strcmp(what, "credit"))
		send_ctl(p, CTL_CREDIT, 1, 16);
	else if (!strcmp(what, "report"))
		send_ctl(p, CTL_REPORT, 0, 168);
	else if (!strcmp(what, "hello"))
		send_ctl(p, CTL_HELLO, 0, 32);
	else if (!strcmp(what, "garbage"))
		send_ctl(p, 0xee, 0xeeeeeeeeeeeeeeee, 16);
	else if (!strcmp(what, "short"))
		send_ctl(p, CTL_FINISH, 0, 15);
	else if (!strcmp(what, "long"))
		send_ctl(p, CTL_FINISH, 0, 17);
	else if (!strcmp(what, "stump"))
		send_ctl(p, CTL_REPORT, 0, 167);
	else
		die("what control message is %s?", what);
}

/* One whose numbers can be told apart. */
static void send_report(struct peer *p, uint64_t iterations)
{
	struct report report = {
		.ctl = {
			.magic = htobe32(MAGIC),
			.type = CTL_REPORT,
			.value = htobe64(iterations),
		},
		.nsec = htobe64(4711),
		.latencies = htobe64(iterations),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(report.counters); i++)
		report.counters[i] = htobe64(101 + i);
	for (i = 0; i < ARRAY_SIZE(report.latency); i++)
		report.latency[i] = htobe64(201 + i);
	if (p->opt.fault == FAULT_BOAST) {
		say("fault: a report that cannot be true");
		report.ctl.value = htobe64(1ULL << 63);
		report.nsec = htobe64(1);
	}
	send_data(p, &report, sizeof(report), sizeof(report), false, 0);
}

/* The test is done. @key is what the server has shared. Return: the exit status. */
static int finish(struct peer *p, uint32_t key)
{
	const struct ctl ctl = {
		.magic = htobe32(MAGIC),
		.type = CTL_FINISH,
	};
	uint8_t data[RECV_BYTES];
	struct report report;
	uint32_t len;
	int ret;

	if (p->opt.fault == FAULT_INV)
		say("fault: SEND_WITH_INV of key 0x%x", key);
	send_data(p, &ctl, sizeof(ctl), sizeof(ctl), p->opt.fault == FAULT_INV, key);
	do {
		ret = receive_data(p, data, &len);
	} while (ret > 0 && ctl_type(data, len) == CTL_CREDIT);
	if (ret <= 0 || ctl_type(data, len) != CTL_REPORT) {
		say("error: no report");
		return 1;
	}
	memcpy(&report, data, sizeof(report));
	say("report iterations=%" PRIu64 " nsec=%s latencies=%" PRIu64,
	    be64toh(report.ctl.value), report.nsec ? "given" : "0",
	    be64toh(report.latencies));
	say("report send=%" PRIu64 "/%" PRIu64 " recv=%" PRIu64 "/%" PRIu64
	    " write=%" PRIu64 "/%" PRIu64 " read=%" PRIu64 "/%" PRIu64,
	    be64toh(report.counters[0]), be64toh(report.counters[1]),
	    be64toh(report.counters[2]), be64toh(report.counters[3]),
	    be64toh(report.counters[4]), be64toh(report.counters[5]),
	    be64toh(report.counters[6]), be64toh(report.counters[7]));
	return 0;
}

/*
 * Faults that both sides know.
 */

/* Return: whether it was time for the fault; then *status is what came of it. */
static bool fault_at(struct peer *p, enum peer_stage stage,
		     uint64_t iteration, int *status)
{
	if (p->opt.stage != stage || p->opt.at != iteration)
		return false;
	if (p->opt.fault == FAULT_RKEY)
		return false;
	say("fault at stage %s of iteration %" PRIu64, stage_name[stage],
	    iteration);
	switch (p->opt.fault) {
	case FAULT_EXIT:
		_exit(0);
	case FAULT_KILL:
		kill(getpid(), SIGKILL);
		break;
	case FAULT_DISCONNECT:
		/* What was said before the end should arrive. */
		wait_for(p, all_sent);
		/* Before the connection manager's word it would tell nobody. */
		wait_for(p, has_cm_word);
		rdma_disconnect(p->id);
		break;
	default:
		break;
	}
	*status = await_end(p);
	/* Without a QP nothing tells iWARP's side that the client is gone. */
	if (stage == STAGE_REQUEST)
		*status = 0;
	return true;
}

static bool fault_is(const struct peer *p, enum peer_fault fault,
		     uint64_t iteration)
{
	return p->opt.fault == fault && p->opt.at == iteration;
}

/*
 * Private data.
 */

static size_t fill_ask(const struct peer *p, struct ask *ask, const char *what,
		       size_t len)
{
	memset(ask, 0, sizeof(*ask));
	ask->magic = htobe32(MAGIC);
	ask->version = VERSION;
	ask->size = htobe64(p->size);
	ask->count = htobe64(p->count);
	ask->test = p->test;
	ask->flags = htobe16(p->flags);
	if (len == REQ_BYTES) {
		ask->req.session = htobe32(p->opt.session);
		ask->req.lane = htobe16(p->opt.lane);
		ask->req.lanes = htobe16(p->opt.lanes);
		ask->req.recvs = htobe32(p->opt.recvs);
	} else {
		ask->rep.recvs = htobe32(p->opt.recvs);
	}
	if (!what)
		return len;

	if (!strcmp(what, "garbage"))
		memset((uint8_t *)ask + sizeof(ask->magic), 0xa5,
		       len - sizeof(ask->magic));
	else if (!strcmp(what, "magic"))
		return sizeof(ask->magic);
	else if (!strcmp(what, "truncated"))
		memset(&ask->version + 1, 0, len - sizeof(ask->magic) - 1);
	else if (!strcmp(what, "short"))
		return len / 2;
	else if (!strcmp(what, "version"))
		ask->version = VERSION + 1;
	else if (!strcmp(what, "test"))
		ask->test = 0x7f;
	else if (!strcmp(what, "flags"))
		ask->flags = htobe16(0x8000);
	else if (!strcmp(what, "no-flags"))
		ask->flags = 0;
	else if (!strcmp(what, "count"))
		ask->count = htobe64(p->count + 1);
	else if (!strcmp(what, "zero"))
		ask->size = 0;
	else if (!strcmp(what, "size"))
		ask->size = htobe64(p->size + 1);
	else if (!strcmp(what, "large"))
		ask->size = htobe64(UINT32_MAX);
	else if (!strcmp(what, "huge"))
		ask->size = htobe64(1ull << 40);
	else
		die("what private data is %s?", what);
	return len;
}

/* Return: whether there is one of krping's, which then has been adopted. */
static bool read_ask(struct peer *p, const char *what)
{
	bool reply = !p->listen_id;
	struct ask ask;

	memset(&ask, 0, sizeof(ask));
	memcpy(&ask, p->private_data,
	       p->private_len < sizeof(ask) ? p->private_len : sizeof(ask));
	if (be32toh(ask.magic) != MAGIC) {
		say("%s without krping's private data", what);
		return false;
	}
	say("%s version=%u test=%u flags=0x%04x size=%" PRIu64 " count=%" PRIu64,
	    what, ask.version, ask.test, be16toh(ask.flags), be64toh(ask.size),
	    be64toh(ask.count));
	if (be64toh(ask.size) > SIZE_MAX_TOTAL)
		die("that size is not for me");
	if (reply && be16toh(ask.flags) & ~p->flags) {
		say("error: the reply has flags that the request did not have: 0x%04x",
		    be16toh(ask.flags) & ~p->flags);
		return false;
	}
	p->size = be64toh(ask.size);
	p->count = be64toh(ask.count);
	p->test = ask.test;
	p->flags = be16toh(ask.flags);
	/* The report of a ping is for those who want it. */
	if (p->test == TEST_PING && !p->opt.report)
		p->flags &= ~FLAG_REPORT;
	p->server_inv = p->flags & FLAG_SERVER_INV;
	p->recvs = be32toh(reply ? ask.rep.recvs : ask.req.recvs);
	p->lane = reply ? 0 : be16toh(ask.req.lane);
	return true;
}

static void conn_param(const struct peer *p, struct rdma_conn_param *param,
		       const void *data, size_t len)
{
	memset(param, 0, sizeof(*param));
	param->responder_resources = 1;
	param->initiator_depth = 1;
	param->retry_count = 7;
	param->rnr_retry_count = p->opt.rnr_retry;
	param->private_data = len ? data : NULL;
	param->private_data_len = len;
}

/* Not by getaddrinfo(), which a static program cannot do. */
static struct sockaddr *sockaddr_of(const struct options *opt,
				    struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *sin = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (inet_pton(AF_INET, opt->addr, &sin->sin_addr) == 1) {
		sin->sin_family = AF_INET;
		sin->sin_port = htons(opt->port);
	} else if (inet_pton(AF_INET6, opt->addr, &sin6->sin6_addr) == 1) {
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = htons(opt->port);
	} else {
		die("%s is no address", opt->addr);
	}
	return (struct sockaddr *)ss;
}

/*
 * The microbenchmarks: hellos are exchanged, then there are operations, then the
 * client finishes and the server reports.
 */

/* Return: whether the peer should end the connection now. */
static bool bench_send_hello(struct peer *p, const struct ibv_mr *mr)
{
	const char *what = p->opt.fault == FAULT_HELLO ? p->opt.word : "";
	struct hello hello = {
		.ctl = { .magic = htobe32(MAGIC), .type = CTL_HELLO },
	};
	uint32_t len = sizeof(hello);

	if (mr) {
		hello.msg.addr = htobe64((uintptr_t)mr->addr);
		hello.msg.rkey = htobe32(mr->rkey);
		hello.msg.size = htobe32(p->size);
	}
	if (!strcmp(what, "zero"))
		memset(&hello.msg, 0, sizeof(hello.msg));
	else if (!strcmp(what, "small"))
		hello.msg.size = htobe32(p->size - 1);
	else if (!strcmp(what, "huge"))
		hello.msg.size = htobe32(UINT32_MAX);
	else if (!strcmp(what, "key"))
		hello.msg.rkey = htobe32(wrong_key(be32toh(hello.msg.rkey)));
	else if (!strcmp(what, "short"))
		len = sizeof(hello) - 1;
	else if (!strcmp(what, "twice"))
		send_data(p, &hello, len, len, false, 0);
	else if (*what)
		die("what hello is %s?", what);
	if (*what)
		say("fault: hello %s", what);
	send_data(p, &hello, len, len, false, 0);
	return *what && strcmp(what, "huge") && strcmp(what, "key");
}

/* Return: whether there was one. */
static bool bench_take_hello(struct peer *p, struct msg *msg)
{
	uint8_t data[RECV_BYTES];
	struct hello hello;
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	if (ctl_type(data, len) != CTL_HELLO) {
		say("error: a message of %u bytes instead of a hello", len);
		return false;
	}
	memcpy(&hello, data, sizeof(hello));
	*msg = hello.msg;
	say("hello addr=%s rkey=0x%x size=%u", msg->addr ? "given" : "0",
	    be32toh(msg->rkey), be32toh(msg->size));
	return true;
}

/* Return: whether the server has taken so many messages. */
static bool bench_await_credit(struct peer *p, uint64_t *taken)
{
	uint8_t data[RECV_BYTES];
	struct ctl ctl;
	uint32_t len;

	if (receive_data(p, data, &len) <= 0)
		return false;
	if (ctl_type(data, len) != CTL_CREDIT) {
		say("error: a message of %u bytes instead of a credit", len);
		return false;
	}
	memcpy(&ctl, data, sizeof(ctl));
	*taken = be64toh(ctl.value);
	say("credit %" PRIu64, *taken);
	return true;
}

static bool sink_is(const struct peer *p, uint8_t seq)
{
	return __atomic_load_n(&p->sink[0], __ATOMIC_ACQUIRE) == seq &&
	       __atomic_load_n(&p->sink[p->size - 1], __ATOMIC_ACQUIRE) == seq;
}

static bool bench_wlat(struct peer *p, const struct msg *advert, uint64_t n)
{
	uint8_t seq = n % 255 + 1;
	int64_t end = now_ms() + p->opt.timeout_ms;

	p->source[0] = seq;
	p->source[p->size - 1] = seq;
	if (!rdma(p, IBV_WR_RDMA_WRITE, advert, p->size))
		return false;
	while (!sink_is(p, seq)) {
		if (now_ms() > end || over(p) || p->wc_failed) {
			say("error: no echo");
			return false;
		}
		reap_events(p);
		reap_completions(p);
	}
	return true;
}

static bool validates(const struct peer *p)
{
	return p->flags & FLAG_VALIDATE;
}

static bool moved_by_send(const struct peer *p)
{
	return p->test == TEST_SLAT || p->test == TEST_SBW;
}

static bool moved_by_read(const struct peer *p)
{
	return p->test == TEST_RLAT || p->test == TEST_RBW;
}

/* Return: whether the arrival of an operation takes a RECV. */
static bool seen_by_recv(const struct peer *p)
{
	return moved_by_send(p) ||
	       ((p->test == TEST_WLAT || p->test == TEST_BW) &&
		p->flags & (FLAG_VALIDATE | FLAG_IMM));
}

static bool is_duplex(const struct peer *p)
{
	return p->flags & FLAG_DUPLEX && seen_by_recv(p);
}

/* Send what may be longer than other messages. */
static void post_data(struct peer *p, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = len,
		.lkey = p->source_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = p->flags & FLAG_IMM ? IBV_WR_SEND_WITH_IMM :
						IBV_WR_SEND,
	};

	p->sends_posted++;
	post_send(p, &wr, &sge);
}

static bool bench_sent(struct peer *p)
{
	return wait_for(p, all_sent) && !p->wc_failed && !over(p);
}

static bool bench_send(struct peer *p, uint32_t len)
{
	if (len > RECV_BYTES)
		post_data(p, len);
	else
		send_data(p, p->source, len < p->size ? len : p->size, len, false, 0);
	return bench_sent(p);
}

/* This side's operation @n, SEND or WRITE. Return: whether it has been posted. */
static bool bench_put(struct peer *p, const struct msg *advert, uint64_t n)
{
	static const uint8_t token[MSG_BYTES];
	bool imm = p->flags & FLAG_IMM;
	struct extent e = { .len = p->size };

	if (validates(p))
		pattern(p->source, p->size, n);
	if (fault_is(p, FAULT_CORRUPT, n))
		spoil(p, n, p->opt.spoil == SPOIL_SHIFT &&
		      (imm || moved_by_send(p)), &e);
	if (moved_by_send(p)) {
		post_data(p, e.len);
		return bench_sent(p);
	}
	if (!rdma_at(p, imm ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
		     advert, &e))
		return false;
	if (imm || !validates(p))
		return true;
	send_data(p, token, sizeof(token), sizeof(token), false, 0);
	return bench_sent(p);
}

/* Return: whether what has arrived is the other side's operation @n. */
static bool bench_got(struct peer *p, uint32_t len, uint64_t n)
{
	bool token = !moved_by_send(p) && !(p->flags & FLAG_IMM);

	if (len != (token ? MSG_BYTES : p->size)) {
		say("error: a message of %u bytes", len);
		return false;
	}
	if (!token && p->message_imm != !!(p->flags & FLAG_IMM)) {
		say("error: immediate data is missing, or there should be none");
		return false;
	}
	return !validates(p) ||
	       data_is(moved_by_send(p) ? p->message : p->sink, p->size, n);
}

static bool bench_await(struct peer *p, uint64_t n)
{
	uint8_t data[RECV_BYTES];
	uint32_t len;

	return receive_data(p, data, &len) > 0 && bench_got(p, len, n);
}

/* As many operations may be under way as the server has RECVs for. */
static bool bench_stream(struct peer *p, const struct msg *advert, uint64_t n,
			 uint64_t *taken)
{
	uint64_t window = validates(p) ? 1 : p->recvs;

	while (!is_duplex(p) && n >= *taken + window)
		if (!bench_await_credit(p, taken))
			return false;
	if (!bench_put(p, advert, n))
		return false;
	return !is_duplex(p) || p->spoiled || bench_await(p, n);
}

static bool bench_operation(struct peer *p, const struct msg *advert, uint64_t n,
			    uint64_t *taken)
{
	/* Of the operations of fr nothing is seen. */
	if (p->test == TEST_FR)
		return true;
	if (moved_by_read(p))
		return rdma(p, IBV_WR_RDMA_READ, advert, p->size) &&
		       (!validates(p) || data_is(p->source, p->size, 0));
	if (!seen_by_recv(p))
		return p->test == TEST_WLAT ?
		       bench_wlat(p, advert, n) :
		       rdma(p, IBV_WR_RDMA_WRITE, advert, p->size);
	if (p->test == TEST_BW || p->test == TEST_SBW)
		return bench_stream(p, advert, n, taken);
	return bench_put(p, advert, n) && (p->spoiled || bench_await(p, n));
}

/* Operations that do not wait for the other side's answers. */
static void bench_burst(struct peer *p, const struct msg *advert)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->source,
		.length = p->size,
		.lkey = p->source_mr->lkey,
	};
	uint64_t i;

	say("fault: %" PRIu64 " operations at once", p->opt.number);
	p->rdma_done = 0;
	for (i = 0; i < p->opt.number && burst_goes_on(p); i++) {
		struct ibv_send_wr wr = {
			.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
			.wr.rdma.remote_addr = be64toh(advert->addr),
			.wr.rdma.rkey = be32toh(advert->rkey),
		};

		if (moved_by_send(p)) {
			post_data(p, p->size);
			continue;
		}
		p->sends_posted++;
		post_send(p, &wr, &sge);
	}
}

static void bench_pause(struct peer *p)
{
	say("pause");
	while (access(p->opt.pause, F_OK))
		usleep(TICK_MS * 1000);
}

/* Return: 1 after all operations, 0 when all is over; then *status is set. */
static int bench_operations(struct peer *p, const struct msg *advert, int *status)
{
	uint64_t taken = 0;
	uint64_t n;

	if (p->opt.pause)
		bench_pause(p);
	for (n = 0; n < p->opt.count; n++) {
		if (fault_at(p, STAGE_FIRST, n, status))
			return 0;
		if (fault_is(p, FAULT_CTL, n)) {
			send_wrong_ctl(p, p->opt.word);
			*status = await_end(p);
			return 0;
		}
		if (fault_is(p, FAULT_BURST, n)) {
			bench_burst(p, advert);
			*status = await_end(p);
			return 0;
		}
		if (fault_is(p, FAULT_LENGTH, n)) {
			say("fault: data of %" PRIu64 " bytes", p->opt.number);
			bench_send(p, p->opt.number);
			*status = await_end(p);
			return 0;
		}
		if (!bench_operation(p, advert, n, &taken)) {
			say("error in operation %" PRIu64, n);
			*status = p->spoiled ? await_end(p) : 1;
			return 0;
		}
		if (p->spoiled && validates(p)) {
			*status = await_end(p);
			return 0;
		}
	}
	say("operations=%" PRIu64, n);
	return 1;
}

/* What the server reads has to be there before it is told where. */
static const struct ibv_mr *bench_client_shared(struct peer *p)
{
	struct extent all;

	if (p->test == TEST_WLAT)
		return p->sink_mr;
	if (!(p->flags & FLAG_DUPLEX))
		return NULL;
	switch (p->test) {
	case TEST_BW:
		return p->sink_mr;
	case TEST_RBW:
		/* That of rdma() is filled by this side's own READs. */
		pattern(p->source, p->size, 0);
		if (p->opt.fault == FAULT_CORRUPT)
			spoil(p, 0, true, &all);
		memcpy(p->sink, p->source, p->size);
		return p->sink_mr;
	default:
		return NULL;
	}
}

static int bench_client(struct peer *p)
{
	struct msg advert;
	int status = 1;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_EARLY) {
		say("fault: data before the hello");
		bench_send(p, p->size);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_CTL_SECOND) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	if (bench_send_hello(p, bench_client_shared(p)))
		return await_end(p);
	if (!bench_take_hello(p, &advert) ||
	    !bench_operations(p, &advert, &status))
		return status;
	p->opt.at = 0;
	if (fault_at(p, STAGE_REPORT, 0, &status))
		return status;
	if (finish(p, be32toh(advert.rkey)))
		return 1;
	rdma_disconnect(p->id);
	return !wait_for(p, over);
}

static const struct ibv_mr *bench_shared(const struct peer *p)
{
	switch (p->test) {
	case TEST_RLAT:
	case TEST_RBW:
		return p->source_mr;
	case TEST_WLAT:
	case TEST_BW:
		return p->sink_mr;
	default:
		return NULL;
	}
}

/* What the client is going to read. */
static void bench_fill_shared(struct peer *p)
{
	struct extent all;

	if (!moved_by_read(p) || p->flags & FLAG_ATOMIC)
		memset(p->source, 0, p->size);
	else
		pattern(p->source, p->size, 0);
	if (moved_by_read(p) && p->opt.fault == FAULT_CORRUPT && !p->opt.late_ms)
		spoil(p, 0, true, &all);
}

/* Spoil it while it is being read. */
static void bench_spoil_late(struct peer *p)
{
	int timeout_ms = p->opt.timeout_ms;
	struct extent all;

	p->opt.timeout_ms = p->opt.late_ms;
	wait_for(p, over);
	p->opt.timeout_ms = timeout_ms;
	spoil(p, 0, true, &all);
}

static uint64_t counter(const struct peer *p)
{
	return __atomic_load_n((const uint64_t *)p->source, __ATOMIC_RELAXED);
}

static bool counter_is_reached(const struct peer *p)
{
	return counter(p) >= p->opt.number || over(p);
}

/* What the next atomic finds is too small. */
static void bench_set_back(struct peer *p)
{
	if (!wait_for(p, counter_is_reached))
		say("error: only %" PRIu64 " atomics", counter(p));
	say("fault: the counter is set back to 0");
	__atomic_store_n((uint64_t *)p->source, 0, __ATOMIC_RELAXED);
}

/*
 * What has arrived is answered, or acknowledged at once. Return: whether it was as it
 * should be.
 */
static bool bench_take_data(struct peer *p, const struct msg *advert, uint32_t len,
			    uint64_t received)
{
	if (!seen_by_recv(p)) {
		say("error: a message of %u bytes", len);
		return false;
	}
	if (!bench_got(p, len, received))
		return false;
	if (p->test == TEST_WLAT || p->test == TEST_SLAT || is_duplex(p))
		return bench_put(p, advert, received) || over(p);
	if (fault_is(p, FAULT_CREDIT, received)) {
		say("fault: credit %" PRIu64, p->opt.number);
		send_ctl(p, CTL_CREDIT, p->opt.number, 16);
	} else {
		send_ctl(p, CTL_CREDIT, received + 1, 16);
	}
	return true;
}

/* Is there a reason, on this connection or another one, that the client ends it? */
static bool ends_for(const struct peer *p)
{
	return (p->spoiled || p->bystander) && (p->wc_failed || over(p));
}

static int bench_server(struct peer *p)
{
	uint8_t data[RECV_BYTES];
	uint64_t received = 0;
	struct msg advert;
	uint32_t len;
	int status;

	if (p->test == TEST_WLAT && !seen_by_recv(p))
		die("a server without %s that is seen in memory", test_name[p->test]);
	bench_fill_shared(p);
	if (!bench_take_hello(p, &advert))
		return p->opt.fault != FAULT_REP;
	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_CTL_SECOND) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	if (bench_send_hello(p, bench_shared(p)))
		return await_end(p);
	if (fault_at(p, STAGE_FIRST, 0, &status))
		return status;
	if (fault_is(p, FAULT_CTL, 0)) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}

	if (fault_is(p, FAULT_BURST, 0)) {
		bench_burst(p, &advert);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_SETBACK) {
		bench_set_back(p);
		return await_end(p);
	}
	if (p->opt.fault == FAULT_CORRUPT && p->opt.late_ms)
		bench_spoil_late(p);
	for (;;) {
		if (receive_data(p, data, &len) <= 0)
			return p->opt.fault == FAULT_NONE && !p->bystander;
		switch (ctl_type(data, len)) {
		case CTL_CREDIT:
			break;
		case CTL_FINISH:
			say("finished after %" PRIu64 " messages", received);
			if (fault_at(p, STAGE_REPORT, 0, &status))
				return status;
			send_report(p, seen_by_recv(p) ? received : p->count);
			return await_end(p);
		case CTL_NONE:
			if (fault_at(p, STAGE_SECOND, received, &status))
				return status;
			if (!bench_take_data(p, &advert, len, received++))
				return ends_for(p) ? await_end(p) : 1;
			break;
		default:
			say("error: a control message out of turn");
			return 1;
		}
	}
}

/*
 * The server.
 */

static int server_reject(struct peer *p)
{
	struct rej rej = {
		.magic = htobe32(MAGIC),
		.version = VERSION,
		.reason = p->opt.number,
		.limit = htobe64(p->opt.number ? 4711 : 0),
	};
	size_t len = p->opt.number ? sizeof(rej) : 0;

	if (p->opt.fault == FAULT_REJ) {
		/* RoCE pads what is truncated with zeros. */
		len = strcmp(p->opt.word, "truncated") ? sizeof(rej) : 4;
		memset((uint8_t *)&rej + 4, 0xa5, sizeof(rej) - 4);
	}
	if (rdma_reject(p->id, len ? &rej : NULL, len))
		die("cannot reject: %m");
	say("rejected the client");
	return 0;
}

/* Return: whether the client is connected. */
static bool server_accept(struct peer *p, bool krping)
{
	const char *what = p->opt.fault == FAULT_REP ? p->opt.word : NULL;
	struct rdma_conn_param param;
	struct ask rep;
	size_t len = 0;

	if (krping && !p->opt.old)
		len = fill_ask(p, &rep, what, REP_BYTES);
	conn_param(p, &param, &rep, len);
	if (rdma_accept(p->id, &param))
		die("cannot accept: %m");
	if (!wait_for(p, is_established))
		die("the client did not finish connecting");
	if (!over(p))
		say("connected");
	return !over(p);
}

/* As receive(); 2: the client has finished. */
static int server_take(struct peer *p, struct msg *advert, const char *what)
{
	uint32_t len;
	int ret = receive(p, advert, &len);

	if (ret <= 0)
		return ret;
	if (ctl_type(advert, len) == CTL_FINISH)
		return 2;
	say("%s addr=0x%" PRIx64 " rkey=0x%x size=%u", what,
	    be64toh(advert->addr), be32toh(advert->rkey), be32toh(advert->size));
	if (len != MSG_BYTES || be32toh(advert->size) > p->size) {
		say("error: a message of %u bytes", len);
		return -1;
	}
	return 1;
}

/* The key of a SEND_WITH_INV that is asked for, if it is not @own. */
static uint32_t inv_key(const struct peer *p, uint32_t own)
{
	if (!strcmp(p->opt.word, "none"))
		return wrong_key(own);
	return parse_number(p->opt.word, UINT32_MAX);
}

static bool inv_is(const struct peer *p, const char *what, uint64_t iteration)
{
	return fault_is(p, FAULT_INV, iteration) && !strcmp(p->opt.word, what);
}

static void server_go_ahead(struct peer *p, const struct msg *advert,
			    enum peer_stage stage, uint64_t iteration)
{
	uint32_t key = be32toh(advert->rkey);
	bool own = stage == STAGE_FIRST && inv_is(p, "own", iteration);
	bool stale = stage == STAGE_SECOND && inv_is(p, "stale", iteration);

	if (stage == STAGE_FIRST)
		p->first_key = key;
	if (stale)
		key = p->first_key;
	if (own || stale)
		say("fault: SEND_WITH_INV of key 0x%x", key);
	send_bytes(p, advert, MSG_BYTES, p->server_inv || own || stale, key);
}

/* Messages, until the time is over or nothing can be sent any more. */
static void talk(struct peer *p, const struct msg *msg)
{
	int64_t end = now_ms() + p->opt.number;

	say("fault: talking for %" PRIu64 " ms", p->opt.number);
	send_bytes(p, msg, MSG_BYTES / 2, false, 0);
	while (now_ms() < end && !p->wc_failed) {
		if (p->sends_posted - p->sends_done < SQ_DEPTH / 2)
			send_bytes(p, msg, MSG_BYTES, false, 0);
		reap_events(p);
		reap_completions(p);
	}
}

/* Return: whether it is time for a fault at the first go-ahead. */
static bool server_fault(struct peer *p, const struct msg *advert,
			 uint64_t iteration)
{
	uint32_t key = be32toh(advert->rkey);

	if (fault_is(p, FAULT_LENGTH, iteration)) {
		say("fault: a go-ahead of %" PRIu64 " bytes", p->opt.number);
		send_bytes(p, advert, p->opt.number, false, 0);
	} else if (fault_is(p, FAULT_TWICE, iteration)) {
		say("fault: two go-aheads");
		send_bytes(p, advert, MSG_BYTES, false, 0);
		send_bytes(p, advert, MSG_BYTES, false, 0);
	} else if (fault_is(p, FAULT_EARLY, iteration)) {
		/* With the early one these are two, and nothing has been written. */
		send_bytes(p, advert, MSG_BYTES, false, 0);
	} else if (fault_is(p, FAULT_CTL, iteration)) {
		send_wrong_ctl(p, p->opt.word);
	} else if (fault_is(p, FAULT_BURST, iteration)) {
		say("fault: %" PRIu64 " go-aheads", p->opt.number);
		burst(p, advert, MSG_BYTES);
	} else if (fault_is(p, FAULT_TALK, iteration)) {
		talk(p, advert);
	} else if (fault_is(p, FAULT_INV, iteration) &&
		   strcmp(p->opt.word, "own") && strcmp(p->opt.word, "stale")) {
		key = inv_key(p, key);
		say("fault: SEND_WITH_INV of key 0x%x", key);
		send_bytes(p, advert, MSG_BYTES, true, key);
	} else {
		return false;
	}
	return true;
}

/* The client has done all that it wanted. Return: the exit status. */
static int server_finish(struct peer *p, uint64_t iteration)
{
	int status;

	if (!(p->flags & FLAG_REPORT) || (p->count && p->count != iteration)) {
		say("error: the client has finished out of turn");
		return 1;
	}
	say("finished after %" PRIu64, iteration);
	if (p->opt.stage == STAGE_REPORT)
		p->opt.at = iteration;
	if (fault_at(p, STAGE_REPORT, iteration, &status))
		return status;
	if (p->opt.fault == FAULT_CTL && p->opt.at == iteration)
		send_wrong_ctl(p, p->opt.word);
	else
		send_report(p, iteration);
	return await_end(p);
}

/* Return: 1 after an iteration, 0 when all is over; then *status is set. */
static int server_iteration(struct peer *p, uint64_t iteration, int *status)
{
	struct extent all = { 0 };
	struct msg advert;
	uint32_t len;
	int ret;

	*status = 1;
	ret = server_take(p, &advert, "source");
	if (ret == 2) {
		*status = server_finish(p, iteration);
		return 0;
	}
	if (ret <= 0) {
		*status = ret || (p->opt.count_given && p->opt.count != iteration);
		/* The client does not like what it has been answered. */
		if (p->opt.fault == FAULT_REP)
			*status = iteration > 0;
		return 0;
	}
	if (fault_at(p, STAGE_FIRST, iteration, status))
		return 0;
	len = be32toh(advert.size);
	if (!rdma(p, IBV_WR_RDMA_READ, &advert, len))
		return 0;
	if (server_fault(p, &advert, iteration)) {
		*status = await_end(p);
		return 0;
	}
	server_go_ahead(p, &advert, STAGE_FIRST, iteration);

	if (server_take(p, &advert, "sink") != 1)
		return 0;
	if (fault_at(p, STAGE_SECOND, iteration, status))
		return 0;
	all.len = len;
	if (fault_is(p, FAULT_CORRUPT, iteration))
		spoil(p, iteration, false, &all);
	else
		memcpy(p->before, p->source, len);
	if (!rdma_at(p, IBV_WR_RDMA_WRITE, &advert, &all))
		return 0;
	if (fault_is(p, FAULT_CTL_SECOND, iteration)) {
		send_wrong_ctl(p, p->opt.word);
		*status = await_end(p);
		return 0;
	}
	server_go_ahead(p, &advert, STAGE_SECOND, iteration);
	return !fault_at(p, STAGE_END, iteration, status);
}

static int server_loop(struct peer *p)
{
	uint64_t iteration = 0;
	int status;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	if (p->opt.fault == FAULT_EARLY) {
		static const struct msg msg;

		say("fault: a go-ahead before the first advertisement");
		send_bytes(p, &msg, MSG_BYTES, false, 0);
	}
	while (server_iteration(p, iteration, &status))
		iteration++;
	say("iterations=%" PRIu64, iteration);
	return status;
}

/* A client has asked. Return: the exit status. */
static int serve(struct peer *p)
{
	bool krping = read_ask(p, "request");
	int status;

	if (p->opt.conns > 1 && p->lane != p->opt.lane) {
		p->opt.fault = FAULT_NONE;
		p->opt.stage = STAGE_NONE;
		p->bystander = true;
	}
	if (p->opt.fault == FAULT_REJECT || p->opt.fault == FAULT_REJ)
		return server_reject(p);
	if (fault_at(p, STAGE_REQUEST, 0, &status))
		return status;
	set_up(p);
	if (!server_accept(p, krping))
		return p->opt.fault != FAULT_REP;
	return p->test == TEST_PING ? server_loop(p) : bench_server(p);
}

static void *serve_thread(void *arg)
{
	struct peer *p = arg;

	p->status = serve(p);
	return NULL;
}

/* A connection of its own for what the listener has been asked. */
static struct peer *branch(struct peer *listener)
{
	struct peer *p = calloc(1, sizeof(*p));

	if (!p)
		die("no memory");
	*p = *listener;
	p->channel = rdma_create_event_channel();
	if (!p->channel || rdma_migrate_id(p->id, p->channel))
		die("no event channel: %m");
	nonblocking(p->channel->fd);
	if (pthread_create(&p->thread, NULL, serve_thread, p))
		die("no thread");
	listener->requested = false;
	return p;
}

static int serve_all(struct peer *listener)
{
	struct peer *conn[CONNS_MAX];
	unsigned int i;
	int status = 0;

	for (i = 0; i < listener->opt.conns; i++) {
		if (i && !wait_for(listener, has_request))
			die("no connection number %u came", i);
		conn[i] = branch(listener);
	}
	for (i = 0; i < listener->opt.conns; i++) {
		pthread_join(conn[i]->thread, NULL);
		/* The client may disconnect this one before its first message. */
		if (!conn[i]->bystander)
			status |= conn[i]->status;
	}
	return status;
}

static int run_server(struct peer *p)
{
	struct sockaddr_storage ss;

	if (rdma_create_id(p->channel, &p->listen_id, NULL, RDMA_PS_TCP))
		die("no id: %m");
	if (rdma_bind_addr(p->listen_id, sockaddr_of(&p->opt, &ss)) ||
	    rdma_listen(p->listen_id, CONNS_MAX))
		die("cannot listen: %m");
	say("listening");

	if (!wait_for(p, has_request))
		die("no client came");
	return p->opt.conns > 1 ? serve_all(p) : serve(p);
}

/*
 * The client.
 */

static void client_resolve(struct peer *p, struct rdma_cm_id *id)
{
	struct sockaddr_storage ss;

	p->event = -1;
	if (rdma_resolve_addr(id, NULL, sockaddr_of(&p->opt, &ss), p->opt.timeout_ms))
		die("cannot resolve the address: %m");
	if (!wait_for(p, is_resolved) || over(p))
		die("cannot resolve the address");
	p->event = -1;
	if (rdma_resolve_route(id, p->opt.timeout_ms))
		die("cannot resolve the route: %m");
	if (!wait_for(p, is_resolved) || over(p))
		die("cannot resolve the route");
}

static void client_connect(struct peer *p)
{
	const char *what = p->opt.fault == FAULT_REQ ? p->opt.word : NULL;
	struct rdma_conn_param param;
	struct ask req;
	size_t len = 0;
	int status;

	if (!p->opt.old)
		len = fill_ask(p, &req, what, REQ_BYTES);
	conn_param(p, &param, &req, len);
	if (rdma_connect(p->id, &param))
		die("cannot connect: %m");
	fault_at(p, STAGE_REQUEST, 0, &status);
	if (!wait_for(p, is_established))
		die("the server does not answer");
}

static void client_fill(struct peer *p, uint64_t iteration)
{
	struct extent all;

	pattern(p->source, p->size, iteration);
	if (fault_is(p, FAULT_CORRUPT, iteration))
		spoil(p, iteration, true, &all);
	memset(p->sink, 0xff, p->size);
}

/* Spoil an advertisement. Return: how many times it is sent. */
static uint64_t client_distort(const struct peer *p, enum peer_stage stage,
			       struct msg *msg, uint32_t *len)
{
	uint64_t times = 1;

	switch (p->opt.fault) {
	case FAULT_SIZE:
		if (stage == STAGE_FIRST)
			msg->size = htobe32(p->opt.number);
		break;
	case FAULT_SINK:
		if (stage == STAGE_SECOND)
			msg->size = htobe32(p->opt.number);
		break;
	case FAULT_ZERO:
		msg->addr = 0;
		msg->rkey = 0;
		break;
	case FAULT_RKEY:
		if (stage == p->opt.stage)
			msg->rkey = htobe32(wrong_key(be32toh(msg->rkey)));
		break;
	case FAULT_LENGTH:
		*len = p->opt.number;
		break;
	case FAULT_TWICE:
		times = 2;
		break;
	case FAULT_BURST:
		times = p->opt.number;
		break;
	default:
		return times;
	}
	say("fault: addr=0x%" PRIx64 " rkey=0x%x size=%u, %u bytes, %" PRIu64 " times",
	    be64toh(msg->addr), be32toh(msg->rkey), be32toh(msg->size), *len,
	    times);
	return times;
}

/* Return: whether the peer should end the connection now. */
static bool client_advertise(struct peer *p, enum peer_stage stage,
			     uint64_t iteration)
{
	const struct ibv_mr *mr = stage == STAGE_FIRST ? p->source_mr :
							 p->sink_mr;
	struct msg msg = {
		.addr = htobe64((uintptr_t)mr->addr),
		.rkey = htobe32(mr->rkey),
		.size = htobe32(p->size),
	};
	uint32_t len = MSG_BYTES;
	uint64_t times = 1;
	uint32_t key;
	uint64_t i;

	if (fault_is(p, stage == STAGE_FIRST ? FAULT_CTL : FAULT_CTL_SECOND,
		     iteration)) {
		send_wrong_ctl(p, p->opt.word);
		return true;
	}
	if (fault_is(p, FAULT_TALK, iteration)) {
		talk(p, &msg);
		return true;
	}
	if (fault_is(p, FAULT_INV, iteration) && stage == STAGE_FIRST) {
		key = inv_key(p, mr->rkey);
		say("fault: SEND_WITH_INV of key 0x%x", key);
		send_bytes(p, &msg, len, true, key);
		return false;
	}
	if (p->opt.at == iteration)
		times = client_distort(p, stage, &msg, &len);
	if (p->opt.fault == FAULT_BURST && times > 1) {
		burst(p, &msg, len);
		return true;
	}
	for (i = 0; i < times; i++)
		send_bytes(p, &msg, len, false, 0);
	return times > 1;
}

/* Wait for a go-ahead. Return: 1, or 0 when there will be none. */
static int client_await(struct peer *p)
{
	struct msg msg;
	uint32_t len;

	if (receive(p, &msg, &len) <= 0)
		return 0;
	if (len == MSG_BYTES)
		return 1;
	say("error: a go-ahead of %u bytes", len);
	return 0;
}

/* Return: whether a connection that ends here has been asked for. */
static int client_ended(struct peer *p, uint64_t iteration)
{
	bool planned = p->opt.fault != FAULT_NONE && p->opt.at == iteration;

	say("%s in iteration %" PRIu64, over(p) ? "ended by the peer" : "error",
	    iteration);
	return planned && over(p) ? 0 : 1;
}

/* Return: 1 after an iteration, 0 when all is over; then *status is set. */
static int client_iteration(struct peer *p, uint64_t iteration, int *status)
{
	client_fill(p, iteration);
	if (client_advertise(p, STAGE_FIRST, iteration)) {
		*status = await_end(p);
		return 0;
	}
	if (!client_await(p)) {
		*status = client_ended(p, iteration);
		return 0;
	}
	if (fault_at(p, STAGE_FIRST, iteration, status))
		return 0;
	if (client_advertise(p, STAGE_SECOND, iteration)) {
		*status = await_end(p);
		return 0;
	}
	if (!client_await(p)) {
		*status = client_ended(p, iteration);
		return 0;
	}
	if (memcmp(p->source, p->sink, p->size)) {
		say("error: the data of iteration %" PRIu64 " differs", iteration);
		*status = 1;
		return 0;
	}
	return !fault_at(p, STAGE_SECOND, iteration, status);
}

/* All iterations are done. Return: the exit status. */
static int client_end(struct peer *p, uint64_t iteration)
{
	if (p->flags & FLAG_REPORT && finish(p, 0))
		return 1;
	/* After the report there is nothing more to say. */
	if (fault_is(p, FAULT_CTL, iteration)) {
		send_wrong_ctl(p, p->opt.word);
		return await_end(p);
	}
	rdma_disconnect(p->id);
	return !wait_for(p, over);
}

static int client_loop(struct peer *p)
{
	uint64_t iteration;
	int status;

	if (fault_at(p, STAGE_CONNECT, 0, &status))
		return status;
	for (iteration = 0; iteration < p->opt.count; iteration++)
		if (!client_iteration(p, iteration, &status))
			return status;
	say("iterations=%" PRIu64, iteration);
	if (p->opt.stage == STAGE_REPORT)
		p->opt.at = iteration;
	if (fault_at(p, STAGE_REPORT, iteration, &status))
		return status;
	if (p->opt.fault != FAULT_NONE && p->opt.at < iteration) {
		say("error: the peer did not mind");
		return 1;
	}
	return client_end(p, iteration);
}

static int run_client(struct peer *p)
{
	if (rdma_create_id(p->channel, &p->id, NULL, RDMA_PS_TCP))
		die("no id: %m");
	client_resolve(p, p->id);
	set_up(p);
	client_connect(p);
	if (p->rejected)
		return p->opt.fault != FAULT_REQ;
	if (over(p))
		return 1;
	say("connected");
	if (!read_ask(p, "reply") != p->opt.old) {
		say("error: the reply is not what was expected");
		return 1;
	}
	if (p->opt.report && !(p->flags & FLAG_REPORT)) {
		say("error: the server does not report");
		return 1;
	}
	if (p->opt.fault == FAULT_REQ) {
		say("error: the server did not mind");
		return 1;
	}
	return p->test == TEST_PING ? client_loop(p) : bench_client(p);
}

/*
 * Many clients at once. For most of them a server should have a good excuse.
 */

static void flood_connect(struct peer *p, struct rdma_cm_id **ids)
{
	struct rdma_conn_param param;
	struct ask req;
	unsigned int i;

	conn_param(p, &param, &req,
		   p->opt.old ? 0 : fill_ask(p, &req, NULL, REQ_BYTES));
	for (i = 0; i < p->opt.flood; i++) {
		if (rdma_create_id(p->channel, &ids[i], NULL, RDMA_PS_TCP))
			die("no id: %m");
		p->id = ids[i];
		client_resolve(p, p->id);
		/* iWARP does not connect without; one for each */
		set_up_queue(p);
	}
	for (i = 0; i < p->opt.flood; i++)
		if (rdma_connect(ids[i], &param))
			die("cannot connect: %m");
}

static bool all_answered(const struct peer *p)
{
	return p->answers == p->opt.flood;
}

static int run_flood(struct peer *p)
{
	struct rdma_cm_id *ids[FLOOD_MAX];

	flood_connect(p, ids);
	wait_for(p, all_answered);
	say("flood=%u answers=%u busy=%u accepted=%u", p->opt.flood, p->answers,
	    p->busy, p->accepted);
	return p->accepted != p->opt.accepted ||
	       p->busy + p->accepted != p->opt.flood;
}

/*
 * Connections that end before anybody has accepted them.
 */

static int run_tcp(const struct options *opt)
{
	const struct linger reset = { .l_onoff = 1 };
	struct sockaddr_storage ss;
	unsigned int done = 0;
	unsigned int i;

	sockaddr_of(opt, &ss);
	for (i = 0; i < opt->flood; i++) {
		int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			die("no socket: %m");
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		done += !connect(fd, (struct sockaddr *)&ss, sizeof(ss));
		close(fd);
	}
	say("tcp=%u connected=%u", opt->flood, done);
	return done != opt->flood;
}

/*
 * The command line.
 */

static enum peer_stage parse_stage(const char *text)
{
	unsigned int i;

	for (i = STAGE_REQUEST; i < ARRAY_SIZE(stage_name); i++)
		if (!strcmp(text, stage_name[i]))
			return i;
	usage("there is no such stage");
}

static enum test parse_test(const char *text)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(test_name); i++)
		if (!strcmp(text, test_name[i]))
			return i;
	usage("there is no such test");
}

/* WHAT[@N] */
static void parse_spoil(struct options *opt, char *text)
{
	char *at = strchr(text, '@');
	unsigned int i;

	if (at) {
		*at++ = '\0';
		opt->at = parse_number(at, UINT64_MAX);
	}
	opt->spoil = SPOIL_BYTE;
	for (i = SPOIL_FIRST; i < ARRAY_SIZE(spoil_name); i++)
		if (!strcmp(text, spoil_name[i]))
			opt->spoil = i;
	if (opt->spoil == SPOIL_BYTE)
		opt->number = parse_number(text, UINT32_MAX);
}

static uint64_t max_operand(enum peer_fault fault)
{
	switch (fault) {
	case FAULT_LENGTH:
		return RECV_BYTES;
	case FAULT_BURST:
		return UINT8_MAX;
	default:
		return UINT32_MAX;
	}
}

static void parse_fault(struct options *opt, char *text)
{
	char *arg = strchr(text, '=');
	unsigned int i;
	bool wanted;

	if (arg)
		*arg++ = '\0';
	for (i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(text, faults[i].name) && faults[i].roles & opt->role)
			break;
	if (i == ARRAY_SIZE(faults))
		usage("there is no such fault");
	wanted = faults[i].operand != OP_NONE;
	if (wanted != !!arg)
		usage("the fault's operand is missing, or there should be none");

	opt->fault = faults[i].fault;
	switch (faults[i].operand) {
	case OP_STAGE:
		opt->stage = parse_stage(arg);
		break;
	case OP_NUMBER:
		opt->number = parse_number(arg, max_operand(opt->fault));
		break;
	case OP_SPOIL:
		parse_spoil(opt, arg);
		break;
	default:
		opt->word = arg;
		break;
	}
}

static void parse(struct options *opt, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "count", required_argument, NULL, 'c' },
		{ "size", required_argument, NULL, 's' },
		{ "old", no_argument, NULL, 'o' },
		{ "at", required_argument, NULL, 'a' },
		{ "timeout", required_argument, NULL, 't' },
		{ "flood", required_argument, NULL, 'n' },
		{ "accepted", required_argument, NULL, 'A' },
		{ "pause", required_argument, NULL, 'p' },
		{ "fault", required_argument, NULL, 'f' },
		{ "report", no_argument, NULL, 'r' },
		{ "test", required_argument, NULL, 'T' },
		{ "flags", required_argument, NULL, 'F' },
		{ "recvs", required_argument, NULL, 'R' },
		{ "session", required_argument, NULL, 'S' },
		{ "lane", required_argument, NULL, 'l' },
		{ "lanes", required_argument, NULL, 'L' },
		{ "posts", required_argument, NULL, 'P' },
		{ "rnr-retry", required_argument, NULL, 'N' },
		{ "conns", required_argument, NULL, 'C' },
		{ "late", required_argument, NULL, 'M' },
		{ "leave", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	char *fault = NULL;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			opt->count = parse_number(optarg, UINT64_MAX);
			opt->count_given = true;
			break;
		case 's':
			opt->size = parse_number(optarg, SIZE_MAX_TOTAL);
			break;
		case 'o':
			opt->old = true;
			break;
		case 'a':
			opt->at = parse_number(optarg, UINT64_MAX);
			break;
		case 't':
			opt->timeout_ms = parse_number(optarg, 3600) * 1000;
			break;
		case 'n':
			opt->flood = parse_number(optarg, FLOOD_MAX);
			break;
		case 'A':
			opt->accepted = parse_number(optarg, FLOOD_MAX);
			break;
		case 'p':
			opt->pause = optarg;
			break;
		case 'f':
			fault = optarg;
			break;
		case 'r':
			opt->report = true;
			break;
		case 'T':
			opt->test = parse_test(optarg);
			break;
		case 'F':
			opt->flags = parse_number(optarg, UINT16_MAX);
			break;
		case 'R':
			opt->recvs = parse_number(optarg, UINT32_MAX);
			opt->recvs_given = true;
			break;
		case 'S':
			opt->session = parse_number(optarg, UINT32_MAX);
			break;
		case 'l':
			opt->lane = parse_number(optarg, UINT16_MAX);
			break;
		case 'L':
			opt->lanes = parse_number(optarg, UINT16_MAX);
			break;
		case 'P':
			opt->posts = parse_number(optarg, NR_RECV);
			break;
		case 'N':
			opt->rnr_retry = parse_number(optarg, 7);
			break;
		case 'C':
			opt->conns = parse_number(optarg, CONNS_MAX);
			break;
		case 'M':
			opt->late_ms = parse_number(optarg, LIMIT_SECONDS * 1000);
			break;
		case 'V':
			opt->leave = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			usage("there is no such option");
		}
	}

	if (argc - optind != 3)
		usage("wanted: server or client, an address, a port");
	if (!strcmp(argv[optind], "server"))
		opt->role = SERVER;
	else if (!strcmp(argv[optind], "client"))
		opt->role = CLIENT;
	else if (!strcmp(argv[optind], "tcp"))
		opt->role = TCP;
	else
		usage("server, client or tcp?");
	opt->addr = argv[optind + 1];
	opt->port = parse_number(argv[optind + 2], UINT16_MAX);
	if (fault)
		parse_fault(opt, fault);
	if (!opt->recvs_given && opt->role == SERVER)
		opt->recvs = DATA_RECVS;
	if (!opt->size)
		opt->size = opt->role == SERVER ? 65536 : 64;
}

int main(int argc, char **argv)
{
	static struct peer peer = {
		.opt.count = 1,
		.opt.timeout_ms = 60000,
		.opt.posts = NR_RECV,
		.opt.rnr_retry = 7,
	};
	int status;

	parse(&peer.opt, argc, argv);
	alarm(LIMIT_SECONDS + peer.opt.timeout_ms / 1000);
	if (peer.opt.role == TCP)
		return run_tcp(&peer.opt);
	peer.size = peer.opt.size;
	peer.count = peer.opt.count;
	peer.test = peer.opt.test;
	peer.flags = peer.opt.flags | (peer.opt.report ? FLAG_REPORT : 0);
	ibv_static_providers(NULL, &verbs_provider_rxe, &verbs_provider_siw, NULL);
	peer.channel = rdma_create_event_channel();
	if (!peer.channel)
		die("no event channel: %m");
	nonblocking(peer.channel->fd);

	if (peer.opt.role == SERVER)
		status = run_server(&peer);
	else if (peer.opt.flood)
		status = run_flood(&peer);
	else
		status = run_client(&peer);

	/* The kernel disconnects and cleans up. */
	say("exit %d", status);
	return status;
}
