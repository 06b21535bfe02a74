#include <config.h>

#include "extract/job/extraction.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/json/json_write.h"
#include "common/process.h"
#include "extract/format/path_layout.h"
#include "extract/format/patterns/field_names.h"
#include "extract/job/run_job.h"
#include "extract/scan/format_self_test.h"

static void
write_count(struct json_writer *j, const char *key, int32_t n)
{
	json_write_long(j, key, n == SAMPLE_NONE ? RESULT_UNKNOWN : n);
}

static void
begin_record(
    struct json_writer *j, const struct log *log, const struct sample *x)
{
	json_write_begin_object(j, NULL);
	json_write_string(j, "path", log->shown);
	json_write_long(j, "line", (long)x->line);
	write_count(j, "epoch", x->epoch);
	write_count(j, "iteration", x->iter);
	write_count(j, "iteration_from", x->iter_from);
	write_count(j, "rank", x->rank);
	json_write_double(j, "value", x->value);
	json_write_string(j, "unit", log->meaning->unit);
	/* Kind of the value, if it is not the mean of its steps. */
	if (log->meaning->statistic == STATISTIC_CUMULATIVE_MEAN)
		json_write_string(j, "statistic", "cumulative-mean");
	json_write_double(j, "stamp", x->stamp);
}

static void
write_samples(struct json_writer *j, const struct log *log)
{
	const struct detail_store *all = &log->details;
	size_t at = 0;

	for (size_t i = 0; i < log->samples.n; i++) {
		begin_record(j, log, &log->samples.items[i]);
		for (; at < all->n && all->items[at].sample <= i; at++) {
			const struct field_name *word =
			    field_name_at(all->items[at].word);

			json_write_double(j,
			    word->key != NULL ? word->key : word->name,
			    all->items[at].value);
		}
		json_write_end(j);
	}
}

void
records_write(const struct log *const *logs, size_t n_logs, FILE *f)
{
	struct json_writer j;

	json_write_to_file(&j, f, JSON_WRITE_LINES);
	for (size_t i = 0; i < n_logs; i++)
		write_samples(&j, logs[i]);
	json_write_finish(&j);
}

enum {
	MAX_THREADS = 1024,
	PROGRESS_AFTER_S = 1, /* delay of the first progress line */
	PROGRESS_MS = 200     /* interval of progress lines */
};

/* Initialise an extraction without findings. */
static void
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
	for (size_t i = 0; i < x->n_arenas; i++)
		arena_release(&x->arenas[i]);
	free(x->arenas);
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
	size_t n = 0;
	int rc = 0;

	if (s->output == NULL && s->records == NULL)
		return 0;
	paths = xcalloc(x->files.n_files + 1, sizeof *paths);
	for (; n < x->files.n_files; n++)
		paths[n] = x->files.files[n].path;
	if (s->map != NULL)
		paths[n++] = s->map;
	if (outfile_spare(s->output, paths, n, e) != 0 ||
	    outfile_spare(s->records, paths, n, e) != 0)
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
		if (!earlier_result_is(operands[i]) &&
		    file_list_add(&x->files, operands[i], e) != 0)
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
	    "--select=%s%s matches none of %zu runs; --explain-paths shows "
	    "what their names state",
	    select->items[0], select->n > 1 ? " ..." : "", all);
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

static int
run_jobs(struct shared *s, struct error *e)
{
	struct extraction *x = s->x;
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = (size_t)x->settings->jobs;
	int outcome = 0;

	if (n == 0)
		n = cpus > 0 ? (size_t)cpus : 1;
	if (n > MAX_THREADS)
		n = MAX_THREADS;
	if (n > x->jobs.n)
		n = x->jobs.n;
	x->n_arenas = n;
	x->arenas = xcalloc(n, sizeof *x->arenas);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->turned, NULL);
	if (n > 1)
		outcome = run_threads(s, n, e);
	else if (n == 1) /* a single log needs no thread */
		work(s);
	pthread_cond_destroy(&s->turned);
	pthread_mutex_destroy(&s->lock);
	return outcome;
}

static int
do_jobs(struct extraction *x, struct error *e)
{
	const struct settings *s = x->settings;
	struct shared shared = { .x = x,
		.context = { s, &x->layouts, &x->map, x->tails } };

	shared.scan.no_hash = s->no_hash;
	shared.scan.details = s->records != NULL;
	if (s->log_format != NULL) {
		shared.scan.forced = format_get(&x->formats, s->log_format, e);
		if (shared.scan.forced == NULL)
			return error_prefix(e, "--log-format");
	}
	if (s->records != NULL && outfile_open(&x->records, s->records, e) != 0)
		return -1;
	run_job_list_make(&x->jobs, &x->files, &x->layouts);
	if (select_jobs(x, &shared.context, e) != 0)
		return -1;
	if (run_jobs(&shared, e) != 0)
		return -1;
	for (size_t i = 0; i < x->jobs.n; i++)
		if (x->jobs.items[i].scarce != NULL) {
			*e = *x->jobs.items[i].scarce;
			return -1; /* the file may be valid */
		}
	return 0;
}

int
extraction_run(struct extraction *x, const char *const *operands, size_t n,
    struct error *e)
{
	if (extraction_find(x, operands, n, e) != 0 || do_jobs(x, e) != 0 ||
	    earlier_results_add(
		&x->earlier, x->settings, operands, n, &x->jobs, e) != 0)
		return -1;
	return extraction_finish(x, e);
}

static int
result_to_file(FILE *f, void *context, struct error *e)
{
	struct extraction *x = context;

	if (result_write(&x->result, f, e) != 0)
		return -1;
	return x->records.f != NULL ? outfile_commit(&x->records, e) : 0;
}

int
extraction_write(struct extraction *x, const char *path, struct error *e)
{
	return outfile_write(path, result_to_file, x, e);
}

/* Cut the ending of a file's name: "_result.json" of a result, else one such as
 * ".log" or ".csv.gz". */
static void
cut_ending(char *name)
{
	static const char *const whole[] = { "_result.json", ".gz", ".zst",
		".xz" };
	char *dot;

	for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
		const size_t len = strlen(name), cut = strlen(whole[i]);

		if (len <= cut || strcmp(name + len - cut, whole[i]) != 0)
			continue;
		name[len - cut] = '\0';
		if (i == 0)
			return;
	}
	dot = strrchr(name, '.');
	if (dot != NULL && dot != name && strlen(dot) <= strlen(".jsonl"))
		*dot = '\0';
}

char *
extraction_name(const struct settings *s, const char *const *operands, size_t n)
{
	const struct opt_list *dirs = &s->log_dirs;
	const char *only = n > 0 ? operands[0]
	    : dirs->n > 0        ? dirs->items[0]
				 : "-";
	size_t label_len;
	struct stat st;
	char *name;

	if (s->name != NULL)
		return xstrdup(s->name);
	if (n + dirs->n != 1 || strcmp(only, "-") == 0)
		return xstrdup("result");
	only = operand_path(only, &label_len);
	name = path_last_part(only);
	if (stat(only, &st) == 0 && !S_ISDIR(st.st_mode))
		cut_ending(name);
	if (name[0] != '\0' && strcmp(name, "/") != 0 && strcmp(name, "-") != 0)
		return name;
	free(name);
	return xstrdup("result");
}
