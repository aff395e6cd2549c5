# shellcheck shell=sh disable=SC2154 # lib-krping.sh sets t_lib
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Run krping against krping-peer, a user-space peer that misbehaves on request. Source this
# file after lib-krping.sh. POSIX sh.
#
# A case is a test with krping on one side and krping-peer on the other side. Each case has
# a port of its own. A subject collects cases, which then run in parallel, because they mostly wait.
#
# The exit status of krping-peer is 0 if all went as planned: without a fault, krping-peer has done its
# iterations; with a fault, the other side or the device has noticed the fault and has ended or rejected
# the connection. The status is 1 after an error, after a rejection that is not planned, and after a fault
# that nobody has noticed.
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
