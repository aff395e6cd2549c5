/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Declarations of the files of kwrite.
 */
#ifndef KWRITE_H
#define KWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* kwrite-file.c: the descriptor of the file, and the largest size of a read(2) */
extern int fd;
extern size_t chunk;

/* The last command, the start of its write, and whether the write has waited for the test's end. */
extern const char *command;
extern uint64_t command_ns;
extern bool command_waited;

void need_fd(void);
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

/* kwrite-result.c */
void do_await(const char *arg);
void do_check(const char *arg);
void do_hold(const char *arg);
void do_read(const char *arg);

/* kwrite-process.c */
void fail(const char *fmt, ...);
long to_long(const char *arg);
void ms_sleep(long ms);
uint64_t nsec_now(void);
void take_signal(int sig);
void finish(int status);
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
