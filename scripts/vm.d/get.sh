# shellcheck shell=bash disable=SC2154 # scripts/vm and its other parts set the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# --get: copy files out of the guest, in an archive over a serial line. Part of scripts/vm.

# get_names: print the paths of the guest's files relative to /, as words for the guest's shell. A
# relative FILE is in /root.
get_names() {
	local spec name names=()
	for spec in "${gets[@]}"; do
		name=${spec%%:*}
		[[ $name == /* ]] || name=/root/$name
		names+=("${name#/}")
	done
	quote "${names[@]}"
}

# check_gets: find wrong arguments before the guest boots
check_gets() {
	local spec dest
	((${#gets[@]})) || return 0
	((!${#pair[@]})) || die "--get is for one guest"
	for spec in "${gets[@]}"; do
		[[ $spec != :* && $spec != *: ]] || die "--get wants FILE[:DEST], not '$spec'"
		dest=$(get_dest "$spec")
		[ -d "$(dirname "$dest")" ] || die "--get: there is no directory $(dirname "$dest")"
	done
}

# get_dest SPEC: print the path of the copy on this machine
get_dest() {
	local name=${1%%:*} dest
	dest=${1#*:}
	[ "$dest" != "$1" ] || dest=$(basename "$name")
	[[ $dest != */ ]] || dest=$dest$(basename "$name")
	printf '%s\n' "$dest"
}

# take_files: copy the files of --get out of the archive; fail if one is missing
take_files() {
	local spec name missing=0
	((${#gets[@]})) || return 0
	mkdir "$run/got"
	# A guest that died or hung leaves an incomplete archive: unpack its beginning. tar refuses
	# paths that leave the directory.
	tar -xz --no-same-owner -C "$run/got" -f "$run/get" 2>/dev/null || :
	for spec in "${gets[@]}"; do
		name=${spec%%:*}
		[[ $name == /* ]] || name=/root/$name
		if [ ! -e "$run/got$name" ]; then
			say "the guest has not given $name"
			missing=1
		elif ! cp -rT "$run/got$name" "$(get_dest "$spec")"; then
			missing=1
		fi
	done
	return $missing
}
