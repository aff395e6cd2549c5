# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping get --out: write the file. POSIX sh.

# The file that get writes before it has all bytes: see begin_output
partial=

# begin_output: set partial to a new file beside $out. keep_output renames it, so a get that fails keeps the old file.
# The new file has the owner and the rights of the old one. If $out is a device or a FIFO, or its directory cannot have
# another file, then partial is $out.
begin_output() {
	partial=$out
	case $out in
	# a file behind /dev/stdout is open for others, who would not see the new file
	/dev/* | /proc/*) ;;
	*)
		_target=$(readlink -f "$out") || _target=$out
		if [ -f "$_target" ] || [ ! -e "$_target" ]; then
			partial=$(mktemp "$_target.XXXXXX" 2>/dev/null) || partial=$out
		fi
		;;
	esac
	if [ "$partial" = "$out" ]; then
		[ "$out" = /dev/stdout ] || : >"$out"
	elif [ -e "$_target" ]; then
		chmod "$(stat -c %a "$_target")" "$partial"
		chown "$(stat -c %u:%g "$_target")" "$partial"
	else
		chmod "$(printf '%o' $((0666 & ~$(umask))))" "$partial"
	fi
}

# keep_output: let $out have the bytes that get has written
keep_output() {
	[ "$partial" = "$out" ] || mv -f "$partial" "$_target" || write_failed "$_len"
	partial=
}

# drop_output: remove the file that get has begun
drop_output() {
	[ -z "$partial" ] || [ "$partial" = "$out" ] || rm -f "$partial"
	partial=
}

# has_size: check whether $partial is a file whose size is that of the bytes of get. /dev/stdout may have other bytes, and
# in a command substitution it would be a pipe.
has_size() {
	[ "$partial" != /dev/stdout ] && [ -f "$partial" ]
}

# write_failed BYTES: end because the BYTES of a get cannot be written to $out
write_failed() {
	end_progress
	has_size || fail "$st_failed" "cannot write $(counted "$1" byte) to $out"
	_size=$(wc -c <"$partial" | tr -d ' ')
	[ "$partial" != "$out" ] || fail "$st_failed" "cannot write $(counted "$1" byte) to $out, which has $_size" "free some space"
	fail "$st_failed" "cannot write $(counted "$1" byte) to $out, only $_size; nothing was written to $out" "free some space"
}

# written BYTES: check that get has written BYTES, if it writes a file, keep the file, and say so
written() {
	! has_size || [ "$(wc -c <"$partial" | tr -d ' ')" = "$1" ] || write_failed "$1"
	keep_output
	say "read $(counted "$1" byte) into $out$(took)"
}

# choose_printer: set printer to a command that prints the bytes of hex escapes (\xHH): printf of this shell or of
# $PATH. Set printer to "" if neither knows hex escapes.
choose_printer() {
	for printer in printf "env printf" ""; do
		# shellcheck disable=SC3025 # the shell may know no \x
		[ "$printer" ] && [ "$($printer '\x41' 2>/dev/null)" = A ] && return
	done
	return 0
}

# escapes: convert hex digits into escapes of four characters: hex escapes, or octal ones if $printer is ""
escapes() {
	if [ "$printer" ]; then
		sed 's/../\\x&/g'
		return
	fi
	awk 'BEGIN {
		for (i = 0; i < 256; i++)
			octal[sprintf("%02x", i)] = sprintf("\\%03o", i)
	}
	{
		s = ""
		for (i = 1; i < length($0); i += 2)
			s = s octal[substr($0, i, 2)]
		print s
	}'
}

# join: make a line of each 64 lines
join() {
	awk '{ printf "%s%s", $0, NR % 64 ? "" : "\n" }'
}

# append_data: append the bytes that the last get returned to the file $partial. The data line has the digits behind
# hex=, and behind them the text, which may contain "hex=", too. printf prints the bytes, because some awks cannot
# print a NUL. Lines of 512 digits are short enough for a sed whose time grows with the square of the length of a line. The
# joined lines have 65536 characters; an argument of a process may have 131071.
append_data() {
	choose_printer
	for _bytes in $(sed -n '/^data /{s/ text=.*//;s/.*hex=//p;}' "$tmp/short" | fold -w 512 | escapes | join); do
		${printer:-printf} "$_bytes" 2>/dev/null || return 1
	done >>"$partial"
}
