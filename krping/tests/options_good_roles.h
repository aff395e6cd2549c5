/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands that the parser must accept:
 * conform, servers, registration, exported memory, and commands that start no test.
 * Rows of krping_good_cases[] in options_cases.h: a command, and the values other than defaults
 * that the parser sets.
 */

	/* conform and its cases */
	{ "client,addr=10.0.0.1,conform", "client conform addr=4:0a000001" },
	{ "client,conform,addr=10.0.0.1,case=keys:read_9",
	  "client conform addr=4:0a000001 case=keys:read_9" },
	{ "server,addr=10.0.0.1,conform", "server conform addr=4:0a000001" },
	{ "conform,list", "list conform" },

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

	/* exported memory: servers, sessions, operations and disks */
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
	{ "client,addr=1.2.3.4,disk,qps=2",
	  "client session addr=4:01020304 qps=2 background op=disk" },
	{ "client,addr=1.2.3.4,disk,poll",
	  "client session addr=4:01020304 poll background op=disk" },
	{ "client,addr=1.2.3.4,disk,poll,qps=512",
	  "client session addr=4:01020304 qps=512 poll background op=disk" },
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
