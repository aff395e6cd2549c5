# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print results: a table for people, JSON, CSV, or the kernel's lines. POSIX sh.

# Version of the JSON documents: see Documentation/results.md.
json_schema=1

# print_result FILE [COMMAND]: print the results of FILE in the form that json, csv or raw select.
# COMMAND is the text that was written to /proc/krping. JSON also has the lines of the files $tmp/intervals
# and $tmp/transfer, if they exist. For the table, the caller may set two variables: if brief is set, the table has no
# error; seen has the tests of a server's clients, which the table then names.
print_result() {
	if [ "${raw-}" ]; then
		cat "$1"
	elif [ "${json-}" ]; then
		print_json "$1" "${2-}"
	elif [ "${csv-}" ]; then
		awk -f "$lib/results.awk" -f "$lib/csv.awk" "$1"
	else
		awk -v brief="${brief-}" -v seen="${seen-}" -v errnos="$lib/errnos" -f "$lib/errno.awk" \
			-f "$lib/digits.awk" -f "$lib/results.awk" -f "$lib/format.awk" "$1"
	fi
}

# json_objects FILE: print each result of FILE as a JSON object on a line of its own
json_objects() {
	awkit json
	awk -f "$awkit" "$1"
}

# print_json FILE COMMAND: print one JSON document with the results of FILE, COMMAND and the intervals. If the reader of a
# pipe has ended, SIGPIPE ends the subshell, which has no traps, and the shell prints no error.
print_json() (
	printf 'result command="%s"\n' "$(printf '%s' "$2" | tr '"\n' "' ")" >"$tmp/document"
	printf '{"schema":%d,"results":[' $json_schema
	json_objects "$1" | sed '$!s/$/,/'
	printf ']'
	if [ "$2" ]; then
		json_objects "$tmp/document" | sed -n '1{s/^{"result":{/,/;s/}}$//;p;}' | tr -d '\n'
	fi
	if [ -s "$tmp/intervals" ]; then
		printf ',"intervals":['
		json_objects "$tmp/intervals" | sed 's/^{"result"://; s/}$//; $!s/$/,/'
		printf ']'
	fi
	if [ -s "$tmp/transfer" ]; then
		printf ',"transfer":'
		json_objects "$tmp/transfer" | sed 's/^{"result"://; s/}$//' | tr -d '\n'
	fi
	echo '}'
)

# json_lines NAME: print the key=value lines of standard input as one JSON document with the array NAME
json_lines() {
	sed 's/^/result /' >"$tmp/lines"
	printf '{"schema":%d,"%s":[' $json_schema "$1"
	json_objects "$tmp/lines" | sed 's/^{"result"://; s/}$//; $!s/$/,/'
	echo ']}'
}
