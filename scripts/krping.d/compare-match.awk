# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for compare.awk: match the points of OLD and NEW. A point is device, test, size, memory mode
# and depth, separated by tabs.

BEGIN { split("device,test,size,memory mode,txdepth", part_name, ",") }

# Return whether OLD and NEW have a point in common.
function any_common(    i) {
	for (i = 1; i <= points; i++)
		if ((1, order[i]) in count && (2, order[i]) in count)
			return 1
	return 0
}

# Print each part of the points that differs, with its values in OLD and NEW, which have no point in common.
function unmatched(    i, k, part, s, seen, all) {
	for (i = 1; i <= points; i++) {
		split(order[i], part, "\t")
		for (s = 1; s <= 2; s++)
			for (k = 1; k <= 5; k++)
				if ((s, order[i]) in count && part[k] != "" && part[k] != "-" && !((s, k, part[k]) in seen)) {
					seen[s, k, part[k]] = 1
					all[s, k] = all[s, k] (all[s, k] == "" ? "" : ", ") part[k]
				}
	}
	for (k = 1; k <= 5; k++)
		if (all[1, k] != all[2, k] && all[1, k] != "" && all[2, k] != "")
			print "unmatched\t" part_name[k] "\t" all[1, k] "\t" all[2, k]
}

# Return POINT with VALUE as its part K.
function with_part(point, k, value,    i, part, s) {
	split(point, part, "\t")
	part[k] = value
	s = part[1]
	for (i = 2; i <= 5; i++)
		s = s "\t" part[i]
	return s
}

# Return the part K of POINT.
function part_of(point, k,    part) {
	split(point, part, "\t")
	return part[k]
}

# Find the points that differ only in their part K (a size, a memory mode or a depth), of which OLD and NEW each have one
# value. With force, match them: let both have the part OLD/NEW. Else print a remark, unless OLD and NEW have no point in
# COMMON.
function match_part(k, common,    i, n, s, key, number, of, old_part, new_part) {
	for (i = 1; i <= points; i++) {
		key = with_part(order[i], k, "")
		for (s = 1; s <= 2; s++)
			if (order[i] != "" && (s, order[i]) in count) {
				number[s, key]++
				of[s, key] = i
			}
	}
	n = points
	for (i = 1; i <= n; i++) {
		key = with_part(order[i], k, "")
		if (order[i] == "" || of[1, key] != i || number[1, key] != 1 || number[2, key] != 1 || of[2, key] == i)
			continue
		old_part = part_of(order[i], k)
		new_part = part_of(order[of[2, key]], k)
		s = words_of(with_part(order[i], k, "-"))
		sub(/ -$/, "", s)
		sub(/ - /, " ", s)
		s = part_name[k] " of " s ": " old_part " in OLD, " new_part " in NEW"
		if (!force) {
			if (common)
				print "note\t" s "; --force compares them"
			continue
		}
		print "differs\t" s
		s = with_part(order[i], k, old_part "/" new_part)
		rename(1, order[i], s)
		rename(2, order[of[2, key]], s)
		kind[s] = kind[order[i]]
		order[i] = s
		order[of[2, key]] = ""
	}
}

# Give the figures and settings that side S has at POINT to the point NEW.
function rename(s, point, new,    i, name, group) {
	count[s, new] = count[s, point]
	delete count[s, point]
	for (i = 1; i <= count[s, new]; i++)
		sample[s, new, i] = sample[s, point, i]
	results[s, new] = results[s, point]
	for (i = 1; i <= settings; i++) {
		if (setting_point[i] != point)
			continue
		name = setting_name[i]
		group = group_of(name)
		setting_point[i] = new
		values[s, name, new] = values[s, name, point]
		if ((s, name, point) in having)
			having[s, name, new] = having[s, name, point]
		if ((s, group, point) in groups)
			groups[s, group, new] = 1
	}
}
