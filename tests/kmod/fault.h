/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Interfaces between the files of krping_fault.ko, which fault_main.c describes.
 */
#ifndef FAULT_H
#define FAULT_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>

#define KRPING_FAULT_DEPTH	64

/* Return addresses of the callers of the probed function, the innermost caller first. */
struct krping_fault_stack {
	unsigned long entry[KRPING_FAULT_DEPTH];
	unsigned int nr;
};

/* The last call that the module has made fail. */
struct krping_fault_hit {
	bool valid;
	char comm[TASK_COMM_LEN];
	pid_t pid;
	struct krping_fault_stack stack;
};

/*
 * fault_stack.c: krping_fault_walk() fills @stack, and returns true if the call is krping's and may
 * be made to fail. krping_fault_reject() adds a function to a list, which krping_fault_forget()
 * clears; calls that these functions make do not fail. krping_fault_clear_pages() clears a cache of
 * the pages that have krping's code; call it if modules may have been loaded or unloaded.
 */
extern bool krping_fault_direct;
bool krping_fault_is_krping(unsigned long addr);
void krping_fault_clear_pages(void);
bool krping_fault_walk(struct krping_fault_stack *stack, const struct kprobe *kp,
		       const struct pt_regs *regs);
int krping_fault_reject(const char *name);
void krping_fault_forget(void);

/*
 * fault_probe.c: krping_fault_set_function() moves the probe to a function. krping_fault_arm() lets
 * the call @nth of this function fail, counted from now on, so that it returns the value of
 * krping_fault_set_retval(). krping_fault_nr_calls() returns the number of calls counted so far.
 */
extern bool krping_fault_once;
extern bool krping_fault_rest;
extern struct krping_fault_hit krping_fault_hit;
bool krping_fault_has_function(void);
int krping_fault_set_function(const char *name);
void krping_fault_arm(u32 nth);
unsigned int krping_fault_nr_calls(void);
void krping_fault_set_retval(u64 retval);
u64 krping_fault_get_retval(void);

#endif /* FAULT_H */
