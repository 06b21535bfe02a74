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
#include "extract/dlperf/dlperf_read.h"
#include "extract/dlperf/dlperf_script.h"
#include "extract/dlperf/python_text.h"
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
	int replaced;    /* 1: a later log has its folder and run number */
	double right;    /* samples/s; NAN: not measurable */
	const char *why; /* then: the reason */
	long ranks;      /* that printed an iteration */
};

/* The logs of one model in one folder. */
struct folder {
	const char *model, *name; /* "r50", "4n8g" */
	struct read_log *logs; /* the first of each run number in its place */
	size_t n, alloc;
	struct dlperf_reading last; /* of the last log */
	long last_batch;
	int faulty; /* 1: something in it was noted */
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
	struct folder *folders; /* in the order of their first logs */
	size_t n_folders, alloc_folders;
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
find_folder(struct compat *c, const char *model, const char *name)
{
	size_t i;

	for (i = 0; i < c->n_folders; i++)
		if (strcmp(c->folders[i].model, model) == 0 &&
		    strcmp(c->folders[i].name, name) == 0)
			return &c->folders[i];
	return NULL;
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

/* Print the script's speed where ours is another. */
static void
note_answer(struct compat *c, struct folder *f, const struct read_log *l)
{
	const char *fault = find_fault(c, l);

	if (fault == NULL)
		return;
	f->faulty = 1;
	if (isnan(l->right))
		NOTE(c, "%s: DLPerf %s; it cannot be measured: %s", l->path,
		    fault, l->why);
	else
		NOTE(c, "%s: DLPerf %s; the right answer is %.2f samples/s",
		    l->path, fault, l->right);
}

/* "path {1: 354.61, 2: 353.62}" */
static void
print_speeds(struct compat *c, const char *path, const struct folder *f)
{
	struct strbuf *sb = &c->out->text;
	const char *comma = "";
	char buf[PY_DOUBLE_SIZE];
	size_t i;

	strbuf_printf(sb, "%s {", path);
	for (i = 0; i < f->n; i++) {
		const struct read_log *l = &f->logs[i];

		if (l->replaced)
			continue;
		strbuf_printf(sb, "%s%ld: %s", comma, l->name.run,
		    l->reading.is_float ? py_double(buf, l->reading.speed)
					: "0");
		comma = ", ";
	}
	strbuf_addstr(sb, "}\n");
}

/* Put the log into its folder; it takes the place of one of the same run
 * number, which moves to the end. */
static void
add_log(struct compat *c, const struct read_log *l)
{
	struct folder *f = find_folder(c, l->name.model, l->name.folder);
	size_t i;

	if (f == NULL) {
		c->folders = vec_grow(c->folders, c->n_folders,
		    &c->alloc_folders, sizeof *c->folders);
		f = &c->folders[c->n_folders++];
		*f = (struct folder){ .model = l->name.model,
			.name = l->name.folder };
	}
	f->logs = vec_grow(f->logs, f->n, &f->alloc, sizeof *f->logs);
	for (i = 0; i < f->n; i++)
		if (!f->logs[i].replaced && f->logs[i].name.run == l->name.run)
			break;
	if (i < f->n) {
		f->faulty = 1;
		NOTE(c,
		    "%s: has the model, folder and run number of %s; "
		    "DLPerf counts only this one",
		    l->path, f->logs[i].path);
		f->logs[f->n] = f->logs[i];
		f->logs[f->n].replaced = 1;
	}
	f->logs[i] = *l;
	f->n++;
	f->last = l->reading;
	f->last_batch = l->name.batch;
	print_speeds(c, l->path, f);
	note_answer(c, f, l);
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
	    dlperf_read(c->script, text, len, &l.name, c->rule.warmup,
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

static double
round_as(int numpy, double x, int digits)
{
	return numpy ? np_round(x, digits) : py_round(x, digits);
}

/* The script's own median and average: of a list, rounded. */
static double
median_of(const struct compat *c, const struct folder *f, double *average)
{
	const struct dlperf_script *s = c->script;
	/* The speeds of single files are NumPy's numbers. */
	const int numpy =
	    !s->plain && (s->kind == READ_MEAN || s->kind == READ_COUNTED);
	double *v = xcalloc(f->n, sizeof *v), sum = 0, median;
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (!f->logs[i].replaced)
			sum += v[n++] = f->logs[i].reading.speed;
	*average = round_as(numpy, sum / (double)n,
	    s->average_digits > 0 ? s->average_digits : 2);
	/* The sum of all is no number if one of them is none. */
	median = isnan(sum) ? NAN : stats_median(v, n);
	free(v);
	return round_as(!s->plain, median, 2);
}

static void
set_double(struct json_object *d, const char *key, double x)
{
	json_object_object_add(d, key, json_object_new_double(x));
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

/* What the script has of the folder once all logs are read: the speed of the
 * last one. */
static void
start_folder(struct compat *c, const struct folder *f)
{
	struct json_object *d =
	    get_dict(get_dict(c->result, f->model), f->name);

	json_object_object_add(d, "average_speed",
	    f->last.is_float ? json_object_new_double(f->last.speed)
			     : json_object_new_int(0));
	json_object_object_add(
	    d, "batch_size_per_device", json_object_new_int64(f->last_batch));
}

/* compute_speedup() for one model. */
static void
compute_model(struct compat *c, const char *model)
{
	struct json_object *d = get_dict(c->result, model);
	const struct folder *base = find_folder(c, model, "1n1g");
	double average, base_median = 0;
	int truth =
	    base != NULL && base->last.is_float && base->last.speed != 0;
	size_t i;

	if (base != NULL)
		base_median = median_of(c, base, &average);
	else /* the script looks it up, which makes it */
		get_dict(get_dict(d, "1n1g"), "average_speed");
	if (!truth)
		NOTE(c,
		    "%s: %s, so DLPerf prints a speedup of 1.0 for all%s"
		    "average_speed is that of the last run of each",
		    model,
		    base == NULL ? "there is no 1n1g"
				 : "the last log of 1n1g counts as 0",
		    base == NULL ? "; no speedup is known, and " : ", and ");
	for (i = 0; i < c->n_folders; i++) {
		const struct folder *f = &c->folders[i];
		struct json_object *out;
		double speedup = 1.0;

		if (strcmp(f->model, model) != 0)
			continue;
		out = get_dict(d, f->name);
		if (truth) {
			const double median = median_of(c, f, &average);

			set_double(out, "average_speed", average);
			set_double(out, "median_speed", median);
			if (f == base)
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
		set_double(
		    out, "speedup", round_as(!c->script->plain, speedup, 2));
	}
}

static int
is_like(const struct read_log *a, const struct read_log *b)
{
	return a->name.batch == b->name.batch &&
	    strcmp(a->name.precision, b->name.precision) == 0;
}

/* Median of our own answers of a batch size and precision; NAN if there is
 * none. */
static double
right_median(const struct folder *f, const struct read_log *like, size_t *n)
{
	double *v = xcalloc(f->n, sizeof *v), median;
	size_t i;

	*n = 0;
	for (i = 0; i < f->n; i++)
		if (!isnan(f->logs[i].right) && is_like(&f->logs[i], like))
			v[(*n)++] = f->logs[i].right;
	median = stats_median(v, *n);
	free(v);
	return median;
}

/* Is the log the first of its batch size and precision? */
static int
first_like_it(const struct folder *f, const struct read_log *l)
{
	const struct read_log *b;

	for (b = f->logs; b < l; b++)
		if (is_like(b, l))
			return 0;
	return 1;
}

static void
note_case(struct compat *c, const struct folder *f, const struct folder *base,
    const struct read_log *like)
{
	size_t n, n_base;
	const double median = right_median(f, like, &n);
	const double baseline =
	    base != NULL ? right_median(base, like, &n_base) : NAN;
	const char *speedup = isnan(baseline)
	    ? "unknown"
	    : arena_printf(c->arena, "%.2f", median / baseline);
	const char *right = isnan(median)
	    ? "no run can be measured"
	    : arena_printf(c->arena,
		  "median %.2f samples/s of %zu runs, speedup %s", median, n,
		  speedup);

	NOTE(c, "%s %s b%ld %s: right: %s", f->model, f->name, like->name.batch,
	    like->name.precision, right);
}

/* The right answers for each case of the folder if something in it or in its
 * baseline is wrong. */
static void
note_folder(struct compat *c, const struct folder *f)
{
	const struct folder *base = find_folder(c, f->model, "1n1g");
	size_t k, kinds = 0;

	for (k = 0; k < f->n; k++)
		kinds += first_like_it(f, &f->logs[k]);
	if (kinds > 1)
		NOTE(c,
		    "%s %s: logs of %zu batch sizes or precisions are one case "
		    "to DLPerf",
		    f->model, f->name, kinds);
	if (kinds == 1 && !f->faulty && base != NULL && !base->faulty)
		return;
	for (k = 0; k < f->n; k++)
		if (first_like_it(f, &f->logs[k]))
			note_case(c, f, base, &f->logs[k]);
}

static void
note_model(struct compat *c, const char *model)
{
	size_t i;

	for (i = 0; i < c->n_folders; i++)
		if (strcmp(c->folders[i].model, model) == 0)
			note_folder(c, &c->folders[i]);
}

/* Call f for each model, in the order of their first logs. */
static void
each_model(struct compat *c, void (*f)(struct compat *c, const char *model))
{
	size_t i, k;

	for (i = 0; i < c->n_folders; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(c->folders[k].model, c->folders[i].model) ==
			    0)
				break;
		if (k == i)
			f(c, c->folders[i].model);
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
	r->strict = 1;
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
	if (c->n_folders == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	for (i = 0; i < c->n_folders; i++)
		start_folder(c, &c->folders[i]);
	each_model(c, compute_model);
	each_model(c, note_model);
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
	size_t i;

	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->json, MAX_TEXT);
	c.result = json_object_new_object();
	outcome = run_all(&c, dir, e);
	if (c.scanner != NULL)
		scanner_free(c.scanner);
	for (i = 0; i < c.n_folders; i++)
		free(c.folders[i].logs);
	free(c.folders);
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
