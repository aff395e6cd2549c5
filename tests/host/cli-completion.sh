#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: The completion scripts of krping are up to date, and complete commands, options in each
#   form, words of operands, devices and files in bash and zsh.
# Requires: no guest; bash; zsh, else its checks are skipped
# Duration: 30 s

set -u
cd "$(dirname "$0")/../.." || exit 1
. scripts/lib.sh

# shellcheck source=../lib-host.sh
. tests/lib-host.sh

files=$PWD/packaging/completion
KRPING_ROOT=$tmp/root
export KRPING_ROOT
mkdir -p "$KRPING_ROOT/sys/class/infiniband/rxe7" "$KRPING_ROOT/run/krping" "$tmp/here/results.d" "$tmp/bin"
: >"$KRPING_ROOT/run/krping/25"
: >"$KRPING_ROOT/run/krping/26"
: >"$KRPING_ROOT/run/krping/last"
# a krping whose list has recorded lines, because only root can list tests, and only with the module
cat >"$tmp/bin/krping" <<-'END'
	#!/bin/sh
	[ "$*" = "list --raw" ] || exit 2
	echo 'result id=0 status=ok errno=0'
	echo 'id=12 test=wlat role=server device=rxe0 state=listening iterations=0'
	echo 'id=137 test=wlat role=client device=rxe0 state=running iterations=5'
END
chmod +x "$tmp/bin/krping"
PATH=$tmp/bin:$PATH
: >"$tmp/here/results.txt"

# current: check that scripts/completion writes the files of packaging/completion
current() {
	scripts/completion "$tmp" && diff packaging/completion/krping.bash "$tmp/krping.bash" &&
		diff packaging/completion/_krping "$tmp/_krping"
}

#
# bash
#

# bash_typed LINE: type LINE and a tab into a bash; print the completed line, which ^X writes
bash_typed() {
	cat >"$tmp/rc" <<-END
		. "$files/krping.bash"
		line() { printf '%s|\n' "\$READLINE_LINE" >"$tmp/line"; exit; }
		bind -x '"\C-x": line'
		bind 'set bell-style none'
	END
	rm -f "$tmp/line"
	(cd "$tmp/here" && printf '%s\t\030\n' "$1" |
		timeout 60 bash --noprofile --rcfile "$tmp/rc" -i >"$tmp/screen" 2>&1)
	cat "$tmp/line" || cat "$tmp/screen"
}

# bash_offers WORD...: print, in one line, the completions that bash offers for the last WORD
bash_offers() {
	# shellcheck disable=SC2016 # for the other bash
	(cd "$tmp/here" && bash -c '. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		compopt() { :; }
		_krping
		echo "${COMPREPLY[*]}"' "$files/krping.bash" "$@")
}

#
# zsh
#

# zsh_run LINE: type LINE and a tab into a zsh; $tmp/line gets the completed line, and $tmp/offers
# the matches of the last word
zsh_run() {
	cat >"$tmp/inner" <<-END
		fpath=("$files" \$fpath)
		autoload -Uz compinit && compinit -u -D
		compadd() {
			local -a matches
			builtin compadd -O matches "\$@"
			(( ! \$#matches )) || print -rl -- \$matches >>"$tmp/offers"
			builtin compadd "\$@"
		}
		line() { print -r -- "\$BUFFER|" >"$tmp/line"; exit }
		zle -N line
		bindkey '^X' line
		LISTMAX=10000
		PS1='rea''dy'
	END
	# shellcheck disable=SC2016 # for zsh
	(cd "$tmp/here" && : >"$tmp/offers" && rm -f "$tmp/line" && TERM=dumb timeout 60 zsh -f -c '
		zmodload zsh/zpty
		zpty inner zsh -f -i
		zpty -w inner ". $1"
		zpty -r inner screen "*ready"
		zpty -w -n inner "$2"$'"'\\t\\x18'"'
		while zpty -r inner screen; do :; done' zsh "$tmp/inner" "$1") >"$tmp/screen" 2>&1
	[ -e "$tmp/line" ] || cat "$tmp/screen"
}

# zsh_typed LINE: print the line to which zsh completes LINE
zsh_typed() {
	zsh_run "$1" && cat "$tmp/line"
}

# zsh_offers LINE: print, in one line, the completions that zsh offers for the last word of LINE
zsh_offers() {
	zsh_run "$1" && sort -u "$tmp/offers" | tr '\n' ' '
}

#
# The same cases for both shells
#

# types LINE WANTED: check that $shell (bash or zsh) completes LINE to WANTED
types() {
	eq "$("${shell}_typed" "$1")" "$2|" line
}

# offers LINE WANTED [WORD...]: check that $shell offers WANTED for the end of LINE, which readline
# divides into WORD...
offers() {
	line=$1 want=$2
	shift 2
	if [ "$shell" = bash ]; then
		eq "$(bash_offers "$@" | tr ' ' '\n' | sort -u | tr '\n' ' ')" "$want " offers
	else
		eq "$(zsh_offers "$line")" "$want " offers
	fi
}

# every_command: check that each command of krping but help and softrdma offers --help, also a command whose
# operands are files
every_command() {
	for c in $(sed -n '/^krping_commands="/,/"$/p' scripts/krping | tr -d '"' | sed 's/krping_commands=//'); do
		case $c in
		help | softrdma) continue ;;
		esac
		offers "krping $c --hel" --help krping "$c" --hel || return 1
	done
}

# ids: check that stop offers the ids of running tests, drain those of servers, and hist those of kept results
ids() {
	offers "krping stop 1" "12 137" krping stop 1 && offers "krping drain 1" 12 krping drain 1 &&
		offers "krping hist 2" "25 26" krping hist 2
}

# cases: make all checks with $shell
cases() {
	check "$shell completes a command" types "krping wla" "krping wlat "
	check "$shell completes an option with --" types "krping wlat ::1 --val" "krping wlat ::1 --validate "
	check "$shell completes an option with =" types "krping bw ::1 txd" "krping bw ::1 txdepth="
	check "$shell completes a word of an operand after =" types "krping bw ::1 mem_mode=r" "krping bw ::1 mem_mode=reg "
	check "$shell completes a word of an operand after a blank" types "krping bw ::1 --cq w" "krping bw ::1 --cq workqueue "
	check "$shell completes a device after =" types "krping bw ::1 device=r" "krping bw ::1 device=rxe7 "
	check "$shell completes a device after a blank" types "krping bw ::1 --device r" "krping bw ::1 --device rxe7 "
	check "$shell completes an option after name=value" types "krping bw ::1 size=4k vali" "krping bw ::1 size=4k validate "
	check "$shell completes a file" types "krping compare results.t" "krping compare results.txt "
	check "$shell completes the file of --out" types "krping get ::1 --out results.t" "krping get ::1 --out results.txt "
	check "$shell guesses no address" types "krping wlat 10" "krping wlat 10"
	check "$shell guesses no number" types "krping wlat ::1 --count " "krping wlat ::1 --count "
	check "$shell guesses no number after a short option" types "krping wlat ::1 -s " "krping wlat ::1 -s "
	check "$shell offers --port for doctor" types "krping doctor ::1 --po" "krping doctor ::1 --port "
	check "$shell offers the words of an operand" offers "krping wlat ::1 mem_mode=" "dma reg" \
		krping wlat ::1 mem_mode = ""
	check "$shell offers the options that begin with the typed letters" offers "krping wlat ::1 --rn" "--rnr_retry" krping wlat ::1 --rn
	check "$shell offers both commands that begin with the typed letters" offers "krping lo" "load log" krping lo
	check "$shell offers --help for each command" every_command
	check "$shell offers the ids of tests for stop, drain and hist" ids
}

check "the completions have all options (make options-table)" current
shell=bash
cases
if command -v zsh >/dev/null; then
	shell=zsh
	cases
else
	skip "the cases of bash under zsh" "zsh is not installed: see scripts/deps check"
fi

t_end
