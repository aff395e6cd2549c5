# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Derive a verdict from the output of tests/run. Part of tests/mutants/run.

# outcome FILE: print the verdict from the output of tests/run, as "verdict TAB killer", or
# nothing if no check has failed. A subject that did not begin proves nothing about the mutant,
# unless the guest crashed (scripts/vm ended with status 126) or hung (124). A subject that boots
# its own guest ends with the status of scripts/vm. A shell also has the status 126, if it cannot
# run a program, so there the message of scripts/vm has to come first.
outcome() {
	awk '
		function result(verdict, killer) {
			gsub(/\t/, " ", killer)
			print verdict "\t" killer
			done = 1
			exit
		}
		/^(# )?vm: .*: the kernel had trouble / { trouble = 1 }
		!/^not ok / { next }
		{ sub(/^not ok [0-9]+ - /, "") }
		/^prepare: / || /^no check of .* matches / || /^[0-9]+ checks of .* match / ||
			/: had no test$/ || /: scripts\/vm ended with status 127$/ { result("error", $0) }
		/: scripts\/vm ended with status 12[46]$/ { result("killed", $0) }
		/: ended without a plan, with status (124|137)$/ { result("killed", $0) }
		trouble && /: ended without a plan, with status 126$/ { result("killed", $0) }
		/: was not run$/ || /: ended without a plan, with status [^,]+$/ {
			if (why == "")
				why = $0
			next
		}
		{ result("killed", $0) }
		END {
			if (!done && why != "")
				result("error", why)
		}' "$1"
}
