# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Print the group, the name and the source of each case of the module's list, for people.

/^case / { printf "%-11s %-30s %s\n", value($0, "group"), value($0, "name"), value($0, "source") }
