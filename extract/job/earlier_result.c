/* Runs of earlier results as jobs that are done.  What was measured by other
 * rules is refused: one median of different windows would be no figure of
 * either. */
#include <config.h>

#include "extract/job/earlier_result.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "extract/measure/run_path.h"

/* The path in an operand, after its label; as file_list_add reads it. */
static const char *
path_of(const char *operand, size_t *label_len)
{
	const char *equals = strchr(operand, '=');

	*label_len = 0;
	if (equals == NULL || equals == operand || access(operand, F_OK) == 0 ||
	    memchr(operand, '/', (size_t)(equals - operand)) != NULL)
		return operand;
	*label_len = (size_t)(equals - operand);
	return equals + 1;
}

int
earlier_result_is(const char *operand)
{
	size_t len;

	return result_is_file(path_of(operand, &len));
}

void
earlier_results_split(
    struct earlier_results *r, const char *const *operands, size_t n)
{
	*r = (struct earlier_results){ .items = xcalloc(n, sizeof *r->items),
		.logs = xcalloc(n, sizeof *r->logs) };
	for (size_t i = 0; i < n; i++) {
		struct earlier_result *item = &r->items[r->n];

		item->path = path_of(operands[i], &item->label_len);
		if (!result_is_file(item->path)) {
			r->logs[r->n_logs++] = operands[i];
			continue;
		}
		item->label = item->label_len > 0 ? operands[i] : NULL;
		result_init(&item->result);
		r->n++;
	}
}

void
earlier_results_release(struct earlier_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		result_release(&r->items[i].result);
	free(r->items);
	free(r->logs);
	*r = (struct earlier_results){ NULL, 0, NULL, 0 };
}

/* An option of the rule, as it was in a result and as it is now. */
struct rule_option {
	const char *name;
	const char *then, *now; /* NULL: it did not matter */
	long n_then, n_now;     /* RESULT_UNKNOWN: the same */
};

/* Are the figures of the result made as s asks for?  What the result does not
 * name did not matter for them. */
static int
check_rule(const struct earlier_result *item, const struct settings *s,
    struct error *e)
{
	const struct result_rule *then = &item->result.rule;
	const struct rule *now = &s->rule;
	const long none = RESULT_UNKNOWN;
	const struct rule_option options[] = {
		{ "metric", then->metric, rule_metric_name(now), none, none },
		{ "epoch", then->epoch, s->epoch, none, none },
		{ "aggregate", then->aggregate, aggregate_name(now->aggregate),
		    none, none },
		{ "skip-iterations", NULL, NULL, then->skip_iterations,
		    now->skip },
		{ "warmup-batches", NULL, NULL, then->warmup_batches,
		    now->warmup },
		{ "train-batches", NULL, NULL, then->train_batches,
		    now->train },
		{ "from-iteration", NULL, NULL, then->from_iteration,
		    now->from_iteration },
	};

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
		const struct rule_option *o = &options[i];

		if (o->then != NULL && strcmp(o->then, o->now) != 0)
			return error_set(e, ERROR_INPUT,
			    "%s: was measured with --%s=%s, but now it is %s; "
			    "pass the same to add to it",
			    item->path, o->name, o->then, o->now);
		if (o->n_then != none && o->n_then != o->n_now)
			return error_set(e, ERROR_INPUT,
			    "%s: was measured with --%s=%ld, but now it is "
			    "%ld; pass the same to add to it",
			    item->path, o->name, o->n_then, o->n_now);
	}
	return 0;
}

static int
kind_of_case(const struct earlier_result *item, const struct result_case *c,
    enum rule_kind *kind, struct error *e)
{
	for (int k = RULE_WINDOW; k <= RULE_SUMMARY; k++)
		if (c->rule != NULL &&
		    strcmp(c->rule, rule_kind_name((enum rule_kind)k)) == 0) {
			*kind = (enum rule_kind)k;
			return 0;
		}
	return error_set(e, ERROR_INPUT,
	    "%s: case '%s' does not state by which rule it was measured",
	    item->path, c->name);
}

/* The case's labels and that of the operand. */
static void
fill_labels(struct metadata *metadata, const struct earlier_result *item,
    const struct result_case *c, struct arena *a)
{
	struct result_pair *all = arena_calloc(a, c->n_labels + 1, sizeof *all);
	size_t n = 0, i = 0;

	metadata->labels = all;
	if (item->label == NULL) {
		metadata->labels = c->labels;
		metadata->n_labels = c->n_labels;
		return;
	}
	/* Sorted by key; the new label takes the place of an old one. */
	for (; i < c->n_labels && strcmp(c->labels[i].key, "label") < 0; i++)
		all[n++] = c->labels[i];
	all[n++] = (struct result_pair){ "label",
		arena_strndup(a, item->label, item->label_len) };
	if (i < c->n_labels && strcmp(c->labels[i].key, "label") == 0)
		i++;
	for (; i < c->n_labels; i++)
		all[n++] = c->labels[i];
	metadata->n_labels = n;
}

/* Was the run's name stated, or is it its file's? */
static int
name_is_stated(const struct result_run *run)
{
	for (size_t i = 0; i < run->n_sources; i++)
		if (strcmp(run->sources[i].key, "run") == 0)
			return 1;
	return 0;
}

static void
fill_run(struct case_run *out, const struct earlier_result *item,
    const struct result_case *c, const struct result_run *run,
    enum rule_kind kind, struct arena *a)
{
	const int known = c->work_unit == NULL &&
	    c->batch_size_per_device != RESULT_UNKNOWN &&
	    c->gpus != RESULT_UNKNOWN;

	*out = (struct case_run){ .where = run->path,
		.source = run_path_stem(item->path, a) };
	out->measured = (struct measured){ .run = *run,
		.unit = c->unit,
		.kind = kind,
		.work = known
		    ? (double)c->batch_size_per_device * (double)c->gpus
		    : NAN,
		.work_unit = c->work_unit != NULL ? c->work_unit : "samples" };
	out->metadata = (struct metadata){ .framework = c->framework,
		.model = c->model,
		.precision = c->precision,
		.run = name_is_stated(run) ? run->run : NULL,
		.framework_version = run->framework_version,
		.device = run->device,
		.batch_size_per_device = c->batch_size_per_device,
		.batch_size = RESULT_UNKNOWN,
		.sequence_length = RESULT_UNKNOWN,
		.tokens_per_step = RESULT_UNKNOWN,
		.nodes = c->nodes,
		.gpus_per_node = c->gpus_per_node,
		.gpus = c->gpus };
	fill_labels(&out->metadata, item, c, a);
}

/* Of an input that belongs to no run. */
#define NO_RUN SIZE_MAX

/* The number of the run of each input, counted over all cases: a run has the
 * input of its path and those that follow it, up to that of another run, where
 * there is a file for each rank.  free() it. */
static size_t *
find_runs_of_inputs(const struct result *r)
{
	size_t *run = xcalloc(r->n_inputs + 1, sizeof *run), k = 0;

	for (size_t i = 0; i < r->n_inputs; i++)
		run[i] = NO_RUN;
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t j = 0; j < r->cases[i].n_runs; j++, k++) {
			const char *path = r->cases[i].runs[j].path;
			size_t at = 0;

			while (at < r->n_inputs &&
			    (run[at] != NO_RUN || !r->inputs[at].used ||
				strcmp(r->inputs[at].path, path) != 0))
				at++;
			if (at < r->n_inputs)
				run[at] = k;
		}
	for (size_t i = 1; i < r->n_inputs; i++)
		if (run[i] == NO_RUN && r->inputs[i].used)
			run[i] = run[i - 1];
	return run;
}

/* Add a job that is done, with the inputs of a run, or of NO_RUN. */
static struct run_job *
append_job(struct run_job_list *jobs, const struct result *r,
    const size_t *run_of, size_t run)
{
	struct arena *a = &jobs->arena;
	struct run_job *job;
	size_t n = 0;

	for (size_t i = 0; i < r->n_inputs; i++)
		n += run_of[i] == run;
	jobs->items =
	    xreallocarray(jobs->items, jobs->n + 1, sizeof *jobs->items);
	job = &jobs->items[jobs->n++];
	*job =
	    (struct run_job){ .inputs = arena_calloc(a, n, sizeof *job->inputs),
		    .notes = arena_calloc(a, n, sizeof *job->notes),
		    .n_notes = n,
		    .run = arena_calloc(a, 1, sizeof *job->run) };
	for (size_t i = 0; i < r->n_inputs; i++)
		if (run_of[i] == run) {
			job->notes[job->n_files] = "";
			job->inputs[job->n_files++] = r->inputs[i];
		}
	return job;
}

/* Add each run of the result as a job, and one that does not count of all that
 * is of no run. */
static int
append_runs(struct run_job_list *jobs, const struct earlier_result *item,
    const size_t *run_of, struct error *e)
{
	const struct result *r = &item->result;
	struct run_job *rest;
	size_t run = 0;

	for (size_t i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		enum rule_kind kind = RULE_BY_FORMAT;

		if (c->n_runs == 0)
			return error_set(e, ERROR_INPUT,
			    "%s: case '%s' has no runs to add to", item->path,
			    c->name);
		if (kind_of_case(item, c, &kind, e) != 0)
			return -1;
		for (size_t k = 0; k < c->n_runs; k++) {
			struct run_job *job =
			    append_job(jobs, r, run_of, run++);

			job->counts = 1;
			fill_run(
			    job->run, item, c, &c->runs[k], kind, &jobs->arena);
		}
	}
	rest = append_job(jobs, r, run_of, NO_RUN);
	rest->excluded =
	    arena_calloc(&jobs->arena, r->n_excluded, sizeof *rest->excluded);
	for (size_t i = 0; i < r->n_excluded; i++)
		rest->excluded[rest->n_excluded++] = r->excluded[i];
	return 0;
}

int
earlier_results_add(struct earlier_results *r, const struct settings *s,
    struct run_job_list *jobs, struct error *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n; i++) {
		struct earlier_result *item = &r->items[i];
		size_t *run_of;

		if (result_read(item->path, &item->result, e) != 0 ||
		    check_rule(item, s, e) != 0)
			return -1;
		run_of = find_runs_of_inputs(&item->result);
		rc = append_runs(jobs, item, run_of, e);
		free(run_of);
	}
	return rc;
}
