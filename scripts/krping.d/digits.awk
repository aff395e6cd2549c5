# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Figures for people: their digits in a table, which has to fit into a terminal of 80 columns, and a number with its noun.

# Return X with four digits, but with no fewer than those before the point, and at most three behind it. X is at least 0.
function digits(x) {
	return sprintf(x < 9.9995 ? "%.3f" : x < 99.995 ? "%.2f" : x < 999.95 ? "%.1f" : "%.0f", x)
}

# Return a throughput of X Gbit/s. Software devices are slow, so a low throughput has more digits.
function gbit(x) {
	return sprintf(x < 0.1 ? "%.6f" : "%.3f", x)
}

function counted(n, word) {
	return n " " word (n == 1 ? "" : "s")
}
