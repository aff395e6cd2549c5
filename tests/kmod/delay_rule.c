// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Parse the rules of krping_delay.ko.
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

static int krping_delay_set_return(struct krping_delay_rule *rule, const char *value)
{
	if (!IS_ENABLED(CONFIG_X86))
		return -EOPNOTSUPP;
	if (!strcmp(value, "arg2")) {
		rule->returns = KRPING_DELAY_ARG2;
		return 0;
	}
	rule->returns = KRPING_DELAY_VALUE;
	return krping_delay_number(value, 0, S32_MAX, &rule->value);
}

static int krping_delay_set_comm(struct krping_delay_rule *rule, const char *value, u32 more)
{
	ssize_t len = strscpy(rule->comm, value, sizeof(rule->comm));

	if (len < 0)
		return -EINVAL;
	rule->comm_len = len + more;
	return 0;
}

static int krping_delay_word(struct krping_delay_rule *rule, const char *key,
			     const char *value)
{
	u64 seed;
	int ret;

	if (!strcmp(key, "usec"))
		return krping_delay_number(value, 1, KRPING_DELAY_USEC_MAX, &rule->usec);
	if (!strcmp(key, "every"))
		return krping_delay_number(value, 1, U32_MAX, &rule->every);
	if (!strcmp(key, "chance"))
		return krping_delay_number(value, 1, 65536, &rule->chance);
	if (!strcmp(key, "comm"))
		return krping_delay_set_comm(rule, value, 0);
	/* the terminating NUL is compared, too */
	if (!strcmp(key, "task"))
		return krping_delay_set_comm(rule, value, 1);
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
 * @rule: the rule, zeroed but for its defaults
 * @text: words KEY=VALUE, separated by blanks; the function modifies the text
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP.
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
	return rule->usec ? 0 : -EINVAL;
}
