# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The command that starts a missing server, for a message of krping or of sweep. POSIX sh.

# server_for ADDR PORT [COMMAND]: print the command that starts a server for COMMAND at ADDR, which may be empty, and PORT.
# Without an address, a server serves IPv4 only.
server_for() {
	printf 'krping server'
	case $1 in
	*:*) printf ' ::' ;;
	esac
	case ${3-} in
	put | get | send | session | disk) printf ' --export SIZE' ;;
	esac
	[ "$2" = 9999 ] || printf ' --port %s' "$2"
}
