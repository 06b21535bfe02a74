#include <config.h>

#include "extract/measure/steps/rule.h"

#include <limits.h>
#include <string.h>

const char *const rule_kind_names[] = { "", "window", "all", "summary", NULL };
const char *const aggregate_names[] = { "time", "mean", "median", NULL };

long
rule_start(const struct rule *rule)
{
	return rule->skip + rule->warmup;
}

long
rule_end(const struct rule *rule)
{
	if (rule->train == RESULT_UNKNOWN)
		return LONG_MAX;
	return rule->skip + rule->train;
}

enum rule_kind
rule_kind_find(const char *name)
{
	for (int i = RULE_WINDOW; i <= RULE_SUMMARY && name != NULL; i++)
		if (strcmp(name, rule_kind_names[i]) == 0)
			return (enum rule_kind)i;
	return RULE_BY_FORMAT;
}

enum rule_kind
rule_kind_of(const struct rule *rule, const struct meaning *meaning)
{
	const enum rule_kind kind = rule_kind_find(meaning->rule);

	if (rule->kind != RULE_BY_FORMAT)
		return rule->kind;
	if (rule->metric == METRIC_TIME_TO_TRAIN)
		return RULE_SUMMARY;
	return kind != RULE_BY_FORMAT ? kind : RULE_WINDOW;
}

const char *
rule_metric_name(const struct rule *rule)
{
	return rule->figure != NULL ? rule->figure->name
				    : run_metric_choices[rule->metric];
}

int
rule_check(const struct rule *rule, struct error *e)
{
	if (rule->train != RESULT_UNKNOWN && rule->train <= rule->warmup)
		return error_set(e, ERROR_USAGE,
		    "--train-batches: %ld is not more than --warmup-batches, "
		    "%ld: the window would be empty",
		    rule->train, rule->warmup);
	if (rule->metric == METRIC_TIME_TO_TRAIN &&
	    rule->kind != RULE_BY_FORMAT && rule->kind != RULE_SUMMARY)
		return error_set(e, ERROR_USAGE,
		    "--metric=time-to-train: only with --rule=summary, since "
		    "it is a figure of the whole run");
	return 0;
}
