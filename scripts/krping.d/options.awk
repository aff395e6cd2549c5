# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Read a command line of krping, and print it as assignments for a shell:
#
#   awk -f suggest.awk -f foreign.awk -f options.awk -- TABLE OWN WORD...
#
# TABLE is a file with the output of the module's command help. OWN has the options of the command
# itself, separated by blanks; a name that ends with = takes an operand. Each WORD is name=value,
# --name=value, --name value, a flag with or without --, a short option, or the address.
#
# The caller may set three variables: "text" is not empty if the command has the option data=; "form" is the
# syntax of a session's line, which has no address, for an error message; "cmd" is the command.
#
# Prints addr='...', options='...' (for the module, separated by commas), NAME='...' for each of
# OWN that was given, and wrong='...' with the first error, if any; remedy='...' is a next step for it.

function quoted(s) {
	gsub(/'/, "'\\''", s)
	return "'" s "'"
}

# Print the assignment of S to NAME.
function give(name, s) {
	gsub(/-/, "_", name)
	print name "=" quoted(s)
}

# Print the error TEXT as the assignment of wrong, and exit. REMEDY is the next step, if the error has its own.
function refuse(text, remedy) {
	if (remedy != "")
		give("remedy", remedy)
	give("wrong", text)
	exit
}

# Read TABLE. Set operand[NAME] to 1 for options with an operand and to 0 for flags, and set names to
# the list of options without their aliases.
function read_table(file,    line, name, alias) {
	while ((getline line <file) > 0) {
		if (line !~ /^option name=/)
			continue
		name = line
		sub(/^option name=/, "", name)
		sub(/ .*/, "", name)
		operand[name] = line !~ / operand="" /
		names = names " " name
		if (line ~ / alias=/) {
			alias = line
			sub(/.* alias=/, "", alias)
			sub(/ .*/, "", alias)
			operand[alias] = operand[name]
		}
	}
}

# Check whether the command is a test.
function runs_test() {
	return index(tests, " " cmd " ")
}

# Refuse NAME, which is no option, and suggest the nearest one.
function unknown(name,    no, near) {
	no = "there is no option '" name "'"
	if (name ~ /^(-o|out|output|out_json|out_json_file)$/ && "json" in own && !("out" in own))
		refuse(no ": krping " cmd " prints its result", "krping " cmd " ... --json >FILE")
	if (runs_test() && is_needless(name))
		refuse(no ": " needless, instead)
	near = foreign(name)
	if (near == "")
		near = suggest(name, names " " own_names)
	refuse(no (near == "" ? "" : ": did you mean " near "?"))
}

# Return S as data=S, or as hex=... if S has characters that a command to the module cannot have.
function encode(s,    i, hex) {
	if (s !~ /[,\001-\037\177]/ && s !~ /^ / && s !~ / $/ && s != "")
		return "data=" s
	for (i = 1; i <= length(s); i++)
		hex = hex sprintf("%02x", byte[substr(s, i, 1)])
	return "hex=" hex
}

# Store an option of the module. Refuse COMMANDS, the options that select a role or a test, because
# krping sets them itself.
function option(name, has, value) {
	if (index(commands, " " name " "))
		refuse("'" name "' is a command, no option of this one")
	if (name == "background")
		refuse("'background' is for scripts: give --quiet instead, and end the line with &")
	if (operand[name] && !has)
		refuse("the option '" name "' takes an operand: " name "=VALUE")
	if (!operand[name] && has)
		refuse("the option '" name "' takes no operand")
	if (name == "addr" || name == "addr6") {
		address(value)
		return
	}
	if (name != "data" && value ~ /[, \001-\037\177]/)
		refuse("the operand of '" name "' has a comma, a blank or a control character")
	list = list (list == "" ? "" : ",") (name == "data" ? encode(value) : has ? name "=" value : name)
}

# Return a suggestion for S, which follows the address: the option of put or get that has S as its operand, or "".
function as_operand(s,    near) {
	if ("in" in own && system("[ -f " quoted(s) " ]") == 0)
		near = "in"
	else if ("out" in own && s !~ /:/ && s !~ /^[0-9.]+$/)
		near = "out"
	else if (text != "" && s !~ /[.:]/)
		near = "data"
	return near == "" ? "" : ": did you mean --" near " " s "?"
}

# Store the address S, or refuse S.
function address(s) {
	if (s ~ /^[0-9.]+:[0-9]+$/)
		refuse("'" s "' has a port: give the address, and --port " substr(s, index(s, ":") + 1))
	if (form != "")
		refuse("'" s "' is no option; the form is: " form)
	if (s !~ /^[A-Za-z0-9_.:%-]+$/)
		refuse("'" s "' is not an address" (addr == "" ? "" : as_operand(s)))
	if (addr != "" && s !~ /[.:]/)
		refuse("'" s "' is no option, and the address is " addr " already" as_operand(s))
	if (addr != "")
		refuse("two addresses: " addr " and " s as_operand(s))
	addr = s
}

BEGIN {
	read_table(ARGV[1])
	tests = " ping wlat rlat slat bw rbw sbw fr "
	commands = " server client stop drain list help" tests "put get send session disk conform "
	short_options()
	for (i = 1; i < 256; i++)
		byte[sprintf("%c", i)] = i
	# own[NAME] is 2 for an option with an operand, and 1 for a flag
	n = split(ARGV[2], word, " ")
	for (i = 1; i <= n; i++) {
		takes = sub(/=$/, "", word[i])
		own[word[i]] = 1 + takes
		own_names = own_names " " word[i]
	}
	# -o as of compare and report
	if ("out" in own)
		short["-o"] = "out"
	for (i = 3; i < ARGC; i++) {
		name = ARGV[i]
		dashed = 1
		# -q N of perftest
		if (name == "-q" && runs_test() && ARGV[i + 1] ~ /^[0-9]+$/)
			refuse("-q is --quiet, which takes no operand; perftest's -q is --qps here",
				"krping " cmd " ... --qps " ARGV[i + 1])
		# -D2 is -D 2
		letter = substr(name, 1, 2)
		if (name in short)
			name = short[name]
		else if (letter in short && short[letter] != "quiet")
			name = short[letter] "=" substr(name, 3)
		else
			dashed = sub(/^--/, "", name)
		if (!dashed && name ~ /^-/)
			unknown(name)
		value = ""
		has = eq = index(name, "=")
		if (eq) {
			value = substr(name, eq + 1)
			name = substr(name, 1, eq - 1)
		}
		if (name in own) {
			if (own[name] == 2 && !has) {
				if (++i >= ARGC)
					refuse("the option '" name "' takes an operand")
				value = ARGV[i]
			} else if (own[name] == 1 && has) {
				refuse("the option '" name "' takes no operand")
			}
			give(name, own[name] == 2 ? value : "yes")
		} else if (name in operand) {
			if (operand[name] && !has && dashed) {
				if (++i >= ARGC)
					refuse("the option '" name "' takes an operand")
				value = ARGV[i]
				has = 1
			}
			option(name, has, value)
		} else if (dashed || has) {
			unknown(name)
		} else if (form == "" && name !~ /[.:]/ && suggest(name, names " " own_names) != "") {
			unknown(name)
		} else {
			address(name)
		}
	}
	give("addr", addr)
	give("options", list)
	exit
}
