#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Description: In the shell of scripts/vm --shell, the command krping and its completion work, a server
#   runs in the background, and the terminal has its size. On this serial terminal, a test updates one
#   line, krping top prints tables, and krping session reads lines at its prompt. scripts/vm ends with the
#   shell's status. A Python program types the lines.
# Requires: guests that the subject boots with scripts/vm
# Duration: 80 s

set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=../lib-host.sh
. tests/lib-host.sh

command -v python3 >/dev/null || {
	skip "vm --shell" "no python3, which types"
	t_end
}

# type.py starts scripts/vm on a terminal of 40 rows and 100 columns, and types a line at each prompt of the
# guest's shell and of krping session. It writes the bytes of the terminal to a file, and to standard output
# without carriage returns.
cat >"$tmp/type.py" <<'END'
import fcntl, os, pty, select, signal, struct, sys, termios, time

lines = [line.rstrip("\n") for line in open(sys.argv[1])]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    os.execv("scripts/vm", ["scripts/vm"] + sys.argv[3:])
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
    if shown.rstrip().endswith((b"~#", b"krping>")) and lines:
        shown = b""
        os.write(terminal, lines.pop(0).replace("\\t", "\t").encode() + b"\r")
    # a key for krping top, after its second table
    elif lines and lines[0] == "q" and shown.count(b"q or ^C ends") > 1:
        shown = b""
        os.write(terminal, lines.pop(0).encode())
else:
    # The guest of a shell that hangs has a time limit of a day.
    os.killpg(pid, signal.SIGTERM)
os.close(terminal)
open(sys.argv[2], "wb").write(text)
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
krping slat 10.0.0.1 --duration 5
krping wlat 10.0.0.1 --duration 30 >/dev/null 2>&1 &
krping top -n 2
TERM=dumb krping top -n 2
krping top
q
stty -a | tr ' ' '\n' | grep -x icanon
krping server 10.0.0.1 --port 7175 --export 4096 --quiet 2>export.err &
until grep -q serves export.err; do sleep 0.2; done
krping session 10.0.0.1 --port 7175
put offset=0 data=typed words
get offset=6 len=5
quit
kill $(jobs -p)
wait
exit 7
END

# typed: type the lines, and keep the output of the terminal and the exit status in $tmp/out
typed() {
	python3 "$tmp/type.py" "$tmp/lines" "$tmp/raw" --kernel "$KERNEL" --device "$TYPE" --shell >"$tmp/out" 2>&1
}
# shows REGEX: check that a line of the terminal matches REGEX
shows() {
	grep -Eq -- "$1" "$tmp/out" || why "no line $1 in: $(cat "$tmp/out")"
}
# twice: check that stty has printed the size for the typed command and for !!, which repeats it
twice() {
	eq "$(grep -c '^40 100$' "$tmp/out")" 2 "number of sizes" || why "$(cat "$tmp/out")"
}

# updates_line: check that krping slat has updated its progress at least twice, in one line of the terminal
updates_line() {
	awk '{ n = gsub(/\r[0-9]+ s of 5 s  [0-9]+ iterations?  [0-9]+\/s  p50 /, ""); if (n > most) most = n }
		END { print "at most " most + 0 " updates in a line"; exit most < 2 }' "$tmp/raw"
}
# tops COMMAND: print the output of COMMAND, which ends at the next prompt of the shell
tops() {
	awk -v command="$1" '/~# / { on = 0 } substr($0, length($0) - length(command) - 1) == "# " command { on = 1; next } on' "$tmp/out"
}
# two_tables COMMAND CLEARS: check that krping top has printed the running test in two tables, and has
# cleared the screen CLEARS times
two_tables() {
	tops "$1" >"$tmp/tops"
	cat -v "$tmp/tops"
	eq "$(grep -c ' wlat  *client  *rxe0  *running .* 10.0.0.1:' "$tmp/tops")" 2 "rows of the client" || return 1
	eq "$(grep -c "$(printf '\033\\[H\033\\[J')" "$tmp/tops")" "$2" "cleared screens"
}

check "vm --shell reads lines from a terminal" typed
check "vm --shell has a time limit of a day" shows '^vm: booting .*, at most 86400 s$'
check "vm --shell prints commands to try krping" shows 'krping server 10.0.0.1 --quiet &'
check "vm --shell: a server runs in the background, and completion finds a test" shows 'wlat, client, 64 bytes'
check "vm --shell has the size of the terminal, and a history" twice
check "on a serial terminal, a test updates one line with its progress" updates_line
check "on a serial terminal, krping top clears the screen for each table" two_tables "krping top -n 2" 2
check "on a dumb terminal, the tables of krping top follow each other" two_tables "TERM=dumb krping top -n 2" 0
check "on a serial terminal, q ends krping top, which restores the settings of the terminal" shows '^icanon$'
check "on a serial terminal, krping session prints a prompt, at which put is typed" shows '^krping> put offset=0 data=typed words$'
check "on a serial terminal, the command get of krping session prints the bytes that put has written" shows '^ *6  77 6f 72 64 73  *words$'
check "vm --shell ends with the status of the shell" shows '^status 7$'

t_end
