# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Find the lines of a kernel log that make a run fail. scripts/vm and the tests in a guest source this
# file. tests/debug-boot/negative-control.sh plants bugs and checks that scripts/vm reports each.

# The beginning of a line of trouble, after its time stamps: an extended regular expression
trouble_re='^(\[[^]]*\] ?)*('
trouble_re=$trouble_re'BUG: |WARNING: |kernel BUG at |Oops: |Kernel panic |Internal error: '
trouble_re=$trouble_re'|general protection fault|divide error|invalid opcode|stack segment|double fault'
trouble_re=$trouble_re'|watchdog: BUG: |NMI watchdog: Watchdog detected|INFO: task |INFO: rcu|rcu: INFO: '
trouble_re=$trouble_re'|INFO: trying to register|INFO: lockdep is turned off|INFO: suspicious|DEBUG_LOCKS_WARN'
trouble_re=$trouble_re'|UBSAN: |DMA-API: |ODEBUG: |refcount_t: |list_(add|del) corruption|slab .*corruption'
trouble_re=$trouble_re'|kmemleak: [0-9]+ new suspected|kmemleak: .*disabled|unregister_netdevice: waiting for '
trouble_re=$trouble_re'|slab .*Objects remaining|workqueue: .*flush|BUG workqueue|page:.* is uninitialized'
trouble_re=$trouble_re'|\[ BUG: |BUG [^ ]+ \(|[a-z]+ [^ ]+: BUG: |restrack: |watchdog: .*Watchdog detected'
trouble_re=$trouble_re'|traps: |[^ ]*\[[0-9]+\]: segfault|Out of memory|oom-kill:|Memory cgroup out of memory)'

# Lines of a provider that match trouble_re and are harmless: one expression per line.
# rxe of 6.1 logs this now and then when a link goes down: see Documentation/known-issues.md
harmless_re='WARNING: .* at drivers/infiniband/sw/rxe/rxe_comp\.c:756 rxe_completer\+'

# trouble_lines: print the lines of standard input that are trouble, each with its number
trouble_lines() {
	grep -anE "$trouble_re" | grep -avE "$harmless_re"
}
