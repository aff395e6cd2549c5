// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: use krdma.h, krping's interface for other modules, as such a module would.
 *
 *   insmod krping_krdma.ko scenario=NAME addr=ADDR port=PORT [poll=USECS] [pid=PID]
 *
 * A kernel thread runs the scenario NAME, which uses both sides of a connection. The
 * parameter result is "running", in some scenarios "waiting", and in the end "ok" or the
 * reason of the failure. Unloading the module interrupts the scenario. poll= is the busy poll of
 * both sides. pid= is a process whose network namespace the scenario "namespace" uses.
 */
#define pr_fmt(fmt) "krping_krdma: " fmt

#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "krdma_pair.h"

static char *scenario = "";
module_param(scenario, charp, 0444);
char *krdma_addr = "";
module_param_named(addr, krdma_addr, charp, 0444);
char *krdma_port = "";
module_param_named(port, krdma_port, charp, 0444);
int krdma_pid;
module_param_named(pid, krdma_pid, int, 0444);
uint krdma_poll;
module_param_named(poll, krdma_poll, uint, 0444);
char krdma_result[KRDMA_RESULT_MAX] = "running";
module_param_string(result, krdma_result, sizeof(krdma_result), 0444);

static struct task_struct *main_task;

static const struct scenario *find(const struct scenario *table)
{
	for (; table->name; table++)
		if (!strcmp(scenario, table->name))
			return table;
	return NULL;
}

/* Run the chosen scenario, with a connection if the scenario begins with one. */
static int play(struct pair *p)
{
	const struct scenario *s = find(krdma_data_scenarios) ?:
				   find(krdma_wait_scenarios) ?:
				   find(krdma_handler_scenarios) ?:
				   find(krdma_end_scenarios) ?:
				   find(krdma_event_scenarios);

	if (!s)
		return failed("find(scenario)", -ENOENT);
	if (s->attr && pair_open(p, s->attr))
		return -EINVAL;
	return s->fn(p);
}

/* Run the scenario, keep its result in krdma_result, and sleep until the module is unloaded. */
static int main_thread(void *unused)
{
	struct pair p = { };
	int ret;

	allow_signal(SIGTERM);
	ret = play(&p);
	pair_close(&p);
	if (!ret)
		strscpy(krdma_result, "ok", sizeof(krdma_result));
	pr_info("%s: %s\n", scenario, krdma_result);
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static int __init krdma_init(void)
{
	main_task = kthread_run(main_thread, NULL, "krdma-main");
	return PTR_ERR_OR_ZERO(main_task);
}

static void __exit krdma_exit(void)
{
	send_sig(SIGTERM, main_task, 1);
	kthread_stop(main_task);
}

module_init(krdma_init);
module_exit(krdma_exit);
MODULE_DESCRIPTION("Scenarios of a user of krdma.h");
MODULE_LICENSE("Dual BSD/GPL");
