/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands: struct krping_options is the parsed form of the text that a user
 * writes to /proc/krping. This file uses no procfs and no RDMA types, so that the
 * unit tests and the fuzzer can build the parser in user space.
 */
#ifndef KRPING_OPTIONS_H
#define KRPING_OPTIONS_H

#include <linux/if.h>
#include <linux/socket.h>
#include <linux/types.h>

#include "wire.h"

#define KRPING_PORT_DEFAULT	9999
#define KRPING_SIZE_DEFAULT	64
#define KRPING_TIMEOUT_DEFAULT	5000	/* milliseconds */
#define KRPING_RETRY_DEFAULT	7
#define KRPING_TXDEPTH_DEFAULT	64
#define KRPING_TXDEPTH_MAX	1048576
#define KRPING_LATENCY_CQMOD_MAX	8	/* largest and default cqmod of wlat and slat */
#define KRPING_CONNS_MAX	1024	/* queue pairs of a client's test */
#define KRPING_SGE_MAX		32
#define KRPING_CPUS_MAX		64	/* CPUs in a list */
#define KRPING_RATE_MAX		1000000000
#define KRPING_INTERVAL_MAX	86400		/* seconds */
#define KRPING_EXPORT_MAX	0x10000000000ULL	/* bytes: 1 TiB */
#define KRPING_MEMOP_MAX	65536		/* bytes of one GET */
#define KRPING_ALLOW_MAX	16		/* networks of a command, one per allow= */
#define KRPING_DISK_DEPTH_MAX	1024		/* requests of a disk in flight */

/* Maximum of a disk's default qps: the server registers its memory once more for each QP. */
#define KRPING_DISK_QUEUES	16
#define KRPING_CASES_MAX	256	/* bytes of a list of cases, with its NUL */
#define KRPING_DISK_NAME_MAX	28	/* with its NUL; leaves room for a partition's name */

/* Room for a device's name with its NUL, as IB_DEVICE_NAME_MAX. */
#define KRPING_DEVICE_MAX	64

/* Room for any explanation of krping_options_parse() with its NUL. */
#define KRPING_WHY_MAX		192

/* Room for any line of krping_options_help() with its NUL. */
#define KRPING_HELP_MAX		256

/**
 * enum krping_role - what a command does
 * @KRPING_ROLE_NONE: the parser has not found a role; no parsed command has this value
 * @KRPING_ROLE_SERVER: listen for clients
 * @KRPING_ROLE_CLIENT: connect to a server
 * @KRPING_ROLE_STOP: stop a running test, or all running tests
 * @KRPING_ROLE_HELP: list the options
 * @KRPING_ROLE_LIST: list the running tests
 * @KRPING_ROLE_MEMOP: let a running session use the server's memory
 * @KRPING_ROLE_DRAIN: let a server end after its last client
 */
enum krping_role {
	KRPING_ROLE_NONE,
	KRPING_ROLE_SERVER,
	KRPING_ROLE_CLIENT,
	KRPING_ROLE_STOP,
	KRPING_ROLE_HELP,
	KRPING_ROLE_LIST,
	KRPING_ROLE_MEMOP,
	KRPING_ROLE_DRAIN,
};

/**
 * enum krping_memop_type - what a command does with a server's memory
 * @KRPING_MEMOP_NONE: nothing
 * @KRPING_MEMOP_DISK: connect, and make a block device of the memory
 * @KRPING_MEMOP_SESSION: connect, and wait for operations of later commands
 * @KRPING_MEMOP_PUT: RDMA WRITE
 * @KRPING_MEMOP_GET: RDMA READ
 * @KRPING_MEMOP_SEND: SEND
 * @KRPING_MEMOP_OPEN: make this client's region visible to the server's other clients
 * @KRPING_MEMOP_CLOSE: hide this client's region
 * @KRPING_MEMOP_REGIONS: list the open regions
 */
enum krping_memop_type {
	KRPING_MEMOP_NONE,
	KRPING_MEMOP_DISK,
	KRPING_MEMOP_SESSION,
	KRPING_MEMOP_PUT,
	KRPING_MEMOP_GET,
	KRPING_MEMOP_SEND,
	KRPING_MEMOP_OPEN,
	KRPING_MEMOP_CLOSE,
	KRPING_MEMOP_REGIONS,
};

/**
 * krping_memop_is_request() - check whether a command only sends the server a request
 * @type: the operation that the command names
 *
 * Return: true for open, close and regions, which need no operation on the server's memory.
 */
static inline bool krping_memop_is_request(enum krping_memop_type type)
{
	switch (type) {
	case KRPING_MEMOP_OPEN:
	case KRPING_MEMOP_CLOSE:
	case KRPING_MEMOP_REGIONS:
		return true;
	default:
		return false;
	}
}

/**
 * krping_memop_is_operation() - check whether a command has one operation, which ends
 * @type: the operation that the command names
 *
 * Return: true; false for session and disk, which stay connected, and for other commands.
 */
static inline bool krping_memop_is_operation(enum krping_memop_type type)
{
	switch (type) {
	case KRPING_MEMOP_PUT:
	case KRPING_MEMOP_GET:
	case KRPING_MEMOP_SEND:
		return true;
	default:
		return krping_memop_is_request(type);
	}
}

/**
 * enum krping_mem_mode - key that an advertised buffer has
 * @KRPING_MEM_DMA: the unsafe global rkey of the PD
 * @KRPING_MEM_REG: the key of a fast registration; each advert has a new key
 */
enum krping_mem_mode {
	KRPING_MEM_DMA,
	KRPING_MEM_REG,
};

/**
 * enum krping_cq_ctx - context that handles completions if the thread does not poll
 * @KRPING_CQ_SOFTIRQ: softirq
 * @KRPING_CQ_WORKQUEUE: worker of a workqueue
 */
enum krping_cq_ctx {
	KRPING_CQ_SOFTIRQ,
	KRPING_CQ_WORKQUEUE,
};

/**
 * enum krping_atomic - atomic operation of an rlat test
 * @KRPING_ATOMIC_NONE: the test uses RDMA READ instead
 * @KRPING_ATOMIC_CAS: compare and swap
 * @KRPING_ATOMIC_FAA: fetch and add
 * @KRPING_ATOMIC_ANY: server only: CAS or FAA; the server does not know which
 */
enum krping_atomic {
	KRPING_ATOMIC_NONE,
	KRPING_ATOMIC_CAS,
	KRPING_ATOMIC_FAA,
	KRPING_ATOMIC_ANY,
};

/**
 * struct krping_addr - an IP address, whose scope is the name of an interface
 * @family: AF_INET, AF_INET6, or AF_UNSPEC when there is no address
 * @ip: the address in network byte order: 4 bytes for AF_INET, 16 for
 *	AF_INET6; unused bytes are zero
 * @scope: name of the interface behind the %, NUL-terminated; "": no scope
 */
struct krping_addr {
	u16 family;
	u8 ip[16];
	char scope[IFNAMSIZ];
};

/**
 * struct krping_network - a range of addresses
 * @addr: an address of the range, without a scope
 * @bits: leading bits that all addresses of the range share
 */
struct krping_network {
	struct krping_addr addr;
	u8 bits;
};

/**
 * struct krping_options - a parsed command
 * @role: what the command does
 * @test: test to run; KRPING_TEST_PING unless @test_given
 * @addr: address of the server. A server and a client always have one; only a
 *	server may have 0.0.0.0 or ::.
 * @source: local address of a client, of the same family as @addr; AF_UNSPEC:
 *	none given
 * @port: port of the server, in host byte order
 * @device: name of the RDMA device that the test requires; "": any device
 * @count: measured iterations; 0: until stopped
 * @warmup: iterations before the measured ones; @count + @warmup never overflows
 * @duration: seconds after which the test ends; 0: no limit
 * @interval: client: seconds of each interval for which the result has figures; 0: none
 * @size: bytes of data per operation, 1 to U32_MAX; 8 with @atomic
 * @test_given: the command names a test, or implies KRPING_TEST_SESSION
 * @size_given: the command has a size
 * @count_given: the command has a count, which may be 0
 * @mem_mode_given: the command has the option mem_mode; false if another option
 *	implies @mem_mode
 * @validate: compare the data of every iteration; always false for a client of fr
 * @verbose: log the data; only ping does so
 * @server_inv: the server invalidates the client's key with SEND_WITH_INV
 * @read_inv: the server uses READ_WITH_INV
 * @local_dma_lkey: use the PD's local DMA lkey for local buffers
 * @poll: poll the CQ instead of sleeping; always true with @rate. For a disk: add hardware queues
 *	that the disk's users poll
 * @duplex: run both directions at once; bw, rbw and sbw only
 * @inline_data: post with inline data; wlat, slat, bw, sbw, put and send only
 * @imm: send immediate data; wlat, slat, bw and sbw only
 * @srq: post RECVs to an SRQ; ping, wlat, rlat, slat, bw, rbw and sbw only
 * @share: all QPs of the test share one PD and one MR; wlat, rlat, slat, bw, rbw and sbw only
 * @histogram: print the buckets in the result; ping, wlat, rlat and slat only
 * @background: return from the write once the test runs
 * @mem_mode: key of advertised buffers; KRPING_MEM_REG if @server_inv or
 *	@read_inv. A server obeys @mem_mode only if @mem_mode_given; otherwise it
 *	advertises buffers by KRPING_MEM_REG.
 * @cq_ctx: completion context; ignored if @poll
 * @tos: type of service, 0 to 255; -1: not set
 * @timeout: bound in milliseconds on each wait for the peer, 0 to INT_MAX; 0: no
 *	bound
 * @retry: retry count of the connection, 0 to 7
 * @rnr_retry: RNR retry count of the connection, 0 to 7
 * @txdepth: operations in flight, 1 to KRPING_TXDEPTH_MAX; ignored by ping and
 *	the latency tests, which have one operation in flight
 * @txdepth_given: the command sets @txdepth
 * @cqmod: signal every Nth work request: with bw, rbw and sbw 1 to @txdepth; with wlat and
 *	slat 1 to KRPING_LATENCY_CQMOD_MAX; 0: the test chooses; not with other tests
 * @batch: work requests per post, 1 to @txdepth; 0: the test chooses; bw, rbw and
 *	sbw only
 * @qps: QPs per thread of a client, at least 1; above 1 only with wlat, rlat, slat, bw, rbw,
 *	sbw and disk
 * @qps_given: the command sets @qps
 * @threads: threads of a client, at least 1; @qps * @threads is at most
 *	KRPING_CONNS_MAX; above 1 only with wlat, rlat, slat, bw, rbw and sbw
 * @sge: SGEs per operation, 1 to KRPING_SGE_MAX and at most @size; 1 with
 *	@atomic; above 1 only with wlat, rlat, slat, bw, rbw and sbw
 * @rate: operations per second of each QP of a client, at most KRPING_RATE_MAX;
 *	0: no limit; wlat, rlat, slat, bw, rbw and sbw only
 * @stride: bytes between the addresses of successive operations of a client; 0: all use
 *	one address; bw, rbw and sbw only. With @validate the parser chooses the stride; a
 *	command may have the option stride only without @validate and with one SGE
 * @atomic: atomic operation instead of RDMA READ; rlat only
 * @wait: bound in seconds on the time that a server has no client; 0: no bound
 * @ack_timeout: local ACK timeout of the connection, 0 to 31; -1: not set
 * @min_rnr_timer: minimum RNR NAK timer of the connection, 0 to 31; -1: not set
 * @vector: completion vector, which the device may lack; -1: the vector of the thread's
 *	CPU in @cpus, or any
 * @nr_cpus: number of CPUs in @cpus; 0: any CPU
 * @cpus: CPUs that krping_options_cpu() assigns to threads. The machine may lack
 *	a CPU of the list, and the list may have a CPU more than once.
 * @clients: number of clients that a server serves; 0: until stopped
 * @id: id of the test to stop, to drain, to list or to use; 0: all tests
 * @nr_allow: number of networks in @allow; 0: any client
 * @allow: server: networks of the clients that are accepted
 * @export_size: server: bytes of memory that a client may use; 0: the server exports none
 * @shared: server: all clients use the same memory
 * @ro: the exported memory of a server, or the disk, is read-only
 * @memop: what the command does with a server's memory
 * @name: name of the disk; "": the first free name
 * @reconnect: seconds for which a disk's requests wait for a new connection; 0: requests fail at
 *	once
 * @force: stop a disk that is open, too
 * @offset: first byte of @memop in the server's memory
 * @len: bytes that a GET reads, 1 to KRPING_MEMOP_MAX
 * @region: id of the open region that a PUT or GET uses; 0: the client's own region
 * @rw: OPEN: the other clients may write
 * @unchecked: post @memop even if the region is too small or read-only for it
 * @cases: names of cases and of groups of cases, with colons between them; "": all
 * @hex: @text has hexadecimal digits
 * @text: data of a PUT or SEND, as a pointer into the text of the command, which the caller
 *	must keep; or NULL
 *
 * Every check that needs no device has passed. An option that the test does not allow has its
 * default. A server's command that names no test may have options of all tests: the client
 * chooses the test, which ignores options of other tests.
 */
struct krping_options {
	enum krping_role role;
	enum krping_test_type test;
	struct krping_addr addr;
	struct krping_addr source;
	u16 port;
	char device[KRPING_DEVICE_MAX];

	u64 count;
	u64 warmup;
	u32 duration;
	u32 interval;
	u64 size;

	bool test_given;
	bool size_given;
	bool count_given;
	bool mem_mode_given;

	bool validate;
	bool verbose;
	bool server_inv;
	bool read_inv;
	bool local_dma_lkey;
	bool poll;
	bool duplex;
	bool background;
	bool inline_data;
	bool imm;
	bool srq;
	bool share;
	bool histogram;

	enum krping_mem_mode mem_mode;
	enum krping_cq_ctx cq_ctx;
	int tos;
	u32 timeout;
	u32 wait;
	int ack_timeout;
	int min_rnr_timer;
	int vector;
	u8 retry;
	u8 rnr_retry;
	u32 txdepth;
	bool txdepth_given;
	u32 cqmod;
	u32 batch;
	u32 qps;
	bool qps_given;
	u32 threads;
	u32 sge;
	u32 rate;
	u32 stride;
	enum krping_atomic atomic;
	u32 nr_cpus;
	u16 cpus[KRPING_CPUS_MAX];
	u32 clients;
	u32 id;

	u32 nr_allow;
	struct krping_network allow[KRPING_ALLOW_MAX];
	u64 export_size;
	bool shared;
	bool ro;
	enum krping_memop_type memop;
	char name[KRPING_DISK_NAME_MAX];
	u32 reconnect;
	bool force;
	u64 offset;
	u32 len;
	u32 region;
	bool rw;
	bool unchecked;
	char cases[KRPING_CASES_MAX];
	bool hex;
	const char *text;
};

/* Parse and check a command. Print one line of the list of options. */
int krping_options_parse(char *text, size_t len, struct krping_options *opts,
			 char *why, size_t why_size);
size_t krping_options_help(unsigned int nr, char *line, size_t size);

/* Choose the CPU of thread @nr. */
int krping_options_cpu(const struct krping_options *opts, u32 nr);
/* Check for 0.0.0.0 and ::. Check whether allow= allows a client. */
bool krping_addr_is_any(const struct krping_addr *addr);
bool krping_options_allow(const struct krping_options *opts, u16 family, const u8 *ip);

const char *krping_role_name(enum krping_role role);
const char *krping_test_name(enum krping_test_type test);
const char *krping_atomic_name(enum krping_atomic atomic);
const char *krping_mem_mode_name(enum krping_mem_mode mode);

#endif /* KRPING_OPTIONS_H */
