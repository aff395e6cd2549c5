/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands that the parser accepts or refuses, for the KUnit suite and for the
 * unit tests in user space. Include this file after options.h.
 */
#ifndef KRPING_OPTIONS_CASES_H
#define KRPING_OPTIONS_CASES_H

#include <linux/kernel.h>

/**
 * struct krping_good_case - a command that is accepted
 * @text: the command
 * @means: every value that is not the default, as krping_options_render() prints it
 */
struct krping_good_case {
	const char *text;
	const char *means;
};

/**
 * struct krping_bad_case - a command that is refused
 * @text: the command
 * @about: start of the explanation, up to the first ": "
 */
struct krping_bad_case {
	const char *text;
	const char *about;
};

#define NAME_15	"abcdefghijklmno"
#define NAME_63	"abcdefghijklmnopqrstuvwxyz-0123456789-abcdefghijklmnopqrstuvwxy"
#define CPUS_62 \
	"0:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25:26:27:28:29:30" \
	":31:32:33:34:35:36:37:38:39:40:41:42:43:44:45:46:47:48:49:50:51:52:53:54:55:56:57:58:59:60:61"

static const struct krping_good_case krping_good_cases[] = {
	/* roles, addresses, the comma and the newline at the end */
	{ "server,addr=10.0.0.1", "server addr=4:0a000001" },
	{ "client,addr=10.0.0.1", "client addr=4:0a000001" },
	{ "client,addr=10.0.0.1,", "client addr=4:0a000001" },
	{ "client,addr=10.0.0.1\n", "client addr=4:0a000001" },
	{ "client,addr=10.0.0.1,\n", "client addr=4:0a000001" },
	{ "addr=10.0.0.1,client", "client addr=4:0a000001" },
	{ "server,addr=0.0.0.0", "server addr=4:00000000" },
	{ "server,addr=255.255.255.255", "server addr=4:ffffffff" },
	{ "server,addr=::", "server addr=6:00000000000000000000000000000000" },
	{ "server,addr6=::", "server addr=6:00000000000000000000000000000000" },
	{ "client,addr=::1", "client addr=6:00000000000000000000000000000001" },
	{ "client,addr6=2001:db8::A:b",
	  "client addr=6:20010db80000000000000000000a000b" },
	{ "client,addr=1:2:3:4:5:6:7:8", "client addr=6:00010002000300040005000600070008" },
	{ "client,addr=::ffff:1.2.3.4", "client addr=6:00000000000000000000ffff01020304" },
	{ "client,addr=fe80::1%eth0",
	  "client addr=6:fe800000000000000000000000000001%eth0" },
	{ "client,addr6=fe80::1%" NAME_15,
	  "client addr=6:fe800000000000000000000000000001%" NAME_15 },
	{ "client,addr=10.0.0.1,source=10.0.0.2", "client addr=4:0a000001 source=4:0a000002" },
	{
		"client,source=fe80::2%e,addr6=fe80::1%e",
		"client addr=6:fe800000000000000000000000000001%e source=6:fe800000000000000000000000000002%e",
	},

	/* blanks around options, empty options, blanks and newlines at the end */
	{ " client\t,\taddr=10.0.0.1 ", "client addr=4:0a000001" },
	{ "client,addr=10.0.0.1,count=100, ", "client addr=4:0a000001 count=100" },
	{ "client,addr=10.0.0.1,\x20\n", "client addr=4:0a000001" },
	{ "client,addr=10.0.0.1\x20\n\t\n", "client addr=4:0a000001" },
	{ ",,client,, ,addr=10.0.0.1,,\n", "client addr=4:0a000001" },
	{ "stop\n\n", "stop" },
	{ " stop ", "stop" },
	{ "stop,\n\n", "stop" },
	{ "client,addr=1.2.3.4,put,data=a b\x20\n", "client session addr=4:01020304 op=put" },

	/* keywords given twice */
	{ "server,server,addr=1.2.3.4", "server addr=4:01020304" },
	{ "client,addr=1.2.3.4,client", "client addr=4:01020304" },
	{ "stop,stop", "stop" },
	{ "help,help", "help" },
	{ "list,list", "list" },
	{ "client,addr=1.2.3.4,validate,poll,validate,poll,validate",
	  "client addr=4:01020304 validate poll" },
	{ "client,addr=1.2.3.4,bw,duplex,bw,duplex", "client bw addr=4:01020304 duplex" },
	{ "client,addr=1.2.3.4,server_inv,server_inv",
	  "client addr=4:01020304 mem_mode=reg server_inv" },
	{ "client,addr=1.2.3.4,session,session",
	  "client session addr=4:01020304 background op=session" },

	/* one option each, at its limits */
	{ "client,addr=1.2.3.4,port=1", "client addr=4:01020304 port=1" },
	{ "client,addr=1.2.3.4,port=9999", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,port=65535", "client addr=4:01020304 port=65535" },
	{ "client,addr=1.2.3.4,port=07174", "client addr=4:01020304 port=7174" },
	{ "client,addr=1.2.3.4,device=r", "client addr=4:01020304 device=r" },
	{ "client,addr=1.2.3.4,device=" NAME_63, "client addr=4:01020304 device=" NAME_63 },
	{ "client,addr=1.2.3.4,device=a=b", "client addr=4:01020304 device=a=b" },
	{ "client,addr=1.2.3.4,count=0", "client addr=4:01020304 count=0" },
	{ "client,addr=1.2.3.4,count=100", "client addr=4:01020304 count=100" },
	{ "client,addr=1.2.3.4,count=18446744073709551615",
	  "client addr=4:01020304 count=18446744073709551615" },
	{ "client,addr=1.2.3.4,warmup=0", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,warmup=18446744073709551615",
	  "client addr=4:01020304 warmup=18446744073709551615" },
	{ "client,addr=1.2.3.4,count=18446744073709551600,warmup=15",
	  "client addr=4:01020304 count=18446744073709551600 warmup=15" },
	{ "client,addr=1.2.3.4,count=1k", "client addr=4:01020304 count=1000" },
	{ "client,addr=1.2.3.4,count=2M,warmup=3g",
	  "client addr=4:01020304 count=2000000 warmup=3000000000" },
	{ "client,addr=1.2.3.4,count=18446744073709551k",
	  "client addr=4:01020304 count=18446744073709551000" },
	{ "client,addr=1.2.3.4,sbw,rate=10k", "client sbw addr=4:01020304 rate=10000 poll" },
	{ "server,addr=1.2.3.4,clients=1k", "server addr=4:01020304 clients=1000" },
	{ "client,addr=1.2.3.4,duration=5s", "client addr=4:01020304 duration=5" },
	{ "client,addr=1.2.3.4,duration=2m", "client addr=4:01020304 duration=120" },
	{ "client,addr=1.2.3.4,duration=3h", "client addr=4:01020304 duration=10800" },
	{ "client,addr=1.2.3.4,duration=1193046h", "client addr=4:01020304 duration=4294965600" },
	{ "client,addr=1.2.3.4,timeout=5s", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,timeout=2m", "client addr=4:01020304 timeout=120000" },
	{ "client,addr=1.2.3.4,timeout=1h", "client addr=4:01020304 timeout=3600000" },
	{ "client,addr=1.2.3.4,timeout=0s", "client addr=4:01020304 timeout=0" },
	{ "client,addr=1.2.3.4,duration=1", "client addr=4:01020304 duration=1" },
	{ "client,addr=1.2.3.4,duration=4294967295",
	  "client addr=4:01020304 duration=4294967295" },
	{ "client,addr=1.2.3.4,size=1", "client addr=4:01020304 size=1" },
	{ "client,addr=1.2.3.4,size=64", "client addr=4:01020304 size=64" },
	{ "client,addr=1.2.3.4,size=4k", "client addr=4:01020304 size=4096" },
	{ "client,addr=1.2.3.4,size=4K", "client addr=4:01020304 size=4096" },
	{ "client,addr=1.2.3.4,size=3m", "client addr=4:01020304 size=3145728" },
	{ "client,addr=1.2.3.4,size=3M", "client addr=4:01020304 size=3145728" },
	{ "client,addr=1.2.3.4,size=1g", "client addr=4:01020304 size=1073741824" },
	{ "client,addr=1.2.3.4,size=3G", "client addr=4:01020304 size=3221225472" },
	{ "client,addr=1.2.3.4,size=4294967295", "client addr=4:01020304 size=4294967295" },
	{ "client,addr=1.2.3.4,validate", "client addr=4:01020304 validate" },
	{ "client,addr=1.2.3.4,verbose", "client addr=4:01020304 verbose" },
	{ "client,addr=1.2.3.4,local_dma_lkey", "client addr=4:01020304 local_dma_lkey" },
	{ "client,addr=1.2.3.4,tos=0", "client addr=4:01020304 tos=0" },
	{ "client,addr=1.2.3.4,tos=255", "client addr=4:01020304 tos=255" },
	{ "client,addr=1.2.3.4,timeout=0", "client addr=4:01020304 timeout=0" },
	{ "client,addr=1.2.3.4,timeout=2147483647",
	  "client addr=4:01020304 timeout=2147483647" },
	{ "client,addr=1.2.3.4,retry=0", "client addr=4:01020304 retry=0" },
	{ "client,addr=1.2.3.4,retry=7", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,rnr_retry=0", "client addr=4:01020304 rnr_retry=0" },
	{ "client,addr=1.2.3.4,rnr_retry=7", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,txdepth=1", "client addr=4:01020304 txdepth=1" },
	{ "client,addr=1.2.3.4,tx-depth=1", "client addr=4:01020304 txdepth=1" },
	{ "client,addr=1.2.3.4,poll", "client addr=4:01020304 poll" },
	{ "client,addr=1.2.3.4,cq=softirq", "client addr=4:01020304" },
	{ "client,addr=1.2.3.4,cq=workqueue", "client addr=4:01020304 cq=workqueue" },
	{ "client,addr=1.2.3.4,background", "client addr=4:01020304 background" },
	{ "server,addr=1.2.3.4,clients=1", "server addr=4:01020304" },
	{ "client,addr=1.2.3.4,txdepth=2", "client addr=4:01020304 txdepth=2" },
	{ "client,addr=1.2.3.4,tx-depth=1048576", "client addr=4:01020304 txdepth=1048576" },

	{ "server,addr=1.2.3.4,wait=30", "server addr=4:01020304 wait=30" },
	{ "server,addr=1.2.3.4,wait=2m,clients=0", "server addr=4:01020304 wait=120 clients=0" },
	{ "server,addr=1.2.3.4,wait=2147483", "server addr=4:01020304 wait=2147483" },
	{ "server,addr=1.2.3.4,export=4k,wait=1",
	  "server session addr=4:01020304 wait=1 export=4096" },
	{ "client,addr=1.2.3.4,vector=0", "client addr=4:01020304 vector=0" },
	{ "server,addr=1.2.3.4,cpu=1,vector=2147483647",
	  "server addr=4:01020304 vector=2147483647 cpu=1" },
	{ "client,addr=1.2.3.4,ack_timeout=0,min_rnr_timer=31",
	  "client addr=4:01020304 ack_timeout=0 min_rnr_timer=31" },
	{ "server,addr=1.2.3.4,ack_timeout=31,min_rnr_timer=0",
	  "server addr=4:01020304 ack_timeout=31 min_rnr_timer=0" },

	/* lists of CPUs */
	{ "client,addr=1.2.3.4,cpu=0", "client addr=4:01020304 cpu=0" },
	{ "client,addr=1.2.3.4,cpu=65535", "client addr=4:01020304 cpu=65535" },
	{ "client,addr=1.2.3.4,cpu=007", "client addr=4:01020304 cpu=7" },
	{ "client,addr=1.2.3.4,cpu=3-3", "client addr=4:01020304 cpu=3" },
	{ "client,addr=1.2.3.4,cpu=0-3", "client addr=4:01020304 cpu=0:1:2:3" },
	{ "client,addr=1.2.3.4,cpu=0:2:4-7", "client addr=4:01020304 cpu=0:2:4:5:6:7" },
	{ "client,addr=1.2.3.4,cpu=4-5:1:0-1:1", "client addr=4:01020304 cpu=4:5:1:0:1:1" },
	{ "client,addr=1.2.3.4,cpu=65534-65535", "client addr=4:01020304 cpu=65534:65535" },
	{ "client,addr=1.2.3.4,cpu=0-63", "client addr=4:01020304 cpu=" CPUS_62 ":62:63" },
	{ "client,addr=1.2.3.4,cpu=0-61:63:63", "client addr=4:01020304 cpu=" CPUS_62 ":63:63" },
	{ "server,addr=1.2.3.4,cpu=1-2", "server addr=4:01020304 cpu=1:2" },

	/* tests */
	{ "client,addr=1.2.3.4,ping", "client ping addr=4:01020304" },
	{ "server,addr=1.2.3.4,ping,verbose", "server ping addr=4:01020304 verbose" },
	{ "client,addr=1.2.3.4,wlat", "client wlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,rlat", "client rlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,slat", "client slat addr=4:01020304" },
	{ "client,addr=1.2.3.4,bw", "client bw addr=4:01020304" },
	{ "client,addr=1.2.3.4,rbw", "client rbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,sbw", "client sbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,fr", "client fr addr=4:01020304" },
	{ "server,addr=1.2.3.4,wlat", "server wlat addr=4:01020304" },
	{ "server,addr=1.2.3.4,rlat", "server rlat addr=4:01020304" },
	{ "server,addr=1.2.3.4,slat", "server slat addr=4:01020304" },
	{ "server,addr=1.2.3.4,bw", "server bw addr=4:01020304" },
	{ "server,addr=1.2.3.4,rbw", "server rbw addr=4:01020304" },
	{ "server,addr=1.2.3.4,sbw", "server sbw addr=4:01020304" },
	{ "client,wlat,addr=1.2.3.4,count=10", "client wlat addr=4:01020304 count=10" },
	{ "fr,addr=1.2.3.4,client,size=1m", "client fr addr=4:01020304 size=1048576" },
	{ "client,addr=1.2.3.4,bw,duplex", "client bw addr=4:01020304 duplex" },
	{ "client,addr=1.2.3.4,rbw,duplex", "client rbw addr=4:01020304 duplex" },
	{ "client,addr=1.2.3.4,sbw,duplex", "client sbw addr=4:01020304 duplex" },
	{ "client,addr=1.2.3.4,rbw,duplex,validate",
	  "client rbw addr=4:01020304 validate duplex" },

	/* options that not every test allows, with each test that allows them */
	{ "client,addr=1.2.3.4,bw,cqmod=1", "client bw addr=4:01020304 cqmod=1" },
	{ "client,addr=1.2.3.4,rbw,cqmod=1", "client rbw addr=4:01020304 cqmod=1" },
	{ "client,addr=1.2.3.4,sbw,cqmod=1", "client sbw addr=4:01020304 cqmod=1" },
	{ "client,addr=1.2.3.4,bw,batch=1", "client bw addr=4:01020304 batch=1" },
	{ "client,addr=1.2.3.4,rbw,batch=1", "client rbw addr=4:01020304 batch=1" },
	{ "client,addr=1.2.3.4,sbw,batch=1", "client sbw addr=4:01020304 batch=1" },
	{ "client,addr=1.2.3.4,wlat,inline", "client wlat addr=4:01020304 inline" },
	{ "client,addr=1.2.3.4,slat,inline", "client slat addr=4:01020304 inline" },
	{ "client,addr=1.2.3.4,bw,inline", "client bw addr=4:01020304 inline" },
	{ "client,addr=1.2.3.4,sbw,inline", "client sbw addr=4:01020304 inline" },
	{ "client,addr=1.2.3.4,wlat,imm", "client wlat addr=4:01020304 imm" },
	{ "client,addr=1.2.3.4,slat,imm", "client slat addr=4:01020304 imm" },
	{ "client,addr=1.2.3.4,bw,imm", "client bw addr=4:01020304 imm" },
	{ "client,addr=1.2.3.4,sbw,imm", "client sbw addr=4:01020304 imm" },
	{ "client,addr=1.2.3.4,wlat,sge=1", "client wlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,rlat,sge=1", "client rlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,slat,sge=1", "client slat addr=4:01020304" },
	{ "client,addr=1.2.3.4,bw,sge=1", "client bw addr=4:01020304" },
	{ "client,addr=1.2.3.4,rbw,sge=1", "client rbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,sbw,sge=1", "client sbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,wlat,qps=1", "client wlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,rlat,qps=1", "client rlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,slat,qps=1", "client slat addr=4:01020304" },
	{ "client,addr=1.2.3.4,bw,qps=1", "client bw addr=4:01020304" },
	{ "client,addr=1.2.3.4,rbw,qps=1", "client rbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,sbw,qps=1", "client sbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,wlat,threads=1", "client wlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,rlat,threads=1", "client rlat addr=4:01020304" },
	{ "client,addr=1.2.3.4,slat,threads=1", "client slat addr=4:01020304" },
	{ "client,addr=1.2.3.4,bw,threads=1", "client bw addr=4:01020304" },
	{ "client,addr=1.2.3.4,rbw,threads=1", "client rbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,sbw,threads=1", "client sbw addr=4:01020304" },
	{ "client,addr=1.2.3.4,wlat,rate=1", "client wlat addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,rlat,rate=1", "client rlat addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,slat,rate=1", "client slat addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,bw,rate=1", "client bw addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,rbw,rate=1", "client rbw addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,sbw,rate=1", "client sbw addr=4:01020304 rate=1 poll" },
	{ "client,addr=1.2.3.4,rlat,atomic=faa", "client rlat addr=4:01020304 atomic=faa" },
	{ "client,addr=1.2.3.4,srq", "client addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,wlat,srq", "client wlat addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,rlat,srq", "client rlat addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,slat,srq", "client slat addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,bw,srq", "client bw addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,rbw,srq", "client rbw addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,sbw,srq", "client sbw addr=4:01020304 srq" },
	{ "client,addr=1.2.3.4,histogram", "client addr=4:01020304 histogram" },
	{ "client,addr=1.2.3.4,wlat,histogram", "client wlat addr=4:01020304 histogram" },
	{ "client,addr=1.2.3.4,rlat,histogram", "client rlat addr=4:01020304 histogram" },
	{ "client,addr=1.2.3.4,slat,histogram", "client slat addr=4:01020304 histogram" },

	/* the same options at their limits and in combinations */
	{ "client,addr=1.2.3.4,bw,cqmod=64", "client bw addr=4:01020304 cqmod=64" },
	{ "client,addr=1.2.3.4,bw,cqmod=1048576,txdepth=1048576",
	  "client bw addr=4:01020304 txdepth=1048576 cqmod=1048576" },
	{ "client,addr=1.2.3.4,rbw,txdepth=4,cqmod=4,batch=4",
	  "client rbw addr=4:01020304 txdepth=4 cqmod=4 batch=4" },
	{ "client,addr=1.2.3.4,sbw,batch=64", "client sbw addr=4:01020304 batch=64" },
	{ "client,addr=1.2.3.4,sbw,tx-depth=1048576,batch=1048576",
	  "client sbw addr=4:01020304 txdepth=1048576 batch=1048576" },
	{ "client,addr=1.2.3.4,wlat,qps=1024", "client wlat addr=4:01020304 qps=1024" },
	{ "client,addr=1.2.3.4,wlat,threads=1024", "client wlat addr=4:01020304 threads=1024" },
	{ "client,addr=1.2.3.4,bw,qps=1024,threads=1", "client bw addr=4:01020304 qps=1024" },
	{ "client,addr=1.2.3.4,bw,threads=32,qps=32",
	  "client bw addr=4:01020304 qps=32 threads=32" },
	{ "client,addr=1.2.3.4,bw,threads=204,qps=5",
	  "client bw addr=4:01020304 qps=5 threads=204" },
	{ "client,addr=1.2.3.4,slat,sge=32", "client slat addr=4:01020304 sge=32" },
	{ "client,addr=1.2.3.4,slat,sge=32,size=32",
	  "client slat addr=4:01020304 size=32 sge=32" },
	{ "client,addr=1.2.3.4,slat,inline,sge=4,imm",
	  "client slat addr=4:01020304 inline sge=4 imm" },
	{ "client,addr=1.2.3.4,rlat,atomic=cas", "client rlat addr=4:01020304 atomic=cas" },
	{ "client,addr=1.2.3.4,atomic=faa,rlat,size=8,sge=1",
	  "client rlat addr=4:01020304 size=8 atomic=faa" },
	{ "client,addr=1.2.3.4,sbw,rate=1000000000",
	  "client sbw addr=4:01020304 rate=1000000000 poll" },
	{ "client,addr=1.2.3.4,sbw,poll,rate=7", "client sbw addr=4:01020304 rate=7 poll" },

	/* a server, whose client chooses the test unless the server names one */
	{ "server,addr=1.2.3.4,duplex", "server addr=4:01020304 duplex" },
	{ "server,addr=1.2.3.4,cqmod=2,batch=3", "server addr=4:01020304 cqmod=2 batch=3" },
	{ "server,addr=1.2.3.4,inline,imm,srq,histogram",
	  "server addr=4:01020304 inline imm srq histogram" },
	{ "server,addr=1.2.3.4,sge=2", "server addr=4:01020304 sge=2" },
	{ "server,addr=1.2.3.4,atomic=cas", "server addr=4:01020304 atomic=cas" },
	{ "server,addr=1.2.3.4,server_inv,duplex",
	  "server addr=4:01020304 mem_mode=reg server_inv duplex" },
	{ "server,addr=1.2.3.4,rlat,atomic=cas", "server rlat addr=4:01020304 atomic=cas" },
	{ "server,addr=1.2.3.4,sbw,cqmod=2,batch=2,inline,imm,srq,sge=2",
	  "server sbw addr=4:01020304 cqmod=2 batch=2 inline sge=2 imm srq" },
	{ "server,addr=1.2.3.4,slat,histogram", "server slat addr=4:01020304 histogram" },
	{ "server,addr=1.2.3.4,clients=0", "server addr=4:01020304 clients=0" },
	{ "server,addr=1.2.3.4,clients=4294967295", "server addr=4:01020304 clients=4294967295" },

	/* registration of buffers */
	{ "client,addr=1.2.3.4,mem_mode=dma", "client addr=4:01020304 mem_mode=dma(given)" },
	{ "client,addr=1.2.3.4,mem_mode=reg", "client addr=4:01020304 mem_mode=reg(given)" },
	{ "client,addr=1.2.3.4,mem_mode=fastreg",
	  "client addr=4:01020304 mem_mode=reg(given)" },
	{ "client,addr=1.2.3.4,server_inv", "client addr=4:01020304 mem_mode=reg server_inv" },
	{ "client,addr=1.2.3.4,read_inv", "client addr=4:01020304 mem_mode=reg read_inv" },
	{ "client,addr=1.2.3.4,server_inv,read_inv",
	  "client addr=4:01020304 mem_mode=reg server_inv read_inv" },
	{ "client,addr=1.2.3.4,server_inv,mem_mode=reg",
	  "client addr=4:01020304 mem_mode=reg(given) server_inv" },
	{ "client,addr=1.2.3.4,mem_mode=fastreg,read_inv",
	  "client addr=4:01020304 mem_mode=reg(given) read_inv" },

	/* a command that scripts for the old krping write on both sides */
	{
		"server,port=9999,addr=192.168.69.127,count=10,size=512,validate,verbose,server_inv,read_inv\n",
		"server addr=4:c0a8457f count=10 size=512 mem_mode=reg validate verbose server_inv read_inv",
	},

	/* stop */
	{ "stop", "stop" },
	{ "stop,\n", "stop" },
	{ "stop,id=1", "stop id=1" },
	{ "id=4294967295,stop", "stop id=4294967295" },

	/* drain */
	{ "drain,id=5", "drain id=5" },

	/* help */
	{ "help", "help" },
	{ "help,\n", "help" },

	/* list */
	{ "list", "list" },
	{ "list,id=7", "list id=7" },

	/* memory of a server */
	{ "server,addr=1.2.3.4,export=4k", "server session addr=4:01020304 export=4096" },
	{ "server,addr=1.2.3.4,export=4k,shared,clients=2",
	  "server session addr=4:01020304 clients=2 export=4096 shared" },
	{ "server,addr=1.2.3.4,export=1099511627776,ro,clients=0",
	  "server session addr=4:01020304 clients=0 export=1099511627776 ro" },
	{ "client,addr=1.2.3.4,session",
	  "client session addr=4:01020304 background op=session" },
	{ "client,addr=1.2.3.4,put,data=a=b c",
	  "client session addr=4:01020304 op=put" },
	{ "client,addr=1.2.3.4,get,len=64k,offset=1m",
	  "client session addr=4:01020304 op=get offset=1048576 len=65536" },
	{ "put,id=3,hex=00fF,offset=18446744073709551615,unchecked",
	  "memop session id=3 op=put offset=18446744073709551615 unchecked" },
	{ "server,addr=1.2.3.4,allow=10.0.0.0/8,allow=10.9.8.7",
	  "server addr=4:01020304 allow=4:0a000000/8 allow=4:0a090807/32" },
	{ "server,addr=1.2.3.4,allow=fd00::1",
	  "server addr=4:01020304 allow=6:fd000000000000000000000000000001/128" },
	{ "server,addr=1.2.3.4,wlat,allow=0.0.0.0/0",
	  "server wlat addr=4:01020304 allow=4:00000000/0" },
	{ "client,addr=1.2.3.4,disk",
	  "client session addr=4:01020304 background op=disk" },
	{ "client,addr=1.2.3.4,disk,reconnect=600",
	  "client session addr=4:01020304 background reconnect=600 op=disk" },
	{ "client,addr=1.2.3.4,disk,name=krpingx,ro,txdepth=1024",
	  "client session addr=4:01020304 txdepth=1024 background ro name=krpingx op=disk" },
	{ "stop,force", "stop force" },
	{ "stop,id=4,force", "stop id=4 force" },
	{ "id=3,len=1,get", "memop session id=3 op=get len=1" },
	{ "send,id=3,data=x", "memop session id=3 op=send" },
	{ "open,id=3", "memop session id=3 op=open" },
	{ "rw,open,id=3", "memop session id=3 op=open rw" },
	{ "close,id=3", "memop session id=3 op=close" },
	{ "regions,id=3", "memop session id=3 op=regions" },
	{ "client,addr=1.2.3.4,regions", "client session addr=4:01020304 op=regions" },
	{ "get,id=3,len=1,region=2147483647", "memop session id=3 op=get len=1 region=2147483647" },
	{ "client,addr=1.2.3.4,put,data=x,region=7",
	  "client session addr=4:01020304 op=put region=7" },
};

#define REFUSED(text, about)	{ text, about }
#define CLIENT_WITH(text)	"client,addr=1.2.3.4," text
#define SERVER_WITH(text)	"server,addr=1.2.3.4," text

static const struct krping_bad_case krping_bad_cases[] = {
	/* empty commands, and separators */
	REFUSED("", "empty command"),
	REFUSED("\n", "empty command"),
	REFUSED(",", "empty command"),
	REFUSED(",\n", "empty command"),
	REFUSED(",,", "empty command"),
	REFUSED(" ", "empty command"),
	REFUSED(" ,\t,\x20\n\n", "empty command"),
	REFUSED("stop\n,", "stop\\x0a"),
	REFUSED("\nstop", "\\x0astop"),
	REFUSED("stop\r\n", "stop\\x0d"),
	REFUSED("stop\v", "stop\\x0b"),
	REFUSED("stop\xa0", "stop\\xa0"),
	REFUSED("client,\n,addr=1.2.3.4", "\\x0a"),
	REFUSED("cli ent,addr=1.2.3.4", "cli ent"),
	REFUSED("client,addr =1.2.3.4", "addr =1.2.3.4"),
	REFUSED("client,addr= 1.2.3.4", "addr= 1.2.3.4"),

	/* names */
	REFUSED("bogus", "bogus"),
	REFUSED("STOP", "STOP"),
	REFUSED("sto", "sto"),
	REFUSED("stopp", "stopp"),
	REFUSED("bogus=1", "bogus=1"),
	REFUSED("=", "="),
	REFUSED("=1", "=1"),
	REFUSED("a\tb\x7f\xff\\", "a\\x09b\\x7f\\xff\\"),
	REFUSED("%s%n", "%s%n"),
	REFUSED(" !}~", "!}~"),
	REFUSED("a234567890b234567890c234567890d234567890e2345678",
		"a234567890b234567890c234567890d234567890e2345678"),
	REFUSED("a234567890b234567890c234567890d234567890e23456789",
		"a234567890b234567890c234567890d234567890e2345678..."),

	/* missing and superfluous operands */
	REFUSED("server=1", "server=1"),
	REFUSED("client=", "client="),
	REFUSED("stop=1", "stop=1"),
	REFUSED(CLIENT_WITH("validate=1"), "validate=1"),
	REFUSED(CLIENT_WITH("verbose="), "verbose="),
	REFUSED(CLIENT_WITH("server_inv=1"), "server_inv=1"),
	REFUSED(CLIENT_WITH("read_inv=1"), "read_inv=1"),
	REFUSED(CLIENT_WITH("local_dma_lkey=1"), "local_dma_lkey=1"),
	REFUSED(CLIENT_WITH("poll=1"), "poll=1"),
	REFUSED(CLIENT_WITH("bw,duplex=1"), "duplex=1"),
	REFUSED(CLIENT_WITH("background=1"), "background=1"),
	REFUSED(CLIENT_WITH("wlat,inline=1"), "inline=1"),
	REFUSED(CLIENT_WITH("bw,imm=1"), "imm=1"),
	REFUSED(CLIENT_WITH("rlat,srq=1"), "srq=1"),
	REFUSED(CLIENT_WITH("rlat,histogram=1"), "histogram=1"),
	REFUSED(CLIENT_WITH("wlat,inline="), "inline="),
	REFUSED(CLIENT_WITH("wlat=1"), "wlat=1"),
	REFUSED(CLIENT_WITH("fr="), "fr="),
	REFUSED("client,addr", "addr"),
	REFUSED("client,addr=", "addr="),
	REFUSED("client,addr6", "addr6"),
	REFUSED("client,addr6=", "addr6="),
	REFUSED(CLIENT_WITH("port"), "port"),
	REFUSED(CLIENT_WITH("port="), "port="),
	REFUSED(CLIENT_WITH("source"), "source"),
	REFUSED(CLIENT_WITH("source="), "source="),
	REFUSED(CLIENT_WITH("device"), "device"),
	REFUSED(CLIENT_WITH("device="), "device="),
	REFUSED(CLIENT_WITH("count"), "count"),
	REFUSED(CLIENT_WITH("duration"), "duration"),
	REFUSED(CLIENT_WITH("warmup"), "warmup"),
	REFUSED(CLIENT_WITH("size="), "size="),
	REFUSED(CLIENT_WITH("mem_mode"), "mem_mode"),
	REFUSED(CLIENT_WITH("mem_mode="), "mem_mode="),
	REFUSED(CLIENT_WITH("tos"), "tos"),
	REFUSED(CLIENT_WITH("timeout"), "timeout"),
	REFUSED(CLIENT_WITH("retry"), "retry"),
	REFUSED(CLIENT_WITH("rnr_retry"), "rnr_retry"),
	REFUSED(CLIENT_WITH("txdepth"), "txdepth"),
	REFUSED(CLIENT_WITH("cq"), "cq"),
	REFUSED(CLIENT_WITH("cq="), "cq="),
	REFUSED(CLIENT_WITH("cpu"), "cpu"),
	REFUSED(SERVER_WITH("clients"), "clients"),
	REFUSED(CLIENT_WITH("bw,cqmod"), "cqmod"),
	REFUSED(CLIENT_WITH("bw,cqmod="), "cqmod="),
	REFUSED(CLIENT_WITH("rbw,batch"), "batch"),
	REFUSED(CLIENT_WITH("rbw,batch="), "batch="),
	REFUSED(CLIENT_WITH("wlat,qps"), "qps"),
	REFUSED(CLIENT_WITH("wlat,qps="), "qps="),
	REFUSED(CLIENT_WITH("slat,threads"), "threads"),
	REFUSED(CLIENT_WITH("slat,threads="), "threads="),
	REFUSED(CLIENT_WITH("rlat,sge"), "sge"),
	REFUSED(CLIENT_WITH("rlat,sge="), "sge="),
	REFUSED(CLIENT_WITH("sbw,rate"), "rate"),
	REFUSED(CLIENT_WITH("sbw,rate="), "rate="),
	REFUSED(CLIENT_WITH("rlat,atomic"), "atomic"),
	REFUSED(CLIENT_WITH("rlat,atomic="), "atomic="),
	REFUSED("stop,id", "id"),
	REFUSED("stop,id=", "id="),

	/* words instead of numbers, and numbers out of range */
	REFUSED(CLIENT_WITH("port=0"), "port=0"),
	REFUSED(CLIENT_WITH("port=65536"), "port=65536"),
	REFUSED(CLIENT_WITH("port=-1"), "port=-1"),
	REFUSED(CLIENT_WITH("port=+1"), "port=+1"),
	REFUSED(CLIENT_WITH("port=0x50"), "port=0x50"),
	REFUSED(CLIENT_WITH("port=http"), "port=http"),
	REFUSED(CLIENT_WITH("port= 80"), "port= 80"),
	REFUSED(CLIENT_WITH("port=80="), "port=80="),
	REFUSED(CLIENT_WITH("port==80"), "port==80"),
	REFUSED(CLIENT_WITH("port=1k"), "port=1k"),
	REFUSED(CLIENT_WITH("port=80\n,count=1"), "port=80\\x0a"),
	REFUSED(CLIENT_WITH("port=4294967297"), "port=4294967297"),
	REFUSED(CLIENT_WITH("count=-1"), "count=-1"),
	REFUSED(CLIENT_WITH("count=1kk"), "count=1kk"),
	REFUSED(CLIENT_WITH("count=1s"), "count=1s"),
	REFUSED(CLIENT_WITH("count=18446744073709552k"), "count=18446744073709552k"),
	REFUSED(CLIENT_WITH("duration=5ms"), "duration=5ms"),
	REFUSED(CLIENT_WITH("duration=5k"), "duration=5k"),
	REFUSED(CLIENT_WITH("duration=5S"), "duration=5S"),
	REFUSED(CLIENT_WITH("duration=0h"), "duration=0h"),
	REFUSED(CLIENT_WITH("duration=1193047h"), "duration=1193047h"),
	REFUSED(CLIENT_WITH("timeout=2147484s"), "timeout=2147484s"),
	REFUSED(CLIENT_WITH("timeout=s"), "timeout=s"),
	REFUSED(CLIENT_WITH("port=80h"), "port=80h"),
	REFUSED(CLIENT_WITH("count=18446744073709551616"), "count=18446744073709551616"),
	REFUSED(CLIENT_WITH("count=184467440737095516150"), "count=184467440737095516150"),
	REFUSED(CLIENT_WITH("count=1,warmup=18446744073709551615"), "warmup"),
	REFUSED(CLIENT_WITH("warmup=16,count=18446744073709551600"), "warmup"),
	REFUSED(CLIENT_WITH("warmup=x"), "warmup=x"),
	REFUSED(CLIENT_WITH("duration=0"), "duration=0"),
	REFUSED(CLIENT_WITH("duration=4294967296"), "duration=4294967296"),
	REFUSED(CLIENT_WITH("size=0"), "size=0"),
	REFUSED(CLIENT_WITH("size=0k"), "size=0k"),
	REFUSED(CLIENT_WITH("size=4294967296"), "size=4294967296"),
	REFUSED(CLIENT_WITH("size=4g"), "size=4g"),
	REFUSED(CLIENT_WITH("size=17179869184g"), "size=17179869184g"),
	REFUSED(CLIENT_WITH("size=18014398509481984k"), "size=18014398509481984k"),
	REFUSED(CLIENT_WITH("size=4kb"), "size=4kb"),
	REFUSED(CLIENT_WITH("size=4kk"), "size=4kk"),
	REFUSED(CLIENT_WITH("size=4t"), "size=4t"),
	REFUSED(CLIENT_WITH("size=k"), "size=k"),
	REFUSED(CLIENT_WITH("size=1.5k"), "size=1.5k"),
	REFUSED(CLIENT_WITH("size=-64"), "size=-64"),
	REFUSED(CLIENT_WITH("tos=256"), "tos=256"),
	REFUSED(CLIENT_WITH("tos=-1"), "tos=-1"),
	REFUSED(CLIENT_WITH("timeout=2147483648"), "timeout=2147483648"),
	REFUSED(SERVER_WITH("wait=0"), "wait=0"),
	REFUSED(SERVER_WITH("wait=2147484"), "wait=2147484"),
	REFUSED(SERVER_WITH("wait"), "wait"),
	REFUSED(SERVER_WITH("wait=1,wait=1"), "wait=1"),
	REFUSED(CLIENT_WITH("wait=1"), "wait"),
	REFUSED("stop,wait=1", "wait"),
	REFUSED(CLIENT_WITH("vector=-1"), "vector=-1"),
	REFUSED(CLIENT_WITH("vector=2147483648"), "vector=2147483648"),
	REFUSED(CLIENT_WITH("vector=1k"), "vector=1k"),
	REFUSED("stop,vector=1", "vector"),
	REFUSED(CLIENT_WITH("ack_timeout=32"), "ack_timeout=32"),
	REFUSED(CLIENT_WITH("ack_timeout=-1"), "ack_timeout=-1"),
	REFUSED(CLIENT_WITH("min_rnr_timer=32"), "min_rnr_timer=32"),
	REFUSED("stop,min_rnr_timer=1", "min_rnr_timer"),
	REFUSED(CLIENT_WITH("retry=8"), "retry=8"),
	REFUSED(CLIENT_WITH("rnr_retry=8"), "rnr_retry=8"),
	REFUSED(CLIENT_WITH("rnr_retry=256"), "rnr_retry=256"),
	REFUSED(CLIENT_WITH("txdepth=0"), "txdepth=0"),
	REFUSED(CLIENT_WITH("txdepth=1048577"), "txdepth=1048577"),
	REFUSED(CLIENT_WITH("tx-depth=0"), "tx-depth=0"),
	REFUSED(CLIENT_WITH("bw,cqmod=0"), "cqmod=0"),
	REFUSED(CLIENT_WITH("bw,cqmod=1048577"), "cqmod=1048577"),
	REFUSED(CLIENT_WITH("bw,cqmod=4294967297"), "cqmod=4294967297"),
	REFUSED(CLIENT_WITH("bw,cqmod=1k"), "cqmod=1k"),
	REFUSED(CLIENT_WITH("bw,cqmod=-1"), "cqmod=-1"),
	REFUSED(CLIENT_WITH("rbw,batch=0"), "batch=0"),
	REFUSED(CLIENT_WITH("rbw,batch=1048577"), "batch=1048577"),
	REFUSED(CLIENT_WITH("rbw,batch=4294967297"), "batch=4294967297"),
	REFUSED(CLIENT_WITH("rbw,batch=1k"), "batch=1k"),
	REFUSED(CLIENT_WITH("rbw,batch=-1"), "batch=-1"),
	REFUSED(CLIENT_WITH("wlat,qps=0"), "qps=0"),
	REFUSED(CLIENT_WITH("wlat,qps=1025"), "qps=1025"),
	REFUSED(CLIENT_WITH("wlat,qps=4294967297"), "qps=4294967297"),
	REFUSED(CLIENT_WITH("wlat,qps=1k"), "qps=1k"),
	REFUSED(CLIENT_WITH("wlat,qps=-1"), "qps=-1"),
	REFUSED(CLIENT_WITH("slat,threads=0"), "threads=0"),
	REFUSED(CLIENT_WITH("slat,threads=1025"), "threads=1025"),
	REFUSED(CLIENT_WITH("slat,threads=4294967297"), "threads=4294967297"),
	REFUSED(CLIENT_WITH("slat,threads=1k"), "threads=1k"),
	REFUSED(CLIENT_WITH("slat,threads=-1"), "threads=-1"),
	REFUSED(CLIENT_WITH("rlat,sge=0"), "sge=0"),
	REFUSED(CLIENT_WITH("rlat,sge=33"), "sge=33"),
	REFUSED(CLIENT_WITH("rlat,sge=4294967297"), "sge=4294967297"),
	REFUSED(CLIENT_WITH("rlat,sge=1k"), "sge=1k"),
	REFUSED(CLIENT_WITH("rlat,sge=-1"), "sge=-1"),
	REFUSED(CLIENT_WITH("sbw,rate=0"), "rate=0"),
	REFUSED(CLIENT_WITH("sbw,rate=1000000001"), "rate=1000000001"),
	REFUSED(CLIENT_WITH("sbw,rate=4294967297"), "rate=4294967297"),
	REFUSED(CLIENT_WITH("sbw,rate=-1"), "rate=-1"),
	REFUSED(SERVER_WITH("clients=4294967296"), "clients=4294967296"),
	REFUSED("stop,id=0", "id=0"),
	REFUSED("stop,id=4294967296", "id=4294967296"),
	REFUSED("stop,id=x", "id=x"),

	/* lists of CPUs: malformed, too long, out of range */
	REFUSED(CLIENT_WITH("cpu="), "cpu="),
	REFUSED(CLIENT_WITH("cpu=-1"), "cpu=-1"),
	REFUSED(CLIENT_WITH("cpu=1-"), "cpu=1-"),
	REFUSED(CLIENT_WITH("cpu=3-1"), "cpu=3-1"),
	REFUSED(CLIENT_WITH("cpu=-"), "cpu=-"),
	REFUSED(CLIENT_WITH("cpu=1-2-3"), "cpu=1-2-3"),
	REFUSED(CLIENT_WITH("cpu=0--1"), "cpu=0--1"),
	REFUSED(CLIENT_WITH("cpu=:"), "cpu=:"),
	REFUSED(CLIENT_WITH("cpu=0:"), "cpu=0:"),
	REFUSED(CLIENT_WITH("cpu=0:1:"), "cpu=0:1:"),
	REFUSED(CLIENT_WITH("cpu=:0"), "cpu=:0"),
	REFUSED(CLIENT_WITH("cpu=0::1"), "cpu=0::1"),
	REFUSED(CLIENT_WITH("cpu=0:1-"), "cpu=0:1-"),
	REFUSED(CLIENT_WITH("cpu=0;1"), "cpu=0;1"),
	REFUSED(CLIENT_WITH("cpu=0.1"), "cpu=0.1"),
	REFUSED(CLIENT_WITH("cpu=0 1"), "cpu=0 1"),
	REFUSED(CLIENT_WITH("cpu=0x1"), "cpu=0x1"),
	REFUSED(CLIENT_WITH("cpu=a"), "cpu=a"),
	REFUSED(CLIENT_WITH("cpu=0-3x"), "cpu=0-3x"),
	REFUSED(CLIENT_WITH("cpu=70000"), "cpu=70000"),
	REFUSED(CLIENT_WITH("cpu=65536"), "cpu=65536"),
	REFUSED(CLIENT_WITH("cpu=0:65536"), "cpu=0:65536"),
	REFUSED(CLIENT_WITH("cpu=0-70000"), "cpu=0-70000"),
	REFUSED(CLIENT_WITH("cpu=0-64"), "cpu=0-64"),
	REFUSED(CLIENT_WITH("cpu=0-63:64"), "cpu=0-63:64"),
	REFUSED(CLIENT_WITH("cpu=0:0-63"), "cpu=0:0-63"),
	REFUSED(CLIENT_WITH("cpu=1:2:0-32:0-29"), "cpu=1:2:0-32:0-29"),
	REFUSED(CLIENT_WITH("cpu=65535-65536"), "cpu=65535-65536"),
	REFUSED(CLIENT_WITH("cpu=4294967296"), "cpu=4294967296"),
	REFUSED(CLIENT_WITH("cpu=0-4294967296"), "cpu=0-4294967296"),
	REFUSED(CLIENT_WITH("cpu=0-18446744073709551615"), "cpu=0-18446744073709551615"),
	REFUSED(CLIENT_WITH("cpu=18446744073709551616"), "cpu=18446744073709551616"),
	REFUSED(CLIENT_WITH("cpu=0-18446744073709551616"), "cpu=0-18446744073709551616"),

	/* unknown words */
	REFUSED(CLIENT_WITH("rlat,atomic=add"), "atomic=add"),
	REFUSED(CLIENT_WITH("rlat,atomic=CAS"), "atomic=CAS"),
	REFUSED(CLIENT_WITH("rlat,atomic=casx"), "atomic=casx"),
	REFUSED(CLIENT_WITH("mem_mode=mr"), "mem_mode=mr"),
	REFUSED(CLIENT_WITH("mem_mode=DMA"), "mem_mode=DMA"),
	REFUSED(CLIENT_WITH("mem_mode=dmax"), "mem_mode=dmax"),
	REFUSED(CLIENT_WITH("cq=hardirq"), "cq=hardirq"),
	REFUSED(CLIENT_WITH("device=rxe 0"), "device=rxe 0"),
	REFUSED(CLIENT_WITH("device=rxe\t0"), "device=rxe\\x090"),
	REFUSED(CLIENT_WITH("device=" NAME_63 "z"),
		"device=abcdefghijklmnopqrstuvwxyz-0123456789-abc..."),

	/* addresses */
	REFUSED("client,addr=localhost", "addr=localhost"),
	REFUSED("client,addr=1.2.3", "addr=1.2.3"),
	REFUSED("client,addr=1.2.3.", "addr=1.2.3."),
	REFUSED("client,addr=.1.2.3", "addr=.1.2.3"),
	REFUSED("client,addr=1..2.3", "addr=1..2.3"),
	REFUSED("client,addr=1.2.3.4.5", "addr=1.2.3.4.5"),
	REFUSED("client,addr=1.2.3.256", "addr=1.2.3.256"),
	REFUSED("client,addr=1.2.3.-4", "addr=1.2.3.-4"),
	REFUSED("client,addr=1.2.3.4:80", "addr=1.2.3.4:80"),
	REFUSED("client,addr=1.2.3.4%eth0", "addr=1.2.3.4%eth0"),
	REFUSED("client,addr=1.2.3.4\xff", "addr=1.2.3.4\\xff"),
	REFUSED("client,addr=010.0.0.1", "addr=010.0.0.1"),
	REFUSED("client,addr=1.2.3.04", "addr=1.2.3.04"),
	REFUSED("client,addr=0x1.2.3.4", "addr=0x1.2.3.4"),
	REFUSED("client,addr=1", "addr=1"),
	REFUSED("client,addr=:", "addr=:"),
	REFUSED("client,addr=:::", "addr=:::"),
	REFUSED("client,addr=1::2::3", "addr=1::2::3"),
	REFUSED("client,addr=1:2:3:4:5:6:7", "addr=1:2:3:4:5:6:7"),
	REFUSED("client,addr=1:2:3:4:5:6:7:8:9", "addr=1:2:3:4:5:6:7:8:9"),
	REFUSED("client,addr=12345::", "addr=12345::"),
	REFUSED("client,addr=g::1", "addr=g::1"),
	REFUSED("client,addr=[::1]", "addr=[::1]"),
	REFUSED("client,addr=::1/64", "addr=::1/64"),
	REFUSED("client,addr=fe80::1%", "addr=fe80::1%"),
	REFUSED("client,addr=%eth0", "addr=%eth0"),
	REFUSED("client,addr=fe80::1%a/b", "addr=fe80::1%a/b"),
	REFUSED("client,addr=fe80::1%a%b", "addr=fe80::1%a%b"),
	REFUSED("client,addr=fe80::1%a b", "addr=fe80::1%a b"),
	REFUSED("client,addr=::1%" NAME_15 "p", "addr=::1%" NAME_15 "p"),
	REFUSED("client,addr6=1.2.3.4", "addr6=1.2.3.4"),
	REFUSED("client,addr6=%eth0", "addr6=%eth0"),
	REFUSED(CLIENT_WITH("source=1.2.3"), "source=1.2.3"),
	REFUSED(CLIENT_WITH("source=::1"), "source"),
	REFUSED("client,addr=::1,source=1.2.3.4", "source"),
	REFUSED(CLIENT_WITH("source=0.0.0.0"), "source"),
	REFUSED("client,addr=::1,source=::", "source"),
	REFUSED("client,addr=0.0.0.0", "addr"),
	REFUSED("client,addr=::", "addr"),
	REFUSED("client,addr6=::", "addr6"),

	/* options given twice, also by an alias */
	REFUSED("server,client,addr=1.2.3.4", "client"),
	REFUSED("client,server,addr=1.2.3.4", "server"),
	REFUSED("client,stop", "stop"),
	REFUSED("stop,id=1,id=1", "id=1"),
	REFUSED(CLIENT_WITH("addr=1.2.3.4"), "addr=1.2.3.4"),
	REFUSED(CLIENT_WITH("addr6=::1"), "addr6=::1"),
	REFUSED("client,addr6=::1,addr=::1", "addr=::1"),
	REFUSED(CLIENT_WITH("port=1,port=1"), "port=1"),
	REFUSED(CLIENT_WITH("source=1.2.3.4,source=1.2.3.4"), "source=1.2.3.4"),
	REFUSED(CLIENT_WITH("device=a,device=b"), "device=b"),
	REFUSED(CLIENT_WITH("count=1,count=2"), "count=2"),
	REFUSED(CLIENT_WITH("duration=1,duration=2"), "duration=2"),
	REFUSED(CLIENT_WITH("warmup=0,warmup=0"), "warmup=0"),
	REFUSED(CLIENT_WITH("size=1,size=1"), "size=1"),
	REFUSED(CLIENT_WITH("mem_mode=reg,mem_mode=fastreg"), "mem_mode=fastreg"),
	REFUSED(CLIENT_WITH("tos=1,tos=1"), "tos=1"),
	REFUSED(CLIENT_WITH("timeout=1,timeout=1"), "timeout=1"),
	REFUSED(CLIENT_WITH("retry=1,retry=1"), "retry=1"),
	REFUSED(CLIENT_WITH("rnr_retry=1,rnr_retry=1"), "rnr_retry=1"),
	REFUSED(CLIENT_WITH("txdepth=1,tx-depth=1"), "tx-depth=1"),
	REFUSED(CLIENT_WITH("tx-depth=1,txdepth=1"), "txdepth=1"),
	REFUSED(CLIENT_WITH("cq=softirq,cq=softirq"), "cq=softirq"),
	REFUSED(CLIENT_WITH("cpu=0,cpu=0"), "cpu=0"),
	REFUSED(CLIENT_WITH("bw,cqmod=1,cqmod=1"), "cqmod=1"),
	REFUSED(CLIENT_WITH("rbw,batch=1,batch=1"), "batch=1"),
	REFUSED(CLIENT_WITH("wlat,qps=1,qps=1"), "qps=1"),
	REFUSED(CLIENT_WITH("slat,threads=1,threads=1"), "threads=1"),
	REFUSED(CLIENT_WITH("rlat,sge=1,sge=1"), "sge=1"),
	REFUSED(CLIENT_WITH("sbw,rate=1,rate=1"), "rate=1"),
	REFUSED(CLIENT_WITH("rlat,atomic=cas,atomic=faa"), "atomic=faa"),
	REFUSED(CLIENT_WITH("cpu=0,cpu=1-2"), "cpu=1-2"),
	REFUSED(SERVER_WITH("clients=1,clients=1"), "clients=1"),
	REFUSED(CLIENT_WITH("wlat,rlat"), "rlat"),
	REFUSED(CLIENT_WITH("sbw,fr"), "fr"),
	REFUSED(CLIENT_WITH("ping,wlat"), "wlat"),
	REFUSED(CLIENT_WITH("bw,ping,bw"), "ping"),
	REFUSED(CLIENT_WITH("ping,duplex"), "duplex"),
	REFUSED(CLIENT_WITH("ping,session"), "session"),
	REFUSED("stop,ping", "ping"),

	/* missing options */
	REFUSED("addr=1.2.3.4", "no role"),
	REFUSED("id=1", "no role"),
	REFUSED("bw,duplex", "no role"),
	REFUSED("client", "addr"),
	REFUSED("server", "addr"),
	REFUSED("client,source=1.2.3.4", "addr"),

	/* options that the role does not allow */
	REFUSED(CLIENT_WITH("clients=1"), "clients"),
	REFUSED(SERVER_WITH("source=1.2.3.4"), "source"),
	REFUSED(SERVER_WITH("fr"), "fr"),
	REFUSED(SERVER_WITH("qps=1"), "qps"),
	REFUSED(SERVER_WITH("wlat,qps=1"), "qps"),
	REFUSED(SERVER_WITH("threads=1"), "threads"),
	REFUSED(SERVER_WITH("wlat,threads=1"), "threads"),
	REFUSED(SERVER_WITH("rate=1"), "rate"),
	REFUSED(SERVER_WITH("wlat,rate=1"), "rate"),
	REFUSED(CLIENT_WITH("id=1"), "id"),
	REFUSED(SERVER_WITH("id=1"), "id"),
	REFUSED("stop,addr=1.2.3.4", "addr"),
	REFUSED("stop,addr6=::1", "addr6"),
	REFUSED("stop,port=1", "port"),
	REFUSED("stop,source=1.2.3.4", "source"),
	REFUSED("stop,device=rxe0", "device"),
	REFUSED("stop,count=1", "count"),
	REFUSED("stop,size=1", "size"),
	REFUSED("stop,timeout=1", "timeout"),
	REFUSED("stop,verbose", "verbose"),
	REFUSED("stop,wlat", "wlat"),
	REFUSED("stop,rlat", "rlat"),
	REFUSED("stop,slat", "slat"),
	REFUSED("stop,bw", "bw"),
	REFUSED("stop,rbw", "rbw"),
	REFUSED("stop,sbw", "sbw"),
	REFUSED("stop,fr", "fr"),
	REFUSED("stop,warmup=1", "warmup"),
	REFUSED("stop,duration=1", "duration"),
	REFUSED("stop,validate", "validate"),
	REFUSED("stop,mem_mode=reg", "mem_mode"),
	REFUSED("stop,server_inv", "server_inv"),
	REFUSED("stop,read_inv", "read_inv"),
	REFUSED("stop,local_dma_lkey", "local_dma_lkey"),
	REFUSED("stop,tos=1", "tos"),
	REFUSED("stop,retry=1", "retry"),
	REFUSED("stop,rnr_retry=1", "rnr_retry"),
	REFUSED("stop,txdepth=1", "txdepth"),
	REFUSED("stop,poll", "poll"),
	REFUSED("stop,cq=softirq", "cq"),
	REFUSED("stop,cpu=0", "cpu"),
	REFUSED("stop,duplex", "duplex"),
	REFUSED("stop,tx-depth=1", "tx-depth"),
	REFUSED("stop,clients=1", "clients"),
	REFUSED("stop,background", "background"),
	REFUSED("background,id=1,stop", "background"),
	REFUSED("stop,cqmod=1", "cqmod"),
	REFUSED("stop,batch=1", "batch"),
	REFUSED("stop,qps=1", "qps"),
	REFUSED("stop,threads=1", "threads"),
	REFUSED("stop,sge=1", "sge"),
	REFUSED("stop,rate=1", "rate"),
	REFUSED("stop,inline", "inline"),
	REFUSED("stop,imm", "imm"),
	REFUSED("stop,srq", "srq"),
	REFUSED("stop,histogram", "histogram"),
	REFUSED("stop,atomic=cas", "atomic"),

	REFUSED("help=1", "help=1"),
	REFUSED("drain", "drain"),
	REFUSED("drain,id=0", "id=0"),
	REFUSED("drain,id=5,force", "force"),
	REFUSED("drain,stop,id=5", "stop"),
	REFUSED("drain,addr=1.2.3.4,id=5", "addr"),
	REFUSED("help,stop", "stop"),
	REFUSED("server,help", "help"),
	REFUSED("help,addr=1.2.3.4", "addr"),
	REFUSED("help,wlat", "wlat"),
	REFUSED("help,id=1", "id"),
	REFUSED("help,background", "background"),

	/* memory of a server */
	REFUSED("list,addr=1.2.3.4", "addr"),
	REFUSED("list,put", "put"),
	REFUSED(SERVER_WITH("export=0"), "export=0"),
	REFUSED(SERVER_WITH("export=1099511627777"), "export=1099511627777"),
	REFUSED(SERVER_WITH("export=1m,wlat"), "export"),
	REFUSED(SERVER_WITH("export=1m,size=4"), "size"),
	REFUSED(SERVER_WITH("export=1m,poll"), "poll"),
	REFUSED(SERVER_WITH("ro"), "ro"),
	REFUSED(SERVER_WITH("session"), "session"),
	REFUSED(SERVER_WITH("put,data=x"), "put"),
	REFUSED(CLIENT_WITH("export=4k"), "export"),
	REFUSED(CLIENT_WITH("session,put,data=x"), "put"),
	REFUSED(CLIENT_WITH("session,bw"), "session"),
	REFUSED(CLIENT_WITH("session,count=3"), "count"),
	REFUSED(CLIENT_WITH("session,data=x"), "data"),
	REFUSED(CLIENT_WITH("session,len=1"), "len"),
	REFUSED(CLIENT_WITH("session,offset=0"), "offset"),
	REFUSED(CLIENT_WITH("session,unchecked"), "unchecked"),
	REFUSED(CLIENT_WITH("allow=1.2.3.4"), "allow"),
	REFUSED("stop,allow=1.2.3.4", "allow"),
	REFUSED(SERVER_WITH("allow"), "allow"),
	REFUSED(SERVER_WITH("allow="), "allow="),
	REFUSED(SERVER_WITH("allow=1.2.3"), "allow=1.2.3"),
	REFUSED(SERVER_WITH("allow=1.2.3.4/"), "allow=1.2.3.4/"),
	REFUSED(SERVER_WITH("allow=1.2.3.4/33"), "allow=1.2.3.4/33"),
	REFUSED(SERVER_WITH("allow=1.2.3.4/8/8"), "allow=1.2.3.4/8/8"),
	REFUSED(SERVER_WITH("allow=1.2.3.4/x"), "allow=1.2.3.4/x"),
	REFUSED(SERVER_WITH("allow=fe80::1%eth0"), "allow=fe80::1%eth0"),
	REFUSED(SERVER_WITH("allow=::/129"), "allow=::/129"),
	REFUSED(CLIENT_WITH("disk,session"), "session"),
	REFUSED(CLIENT_WITH("session,reconnect=5"), "reconnect"),
	REFUSED(CLIENT_WITH("disk,reconnect=0"), "reconnect=0"),
	REFUSED(CLIENT_WITH("disk,reconnect"), "reconnect"),
	REFUSED(CLIENT_WITH("disk,bw"), "disk"),
	REFUSED(CLIENT_WITH("disk,txdepth=1025"), "txdepth"),
	REFUSED(CLIENT_WITH("disk,txdepth=0"), "txdepth=0"),
	REFUSED(CLIENT_WITH("disk,data=x"), "data"),
	REFUSED(CLIENT_WITH("disk,len=1"), "len"),
	REFUSED(CLIENT_WITH("disk,offset=0"), "offset"),
	REFUSED(CLIENT_WITH("disk,unchecked"), "unchecked"),
	REFUSED(CLIENT_WITH("disk,name="), "name="),
	REFUSED(CLIENT_WITH("disk,name=krping"), "name=krping"),
	REFUSED(CLIENT_WITH("disk,name=sda"), "name=sda"),
	REFUSED(CLIENT_WITH("disk,name=krping/0"), "name=krping/0"),
	REFUSED(CLIENT_WITH("disk,name=krping 0"), "name=krping 0"),
	REFUSED(CLIENT_WITH("disk,name=krping0p1"), "name=krping0p1"),
	REFUSED(CLIENT_WITH("disk,name=krping-0123456789012345678901"),
		"name=krping-0123456789012345678901"),
	REFUSED(CLIENT_WITH("session,name=krping0"), "name"),
	REFUSED(CLIENT_WITH("session,ro"), "ro"),
	REFUSED(CLIENT_WITH("session,shared"), "shared"),
	REFUSED(SERVER_WITH("shared"), "shared"),
	REFUSED(CLIENT_WITH("session,txdepth=3"), "txdepth"),
	REFUSED(CLIENT_WITH("name=krping0"), "name"),
	REFUSED(CLIENT_WITH("ro"), "ro"),
	REFUSED(SERVER_WITH("disk"), "disk"),
	REFUSED(SERVER_WITH("export=1m,name=krping0"), "name"),
	REFUSED(SERVER_WITH("export=1m,txdepth=3"), "txdepth"),
	REFUSED(CLIENT_WITH("disk,force"), "force"),
	REFUSED("list,force", "force"),
	REFUSED(CLIENT_WITH("data=x"), "data"),
	REFUSED(CLIENT_WITH("put"), "put"),
	REFUSED(CLIENT_WITH("put,data="), "data="),
	REFUSED(CLIENT_WITH("put,data=x,hex=00"), "hex=00"),
	REFUSED(CLIENT_WITH("put,hex="), "hex="),
	REFUSED(CLIENT_WITH("put,hex=0"), "hex=0"),
	REFUSED(CLIENT_WITH("put,hex=0g"), "hex=0g"),
	REFUSED(CLIENT_WITH("put,data=x,len=1"), "len"),
	REFUSED(CLIENT_WITH("get"), "get"),
	REFUSED(CLIENT_WITH("get,len=0"), "len=0"),
	REFUSED(CLIENT_WITH("get,len=65537"), "len=65537"),
	REFUSED(CLIENT_WITH("get,len=1,data=x"), "data"),
	REFUSED(CLIENT_WITH("send"), "send"),
	REFUSED(CLIENT_WITH("send,data=x,offset=1"), "offset"),
	REFUSED("put,data=x", "put"),
	REFUSED("put,id=0,data=x", "id=0"),
	REFUSED("put,id=1,data=x,addr=1.2.3.4", "addr"),
	REFUSED("session,id=1", "no role"),
	REFUSED("open", "open"),
	REFUSED("regions", "regions"),
	REFUSED("open,id=1,close", "close"),
	REFUSED("open,id=1,data=x", "data"),
	REFUSED("close,id=1,rw", "rw"),
	REFUSED("put,id=1,data=x,rw", "rw"),
	REFUSED("open,id=1,region=2", "region"),
	REFUSED("send,id=1,data=x,region=2", "region"),
	REFUSED("get,id=1,len=1,region=0", "region=0"),
	REFUSED("get,id=1,len=1,region=2147483648", "region=2147483648"),
	REFUSED("regions,id=1,unchecked", "unchecked"),
	REFUSED(CLIENT_WITH("open"), "open"),
	REFUSED(CLIENT_WITH("close"), "close"),
	REFUSED(CLIENT_WITH("session,region=1"), "region"),
	REFUSED(SERVER_WITH("export=4k,region=1"), "region"),
	REFUSED("get,len=1", "get"),

	/* options that the test or another option does not allow */
	REFUSED(CLIENT_WITH("duplex"), "duplex"),
	REFUSED(CLIENT_WITH("duplex,wlat"), "duplex"),
	REFUSED(CLIENT_WITH("slat,duplex"), "duplex"),
	REFUSED(CLIENT_WITH("fr,duplex"), "duplex"),
	REFUSED(CLIENT_WITH("fr,validate"), "validate"),
	REFUSED(CLIENT_WITH("fr,mem_mode=reg"), "mem_mode"),
	REFUSED(CLIENT_WITH("bw,server_inv"), "server_inv"),
	REFUSED(CLIENT_WITH("read_inv,rlat"), "read_inv"),
	REFUSED(CLIENT_WITH("mem_mode=dma,server_inv"), "server_inv"),
	REFUSED(CLIENT_WITH("server_inv,mem_mode=dma"), "server_inv"),
	REFUSED(CLIENT_WITH("mem_mode=dma,read_inv"), "read_inv"),
	REFUSED(CLIENT_WITH("read_inv,mem_mode=dma"), "read_inv"),
	REFUSED(SERVER_WITH("read_inv,mem_mode=dma"), "read_inv"),
	REFUSED(CLIENT_WITH("poll,cq=softirq"), "cq"),
	REFUSED(CLIENT_WITH("cq=workqueue,poll"), "cq"),
	REFUSED(CLIENT_WITH("cqmod=1"), "cqmod"),
	REFUSED(CLIENT_WITH("wlat,cqmod=1"), "cqmod"),
	REFUSED(CLIENT_WITH("rlat,cqmod=1"), "cqmod"),
	REFUSED(CLIENT_WITH("slat,cqmod=1"), "cqmod"),
	REFUSED(CLIENT_WITH("fr,cqmod=1"), "cqmod"),
	REFUSED(CLIENT_WITH("batch=1"), "batch"),
	REFUSED(CLIENT_WITH("wlat,batch=1"), "batch"),
	REFUSED(CLIENT_WITH("rlat,batch=1"), "batch"),
	REFUSED(CLIENT_WITH("slat,batch=1"), "batch"),
	REFUSED(CLIENT_WITH("fr,batch=1"), "batch"),
	REFUSED(CLIENT_WITH("inline"), "inline"),
	REFUSED(CLIENT_WITH("rlat,inline"), "inline"),
	REFUSED(CLIENT_WITH("rbw,inline"), "inline"),
	REFUSED(CLIENT_WITH("fr,inline"), "inline"),
	REFUSED(CLIENT_WITH("imm"), "imm"),
	REFUSED(CLIENT_WITH("rlat,imm"), "imm"),
	REFUSED(CLIENT_WITH("rbw,imm"), "imm"),
	REFUSED(CLIENT_WITH("fr,imm"), "imm"),
	REFUSED(CLIENT_WITH("sge=1"), "sge"),
	REFUSED(CLIENT_WITH("fr,sge=1"), "sge"),
	REFUSED(CLIENT_WITH("qps=1"), "qps"),
	REFUSED(CLIENT_WITH("fr,qps=1"), "qps"),
	REFUSED(CLIENT_WITH("threads=1"), "threads"),
	REFUSED(CLIENT_WITH("fr,threads=1"), "threads"),
	REFUSED(CLIENT_WITH("rate=1"), "rate"),
	REFUSED(CLIENT_WITH("fr,rate=1"), "rate"),
	REFUSED(CLIENT_WITH("atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("wlat,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("slat,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("bw,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("rbw,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("sbw,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("fr,atomic=faa"), "atomic"),
	REFUSED(CLIENT_WITH("fr,srq"), "srq"),
	REFUSED(CLIENT_WITH("bw,histogram"), "histogram"),
	REFUSED(CLIENT_WITH("rbw,histogram"), "histogram"),
	REFUSED(CLIENT_WITH("sbw,histogram"), "histogram"),
	REFUSED(CLIENT_WITH("fr,histogram"), "histogram"),
	REFUSED(SERVER_WITH("wlat,cqmod=2"), "cqmod"),
	REFUSED(SERVER_WITH("slat,batch=2"), "batch"),
	REFUSED(SERVER_WITH("rlat,inline"), "inline"),
	REFUSED(SERVER_WITH("rbw,imm"), "imm"),
	REFUSED(SERVER_WITH("bw,atomic=cas"), "atomic"),
	REFUSED(SERVER_WITH("sbw,histogram"), "histogram"),
	REFUSED(SERVER_WITH("wlat,duplex"), "duplex"),
	REFUSED(SERVER_WITH("bw,server_inv"), "server_inv"),
	REFUSED(CLIENT_WITH("bw,txdepth=4,cqmod=5"), "cqmod"),
	REFUSED(CLIENT_WITH("bw,cqmod=65"), "cqmod"),
	REFUSED(SERVER_WITH("cqmod=65"), "cqmod"),
	REFUSED(CLIENT_WITH("rbw,batch=5,tx-depth=4"), "batch"),
	REFUSED(CLIENT_WITH("sbw,batch=65"), "batch"),
	REFUSED(SERVER_WITH("sbw,batch=2,txdepth=1"), "batch"),
	REFUSED(CLIENT_WITH("wlat,qps=1024,threads=2"), "qps"),
	REFUSED(CLIENT_WITH("wlat,threads=1024,qps=2"), "qps"),
	REFUSED(CLIENT_WITH("bw,qps=1024,threads=1024"), "qps"),
	REFUSED(CLIENT_WITH("bw,qps=5,threads=205"), "qps"),
	REFUSED(CLIENT_WITH("rlat,atomic=cas,size=4"), "size"),
	REFUSED(CLIENT_WITH("rlat,size=64,atomic=faa"), "size"),
	REFUSED(SERVER_WITH("atomic=faa,size=1"), "size"),
	REFUSED(CLIENT_WITH("rlat,atomic=cas,sge=2"), "sge"),
	REFUSED(CLIENT_WITH("rlat,atomic=faa,size=8,sge=8"), "sge"),
	REFUSED(SERVER_WITH("sge=2,atomic=cas"), "sge"),
	REFUSED(CLIENT_WITH("slat,sge=2,size=1"), "sge"),
	REFUSED(CLIENT_WITH("bw,size=31,sge=32"), "sge"),
	REFUSED(CLIENT_WITH("wlat,rate=1,cq=softirq"), "cq"),
	REFUSED(CLIENT_WITH("bw,cq=workqueue,rate=5"), "cq"),
	REFUSED(CLIENT_WITH("bw,cq=workqueue,poll,rate=5"), "cq"),

	/* other mistakes in a command that has a test */
	REFUSED(CLIENT_WITH("wlat,port=0"), "port=0"),
	REFUSED(CLIENT_WITH("txdepth=2,poll,cq=softirq"), "cq"),
	REFUSED("client,wlat", "addr"),
	REFUSED("wlat,addr=1.2.3.4", "no role"),
};

static inline size_t krping_addr_render(char *buf, size_t size, const char *name,
					const struct krping_addr *addr)
{
	int bytes = addr->family == AF_INET ? 4 : 16;
	size_t len;
	int i;

	if (addr->family == AF_UNSPEC)
		return 0;
	len = scnprintf(buf, size, " %s=%c:", name, bytes == 4 ? '4' : '6');
	for (i = 0; i < bytes; i++)
		len += scnprintf(buf + len, size - len, "%02x", addr->ip[i]);
	if (addr->scope[0])
		len += scnprintf(buf + len, size - len, "%%%s", addr->scope);
	return len;
}

static inline size_t krping_allow_render(char *buf, size_t size,
					 const struct krping_options *o)
{
	size_t len = 0;
	u32 i;

	for (i = 0; i < o->nr_allow; i++) {
		len += krping_addr_render(buf + len, size - len, "allow", &o->allow[i].addr);
		len += scnprintf(buf + len, size - len, "/%u", o->allow[i].bits);
	}
	return len;
}

static inline size_t krping_cpus_render(char *buf, size_t size,
					const struct krping_options *o)
{
	size_t len = 0;
	u32 i;

	for (i = 0; i < o->nr_cpus; i++)
		len += scnprintf(buf + len, size - len, "%s%d", i ? ":" : " cpu=",
				 krping_options_cpu(o, i));
	return len;
}

/* Print every value that is not the default, see struct krping_good_case. */
static inline void krping_options_render(const struct krping_options *o,
					 char *buf, size_t size)
{
	size_t len = 0;

#define SHOW(cond, fmt, ...)						\
	do {								\
		if (cond)						\
			len += scnprintf(buf + len, size - len, fmt,	\
					 ##__VA_ARGS__);		\
	} while (0)

	SHOW(true, "%s", krping_role_name(o->role));
	SHOW(o->test_given, " %s", krping_test_name(o->test));
	len += krping_addr_render(buf + len, size - len, "addr", &o->addr);
	len += krping_addr_render(buf + len, size - len, "source", &o->source);
	SHOW(o->port != 9999, " port=%u", o->port);
	SHOW(o->device[0], " device=%s", o->device);
	SHOW(o->count_given, " count=%llu", (unsigned long long)o->count);
	SHOW(o->warmup, " warmup=%llu", (unsigned long long)o->warmup);
	SHOW(o->duration, " duration=%u", o->duration);
	SHOW(o->size_given, " size=%llu", (unsigned long long)o->size);
	SHOW(!o->size_given && o->size != (o->atomic ? 8 : 64), " bad default size");
	SHOW(o->mem_mode_given || o->mem_mode != KRPING_MEM_DMA, " mem_mode=%s%s",
	     krping_mem_mode_name(o->mem_mode), o->mem_mode_given ? "(given)" : "");
	SHOW(o->validate, " validate");
	SHOW(o->verbose, " verbose");
	SHOW(o->server_inv, " server_inv");
	SHOW(o->read_inv, " read_inv");
	SHOW(o->local_dma_lkey, " local_dma_lkey");
	SHOW(o->tos != -1, " tos=%d", o->tos);
	SHOW(o->timeout != 5000, " timeout=%u", o->timeout);
	SHOW(o->wait, " wait=%u", o->wait);
	SHOW(o->ack_timeout != -1, " ack_timeout=%d", o->ack_timeout);
	SHOW(o->min_rnr_timer != -1, " min_rnr_timer=%d", o->min_rnr_timer);
	SHOW(o->vector != -1, " vector=%d", o->vector);
	SHOW(o->retry != 7, " retry=%u", o->retry);
	SHOW(o->rnr_retry != 7, " rnr_retry=%u", o->rnr_retry);
	SHOW(o->txdepth != 64, " txdepth=%u", o->txdepth);
	SHOW(o->cqmod, " cqmod=%u", o->cqmod);
	SHOW(o->batch, " batch=%u", o->batch);
	SHOW(o->inline_data, " inline");
	SHOW(o->sge != 1, " sge=%u", o->sge);
	SHOW(o->imm, " imm");
	SHOW(o->atomic == KRPING_ATOMIC_CAS, " atomic=cas");
	SHOW(o->atomic == KRPING_ATOMIC_FAA, " atomic=faa");
	SHOW(o->srq, " srq");
	SHOW(o->qps != 1, " qps=%u", o->qps);
	SHOW(o->threads != 1, " threads=%u", o->threads);
	SHOW(o->rate, " rate=%u", o->rate);
	SHOW(o->poll, " poll");
	SHOW(o->duplex, " duplex");
	SHOW(o->cq_ctx != KRPING_CQ_SOFTIRQ, " cq=workqueue");
	SHOW(o->histogram, " histogram");
	len += krping_cpus_render(buf + len, size - len, o);
	SHOW(o->clients != 1, " clients=%u", o->clients);
	SHOW(o->background, " background");
	SHOW(o->id, " id=%u", o->id);
	len += krping_allow_render(buf + len, size - len, o);
	SHOW(o->export_size, " export=%llu", (unsigned long long)o->export_size);
	SHOW(o->shared, " shared");
	SHOW(o->ro, " ro");
	SHOW(o->name[0], " name=%s", o->name);
	SHOW(o->reconnect, " reconnect=%u", o->reconnect);
	SHOW(o->force, " force");
	SHOW(o->memop, " op=%s", o->memop == KRPING_MEMOP_SESSION ? "session" :
				 o->memop == KRPING_MEMOP_DISK ? "disk" :
				 o->memop == KRPING_MEMOP_PUT ? "put" :
				 o->memop == KRPING_MEMOP_GET ? "get" :
				 o->memop == KRPING_MEMOP_OPEN ? "open" :
				 o->memop == KRPING_MEMOP_CLOSE ? "close" :
				 o->memop == KRPING_MEMOP_REGIONS ? "regions" : "send");
	SHOW(o->offset, " offset=%llu", (unsigned long long)o->offset);
	SHOW(o->len, " len=%u", o->len);
	SHOW(o->region, " region=%u", o->region);
	SHOW(o->rw, " rw");
	SHOW(o->unchecked, " unchecked");
#undef SHOW
}

#endif /* KRPING_OPTIONS_CASES_H */
