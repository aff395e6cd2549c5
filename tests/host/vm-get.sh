#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: scripts/vm --get copies files out of a guest, even if the guest's command has failed,
#   and names missing files.
# Requires: guests that the subject boots with scripts/vm
# Duration: 40 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# vm OPTION...: boot a guest without a device, and set status to the exit status of scripts/vm
vm() {
	scripts/vm --kernel "$KERNEL" --device none --no-krping --timeout 300 "$@" >"$tmp/out" 2>&1
	status=$?
}

# ends STATUS OPTION...: check that scripts/vm ends with STATUS
ends() {
	want=$1
	shift
	vm "$@"
	eq "$status" "$want" status || why "$T_WHY: $(cat "$tmp/out")"
}

# said TEXT: check that scripts/vm has printed TEXT
said() {
	grep -qF -- "$1" "$tmp/out" || why "'$1' was not said: $(cat "$tmp/out")"
}

# same FILE COPY: check that COPY has the checksum that the guest has printed for FILE
same() {
	sum=$(sed -n "s|^\([0-9a-f]*\)  $1\$|\1|p" "$tmp/out")
	eq "$(sha256sum <"$tmp/got/$2" | cut -d ' ' -f 1)" "$sum" "sum of $1"
}

mkdir "$tmp/got"
cat >"$tmp/make" <<'END'
#!/bin/sh
dd if=/dev/urandom of=random bs=1k count=300 2>/dev/null
printf 'a\r\nb\000\004\021\023\032c\n' >"/tmp/bytes"
mkdir -p "out dir/sub"
echo one >"out dir/one" && echo two >"out dir/sub/it's"
sha256sum random /tmp/bytes
exit "$1"
END

# many: copy files and a directory, to other names and under their own
many() {
	ends 0 --file "$tmp/make:make" --get "random:$tmp/got/" --get "/tmp/bytes:$tmp/got/renamed" \
		--get "out dir:$tmp/got/dir" -- sh ./make 0
}
# tree: check the files of the copied directory
tree() {
	eq "$(cd "$tmp/got/dir" && find . -type f | sort | tr '\n' ' ')" "./one ./sub/it's " files &&
		eq "$(cat "$tmp/got/dir/sub/it's")" two content
}

# failing: let the guest's command fail, and copy a missing file and a directory into the working directory.
# The working directory already has a directory of this name, whose files are replaced.
failing() {
	vm=$PWD/scripts/vm
	mkdir "$tmp/there" && mkdir "$tmp/there/out dir" && echo old >"$tmp/there/out dir/one" || return 1
	(cd "$tmp/there" && "$vm" --kernel "$KERNEL" --device none --no-krping --timeout 300 \
		--file "$tmp/make:make" --get none --get "out dir" -- sh ./make 3) >"$tmp/out" 2>&1
	eq $? 3 status || why "$T_WHY: $(cat "$tmp/out")" || return 1
	said "the guest has not given /root/none" && eq "$(cat "$tmp/there/out dir/one")" one content
}

# missing: check the status after a missing file, and that the other file is copied
missing() {
	ends 125 --get "none:$tmp/none" --get "/tmp/there:$tmp/got/there" -- 'echo yes >/tmp/there' &&
		said "the guest has not given /root/none" && eq "$(cat "$tmp/got/there")" yes content &&
		[ ! -e "$tmp/none" ]
}

# refused: check that wrong arguments are refused before a guest boots
refused() {
	ends 127 --get "a:$tmp/no/where" -- true && said "there is no directory $tmp/no" || return 1
	echo true >"$tmp/true"
	ends 127 --get a --pair "$tmp/true" "$tmp/true" && said "--get is for one guest" &&
		ends 127 --get ":$tmp/a" -- true && said "--get wants FILE" &&
		ends 127 --get a: -- true && said "--get wants FILE[:DEST], not 'a:'"
}

check "vm --get copies files and directories out of a guest" many
check "vm --get: a file of random bytes is copied unchanged" same random random
check "vm --get: bytes that a terminal interprets are copied unchanged, to another name" same /tmp/bytes renamed
check "vm --get: a directory has all its files" tree
check "vm --get copies files after a command that failed, and keeps the command's status" failing
check "vm --get: a missing file is named, and the status is 125" missing
check "vm --get: wrong arguments are refused before a guest boots" refused

t_end
