/* What --select takes.  Called by run_job.c with what is known of a run before
 * its logs are read; it knows neither paths nor logs. */
#include <config.h>

#include "extract/job/run_selection.h"

#include <stdio.h>
#include <string.h>

#include "common/result/result.h"

int
run_selection_check(const struct opt_list *select, struct error *e)
{
	for (size_t i = 0; i < select->n; i++) {
		const char *equals = strchr(select->items[i], '=');

		if (equals == NULL || equals == select->items[i] ||
		    equals[1] == '\0')
			return error_set(e, ERROR_USAGE,
			    "--select: '%s' is not KEY=VALUE",
			    select->items[i]);
	}
	return 0;
}

static int
has_count(long count, const char *value)
{
	char text[32];

	if (count == RESULT_UNKNOWN)
		return 0;
	snprintf(text, sizeof text, "%ld", count);
	return strcmp(text, value) == 0;
}

static int
has_text(const char *text, const char *value)
{
	return text != NULL && strcmp(text, value) == 0;
}

/* Does the run state this value of the key, of len bytes? */
static int
states_value(
    const struct metadata *f, const char *key, size_t len, const char *value)
{
	const struct {
		const char *key, *text;
		long count;
	} known[] = {
		{ "framework", f->framework, RESULT_UNKNOWN },
		{ "model", f->model, RESULT_UNKNOWN },
		{ "precision", f->precision, RESULT_UNKNOWN },
		{ "run", f->run, RESULT_UNKNOWN },
		{ "batch", NULL, f->batch_size_per_device },
		{ "nodes", NULL, f->nodes },
		{ "gpus", NULL, f->gpus },
		{ "gpus_per_node", NULL, f->gpus_per_node },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].key) == len &&
		    memcmp(known[i].key, key, len) == 0)
			return has_text(known[i].text, value) ||
			    has_count(known[i].count, value);
	for (size_t i = 0; i < f->n_labels; i++)
		if (strlen(f->labels[i].key) == len &&
		    memcmp(f->labels[i].key, key, len) == 0)
			return has_text(f->labels[i].value, value);
	return 0;
}

/* Is one of the values of this key stated? */
static int
any_states(const struct opt_list *select, const struct metadata *f,
    const char *key, size_t len)
{
	for (size_t i = 0; i < select->n; i++)
		if (strncmp(select->items[i], key, len + 1) == 0 &&
		    states_value(f, key, len, select->items[i] + len + 1))
			return 1;
	return 0;
}

int
run_selection_takes(const struct opt_list *select, const struct metadata *f)
{
	for (size_t i = 0; i < select->n; i++)
		if (!any_states(select, f, select->items[i],
			strcspn(select->items[i], "=")))
			return 0;
	return 1;
}
