// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse the rules of krping_delay.ko. delay_main.c describes the rules.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "delay.h"

static const char * const krping_delay_contexts[] = {
	[KRPING_DELAY_ANY]	= "any",
	[KRPING_DELAY_SOFTIRQ]	= "softirq",
	[KRPING_DELAY_PROCESS]	= "process",
};

/* Parse a number from @min to @max. */
static int krping_delay_number(const char *value, u32 min, u32 max, u32 *number)
{
	int ret = kstrtou32(value, 0, number);

	if (ret)
		return ret;
	return *number < min || *number > max ? -EINVAL : 0;
}

static int krping_delay_context(const char *value, u32 *context)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(krping_delay_contexts); i++) {
		if (strcmp(value, krping_delay_contexts[i]))
			continue;
		*context = i;
		return 0;
	}
	return -EINVAL;
}

/* Parse the value of return=, which is a number, or arg2 for the call's second argument. */
static int krping_delay_set_return(struct krping_delay_rule *rule, const char *value)
{
	if (!IS_ENABLED(CONFIG_X86))
		return -EOPNOTSUPP;
	if (!strcmp(value, "arg2")) {
		rule->returns = KRPING_DELAY_ARG2;
		return 0;
	}
	rule->returns = KRPING_DELAY_VALUE;
	return kstrtos32(value, 0, &rule->value);
}

/*
 * Limit the rule to tasks whose name is @value or, if @is_prefix is set, starts with @value.
 * A comparison that includes the terminating NUL accepts only the whole name.
 */
static int krping_delay_set_comm(struct krping_delay_rule *rule, const char *value,
				 bool is_prefix)
{
	ssize_t len = strscpy(rule->comm, value, sizeof(rule->comm));

	if (len < 0)
		return -EINVAL;
	rule->comm_len = is_prefix ? len : len + 1;
	return 0;
}

/* Parse one word of a rule, which the caller has divided into @key and @value. */
static int krping_delay_word(struct krping_delay_rule *rule, const char *key,
			     const char *value)
{
	u64 seed;
	int ret;

	if (!strcmp(key, "usec"))
		return krping_delay_number(value, 1, KRPING_DELAY_RETURN_MAX, &rule->usec);
	if (!strcmp(key, "every"))
		return krping_delay_number(value, 1, U32_MAX, &rule->every);
	if (!strcmp(key, "chance"))
		return krping_delay_number(value, 1, 65536, &rule->chance);
	if (!strcmp(key, "comm"))
		return krping_delay_set_comm(rule, value, true);
	if (!strcmp(key, "task"))
		return krping_delay_set_comm(rule, value, false);
	if (!strcmp(key, "context"))
		return krping_delay_context(value, &rule->context);
	if (!strcmp(key, "return"))
		return krping_delay_set_return(rule, value);
	if (!strcmp(key, "seed")) {
		ret = kstrtou64(value, 0, &seed);
		if (!ret)
			atomic64_set(&krping_delay_seed, seed);
		return ret;
	}
	return -EINVAL;
}

/**
 * krping_delay_words() - parse the words of a rule
 * @rule: the rule, in which the caller has set the defaults; filled in
 * @text: words KEY=VALUE, separated by blanks; the function modifies the text
 *
 * Return: 0; -EINVAL for a wrong word, or if usec= is missing or too large; -EOPNOTSUPP for
 * return= on an architecture other than x86; another negative errno if a number cannot be parsed.
 */
int krping_delay_words(struct krping_delay_rule *rule, char *text)
{
	char *key, *value;
	int ret;

	while ((key = strsep(&text, " \t\n"))) {
		if (!*key)
			continue;
		value = strchr(key, '=');
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		ret = krping_delay_word(rule, key, value);
		if (ret)
			return ret;
	}
	if (rule->returns == KRPING_DELAY_RUN && rule->usec > KRPING_DELAY_USEC_MAX)
		return -EINVAL;
	return rule->usec ? 0 : -EINVAL;
}
