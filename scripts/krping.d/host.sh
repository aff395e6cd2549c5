# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Resolve names of hosts. POSIX sh.

# host_address NAME: print the address of a host; print NAME if it is an address. Fail if NAME is neither
# an address nor the name of a host.
host_address() {
	case $1 in
	*:*) echo "$1" ;;
	*[!0-9.]*) getent ahosts "$1" 2>/dev/null | awk 'NF { print $1; n = 1; exit } END { exit !n }' ;;
	*) echo "$1" ;;
	esac
}
