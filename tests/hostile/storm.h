/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces between the files of kstorm.
 */
#ifndef STORM_H
#define STORM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lines.h"

#define PATH		"/proc/krping"
#define WRITERS_MAX	64
#define READERS		3
#define PORT_BASE	20000
#define PORTS		16	/* per writer */
#define FAULTS_SHOWN	10	/* kstorm only counts further faults */
#define ERRNO_MAX	200
#define LIST_FD		512	/* above all descriptors of the writers */

/**
 * struct writer - a thread that writes commands
 * @lines: generator of the writer's lines
 * @thread: the thread
 * @nr: number of the writer
 * @todo: number of lines left to write
 * @fd: descriptor that the writer and the readers use, or -1
 * @busy_since: time in ns at which the current write(2) has begun, or 0
 * @patience_ns: time in ns after which the watcher signals a thread that is still in write(2)
 * @pid: child process that writes instead of the thread, or 0
 * @signalled: the watcher has signalled the thread during the current write(2)
 * @lock: guards @busy_since, so that the watcher sends no signal after the end of write(2)
 * @line: the current line
 */
struct writer {
	struct lines lines;
	pthread_t thread;
	unsigned int nr;
	unsigned long todo;
	atomic_int fd;
	long long busy_since;
	long long patience_ns;
	pid_t pid;
	bool signalled;
	pthread_mutex_t lock;
	struct line line;
};

/* the command line */
struct storm_options {
	struct place place;
	unsigned long lines;
	unsigned int writers;
	uint64_t seed;
	unsigned int seconds;
	unsigned int bound;
};

extern struct storm_options opt;
extern struct writer writers[WRITERS_MAX];
/* @give_up ends the writers at the time limit. @over then ends the readers and the watcher. */
extern atomic_bool over, give_up;
/* Counters; errors[] counts the writes by errno. */
extern atomic_ulong written, killed, ended_well, reads, faults;
extern atomic_ulong errors[ERRNO_MAX];

/* storm-log.c */
long long now_ns(void);
void ms_sleep(unsigned int ms);
__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
void complain(const struct writer *w, const char *result, const char *fmt, ...);

/*
 * storm-check.c: report a fault if the contract does not allow the outcome of a write(2), or the
 * result in the file after the write. @ret and @error are return value and errno of the write(2).
 * outlives_write() checks for a command whose test may run on after the write.
 */
bool outlives_write(const char *command);
void judge_result(struct writer *w, ssize_t ret, int error);
void judge_write(struct writer *w, ssize_t ret, int error);

/* storm-writer.c: write the writer's current line, and check the outcome */
void close_file(struct writer *w);
bool write_line(struct writer *w);
void *writer_main(void *arg);

/* storm-reader.c: read_list() reads the list of tests, and returns its length */
size_t read_list(struct lines *l, char *text, size_t size);
void *reader_main(void *arg);

#endif
