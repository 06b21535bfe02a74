#include <config.h>

#include "extract/measure/steps/rule.h"

#include <limits.h>
#include <string.h>

static const char *const kind_names[] = { "format", "window", "all",
	"summary" };
static const char *const aggregate_names[] = { "time", "mean", "median" };
static const char *const metric_names[] = { "throughput", "step-time",
	"time-to-train" };

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
rule_kind_of(const struct rule *rule, const struct meaning *meaning)
{
	int i;

	if (rule->kind != RULE_BY_FORMAT)
		return rule->kind;
	if (rule->metric == METRIC_TIME_TO_TRAIN)
		return RULE_SUMMARY;
	for (i = RULE_WINDOW; i <= RULE_SUMMARY; i++)
		if (meaning->rule != NULL &&
		    strcmp(meaning->rule, kind_names[i]) == 0)
			return (enum rule_kind)i;
	return RULE_WINDOW;
}

const char *
rule_kind_name(enum rule_kind kind)
{
	return kind_names[kind];
}

const char *
aggregate_name(enum aggregate aggregate)
{
	return aggregate_names[aggregate];
}

const char *
metric_name(enum metric metric)
{
	return metric_names[metric];
}

const char *
rule_metric_name(const struct rule *rule)
{
	return rule->figure != NULL ? rule->figure->name
				    : metric_name(rule->metric);
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
