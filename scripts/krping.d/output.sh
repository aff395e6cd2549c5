# shellcheck shell=sh disable=SC2154 # other files set lib, tmp and so on
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print results: a table for people, JSON, CSV, or the kernel's lines. POSIX sh.

# Version of the JSON documents: see Documentation/results.md.
json_schema=1

# print_result FILE [COMMAND]: print the results of FILE in the form that json, csv or raw select.
# COMMAND is what was written. $tmp/intervals has the lines of intervals, if there are any.
print_result() {
	if [ "${raw-}" ]; then
		cat "$1"
	elif [ "${json-}" ]; then
		print_json "$1" "${2-}"
	elif [ "${csv-}" ]; then
		awk -f "$lib/csv.awk" "$1"
	else
		awk -v brief="${brief-}" -v errnos="$lib/errnos" -f "$lib/errno.awk" -f "$lib/format.awk" "$1"
	fi
}

# json_objects FILE: print an object for each result of FILE, a line each
json_objects() {
	awkit json
	awk -f "$awkit" "$1"
}

# print_json FILE COMMAND: one document with the results of FILE
print_json() {
	echo "result command=\"$(printf '%s' "$2" | tr '"\n' "' ")\"" >"$tmp/document"
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
	echo '}'
}

# json_lines NAME: print the lines of key=value of standard input as one document with an array
json_lines() {
	sed 's/^/result /' >"$tmp/lines"
	printf '{"schema":%d,"%s":[' $json_schema "$1"
	json_objects "$tmp/lines" | sed 's/^{"result"://; s/}$//; $!s/$/,/'
	echo ']}'
}
