# shellcheck shell=bash disable=SC2034,SC2154 # tests/mutants/run and its other parts use the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Copy the tree, and build and restore the copy. Part of tests/mutants/run.

# sources: print the files of the tree, without the mutants and the subjects that check the text of
# the sources, which would kill a mutant for its style
sources() {
	git ls-files -co --exclude-standard -- . ':!tests/mutants' ':!tests/host/mutants.sh' \
		':!tests/host/static.sh' |
		while read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done
}

# refresh DIR: make DIR a copy of the tree. Unchanged files keep their times, so that make
# does not rebuild their objects.
refresh() {
	local file
	mkdir -p "$1" || return
	sources >"$1.sources"
	while read -r file; do
		cmp -s "$file" "$1/$file" && continue
		mkdir -p "$1/$(dirname "$file")" && cp "$file" "$1/$file" || return
	done <"$1.sources"
	# remove files that are no longer in the tree and were not made by the build
	(cd "$1" && find krping scripts awkit tests -name '*.[ch]' -o -name '*.sh') |
		grep -v '\.mod\.c$' | grep -vxF -f "$1.sources" |
		while read -r file; do
			case $file in
			*/build/*) ;;
			*) rm -f "$1/$file" ;;
			esac
		done
	# scripts list the tree's files with git
	[ -d "$1/.git" ] || git -C "$1" init -q
}

# build_module DIR: build the module of the copy DIR
build_module() {
	make -C "$1" modules KDIR="$kdir"
}

# prepare DIR: copy the tree to DIR, build the copy, and save its krping/ for restore. If DIR is new, copy the
# objects that this tree has, too, so that make does not compile all files.
prepare() {
	if [ -d "$1.krping" ]; then
		restore "$1"
	elif [ ! -d "$1" ]; then
		tests/copy-built "$1" krping tests/kmod || return
	fi
	refresh "$1" || return
	(cd "$1" && tests/run --kernel "$kernel" --build-only) || return
	rm -rf "$1.krping"
	cp -a "$1/krping" "$1.krping"
}

# restore DIR [FILE]: undo the mutant of FILE (default: of krping/), and restore the files'
# times
restore() {
	case ${2-krping/} in
	krping/*)
		rm -rf "$1/krping"
		cp -a "$1.krping" "$1/krping"
		# The restored source is older than the unit tests' object of the mutant, so make
		# would keep the object.
		rm -rf "$1/tests/unit/build"
		;;
	*) cp -p "$2" "$1/$2" ;;
	esac
}
