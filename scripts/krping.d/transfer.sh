# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping put --in and get --out: a file in several operations of one session. POSIX sh.

# Maximum number of bytes of one get, and of one put from a file. A command has at most 4096 bytes, hex digits
# included. If the device supports less inline data, puts_of_pieces() reduces put_max.
get_max=65536
put_max=2000

# Number of bytes that get prints as text if the user has given no --len
get_shown=256

# Number of puts of one process. Progress is shown between two processes.
puts_at_once=64

# end_transfer: remove the progress and the files of this command, also at its end by a signal
end_transfer() {
	end_wait
	end_progress
	drop_output
	rm -rf "$tmp"
}

# option_bytes NAME: print the value of the option NAME in bytes; print nothing if it was not given
option_bytes() {
	option_of "$1" | in_bytes
}

# show_transfer COMMAND BYTES: with --raw or --json, print the result of COMMAND, the last operation on BYTES, without
# the data. JSON also has the offset, the bytes and the seconds of all operations.
show_transfer() {
	[ "$raw$json" ] || return 0
	: >"$tmp/last"
	[ "$2" = 0 ] || sed '/^data /d' "$tmp/short" >"$tmp/last"
	uptime
	awk -v offset="$offset" -v bytes="$2" -v began="${began-}" -v now="$now" 'BEGIN {
		printf "result offset=%s bytes=%s", offset, bytes
		# a single get has no begin_progress
		print (began == "" ? "" : sprintf(" seconds=%.2f", now - began))
	}' >"$tmp/transfer"
	print_result "$tmp/last" "$1"
}

# above A B: check whether A exceeds B, also if the shell cannot compute with A
above() {
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > b) }'
}

# exact OPTION NUMBER: end unless shells and awks can compute with NUMBER, the value of OPTION. 2^53 bytes exceed
# every memory.
exact() {
	! above "$2" 9007199254740992 || usage "$1 $2 exceeds every region"
}

# Options of the operation, as an extended regular expression, and those of them that each piece repeats
repeated='inline|unchecked|region=.*'
of_operation="(offset|len|data|hex|id)=.*|$repeated"

# options_but REGEX, options_like REGEX: print the options that do not match or match, each behind a comma
options_but() {
	printf '%s\n' "$options" | tr ',' '\n' | grep -vxE "$1" | sed '/./s/^/,/' | tr -d '\n'
}
options_like() {
	printf '%s\n' "$options" | tr ',' '\n' | grep -xE "$1" | sed 's/^/,/' | tr -d '\n'
}

# pieces FUNCTION: set id to the session that the option id= names, or to a new session that ends with this
# command, region to the size of the region, and more to the options of each operation; run FUNCTION
pieces() {
	more=$(options_like "$repeated")
	offset=$(option_bytes offset)
	: "${offset:=0}"
	exact offset "$offset"
	case ,$options in
	*,id=*)
		id=$(option_bytes id)
		region_size
		;;
	*)
		begin_session "$(options_but "$of_operation")"
		[ -z "$(option_bytes region)" ] || region_size
		;;
	esac
	"$1"
}

# region_size: set region to the size of the region of the session $id, or of the open region that the option
# region= names
region_size() {
	_region=$(option_bytes region)
	if [ "$_region" ]; then
		command_run "regions,id=$id" || no_test "$id"
		region=$(value_of "$tmp/short" "region id=$_region" size)
		[ "$region" ] || fail "$st_none" "no open region has the id $_region" "krping session ADDR, and its command regions"
		return
	fi
	command_run "list,id=$id" || no_test "$id"
	region=$(value_of "$tmp/short" "id=$id" size)
}

# begin_progress: remember the time, and whether the terminal can show progress
begin_progress() {
	uptime
	began=$now shown=$now show=''
	! terminal || show=yes
}

# progress BYTES TOTAL: at most once a second, show on a terminal that BYTES of TOTAL are transferred, and how long the
# rest will take. A rate would look like one of the device, but this script takes most of the time.
progress() {
	[ "$show" ] || return 0
	uptime
	[ "${now%.*}" != "${shown%.*}" ] || return 0
	shown=$now
	awk -v n="$1" -v total="$2" -v seconds="$began $now" 'BEGIN {
		split(seconds, at, " ")
		printf "\r%.0f of %.0f bytes  %.0f%%  %.0f s left\033[K", n, total, 100 * n / total,
			(at[2] - at[1]) * (total - n) / n
	}' >&2
}

# took: print the time since begin_progress in brackets. The clock has steps of 0.01 s, so times below 0.05 s are not printed.
took() {
	[ "${began-}" ] || return 0
	uptime
	_seconds=$(awk -v seconds="$began $now" 'BEGIN { split(seconds, at, " "); printf "%.2f", at[2] - at[1] }')
	above 0.05 "$_seconds" || printf ' (%s s)' "$_seconds"
}

# end_progress: remove the progress from the terminal, also at the end of this shell after ^C
end_progress() {
	[ -z "${show-}" ] || printf '\r\033[K' >&2
	show=''
}

# divide: write a command put for each $put_max bytes into $tmp/pieces, as a block of 4096 bytes (see pieces.awk).
# Standard input has the hex digits of the bytes.
divide() {
	awk -v id="$id" -v offset="$offset" -v more="$more" -v max="$put_max" \
		-v count="$tmp/bytes" -f "$lib/pieces.awk" >"$tmp/pieces"
}

# divided STATUS: set _bytes to the number of bytes that divide, which has ended with STATUS, has divided
divided() {
	_bytes=0
	[ "$1" != 0 ] || read -r _bytes <"$tmp/bytes"
	_puts=$(((_bytes + put_max - 1) / put_max))
	if [ "$1" != 0 ] || [ "$(wc -c <"$tmp/pieces" | tr -d ' ')" != $((_puts * 4096)) ]; then
		fail "$st_failed" "the directory ${TMPDIR:-/tmp} has no room for the hex digits of $in" "set TMPDIR to another directory"
	fi
}

# puts_of_file: divide the bytes of $in, which may be a pipe
puts_of_file() {
	{ od -An -v -tx1 <"$in" || : >"$tmp/unread"; } | divide
	divided $?
	if [ -e "$tmp/unread" ] || { [ -f "$in" ] && [ "$_bytes" != "$(wc -c <"$in" | tr -d ' ')" ]; }; then
		fail "$st_failed" "cannot read all bytes of $in"
	fi
}

# puts_of_pieces BYTES: divide the bytes in $tmp/pieces again, into puts of BYTES
puts_of_pieces() {
	put_max=$1
	mv "$tmp/pieces" "$tmp/before"
	sed 's/.*hex=//' "$tmp/before" | divide
	divided $?
	rm "$tmp/before"
}

# inline_max: print the number of inline bytes that the device supports, if the error in $tmp/short has it
inline_max() {
	sed -n 's/^error .*detail="inline: .* the device supports \([1-9][0-9]*\) in a session.*/\1/p' "$tmp/short"
}

# bytes_put: print how many of the $_bytes are written: $total by earlier processes dd, and those that the last one
# has counted in $tmp/dd
bytes_put() {
	_written=$(sed -n 's/^\([0-9]*\)+[0-9]* records out.*/\1/p' "$tmp/dd")
	_written=$((total + ${_written:-0} * put_max))
	echo $((_written < _bytes ? _written : _bytes))
}

# put_interrupted STATUS: end because of a signal, and print how many bytes are written. The put that the signal has
# interrupted may have written its bytes, too, and a dd that a signal has ended may print no count.
put_interrupted() {
	exit_on_signals
	end_progress
	say "interrupted: wrote at least $(bytes_put) of $(counted "$_bytes" byte) at offset $offset"
	exit "$1"
}

# put_pieces FIRST: write $puts_at_once commands of $tmp/pieces from the one with number FIRST on, and add their
# bytes to total. dd writes each block of 4096 bytes with one write(2), which is one command, and ends at the first
# that fails. If the first of all fails because the device supports less inline data, divide the bytes again.
put_pieces() {
	_status=0
	dd bs=4096 skip="$1" count=$puts_at_once if="$tmp/pieces" >&5 2>"$tmp/dd" || _status=$?
	if [ $_status = 0 ]; then
		: >"$tmp/dd"
		total=$((total + puts_at_once * put_max))
		return
	fi
	cat <&5 >"$tmp/short"
	_max=$(inline_max)
	if [ "$total" = 0 ] && [ "${_max:-$put_max}" -lt "$put_max" ]; then
		puts_of_pieces "$_max"
		return
	fi
	end_progress
	say "wrote $(bytes_put) of $(counted "$_bytes" byte) at offset $offset"
	errno_of "$tmp/short"
	# a signal may have ended dd after a command that succeeded
	[ "$errno" != 0 ] || fail "$st_failed" "dd, which writes the commands, ended with status $_status"
	operation_failed "put,id=$id"
}

# fits BYTES CHOICE: end if BYTES at the option offset exceed the region. The server would refuse only the last pieces. CHOICE
# is what the user can choose. With the option unchecked this function checks nothing.
fits() {
	case $region,$more in
	,* | *,unchecked*) return 0 ;;
	esac
	[ "$((offset + $1))" -le "$region" ] ||
		usage "$(counted "$1" byte) at offset $offset exceed the region, which has $region" \
			"choose --offset N and $2 so that their sum is at most $(counted "$region" byte)"
}

# put_file: write the file $in into the server's memory from the option offset on, by several puts of
# the session $id
put_file() {
	begin_progress
	puts_of_file
	fits "$_bytes" "a file"
	exec 5<>"$proc"
	total=0
	: >"$tmp/dd"
	on_signals put_interrupted
	while [ "$total" -lt "$_bytes" ]; do
		put_pieces $((total / put_max))
		progress "$((total < _bytes ? total : _bytes))" "$_bytes"
	done
	exit_on_signals
	cat <&5 >"$tmp/short"
	exec 5>&-
	end_progress
	say "wrote $(counted "$_bytes" byte) at offset $offset$(took)"
	show_transfer "put,id=$id,offset=$((offset + (_bytes - 1) / put_max * put_max))$more" "$_bytes"
}

# get_interrupted STATUS: end because of a signal, and print how many bytes of the region are in the file $out
get_interrupted() {
	exit_on_signals
	end_progress
	if [ "$total" = 0 ] && [ "$partial" != "$out" ]; then
		say "interrupted before the first of $(counted "$_len" byte); nothing was written to $out"
		exit "$1"
	fi
	keep_output
	say "interrupted: the first $total of $(counted "$_len" byte) are in $out"
	exit "$1"
}

# get_rest: get all bytes from the option offset to the end of the region; as text, only the first of them. Say how many,
# because the user has given no number.
get_rest() {
	[ "$region" ] || usage "get needs --len, the number of bytes to read"
	[ "$offset" -lt "$region" ] || usage "offset $offset is not in the region, which has $(counted "$region" byte)"
	_rest=$((region - offset))
	_len=$_rest
	if [ "$out" ]; then
		# before the transfer, which may take long, so that the user can end it
		say "without --len, get reads the memory from offset $offset to its end: $(counted "$_rest" byte)"
		get_file
		return
	fi
	if [ "$raw$json" ]; then
		[ "$_len" -le $get_max ] ||
			usage "the region has $(counted "$_len" byte) at offset $offset, more than the $get_max that can be printed" "add --out FILE, or --len L"
	elif [ "$_len" -gt $get_shown ]; then
		_len=$get_shown
	fi
	operate "get,id=$id,offset=$offset,len=$_len$more"
	report "get,id=$id,offset=$offset,len=$_len$more"
	[ "$_len" = "$_rest" ] ||
		say "these are the first $_len of $_rest bytes from offset $offset on: --len L prints L bytes, --out FILE writes all to FILE"
}

# get_file: read $_len bytes of the server's memory from the option offset on into the file $out, by
# several gets of the session $id
get_file() {
	fits "$_len" "--len L"
	begin_progress
	total=0
	begin_output
	on_signals get_interrupted
	while [ "$total" -lt "$_len" ]; do
		part=$((_len - total))
		[ "$part" -le $get_max ] || part=$get_max
		operate "get,id=$id,offset=$((offset + total)),len=$part$more"
		append_data || write_failed "$_len"
		total=$((total + part))
		progress "$total" "$_len"
	done
	exit_on_signals
	end_progress
	written "$total"
	show_transfer "get,id=$id,offset=$((offset + total - part)),len=$part$more" "$total"
}
