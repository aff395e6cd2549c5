#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: With scripts/vm --share the guest reads and writes directories of this machine. After a
#   failed command scripts/vm shows the last lines of the kernel log.
# Requires: guests that the subject boots with scripts/vm
# Duration: 40 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

# ends STATUS OPTION...: boot a guest without a device, and check that scripts/vm ends with STATUS
ends() {
	want=$1
	shift
	scripts/vm --kernel "$KERNEL" --device none --no-krping --timeout 300 "$@" >"$tmp/out" 2>&1
	eq $? "$want" status || why "$T_WHY: $(cat "$tmp/out")"
}

# said TEXT: check that scripts/vm has printed TEXT
said() {
	grep -qF -- "$1" "$tmp/out" || why "'$1' was not said: $(cat "$tmp/out")"
}

mkdir -p "$tmp/one/sub" "$tmp/it's two"
head -c 300000 /dev/urandom >"$tmp/one/sub/random"
cat >"$tmp/command" <<'END'
#!/bin/sh
sha256sum one/sub/random
mv one/sub/random one/moved
echo written >>/mnt/other/file && mkdir /mnt/other/dir && ln -s file /mnt/other/link
echo "<3>a line of the command" >/dev/kmsg
exit 3
END
echo first >"$tmp/it's two/file"

# shares: boot a guest with two shared directories, whose command fails
shares() {
	ends 3 --file "$tmp/command:command" --share "$tmp/one" --share "$tmp/it's two:/mnt/other" -- sh ./command
}
# reads: check that the guest has read a file of this machine
reads() {
	eq "$(sed -n 's|  one/sub/random$||p' "$tmp/out")" "$(sha256sum <"$tmp/one/moved" | cut -d ' ' -f 1)" sum
}
# writes: check what the guest has written
writes() {
	eq "$(cat "$tmp/it's two/file")" "first
written" content && [ -d "$tmp/it's two/dir" ] && eq "$(readlink "$tmp/it's two/link")" file link &&
		[ ! -e "$tmp/one/sub/random" ]
}
# tail_of_log: check that scripts/vm has printed the end of the kernel log, and no more
tail_of_log() {
	said "the kernel log ends:" && said "a line of the command" && ! said "Linux version" && ! said "Power down"
}
# quiet: check that scripts/vm prints no kernel log after a success
quiet() {
	ends 0 -- 'echo "<3>a line" >/dev/kmsg' && ! said "a line"
}

# refused: check that wrong arguments are refused before a guest boots
refused() {
	ends 127 --share "$tmp/none" -- true && said "there is no directory $tmp/none" &&
		ends 127 --share "$tmp/command" -- true && said "there is no directory $tmp/command" &&
		ends 127 --exact --share "$tmp/one" -- true && said "--share excludes --exact" &&
		ends 127 --share "$tmp/one:/a,b" -- true && said "a comma or a line break"
}

check "vm --share boots a guest with two directories of this machine" shares
check "vm --share: the guest reads a file of this machine" reads
check "vm --share: this machine has the files that the guest has written" writes
check "vm shows the end of the kernel log after a command that failed" tail_of_log
check "vm shows no kernel log after a command that succeeded" quiet
check "vm --share: wrong arguments are refused before a guest boots" refused

t_end
