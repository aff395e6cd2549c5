// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Write commands to /proc/krping. Unlike a shell, this program does exactly one write(2) per
 * command, prints its return value and errno, and does other system calls on the same descriptor.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kwrite.h"

/*
 * After this time SIGALRM interrupts a system call that hangs. The call fails with EINTR, so the
 * test that has run kwrite fails and continues.
 */
#define LIMIT_SECONDS	120

static const char usage[] =
"usage: kwrite STEP...\n"
"The steps run in order, on one descriptor of /proc/krping:\n"
"  file=NAME         use another file; before the first step that opens it\n"
"  open=rw|w|r       open the file (other steps open it rw if needed)\n"
"  close             close the descriptor\n"
"  write=TEXT        do one write(2); print ret=N errno=NAME, as all steps that write\n"
"  stdin             write all of standard input, with NULs\n"
"  length=N          write N commas\n"
"  badptr=N          write N bytes from an invalid address\n"
"  start=TEXT        write in another thread, and do not wait for the end\n"
"  kill=SIGNAL       send a signal to the writing thread, by number\n"
"  join=SECONDS      wait for the writing thread, and print its return value\n"
"  limit=SECONDS     end a hung system call by SIGALRM after SECONDS (default 120)\n"
"  signal=N:MS       receive signal N after MS milliseconds\n"
"  read              read up to the end, and print\n"
"  chunk=N           read at most N bytes per read(2) from now on\n"
"  pread=OFFSET      do one pread(2), and print\n"
"  lseek=OFFSET      do an lseek(2) from the start\n"
"  poll=MS           wait for input; print poll=ready or poll=timeout\n"
"  sleep=MS          sleep\n"
"  nocap             drop CAP_NET_ADMIN\n"
"  user=UID          become another user\n"
"  userns            become root of a new user namespace\n"
"  netns             enter a new network namespace\n"
"  run=COMMAND       run a shell command\n"
"  hold=FILE         start a process that holds the descriptor and writes the\n"
"                    result to FILE when the command ends, and to FILE.now on\n"
"                    SIGUSR1\n"
"  out=FILE          print to FILE, which appears after the last step\n"
"  check=FILE        check the result in FILE. Optional lines \"command TEXT\" and\n"
"                    \"wall NSEC\" give the command and its duration\n"
"  await=SECONDS:FILE wait until FILE exists, and print it\n"
"  klog              the first time, note the end of the kernel log; later, print\n"
"                    krping's lines since then\n"
"  pagesize          print the page size\n"
"Each result is checked, except those of pread: a line \"identity broken: ...\" follows\n"
"for each of its figures that contradicts another one.\n"
"Environment variables: KWRITE_SETUP_MS is the longest time that a foreground client\n"
"may spend outside its iterations (default 60000); if KWRITE_UNTRUSTED_PEER is set, the\n"
"peer may report invented figures, which are not checked.\n";

/* the name of each step, its function, and whether the step has an operand */
static const struct {
	const char *name;
	void (*take)(const char *arg);
	bool operand;
} steps[] = {
	{ "await", do_await, true },
	{ "badptr", do_badptr, true },
	{ "check", do_check, true },
	{ "chunk", do_chunk, true },
	{ "close", do_close, false },
	{ "file", do_file, true },
	{ "hold", do_hold, true },
	{ "join", do_join, true },
	{ "kill", do_kill, true },
	{ "klog", do_klog, false },
	{ "length", do_length, true },
	{ "limit", do_limit, true },
	{ "lseek", do_lseek, true },
	{ "netns", do_netns, false },
	{ "nocap", do_nocap, false },
	{ "open", do_open, true },
	{ "out", do_out, true },
	{ "pagesize", do_pagesize, false },
	{ "poll", do_poll, true },
	{ "pread", do_pread, true },
	{ "read", do_read, false },
	{ "run", do_run, true },
	{ "signal", do_signal, true },
	{ "sleep", do_sleep, true },
	{ "start", do_start, true },
	{ "stdin", do_stdin, false },
	{ "user", do_user, true },
	{ "userns", do_userns, false },
	{ "write", do_write, true },
};

static void take_step(const char *step)
{
	size_t len = strcspn(step, "=");
	bool operand = step[len];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		if (strlen(steps[i].name) == len &&
		    !memcmp(steps[i].name, step, len) &&
		    steps[i].operand == operand) {
			steps[i].take(step + len + operand);
			fflush(stdout);
			return;
		}
	}
	fprintf(stderr, "kwrite: unknown step '%s'\n%s", step, usage);
	exit(2);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fputs(usage, stderr);
		return 2;
	}
	take_signal(SIGALRM);
	alarm(LIMIT_SECONDS);
	for (i = 1; i < argc; i++)
		take_step(argv[i]);
	finish(0);
}
