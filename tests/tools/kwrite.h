/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared by the files of kwrite, a program of the tests that writes commands to /proc/krping. Its
 * arguments are steps. do_NAME() runs the step NAME; @arg is the operand of the step. The usage in
 * kwrite.c describes each step.
 */
#ifndef KWRITE_H
#define KWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * kwrite-file.c: the descriptor of /proc/krping, -1 if need_fd() has to open it; and the largest
 * size of a read(2)
 */
extern int fd;
extern size_t chunk;
void need_fd(void);

/*
 * The last command (NULL if unknown), the time when its write began (0 if unknown), and whether the
 * write has waited for the end of the test. The check of a result uses them.
 */
extern const char *command;
extern uint64_t command_ns;
extern bool command_waited;

/* steps that use the descriptor */
void do_badptr(const char *arg);
void do_chunk(const char *arg);
void do_close(const char *arg);
void do_file(const char *arg);
void do_join(const char *arg);
void do_kill(const char *arg);
void do_length(const char *arg);
void do_lseek(const char *arg);
void do_open(const char *arg);
void do_poll(const char *arg);
void do_pread(const char *arg);
void do_start(const char *arg);
void do_stdin(const char *arg);
void do_write(const char *arg);

/* kwrite-result.c: steps that print a result and check its figures */
void do_await(const char *arg);
void do_check(const char *arg);
void do_hold(const char *arg);
void do_read(const char *arg);

/* kwrite-process.c: print an error and exit, or exit in order after the last step */
void fail(const char *fmt, ...);
void finish(int status);

/* Convert an operand; sleep; get the time; let a signal interrupt system calls. */
long to_long(const char *arg);
void ms_sleep(long ms);
uint64_t nsec_now(void);
void take_signal(int sig);

/* other steps */
void do_klog(const char *arg);
void do_limit(const char *arg);
void do_netns(const char *arg);
void do_nocap(const char *arg);
void do_out(const char *arg);
void do_pagesize(const char *arg);
void do_run(const char *arg);
void do_signal(const char *arg);
void do_sleep(const char *arg);
void do_user(const char *arg);
void do_userns(const char *arg);

#endif /* KWRITE_H */
