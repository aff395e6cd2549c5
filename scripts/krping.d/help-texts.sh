# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The text of --help of each command. POSIX sh.

# help_of COMMAND: print the text of --help
help_of() {
	case $1 in
	server)
		cat <<-'END'
			Usage: krping server [ADDR] [OPTION]...

			Serve any number of clients until ^C, and print a line for each client that
			connects or leaves. Of many clients in succession, print lines for the first
			three and for those that stay 10 s, and once a minute the number of the others.
			ADDR is an address of this machine; without ADDR the server listens on all its
			IPv4 addresses, with the ADDR :: on those of IPv6, too. The server runs each
			test that a client requests, so give no test.

			  --export SIZE    export memory to each client, for put, get, send, session and
			                   disk; such a server serves no other test
			  --shared         with --export: one memory for all clients, which stays until
			                   the server ends
			  --clients N      end after N clients
			  -q, --quiet      print no clients, but the server's ID once clients can
			                   connect. Use it in the background: krping server --quiet &
			                   (otherwise the lines come between those of the shell); krping
			                   stop ID ends the server
			  --json, --csv, --raw   the form of the result at the end
			  -p, --port N     listen on this port (default 9999)
			  other options    krping help options

			Example: krping server 192.0.2.1 --export 64k --shared
		END
		;;
	ping | wlat | rlat | slat | bw | rbw | sbw | fr)
		cat <<-END
			Usage: krping $1 ADDR [OPTION]...

			$(test_of "$1")
			The server on ADDR runs krping server.
			Without --count and --duration the test takes 10 s; --count 0 lasts until ^C,
			which prints the figures of what was measured.

			  -n, --count N          iterations
			  -s, --size BYTES       bytes of $(size_of "$1") (default 64)
			  -D, --duration S       whole seconds; 2m and 1h are minutes and hours
			  -p, --port N           the server's port (default 9999)
			  --mem_mode dma|reg     the key that the peer gets: one for all memory of this
			                         machine (default), or one for the buffers only (the
			                         default of a server)
			  --timeout MS           longest wait for the peer, in milliseconds (default
			                         5000); 10s means seconds
			  -i, --interval S       print a line for each interval
			  -q, --quiet            show no progress
			  --json, --csv, --raw   the form of the result. krping show, hist and compare
			                         read --json and --raw only, not --csv
			  other options          krping help options

			Example: krping $1 192.0.2.1 --size 4k --duration 5 -i 1
		END
		;;
	put | get | send)
		cat <<-END
			Usage: krping $1 ADDR|id=N [OPTION]...

			One operation on memory that the server on ADDR exports, or that the session N
			has. The operation is RDMA WRITE for put, RDMA READ for get, SEND for send. With
			ADDR the command has a connection of its own, and memory that is zero at its
			beginning: to get what another command has put, start the server with --shared,
			or use a session. krping log on the server shows the message of send.

			  --port N               the server's port (default 9999)
			  --offset O             put, get: first byte in the server's memory (default 0)
			  --len L                get: bytes to read (default: with --out, --json and
			                         --raw up to the end of the memory, else the first 256;
			                         more than 64k need --out)
			  --data TEXT, --hex HEX put and send: the bytes to transfer
			  --in FILE              put: transfer the bytes of a file, or with - of
			                         standard input; a terminal shows the progress
			  -o, --out FILE         get: write the bytes into a file, or with - to
			                         standard output; a get that fails keeps the old file
			  --unchecked            post the request even if the device has to refuse it
			  --json, --raw          the form of the result; with --in and --out, of the
			                         last operation

			Example: krping $1 192.0.2.1 $(example_of "$1")
		END
		;;
	session)
		cat <<-'END'
			Usage: krping session ADDR [--port N]

			Connect to a server with --export, and read commands from standard input: put,
			get, send, open, close, regions, help, quit. ^D disconnects. open and close work
			on a server without --shared, where each client has a region of its own, which
			it can open to the others.

			Example: printf 'put 0 hello\nget 0 5\n' | krping session 192.0.2.1
		END
		;;
	disk)
		cat <<-'END'
			Usage: krping disk ADDR [OPTION]...

			Make a block device of the memory that the server on ADDR exports, print its
			name and ID, and return. The device works until krping stop ID removes it. A
			mounted one is removed only after umount, or with --force.

			  --port N         the server's port (default 9999)
			  --name krpingX   the name of the device
			  --ro             read-only
			  --json, --raw    the form of the result

			Example: krping disk 192.0.2.1 --name krping0
		END
		;;
	list)
		cat <<-'END'
			Usage: krping list [ID] [--json|--csv|--raw]

			Print the running tests. stop and drain take the ID. A server that runs each
			test that a client requests has - in the column test; its clients have lines of
			their own, and the column peer its port. Iterations are - where a server does
			not see the operations of its client. The column disk has the block device of a
			disk. On the server each connection of a client has a line: a disk is a session
			with a connection for each CPU, and the options qps and threads make several.

			Example: krping list --json
		END
		;;
	top)
		cat <<-'END'
			Usage: krping top [-i SECONDS] [-n COUNT] [--once]

			Print the running tests with their rates, again and again until q or ^C;
			any other key prints them at once. With --once, or in a pipe, tables follow each
			other. A server that does not see its client's operations has no rates (-).

			Example: krping top --once | cat
		END
		;;
	stop)
		cat <<-'END'
			Usage: krping stop ID...|--all [--force]

			Stop tests and wait for their end. --force also removes disks that are open.

			Example: krping stop 3
		END
		;;
	drain)
		cat <<-'END'
			Usage: krping drain ID...

			Let servers reject new clients, and end after their last one. ID is that of a
			server: krping list shows the state listening for it.

			Example: krping drain 1
		END
		;;
	log)
		cat <<-'END'
			Usage: krping log [-f]

			Print the module's lines of the kernel log. -f waits for more.

			Example: krping log -f
		END
		;;
	show)
		cat <<-'END'
			Usage: krping show [FILE] [--json|--csv|--raw]

			Print results in another form. FILE has results of --raw or --json, or what was
			read from /proc/krping, or is the directory of a sweep or bench-suite, whose
			table has the medians of the repetitions of each test. Without FILE, read
			standard input.

			Example: krping wlat 192.0.2.1 --raw >yesterday; krping show yesterday
		END
		;;
	hist)
		cat <<-'END'
			Usage: krping hist [--all] [ID|FILE [N]]

			Draw the latency histogram of the last krping ping, wlat, rlat or slat, of the
			test ID, or of the results in FILE, which come from --raw or --json, or in the
			directory FILE of a sweep or bench-suite. The ranges of latencies are
			logarithmic, four for each power of two; the bars are linear. A dot stands for
			iterations that are too few for a bar. Consecutive ranges with less than 0.05 %
			of the iterations each share a line. So that a histogram has at most 20 lines,
			2, 4 or more ranges become one; with --all each range has a line. Of several
			results in FILE, N selects one.

			Example: krping wlat 192.0.2.1 --count 10000; krping hist
		END
		;;
	compare) help_compare ;;
	bench-suite)
		cat <<-'END'
			Usage: krping bench-suite ADDR [-n N] [--duration S] DIR [-- SWEEP-OPTION...]

			Measure a standard set of tests against the server on ADDR, each N times
			(default 5) for S whole seconds (default 2). DIR is that of a sweep: krping
			compare, hist, show, plot and report read it. Each test runs in both memory
			modes, dma and reg (krping help mem_mode). SWEEP-OPTIONs are those of krping
			sweep, such as --modes dma for one mode, --count N, which limits the iterations,
			and --label TEXT, which a report prints (default: the name of DIR).

			Example: krping bench-suite 192.0.2.1 -n 5 before
			In a minute:
			  krping bench-suite 192.0.2.1 before -- --kinds wlat,bw --sizes 64 --warmup 10
			Without and with inline data, which is one option of the client:
			  krping bench-suite 192.0.2.1 plain -- --kinds wlat
			  krping bench-suite 192.0.2.1 inline -- --kinds wlat --options inline
			  krping compare plain inline --force
		END
		;;
	conform) help_conform ;;
	doctor)
		cat <<-'END'
			Usage: krping doctor [ADDR] [--port N] [--bundle FILE]

			Check for common faults of the set-up, and print a line for each check: OK, WARN
			or FAIL, and a remedy. With ADDR also check the route to the server there, and
			run tests with it; a server with --export runs no tests, so doctor reads a byte
			of its memory. The exit status is 1 if a check has failed.

			  -p, --port N    the server's port (default 9999)
			  --bundle FILE   write a tarball for a bug report, and print its contents

			Example: krping doctor 192.0.2.1
			For a bug report: krping doctor 192.0.2.1 --bundle bug.tar.gz
		END
		;;
	load | unload | version)
		cat <<-END
			Usage: krping $1

			$(module_of "$1")

			Example: krping $1
		END
		;;
	sweep | plot | report | hardware-report | softrdma)
		tool "$1"
		KRPING=$self "$tool" --help
		;;
	help)
		cat <<-'END'
			Usage: krping help [COMMAND|OPTION|options]

			Print the text of a command or of an option. Options are those of the loaded
			module, or of this version of krping.

			Example: krping help mem_mode
		END
		;;
	esac
}

help_conform() {
	cat <<-'END'
		Usage: krping conform ADDR [OPTION]...
		       krping conform --list

		Send requests from the device here to that of krping server on ADDR, and print
		for each rule of the specification whether the devices follow the rule. Many
		rules require that a device rejects a request. Each rejected request moves the
		QPs of its case to the error state, and no others; on hardware that may uncover
		faults of a firmware, up to a reset of the device. The run touches no memory but
		its own.

		  --list                   print the groups and cases, and run nothing
		  --group NAME[:NAME...]   only these groups or cases
		  --skip NAME[:NAME...]    all but these groups or cases
		  --safe                   only well-formed requests, as any peer may send them
		                           at any time: the groups keys, bounds, rights, zero,
		                           request and flush, without misaligned atomics,
		                           addresses that wrap and WRITEs above 2 GiB
		  --expect FILE            compare with a file of verdicts. The exit status is 0
		                           if all are equal, also if the device deviates as
		                           expected, and 1 if not; 10 if the server has to be
		                           started with mem_mode=dma for a case of FILE
		  --save FILE              write the verdicts to FILE, for --expect
		  --ktap                   KTAP version 1, a line for each case
		  --json, --raw            the form of the result

		A case with the verdict deviates shows that a device breaks the rule; the run
		itself has not failed. conformance.md describes the known deviations of rxe and
		siw. The exit status is 1 if a case deviates, and 9 if none deviates but a case
		could not be run. git bisect run skips a commit if its test ends with 125, so
		let any status above 1, with which the run has failed, become 125:

		  krping conform ADDR --expect FILE; s=$?; [ $s -le 1 ] || s=125; exit $s

		Example: krping conform 192.0.2.1 --safe --skip atomic_without_right
		         krping conform 192.0.2.1 --save before.tsv   (then change the driver)
		         krping conform 192.0.2.1 --expect before.tsv
	END
}

help_compare() {
	cat <<-'END'
		Usage: krping compare OLD NEW [OPTION]...

		Compare two sets of results: directories of krping sweep or bench-suite, or
		files that another command has printed with --raw or --json, which compare reads
		without an option; no tables and no CSV. A row for each test, size and memory
		mode has both medians, each with its spread (the largest distance of a
		repetition from the median), the change, and the p value of the Mann-Whitney
		test. ~ is no significant difference. The exit status is 1 if a change for the
		worse is significant and above the threshold.

		  --fail-above PERCENT  the threshold (default 0)
		  --metric KEY          of latencies: min, p50 (default), p90, p99, p99.9,
		                        p99.99, max, mean
		  --alpha P             largest p value that is significant (default 0.05)
		  --force               compare although config, path or kernel differ, and one
		                        size, memory mode or txdepth in OLD with another one in
		                        NEW
		  --html                print a page instead of a table
		  -o FILE               write the page to FILE, and print the name

		Example: krping compare before after --fail-above 5
	END
}

# test_of TEST: print the operations and the figure of the test
test_of() {
	case $1 in
	ping) echo "SEND, RDMA READ and RDMA WRITE in turn: the latency of an iteration." ;;
	wlat) echo "RDMA WRITE, which the server answers likewise: half of the round trip." ;;
	rlat) echo "RDMA READ, or with --atomic an atomic: the round trip." ;;
	slat) echo "SEND, which the server answers likewise: half of the round trip." ;;
	bw) echo "A stream of RDMA WRITEs: the throughput." ;;
	rbw) echo "A stream of RDMA READs: the throughput." ;;
	sbw) echo "A stream of SENDs: the throughput." ;;
	fr) echo "Register and invalidate memory without moving data." ;;
	esac
}

# size_of TEST: print what the bytes of the option size are in the test
size_of() {
	case $1 in
	fr) echo "memory to register" ;;
	*) echo "data per operation" ;;
	esac
}

# example_of COMMAND: print the options of its example
example_of() {
	case $1 in
	put) echo "--offset 16 --data hello" ;;
	get) echo "--offset 16 --len 5" ;;
	send) echo "--data hello" ;;
	esac
}

# module_of COMMAND: print the purpose of the command
module_of() {
	case $1 in
	load) echo "Load the kernel module, of a package or of the checkout that this command is in." ;;
	unload) echo "Unload the kernel module. No test may run." ;;
	version) echo "Print the versions of the command, the loaded module and the kernel." ;;
	esac
}
