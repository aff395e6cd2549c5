# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# For krping and scripts/sweep: check the numbers of a command line. The caller defines "usage REASON", which ends. POSIX sh.

# number OPTION TEXT: end unless TEXT is a whole number above 0
number() {
	case $2 in
	'' | 0* | *[!0-9]* | ??????????*) usage "$1 takes a whole number above 0, not '$2'" ;;
	esac
}

# whole_seconds OPTION TEXT COUNT: end unless TEXT is a whole number of seconds above 0, as the module's option
# duration needs. COUNT is the option that limits a test by its operations instead.
whole_seconds() {
	case $2 in
	[0-9]*.*[0-9] | .*[0-9])
		usage "$1 takes whole seconds, as the module's option duration does, not '$2'; to end sooner: $3"
		;;
	esac
	number "$1" "$2"
}
