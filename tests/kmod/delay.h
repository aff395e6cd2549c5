/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces between the files of krping_delay.ko, which delay_main.c describes.
 */
#ifndef DELAY_H
#define DELAY_H

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/types.h>

/* How long a call may spin, and how long calls may return at once. */
#define KRPING_DELAY_USEC_MAX	100000
#define KRPING_DELAY_RETURN_MAX	1000000
/* Longest single udelay() that every architecture supports. */
#define KRPING_DELAY_STEP	100
#define KRPING_DELAY_RULE_MAX	32768
#define KRPING_DELAY_SLOT_BITS	6
#define KRPING_DELAY_SLOTS	BIT(KRPING_DELAY_SLOT_BITS)

enum krping_delay_context {
	KRPING_DELAY_ANY,
	KRPING_DELAY_SOFTIRQ,
	KRPING_DELAY_PROCESS,
};

/* What a delayed call does: run later, return rule->value, or return its second argument. */
enum krping_delay_return {
	KRPING_DELAY_RUN,
	KRPING_DELAY_VALUE,
	KRPING_DELAY_ARG2,
};

/* A rule. Each probe has its own copy, which does not change. */
struct krping_delay_rule {
	u32 usec;
	u32 every;
	u32 chance;
	u32 context;
	enum krping_delay_return returns;
	s32 value;
	char comm[TASK_COMM_LEN];
	/* number of characters of comm that are compared */
	u32 comm_len;
};

struct krping_delay_probe {
	struct list_head entry;
	struct kprobe kp;
	struct krping_delay_rule rule;
	/* what register_kprobe() has returned */
	int error;
	atomic_t calls;
	atomic_t delays;
	/* time in ns of the first call that returned at once, by the hash of the first argument */
	u64 since[KRPING_DELAY_SLOTS];
	char name[];
};

/* State of the random number generator for chance= */
extern atomic64_t krping_delay_seed;

/* Parse the words of a rule. */
int krping_delay_words(struct krping_delay_rule *rule, char *text);

/* The handlers of the probes, before and after the function's first instruction. */
int krping_delay_handler(struct kprobe *kp, struct pt_regs *regs);
void krping_delay_after(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);

#endif /* DELAY_H */
