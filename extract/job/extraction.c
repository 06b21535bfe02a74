#include <config.h>

#include "extract/job/extraction.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/hash_index.h"
#include "common/json/json.h"
#include "common/process.h"
#include "common/series/runs_table.h"
#include "extract/format/format.h"
#include "extract/format/patterns/field_names.h"
#include "extract/input/file_list.h"
#include "extract/log/words.h"
#include "extract/measure/run_path.h"
#include "extract/scan/scan_file.h"

int
earlier_result_is(const char *operand)
{
	size_t len;

	operand = operand_path(operand, &len);
	return result_is_file(operand) || runs_table_is_file(operand);
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
check_rule(const char *path, const struct result_rule *then,
    const struct settings *s, struct arena *a, struct error *e)
{
	const struct rule *now = &s->rule;
	const struct {
		const char *name, *then, *now;
	} options[] = { { "metric", then->metric, rule_metric_name(now) },
		{ "epoch", then->epoch, s->epoch },
		{ "protocol", then->protocol,
		    s->rule.protocol != NULL ? s->rule.protocol : "" },
		{ "aggregate", then->aggregate,
		    aggregate_names[now->aggregate] },
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
			    path, options[i].name, options[i].then,
			    options[i].now);
	return 0;
}

/* Fill a run of a case.
 *
 * source  distinguishes the result from the other operands
 * label   of the operand, NULL: none; replaces "label" of the case */
static void
fill_run(struct case_run *out, const char *source, const char *label,
    const struct result_case *c, const struct result_run *run,
    enum rule_kind kind, struct arena *a)
{
	/* Sorted by key. */
	struct result_pair *all = arena_calloc(a, c->n_labels + 1, sizeof *all);
	size_t n = 0, i = 0;
	const int known = c->work_unit == NULL &&
	    c->batch_size_per_device != RESULT_UNKNOWN &&
	    c->gpus != RESULT_UNKNOWN;

	*out = (struct case_run){ .where = run->path, .source = source };
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
		/* A name taken from the file is not a stated one. */
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
	while (i < c->n_labels && strcmp(c->labels[i].key, "label") < 0)
		all[n++] = c->labels[i++];
	if (label != NULL) {
		all[n++] = (struct result_pair){ "label", label };
		i += i < c->n_labels && strcmp(c->labels[i].key, "label") == 0;
	}
	while (i < c->n_labels)
		all[n++] = c->labels[i++];
	out->metadata.labels = all;
	out->metadata.n_labels = n;
}

/* Find the first input of each run, the one with its path.
 *
 * taken  out: [n_inputs] 1 for the inputs that were found
 *
 * Returns for each run, over all cases, the index of the input + 1; 0: none. */
static size_t *
find_first_inputs(const struct result *r, char *taken, struct arena *a)
{
	size_t n = r->n_inputs, n_runs = 0, k = 0, *next, *head, *first, *of;
	struct hash_index known = HASH_INDEX_INIT;
	const char **paths; /* of the inputs, then of the runs */

	for (size_t i = 0; i < r->n_cases; i++)
		n_runs += r->cases[i].n_runs;
	paths = arena_calloc(a, n + n_runs, sizeof *paths);
	first = arena_calloc(a, n_runs, sizeof *first);
	/* Linked lists of the inputs that have equal paths. */
	next = arena_calloc(a, n, sizeof *next);
	head = arena_calloc(a, n + n_runs, sizeof *head);
	for (size_t i = n; i-- > 0;)
		if (r->inputs[i].used) {
			paths[i] = r->inputs[i].path;
			of = &head[hash_index_first(&known, paths, i)];
			next[i] = *of;
			*of = i + 1;
		}
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t j = 0; j < r->cases[i].n_runs; j++, k++) {
			paths[n + k] = r->cases[i].runs[j].path;
			of = &head[hash_index_first(&known, paths, n + k)];
			first[k] = *of;
			if (*of > 0) {
				taken[*of - 1] = 1;
				*of = next[*of - 1];
			}
		}
	hash_index_release(&known);
	return first;
}

/* Add a finished job. Its inputs are the first one of its run and those that
 * follow, up to the first one of the next run (one file per rank).
 *
 * first  index of that input + 1; 0: the run has none */
static struct run_job *
append_job(struct run_job_list *jobs, const struct result *r, size_t first,
    char *taken)
{
	size_t end = first;
	struct run_job *job;

	jobs->items =
	    vec_grow(jobs->items, jobs->n, &jobs->alloc, sizeof *jobs->items);
	job = &jobs->items[jobs->n++];
	*job = (struct run_job){ .run = arena_calloc(
				     &jobs->arena, 1, sizeof *job->run) };
	if (first == 0)
		return job;
	while (end < r->n_inputs && r->inputs[end].used && !taken[end])
		taken[end++] = 1;
	job->inputs = &r->inputs[first - 1];
	job->n_files = end - first + 1;
	return job;
}

/* Read the results among the operands [n]. Append a finished job for each of
 * their runs, and one that does not count for inputs without a run.
 *
 * Returns 0; -1 with ERROR_INPUT that names the file: it is not a result, has
 * no runs, or was measured by other rules. */
static int
add_earlier(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	struct run_job_list *jobs = &x->jobs;
	struct arena *a = &jobs->arena;
	const char **names = arena_calloc(a, n, sizeof *names);
	const char **stems = arena_calloc(a, n, sizeof *stems);
	size_t *uses = arena_calloc(a, n, sizeof *uses);
	struct hash_index known = HASH_INDEX_INIT;
	struct run_job *job;

	/* Name the operands by the last part without the ending, or by the path
	 * if others have that name, too. */
	for (size_t i = 0; i < n; i++) {
		size_t len, end;

		names[i] = operand_path(operands[i], &len);
		end = strlen(names[i]);
		while (end > 1 && names[i][end - 1] == '/')
			end--;
		stems[i] = run_path_stem(arena_strndup(a, names[i], end), a);
		uses[hash_index_first(&known, stems, i)]++;
	}
	for (size_t i = 0; i < n; i++)
		if (uses[hash_index_first(&known, stems, i)] == 1)
			names[i] = stems[i];
	hash_index_release(&known);
	x->earlier = xcalloc(n, sizeof *x->earlier);
	for (size_t i = 0; i < n; i++) {
		struct result *r = &x->earlier[x->n_earlier];
		size_t len, n_runs = 0, *first;
		char *taken; /* inputs of runs */
		const char *path = operand_path(operands[i], &len);
		const char *label =
		    len > 0 ? arena_strndup(a, operands[i], len) : NULL;

		if (!earlier_result_is(operands[i]))
			continue;
		x->n_earlier++;
		if (runs_table_or_result_read(path, r, e) != 0 ||
		    check_rule(path, &r->rule, x->settings, a, e) != 0)
			return -1;
		taken = arena_calloc(a, r->n_inputs, 1);
		first = find_first_inputs(r, taken, a);
		for (size_t k = 0; k < r->n_cases; k++) {
			const struct result_case *c = &r->cases[k];
			const enum rule_kind kind = rule_kind_find(c->rule);

			if (c->n_runs == 0)
				return error_set(e, ERROR_INPUT,
				    "%s: case '%s' has no runs to add to", path,
				    c->name);
			if (kind == RULE_BY_FORMAT)
				return error_set(e, ERROR_INPUT,
				    "%s: case '%s' does not state by which "
				    "rule it was measured",
				    path, c->name);
			for (size_t j = 0; j < c->n_runs; j++) {
				job =
				    append_job(jobs, r, first[n_runs++], taken);
				job->counts = 1;
				fill_run(job->run, names[i], label, c,
				    &c->runs[j], kind, a);
			}
		}
		job = append_job(jobs, r, 0, taken);
		job->inputs = arena_calloc(a, r->n_inputs, sizeof *job->inputs);
		for (size_t k = 0; k < r->n_inputs; k++)
			if (!taken[k])
				job->inputs[job->n_files++] = r->inputs[k];
		job->excluded = r->excluded;
		job->n_excluded = r->n_excluded;
	}
	return 0;
}

static void
write_count(struct json_writer *j, const char *key, int32_t n)
{
	json_write_long(j, key, n == SAMPLE_NONE ? RESULT_UNKNOWN : n);
}

void
records_write(
    const struct log *const *logs, size_t n_logs, double *const *steps, FILE *f)
{
	struct json_writer j = JSON_TO_FILE(f, JSON_WRITE_LINES);

	for (size_t k = 0; k < n_logs; k++) {
		const struct log *log = logs[k];
		size_t at = 0;

		for (size_t i = 0; i < log->samples.n; i++) {
			const struct sample *x = &log->samples.items[i];
			const struct detail_store *all = &log->details;

			json_write_begin_object(&j, NULL);
			json_write_string(&j, "path", log->shown);
			json_write_long(&j, "line", (long)x->line);
			write_count(&j, "epoch", x->epoch);
			write_count(&j, "iteration", x->iter);
			write_count(&j, "iteration_from", x->iter_from);
			write_count(&j, "rank", x->rank);
			json_write_double(&j, "value", x->value);
			json_write_string(&j, "unit", log->meaning->unit);
			/* Kind of the value, if it is not the mean of its
			 * steps. */
			if (log->meaning->statistic ==
			    STATISTIC_CUMULATIVE_MEAN)
				json_write_string(
				    &j, "statistic", "cumulative-mean");
			if (steps != NULL)
				json_write_double(&j, "step", steps[k][i]);
			json_write_double(&j, "stamp", x->stamp);
			for (; at < all->n && all->items[at].sample <= i;
			     at++) {
				const struct field_name *word =
				    field_name_at(all->items[at].word);

				json_write_double(&j,
				    word->key != NULL ? word->key : word->name,
				    all->items[at].value);
			}
			json_write_end(&j);
		}
	}
	json_write_finish(&j);
}

enum {
	MAX_THREADS = 1024,
	PROGRESS_AFTER_S = 1, /* delay of the first progress line */
	PROGRESS_MS = 200     /* interval of progress lines */
};

/* Initialise the members that are not kept when the logs are read again. */
static void
begin_findings(struct extraction *x)
{
	memset(&x->files, 0, sizeof *x - offsetof(struct extraction, files));
	result_init(&x->result);
	file_list_init(&x->files);
}

int
extraction_load(struct extraction *x, const struct settings *s, struct error *e)
{
	struct search_path path;
	int outcome = -1;
	size_t i;

	*x = (struct extraction){ .settings = s };
	begin_findings(x);
	search_path_init(&path, s->format_dirs.items, s->format_dirs.n);
	if (format_set_load(&x->formats, &path, e) == 0 &&
	    format_self_test_users(&x->formats, e) == 0)
		outcome = 0;
	search_path_release(&path);
	for (i = 0; outcome == 0 && i < s->paths.n; i++)
		outcome = path_template_add(&x->formats, s->paths.items[i], e);
	if (outcome == 0 && s->map != NULL)
		outcome = metadata_map_read(&x->map, s->map, e);
	return outcome;
}

static void
release_findings(struct extraction *x)
{
	outfile_abort(&x->records);
	result_release(&x->result);
	for (size_t i = 0; i < x->n_arenas; i++)
		arena_release(&x->arenas[i]);
	free(x->arenas);
	run_job_list_release(&x->jobs);
	for (size_t i = 0; i < x->n_earlier; i++)
		result_release(&x->earlier[i]);
	free(x->earlier);
	file_list_release(&x->files);
}

void
extraction_clear(struct extraction *x)
{
	release_findings(x);
	begin_findings(x);
}

void
extraction_release(struct extraction *x)
{
	release_findings(x);
	metadata_map_release(&x->map);
	format_set_release(&x->formats);
}

int
extraction_find(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	const struct settings *s = x->settings;
	const char **paths;
	size_t i, j;
	int rc;

	for (i = 0; i < x->formats.formats.n; i++)
		for (j = 0; j < x->formats.formats.items[i]->n_files; j++)
			file_list_admit(
			    &x->files, x->formats.formats.items[i]->files[j]);
	for (i = 0; i < s->log_dirs.n; i++)
		if (file_list_add(&x->files, s->log_dirs.items[i], e) != 0)
			return -1;
	for (i = 0; i < n; i++)
		if (!earlier_result_is(operands[i]) &&
		    file_list_add(&x->files, operands[i], e) != 0)
			return -1;
	file_list_once(&x->files);
	/* No output may overwrite an input. */
	paths = xcalloc(x->files.n_files + 1, sizeof *paths);
	for (n = 0; n < x->files.n_files; n++)
		paths[n] = x->files.files[n].path;
	if (s->map != NULL)
		paths[n++] = s->map;
	rc = outfile_spare(s->output, paths, n, e) != 0 ||
		outfile_spare(s->records, paths, n, e) != 0
	    ? -1
	    : 0;
	free(paths);
	return rc;
}

/* --- threads -------------------------------------------------------------- */

/* The output does not depend on the number of threads: jobs are independent,
 * and records are written in the order of the jobs. */

/* State shared by the threads. */
struct shared {
	struct extraction *x;
	struct run_job_context context;
	struct scan_options scan;

	pthread_mutex_t lock;  /* guards the following members */
	pthread_cond_t turned; /* signals an increase of turn */
	size_t n_started;      /* threads */
	size_t next;           /* next job to start */
	size_t turn; /* finished jobs; the job whose records come next */
};

/* A running job. */
struct turn {
	struct shared *shared;
	size_t job;
};

/* Wait until the records of all previous jobs are written. */
static FILE *
wait_turn(void *arg)
{
	const struct turn *turn = arg;
	struct shared *s = turn->shared;

	pthread_mutex_lock(&s->lock);
	while (s->turn < turn->job)
		pthread_cond_wait(&s->turned, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return s->x->records.f;
}

static void *
work(void *arg)
{
	struct shared *s = arg;
	struct run_job_list *jobs = &s->x->jobs;
	struct scanner *scanner = scanner_new(&s->x->formats, &s->scan);
	struct arena *arena;

	scanner_allow_unpacked(scanner, s->x->settings->max_unpacked);
	pthread_mutex_lock(&s->lock);
	arena = &s->x->arenas[s->n_started++];
	while (s->next < jobs->n) {
		struct turn turn = { s, s->next++ };

		pthread_mutex_unlock(&s->lock);
		run_job_do(&jobs->items[turn.job], &s->context, scanner,
		    wait_turn, &turn, arena);
		if (s->x->records.f != NULL)
			wait_turn(&turn);
		pthread_mutex_lock(&s->lock);
		s->turn++;
		pthread_cond_broadcast(&s->turned);
	}
	pthread_mutex_unlock(&s->lock);
	scanner_free(scanner);
	return NULL;
}

/* Start n threads, wait for them, and print progress meanwhile. */
static int
run_threads(struct shared *s, size_t n, struct error *e)
{
	const double start = seconds_now();
	const int wanted = !s->x->settings->quiet && isatty(STDERR_FILENO);
	pthread_t *threads = xcalloc(n, sizeof *threads);
	size_t started = 0, ended = 0, done;
	int failure = 0, printed = 0;

	while (started < n && failure == 0) {
		failure = pthread_create(&threads[started], NULL, work, s);
		started += failure == 0; /* continue with fewer threads */
	}
	while (ended < started) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += PROGRESS_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (pthread_timedjoin_np(threads[ended], NULL, &until) !=
		    ETIMEDOUT) {
			ended++;
			continue;
		}
		if (!wanted || seconds_now() < start + PROGRESS_AFTER_S)
			continue;
		pthread_mutex_lock(&s->lock);
		done = s->turn;
		pthread_mutex_unlock(&s->lock);
		dprintf(STDERR_FILENO, "\r%zu of %zu logs read", done,
		    s->x->jobs.n);
		printed = 1;
	}
	if (printed)
		dprintf(STDERR_FILENO, "\r\033[K");
	free(threads);
	return started > 0 ? 0
			   : error_errno(e, failure, "cannot start a thread");
}

/* Make the jobs, keep those chosen by --select, and do them. */
static int
do_jobs(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	const struct opt_list *select = &s->selection;
	struct shared shared = { .x = x,
		.context = { s, &x->formats, &x->map, x->tails } };
	struct run_job_list *jobs = &x->jobs;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = (size_t)s->jobs, all;
	int outcome = 0;

	shared.scan.no_hash = s->no_hash;
	shared.scan.details = s->records != NULL;
	if (s->log_format != NULL) {
		shared.scan.forced = format_get(&x->formats, s->log_format, e);
		if (shared.scan.forced == NULL)
			return error_prefix(e, "--log-format");
	}
	if (s->records != NULL && outfile_open(&x->records, s->records, e) != 0)
		return -1;
	run_job_list_make(jobs, &x->files, &x->formats);
	all = jobs->n;
	jobs->n = 0;
	for (size_t i = 0; i < all; i++)
		if (run_job_is_selected(&jobs->items[i], &shared.context))
			jobs->items[jobs->n++] = jobs->items[i];
	if (jobs->n == 0 && all > 0 && select->n > 0)
		return error_set(e, ERROR_EMPTY,
		    "--select=%s%s matches none of %zu runs; --explain-paths "
		    "shows what their names state",
		    select->items[0], select->n > 1 ? " ..." : "", all);
	if (n == 0)
		n = cpus > 0 ? (size_t)cpus : 1;
	if (n > MAX_THREADS)
		n = MAX_THREADS;
	if (n > jobs->n)
		n = jobs->n;
	x->n_arenas = n;
	x->arenas = xcalloc(n, sizeof *x->arenas);
	pthread_mutex_init(&shared.lock, NULL);
	pthread_cond_init(&shared.turned, NULL);
	if (n > 1)
		outcome = run_threads(&shared, n, e);
	else if (n == 1) /* a single log needs no thread */
		work(&shared);
	pthread_cond_destroy(&shared.turned);
	pthread_mutex_destroy(&shared.lock);
	for (size_t i = 0; i < jobs->n && outcome == 0; i++)
		if (jobs->items[i].scarce != NULL) {
			*e = *jobs->items[i].scarce;
			outcome = -1; /* the file may be valid */
		}
	return outcome;
}

int
extraction_run(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	return extraction_find(x, operands, n, e) != 0 || do_jobs(x, e) != 0 ||
		add_earlier(x, operands, n, e) != 0
	    ? -1
	    : extraction_finish(x, e);
}

int
extraction_write(struct extraction *x, const char *path, struct error *e)
{
	struct outfile o;

	if (outfile_open(&o, path, e) != 0)
		return -1;
	if (result_write(&x->result, o.f, e) == 0 &&
	    (x->records.f == NULL || outfile_commit(&x->records, e) == 0))
		return outfile_commit(&o, e);
	outfile_abort(&o);
	return -1;
}

char *
extraction_name(const struct settings *s, const char *const *operands, size_t n)
{
	static const char result[] = "_result.json";
	const struct opt_list *dirs = &s->log_dirs;
	const char *only = n > 0 ? operands[0]
	    : dirs->n > 0        ? dirs->items[0]
				 : "-";
	size_t label_len, len;
	struct stat st;
	char *name, *dot;
	int is_file;

	if (s->name != NULL)
		return xstrdup(s->name);
	if (n + dirs->n != 1 || strcmp(only, "-") == 0)
		return xstrdup("result");
	only = operand_path(only, &label_len);
	name = path_last_part(only);
	len = strlen(name);
	is_file = stat(only, &st) == 0 && !S_ISDIR(st.st_mode);
	if (is_file && words_fit(result, WORDS_END, name) &&
	    len > strlen(result)) {
		name[len - strlen(result)] = '\0';
	} else if (is_file) { /* an ending such as ".log" or ".csv.gz" */
		dot = strrchr(name, '.');
		if (dot != NULL && dot != name &&
		    words_fit(".gz|.zst|.xz", WORDS_ALL, dot)) {
			*dot = '\0';
			dot = strrchr(name, '.');
		}
		if (dot != NULL && dot != name &&
		    strlen(dot) <= strlen(".jsonl"))
			*dot = '\0';
	}
	if (name[0] != '\0' && strcmp(name, "/") != 0 && strcmp(name, "-") != 0)
		return name;
	free(name);
	return xstrdup("result");
}
