# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for the scripts of this directory, which source this file. POSIX sh.

prog=${0##*/}

# The name by which the user calls the script. The command krping sets KRPING for scripts that it runs.
called=$0
[ -z "${KRPING-}" ] || called="krping $prog"

# The command krping bench-suite runs scripts/sweep, and sets KRPING_COMMAND to bench-suite, so that messages
# begin with this name.
[ -z "${KRPING_COMMAND-}" ] || prog=$KRPING_COMMAND

# The cache of fetched and built files. It may be removed at any time.
: "${HOME:=$(getent passwd "$(id -u)" | cut -d : -f 6)}"
# shellcheck disable=SC2034 # for scripts that source this file
cache=${XDG_CACHE_HOME:-$HOME/.cache}/krping

say() {
	printf '%s: %s\n' "$prog" "$*" >&2
}

# Exit status of die(). A script that passes on the status of another program sets another value.
die_status=1

die() {
	say "error: $*"
	exit "$die_status"
}

# want_arg OPTION [WORD]...: die unless at least one WORD, the operand, follows OPTION
want_arg() {
	[ "$#" -ge 2 ] || die "$1 needs an operand: see $called --help"
}

# near_option OPTION: print ": did you mean" and the nearest option of --help, or nothing if none is near
near_option() {
	# an installed script is in the same directory as suggest.awk
	_lib=${0%/*}/krping.d
	[ -e "$_lib/suggest.awk" ] || _lib=${0%/*}
	# shellcheck disable=SC2046 # words
	_near=$(awk -f "$_lib/suggest.awk" -f "$_lib/nearest.awk" -- "${1#--}" $(show_help "$0" |
		sed -n 's/^ *--\([a-z][a-z-]*\).*/\1/p'))
	[ -z "$_near" ] || printf ': did you mean --%s?' "$_near"
}

# no_such_option OPTION: die because there is no OPTION
no_such_option() {
	die "unknown option $1$(near_option "$1"): see $called --help"
}

is_root() {
	[ "$(id -u)" = 0 ]
}

# show_help FILE: print the comment of a script from the line behind the licence to its end. Under the
# command krping, print krping NAME for scripts/NAME.
show_help() {
	awk -v name="${KRPING:+krping }" '
		NR <= 2 { next }
		!/^#/ { exit }
		{ sub(/^# ?/, "") }
		name != "" { gsub(/scripts\//, name) }
		{ print }' "$1"
}

# cached DIR COMMAND [ARG]...: make DIR unless it exists. Call COMMAND with ARG... and a temporary
# directory, and rename this directory to DIR, so that DIR is never incomplete. A second run waits
# until the first has finished. The caller must have set -e, and must call this function on a line
# of its own, because set -e has no effect in an if or before ||.
cached() {
	_dir=$1
	shift
	[ -d "$_dir" ] && return 0
	mkdir -p "${_dir%/*}" || die "cannot write to ${_dir%/*}: set XDG_CACHE_HOME to a directory of yours"
	(
		flock 9 || die "cannot lock $_dir.lock: is the file system read-only?"
		[ -d "$_dir" ] && exit 0
		# remove the files of a killed run: the lock is free, so no run uses them
		rm -rf "$_dir".tmp.*
		_tmp=$(mktemp -d "$_dir.tmp.XXXXXX") || exit 1
		trap 'rm -rf "$_tmp"' EXIT
		trap 'exit 130' INT TERM HUP
		"$@" "$_tmp"
		chmod 755 "$_tmp"
		mv -T "$_tmp" "$_dir"
	) 9>"$_dir.lock"
}

# missing_packages PACKAGE...: print the packages that are not installed.
missing_packages() {
	command -v dpkg-query >/dev/null ||
		die "this is not a Debian system: install the equivalents of these by hand: $*"
	for _p; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$_p" 2>/dev/null)" = installed ] ||
			printf '%s\n' "$_p"
	done
}

# how_to_install GROUP: print how to install the packages of GROUP, a word that scripts/deps defines.
# An installed krping has no scripts/deps. A guest of scripts/vm can install no packages.
how_to_install() {
	if [ "$1" = plot ] && [ -e "${0%/*}/deps" ] && ! command -v apt-get >/dev/null; then
		echo "this machine has no apt: install gnuplot, or copy OUTDIR to another machine and run the command there"
	elif [ -e "${0%/*}/deps" ]; then
		echo "run (as root) ${0%/*}/deps $1"
	else
		# of the installed scripts only plot and report need more packages
		echo "install it (as root) with apt install gnuplot-nox, or dnf install gnuplot"
	fi
}

# need_commands GROUP COMMAND...: die if a command is missing, and print how to install GROUP.
need_commands() {
	_group=$1
	shift
	for _c; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$_c" >/dev/null ||
			die "$_c is not installed: $(how_to_install "$_group")"
	done
}

# quote WORD...: print the words on one line, quoted for a shell
quote() {
	_sep=
	for _w; do
		printf "%s'%s'" "$_sep" "$(printf '%s\n' "$_w" | sed "s/'/'\\\\''/g")"
		_sep=' '
	done
}

# warn_if_busy FILE [CPUS]: print a warning if more than a quarter of the CPUs (default: all of this
# machine) were busy during the last minute. FILE is /proc/loadavg or has its form.
warn_if_busy() {
	read -r _load _ <"$1" || return 0
	echo "$_load ${2-$(getconf _NPROCESSORS_ONLN)}" | awk '{ exit $1 * 4 > $2 }' ||
		say "warning: this machine is busy, its load is $_load: figures will vary; wait until nothing else runs"
}

# want_file FILE HINT: die unless FILE can be read. If FILE does not exist, the message ends with HINT, a question
# about the likely cause.
want_file() {
	[ -e "$1" ] || die "there is no $1: $2"
	[ -r "$1" ] || die "cannot read $1: permission denied"
}

# add_sweep DIR: append DIR, an OUTDIR of scripts/sweep, to dirs as a line, and count it in runs. If
# the sweep had --devices, append the directory of each device instead.
add_sweep() {
	if [ -r "$1/devices" ]; then
		while IFS= read -r _device; do
			add_sweep "$1/$_device"
		done <"$1/devices"
		return
	fi
	for _file in results.txt results.tsv environment; do
		want_file "$1/$_file" "is $1 an OUTDIR of ${called%"$prog"}sweep?"
	done
	runs=$((runs + 1))
	dirs="$dirs$1
"
}
