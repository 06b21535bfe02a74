/* Options of gradient fusion that belong to one policy.  options_table.c asks
 * which policy they mean; train_fusion.c reports what was not used. */
#include <config.h>

#include "trainer/run/options/fusion_options.h"

#include <stdlib.h>
#include <string.h>

#include "common/program/options.h"

static const struct fusion_option {
	const char *option, *policy;
	const char *variable; /* that stands for the option; NULL */
} fusion_options[] = {
	{ "fusion-threshold", "horovod", "HOROVOD_FUSION_THRESHOLD" },
	{ "cycle-time", "horovod", "HOROVOD_CYCLE_TIME" },
	{ "cache-capacity", "horovod", "HOROVOD_CACHE_CAPACITY" },
	{ "first-bucket", "ddp", NULL },
	{ "bucket", "ddp", NULL },
};

enum { N_FUSION_OPTIONS = sizeof fusion_options / sizeof fusion_options[0] };

static int
is_set(const struct fusion_option *o)
{
	return o->variable != NULL && getenv(o->variable) != NULL;
}

/* Is a variable that is a switch set, and not to 0? */
static int
is_asked(const char *variable)
{
	const char *text = getenv(variable);

	return text != NULL && *text != '\0' && strcmp(text, "0") != 0;
}

int
fusion_options_settle(const char **policy, struct error *e)
{
	const int asked = options_given("fusion");
	const struct fusion_option *first = NULL;

	for (int i = 0; i < N_FUSION_OPTIONS; i++) {
		const struct fusion_option *o = &fusion_options[i];

		if (!options_given(o->option))
			continue;
		if (asked && strcmp(o->policy, *policy) != 0)
			return error_set(e, ERROR_USAGE,
			    "--%s: only with --fusion=%s, not with "
			    "--fusion=%s",
			    o->option, o->policy, *policy);
		if (first != NULL && strcmp(o->policy, first->policy) != 0)
			return error_set(e, ERROR_USAGE,
			    "--%s belongs to --fusion=%s and --%s to "
			    "--fusion=%s",
			    first->option, first->policy, o->option, o->policy);
		first = o;
	}
	for (int i = 0; i < N_FUSION_OPTIONS && !asked && first == NULL; i++)
		if (is_set(&fusion_options[i]))
			first = &fusion_options[i];
	if (first != NULL)
		*policy = first->policy;
	return 0;
}

void
fusion_options_unused(const char *policy, struct strbuf *sb)
{
	for (int i = 0; i < N_FUSION_OPTIONS; i++) {
		const struct fusion_option *o = &fusion_options[i];

		if (is_set(o) && strcmp(o->policy, policy) != 0)
			strbuf_printf(
			    sb, "%s%s", sb->len > 0 ? ", " : "", o->variable);
	}
	if (is_asked("HOROVOD_AUTOTUNE") && strcmp(policy, "horovod") != 0)
		strbuf_printf(
		    sb, "%sHOROVOD_AUTOTUNE", sb->len > 0 ? ", " : "");
}

int
fusion_options_is_fixed(const char *option)
{
	for (int i = 0; i < N_FUSION_OPTIONS; i++)
		if (strcmp(fusion_options[i].option, option) == 0)
			return options_given(option) ||
			    is_set(&fusion_options[i]);
	if (strcmp(option, "hierarchical-allgather") == 0)
		return getenv("HOROVOD_HIERARCHICAL_ALLGATHER") != NULL;
	return options_given(option) ||
	    getenv("HOROVOD_HIERARCHICAL_ALLREDUCE") != NULL;
}
