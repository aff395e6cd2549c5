# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# krping's short options, and what krping has in place of options of ping(8), perftest, iperf3, fio and rping.
# NAME is a short option with its -, or a long one without --. The caller sets cmd to the command, and own to the
# command's options.

# Set short[NAME] to the long name of each short option. -n, -s, -D and -p are those of perftest.
function short_options(    n, i, word) {
	n = split("-i interval -q quiet -n count -s size -D duration -p port", word, " ")
	for (i = 1; i < n; i += 2)
		short[word[i]] = word[i + 1]
}

# Return krping's option for NAME; "" if there is none.
function foreign(name) {
	gsub(/_/, "-", name)
	if (name == "-l")
		return "size or batch"
	if (name == "-S" || name ~ /^(len|length|bs|msgsize)$/)
		return "size"
	if (name ~ /^iter(s|ations)?$/ || name == "-C" || (name == "-c" && cmd == "ping"))
		return "count"
	if (name == "mode")
		return "mem_mode"
	if (name == "-B" || name == "bind")
		return "source"
	if (name ~ /^-[jJ]$/)
		return "json"
	if (name == "-a" || name == "all")
		return "the command krping sweep"
	if (name == "numjobs")
		return "threads"
	if (name == "time" || name == "runtime")
		return "duration"
	if (name == "-t")
		return "duration or txdepth"
	if (name ~ /^(-f|file)$/)
		return "in" in own ? "in" : "out" in own ? "out" : ""
	if (name ~ /^((io|rx-)?depth|-r|window)$/)
		return "txdepth"
	if (name == "ib-dev")
		return "device"
	if (name == "-d")
		return "device or duration"
	if (name == "-b" || name ~ /^bidir(ectional)?$/)
		return "duplex"
	if (name == "-P" || name ~ /^(qp|parallel)$/)
		return "qps"
	if (name ~ /^(-Q|cq-mod)$/)
		return "cqmod"
	if (name == "post-list")
		return "batch"
	if (name ~ /^(-I|inline-size)$/)
		return "inline"
	if (name ~ /^(-T|sl)$/)
		return "tos"
	if (name ~ /^(-u|qp-timeout)$/)
		return "ack_timeout"
	if (name == "use-srq")
		return "srq"
	if (name ~ /^(-A|atomic-type)$/)
		return "atomic"
	if (name ~ /^(-[HU]|report-(histogram|unsorted))$/)
		return "histogram"
	if (name ~ /^(-x|gid-index|ib-port)$/)
		return "source or device"
	if (name ~ /^-[vV]$/)
		return "verbose or validate"
	if (name == "rate-limit")
		return "rate"
	return ""
}

# Check whether krping needs no option NAME, and set needless to the reason, and instead to the next step.
function is_needless(name,    test) {
	test = cmd == "" ? "bw" : cmd
	needless = ""
	gsub(/_/, "-", name)
	if (name == "-F") {
		needless = "the clock of krping does not depend on the CPU frequency"
		instead = "the same command without -F"
	} else if (name ~ /^(-m|mtu)$/) {
		needless = "the interface, or the subnet manager of InfiniBand, determines the path MTU"
		instead = "krping doctor names the interface, and the MTU to set on both hosts (ip link set IF mtu N)"
	} else if (name ~ /^(-c|client)$/ && cmd != "ping") {
		needless = "the address stands alone"
		instead = "krping " test " ADDR"
	} else if (name ~ /^(-z|comm-rdma-cm|rdma-cm)$/) {
		needless = "krping always connects with rdma_cm"
		instead = "krping " test " ADDR"
	} else if (name ~ /^(-R|reverse)$/) {
		needless = "krping always connects with rdma_cm, and rbw moves data from the server to this side"
		instead = "krping rbw ADDR"
	} else if (name ~ /^(-e|events)$/) {
		needless = "krping waits for completion events, except with --poll"
		instead = "the same command without " (name == "-e" ? "" : "--") name
	} else if (name ~ /^(-O|output-format)$/) {
		needless = "the forms of the output are --json, --csv and --raw"
		instead = "krping " test " ... --json"
	}
	return needless != ""
}
