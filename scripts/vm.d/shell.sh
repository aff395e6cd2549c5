# shellcheck shell=bash disable=SC2154 # scripts/vm and its other parts set the variables
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# --shell: put bash and the command krping into the guest, for its user. Part of scripts/vm.

# put_shell: copy bash and the command krping into the guest
put_shell() {
	[ "$shell" ] || return 0
	put_bin bash
	put "$scripts" /usr/share/krping/scripts
	put "$top/awkit" /usr/share/krping/awkit
	ln -s ../share/krping/scripts/krping "$root/usr/bin/krping"
	put "$scripts/guest/bashrc" /root/.bashrc
	put "$top/packaging/completion/krping.bash" /usr/share/krping/completion
}

# terminal_size: print the rows and columns of this terminal as words for stty in the guest, because a serial
# line does not carry them
terminal_size() {
	{ stty size 2>/dev/null || echo 24 80; } | awk '{ print "rows " ($1 ? $1 : 24) " cols " ($2 ? $2 : 80) }'
}
