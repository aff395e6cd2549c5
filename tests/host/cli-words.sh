#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping accepts options in each form, suggests the nearest word for a wrong command or
#   option, has --help for each command, and ends with status 4 without the module.
# Requires: no guest; mawk, gawk, busybox
# Duration: 15 s

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=words.inc
. tests/host/words.inc

lib=scripts/krping.d

# parsed WANTED WORD...: check that options.awk turns the words of a command line into the assignments
# WANTED
parsed() {
	want=$1
	shift
	awk -f "$lib/suggest.awk" -f "$lib/foreign.awk" -f "$lib/options.awk" -- "$lib/options" "json interval= out=" "$@" >"$tmp/parsed" || return 1
	eq "$(tr '\n' ' ' <"$tmp/parsed")" "$want " assignments
}

# near WORD CANDIDATES WANTED: check that nearest.awk suggests WANTED for WORD: one or more of CANDIDATES, or
# nothing
near() {
	# shellcheck disable=SC2086 # words
	eq "$(awk -f "$lib/suggest.awk" -f "$lib/nearest.awk" -- "$1" $2)" "$3" suggestion
}

# narrow: check that no line of the last output is wider than 80 columns
narrow() {
	eq "$(awk 'length($0) > 80' "$tmp/out")" "" "list of lines wider than 80 columns"
}

# every_help: check that --help, -h and help print the usage and an example of each command, in 80 columns
every_help() {
	prints "Usage: krping COMMAND" --help && narrow || return 1
	for c in $commands; do
		prints "Usage: " "$c" --help && narrow || return 1
		case $c in
		sweep | plot | report | hardware-report | softrdma | session | show | hist)
			prints "Example: " "$c" --help || return 1
			grep -q "^Usage: krping $c " "$tmp/out" || why "no usage of krping $c" || return 1
			continue
			;;
		esac
		prints "Example: krping $c" "$c" -h || return 1
		prints "Usage: krping $c" help "$c" || return 1
	done
}

# every_suggestion: check that each command suggests the nearest of its own options
every_suggestion() {
	while read -r c option status near; do
		ends "$status" "did you mean --$near?" "$c" "--$option" || return 1
	done <<-'END'
		list jsno 2 json
		top onec 2 once
		stop al 2 all
		show rwa 2 raw
		log folow 2 follow
		compare alhpa 2 alpha
		bench-suite repaet 2 repeat
		sweep kind 1 kinds
		plot siez 1 size
		report titel 1 title
		hardware-report quikc 2 quick
	END
}

# suggests_help: check that hist and drain suggest --help for a misspelled --help, and that show rejects an
# unknown option
suggests_help() {
	for c in hist drain; do
		ends 2 "did you mean --help?" "$c" --hlep && ! grep -q "no file" "$tmp/err" || return 1
	done
	ends 2 "there is no option '-x'" show -x
}

# habits: check that a name which other programs have for a test or a role gets the names of krping's tests
habits() {
	ends 2 "a client is a test, such as wlat or bw" client ::1 && ends 2 "the latency tests are wlat" latency ::1 &&
		ends 2 "the throughput tests are bw" throughput ::1 && ends 2 "did you mean device or duration?" wlat ::1 -d 2
}

# forms: check that each command accepts the forms of the output that its row of Documentation/krping-command.md has, and
# refuses the others. "zz" is an operand that every command refuses after its options.
forms() {
	awk -F '|' '
		/^## / { inside = /^## Forms of the output/ }
		inside && / (yes|no) / { gsub(/[`,]/, ""); print $3, $4, $5, $2 }' Documentation/krping-command.md |
		sed 's/all other commands/compare doctor stop top session hist log/' >"$tmp/forms"
	eq "$(wc -l <"$tmp/forms")" 3 rows || return 1
	while read -r json csv raw named; do
		for c in $named; do
			for form in "json $json" "csv $csv" "raw $raw"; do
				$shell scripts/krping "$c" "--${form% *}" zz </dev/null >"$tmp/out" 2>&1
				grep -Eq "there is no option '(--)?${form% *}'" "$tmp/out"
				case $?,${form#* } in
				0,no | 1,yes) ;;
				*) why "$c --${form% *}: $(cat "$tmp/out")" || return 1 ;;
				esac
			done
		done
	done <"$tmp/forms"
}

# softrdma_words: check that softrdma suggests an option, a command and a type, before it needs root
softrdma_words() {
	ends 1 "did you mean --netdev?: see krping softrdma --help" softrdma up rxe --netdv eth0 &&
		ends 1 "did you mean down?" softrdma donw && ends 1 "did you mean rxe?" softrdma up rex &&
		ends 1 "'lo' is an interface: --netdev lo makes a device on it" softrdma up rxe lo &&
		ends 1 "'lo' is an interface: --netdev lo makes a device on it" softrdma up rxe first lo &&
		ends 1 "krping softrdma up rxe" softrdma up
}

# line FORM WANTED WORD...: check that options.awk turns the words of a line of a session, whose command has
# the form FORM, into the assignments WANTED
line() {
	form=$1 want=$2
	shift 2
	eq "$(awk -v form="$form" -f "$lib/suggest.awk" -f "$lib/foreign.awk" -f "$lib/options.awk" -- "$lib/options" "" "$@" | tr '\n' ' ')" "$want " assignments
}
# no_side: check that the help of an option that only a client can have has no line about the server
no_side() {
	prints "operand: " help rate && ! grep "^server:" "$tmp/out"
}

# session_lines: check three lines of a session: one with a word that is no option, one with an unknown
# option, and one without an error
session_lines() {
	line "put offset=O data=TEXT" "wrong=''\\''5'\\'' is no option; the form is: put offset=O data=TEXT'" 5 hello &&
		line "get offset=O len=L" "wrong='there is no option '\\''ofset'\\'': did you mean offset?'" ofset=3 &&
		line "open [rw]" "addr='' options='rw'" rw
}

# foreign: check that krping suggests its own words for options and commands of other programs
foreign() {
	while read -r word near; do
		ends 2 "did you mean $near?" bw ::1 "$word" 5 || return 1
	done <<-'END'
		--iters count
		--depth txdepth
		--iodepth txdepth
		--time duration
		--bidirectional duplex
		-P qps
		-S size
		-t duration or txdepth
		--bs size
		--runtime duration
		--mode mem_mode
		--bind source
		-l size or batch
		--post_list batch
		-Q cqmod
		--cq-mod cqmod
		--rx-depth txdepth
		--window txdepth
		-I inline
		--inline_size inline
		--sl tos
		-T tos
		--qp-timeout ack_timeout
		--use-srq srq
		--atomic_type atomic
		-H histogram
		--report-histogram histogram
		--gid-index source or device
		--ib-port source or device
		--rate_limit rate
		-C count
		-V verbose or validate
	END
	ends 2 "did you mean source or device?" help gid_index && ends 2 "did you mean duration?" help -D &&
		ends 2 "did you mean interval?" help -i || return 1
	ends 2 "did you mean count?" ping ::1 -c 5 || return 1
	ends 2 "did you mean server?" -s && ends 2 "krping bw ADDR" -c ::1 && ends 2 "did you mean version?" -v && prints "krping 1.0" -V || return 1
	ends 2 "did you mean wlat?" ib_write_lat ::1 && ends 2 "did you mean rlat?" read_lat ::1 && ends 2 "did you mean ping?" rping
}

# usage_has_all: check that krping --help has every command
usage_has_all() {
	krping --help
	for c in $commands; do
		grep -qw -- "$c" "$tmp/out" || why "--help lacks $c" || return 1
	done
}

commands=$(sed -n '/^krping_commands="/,/"$/p' scripts/krping | tr -d '"' | sed 's/krping_commands=//')
# two_sources: check that put refuses a file together with other bytes or a length
two_sources() {
	for w in --data=x --hex=00 --len=5; do
		ends 2 "--in FILE gives the bytes: leave out --data, --hex and --len" put ::1 --in "$tmp/a,data=b" "$w" || return 1
	done
	: >"$tmp/a,data=b"
	krping put 198.18.0.1 --in "$tmp/a,data=b"
	! grep "leave out" "$tmp/err"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "options are accepted as name=value, --name=value and --name value: $under" \
		parsed "addr='::1' options='count=3,size=4k,txdepth=5'" ::1 count=3 --size=4k --txdepth 5
	check "flags are accepted with and without dashes: $under" parsed "addr='::1' options='validate,poll'" validate ::1 --poll
	check "options of krping are kept apart from those of the module: $under" \
		parsed "json='yes' interval='2' out='a b' addr='::1' options=''" --json -i 2 --out "a b" ::1
	check "-n, -s, -D and -p are count, size, duration and port: $under" \
		parsed "addr='::1' options='count=3,size=4k,duration=2,port=7'" ::1 -n 3 -s 4k -D 2 -p 7
	check "a short option and its operand may be one word: $under" \
		parsed "addr='::1' options='count=3,size=4k,duration=2,port=7'" ::1 -n3 -s4k -D2 -p7
	check "data= with a comma becomes hex=: $under" parsed "addr='' options='data=x y,hex=612c62'" "data=x y" --data "a,b"
	check "data= with a quote remains the same: $under" parsed "addr='' options='data=it'\\''s'" "data=it's"
	check "an operand with a comma is refused: $under" \
		parsed "wrong='the operand of '\\''device'\\'' has a comma, a blank or a control character'" "device=a,stop"
	check "a word with swapped letters gets a suggestion: $under" near cuont "count clients stop" count
	check "a word without one letter gets a suggestion: $under" near valdate "validate verbose" validate
	check "the beginning of a word gets a suggestion: $under" near mem "mem_mode retry" mem_mode
	check "two words that are equally near are both suggested: $under" near rbe "rbw sbw rba" "rbw or rba"
	check "a word that resembles no other word gets no suggestion: $under" near xyzzy "count size" ""
	check "an unknown command gets a suggestion: $under" ends 2 "did you mean wlat?" wlta ::1
	check "client, latency and throughput, which are no commands, get the names of tests: $under" habits
	check "report-bug, which is no command, gets the suggestion doctor --bundle: $under" \
		ends 2 "krping doctor ADDR --bundle FILE" report-bug
	check "an unknown option of the module gets a suggestion: $under" ends 2 "did you mean count?" wlat ::1 --cuont=3
	check "an unknown word that is no address gets a suggestion: $under" ends 2 "did you mean validate?" wlat ::1 validte
	check "an unknown option of krping gets a suggestion: $under" ends 2 "did you mean json?" wlat ::1 --jsno
	check "an option without its operand is refused: $under" ends 2 "'count' takes an operand" wlat ::1 --count
	check "a flag with an operand is refused: $under" ends 2 "'validate' takes no operand" wlat ::1 --validate=1
	check "a test as an option of another test is refused: $under" ends 2 "'bw' is a command" wlat ::1 bw
	check "a client without an address is refused: $under" ends 2 "ADDR is missing" wlat
	check "two addresses are refused: $under" ends 2 "two addresses: ::1 and ::2" wlat ::1 ::2
	check "a word in addition to the address is refused: $under" ends 2 "'hello' is no option, and the address is ::1 already: did you mean --data hello?" put ::1 hello
	check "an address with a port gets the suggestion --port: $under" ends 2 "give the address, and --port 10000" wlat 198.18.0.1:10000
	check "two formats of output are refused: $under" ends 2 "exclude each other" wlat ::1 --json --csv
	check "put refuses a file together with other bytes or a length: $under" two_sources
	check "an interval that is no number is refused: $under" ends 2 "-i takes a number" wlat ::1 -i 1x
	check "bench-suite explains that --duration takes whole seconds: $under" ends 2 "takes whole seconds, as the module's option duration does, not '0.5'; to end sooner: -- --count N" bench-suite ::1 "$tmp/x" -D 0.5
	check "krping without arguments prints its usage and ends with status 2: $under" ends 2 "Usage: krping COMMAND"
	check "stop without an id is refused: $under" ends 2 "give its ID, or --all" stop
	check "stop with an id that is no number is refused: $under" ends 2 "'x' is no id" stop x
	check "help explains an option: $under" prints "operand: dma or reg" help mem_mode
	check "krping help says that the server has a poll of its own: $under" prints "server: has its own; the client's does not change it, so give it to krping server, too" help poll
	check "krping help says that the server adopts the size of the client: $under" prints "server: adopts the client's" help size
	check "help of an option for one side says nothing about the server: $under" no_side
	check "help explains an alias of an option: $under" prints "txdepth, tx-depth: " help tx-depth
	check "help of an unknown word gives a suggestion: $under" ends 2 "did you mean count?" help cunt
	check "help suggests a word that is a command and an option only once: $under" ends 2 "did you mean list?" help lst
	check "each command has --help with an example: $under" every_help
	check "each command suggests the nearest of its options: $under" every_suggestion
	check "hist, drain and show refuse unknown options: $under" suggests_help
	check "each command has the forms of the output that the documentation names: $under" forms
	check "softrdma suggests the nearest word: $under" softrdma_words
	check "in a session, a word that is no option gives the form of the command: $under" session_lines
	check "options and commands of perftest, iperf3 and rping get suggestions: $under" foreign
	check "help options states the unit of a time: $under" prints "0: none [milliseconds]" help options
	check "the help of a test states the unit of --timeout: $under" help_has "in milliseconds (default 5000)" wlat
	check "conform --help states that deviates is no failure of the run: $under" help_has "a device breaks the rule; the run itself" conform
	check "put --help names --shared, which a later get needs: $under" prints "start the server with --shared" put --help
	check "session --help states that open and close fail with --shared: $under" help_has "open and close work on a server without" session
	check "drain --help states which ID it takes: $under" prints "shows the state listening" drain --help
	check "server --help names --quiet for a server in the background: $under" prints "krping server --quiet &" server --help
	check "--help has each command: $under" usage_has_all
	if [ ! -e /proc/krping ] && [ "$(id -u)" = 0 ]; then
		check "without the module krping names krping load and ends with status 4: $under" ends 4 "next: krping load" wlat ::1
	fi
}

PATH=$tmp/awk:$PATH
each_shell each_check

check "krping has the version of the module" eq "$(sed -n 's/^krping_version=//p' scripts/krping)" \
	"$(sed -n 's/^#define KRPING_VERSION "\(.*\)"/\1/p' krping/version.h)"
# options_are_current: check that krping.d/options has the options of the module
options_are_current() {
	make -s -C tests/unit O="$tmp/unit" help >"$tmp/help" &&
		grep -v '^#' "$lib/options" | diff - "$tmp/help"
}
check "krping.d/options is the output of help (make options-table)" options_are_current
# short_files: check the lengths of krping's files
short_files() {
	for f in scripts/krping "$lib"/*; do
		[ "$(wc -l <"$f")" -le 400 ] || why "$f is too long" || return 1
	done
}
check "no file of krping is longer than 400 lines" short_files

t_end
