#include <config.h>

#include "extract/job/run_job.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/files/infile.h"
#include "common/series/runs_table.h"
#include "extract/input/file_list.h"
#include "extract/measure/run_path.h"

/* A result that is read. */
struct earlier_result {
	const char *path;   /* part of the operand */
	const char *label;  /* [label_len] of "label=path" */
	size_t label_len;   /* 0: no label */
	const char *source; /* distinguishes it from the other operands */
	const struct result *result;
	struct arena *arena; /* of the jobs */
};

int
earlier_result_is(const char *operand)
{
	size_t len;

	operand = operand_path(operand, &len);
	return result_is_file(operand) || runs_table_is_file(operand);
}

void
earlier_results_release(struct earlier_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		result_release(&r->items[i]);
	free(r->items);
	*r = (struct earlier_results){ NULL, 0 };
}

/* A number as text, NULL if unknown. */
static const char *
number_text(long x, struct arena *a)
{
	return x == RESULT_UNKNOWN ? NULL : arena_printf(a, "%ld", x);
}

/* Check that a result was measured with the options in s: a median over
 * different windows is meaningless. Options that the result does not list did
 * not affect it. */
static int
check_rule(const struct earlier_result *item, const struct settings *s,
    struct error *e)
{
	const struct result_rule *then = &item->result->rule;
	const struct rule *now = &s->rule;
	struct arena *a = item->arena;
	const struct {
		const char *name, *then, *now;
	} options[] = { { "metric", then->metric, rule_metric_name(now) },
		{ "epoch", then->epoch, s->epoch },
		{ "protocol", then->protocol,
		    s->rule.protocol != NULL ? s->rule.protocol : "" },
		{ "aggregate", then->aggregate,
		    aggregate_name(now->aggregate) },
		{ "skip-iterations", number_text(then->skip_iterations, a),
		    arena_printf(a, "%ld", now->skip) },
		{ "warmup-batches", number_text(then->warmup_batches, a),
		    arena_printf(a, "%ld", now->warmup) },
		{ "train-batches", number_text(then->train_batches, a),
		    arena_printf(a, "%ld", now->train) },
		{ "from-iteration", number_text(then->from_iteration, a),
		    arena_printf(a, "%ld", now->from_iteration) } };

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		if (options[i].then != NULL &&
		    strcmp(options[i].then, options[i].now) != 0)
			return error_set(e, ERROR_INPUT,
			    "%s: was measured with --%s=%s, but now it is %s; "
			    "pass the same to add to it",
			    item->path, options[i].name, options[i].then,
			    options[i].now);
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

/* Copy the case's labels, sorted by key, replacing "label" by that of the
 * operand. */
static void
fill_labels(struct metadata *metadata, const struct earlier_result *item,
    const struct result_case *c, struct arena *a)
{
	struct result_pair *all = arena_calloc(a, c->n_labels + 1, sizeof *all);
	size_t n = 0, i = 0;

	while (i < c->n_labels && strcmp(c->labels[i].key, "label") < 0)
		all[n++] = c->labels[i++];
	if (item->label_len > 0) {
		all[n++] = (struct result_pair){ "label",
			arena_strndup(a, item->label, item->label_len) };
		i += i < c->n_labels && strcmp(c->labels[i].key, "label") == 0;
	}
	while (i < c->n_labels)
		all[n++] = c->labels[i++];
	metadata->labels = all;
	metadata->n_labels = n;
}

static void
fill_run(struct case_run *out, const struct earlier_result *item,
    const struct result_case *c, const struct result_run *run,
    enum rule_kind kind, struct arena *a)
{
	const int known = c->work_unit == NULL &&
	    c->batch_size_per_device != RESULT_UNKNOWN &&
	    c->gpus != RESULT_UNKNOWN;

	*out = (struct case_run){ .where = run->path, .source = item->source };
	out->measured = (struct measured){ .run = *run,
		.unit = c->unit,
		.kind = kind,
		.work = known
		    ? (double)c->batch_size_per_device * (double)c->gpus
		    : NAN,
		.work_unit = c->work_unit != NULL ? c->work_unit : "samples" };
	out->metadata = (struct metadata){
		.name = c->gpus == RESULT_UNKNOWN ? c->name : NULL,
		.framework = c->framework,
		.model = c->model,
		.precision = c->precision,
		/* The name of the file is not stated. */
		.run = result_pair_value(run->sources, run->n_sources, "run")
		    ? run->run
		    : NULL,
		.framework_version = run->framework_version,
		.device = run->device,
		.batch_size_per_device = c->batch_size_per_device,
		.batch_size = RESULT_UNKNOWN,
		.sequence_length = RESULT_UNKNOWN,
		.tokens_per_step = RESULT_UNKNOWN,
		.nodes = c->nodes,
		.gpus_per_node = c->gpus_per_node,
		.gpus = c->gpus
	};
	fill_labels(&out->metadata, item, c, a);
}

/* Marks inputs without a run. */
#define NO_RUN SIZE_MAX

/* Returns the number of the run of each input, counted over all cases. A run
 * has the input with its path and those that follow it, up to the next run (a
 * file per rank). The caller frees the array. */
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

/* Add a finished job with the inputs of a run or of NO_RUN. */
static struct run_job *
append_job(struct run_job_list *jobs, const struct result *r,
    const size_t *run_of, size_t run)
{
	struct arena *a = &jobs->arena;
	struct run_job *job;

	jobs->items =
	    xreallocarray(jobs->items, jobs->n + 1, sizeof *jobs->items);
	job = &jobs->items[jobs->n++];
	*job = (struct run_job){ .run = arena_calloc(a, 1, sizeof *job->run) };
	for (size_t i = 0; i < r->n_inputs; i++)
		job->n_files += run_of[i] == run;
	job->inputs = arena_calloc(a, job->n_files, sizeof *job->inputs);
	for (size_t i = 0, n = 0; i < r->n_inputs; i++)
		if (run_of[i] == run)
			job->inputs[n++] = r->inputs[i];
	return job;
}

/* Add a job for each run of the result, and an uncounted one for inputs without
 * a run. */
static int
append_runs(struct run_job_list *jobs, const struct earlier_result *item,
    const size_t *run_of, struct error *e)
{
	const struct result *r = item->result;
	struct run_job *job;
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
			job = append_job(jobs, r, run_of, run++);
			job->counts = 1;
			fill_run(
			    job->run, item, c, &c->runs[k], kind, item->arena);
		}
	}
	job = append_job(jobs, r, run_of, NO_RUN);
	job->excluded = r->excluded;
	job->n_excluded = r->n_excluded;
	return 0;
}

/* Name the operands [n]: by the last part without the ending, or by the path if
 * others have that name, too. */
static const char **
name_operands(const char *const *operands, size_t n, struct arena *a)
{
	const char **names = arena_calloc(a, n, sizeof *names);
	const char **stems = arena_calloc(a, n, sizeof *stems);
	size_t *first = xcalloc(n, sizeof *first);
	size_t *uses = xcalloc(n, sizeof *uses);
	struct hash_index known = HASH_INDEX_INIT;

	for (size_t i = 0; i < n; i++) {
		size_t len, end;

		names[i] = operand_path(operands[i], &len);
		end = strlen(names[i]);
		while (end > 1 && names[i][end - 1] == '/')
			end--;
		stems[i] = run_path_stem(arena_strndup(a, names[i], end), a);
		first[i] = hash_index_first(&known, stems, i);
		uses[first[i]]++;
	}
	for (size_t i = 0; i < n; i++)
		if (uses[first[i]] == 1)
			names[i] = stems[i];
	hash_index_release(&known);
	free(uses);
	free(first);
	return names;
}

int
earlier_results_add(struct earlier_results *r, const struct settings *s,
    const char *const *operands, size_t n, struct run_job_list *jobs,
    struct error *e)
{
	const char **names = name_operands(operands, n, &jobs->arena);
	int rc = 0;

	r->items = xcalloc(n, sizeof *r->items);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct earlier_result item = { .label = operands[i],
			.result = &r->items[r->n],
			.arena = &jobs->arena };
		size_t *run_of;

		item.path = operand_path(operands[i], &item.label_len);
		item.source = names[i];
		if (!earlier_result_is(operands[i]))
			continue;
		if (runs_table_or_result_read(
			item.path, &r->items[r->n++], e) != 0 ||
		    check_rule(&item, s, e) != 0)
			return -1;
		run_of = find_runs_of_inputs(item.result);
		rc = append_runs(jobs, &item, run_of, e);
		free(run_of);
	}
	return rc;
}
