// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Test module: let a client of krping's conformance test, conform, send requests that no case of
 * the test sends, as a hostile client would.
 *
 *   insmod krping_ask.ko ask=2,4,1,0,64,0,0,9,3,0,0,0,0,0
 *
 * Seven numbers describe a request: an enum krping_conform_step, and its arguments. The first
 * request KRPING_CONFORM_MR (register memory) that a client encodes becomes the first of these
 * requests, the second one becomes the second, and so on. Further requests of the client remain
 * unchanged. The parameter `step` names another step to replace.
 * /sys/module/krping_ask/parameters/asked has the number of changed requests.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../../krping/wire_conform.h"
#include "park.h"

#define ASK_WORDS	(1 + KRPING_CONFORM_ARGS)
#define ASK_MAX		24

static unsigned int ask[ASK_MAX * ASK_WORDS];
static int ask_words;
module_param_array(ask, uint, &ask_words, 0444);
static unsigned int step = KRPING_CONFORM_MR;
module_param(step, uint, 0444);
static unsigned int asked;
module_param(asked, uint, 0444);

/*
 * Return argument 1 of the probed function. s390 does not export regs_get_kernel_argument(), and
 * POWER does not have this function.
 */
static unsigned long ask_arg1(struct pt_regs *regs)
{
#ifdef CONFIG_S390
	return regs->gprs[3];
#elif defined(CONFIG_PPC64)
	return regs->gpr[4];
#else
	return regs_get_kernel_argument(regs, 1);
#endif
}

/* Runs before krping_wire_conform_ask_encode(wire, in). Only one client may run. */
static int ask_encode(struct kprobe *probe, struct pt_regs *regs)
{
	struct krping_conform_ask *in = (void *)ask_arg1(regs);
	const unsigned int *words = &ask[asked * ASK_WORDS];
	int i;

	if (in->step != step || (asked + 1) * ASK_WORDS > ask_words)
		return 0;
	in->step = words[0];
	for (i = 0; i < KRPING_CONFORM_ARGS; i++)
		in->args[i] = words[1 + i];
	asked++;
	return 0;
}

static struct kprobe ask_probe = {
	.symbol_name = "krping_wire_conform_ask_encode",
	.pre_handler = ask_encode,
};

static int __init ask_init(void)
{
	return krping_park_register(&ask_probe);
}

static void __exit ask_exit(void)
{
	krping_park_disarm(&ask_probe);
	unregister_kprobe(&ask_probe);
}

module_init(ask_init);
module_exit(ask_exit);
MODULE_DESCRIPTION("Hostile requests for the tests of rdma_krping's conform");
MODULE_LICENSE("Dual BSD/GPL");
