#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The documents that make install installs make sense without the source tree: the installed
#   krping accepts each command of the quick start, each link leads to an installed file, and a document
#   that names files of the source tree says so.
# Requires: no guest; mawk, gawk, busybox
# Duration: 20 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc

to=$tmp/to
documents=$to/usr/share/doc/krping
start=$documents/Documentation/quick-start.md

# installed: check that make install-tools installs the documents
installed() {
	make --no-print-directory install-tools KDIR=/nowhere OFED= DESTDIR="$to" PREFIX=/usr || return 1
	for file in README.md CHANGELOG.md CONTRIBUTING.md Documentation/quick-start.md Documentation/sweep/results.tsv; do
		[ -s "$documents/$file" ] || why "there is no $file" || return 1
	done
	# another user than root runs the commands
	chmod -R go+rX "$tmp"
}

# links: check that each link of a document leads to an installed file. The licence has a place of its own.
links() {
	for file in "$documents"/*.md "$documents"/Documentation/*.md; do
		sed 's/\]([^)]*)/\n&\n/g' "$file" | sed -n 's/^\](\([^)#]*\).*)$/\1/p' | grep -v -e : -e '^COPYING$' -e '^\.\./COPYING$' |
			while read -r link; do
				[ -e "${file%/*}/$link" ] || echo "$file: $link"
			done
	done >"$tmp/dangling"
	[ ! -s "$tmp/dangling" ] || why "$(cat "$tmp/dangling")"
}

# source_named: check that each document that names files of the source tree has the note that the packages do not contain
# these files
source_named() {
	for file in "$documents"/*.md "$documents"/Documentation/*.md; do
		# shellcheck disable=SC2016 # backquotes of the documents
		! grep -qE 'scripts/|tests/|samples/|`make [a-z]|^ +make( |$)' "$file" || sed 6q "$file" | grep -q 'source tree' ||
			why "$file names the source tree without a note" || return 1
	done
	! grep -nE '^ +(.* )?scripts/(krping|sweep|plot|report|softrdma|hardware-report)( |$)|-f awkit/' -r "$documents"
}

# without_source: check that the quick start names nothing of the source tree
without_source() {
	! grep -nE 'scripts/|tests/|samples/|packaging/|awkit/|make |checkout' "$start" || return 1
	[ "$(wc -l <"$start")" -le 80 ] || why "the quick start has more than 80 lines"
}

# named: check that krping help, krping(1) and README name the quick start
named() {
	PATH=$to/usr/bin:$PATH
	# shellcheck disable=SC2086 # a shell may be two words
	eq "$($shell "$to/usr/bin/krping" help | sed -n 's/^Quick start: //p')" "$(readlink -f "$start")" "krping help" || return 1
	grep -q '^\.Pa /usr/share/doc/krping/Documentation/quick-start.md$' "$to/usr/share/man/man1/krping.1" ||
		why "krping(1) lacks it" || return 1
	sed 4q "$documents/README.md" | grep -q '(Documentation/quick-start.md)' || why "README.md lacks it"
}

# unprivileged LINE: run a line of the quick start as another user than root, who cannot load a module. The line may
# begin with sudo.
unprivileged() {
	user=
	[ "$(id -u)" != 0 ] || user="setpriv --reuid 65534 --regid 65534 --clear-groups"
	# shellcheck disable=SC2016,SC2086 # words; the inner shell expands
	(cd "$tmp/results" && $user env TMPDIR="$tmp/results" PATH="$to/usr/bin:$PATH" sh -c '
		shell=$1 krping=$2
		krping() { $shell "$krping" "$@"; }
		sudo() { "$@"; }
		eval "$3"' - "$shell" "$to/usr/bin/krping" "$1" </dev/null)
}

# accepted LINE: check that krping accepts the words of a line, as far as a user without privileges learns: the
# command succeeds, or it fails only for want of root, of gnuplot, or of a test before it
accepted() {
	unprivileged "$1" >"$tmp/out" 2>&1
	status=$?
	[ "$status" != 0 ] || return 0
	if grep -qE "there is no |unknown |is no option|did you mean" "$tmp/out" ||
		! grep -qE "/proc/krping is for root only|only root can |needs root: |gnuplot is not installed|no test since the boot " "$tmp/out"; then
		why "status $status: $1: $(cat "$tmp/out")"
	fi
}

# suite_words LINE: print the sweep that a line with bench-suite runs, because bench-suite checks the words behind -- only
# after it has found the module
suite_words() {
	echo "$1" | sed -n 's/bench-suite \([^ ]*\) \([^ ]*\) -- /sweep \1 \2.sweep /p'
}

# commands: check that the installed krping accepts each command of the quick start
commands() {
	rm -rf "$tmp/results"
	mkdir -p "$tmp/results"
	cp -R tests/sweep/first "$tmp/results/before"
	cp -R tests/sweep/first "$tmp/results/after"
	chmod -R go+rwX "$tmp/results"
	sed -n 's/^    //p' "$start" >"$tmp/lines"
	[ "$(wc -l <"$tmp/lines")" -ge 20 ] || why "the quick start has few commands" || return 1
	! grep -vE '^(sudo )?krping ' "$tmp/lines" || return 1
	while read -r line; do
		case $line in
		# doctor examines the machine, which takes long, so give it an unknown option, which it refuses at once
		*" doctor "*)
			unprivileged "$line --zz" >"$tmp/out" 2>&1
			grep -qE "there is no option '(--)?zz'" "$tmp/out" || why "$line: $(cat "$tmp/out")" || return 1
			continue
			;;
		esac
		accepted "$line" || return 1
		suite=$(suite_words "$line")
		[ -z "$suite" ] || accepted "$suite" || return 1
	done <"$tmp/lines"
}

# refused: check that the test of a command fails with a word that krping lacks
refused() {
	for line in "sudo krping lod" "sudo krping wlat 192.0.2.1 --sise 64" "krping compare before after --forse" \
		"sudo krping softrdma upp rxe" "sudo krping sweep 192.0.2.1 x.sweep --kind wlat"; do
		! accepted "$line" || why "accepted: $line" || return 1
	done
}

# each_check: make the checks of the command under one pair of a shell and an awk, which $under names
each_check() {
	check "the installed krping accepts each command of the quick start: $under" commands
	check "the installed krping refuses a misspelled command of the quick start: $under" refused
	check "krping help, krping(1) and README name the installed quick start: $under" named
}

check "make install installs the documents" installed
check "each link of an installed document leads to an installed file" links
check "an installed document that names the source tree says so" source_named
check "the quick start names nothing of the source tree" without_source
PATH=$tmp/awk:$PATH
each_shell each_check

t_end
