// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The options of a command, one row each. A new option needs a field in struct
 * krping_options and a row here. The command help prints the rows in this order.
 * The check of roles and tests runs in this order, too: of several options that
 * are not allowed, the explanation names the first.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/limits.h>

#include "option_table.h"

#define SERVER		KRPING_FOR_SERVER
#define CLIENT		KRPING_FOR_CLIENT
#define STOP		KRPING_FOR_STOP
#define DRAIN		KRPING_FOR_DRAIN
#define HELP		KRPING_FOR_HELP
#define LIST		KRPING_FOR_LIST
#define MEMOP		KRPING_FOR_MEMOP
#define RUN		KRPING_FOR_RUN

#define ALL		KRPING_FOR_EVERY_TEST
#define SESSION		BIT(KRPING_TEST_SESSION)
#define MEASURED	(ALL & ~SESSION)
#define PING		KRPING_FOR_PING
#define RLAT		BIT(KRPING_TEST_RLAT)
#define FR		BIT(KRPING_TEST_FR)
#define LATENCIES	(BIT(KRPING_TEST_WLAT) | RLAT | BIT(KRPING_TEST_SLAT))
#define STREAMS		(BIT(KRPING_TEST_BW) | BIT(KRPING_TEST_RBW) | \
			 BIT(KRPING_TEST_SBW))
#define PERF		(LATENCIES | STREAMS)
#define NOT_READS	(PERF & ~(RLAT | BIT(KRPING_TEST_RBW)))

/*
 * The field of struct krping_options that an option sets. The macro is variadic,
 * because checkpatch reports a named parameter as evaluated twice.
 */
#define FIELD(...)							\
	.offset = offsetof(struct krping_options, __VA_ARGS__),		\
	.width = sizeof_field(struct krping_options, __VA_ARGS__)

/* The bool that is true if the command has the option. */
#define GIVEN(field)	.given = offsetof(struct krping_options, field)

#define ADDR	"an IPv4 address, or an IPv6 address with or without %interface"

static const struct krping_word mem_modes[] = {
	{ "dma", KRPING_MEM_DMA },
	{ "reg", KRPING_MEM_REG },
	{ "fastreg", KRPING_MEM_REG },
	{ }
};

static const struct krping_word atomics[] = {
	{ "cas", KRPING_ATOMIC_CAS },
	{ "faa", KRPING_ATOMIC_FAA },
	{ }
};

static const struct krping_word cq_contexts[] = {
	{ "softirq", KRPING_CQ_SOFTIRQ },
	{ "workqueue", KRPING_CQ_WORKQUEUE },
	{ }
};

const struct krping_option krping_option_table[] = {
	{
		.name = "server",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = SERVER, .tests = ALL,
		.value = KRPING_ROLE_SERVER,
		.help = "listen for clients",
	},
	{
		.name = "client",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = CLIENT, .tests = ALL,
		.value = KRPING_ROLE_CLIENT,
		.help = "connect to a server and run a test",
	},
	{
		.name = "stop",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = STOP, .tests = ALL,
		.value = KRPING_ROLE_STOP,
		.help = "stop all running tests, or the test of id, and wait for their end",
	},
	{
		.name = "force",
		.type = KRPING_OPTION_KEYWORD, FIELD(force),
		.roles = STOP, .tests = ALL,
		.value = true,
		.help = "stop a disk that is open, too; its I/O fails",
	},
	{
		.name = "drain",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = DRAIN, .tests = ALL,
		.value = KRPING_ROLE_DRAIN,
		.help = "let the server of id reject new clients, and end after its last one",
	},
	{
		.name = "help",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = HELP, .tests = ALL,
		.value = KRPING_ROLE_HELP,
		.help = "list the options in the result",
	},
	{
		.name = "list",
		.type = KRPING_OPTION_KEYWORD, FIELD(role),
		.roles = LIST, .tests = ALL,
		.value = KRPING_ROLE_LIST,
		.help = "print a line of key=value for each running test, or for the test of id",
	},
	{
		.name = "ping",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_PING,
		.help = "SEND, RDMA READ and RDMA WRITE in turn; the default test",
	},
	{
		.name = "wlat",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_WLAT,
		.help = "latency of RDMA WRITE: half of the round trip",
	},
	{
		.name = "rlat",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_RLAT,
		.help = "latency of RDMA READ or of an atomic: the whole round trip",
	},
	{
		.name = "slat",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_SLAT,
		.help = "latency of SEND: half of the round trip",
	},
	{
		.name = "bw",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_BW,
		.help = "throughput of RDMA WRITE",
	},
	{
		.name = "rbw",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_RBW,
		.help = "throughput of RDMA READ",
	},
	{
		.name = "sbw",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = RUN, .tests = ALL,
		.value = KRPING_TEST_SBW,
		.help = "throughput of SEND",
	},
	{
		.name = "fr",
		.type = KRPING_OPTION_KEYWORD, FIELD(test),
		GIVEN(test_given),
		.roles = CLIENT, .tests = ALL,
		.value = KRPING_TEST_FR,
		.help = "register and invalidate regions of random sizes up to size",
	},
	{
		.name = "addr",
		.type = KRPING_OPTION_ADDR, FIELD(addr),
		.roles = RUN, .tests = ALL,
		.operand = ADDR,
		.help = "address of the server; a server may bind 0.0.0.0 or ::",
	},
	{
		.name = "addr6",
		.type = KRPING_OPTION_ADDR6, FIELD(addr),
		.roles = RUN, .tests = ALL,
		.operand = "an IPv6 address, with or without %interface",
		.help = "old name of addr, for IPv6",
	},
	{
		.name = "port",
		.type = KRPING_OPTION_NUMBER, FIELD(port),
		.roles = RUN, .tests = ALL,
		.min = 1, .max = U16_MAX,
		.def = KRPING_PORT_DEFAULT,
		.help = "port of the server",
	},
	{
		.name = "source",
		.type = KRPING_OPTION_ADDR, FIELD(source),
		.roles = CLIENT, .tests = ALL,
		.operand = ADDR,
		.def_text = "chosen by the route",
		.help = "local address of the client",
	},
	{
		.name = "device",
		.type = KRPING_OPTION_DEVICE, FIELD(device),
		.roles = RUN, .tests = ALL,
		.operand = "the name of an RDMA device, of 1 to 63 characters",
		.def_text = "any",
		.help = "refuse to run on any other RDMA device",
	},
	{
		.name = "count",
		.type = KRPING_OPTION_COUNT, FIELD(count),
		GIVEN(count_given),
		.roles = RUN, .tests = MEASURED,
		.min = 0, .max = U64_MAX,
		.def = 0,
		.help = "measured iterations, of each queue pair; 0: until stopped",
	},
	{
		.name = "duration",
		.type = KRPING_OPTION_TIME, FIELD(duration),
		.roles = RUN, .tests = MEASURED,
		.min = 1, .max = U32_MAX,
		.unit = "seconds", .per_sec = 1,
		.def_text = "none",
		.help = "end the test after this time, which includes the warm-up",
	},
	{
		.name = "warmup",
		.type = KRPING_OPTION_COUNT, FIELD(warmup),
		.roles = RUN, .tests = MEASURED,
		.min = 0, .max = U64_MAX,
		.def = 0,
		.help = "iterations of the client before the measured ones",
	},
	{
		.name = "size",
		.type = KRPING_OPTION_SIZE, FIELD(size),
		GIVEN(size_given),
		.roles = RUN, .tests = MEASURED,
		.min = 1, .max = U32_MAX,
		.unit = "bytes",
		.def = KRPING_SIZE_DEFAULT,
		.help = "bytes of data per operation; the device may have a lower limit",
	},
	{
		.name = "validate",
		.type = KRPING_OPTION_KEYWORD, FIELD(validate),
		.roles = RUN, .tests = MEASURED & ~FR,
		.value = true,
		.help = "compare the data of every iteration",
	},
	{
		.name = "verbose",
		.type = KRPING_OPTION_KEYWORD, FIELD(verbose),
		.roles = RUN, .tests = PING,
		.value = true,
		.help = "log up to 64 bytes of the data of every iteration",
	},
	{
		.name = "mem_mode",
		.type = KRPING_OPTION_WORD, FIELD(mem_mode),
		GIVEN(mem_mode_given),
		.roles = RUN, .tests = MEASURED & ~FR,
		.words = mem_modes,
		.operand = "dma or reg",
		.def = KRPING_MEM_DMA,
		.def_text = "dma; a server advertises by reg",
		.help = "advertise the global key of the PD (dma) or fast registrations (reg)",
	},
	{
		.name = "server_inv",
		.type = KRPING_OPTION_KEYWORD, FIELD(server_inv),
		.roles = RUN, .tests = PING,
		.value = true,
		.help = "the server posts SEND_WITH_INV for the client's key; implies mem_mode=reg",
	},
	{
		.name = "read_inv",
		.type = KRPING_OPTION_KEYWORD, FIELD(read_inv),
		.roles = RUN, .tests = PING,
		.value = true,
		.help = "the server posts READ_WITH_INV (iWARP only); implies mem_mode=reg",
	},
	{
		.name = "local_dma_lkey",
		.type = KRPING_OPTION_KEYWORD, FIELD(local_dma_lkey),
		.roles = RUN, .tests = MEASURED,
		.value = true,
		.help = "use the local DMA lkey of the PD for local buffers",
	},
	{
		.name = "tos",
		.type = KRPING_OPTION_NUMBER, FIELD(tos),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = 255,
		.def = -1, .def_text = "not set",
		.help = "type of service of the connection",
	},
	{
		.name = "timeout",
		.type = KRPING_OPTION_TIME, FIELD(timeout),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = INT_MAX,
		.unit = "milliseconds", .per_sec = 1000,
		.def = KRPING_TIMEOUT_DEFAULT,
		.help = "bound on resolving, connecting and each wait for the peer; 0: none",
	},
	{
		.name = "wait",
		.type = KRPING_OPTION_TIME, FIELD(wait),
		.roles = SERVER, .tests = ALL,
		.min = 1, .max = INT_MAX / 1000,
		.unit = "seconds", .per_sec = 1,
		.def_text = "none",
		.help = "bound on the time without a client",
	},
	{
		.name = "ack_timeout",
		.type = KRPING_OPTION_NUMBER, FIELD(ack_timeout),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = 31,
		.def = -1, .def_text = "chosen by the RDMA core",
		.help = "local ACK timeout, 4.096 us * 2^N; 0: none; not on iWARP",
	},
	{
		.name = "min_rnr_timer",
		.type = KRPING_OPTION_NUMBER, FIELD(min_rnr_timer),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = 31,
		.def = -1, .def_text = "chosen by the RDMA core",
		.help = "minimum RNR NAK timer, as the IB specification encodes it; not on iWARP",
	},
	{
		.name = "retry",
		.type = KRPING_OPTION_NUMBER, FIELD(retry),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = 7,
		.def = KRPING_RETRY_DEFAULT,
		.help = "retries of the connection if the peer does not acknowledge",
	},
	{
		.name = "rnr_retry",
		.type = KRPING_OPTION_NUMBER, FIELD(rnr_retry),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = 7,
		.def = KRPING_RETRY_DEFAULT,
		.help = "retries of the connection if the peer has no RECV posted; 7: no limit",
	},
	{
		.name = "txdepth",
		.alias = "tx-depth",
		.type = KRPING_OPTION_NUMBER, FIELD(txdepth),
		.roles = RUN, .tests = ALL,
		.min = 1, .max = KRPING_TXDEPTH_MAX,
		.def = KRPING_TXDEPTH_DEFAULT,
		.help = "operations in flight; with fr, memory regions; with disk, requests",
	},
	{
		.name = "cqmod",
		.type = KRPING_OPTION_NUMBER, FIELD(cqmod),
		.roles = RUN, .tests = STREAMS,
		.min = 1, .max = KRPING_TXDEPTH_MAX,
		.def_text = "txdepth / 4",
		.help = "signal every Nth work request; at most txdepth",
	},
	{
		.name = "batch",
		.type = KRPING_OPTION_NUMBER, FIELD(batch),
		.roles = RUN, .tests = STREAMS,
		.min = 1, .max = KRPING_TXDEPTH_MAX,
		.def_text = "txdepth / 4",
		.help = "work requests per post; at most txdepth",
	},
	{
		.name = "inline",
		.type = KRPING_OPTION_KEYWORD, FIELD(inline_data),
		.roles = RUN, .tests = NOT_READS,
		.value = true,
		.help = "send the data inline in the work request",
	},
	{
		.name = "sge",
		.type = KRPING_OPTION_NUMBER, FIELD(sge),
		.roles = RUN, .tests = PERF,
		.min = 1, .max = KRPING_SGE_MAX,
		.def = 1,
		.help = "scatter/gather entries per operation; at most size",
	},
	{
		.name = "imm",
		.type = KRPING_OPTION_KEYWORD, FIELD(imm),
		.roles = RUN, .tests = NOT_READS,
		.value = true,
		.help = "send immediate data with each operation; not on iWARP",
	},
	{
		.name = "atomic",
		.type = KRPING_OPTION_WORD, FIELD(atomic),
		.roles = RUN, .tests = RLAT,
		.words = atomics,
		.operand = "cas or faa",
		.def = KRPING_ATOMIC_NONE, .def_text = "none",
		.help = "compare and swap, or fetch and add, of 8 bytes instead of RDMA READ",
	},
	{
		.name = "srq",
		.type = KRPING_OPTION_KEYWORD, FIELD(srq),
		.roles = RUN, .tests = MEASURED & ~FR,
		.value = true,
		.help = "post RECVs to a shared receive queue",
	},
	{
		.name = "qps",
		.type = KRPING_OPTION_NUMBER, FIELD(qps),
		.roles = CLIENT, .tests = PERF,
		.min = 1, .max = KRPING_CONNS_MAX,
		.def = 1,
		.help = "queue pairs per thread; qps * threads is at most 1024",
	},
	{
		.name = "threads",
		.type = KRPING_OPTION_NUMBER, FIELD(threads),
		.roles = CLIENT, .tests = PERF,
		.min = 1, .max = KRPING_CONNS_MAX,
		.def = 1,
		.help = "threads, each with a completion queue of its own",
	},
	{
		.name = "rate",
		.type = KRPING_OPTION_COUNT, FIELD(rate),
		.roles = CLIENT, .tests = PERF,
		.min = 1, .max = KRPING_RATE_MAX,
		.unit = "messages per second",
		.def_text = "unlimited",
		.help = "operations per second of each queue pair; implies poll",
	},
	{
		.name = "poll",
		.type = KRPING_OPTION_KEYWORD, FIELD(poll),
		.roles = RUN, .tests = MEASURED,
		.value = true,
		.help = "poll the completion queue in the test's thread instead of sleeping",
	},
	{
		.name = "cq",
		.type = KRPING_OPTION_WORD, FIELD(cq_ctx),
		.roles = RUN, .tests = MEASURED,
		.words = cq_contexts,
		.operand = "softirq or workqueue",
		.def = KRPING_CQ_SOFTIRQ,
		.help = "completion context; not with poll or rate",
	},
	{
		.name = "cpu",
		.type = KRPING_OPTION_CPUS, FIELD(cpus),
		.roles = RUN, .tests = ALL,
		.operand = "up to 64 CPUs from 0 to 65535, as in 3 or 0-3 or 0:2:4-7",
		.def_text = "any",
		.help = "bind each thread to a CPU of the list and use that CPU's vector",
	},
	{
		.name = "vector",
		.type = KRPING_OPTION_NUMBER, FIELD(vector),
		.roles = RUN, .tests = ALL,
		.min = 0, .max = INT_MAX,
		.def = -1, .def_text = "that of cpu, or any",
		.help = "completion vector of each thread's CQ",
	},
	{
		.name = "histogram",
		.type = KRPING_OPTION_KEYWORD, FIELD(histogram),
		.roles = RUN, .tests = PING | LATENCIES,
		.value = true,
		.help = "print the buckets of the latency histogram in the result",
	},
	{
		.name = "duplex",
		.type = KRPING_OPTION_KEYWORD, FIELD(duplex),
		.roles = RUN, .tests = STREAMS,
		.value = true,
		.help = "run both directions at once",
	},
	{
		.name = "clients",
		.type = KRPING_OPTION_COUNT, FIELD(clients),
		.roles = SERVER, .tests = ALL,
		.min = 0, .max = U32_MAX,
		.def = 1,
		.help = "number of clients to serve; 0: until stopped",
	},
	{
		.name = "background",
		.type = KRPING_OPTION_KEYWORD, FIELD(background),
		.roles = RUN, .tests = ALL,
		.value = true,
		.help = "return from the write once the test runs",
	},
	{
		.name = "id",
		.type = KRPING_OPTION_NUMBER, FIELD(id),
		.roles = STOP | DRAIN | LIST | MEMOP, .tests = ALL,
		.min = 1, .max = U32_MAX,
		.def_text = "all tests",
		.help = "id of the test to stop, to drain or to list, or of the session to use",
	},
	{
		.name = "allow",
		.type = KRPING_OPTION_NETWORK, FIELD(nr_allow),
		.roles = SERVER, .tests = ALL,
		.operand = "an IPv4 or IPv6 address, with or without /bits, at most 16 times",
		.def_text = "any",
		.help = "reject other clients; several options allow several networks",
	},
	{
		.name = "export",
		.type = KRPING_OPTION_SIZE, FIELD(export_size),
		.roles = SERVER, .tests = SESSION,
		.min = 1, .max = KRPING_EXPORT_MAX,
		.unit = "bytes",
		.def_text = "none",
		.help = "export this much zeroed memory to each client",
	},
	{
		.name = "shared",
		.type = KRPING_OPTION_KEYWORD, FIELD(shared),
		.roles = SERVER, .tests = SESSION,
		.value = true,
		.help = "all clients use the same exported memory",
	},
	{
		.name = "ro",
		.type = KRPING_OPTION_KEYWORD, FIELD(ro),
		.roles = RUN, .tests = SESSION,
		.value = true,
		.help = "the exported memory, or the disk, is read-only",
	},
	{
		.name = "session",
		.type = KRPING_OPTION_KEYWORD, FIELD(memop),
		.roles = CLIENT, .tests = SESSION,
		.value = KRPING_MEMOP_SESSION,
		.help = "connect to a server with export, and stay connected for put, get and send",
	},
	{
		.name = "disk",
		.type = KRPING_OPTION_KEYWORD, FIELD(memop),
		.roles = CLIENT, .tests = SESSION,
		.value = KRPING_MEMOP_DISK,
		.help = "connect to a server with export, and make a block device of its memory",
	},
	{
		.name = "name",
		.type = KRPING_OPTION_DISK, FIELD(name),
		.roles = CLIENT, .tests = SESSION,
		.operand = "krping and letters, digits, - or _ behind it, at most 27 characters",
		.def_text = "the first free one",
		.help = "name of the disk",
	},
	{
		.name = "reconnect",
		.type = KRPING_OPTION_NUMBER, FIELD(reconnect),
		.roles = CLIENT, .tests = SESSION,
		.min = 1, .max = U32_MAX, .unit = "seconds", .def_text = "none",
		.help = "after a lost connection, let the disk's requests wait so long for another",
	},
	{
		.name = "put",
		.type = KRPING_OPTION_KEYWORD, FIELD(memop),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.value = KRPING_MEMOP_PUT,
		.help = "RDMA WRITE of data or hex into the server's memory",
	},
	{
		.name = "get",
		.type = KRPING_OPTION_KEYWORD, FIELD(memop),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.value = KRPING_MEMOP_GET,
		.help = "RDMA READ of len bytes of the server's memory; the result has them",
	},
	{
		.name = "send",
		.type = KRPING_OPTION_KEYWORD, FIELD(memop),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.value = KRPING_MEMOP_SEND,
		.help = "SEND of data or hex; the server's result and log have the message",
	},
	{
		.name = "offset",
		.type = KRPING_OPTION_SIZE, FIELD(offset),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.min = 0, .max = U64_MAX,
		.unit = "bytes",
		.def = 0,
		.help = "first byte of put or get in the server's memory",
	},
	{
		.name = "len",
		.type = KRPING_OPTION_SIZE, FIELD(len),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.min = 1, .max = KRPING_MEMOP_MAX,
		.unit = "bytes",
		.def_text = "none",
		.help = "bytes that get reads",
	},
	{
		.name = "data",
		.type = KRPING_OPTION_TEXT, FIELD(text),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.operand = "text without a comma",
		.help = "what put or send transfers",
	},
	{
		.name = "hex",
		.type = KRPING_OPTION_HEX, FIELD(text),
		GIVEN(hex),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.operand = "pairs of hexadecimal digits",
		.help = "what put or send transfers, as bytes",
	},
	{
		.name = "unchecked",
		.type = KRPING_OPTION_KEYWORD, FIELD(unchecked),
		.roles = CLIENT | MEMOP, .tests = SESSION,
		.value = true,
		.help = "post put or get even if the device has to refuse it",
	},
};

const unsigned int krping_nr_options = ARRAY_SIZE(krping_option_table);
static_assert(ARRAY_SIZE(krping_option_table) <= KRPING_OPTIONS_MAX);
