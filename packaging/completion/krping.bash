# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Completion of krping for bash. scripts/completion has written this file.
# shellcheck shell=bash disable=SC2086 # lists of words

_krping_devices() {
	ls "${KRPING_ROOT-}/sys/class/infiniband" 2>/dev/null
}

# _krping_ids [ROLE]: print the ids of the running tests, of which the module informs root only
_krping_ids() {
	"${COMP_WORDS[0]}" list --raw 2>/dev/null | sed -n "s/^id=\([0-9]*\) .*role=${1-}.*/\1/p"
}

# _krping_kept: print the ids of the tests whose results krping has kept
_krping_kept() {
	(cd "${KRPING_ROOT-}/run/krping" 2>/dev/null && compgen -G '[0-9]*')
}

_krping() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local words=
	local commands="server ping wlat rlat slat bw rbw sbw fr put get send session disk list top stop drain log show hist sweep plot report bench-suite compare conform doctor hardware-report load unload version softrdma help"
	local flags="force validate verbose server_inv read_inv local_dma_lkey inline imm srq share poll histogram duplex shared ro open rw close regions unchecked"
	local operands="case port source device count duration interval warmup size stride mem_mode tos timeout wait ack_timeout min_rnr_timer retry rnr_retry txdepth cqmod batch sge atomic qps threads rate cq cpu vector clients allow export name reconnect region offset len data hex"

	COMPREPLY=()
	# readline divides name=value into words
	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$word")
		return
	fi
	case ${before#--} in
	device) words=$(_krping_devices) ;;
	mem_mode) words="dma reg" ;;
	atomic) words="cas faa" ;;
	cq) words="softirq workqueue" ;;
	in | out | expect | save)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	case " $operands -n -s -D -p -i " in
	*" ${before#--} "*) [ "$words" ] || return ;;
	esac
	if [ -z "$words" ]; then
		case $command in
		ping | wlat | rlat | slat | bw | rbw | sbw | fr | server | put | get | send | disk | conform)
			case $command,$word in
			conform,-*) words="--help --json --raw --ktap --list --group --skip --safe --expect --save $(printf -- '--%s ' $flags $operands)" ;;
			*,-*) words="-n -s -D -p -i -q --help --json --csv --raw --interval --quiet $(printf -- '--%s ' $flags $operands)" ;;
			*)
				mapfile -t COMPREPLY < <(compgen -W "$flags $(printf '%s= ' $operands)" -- "$word")
				# an operand follows
				[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
				return
				;;
			esac
			;;
		list | show) words="--json --csv --raw --help" ;;
		hist) words="--all --help" ;;
		drain | session | load | unload | version) words="--help" ;;
		top) words="--once --interval --count --help" ;;
		stop) words="--all --force --help" ;;
		log) words="-f --help" ;;
		compare) words="--fail-above --metric --alpha --force --html --output --help" ;;
		bench-suite) words="-n -D --repeat --duration --help" ;;
		doctor) words="--port --bundle --help" ;;
		hardware-report) words="--server --port --repeat --duration --quick --only --output --help" ;;
		sweep | plot | report) words="--help" ;;
		softrdma) words="up down list --netdev --addr --dummy --veth --force" ;;
		help) words="$commands options $flags $operands" ;;
		esac
		case $command,$word in
		*,-*) ;;
		stop,*) words="$words $(_krping_ids)" ;;
		drain,*) words="$words $(_krping_ids server)" ;;
		hist,*) words="$words $(_krping_kept)" ;;
		esac
		case $command in
		show | hist | compare | sweep | plot | report | bench-suite)
			mapfile -t COMPREPLY < <(compgen -f -W "$words" -- "$word")
			return
			;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _krping krping
