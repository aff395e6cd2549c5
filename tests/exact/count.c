// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A QEMU plugin that counts how often the guest executes each instruction of its kernel.
 * When a program in the guest executes the mark, an instruction of mark.c, the plugin writes
 * all counts to a new file and resets them. A line of the file has the address of an
 * instruction and its count. The line of address 0 has the sum of all instructions of user
 * space.
 *
 * The guest has one CPU. QEMU calls all functions in the thread of this CPU, so they need no
 * locks.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

/* The instruction of mark.c. */
static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0, 0x6b, 0x72, 0x70, 0x6e };

int qemu_plugin_version = 1;

/*
 * Size of the hash table. A kernel executes about 300,000 different instructions between boot
 * and shutdown.
 */
#define SLOTS	(4u << 20)

struct slot {
	uint64_t address;
	uint64_t count;
};

static struct slot *slots;
static unsigned int used;
static struct slot user_space;
static const char *out;
static unsigned int marks;

static void fail(const char *what)
{
	fprintf(stderr, "count: %s\n", what);
	exit(1);
}

static bool kernel_address(uint64_t address)
{
	return address >> 63;
}

/* Return the slot of @address; take a free slot for a new address. */
static struct slot *find_slot(uint64_t address)
{
	unsigned int i = (address * 0x9e3779b97f4a7c15) >> 42;

	while (slots[i].address && slots[i].address != address)
		i = (i + 1) % SLOTS;
	if (!slots[i].address) {
		if (++used > SLOTS / 4 * 3)
			fail("too many different instructions");
		slots[i].address = address;
	}
	return &slots[i];
}

/* Write a count to @f and reset it. */
static void write_slot(FILE *f, struct slot *slot)
{
	if (slot->count)
		fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", slot->address, slot->count);
	slot->count = 0;
}

/* Write and reset all counts, when the guest executes the mark. */
static void on_mark(unsigned int vcpu, void *data)
{
	char name[4096];
	FILE *f;
	size_t i;

	(void)vcpu;
	(void)data;
	snprintf(name, sizeof(name), "%s.%u", out, marks++);
	f = fopen(name, "w");
	if (!f)
		fail("cannot write the counts");
	write_slot(f, &user_space);
	for (i = 0; i < SLOTS; i++)
		write_slot(f, &slots[i]);
	if (fclose(f))
		fail("cannot write the counts");
}

static bool is_mark(const struct qemu_plugin_insn *insn)
{
	return qemu_plugin_insn_size(insn) == sizeof(mark) &&
	       !memcmp(qemu_plugin_insn_data(insn), mark, sizeof(mark));
}

/*
 * QEMU calls this function when it translates a block of the guest's code. Make each execution of
 * an instruction of the block add 1 to the count of the instruction.
 */
static void on_translate(plugin_id id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	size_t i;

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		struct slot *slot = &user_space;

		if (kernel_address(address))
			slot = find_slot(address);
		else if (is_mark(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       PLUGIN_NO_REGS, NULL);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64,
							   &slot->count, 1);
	}
}

/* QEMU calls this function when it loads the plugin. The only argument is out=FILE. */
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		fail("exactly one argument is needed: out=FILE");
	out = strdup(argv[0] + 4);
	slots = calloc(SLOTS, sizeof(*slots));
	if (!out || !slots)
		fail("no memory");
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
