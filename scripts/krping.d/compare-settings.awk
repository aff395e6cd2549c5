# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for compare.awk: collect the settings of results, and print those that differ between
# OLD and NEW. An option that krping has gained adds a key to the results. Older results lack the
# key, and ran with the option's default, which is in -v options=FILE, the output of the module's
# command help.

# Set preset[KEY] to the default of the option KEY, as results print the default.
BEGIN {
	while ((getline option <options) > 0) {
		if (!match(option, / name=[^ ]*/))
			continue
		key = substr(option, RSTART + 6, RLENGTH - 6)
		if (!match(option, /default="[^";]*/))
			continue
		text = substr(option, RSTART + 9, RLENGTH - 9)
		if (option ~ / operand="" / || text == "unlimited")
			preset[key] = 0
		else if (text ~ /^([0-9]+|softirq)$/ || key == "atomic")
			preset[key] = text
	}
	close(options)
}

# Remember that the setting NAME had VALUE in the current result. POINT is the test and its size.
function setting(name, point, value) {
	# the environment of a sweep calls this setting kernel
	if (name == "when kernel")
		name = "kernel"
	if (!((name, point) in setting_nr)) {
		setting_nr[name, point] = ++settings
		setting_name[settings] = name
		setting_point[settings] = point
	}
	if (!(name in has)) {
		has[name] = 1
		having[side, name, point]++
	}
	if (!(group_of(name) in has_group)) {
		has_group[group_of(name)] = 1
		groups[side, group_of(name), point] = 1
	}
	add_value(side, name, point, value)
}

# Return the group of the setting NAME: the first word of its line in the result.
function group_of(name) {
	sub(/ .*/, "", name)
	return name
}

# End the settings of the current result, whose point is POINT.
function end_settings(point) {
	results[side, point]++
	split("", has)
	split("", has_group)
}

# Add VALUE, unless it is there, to the lines of values that the setting NAME has on side S.
function add_value(s, name, point, value) {
	if (index("\n" values[s, name, point] "\n", "\n" value "\n"))
		return
	values[s, name, point] = values[s, name, point] (values[s, name, point] == "" ? "" : "\n") value
}

# If some results of side S lack the setting NAME, add the value with which they ran.
function fill_in(s, name, point,    key) {
	if (having[s, name, point] == results[s, point])
		return
	key = name
	sub(/^(config|peer_config) /, "", key)
	add_value(s, name, point, key != name && (key in preset) ? preset[key] : "absent")
}

# Check whether each line of A is a line of B.
function within(a, b,    n, i, part) {
	n = split(a, part, "\n")
	for (i = 1; i <= n; i++)
		if (!index("\n" b "\n", "\n" part[i] "\n"))
			return 0
	return 1
}

# Return the lines of S, with commas between them.
function comma(s) {
	gsub(/\n/, ", ", s)
	return s
}

# Print that the setting NAME has the values A in OLD and B in NEW, unless this was printed before.
function differ(name, a, b,    text) {
	differing[name] = 1
	text = name ": " a " in OLD, " b " in NEW"
	if (!(text in told))
		print "differs\t" text
	told[text] = 1
}

# Print that one side lacks all settings of GROUP, unless this was printed before. HAS is true if OLD has them.
function lacks_group(group, has) {
	differing[group] = 1
	if (!(group in lacked))
		print "differs\t" group ": absent in " (has ? "NEW" : "OLD")
	lacked[group] = has ? "in the results\tabsent" : "absent\tin the results"
}

# Check whether the values of the setting NAME differ between OLD and NEW at POINT.
function differs_at(name, point) {
	fill_in(1, name, point)
	fill_in(2, name, point)
	return !within(values[1, name, point], values[2, name, point]) ||
		!within(values[2, name, point], values[1, name, point])
}

# Check whether NAME is the setting local, which one side lacks, and inline differs at POINT, too. Operations with
# inline data need no local key, so their results lack local, and this difference follows from that of inline.
function follows(name, point,    inline) {
	inline = name
	return sub(/ local$/, " inline", inline) && ((1, inline, point) in having || (2, inline, point) in having) &&
		differs_at(inline, point) &&
		(values[1, name, point] == "absent" || values[2, name, point] == "absent")
}

# Print each setting whose values differ between OLD and NEW, for the points that both have.
function differences(    i, name, point, group) {
	for (i = 1; i <= settings; i++) {
		name = setting_name[i]
		point = setting_point[i]
		if (!((1, point) in results) || !((2, point) in results))
			continue
		group = group_of(name)
		if (group != name && ((1, group, point) in groups) != ((2, group, point) in groups))
			lacks_group(group, (1, group, point) in groups)
		else if (differs_at(name, point) && !follows(name, point))
			differ(name, comma(values[1, name, point]), comma(values[2, name, point]))
	}
}

# Print every setting with all its values on both sides, in the order of the alphabet, and "differs" if they
# differ. A group of settings that one side lacks has a line, too.
function show_settings(    i, j, n, s, name, part, nr, order, seen, all) {
	for (i = 1; i <= settings; i++) {
		name = setting_name[i]
		if (!(name in seen)) {
			seen[name] = 1
			order[++nr] = name
		}
		for (s = 1; s <= 2; s++) {
			n = split(values[s, name, setting_point[i]], part, "\n")
			for (j = 1; j <= n; j++) {
				if ((s, name, part[j]) in seen)
					continue
				seen[s, name, part[j]] = 1
				all[s, name] = all[s, name] (all[s, name] == "" ? "" : ", ") part[j]
			}
		}
	}
	for (name in lacked)
		order[++nr] = name
	sort(order, nr)
	for (i = 1; i <= nr; i++) {
		name = order[i]
		print "setting\t" name "\t" (name in lacked ? lacked[name] : all[1, name] "\t" all[2, name]) \
			(name in differing ? "\tdiffers" : "")
	}
}
