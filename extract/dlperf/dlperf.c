#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "extract/dlperf/dlperf_log.h"
#include "extract/dlperf/dlperf_read.h"
#include "extract/dlperf/dlperf_script.h"
#include "extract/dlperf/dlperf_tables.h"
#include "extract/job/extraction.h"
#include "extract/dlperf/python_text.h"
#include "common/files/read_file.h"

enum { MAX_TEXT = 1 << 28 /* of what is printed */ };

/* Beyond this share two ways of measuring differ by more than which iterations
 * they take. */
#define WORTH_PRINTING 0.01

/* One entry of the script's dictionary of speeds. */
struct dlperf_log_run {
	long number;
	const char *path;
	struct dlperf_reading reading;
};

/* Our own answer for one log. */
struct dlperf_answer {
	long batch;
	const char *precision;
	double speed;    /* samples/s; NAN: not measurable */
	const char *why; /* then: the reason */
	long ranks;      /* that printed an iteration */
};

struct folder {
	const char *name; /* "4n8g" */
	struct dlperf_log_run
	    *runs; /* in the order in which numbers were first seen */
	size_t n, alloc;
	struct dlperf_answer *answers; /* one a log */
	size_t n_answers, alloc_answers;
	struct dlperf_reading last; /* of the last log */
	int faulty;                 /* something in it was noted */
};

struct dlperf_model {
	const char *name;
	struct folder *folders;
	size_t n, alloc;
};

struct compat {
	const struct settings *s;
	const struct dlperf_script *script;
	struct rule rule; /* with the script's own W and T unless given */
	struct dlperf_outcome *out;
	struct arena *arena; /* of out */
	struct extraction x; /* formats, for the right answers */
	struct scanner *scanner;
	const char **paths;
	size_t n_paths, alloc_paths;
	struct dlperf_model *models;
	size_t n_models, alloc_models;
	struct py_dict *result;
};

/* Report where the script is wrong. */
#define NOTE(c, ...) case_note(&(c)->out->notes, (c)->arena, __VA_ARGS__)

/* Where the script raises an exception we go on. */
static void
script_stopped(struct compat *c, const char *what, const struct error *e)
{
	case_note(
	    &c->out->stops, c->arena, "%s: %s; excluded", what, e->message);
}

static int
is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int
has_suffix(const char *name, const char *suffix)
{
	const size_t n = strlen(name), m = strlen(suffix);

	return n >= m && strcmp(name + n - m, suffix) == 0;
}

/* glob.glob(dir/x): the entries of a folder in its own order, without hidden
 * ones. */
static int
list_folder(
    struct compat *c, const char *dir, const char *suffix, struct error *e)
{
	const size_t len = strlen(dir);
	const char *slash = len > 0 && dir[len - 1] == '/' ? "" : "/";
	DIR *d = opendir(dir);
	const struct dirent *entry;

	if (d == NULL)
		return error_errno(e, errno, "%s: cannot read the folder", dir);
	while ((entry = readdir(d)) != NULL) {
		const char *path;

		if (entry->d_name[0] == '.' ||
		    !has_suffix(entry->d_name, suffix))
			continue;
		path =
		    arena_printf(c->arena, "%s%s%s", dir, slash, entry->d_name);
		if (suffix[0] == '\0' && !is_folder(path))
			continue;
		c->paths = vec_grow(
		    c->paths, c->n_paths, &c->alloc_paths, sizeof *c->paths);
		c->paths[c->n_paths++] = path;
	}
	closedir(d);
	return 0;
}

static int
list_logs(struct compat *c, const char *dir, struct error *e)
{
	size_t i, n;

	if (list_folder(c, dir, "", e) != 0)
		return -1;
	n = c->n_paths;
	for (i = 0; i < n; i++)
		list_folder(c, c->paths[i], ".log", NULL);
	c->n_paths -= n;
	if (c->n_paths > 0)
		memmove(c->paths, c->paths + n, c->n_paths * sizeof *c->paths);
	if (c->n_paths == 0)
		return error_set(e, ERROR_EMPTY,
		    "%s: there is no log such as 1n1g/r50_b128_fp32_1.log in "
		    "it",
		    dir);
	return 0;
}

static struct folder *
find_folder(struct compat *c, const struct dlperf_name *name)
{
	struct dlperf_model *m = NULL;
	size_t i;

	for (i = 0; i < c->n_models; i++)
		if (strcmp(c->models[i].name, name->model) == 0)
			m = &c->models[i];
	if (m == NULL) {
		c->models = vec_grow(c->models, c->n_models, &c->alloc_models,
		    sizeof *c->models);
		m = &c->models[c->n_models++];
		*m = (struct dlperf_model){ .name = name->model };
	}
	for (i = 0; i < m->n; i++)
		if (strcmp(m->folders[i].name, name->folder) == 0)
			return &m->folders[i];
	m->folders = vec_grow(m->folders, m->n, &m->alloc, sizeof *m->folders);
	m->folders[m->n] = (struct folder){ .name = name->folder };
	return &m->folders[m->n++];
}

static struct dlperf_log_run *
find_run(struct folder *f, long number)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->runs[i].number == number)
			return &f->runs[i];
	f->runs = vec_grow(f->runs, f->n, &f->alloc, sizeof *f->runs);
	f->runs[f->n] = (struct dlperf_log_run){ .number = number };
	return &f->runs[f->n++];
}

/* Our own answer for the same log. */
static struct dlperf_answer
measure_right(
    struct compat *c, const struct dlperf_name *name, const char *path)
{
	struct metadata f = { .batch_size_per_device = name->batch,
		.nodes = name->nodes,
		.gpus_per_node = name->gpus_per_node,
		.gpus = name->nodes * name->gpus_per_node };
	struct dlperf_answer a = { name->batch, name->precision, NAN,
		"no format knows it", 0 };
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	struct log log;
	const struct log *logs = &log;
	const struct run_source source = { &logs, 1, &f, NULL };

	if (scanner_scan(c->scanner, path, path, &log) != 0)
		a.why = arena_strdup(c->arena, log.problem.message);
	else if (log.format == NULL || f.gpus < 1 || name->batch < 1)
		;
	else if (measure_run(&source, &c->rule, c->arena, &m, &x) == 0) {
		a.speed = m.run.value;
		a.ranks = m.run.ranks_seen;
	} else
		a.why = exclusion_text(&x, c->arena);
	log_release(&log);
	return a;
}

/* What is wrong with the script's number, or NULL. */
static const char *
find_fault(struct compat *c, const struct dlperf_reading *r,
    const struct dlperf_answer *right)
{
	const long n = c->rule.train - c->rule.warmup;
	const double ours = py_round2(right->speed);

	if (isnan(r->speed))
		return arena_printf(c->arena,
		    "takes the mean of no value (%ld lines) and gives nan",
		    r->lines);
	if (!r->is_float)
		return arena_printf(c->arena,
		    "counts only %ld of %ld lines and takes its speed for 0",
		    r->lines, c->rule.train);
	if (r->misread > 0)
		return arena_printf(c->arena,
		    "reads %g s as %g s (%ld of %ld times are misread) and "
		    "gives %.2f samples/s",
		    r->printed, r->misread_as, r->misread, n, r->speed);
	if (c->script->kind == READ_TIMES && right->ranks > 1 &&
	    fabs(ours - r->speed) > 0.001)
		return arena_printf(c->arena,
		    "takes %ld lines of %ld ranks for %ld iterations and gives "
		    "%.2f samples/s",
		    n, right->ranks, n, r->speed);
	if (!(fabs(ours - r->speed) <= WORTH_PRINTING * ours))
		return arena_printf(c->arena, "gives %.2f samples/s", r->speed);
	return NULL;
}

/* Add our own answer, and print it if the script's is another. */
static void
note_answer(struct compat *c, const char *path, struct folder *f,
    const struct dlperf_reading *r, struct dlperf_answer right)
{
	const char *fault = find_fault(c, r, &right);

	f->answers = vec_grow(
	    f->answers, f->n_answers, &f->alloc_answers, sizeof *f->answers);
	f->answers[f->n_answers++] = right;
	if (fault == NULL)
		return;
	f->faulty = 1;
	if (isnan(right.speed))
		NOTE(c, "%s: DLPerf %s; it cannot be measured: %s", path, fault,
		    right.why);
	else
		NOTE(c, "%s: DLPerf %s; the right answer is %.2f samples/s",
		    path, fault, right.speed);
}

/* "path {1: 354.61, 2: 353.62}" */
static void
print_speeds(struct compat *c, const char *path, const struct folder *f)
{
	char buf[PY_DOUBLE_SIZE];
	size_t i;

	strbuf_printf(&c->out->text, "%s {", path);
	for (i = 0; i < f->n; i++)
		strbuf_printf(&c->out->text, "%s%ld: %s", i > 0 ? ", " : "",
		    f->runs[i].number,
		    f->runs[i].reading.is_float
			? py_double(buf, f->runs[i].reading.speed)
			: "0");
	strbuf_addstr(&c->out->text, "}\n");
}

/* "average_speed" as the script sets it for each file. */
static void
set_average(struct py_dict *d, const struct dlperf_reading *r)
{
	if (r->is_float)
		py_dict_set_double(d, "average_speed", r->speed);
	else
		py_dict_set_long(d, "average_speed", 0);
}

static void
take_reading(struct compat *c, const char *path, const struct dlperf_name *name,
    const struct dlperf_reading *reading)
{
	struct py_dict *d =
	    py_dict_get(py_dict_get(c->result, name->model), name->folder);
	struct folder *f = find_folder(c, name);
	struct dlperf_log_run *run = find_run(f, name->run);

	if (run->path != NULL) {
		f->faulty = 1;
		NOTE(c,
		    "%s: has the model, folder and run number of %s; "
		    "DLPerf counts only this one",
		    path, run->path);
	}
	f->last = *reading;
	*run = (struct dlperf_log_run){ name->run, path, *reading };
	set_average(d, reading);
	py_dict_set_long(d, "batch_size_per_device", name->batch);
	print_speeds(c, path, f);
	note_answer(c, path, f, reading, measure_right(c, name, path));
}

static void
read_log(struct compat *c, const char *path)
{
	const struct rule *rule = &c->rule;
	struct error e = ERROR_INIT;
	struct dlperf_name name;
	struct dlperf_reading reading;
	size_t len = 0;
	char *text = NULL;

	if (dlperf_name(path, c->arena, &name, &e) == 0)
		text = read_whole_file(path, &len, &e);
	if (text != NULL &&
	    dlperf_read_as(c->script, text, len, &name, rule->warmup,
		rule->train, &reading, &e) == 0) {
		if (reading.nothing)
			strbuf_printf(
			    &c->out->text, "%s cost time is 0\n", path);
		else
			take_reading(c, path, &name, &reading);
	} else
		script_stopped(c, path, &e);
	free(text);
}

/* Are the speeds of single files NumPy's numbers? */
static int
is_numpy_speed(const struct compat *c)
{
	return c->script->numpy &&
	    (c->script->kind == READ_MEAN || c->script->kind == READ_COUNTED);
}

static double
round_as(int numpy, double x, int digits)
{
	return numpy ? np_round(x, digits) : py_round(x, digits);
}

/* The script's own median and average: of a list, rounded. */
static double
median_of(const struct compat *c, const struct folder *f, double *average)
{
	double *v = xcalloc(f->n, sizeof *v), sum = 0, median;
	size_t i;

	for (i = 0; i < f->n; i++)
		sum += v[i] = f->runs[i].reading.speed;
	*average = round_as(
	    is_numpy_speed(c), sum / (double)f->n, c->script->average_digits);
	stats_sort(v, f->n);
	median =
	    f->n % 2 == 1 ? v[f->n / 2] : (v[f->n / 2] + v[f->n / 2 - 1]) / 2;
	/* The sum of all is no number if one of them is none. */
	if (isnan(sum))
		median = NAN;
	free(v);
	return round_as(c->script->numpy, median, 2);
}

static const struct folder *
find_1n1g(const struct dlperf_model *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (strcmp(m->folders[i].name, "1n1g") == 0)
			return &m->folders[i];
	return NULL;
}

static void
note_no_baseline(
    struct compat *c, const struct dlperf_model *m, const struct folder *base)
{
	if (base == NULL)
		NOTE(c,
		    "%s: there is no 1n1g, so DLPerf prints a speedup of "
		    "1.0 for all; no speedup is known, and average_speed is "
		    "that of the last run of each",
		    m->name);
	else
		NOTE(c,
		    "%s: the last log of 1n1g counts as 0, so DLPerf "
		    "prints a speedup of 1.0 for all, and average_speed is "
		    "that of the last run of each",
		    m->name);
}

/* compute_speedup() for one model. */
static void
compute_model(struct compat *c, const struct dlperf_model *m)
{
	struct py_dict *d = py_dict_get(c->result, m->name);
	const struct folder *base = find_1n1g(m);
	double average, base_median = 0;
	int truth =
	    base != NULL && base->last.is_float && base->last.speed != 0;
	size_t i;

	if (base == NULL)
		py_dict_get(py_dict_get(d, "1n1g"), "average_speed");
	else
		base_median = median_of(c, base, &average);
	if (!truth)
		note_no_baseline(c, m, base);
	for (i = 0; i < m->n; i++) {
		const struct folder *f = &m->folders[i];
		struct py_dict *out = py_dict_get(d, f->name);
		double speedup = 1.0;

		if (truth) {
			const double median = median_of(c, f, &average);

			py_dict_set_double(out, "average_speed", average);
			py_dict_set_double(out, "median_speed", median);
			if (f == base)
				truth = average != 0;
			if (base_median == 0 && c->script->kind == READ_TIMES) {
				struct error e = ERROR_INIT;

				error_set(&e, ERROR_INPUT,
				    "DLPerf's script "
				    "stops here: ZeroDivisionError: the median "
				    "of 1n1g is 0");
				script_stopped(c, m->name, &e);
				return;
			}
			speedup = median / base_median;
		}
		py_dict_set_double(
		    out, "speedup", round_as(c->script->numpy, speedup, 2));
	}
}

/* Median of our own answers of a batch size and precision; NAN if there is
 * none. */
static double
right_median(
    const struct folder *f, const struct dlperf_answer *like, size_t *n)
{
	double *v = xcalloc(f->n_answers, sizeof *v), median;
	size_t i;

	*n = 0;
	for (i = 0; i < f->n_answers; i++)
		if (!isnan(f->answers[i].speed) &&
		    f->answers[i].batch == like->batch &&
		    strcmp(f->answers[i].precision, like->precision) == 0)
			v[(*n)++] = f->answers[i].speed;
	median = stats_median(v, *n);
	free(v);
	return median;
}

/* Is it the first of its batch size and precision? */
static int
first_like_it(const struct folder *f, const struct dlperf_answer *a)
{
	const struct dlperf_answer *b;

	for (b = f->answers; b < a; b++)
		if (b->batch == a->batch &&
		    strcmp(b->precision, a->precision) == 0)
			return 0;
	return 1;
}

static void
note_case(struct compat *c, const struct dlperf_model *m,
    const struct folder *f, const struct folder *base,
    const struct dlperf_answer *like)
{
	size_t n, n_base;
	const double median = right_median(f, like, &n);
	const double baseline =
	    base != NULL ? right_median(base, like, &n_base) : NAN;
	const char *name = arena_printf(c->arena, "%s %s b%ld %s", m->name,
	    f->name, like->batch, like->precision);

	if (isnan(median))
		NOTE(c, "%s: right: no run can be measured", name);
	else if (isnan(baseline))
		NOTE(c,
		    "%s: right: median %.2f samples/s of %zu runs, speedup "
		    "unknown",
		    name, median, n);
	else
		NOTE(c,
		    "%s: right: median %.2f samples/s of %zu runs, speedup "
		    "%.2f",
		    name, median, n, median / baseline);
}

/* The right answers for each case in which something is wrong. */
static void
note_cases(struct compat *c, const struct dlperf_model *m)
{
	const struct folder *base = find_1n1g(m);
	size_t i, k, kinds;

	for (i = 0; i < m->n; i++) {
		const struct folder *f = &m->folders[i];

		for (kinds = 0, k = 0; k < f->n_answers; k++)
			kinds += first_like_it(f, &f->answers[k]);
		if (kinds > 1)
			NOTE(c,
			    "%s %s: logs of %zu batch sizes or precisions "
			    "are one case to DLPerf",
			    m->name, f->name, kinds);
		if (kinds == 1 && !f->faulty && base != NULL && !base->faulty)
			continue;
		for (k = 0; k < f->n_answers; k++)
			if (first_like_it(f, &f->answers[k]))
				note_case(c, m, f, base, &f->answers[k]);
	}
}

/* os.path.join(output_dir, last part of dir + "_result.json") */
static const char *
result_path(struct compat *c, const char *dir)
{
	const struct settings *s = c->s;
	const char *folder =
	    options_given("output-dir") ? s->output_dir : "./result";
	const char *slash = strrchr(dir, '/');
	const char *name = slash != NULL ? slash + 1 : dir;

	if (s->output != NULL)
		return s->output;
	return arena_printf(c->arena, "%s%s%s_result.json", folder,
	    has_suffix(folder, "/") || folder[0] == '\0' ? "" : "/",
	    s->name != NULL ? s->name : name);
}

/* The script that reads logs such as the first that a format of ours knows;
 * without one that for PyTorch, which is reported. */
static const struct dlperf_script *
infer_script(struct compat *c)
{
	const struct dlperf_script *found = NULL;
	size_t i;

	for (i = 0; i < c->n_paths && found == NULL; i++) {
		struct log log;

		if (scanner_scan(c->scanner, c->paths[i], c->paths[i], &log) ==
			0 &&
		    log.format != NULL)
			found = dlperf_script_of(log.format->name);
		log_release(&log);
	}
	if (found == NULL) {
		found = dlperf_script_get("27", NULL);
		NOTE(c,
		    "no log shows by its format which of DLPerf's scripts "
		    "reads it; done as %s; --compat=dlperf:list names the "
		    "others",
		    found->path);
	}
	return found;
}

/* The script's own window where none is given, and what it insists on. */
static int
settle_window(struct compat *c, struct error *e)
{
	const struct dlperf_script *s = c->script;
	struct rule *r = &c->rule;

	*r = c->s->rule;
	if (!options_given("warmup-batches"))
		r->warmup = s->warmup;
	if (!options_given("train-batches"))
		r->train = s->train;
	if (r->train <= r->warmup && s->kind != PRINT_LATENCY)
		return error_set(e, ERROR_USAGE,
		    "--train-batches: %ld is not above --warmup-batches %ld",
		    r->train, r->warmup);
	if (s->warmup_step > 0 && r->warmup % s->warmup_step != 0)
		return error_set(e, ERROR_USAGE,
		    "--warmup-batches: DLPerf's script %s insists on a "
		    "multiple of %ld, not %ld",
		    s->name, s->warmup_step, r->warmup);
	if (r->warmup < s->warmup_least)
		return error_set(e, ERROR_USAGE,
		    "--warmup-batches: DLPerf's script %s insists on %ld or "
		    "more, not %ld",
		    s->name, s->warmup_least, r->warmup);
	return 0;
}

/* In the order of their names. */
static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of their last change, as sorted(key=os.path.getmtime). */
static int
by_time(const void *a, const void *b)
{
	struct stat x = { 0 }, y = { 0 };

	stat(*(const char *const *)a, &x);
	stat(*(const char *const *)b, &y);
	if (x.st_mtim.tv_sec != y.st_mtim.tv_sec)
		return (x.st_mtim.tv_sec > y.st_mtim.tv_sec) -
		    (x.st_mtim.tv_sec < y.st_mtim.tv_sec);
	if (x.st_mtim.tv_nsec != y.st_mtim.tv_nsec)
		return (x.st_mtim.tv_nsec > y.st_mtim.tv_nsec) -
		    (x.st_mtim.tv_nsec < y.st_mtim.tv_nsec);
	return by_name(a, b);
}

/* The files that a script of tables reads. */
static int
list_for_tables(struct compat *c, const char *dir, struct error *e)
{
	if (c->script->kind == PRINT_SPEEDS) {
		if (list_logs(c, dir, e) != 0)
			return -1;
		qsort(c->paths, c->n_paths, sizeof *c->paths, by_name);
		return 0;
	}
	if (c->script->kind == PRINT_LOSSES && !is_folder(dir)) {
		c->paths = vec_grow(
		    c->paths, c->n_paths, &c->alloc_paths, sizeof *c->paths);
		c->paths[c->n_paths++] = dir;
		return 0;
	}
	if (c->script->kind == PRINT_LOSSES)
		return error_set(e, ERROR_USAGE,
		    "--compat=dlperf: the script %s takes one log, not a "
		    "folder",
		    c->script->name);
	if (list_folder(c, dir, ".log", e) != 0)
		return -1;
	if (c->n_paths == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: there is no log in it", dir);
	qsort(c->paths, c->n_paths, sizeof *c->paths, by_time);
	return 0;
}

static int
run_tables(struct compat *c, const char *dir, struct error *e)
{
	struct dlperf_tables t = { .script = c->script,
		.warmup = c->rule.warmup,
		.train = c->rule.train,
		.arena = c->arena,
		.text = &c->out->text,
		.file = &c->out->json,
		.stops = &c->out->stops };

	if (list_for_tables(c, dir, e) != 0)
		return -1;
	t.paths = c->paths;
	t.n_paths = c->n_paths;
	dlperf_tables(&t);
	if (t.n_used == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	if (c->script->kind == PRINT_SPEEDS)
		return 0; /* it writes nothing */
	c->out->path = c->s->output != NULL
	    ? c->s->output
	    : arena_printf(c->arena, "%s%s", dir,
		  c->script->kind == PRINT_LOSSES ? ".losses_aucs"
						  : "_latency_report.md");
	return 0;
}

static int
run_all(struct compat *c, const char *dir, struct error *e)
{
	const struct scan_options options = { .no_hash = 1 };
	const int named = c->s->compat_script[0] != '\0';
	size_t i;

	if (extraction_load(&c->x, c->s, e) != 0)
		return -1;
	if (named) {
		c->script = dlperf_script_get(c->s->compat_script, e);
		if (c->script == NULL || settle_window(c, e) != 0)
			return -1;
		if (c->script->kind >= PRINT_SPEEDS)
			return run_tables(c, dir, e);
	}
	if (list_logs(c, dir, e) != 0)
		return -1;
	c->scanner = scanner_new(&c->x.formats, &options);
	if (!named) {
		c->script = infer_script(c);
		if (settle_window(c, e) != 0)
			return -1;
		c->out->inferred = c->script->path;
		if (c->script->kind >= PRINT_SPEEDS) {
			c->n_paths = 0;
			return run_tables(c, dir, e);
		}
	}
	for (i = 0; i < c->n_paths; i++)
		read_log(c, c->paths[i]);
	if (c->n_models == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	for (i = 0; i < c->n_models; i++)
		compute_model(c, &c->models[i]);
	for (i = 0; i < c->n_models; i++)
		note_cases(c, &c->models[i]);
	py_pprint(c->result, &c->out->text);
	py_json(c->result, &c->out->json);
	c->out->path = result_path(c, dir);
	strbuf_printf(&c->out->text, "Saving result to %s\n", c->out->path);
	return 0;
}

int
dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e)
{
	struct compat c = { .s = s, .out = out, .arena = &out->arena };
	int outcome;
	size_t i, j;

	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->json, MAX_TEXT);
	c.result = py_dict_new(c.arena);
	outcome = run_all(&c, dir, e);
	if (c.scanner != NULL)
		scanner_free(c.scanner);
	for (i = 0; i < c.n_models; i++) {
		for (j = 0; j < c.models[i].n; j++) {
			free(c.models[i].folders[j].runs);
			free(c.models[i].folders[j].answers);
		}
		free(c.models[i].folders);
	}
	free(c.models);
	free(c.paths);
	extraction_release(&c.x);
	return outcome;
}

void
dlperf_outcome_release(struct dlperf_outcome *out)
{
	case_notes_release(&out->notes);
	case_notes_release(&out->stops);
	strbuf_release(&out->text);
	strbuf_release(&out->json);
	arena_release(&out->arena);
}
