# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Functions for compare.awk: match the points of OLD and NEW. A point is device, test, size, memory mode
# and depth, separated by tabs.

# If OLD and NEW have no point in common, print each part of their points that differs, with its values in OLD and NEW.
function unmatched(    i, k, n, part, names, s, seen, all) {
	n = split("device,test,size,memory mode,txdepth", names, ",")
	for (i = 1; i <= points; i++) {
		split(order[i], part, "\t")
		for (s = 1; s <= 2; s++) {
			if (!((s, order[i]) in count))
				continue
			if ((3 - s, order[i]) in count)
				return
			for (k = 1; k <= n; k++)
				if (part[k] != "" && part[k] != "-" && !((s, k, part[k]) in seen)) {
					seen[s, k, part[k]] = 1
					all[s, k] = all[s, k] (all[s, k] == "" ? "" : ", ") part[k]
				}
		}
	}
	for (k = 1; k <= n; k++)
		if (all[1, k] != all[2, k] && all[1, k] != "" && all[2, k] != "")
			print "unmatched\t" names[k] "\t" all[1, k] "\t" all[2, k]
}

# Match the points that differ only in their size, if OLD and NEW each have one size of the test: let both have
# the size OLD/NEW.
function match_sizes(    i, n, s, part, key, sizes, old_size, new_size, of) {
	for (i = 1; i <= points; i++) {
		split(order[i], part, "\t")
		key = part[1] "\t" part[2] "\t" part[4] "\t" part[5]
		for (s = 1; s <= 2; s++)
			if ((s, order[i]) in count) {
				sizes[s, key]++
				of[s, key] = i
			}
	}
	n = points
	for (i = 1; i <= n; i++) {
		split(order[i], part, "\t")
		key = part[1] "\t" part[2] "\t" part[4] "\t" part[5]
		if (of[1, key] != i || sizes[1, key] != 1 || sizes[2, key] != 1 || of[2, key] == i)
			continue
		old_size = part[3]
		split(order[of[2, key]], part, "\t")
		new_size = part[3]
		print "differs\tsize of " words_of(part[1] "\t" part[2] "\t" part[4]) ": " old_size " in OLD, " new_size " in NEW"
		s = part[1] "\t" part[2] "\t" old_size "/" new_size "\t" part[4] "\t" part[5]
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
