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

# Set counterpart[NAME] to OPTION for each of NAMES, which are separated by blanks.
function replace(names, option,    n, i, name) {
	n = split(names, name, " ")
	for (i = 1; i <= n; i++)
		counterpart[name[i]] = option
}

function fill_counterparts() {
	replace("-S len length bs msgsize", "size")
	replace("-l", "size or batch")
	replace("-C iters iterations iter", "count")
	replace("mode", "mem_mode")
	replace("-B bind", "source")
	replace("-x gid-index ib-port", "source or device")
	replace("-j -J", "json")
	replace("-a all", "the command krping sweep")
	replace("numjobs", "threads")
	replace("time runtime", "duration")
	replace("-t", "duration or txdepth")
	replace("depth iodepth rx-depth -r window", "txdepth")
	replace("ib-dev", "device")
	replace("-d", "device or duration")
	replace("-b bidir bidirectional", "duplex")
	replace("-P qp parallel", "qps")
	replace("-Q cq-mod", "cqmod")
	replace("post-list", "batch")
	replace("-I inline-size", "inline")
	replace("-T sl", "tos")
	replace("-u qp-timeout", "ack_timeout")
	replace("use-srq", "srq")
	replace("-A atomic-type", "atomic")
	replace("-H -U report-histogram report-unsorted", "histogram")
	replace("-v -V", "verbose or validate")
	replace("rate-limit", "rate")
}

# Return krping's option for NAME; "" if there is none.
function foreign(name) {
	gsub(/_/, "-", name)
	if (name == "-c" && cmd == "ping")
		return "count"
	if (name == "-f" || name == "file")
		return "in" in own ? "in" : "out" in own ? "out" : ""
	fill_counterparts()
	return counterpart[name]
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
