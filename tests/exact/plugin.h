/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The declarations of QEMU's qemu-plugin.h (API version 1) that count.c needs, because
 * Debian does not package that header. QEMU rejects a plugin with an unsupported version.
 */
#ifndef KRPING_EXACT_PLUGIN_H
#define KRPING_EXACT_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum plugin_op { PLUGIN_ADD_U64 };
enum plugin_regs { PLUGIN_NO_REGS };

typedef uint64_t plugin_id;
typedef void (*plugin_translate)(plugin_id id, struct qemu_plugin_tb *tb);
typedef void (*plugin_execute)(unsigned int vcpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, plugin_translate cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum plugin_op op, void *ptr,
						uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    plugin_execute cb,
					    enum plugin_regs regs, void *data);

/* Symbols that QEMU looks up in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

#endif
