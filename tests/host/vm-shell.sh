#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In the shell of scripts/vm --shell, the command krping and its completion work, a server
#   runs in the background, and the terminal has its size; scripts/vm ends with the shell's status. A
#   Python program types the lines.
# Requires: guests that the subject boots with scripts/vm
# Duration: 40 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

command -v python3 >/dev/null || {
	skip "vm --shell" "no python3, which types"
	t_end
}

# type.py starts scripts/vm on a terminal of 40 rows and 100 columns, and types a line at each prompt of the
# guest's shell.
cat >"$tmp/type.py" <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time

lines = [line.rstrip("\n") for line in open(sys.argv[1])]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    os.execv("scripts/vm", ["scripts/vm"] + sys.argv[2:])
# A slow machine needs minutes to boot the guest.
text, shown, end = b"", b"", time.time() + 600
while time.time() < end:
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    text += part
    shown += part
    if shown.rstrip().endswith(b"~#") and lines:
        shown = b""
        os.write(terminal, lines.pop(0).replace("\\t", "\t").encode() + b"\r")
else:
    # The guest of a shell that hangs has a time limit of a day.
    os.killpg(pid, signal.SIGTERM)
os.close(terminal)
sys.stdout.buffer.write(text.replace(b"\r", b""))
sys.stdout.flush()
status = os.waitpid(pid, 0)[1]
print("\nstatus", os.WEXITSTATUS(status))
END
cat >"$tmp/lines" <<'END'
krping server 10.0.0.1 --quiet 2>server.err &
until grep -q serves server.err; do sleep 0.2; done
krping wl\t10.0.0.1 --count 50
stty size
!!
kill %1
wait
exit 7
END

# typed: type the lines, and keep the output of the terminal and the exit status in $tmp/out
typed() {
	python3 "$tmp/type.py" "$tmp/lines" --kernel "$KERNEL" --device "$TYPE" --shell >"$tmp/out" 2>&1
}
# shows REGEX: check that a line of the terminal matches REGEX
shows() {
	grep -Eq -- "$1" "$tmp/out" || why "no line $1 in: $(cat "$tmp/out")"
}
# twice: check that stty has printed the size for the typed command and for !!, which repeats it
twice() {
	eq "$(grep -c '^40 100$' "$tmp/out")" 2 "number of sizes" || why "$(cat "$tmp/out")"
}

check "vm --shell reads lines from a terminal" typed
check "vm --shell has a time limit of a day" shows '^vm: booting .*, at most 86400 s$'
check "vm --shell prints commands to try krping" shows 'krping server 10.0.0.1 --quiet &'
check "vm --shell: a server runs in the background, and completion finds a test" shows 'wlat, client, 64 bytes'
check "vm --shell has the size of the terminal, and a history" twice
check "vm --shell ends with the status of the shell" shows '^status 7$'

t_end
