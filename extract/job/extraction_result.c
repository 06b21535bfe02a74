/* The result of an extraction: warnings, exclusions, cases, the rule. */
#include <config.h>

#include "extract/job/extraction.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/program/options.h"
#include "common/result/case_text.h"
#include "common/result/work_rate.h"
#include "extract/format/format.h"

enum { MAX_WARNED = 10 }; /* maximum files named per reason */

/* Collect the notes of all jobs. Of equal warnings, name only the first log and
 * count the others. */
static void
collect_notes(struct extraction *x)
{
	struct arena *a = &x->result.arena;
	struct hash_index known = HASH_INDEX_INIT;
	const struct run_job_note **all;
	const char **texts;
	size_t *times;
	size_t n = 0, kinds = 0, more = 0;

	for (size_t i = 0; i < x->jobs.n; i++)
		n += x->jobs.items[i].n_notes;
	all = arena_calloc(a, n, sizeof *all);
	texts = arena_calloc(a, n, sizeof *texts);
	times = arena_calloc(a, n, sizeof *times);
	n = 0;
	for (size_t i = 0; i < x->jobs.n; i++)
		for (size_t j = 0; j < x->jobs.items[i].n_notes; j++) {
			const struct run_job_note *w =
			    &x->jobs.items[i].notes[j];

			if (w->detail) {
				case_note(
				    &x->details, a, "%s: %s", w->path, w->text);
				continue;
			}
			all[n] = w;
			texts[n] = w->text;
			times[hash_index_first(&known, texts, n++)]++;
		}
	for (size_t k = 0; k < n; k++) {
		if (times[k] == 0)
			continue;
		if (kinds++ >= 2 * MAX_WARNED && !x->settings->verbose)
			more += times[k];
		else if (times[k] == 1)
			case_note(
			    &x->notes, a, "%s: %s", all[k]->path, texts[k]);
		else
			case_note(&x->notes, a,
			    "%s: %s (and so for %zu more logs)", all[k]->path,
			    texts[k], times[k] - 1);
	}
	if (more > 0)
		case_note(&x->notes, a,
		    "%zu more warnings of %zu kinds; --verbose prints them",
		    more, kinds - 2 * MAX_WARNED);
	hash_index_release(&known);
}

/* Warn of logs that no --path matches, so that other layouts read their names,
 * and of rows of --map that match no log: they may be misspelt. */
static void
warn_paths(struct extraction *x)
{
	const struct settings *s = x->settings;
	const struct metadata_map *map = &x->map;
	unsigned char *fits = xcalloc(map->n_rows + 1, 1);
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; s->paths.n > 0 && i < x->files.n_files; i++) {
		struct path_layout_match m;

		path_layout_match(&x->formats, x->files.files[i].where, &m);
		if (!path_template_fits(&m) && n++ == 0)
			first = x->files.files[i].shown;
		path_layout_match_release(&m);
	}
	if (n > 0)
		case_note(&x->notes, &x->result.arena,
		    "%s: --path does not fit its name (%zu of %zu logs); "
		    "--explain-paths shows what each name states",
		    first, n, x->files.n_files);
	for (size_t k = 0; k < x->files.n_files; k++) {
		const char *where = x->files.files[k].where;

		for (size_t i = metadata_map_next(map, where, 0);
		     i < map->n_rows; i = metadata_map_next(map, where, i + 1))
			fits[i] = 1;
	}
	n = 0;
	for (size_t i = 0; i < map->n_rows; i++) {
		const struct metadata_map_row *row = &map->rows[i];

		if (fits[i] || n++ >= MAX_WARNED)
			continue;
		case_note(&x->notes, &x->result.arena,
		    "%s:%ld: no log fits '%s'", s->map, row->line, row->glob);
	}
	if (n > MAX_WARNED)
		case_note(&x->notes, &x->result.arena,
		    "%s: %zu more rows fit no log", s->map, n - MAX_WARNED);
	free(fits);
}

/* The measured runs of all jobs. */
static struct case_run **
measured_runs(struct extraction *x, size_t *n)
{
	struct case_run **runs =
	    arena_calloc(&x->result.arena, x->jobs.n, sizeof *runs);

	*n = 0;
	for (size_t i = 0; i < x->jobs.n; i++)
		if (x->jobs.items[i].counts)
			runs[(*n)++] = x->jobs.items[i].run;
	return runs;
}

/* Label runs that only appear to have the same configuration, and exclude those
 * that are refused. */
static void
label_runs(struct extraction *x)
{
	struct arena *a = &x->result.arena;
	struct case_run **runs;
	struct strbuf hash;
	size_t n;

	/* Combine the hashes of the files of a run, if all are known. */
	strbuf_init(&hash, 1 << 24);
	for (size_t i = 0; i < x->jobs.n; i++) {
		const struct run_job *job = &x->jobs.items[i];
		size_t k = 0;

		strbuf_reset(&hash);
		for (; k < job->n_files && job->inputs[k].hash != NULL; k++)
			strbuf_addstr(&hash, job->inputs[k].hash);
		if (job->counts && k == job->n_files && k > 0)
			job->run->hash = arena_strdup(a, hash.buf);
	}
	strbuf_release(&hash);
	runs = measured_runs(x, &n);
	for (size_t i = 0; i < n; i++)
		runs[i]->order = i;
	case_label_runs(
	    runs, n, strcmp(x->settings->scaling, "strong") == 0, a, &x->notes);
	for (size_t i = 0; i < x->jobs.n; i++) {
		struct run_job *job = &x->jobs.items[i];
		struct result_excluded *all;

		if (!job->counts || job->run->refused.why.code == REMARK_NONE)
			continue;
		all = arena_longer(
		    a, job->excluded, job->n_excluded, sizeof *all);
		all[job->n_excluded] = excluded_run(
		    job->run->measured.run.path, &job->run->refused.why);
		all[job->n_excluded++].hint = job->run->refused.hint;
		job->excluded = all;
		job->counts = 0;
		for (size_t k = 0; k < job->n_files; k++)
			job->inputs[k].used = 0;
	}
}

/* Collect the inputs and exclusions of all jobs. */
static void
collect_files(struct extraction *x)
{
	struct result *r = &x->result;
	const struct file_list *files = &x->files;
	size_t n = 0, n_excluded = files->n_problems;

	for (size_t i = 0; i < x->jobs.n; i++) {
		n += x->jobs.items[i].n_files;
		n_excluded += x->jobs.items[i].n_excluded;
	}
	r->inputs = arena_calloc(&r->arena, n, sizeof *r->inputs);
	r->excluded =
	    arena_calloc(&r->arena, n_excluded + 1, sizeof *r->excluded);
	for (size_t i = 0; i < files->n_problems; i++)
		r->excluded[r->n_excluded++] =
		    excluded_run(files->problems[i].path,
			&REMARK(REMARK_UNREADABLE,
			    remark_name(files->problems[i].message)));
	for (size_t i = 0; i < x->jobs.n; i++) {
		const struct run_job *job = &x->jobs.items[i];

		for (size_t k = 0; k < job->n_files; k++)
			r->inputs[r->n_inputs++] = job->inputs[k];
		for (size_t k = 0; k < job->n_excluded; k++)
			r->excluded[r->n_excluded++] = job->excluded[k];
	}
}

/* Warn of excluded logs: for each reason, name the first few, logs with the
 * same message together, and count the others. */
static void
warn_excluded(struct extraction *x)
{
	static const char *const reasons[] = { EXCLUDED_UNREADABLE,
		EXCLUDED_EMPTY, EXCLUDED_NO_FORMAT, EXCLUDED_NOT_TRAINING,
		EXCLUDED_RESTART, EXCLUDED_OUT_OF_MEMORY, EXCLUDED_CRASHED,
		EXCLUDED_FAILED, EXCLUDED_SHORT, EXCLUDED_BAD_VALUE,
		EXCLUDED_NO_EPOCH, EXCLUDED_NO_STEPS, EXCLUDED_NO_SUMMARY,
		EXCLUDED_NO_METRIC, EXCLUDED_NO_BATCH, EXCLUDED_NO_GPUS,
		EXCLUDED_COPY, EXCLUDED_DOUBLE_RUN };
	const enum language lang = language_find(NULL);
	struct arena *a = &x->result.arena;
	size_t n;
	const struct excluded_group *groups =
	    excluded_groups(&x->result, lang, a, &n);

	for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
		size_t shown = 0, more = 0;

		for (size_t g = 0; g < n; g++)
			if (strcmp(groups[g].reason, reasons[k]) != 0)
				continue;
			else if (shown++ < MAX_WARNED)
				case_note(&x->notes, a, "%s: %s: %s",
				    groups[g].place,
				    message(MESSAGE_EXCLUDED, lang),
				    groups[g].words);
			else
				more += groups[g].n;
		if (more > 0)
			case_note(&x->notes, a,
			    "%zu more logs are excluded as %s", more,
			    reasons[k]);
	}
}

/* Warn of logs with identical bytes, which are unlikely to be two runs. */
static void
warn_copies(struct extraction *x)
{
	const struct result *r = &x->result;
	struct hash_index known = HASH_INDEX_INIT;
	const char **hashes = xcalloc(r->n_inputs, sizeof *hashes);
	size_t n = 0;

	for (size_t i = 0; i < r->n_inputs; i++) {
		size_t first;

		hashes[i] = r->inputs[i].hash;
		if (!r->inputs[i].used || hashes[i] == NULL)
			continue;
		first = hash_index_first(&known, hashes, i);
		if (first != i && n++ < MAX_WARNED)
			case_note(&x->notes, &x->result.arena,
			    "%s: has the same bytes as %s, but belongs to "
			    "another case; both count",
			    r->inputs[i].path, r->inputs[first].path);
	}
	if (n > MAX_WARNED)
		case_note(&x->notes, &x->result.arena,
		    "%zu more logs have the same bytes as others",
		    n - MAX_WARNED);
	hash_index_release(&known);
	free(hashes);
}

int
extraction_finish(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	const struct case_options options = { s->baseline, s->confidence,
		s->rule.score, strcmp(s->scaling, "strong") == 0,
		strcmp(s->scaling, "auto") == 0, s->allow_mixed };
	const struct rule *rule = &s->rule;
	enum rule_kind kind = rule->kind;
	struct result *r = &x->result;
	struct result_rule *out = &r->rule;
	struct case_run **runs;
	size_t n_notes, n;
	int outcome;

	r->tool_name = extract_program.name;
	r->tool_version = PACKAGE_VERSION;
	label_runs(x);
	collect_files(x);
	collect_notes(x);
	warn_paths(x);
	warn_excluded(x);
	warn_copies(x);
	n_notes = x->notes.n;
	runs = measured_runs(x, &n);
	outcome = cases_make(
	    (const struct case_run *const *)runs, n, &options, r, &x->notes, e);
	if (outcome != 0) {
		x->notes.n = n_notes; /* the error replaces them */
		return -1;
	}
	/* The rule of all cases; if they differ, the rule of most formats. */
	if (kind == RULE_BY_FORMAT && r->n_cases > 0)
		kind = rule_kind_find(r->cases[0].rule);
	for (size_t i = 1; rule->kind == RULE_BY_FORMAT && i < r->n_cases; i++)
		if (strcmp(r->cases[i].rule, r->cases[0].rule) != 0)
			kind = RULE_WINDOW;
	if (kind == RULE_BY_FORMAT)
		kind = RULE_WINDOW;
	out->rule = rule_kind_names[kind];
	if (kind == RULE_WINDOW) {
		out->skip_iterations = rule->skip;
		out->warmup_batches = rule->warmup;
		out->train_batches = rule->train;
	}
	if (kind == RULE_ALL)
		out->from_iteration = rule->from_iteration;
	if (kind != RULE_SUMMARY) {
		out->epoch = arena_strdup(&r->arena, s->epoch);
		out->aggregate = aggregate_names[rule->aggregate];
	}
	out->metric = rule_metric_name(rule);
	out->protocol = rule->protocol;
	out->baseline = arena_strdup(&r->arena, s->baseline);
	out->confidence = s->confidence;
	settings_keep_options(s, out, &r->arena);
	cases_count_failed(r);
	if (result_check(r, e) != 0)
		return -1;
	if (r->n_cases > 0)
		return 0;
	if (x->jobs.n > 0)
		return error_set(
		    e, ERROR_EMPTY, "none of %zu logs is usable", r->n_inputs);
	if (x->files.n_skipped == 0)
		return error_set(e, ERROR_EMPTY,
		    "no log found; the folder has no file, nor any below it");
	return error_set(e, ERROR_EMPTY, "no log found; %lld file%s by %s",
	    (long long)x->files.n_skipped,
	    x->files.n_skipped == 1 ? " is no log" : "s are no logs",
	    x->files.n_skipped == 1 ? "its name" : "their names");
}
