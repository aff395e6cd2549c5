#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: krping get --out makes a file of the hex digits that the module prints, and replaces an existing file
#   only if the get has succeeded. cli-transfer.sh checks put --in, guest/cli-remote both through the module.
# Requires: no guest; mawk, gawk, busybox
# Duration: 4 s
# shellcheck disable=SC2016 # the shell of transfer() expands

set -u
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=shells.inc
. tests/host/shells.inc
# shellcheck source=transfer.inc
. tests/host/transfer.inc

# no_output: check that get fails if it cannot write the bytes to a device
no_output() {
	ends_with 14 "cannot write 4 bytes to /dev/full" \
		'operate() { echo "data offset=0 hex=00112233" >"$tmp/short"; }; out=/dev/full _len=4; get_file'
}

# no_directory: check that get writes no command if it cannot open the file of its output
no_directory() {
	: >"$tmp/proc"
	ends_with 2 "krping: error: cannot write $tmp/none/out" "out=$tmp/none/out; remote_get" &&
		ends_with 2 "krping: error: cannot write $tmp" "out=$tmp; remote_get" &&
		eq "$(wc -c <"$tmp/proc")" 0 "bytes of the commands" && ! grep create "$tmp/err"
}

# got_bytes: check that get writes each byte, also if neither the shell nor env has a printf that knows hex escapes
got_bytes() {
	head -c 65536 "$tmp/in" >"$tmp/part"
	echo "data offset=0 hex=$(od -An -v -tx1 <"$tmp/part" | tr -d ' \n') text=\". hex=1 text=. hex=2.\"" >"$tmp/data"
	for _octal in : 'printf() { case $1 in *x*) echo ;; *) command printf "$@" ;; esac; }; env() { echo; }'; do
		rm -f "$tmp/got"
		transfer eval "$_octal; cp $tmp/data \$tmp/short; out=$tmp/got; begin_output; append_data; keep_output" && cmp "$tmp/part" "$tmp/got" ||
			why "$(cat "$tmp/err")" || return 1
	done
}

# few_reads: check that get, with the data of got_bytes, reads no file byte by byte
few_reads() {
	# shellcheck disable=SC2086 # a shell may be two words
	strace -f -qq -e trace=read -o "$tmp/trace" $shell "$tmp/transfer" "$tmp" eval "cp $tmp/data \$tmp/short; out=$tmp/got; begin_output; append_data" &&
		eq "$(($(wc -l <"$tmp/trace") / 10000))" 0 "tens of thousands of reads"
}

# no_reader: check that get ends the session if nothing reads its output
no_reader() {
	rm -f "$tmp/ended"
	cat >"$tmp/piped" <<-'END'
		out=/dev/stdout _len=100000000 again=
		read_result() { echo "result id=8 status=ok errno=0 size=100000000" >"$1"; }
		command_run() { echo "$1" >>"$ended"; }
		operate() { echo "data offset=0 hex=00112233" >"$tmp/short"; }
		begin_session ""
		get_file
	END
	# shellcheck disable=SC2086 # a shell may be two words
	$shell "$tmp/transfer" "$tmp" eval "ended=$tmp/ended; . $tmp/piped" 2>"$tmp/err" </dev/null | head -c 4 >"$tmp/out"
	for _ in $(seq 100); do
		[ ! -e "$tmp/ended" ] || break
		sleep 0.1
	done
	eq "$(cat "$tmp/ended")" "stop,id=8" "last command" || why "$(cat "$tmp/err")"
}

# get_ended: check that get prints how many bytes the file has if a signal ends it in the second operation
get_ended() {
	got=$tmp/got ends_with 143 "krping: interrupted: the first 65536 of 300000 bytes are in $tmp/got" \
		'operate() {
			[ "$total" = 0 ] || kill -TERM $$
			awk "BEGIN { for (s = \"5a\"; length(s) < 131072; s = s s); print \"data offset=0 hex=\" s }" >"$tmp/short"
		}
		out=$got _len=300000; get_file' &&
		eq "$(head -c 65536 "$tmp/got" | tr -d Z | wc -c | tr -d ' ')" 0 "bytes that differ"
}

# unchanged: check that a file keeps its bytes if the second operation of a get fails, or a signal ends the first one, and
# that neither leaves a file
unchanged() {
	rm -rf "$tmp/dir"
	mkdir "$tmp/dir"
	echo before >"$tmp/dir/got"
	got=$tmp/dir/got ends_with 9 "get has failed" 'operate() {
		[ "$total" = 0 ] || { echo "result id=7 status=failed errno=5" >"$tmp/short"; operation_failed get; }
		echo "data offset=0 hex=00112233" >"$tmp/short"
	}
	cmd=get out=$got _len=100000 again=; trap end_transfer EXIT; get_file' &&
		ends_with 143 "interrupted before the first of 5 bytes; nothing was written to $tmp/dir/got" \
			"out=$tmp/dir/got"' _len=5; operate() { kill -TERM $$; sleep 0; }; trap end_transfer EXIT; get_file' &&
		ends_with 2 "cannot write" "want_writable $tmp/dir/new; [ ! -e $tmp/dir/new ] && want_writable $tmp/dir" &&
		eq "$(cat "$tmp/dir/"*)" before "bytes of all files"
}

# replaced: check that the new file has the rights of the old one, that get follows a link, and obeys umask
replaced() {
	rm -rf "$tmp/dir"
	mkdir "$tmp/dir"
	echo before >"$tmp/dir/got"
	chmod 640 "$tmp/dir/got"
	ln -s got "$tmp/dir/link"
	for _name in link new; do
		transfer eval "operate() { echo 'data offset=0 hex=4142' >\$tmp/short; }; umask 027; out=$tmp/dir/$_name _len=2; get_file" ||
			why "$(cat "$tmp/err")" || return 1
	done
	eq "$(cd "$tmp/dir" && stat -c '%n %a %s %F' ./* | tr '\n' ,)" \
		"./got 640 2 regular file,./link 777 3 symbolic link,./new 640 2 regular file," "files"
}

# without_len: check how many bytes get reads without --len, and that it says so: as text the first 256, else the rest.
# With --out it says so before the transfer.
without_len() {
	: >"$tmp/ran"
	cat >"$tmp/rest" <<-'END'
		operate() { echo "$1" >&2; echo "data offset=0 hex=4142 text=\"AB\"" >"$tmp/short"; }
		print_result() { :; }
		written() { keep_output; }
		more='' offset=4 region=$size
		get_rest
	END
	for _case in "504 out=" "260 out=" "504 json=yes" "504 out=$tmp/got"; do
		transfer eval "out= size=${_case% *}; ${_case#* }; . $tmp/rest" || why "$(cat "$tmp/err")" || return 1
		cat "$tmp/err" >>"$tmp/ran"
	done
	printf '%s\n' get,id=7,offset=4,len=256 "krping: these are the first 256 of 500 bytes from offset 4 on: --len L prints L bytes, --out FILE writes all to FILE" \
		get,id=7,offset=4,len=256 get,id=7,offset=4,len=500 \
		"krping: without --len, get reads the memory from offset 4 to its end: 500 bytes" get,id=7,offset=4,len=500 |
		diff - "$tmp/ran"
}

# each_check: make all checks under one pair of a shell and an awk, which $under names
each_check() {
	check "get --out fails if it cannot write: $under" no_output
	check "get --out needs a file that can be written: $under" no_directory
	check "get --out writes each byte: $under" got_bytes
	check "get --out to a pipe that nothing reads ends its session: $under" no_reader
	check "get --out that a signal ends prints how many bytes are in the file: $under" get_ended
	check "get --out that fails keeps the old file: $under" unchanged
	check "get --out replaces a file and keeps its rights: $under" replaced
	check "get without --len says how many bytes there are: $under" without_len
	traced "get --out reads no file byte by byte: $under" few_reads
}

PATH=$tmp/awk:$PATH
each_shell each_check

t_end
