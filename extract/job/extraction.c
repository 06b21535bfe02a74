#include <config.h>

#include "extract/job/extraction.h"
#include "extract/scan/format_self_test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/program/options.h"
#include "common/result/case_text.h"
#include "common/strbuf.h"
#include "extract/format/path_layout.h"
#include "extract/measure/cases/case.h"

enum { MAX_WARNED = 10 }; /* maximum files named per reason */

void
extraction_init(struct extraction *x, const struct settings *s)
{
	memset(x, 0, sizeof *x);
	x->settings = s;
	result_init(&x->result);
	file_list_init(&x->files);
}

int
extraction_load(struct extraction *x, const struct settings *s, struct error *e)
{
	struct search_path path;
	int outcome = -1;
	size_t i;

	extraction_init(x, s);
	search_path_init(&path, s->format_dirs.items, s->format_dirs.n);
	if (format_set_load(&x->formats, &path, e) == 0 &&
	    path_layout_set_load(&x->layouts, &path, e) == 0 &&
	    format_self_test_users(&x->formats, &x->layouts, e) == 0)
		outcome = 0;
	search_path_release(&path);
	for (i = 0; outcome == 0 && i < s->paths.n; i++)
		outcome = path_template_add(&x->layouts, s->paths.items[i], e);
	if (outcome == 0 && s->map != NULL)
		outcome = metadata_map_read(&x->map, s->map, e);
	return outcome;
}

static void
release_findings(struct extraction *x)
{
	outfile_abort(&x->records);
	case_notes_release(&x->notes);
	case_notes_release(&x->details);
	result_release(&x->result);
	job_pool_release(&x->pool);
	run_job_list_release(&x->jobs);
	earlier_results_release(&x->earlier);
	file_list_release(&x->files);
}

void
extraction_clear(struct extraction *x)
{
	const struct format_set formats = x->formats;
	const struct path_layout_set layouts = x->layouts;
	const struct metadata_map map = x->map;
	struct file_follow *tails = x->tails;

	release_findings(x);
	extraction_init(x, x->settings);
	/* Keep their addresses: formats point to their set. */
	x->formats = formats;
	x->layouts = layouts;
	x->map = map;
	x->tails = tails;
}

void
extraction_release(struct extraction *x)
{
	release_findings(x);
	metadata_map_release(&x->map);
	path_layout_set_release(&x->layouts);
	format_set_release(&x->formats);
}

/* Check that no output overwrites an input. */
static int
spare_files(const struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	const char **paths;
	int rc = 0;

	if (s->output == NULL && s->records == NULL)
		return 0;
	paths = xcalloc(x->files.n_files, sizeof *paths);
	for (size_t i = 0; i < x->files.n_files; i++)
		paths[i] = x->files.files[i].path;
	if (outfile_spare(s->output, paths, x->files.n_files, e) != 0 ||
	    outfile_spare(s->records, paths, x->files.n_files, e) != 0)
		rc = -1;
	free(paths);
	return rc;
}

int
extraction_find(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	const struct opt_list *dirs = &x->settings->log_dirs;
	size_t i, j;

	for (i = 0; i < x->formats.n_formats; i++)
		for (j = 0; j < x->formats.formats[i]->n_files; j++)
			file_list_admit(
			    &x->files, x->formats.formats[i]->files[j]);
	for (i = 0; i < dirs->n; i++)
		if (file_list_add(&x->files, dirs->items[i], e) != 0)
			return -1;
	for (i = 0; i < n; i++)
		if (file_list_add(&x->files, operands[i], e) != 0)
			return -1;
	file_list_once(&x->files);
	return spare_files(x, e);
}

/* Keep the runs chosen by --select. Returns 0; -1 if there is none. */
static int
select_jobs(struct extraction *x, const struct run_job_context *context,
    struct error *e)
{
	const struct opt_list *select = &x->settings->selection;
	struct run_job_list *jobs = &x->jobs;
	const size_t all = jobs->n;

	jobs->n = 0;
	for (size_t i = 0; i < all; i++)
		if (run_job_is_selected(&jobs->items[i], context))
			jobs->items[jobs->n++] = jobs->items[i];
	if (jobs->n > 0 || all == 0 || select->n == 0)
		return 0;
	return error_set(e, ERROR_EMPTY,
	    "--select=%s%s: the name of none of %zu runs states it; "
	    "--explain-paths shows what they state",
	    select->items[0], select->n > 1 ? " ..." : "", all);
}

/* Cost of reading a run in bytes, including that of opening files. */
static double
job_weight(const struct run_job *job)
{
	const double opening = 65536;
	double sum = 0;

	for (size_t i = 0; i < job->n_files; i++)
		sum += opening +
		    (job->files[i]->bytes > 0 ? (double)job->files[i]->bytes
					      : 0);
	return sum;
}

/* Keep the jobs of the shard. */
static void
keep_shard(struct extraction *x)
{
	struct run_job_list *jobs = &x->jobs;
	double *weights;
	size_t end;

	x->first_job = 0;
	x->n_jobs = jobs->n;
	if (x->settings->shard.of == 0)
		return;
	weights = xcalloc(jobs->n + 1, sizeof *weights);
	for (size_t i = 0; i < jobs->n; i++)
		weights[i] = job_weight(&jobs->items[i]);
	shard_range(&x->settings->shard, weights, jobs->n, &x->first_job, &end);
	free(weights);
	jobs->n = end - x->first_job;
	memmove(jobs->items, jobs->items + x->first_job,
	    jobs->n * sizeof *jobs->items);
}

static int
do_jobs(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	struct job_pool_options options = { .n_threads = (size_t)s->jobs };
	const struct run_job_context context = { s, &x->layouts, &x->map,
		x->tails };

	options.scan.no_hash = s->no_hash;
	options.scan.details = s->records != NULL;
	if (s->log_format != NULL) {
		options.scan.forced = format_get(&x->formats, s->log_format, e);
		if (options.scan.forced == NULL)
			return error_prefix(e, "--log-format");
	}
	if (!s->quiet && isatty(STDERR_FILENO))
		options.progress = stderr;
	if (s->records != NULL) {
		if (outfile_open(&x->records, s->records, e) != 0)
			return -1;
		options.records = x->records.f;
	}
	run_job_list_make(&x->jobs, &x->files, &x->layouts);
	if (select_jobs(x, &context, e) != 0)
		return -1;
	keep_shard(x);
	if (job_pool_run(
		&x->pool, &x->jobs, &context, &x->formats, &options, e) != 0)
		return -1;
	for (size_t i = 0; i < x->jobs.n; i++)
		if (x->jobs.items[i].scarce != NULL) {
			*e = *x->jobs.items[i].scarce;
			return -1; /* the file may be valid */
		}
	return 0;
}

/* A warning and the number of jobs with the same text. */
struct warning_tally {
	const struct run_job_warning *first;
	size_t n;
};

static int
is_same_warning(const void *list, size_t place, const void *text)
{
	const struct warning_tally *all = list;

	return strcmp(all[place].first->text, text) == 0;
}

/* Collect the warnings of all jobs, merging equal ones: the first by name, the
 * others as a count. */
static void
collect_warnings(struct extraction *x)
{
	struct arena *a = &x->result.arena;
	struct hash_index known = HASH_INDEX_INIT;
	struct warning_tally *all = NULL;
	size_t n = 0, alloc = 0, more = 0;

	for (size_t i = 0; i < x->jobs.n; i++)
		for (size_t j = 0; j < x->jobs.items[i].n_warnings; j++) {
			const struct run_job_warning *w =
			    &x->jobs.items[i].warnings[j];
			const uint32_t hash = hash_text(0, w->text);
			const size_t k = hash_index_find(
			    &known, hash, is_same_warning, all, w->text);

			if (k != HASH_INDEX_NONE) {
				all[k].n++;
				continue;
			}
			all = vec_grow(all, n, &alloc, sizeof *all);
			all[n] = (struct warning_tally){ w, 1 };
			hash_index_add(&known, hash, n++);
		}
	for (size_t k = 0; k < n; k++) {
		const struct run_job_warning *w = all[k].first;

		if (k >= 2 * MAX_WARNED && !x->settings->verbose)
			more += all[k].n;
		else if (all[k].n == 1)
			case_note(&x->notes, a, "%s: %s", w->path, w->text);
		else
			case_note(&x->notes, a,
			    "%s: %s (and so for %zu more logs)", w->path,
			    w->text, all[k].n - 1);
	}
	if (more > 0)
		case_note(&x->notes, a,
		    "%zu more warnings of %zu kinds; --verbose prints them",
		    more, n - 2 * MAX_WARNED);
	hash_index_release(&known);
	free(all);
}

/* Warn of logs that no --path matches: other layouts read their names. */
static void
warn_paths(struct extraction *x)
{
	const struct settings *s = x->settings;
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; s->paths.n > 0 && i < x->files.n_files; i++) {
		struct path_layout_match m;

		path_layout_match(&x->layouts, x->files.files[i].where, &m);
		if (!path_template_fits(&m) && n++ == 0)
			first = x->files.files[i].shown;
		path_layout_match_release(&m);
	}
	if (n > 0)
		case_note(&x->notes, &x->result.arena,
		    "%s: --path does not fit its name (%zu of %zu logs); "
		    "--explain-paths shows what each name states",
		    first, n, x->files.n_files);
}

/* Warn of rows of --map that match no file: they may be misspelt. */
static void
warn_map(struct extraction *x)
{
	const struct metadata_map *map = &x->map;
	unsigned char *fits = xcalloc(map->n_rows + 1, 1);
	size_t n = 0;

	for (size_t k = 0; k < x->files.n_files; k++) {
		const char *where = x->files.files[k].where;

		for (size_t i = metadata_map_next(map, where, 0);
		     i < map->n_rows; i = metadata_map_next(map, where, i + 1))
			fits[i] = 1;
	}
	for (size_t i = 0; i < map->n_rows; i++) {
		const struct metadata_map_row *row = &map->rows[i];

		if (fits[i] || n++ >= MAX_WARNED)
			continue;
		case_note(&x->notes, &x->result.arena,
		    "%s:%ld: no log fits '%s'", x->settings->map, row->line,
		    row->glob);
	}
	if (n > MAX_WARNED)
		case_note(&x->notes, &x->result.arena,
		    "%s: %zu more rows fit no log", x->settings->map,
		    n - MAX_WARNED);
	free(fits);
}

/* Combined hashes of all files of a job, or NULL. */
static const char *
job_hash(const struct run_job *job, struct arena *a)
{
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, 1 << 24);
	for (size_t i = 0; i < job->n_files; i++) {
		if (job->inputs[i].hash == NULL) {
			strbuf_release(&sb);
			return NULL;
		}
		strbuf_addstr(&sb, job->inputs[i].hash);
	}
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

/* Exclude a measured run. */
static void
refuse_job(struct run_job *job, struct arena *a)
{
	struct result_excluded *all =
	    arena_calloc(a, job->n_excluded + 1, sizeof *all);

	if (job->n_excluded > 0)
		memcpy(all, job->excluded, job->n_excluded * sizeof *all);
	all[job->n_excluded++] = result_excluded_of(
	    job->run->measured.run.path, &job->run->refused.why);
	all[job->n_excluded - 1].hint = job->run->refused.hint;
	job->excluded = all;
	job->counts = 0;
	for (size_t i = 0; i < job->n_files; i++)
		job->inputs[i].used = 0;
}

/* Label runs that only appear to have the same configuration. */
static void
label_runs(struct extraction *x)
{
	struct arena *a = &x->result.arena;
	struct case_run **runs = xcalloc(x->jobs.n, sizeof *runs);
	size_t n = 0;

	for (size_t i = 0; i < x->jobs.n; i++) {
		struct run_job *job = &x->jobs.items[i];

		if (!job->counts)
			continue;
		job->run->hash = job_hash(job, a);
		job->run->order = n;
		runs[n++] = job->run;
	}
	case_label_runs(
	    runs, n, strcmp(x->settings->scaling, "strong") == 0, a, &x->notes);
	free(runs);
	for (size_t i = 0; i < x->jobs.n; i++)
		if (x->jobs.items[i].counts &&
		    x->jobs.items[i].run->refused.why.code != REMARK_NONE)
			refuse_job(&x->jobs.items[i], a);
}

static void
collect_excluded(struct extraction *x)
{
	struct result *r = &x->result;
	size_t n = x->files.n_problems;

	for (size_t i = 0; i < x->jobs.n; i++)
		n += x->jobs.items[i].n_excluded;
	r->excluded = arena_calloc(&r->arena, n + 1, sizeof *r->excluded);
	for (size_t i = 0; i < x->files.n_problems; i++)
		r->excluded[r->n_excluded++] =
		    result_excluded_of(x->files.problems[i].path,
			&REMARK(REMARK_UNREADABLE,
			    remark_name(x->files.problems[i].message)));
	for (size_t i = 0; i < x->jobs.n; i++)
		for (size_t k = 0; k < x->jobs.items[i].n_excluded; k++)
			r->excluded[r->n_excluded++] =
			    x->jobs.items[i].excluded[k];
}

/* Warn of excluded logs: for each reason the first few by name, the others as a
 * count. */
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
	struct arena *a = &x->result.arena;

	for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
		size_t n = 0;

		for (size_t i = 0; i < x->result.n_excluded; i++) {
			const struct result_excluded *out =
			    &x->result.excluded[i];

			if (strcmp(out->reason, reasons[k]) == 0 &&
			    n++ < MAX_WARNED)
				case_note(&x->notes, a, "%s: excluded: %s",
				    excluded_place(out, a),
				    excluded_rest(out, LANGUAGE_EN, a));
		}
		if (n > MAX_WARNED)
			case_note(&x->notes, a,
			    "%zu more logs are excluded as %s", n - MAX_WARNED,
			    reasons[k]);
	}
}

static void
collect_inputs(struct extraction *x)
{
	struct result *r = &x->result;
	size_t i, j, n = 0;

	for (i = 0; i < x->jobs.n; i++)
		n += x->jobs.items[i].n_files;
	r->inputs = arena_calloc(&r->arena, n, sizeof *r->inputs);
	for (i = 0; i < x->jobs.n; i++)
		for (j = 0; j < x->jobs.items[i].n_files; j++) {
			const struct run_job *job = &x->jobs.items[i];

			r->inputs[r->n_inputs++] = job->inputs[j];
			if (job->notes[j][0] != '\0')
				case_note(&x->details, &r->arena, "%s: %s",
				    job->inputs[j].path, job->notes[j]);
		}
}

static int
has_same_bytes(const void *list, size_t place, const void *hash)
{
	const struct result_input *all = list;

	return strcmp(all[place].hash, hash) == 0;
}

/* Warn of logs with identical bytes, which are unlikely to be two runs. */
static void
warn_copies(struct extraction *x)
{
	const struct result *r = &x->result;
	struct hash_index known = HASH_INDEX_INIT;
	size_t n = 0;

	for (size_t i = 0; i < r->n_inputs; i++) {
		const struct result_input *in = &r->inputs[i];
		const uint32_t hash = hash_text(0, in->hash);
		size_t first;

		if (!in->used || in->hash == NULL)
			continue;
		first = hash_index_find(
		    &known, hash, has_same_bytes, r->inputs, in->hash);
		if (first == HASH_INDEX_NONE)
			hash_index_add(&known, hash, i);
		else if (n++ < MAX_WARNED)
			case_note(&x->notes, &x->result.arena,
			    "%s: has the same bytes as %s, but is of another "
			    "case; both count",
			    in->path, r->inputs[first].path);
	}
	if (n > MAX_WARNED)
		case_note(&x->notes, &x->result.arena,
		    "%zu more logs have the same bytes as others",
		    n - MAX_WARNED);
	hash_index_release(&known);
}

/* Convert an option to a member name: "rate-scope" to "rate_scope". */
static char *
member_name(const char *option, struct arena *a)
{
	char *key = arena_strdup(a, option), *dash;

	while ((dash = strchr(key, '-')) != NULL)
		*dash = '_';
	return key;
}

/* Add the options that change figures, except the rule, as typed; each item of
 * a list separately. */
static void
add_options(struct result *r, const struct settings *s)
{
	static const char *const names[] = { "log-format", "rate-scope",
		"allow-mixed", "framework", "model", "precision", "run",
		"batch-size-per-device", "batch-size", "sequence-length",
		"nodes", "gpus-per-node", "gpus", "select", "path", "map",
		"flop-per-sample", "parameters", "peak-tflops" };
	const size_t n_names = sizeof names / sizeof names[0];
	struct arena *a = &r->arena;

	r->rule.more = arena_calloc(
	    a, n_names + s->selection.n + s->paths.n, sizeof *r->rule.more);
	for (size_t k = 0; k < n_names; k++) {
		const struct opt *o = settings_option(names[k]);
		const struct opt_list *list =
		    o->kind == OPT_LIST ? o->to : NULL;
		const char *key = member_name(names[k], a);

		if (!options_given(names[k]))
			continue;
		for (size_t i = 0; i < (list != NULL ? list->n : 1); i++)
			r->rule.more[r->rule.n_more++] = (struct result_pair){
				i == 0 ? key
				       : arena_printf(a, "%s_%zu", key, i + 1),
				list != NULL ? arena_strdup(a, list->items[i])
					     : settings_option_text(o, a)
			};
	}
}

/* The rule of all cases; if they differ, RULE_WINDOW, that of most formats. */
static enum rule_kind
rule_of_cases(const struct extraction *x)
{
	const struct result *r = &x->result;
	int k;
	size_t i;

	if (x->settings->rule.kind != RULE_BY_FORMAT)
		return x->settings->rule.kind;
	for (k = RULE_WINDOW; k <= RULE_SUMMARY; k++) {
		for (i = 0; i < r->n_cases; i++)
			if (strcmp(r->cases[i].rule,
				rule_kind_name((enum rule_kind)k)) != 0)
				break;
		if (i == r->n_cases && i > 0)
			return (enum rule_kind)k;
	}
	return RULE_WINDOW;
}

static void
fill_rule(struct extraction *x)
{
	const struct settings *s = x->settings;
	const struct rule *rule = &s->rule;
	struct result *r = &x->result;
	struct result_rule *out = &r->rule;
	const enum rule_kind kind = rule_of_cases(x);

	out->rule = rule_kind_name(kind);
	if (kind == RULE_WINDOW) {
		out->skip_iterations = rule->skip;
		out->warmup_batches = rule->warmup;
		out->train_batches = rule->train;
	}
	if (kind == RULE_ALL)
		out->from_iteration = rule->from_iteration;
	if (kind != RULE_SUMMARY) {
		out->epoch = arena_strdup(&r->arena, s->epoch);
		out->aggregate = aggregate_name(rule->aggregate);
	}
	out->metric = rule_metric_name(rule);
	out->scaling = s->scaling;
	out->baseline = arena_strdup(&r->arena, s->baseline);
	out->confidence = s->confidence;
	add_options(r, s);
}

static int
make_cases(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	const struct case_options options = { s->baseline, s->confidence,
		strcmp(s->scaling, "strong") == 0, s->allow_mixed };
	const struct case_run **runs = xcalloc(x->jobs.n, sizeof *runs);
	size_t i, n = 0;
	int outcome;

	for (i = 0; i < x->jobs.n; i++)
		if (x->jobs.items[i].counts)
			runs[n++] = x->jobs.items[i].run;
	outcome = cases_make(runs, n, &options, &x->result, &x->notes, e);
	free(runs);
	return outcome;
}

static int
nothing_usable(const struct extraction *x, struct error *e)
{
	if (x->jobs.n == 0)
		return error_set(e, ERROR_EMPTY,
		    "there is no log in what was named; %lld file%s by %s",
		    (long long)x->files.n_skipped,
		    x->files.n_skipped == 1 ? " is no log" : "s are no logs",
		    x->files.n_skipped == 1 ? "its name" : "their names");
	return error_set(
	    e, ERROR_EMPTY, "none of %zu logs is usable", x->result.n_inputs);
}

int
extraction_read(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	for (size_t i = 0; i < n; i++)
		if (earlier_result_is(operands[i]))
			return error_set(e, ERROR_USAGE,
			    "%s: a result is added when parts are there, not "
			    "to one of them",
			    operands[i]);
	if (extraction_find(x, operands, n, e) != 0 || do_jobs(x, e) != 0)
		return -1;
	return x->n_jobs > 0 ? 0 : nothing_usable(x, e);
}

int
extraction_run(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	earlier_results_split(&x->earlier, operands, n);
	if (extraction_find(x, x->earlier.logs, x->earlier.n_logs, e) != 0 ||
	    do_jobs(x, e) != 0 ||
	    earlier_results_add(&x->earlier, x->settings, &x->jobs, e) != 0)
		return -1;
	return extraction_finish(x, e);
}

int
extraction_finish(struct extraction *x, struct error *e)
{
	struct result *r = &x->result;
	size_t n_notes;

	r->tool_name = extract_program.name;
	r->tool_version = PACKAGE_VERSION;
	label_runs(x);
	collect_inputs(x);
	collect_excluded(x);
	collect_warnings(x);
	warn_paths(x);
	warn_map(x);
	warn_excluded(x);
	warn_copies(x);
	n_notes = x->notes.n;
	if (make_cases(x, e) != 0) {
		x->notes.n = n_notes; /* the error replaces them */
		return -1;
	}
	fill_rule(x);
	cases_count_failed(r);
	return r->n_cases > 0 ? 0 : nothing_usable(x, e);
}

int
extraction_commit_records(struct extraction *x, struct error *e)
{
	if (x->records.f == NULL)
		return 0;
	return outfile_commit(&x->records, e);
}

/* Remove a suffix, unless it is the whole name. Returns 1 if removed. */
static int
cut_suffix(char *name, const char *suffix)
{
	const size_t len = strlen(name), n = strlen(suffix);

	if (len <= n || strcmp(name + len - n, suffix) != 0)
		return 0;
	name[len - n] = '\0';
	return 1;
}

/* Last component of a path; for ".", ".." and "/" that of the real path. */
static char *
last_part(const char *path)
{
	size_t len = strlen(path), start;
	char *real, *name;

	while (len > 1 && path[len - 1] == '/')
		len--;
	for (start = len; start > 0 && path[start - 1] != '/'; start--)
		;
	name = xstrndup(path + start, len - start);
	if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return name;
	real = realpath(path, NULL);
	if (real != NULL && strcmp(real, "/") != 0) {
		free(name);
		name = xstrdup(strrchr(real, '/') + 1);
	}
	free(real);
	return name;
}

char *
extraction_name(const struct settings *s, const char *const *operands, size_t n)
{
	const struct opt_list *dirs = &s->log_dirs;
	const char *only = n == 1   ? operands[0]
	    : n == 0 && dirs->n > 0 ? dirs->items[0]
				    : NULL;
	const char *equals;
	char *name;

	if (s->name != NULL)
		return xstrdup(s->name);
	if (n + dirs->n != 1 || strcmp(only, "-") == 0)
		return xstrdup("result");
	equals = strchr(only, '=');
	if (equals != NULL && access(only, F_OK) != 0)
		only = equals + 1; /* "label=path" */
	name = last_part(only);
	/* A result keeps its name, without suffix. */
	if (result_is_file(only) && !cut_suffix(name, "_result.json"))
		cut_suffix(name, ".json");
	if (name[0] == '\0' || strcmp(name, "/") == 0 ||
	    strcmp(name, "-") == 0) {
		free(name);
		return xstrdup("result");
	}
	return name;
}
