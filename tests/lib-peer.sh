# shellcheck shell=sh disable=SC2154 # lib-krping.sh sets t_lib
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run krping against krping-peer, a user-space peer that misbehaves on request. Source this
# file after lib-krping.sh. POSIX sh.
#
# A case is a test with krping on one side and krping-peer on the other side. Each case has
# a port of its own. A subject (a file of tests) collects cases, which then run in parallel, because they
# mostly wait.
#
# krping-peer exits with 0 if all went as planned: without a fault, it has done its iterations; after a
# fault, the other side or the device has ended or rejected the connection. It exits with 1 after an error
# or an unplanned rejection. A ping client also exits with 1 if neither krping nor the device notices its
# fault. If a signal ends krping-peer, the status is 137 (SIGKILL) or 143 (SIGTERM).
#
# The parts are in lib-peer/. A part calls functions of the parts that are sourced before it.

# krping-peer reports invented figures, so kwrite does not check the peer's figures in a result.
export KWRITE_UNTRUSTED_PEER=yes

# shellcheck source=lib-peer/process.inc
. "$t_lib/lib-peer/process.inc"
# shellcheck source=lib-peer/failure.inc
. "$t_lib/lib-peer/failure.inc"
# shellcheck source=lib-peer/cases.inc
. "$t_lib/lib-peer/cases.inc"
# shellcheck source=lib-peer/stages.inc
. "$t_lib/lib-peer/stages.inc"
