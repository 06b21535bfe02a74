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
#include "common/files/infile.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "extract/dlperf/dlperf_script.h"
#include "extract/job/extraction.h"

enum { MAX_TEXT = 1 << 28 /* of what is printed */ };

/* Beyond this share two ways of measuring differ by more than which iterations
 * they take. */
#define WORTH_PRINTING 0.01

/* A log that the script could read, and our own answer for it. */
struct read_log {
	const char *path;
	struct dlperf_name name;
	struct dlperf_reading reading;
	double right;    /* samples/s; NAN: not measurable */
	const char *why; /* then: the reason */
	long ranks;      /* that printed an iteration */
	int faulty;      /* 1: it was noted */
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
	struct read_log *logs;
	size_t n_logs, alloc_logs;
	struct json_object *speeds; /* {model: {folder: {run: samples/s}}} */
	struct json_object *result;
};

/* Report where the script is wrong. */
#define NOTE(c, ...) case_note(&(c)->out->notes, (c)->arena, __VA_ARGS__)

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

static void
add_path(struct compat *c, const char *path)
{
	c->paths =
	    vec_grow(c->paths, c->n_paths, &c->alloc_paths, sizeof *c->paths);
	c->paths[c->n_paths++] = path;
}

/* glob.glob(): the logs in a folder, or in its folders, in the order of its
 * entries, without hidden ones. */
static int
list_folder(struct compat *c, const char *dir, int in_folders, struct error *e)
{
	const char *slash = dir[0] != '\0' && has_suffix(dir, "/") ? "" : "/";
	DIR *d = opendir(dir);
	const struct dirent *entry;

	if (d == NULL)
		return error_errno(e, errno, "%s: cannot read the folder", dir);
	while ((entry = readdir(d)) != NULL) {
		const char *path =
		    arena_printf(c->arena, "%s%s%s", dir, slash, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		if (in_folders && is_folder(path))
			list_folder(c, path, 0, NULL);
		else if (!in_folders && has_suffix(path, ".log"))
			add_path(c, path);
	}
	closedir(d);
	return 0;
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
	return text_order_at(a, b);
}

/* The files that the script reads; without one those of most. */
static int
list_logs(struct compat *c, const char *dir, struct error *e)
{
	const enum dlperf_kind kind =
	    c->script != NULL ? c->script->kind : READ_MEAN;
	const int flat = kind > PRINT_SPEEDS;

	c->n_paths = 0;
	if (kind == PRINT_LOSSES && is_folder(dir))
		return error_set(e, ERROR_USAGE,
		    "--compat=dlperf: the script %s takes one log, not a "
		    "folder",
		    c->script->name);
	if (kind == PRINT_LOSSES)
		add_path(c, dir);
	else if (list_folder(c, dir, !flat, e) != 0)
		return -1;
	if (c->n_paths == 0)
		return error_set(e, ERROR_EMPTY,
		    flat ? "%s: there is no log in it"
			 : "%s: there is no log such as "
			   "1n1g/r50_b128_fp32_1.log in it",
		    dir);
	if (kind >= PRINT_SPEEDS)
		qsort(c->paths, c->n_paths, sizeof *c->paths,
		    flat ? by_time : text_order_at);
	return 0;
}

/* Set our own answer for the log. */
static void
measure_right(struct compat *c, struct read_log *l)
{
	const struct dlperf_name *name = &l->name;
	struct metadata f = { .batch_size_per_device = name->batch,
		.nodes = name->nodes,
		.gpus_per_node = name->gpus_per_node,
		.gpus = name->nodes * name->gpus_per_node };
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	struct log log;
	const struct log *logs = &log;
	const struct run_source source = { &logs, 1, &f, NULL };

	l->right = NAN;
	l->why = "no format knows it";
	if (scanner_scan(c->scanner, l->path, l->path, &log) != 0)
		l->why = arena_strdup(c->arena, log.problem.message);
	else if (log.format == NULL || f.gpus < 1 || name->batch < 1)
		;
	else if (measure_run(&source, &c->rule, c->arena, &m, &x) == 0) {
		l->right = m.run.value;
		l->ranks = m.run.ranks_seen;
	} else
		l->why = exclusion_text(&x, c->arena);
	log_release(&log);
}

/* What is wrong with the script's number, or NULL. */
static const char *
find_fault(struct compat *c, const struct read_log *l)
{
	const struct dlperf_reading *r = &l->reading;
	const long n = c->rule.train - c->rule.warmup;
	const double ours = py_round(l->right, 2);

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
	if (c->script->kind == READ_TIMES && l->ranks > 1 &&
	    fabs(ours - r->speed) > 0.001)
		return arena_printf(c->arena,
		    "takes %ld lines of %ld ranks for %ld iterations and gives "
		    "%.2f samples/s",
		    n, l->ranks, n, r->speed);
	if (!(fabs(ours - r->speed) <= WORTH_PRINTING * ours))
		return arena_printf(c->arena, "gives %.2f samples/s", r->speed);
	return NULL;
}

/* Note the script's speed where ours is another. */
static void
note_answer(struct compat *c, struct read_log *l)
{
	const char *fault = find_fault(c, l);

	if (fault == NULL)
		return;
	l->faulty = 1;
	if (isnan(l->right))
		NOTE(c, "%s: DLPerf %s; it cannot be measured: %s", l->path,
		    fault, l->why);
	else
		NOTE(c, "%s: DLPerf %s; the right answer is %.2f samples/s",
		    l->path, fault, l->right);
}

/* The dictionary under key; made if it is not there. */
static struct json_object *
get_dict(struct json_object *d, const char *key)
{
	struct json_object *found = json_object_object_get(d, key);

	if (found == NULL) {
		found = json_object_new_object();
		json_object_object_add(d, key, found);
	}
	return found;
}

static int
is_of(const struct read_log *l, const char *model, const char *folder)
{
	return strcmp(l->name.model, model) == 0 &&
	    strcmp(l->name.folder, folder) == 0;
}

/* Add the log; it takes the place of one of the same run number in what the
 * script keeps of each run. */
static void
add_log(struct compat *c, struct read_log *l)
{
	const struct dlperf_name *name = &l->name;
	struct json_object *runs =
	    get_dict(get_dict(c->speeds, name->model), name->folder);
	struct json_object *out =
	    get_dict(get_dict(c->result, name->model), name->folder);
	struct json_object *speed = l->reading.is_float
	    ? json_object_new_double(l->reading.speed)
	    : json_object_new_int(0);
	const char *run = arena_printf(c->arena, "%ld", name->run);
	size_t i;

	for (i = c->n_logs; i-- > 0;)
		if (is_of(&c->logs[i], name->model, name->folder) &&
		    c->logs[i].name.run == name->run) {
			l->faulty = 1;
			NOTE(c,
			    "%s: has the model, folder and run number of %s; "
			    "DLPerf counts only this one",
			    l->path, c->logs[i].path);
			break;
		}
	json_object_object_add(runs, run, speed);
	json_object_object_add(out, "average_speed", json_object_get(speed));
	json_object_object_add(
	    out, "batch_size_per_device", json_object_new_int64(name->batch));
	strbuf_printf(&c->out->text, "%s ", l->path);
	py_write(runs, PY_RUNS, &c->out->text);
	strbuf_addch(&c->out->text, '\n');
	note_answer(c, l);
	c->logs = vec_grow(c->logs, c->n_logs, &c->alloc_logs, sizeof *c->logs);
	c->logs[c->n_logs++] = *l;
}

static void
read_log(struct compat *c, const char *path)
{
	struct read_log l = { .path = path };
	struct error e = ERROR_INIT;
	size_t len = 0;
	char *text = NULL;

	if (dlperf_name(path, c->arena, &l.name, &e) == 0)
		text = read_whole_file(path, &len, &e);
	if (text == NULL ||
	    dlperf_read(c->script, text, len, &l.name, NULL, c->rule.warmup,
		c->rule.train, &l.reading, &e) != 0)
		case_note(&c->out->stops, c->arena, "%s: %s; excluded", path,
		    e.message);
	else if (l.reading.nothing)
		strbuf_printf(&c->out->text, "%s cost time is 0\n", path);
	else {
		measure_right(c, &l);
		add_log(c, &l);
	}
	free(text);
}

/* Medians and speedups are rounded to two digits as Python or NumPy does. */
static double
round_median(const struct compat *c, double x)
{
	return c->script->plain ? py_round(x, 2) : np_round(x, 2);
}

/* The script's own median and average of the runs of a folder. */
static double
median_of(const struct compat *c, struct json_object *runs, double *average)
{
	const int digits = c->script->average_digits;
	double *v = xcalloc((size_t)json_object_object_length(runs), sizeof *v);
	double sum = 0, median;
	size_t n = 0;

	json_object_object_foreach(runs, run, speed)
	{
		(void)run;
		sum += v[n++] = json_object_get_double(speed);
	}
	*average =
	    dlperf_round(c->script, sum / (double)n, digits > 0 ? digits : 2);
	/* The sum is NAN if one of them is. */
	median = isnan(sum) ? NAN : stats_median(v, n);
	free(v);
	return round_median(c, median);
}

static void
set_double(struct json_object *d, const char *key, double x)
{
	json_object_object_add(d, key, json_object_new_double(x));
}

/* compute_speedup() for the folders of one model. */
static void
compute_model(struct compat *c, const char *model, struct json_object *folders)
{
	struct json_object *d = get_dict(c->result, model);
	struct json_object *base = json_object_object_get(folders, "1n1g");
	/* The script looks it up, which makes it. */
	struct json_object *last =
	    get_dict(get_dict(d, "1n1g"), "average_speed");
	int truth = base != NULL && json_object_get_double(last) != 0;
	double average, base_median = 0;

	if (base != NULL)
		base_median = median_of(c, base, &average);
	if (!truth)
		NOTE(c,
		    "%s: %s, so DLPerf prints a speedup of 1.0 for all%s"
		    "average_speed is that of the last run of each",
		    model,
		    base == NULL ? "there is no 1n1g"
				 : "the last log of 1n1g counts as 0",
		    base == NULL ? "; no speedup is known, and " : ", and ");
	json_object_object_foreach(folders, folder, runs)
	{
		struct json_object *out = get_dict(d, folder);
		double speedup = 1.0;

		if (truth) {
			const double median = median_of(c, runs, &average);

			set_double(out, "average_speed", average);
			set_double(out, "median_speed", median);
			if (runs == base)
				truth = average != 0;
			if (base_median == 0 && c->script->kind == READ_TIMES) {
				case_note(&c->out->stops, c->arena,
				    "%s: DLPerf's script stops here: "
				    "ZeroDivisionError: the median of 1n1g is "
				    "0; excluded",
				    model);
				return;
			}
			speedup = median / base_median;
		}
		set_double(out, "speedup", round_median(c, speedup));
	}
}

static int
is_like(const struct read_log *a, const struct read_log *b)
{
	return a->name.batch == b->name.batch &&
	    strcmp(a->name.precision, b->name.precision) == 0;
}

/* Median of our own answers of n logs of the folder that are like l; NAN if
 * there is none. */
static double
right_median(const struct compat *c, const char *folder,
    const struct read_log *l, size_t *n)
{
	double *v = xcalloc(c->n_logs, sizeof *v), median;
	const struct read_log *x;

	*n = 0;
	for (x = c->logs; x < c->logs + c->n_logs; x++)
		if (is_of(x, l->name.model, folder) && is_like(x, l) &&
		    !isnan(x->right))
			v[(*n)++] = x->right;
	median = stats_median(v, *n);
	free(v);
	return median;
}

/* How many logs of the folder there are, of those before end that are like l
 * if it is not NULL. */
static size_t
count_logs(const struct compat *c, const char *model, const char *folder,
    const struct read_log *l, int *faulty)
{
	const struct read_log *x, *end = l != NULL ? l : c->logs + c->n_logs;
	size_t n = 0;

	for (x = c->logs; x < end; x++)
		if (is_of(x, model, folder) && (l == NULL || is_like(x, l))) {
			n++;
			*faulty |= x->faulty;
		}
	return n;
}

/* The right answers for each case of the folder if something in it or in its
 * baseline is wrong. */
static void
note_folder(struct compat *c, const char *model, const char *folder)
{
	const struct read_log *l, *end = c->logs + c->n_logs;
	size_t kinds = 0, n, n_base;
	int faulty = 0, unused;

	for (l = c->logs; l < end; l++)
		kinds += is_of(l, model, folder) &&
		    count_logs(c, model, folder, l, &unused) == 0;
	if (kinds > 1)
		NOTE(c,
		    "%s %s: logs of %zu batch sizes or precisions are one case "
		    "to DLPerf",
		    model, folder, kinds);
	count_logs(c, model, folder, NULL, &faulty);
	if (count_logs(c, model, "1n1g", NULL, &faulty) > 0 && kinds == 1 &&
	    !faulty)
		return;
	for (l = c->logs; l < end; l++) {
		const char *right = "no run can be measured";
		double median, baseline;

		if (!is_of(l, model, folder) ||
		    count_logs(c, model, folder, l, &unused) > 0)
			continue;
		median = right_median(c, folder, l, &n);
		baseline = right_median(c, "1n1g", l, &n_base);
		if (!isnan(median))
			right = arena_printf(c->arena,
			    isnan(baseline)
				? "median %.2f samples/s of %zu runs, speedup "
				  "unknown"
				: "median %.2f samples/s of %zu runs, speedup "
				  "%.2f",
			    median, n, median / baseline);
		NOTE(c, "%s %s b%ld %s: right: %s", model, folder,
		    l->name.batch, l->name.precision, right);
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
	const char *insists = NULL;
	long least = 0;

	*r = c->s->rule;
	r->strict = 1;
	if (!options_given("warmup-batches"))
		r->warmup = s->warmup;
	if (!options_given("train-batches"))
		r->train = s->train;
	if (r->train <= r->warmup &&
	    (s->kind <= PRINT_SPEEDS || s->kind == PRINT_LOSSES))
		return error_set(e, ERROR_USAGE,
		    "--train-batches: %ld is not above --warmup-batches %ld",
		    r->train, r->warmup);
	if (s->warmup_step > 0 && r->warmup % s->warmup_step != 0) {
		insists = "a multiple of ";
		least = s->warmup_step;
	} else if (r->warmup < s->warmup_least) {
		insists = "";
		least = s->warmup_least;
	}
	if (insists == NULL)
		return 0;
	return error_set(e, ERROR_USAGE,
	    "--warmup-batches: DLPerf's script %s insists on %s%ld%s, not %ld",
	    s->name, insists, least, insists[0] == '\0' ? " or more" : "",
	    r->warmup);
}

static int
run_tables(struct compat *c, const char *dir, struct error *e)
{
	struct dlperf_tables t = { .script = c->script,
		.paths = c->paths,
		.n_paths = c->n_paths,
		.warmup = c->rule.warmup,
		.train = c->rule.train,
		.arena = c->arena,
		.text = &c->out->text,
		.file = &c->out->json,
		.stops = &c->out->stops };

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
	c->scanner = scanner_new(&c->x.formats, &options);
	if (named)
		c->script = dlperf_script_get(c->s->compat_script, e);
	else if (list_logs(c, dir, e) == 0)
		c->script = infer_script(c);
	if (c->script == NULL || settle_window(c, e) != 0)
		return -1;
	if (!named)
		c->out->inferred = c->script->path;
	if (list_logs(c, dir, e) != 0)
		return -1;
	if (c->script->kind >= PRINT_SPEEDS)
		return run_tables(c, dir, e);
	for (i = 0; i < c->n_paths; i++)
		read_log(c, c->paths[i]);
	if (c->n_logs == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	json_object_object_foreach(c->speeds, model, folders)
	{
		compute_model(c, model, folders);
	}
	json_object_object_foreach(c->speeds, model2, folders2)
	{
		json_object_object_foreach(folders2, folder, runs)
		{
			(void)runs;
			note_folder(c, model2, folder);
		}
	}
	py_write(c->result, PY_PPRINT, &c->out->text);
	py_write(c->result, PY_JSON, &c->out->json);
	c->out->path = result_path(c, dir);
	strbuf_printf(&c->out->text, "\nSaving result to %s\n", c->out->path);
	return 0;
}

int
dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e)
{
	struct compat c = { .s = s, .out = out, .arena = &out->arena };
	int outcome;

	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->json, MAX_TEXT);
	c.speeds = json_object_new_object();
	c.result = json_object_new_object();
	outcome = run_all(&c, dir, e);
	if (c.scanner != NULL)
		scanner_free(c.scanner);
	free(c.logs);
	json_object_put(c.speeds);
	json_object_put(c.result);
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
