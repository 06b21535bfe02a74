/* Runs of earlier results as jobs that are done.  extraction_run calls it; it
 * knows no log.  What was measured by other rules is refused: one median of
 * different windows would be no figure of either. */
#include <config.h>

#include "extract/job/earlier_result.h"

#include <math.h>
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

static int
rule_differs(const struct earlier_result *item, const char *option,
    const char *then, const char *now, struct error *e)
{
	if (then == NULL || strcmp(then, now) == 0)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "%s: was measured with --%s=%s, but now it is %s; pass the same to "
	    "add to it",
	    item->path, option, then, now);
}

static int
count_differs(const struct earlier_result *item, const char *option, long then,
    long now, struct error *e)
{
	if (then == RESULT_UNKNOWN || then == now)
		return 0;
	return error_set(e, ERROR_INPUT,
	    "%s: was measured with --%s=%ld, but now it is %ld; pass the same "
	    "to add to it",
	    item->path, option, then, now);
}

/* Are the figures of the result made as s asks for?  What the result does not
 * name did not matter for them. */
static int
check_rule(const struct earlier_result *item, const struct settings *s,
    struct error *e)
{
	const struct result_rule *then = &item->result.rule;
	const struct rule *now = &s->rule;

	if (rule_differs(
		item, "metric", then->metric, rule_metric_name(now), e) != 0 ||
	    rule_differs(item, "epoch", then->epoch, s->epoch, e) != 0 ||
	    rule_differs(item, "aggregate", then->aggregate,
		aggregate_name(now->aggregate), e) != 0)
		return -1;
	if (count_differs(item, "skip-iterations", then->skip_iterations,
		now->skip, e) != 0 ||
	    count_differs(item, "warmup-batches", then->warmup_batches,
		now->warmup, e) != 0 ||
	    count_differs(
		item, "train-batches", then->train_batches, now->train, e) != 0)
		return -1;
	return count_differs(item, "from-iteration", then->from_iteration,
	    now->from_iteration, e);
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

/* A job that is done, of inputs [first, first + n) of the result. */
static struct run_job *
append_job(
    struct run_job_list *jobs, const struct result *r, size_t first, size_t n)
{
	struct run_job *job;

	jobs->items =
	    xreallocarray(jobs->items, jobs->n + 1, sizeof *jobs->items);
	job = &jobs->items[jobs->n++];
	*job = (struct run_job){ .n_files = n,
		.inputs = arena_calloc(&jobs->arena, n, sizeof *job->inputs),
		.notes = arena_calloc(&jobs->arena, n, sizeof *job->notes),
		.n_notes = n,
		.run = arena_calloc(&jobs->arena, 1, sizeof *job->run) };
	for (size_t i = 0; i < n; i++)
		job->notes[i] = "";
	if (n > 0)
		memcpy(job->inputs, r->inputs + first, n * sizeof *job->inputs);
	return job;
}

/* The inputs of the run that begins with this one: the next ones too, where
 * there is a file for each rank.
 *
 * begins  [n_inputs] 1: the first of a run */
static size_t
count_inputs(const struct result *r, const char *begins, size_t first)
{
	size_t end = first + 1;

	while (end < r->n_inputs && r->inputs[end].used && !begins[end])
		end++;
	return end - first;
}

/* The first input of the run, which no other has; n_inputs: none. */
static size_t
find_input(const struct result *r, const char *path, const char *begins)
{
	size_t i = 0;

	while (i < r->n_inputs &&
	    (begins[i] || !r->inputs[i].used ||
		strcmp(r->inputs[i].path, path) != 0))
		i++;
	return i;
}

/* All that is not of a run: one job that does not count. */
static void
append_rest(
    struct run_job_list *jobs, const struct result *r, const char *taken)
{
	struct run_job *job = append_job(jobs, r, 0, r->n_inputs);
	struct arena *a = &jobs->arena;
	size_t n = 0;

	for (size_t i = 0; i < r->n_inputs; i++)
		if (!taken[i])
			job->inputs[n++] = r->inputs[i];
	job->n_files = n;
	job->excluded = arena_calloc(a, r->n_excluded, sizeof *job->excluded);
	for (size_t i = 0; i < r->n_excluded; i++)
		job->excluded[job->n_excluded++] = r->excluded[i];
}

/* While the runs of a result become jobs. */
struct appending {
	struct run_job_list *jobs;
	const struct earlier_result *item;
	char *begins;  /* [n_inputs] 1: the first input of a run */
	char *taken;   /* [n_inputs] 1: of a run */
	size_t *first; /* of each run; n_inputs: none */
	size_t k;      /* the next run */
};

static size_t
count_runs(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		n += r->cases[i].n_runs;
	return n;
}

/* Where each run begins must be known before their ends are. */
static void
find_inputs(struct appending *p)
{
	const struct result *r = &p->item->result;
	size_t k = 0;

	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t j = 0; j < r->cases[i].n_runs; j++, k++) {
			p->first[k] =
			    find_input(r, r->cases[i].runs[j].path, p->begins);
			p->begins[p->first[k]] = p->first[k] < r->n_inputs;
		}
}

static int
append_case(struct appending *p, const struct result_case *c, struct error *e)
{
	const struct result *r = &p->item->result;
	enum rule_kind kind = RULE_BY_FORMAT;

	if (c->n_runs == 0)
		return error_set(e, ERROR_INPUT,
		    "%s: case '%s' has no runs to add to", p->item->path,
		    c->name);
	if (kind_of_case(p->item, c, &kind, e) != 0)
		return -1;
	for (size_t j = 0; j < c->n_runs; j++) {
		const size_t first = p->first[p->k++];
		const size_t n =
		    first < r->n_inputs ? count_inputs(r, p->begins, first) : 0;
		struct run_job *job = append_job(p->jobs, r, first, n);

		memset(p->taken + first, 1, n);
		job->counts = 1;
		fill_run(
		    job->run, p->item, c, &c->runs[j], kind, &p->jobs->arena);
	}
	return 0;
}

/* Each run of the result, as a job. */
static int
append_runs(struct run_job_list *jobs, const struct earlier_result *item,
    struct error *e)
{
	const struct result *r = &item->result;
	struct appending p = { .jobs = jobs,
		.item = item,
		.begins = xcalloc(r->n_inputs + 1, 1),
		.taken = xcalloc(r->n_inputs + 1, 1),
		.first = xcalloc(count_runs(r) + 1, sizeof *p.first) };
	int rc = 0;

	find_inputs(&p);
	for (size_t i = 0; rc == 0 && i < r->n_cases; i++)
		rc = append_case(&p, &r->cases[i], e);
	if (rc == 0)
		append_rest(jobs, r, p.taken);
	free(p.first);
	free(p.taken);
	free(p.begins);
	return rc;
}

int
earlier_results_add(struct earlier_results *r, const struct settings *s,
    struct run_job_list *jobs, struct error *e)
{
	for (size_t i = 0; i < r->n; i++) {
		struct earlier_result *item = &r->items[i];

		if (result_read(item->path, &item->result, e) != 0 ||
		    check_rule(item, s, e) != 0 ||
		    append_runs(jobs, item, e) != 0)
			return -1;
	}
	return 0;
}
