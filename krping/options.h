/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The text of a command, and what is meant by it. No procfs and no RDMA types,
 * so that it also builds in user space for the tests and the fuzzer.
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
#define KRPING_LANES_MAX	1024	/* queue pairs of all threads */
#define KRPING_SGE_MAX		32
#define KRPING_CPUS_MAX		64	/* CPUs in a list */
#define KRPING_RATE_MAX		1000000000

/* Room for a device's name with its NUL, as IB_DEVICE_NAME_MAX. */
#define KRPING_DEVICE_MAX	64

/* Room for any krping_options_parse() explanation with its NUL. */
#define KRPING_WHY_MAX		192

/* Room for any line of krping_options_help() with its NUL. */
#define KRPING_HELP_MAX		256

/**
 * enum krping_role - what a command does
 * @KRPING_ROLE_NONE: not known yet; never in a parsed command
 * @KRPING_ROLE_SERVER: listen for clients
 * @KRPING_ROLE_CLIENT: connect to a server
 * @KRPING_ROLE_STOP: stop a running test, or all of them
 * @KRPING_ROLE_HELP: list the options
 */
enum krping_role {
	KRPING_ROLE_NONE,
	KRPING_ROLE_SERVER,
	KRPING_ROLE_CLIENT,
	KRPING_ROLE_STOP,
	KRPING_ROLE_HELP,
};

/**
 * enum krping_mem_mode - how an advertised buffer gets its key
 * @KRPING_MEM_DMA: the protection domain's unsafe global key
 * @KRPING_MEM_REG: a fast registration of its own, new every time
 */
enum krping_mem_mode {
	KRPING_MEM_DMA,
	KRPING_MEM_REG,
};

/**
 * enum krping_cq_ctx - where completions are handled when not polling
 * @KRPING_CQ_SOFTIRQ: in softirq context
 * @KRPING_CQ_WORKQUEUE: in a kernel worker
 */
enum krping_cq_ctx {
	KRPING_CQ_SOFTIRQ,
	KRPING_CQ_WORKQUEUE,
};

/**
 * enum krping_atomic - the operation of an rlat test
 * @KRPING_ATOMIC_NONE: none, but RDMA READ
 * @KRPING_ATOMIC_CAS: compare and swap
 * @KRPING_ATOMIC_FAA: fetch and add
 * @KRPING_ATOMIC_ANY: a server that serves a client: whichever the client takes
 */
enum krping_atomic {
	KRPING_ATOMIC_NONE,
	KRPING_ATOMIC_CAS,
	KRPING_ATOMIC_FAA,
	KRPING_ATOMIC_ANY,
};

/**
 * struct krping_addr - an IP address, with its scope still by name
 * @family: AF_INET, AF_INET6, or AF_UNSPEC when there is no address
 * @ip: the address in network byte order; the first four bytes for AF_INET,
 *	all sixteen for AF_INET6, the rest zero
 * @scope: name of the interface behind the %, NUL-terminated; "" without one
 */
struct krping_addr {
	u16 family;
	u8 ip[16];
	char scope[IFNAMSIZ];
};

/**
 * struct krping_options - a command that has passed all checks that need no device
 * @role: what to do
 * @test: the test to run; KRPING_TEST_PING unless @test_given
 * @addr: the server's address; present for a server and for a client, any
 *	address (0.0.0.0 or ::) for a server only
 * @source: the client's local address, if any; of the family of @addr
 * @port: the server's port, in host byte order
 * @device: name of the only RDMA device to use; "" for any
 * @count: iterations that are measured; 0: until stopped
 * @warmup: iterations before them; @count + @warmup does not overflow
 * @duration: seconds after which to stop; 0: not by time
 * @size: bytes of data of an operation, 1 to U32_MAX; 8 with @atomic
 * @test_given: the command names a test
 * @size_given: the command has a size
 * @count_given: the command has a count, be it 0
 * @mem_mode_given: the command has a mem_mode, rather than one that was implied
 * @validate: compare the data every time
 * @verbose: log the data
 * @server_inv: the server invalidates the client's key with SEND_WITH_INV
 * @read_inv: the server uses READ_WITH_INV
 * @local_dma_lkey: use the protection domain's lkey for local buffers
 * @poll: spin on the completion queue; true if @rate
 * @duplex: both directions at once; for streams (bw, rbw, sbw)
 * @inline_data: the data travels in the work request; for wlat, slat, bw, sbw
 * @imm: with immediate data; for wlat, slat, bw, sbw
 * @srq: receives come from a shared receive queue; for any test but fr
 * @histogram: show the buckets with the result; for ping, wlat, rlat, slat
 * @background: return from the write once the test runs
 * @mem_mode: how advertised buffers are registered; KRPING_MEM_REG if
 *	@server_inv or @read_inv. A server that was not given one decides by
 *	itself.
 * @cq_ctx: completion context; of no meaning if @poll
 * @tos: type of service, 0 to 255; -1: not set
 * @timeout: milliseconds of patience with the peer, 0 to INT_MAX; 0: no bound
 * @retry: of the connection, 0 to 7
 * @rnr_retry: of the connection, 0 to 7
 * @txdepth: operations in flight, 1 to KRPING_TXDEPTH_MAX; of no meaning for a
 *	ping, which has one
 * @cqmod: signal every so many work requests, 1 to @txdepth; 0: chosen by the
 *	test; for streams
 * @batch: work requests per post, 1 to @txdepth; 0: chosen by the test; for
 *	streams
 * @qps: queue pairs that each thread of a client drives, at least 1; for all
 *	tests but ping and fr
 * @threads: threads of a client, at least 1; @qps * @threads is at most
 *	KRPING_LANES_MAX; for all tests but ping and fr
 * @sge: pieces of local memory per operation, 1 to KRPING_SGE_MAX and to @size;
 *	1 with @atomic; for all tests but ping and fr
 * @rate: messages per second of each queue pair of a client, at most
 *	KRPING_RATE_MAX; 0: as fast as it goes; for all tests but ping and fr
 * @atomic: what to do instead of READ; for rlat
 * @nr_cpus: how many CPUs there are in @cpus; 0: any CPU will do
 * @cpus: CPUs of the test's threads in turn, see krping_options_cpu(); not
 *	checked to exist, and one may be there more than once
 * @clients: how many clients a server serves; 0: until stopped
 * @stop_id: the test to stop; 0: all of them
 *
 * What is only for some tests is at its default with every other test, but for
 * a server whose command names no test: its client decides the test, and what
 * is not for that test is to be ignored.
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
	bool histogram;

	enum krping_mem_mode mem_mode;
	enum krping_cq_ctx cq_ctx;
	int tos;
	u32 timeout;
	u8 retry;
	u8 rnr_retry;
	u32 txdepth;
	u32 cqmod;
	u32 batch;
	u32 qps;
	u32 threads;
	u32 sge;
	u32 rate;
	enum krping_atomic atomic;
	u32 nr_cpus;
	u16 cpus[KRPING_CPUS_MAX];
	u32 clients;
	u32 stop_id;
};

int krping_options_parse(char *text, size_t len, struct krping_options *opts,
			 char *why, size_t why_size);
size_t krping_options_help(unsigned int nr, char *line, size_t size);
int krping_options_cpu(const struct krping_options *opts, u32 nr);
bool krping_addr_is_any(const struct krping_addr *addr);
const char *krping_role_name(enum krping_role role);
const char *krping_test_name(enum krping_test_type test);
const char *krping_atomic_name(enum krping_atomic atomic);
const char *krping_mem_mode_name(enum krping_mem_mode mode);

#endif /* KRPING_OPTIONS_H */
