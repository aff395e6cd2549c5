# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions that return errnos in words. The file ERRNOS has the words.

# Return the words of an errno, or its number if the file does not have it.
function errno_words(errno,    line, found) {
	found = "errno " errno
	while ((getline line <errnos) > 0)
		if (index(line, errno " ") == 1)
			found = substr(line, length(errno) + 2)
	close(errnos)
	return found
}

# Return TEXT, an error of the module, in words for people. TEXT may end with an errno, as in
# "cannot bind (-98)", or with the number of a test, as in "the server runs another test (limit 8)".
# If nobody listens at a port, InfiniBand and RoCE report "invalid service ID", and rdma_connect() of
# iWARP, which uses TCP, returns the errno 111.
function in_words(text,    errno, n, name) {
	if (text ~ /^connection refused: invalid service ID \(8\); / || text ~ /^connecting failed \(-111\); /)
		return "no server listens there"
	if (match(text, / another test \(limit [0-9]+\)$/)) {
		n = split("wlat rlat slat bw rbw sbw fr session krdma conform", name, " ")
		errno = substr(text, RSTART + 21, RLENGTH - 22) + 0
		return errno > n ? text : substr(text, 1, RSTART + 12) ": " name[errno]
	}
	if (!match(text, / \(-[0-9]+\)$/))
		return text
	errno = substr(text, RSTART + 3, RLENGTH - 4)
	return substr(text, 1, RSTART - 1) ": " errno_words(errno)
}
