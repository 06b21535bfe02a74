#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
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

enum {
	MAX_TEXT = 1 << 28, /* bytes of printed text */
	WIDTH = 80,         /* of pprint */
	LINE_SIZE = 1024
};

/* Relative difference above which a speed is noted: more than the choice of
 * iterations explains. */
#define WORTH_PRINTING 0.01

/* Runs of one model in one folder. */
struct folder_case {
	const char *model, *folder;
	struct dlperf_log *runs; /* one per run number, in order */
	size_t n, alloc;
	struct dlperf_log last; /* log read last */
	int computed;           /* 1: average and median are set */
	double average, median, speedup;
};

struct compat {
	const struct settings *s;
	const struct dlperf_script *script;
	struct rule rule; /* with the script's own W and T by default */
	struct dlperf_outcome *out;
	struct extraction x; /* formats, for the correct speeds */
	struct scanner *scanner;
	const char **paths;
	size_t n_paths, alloc_paths;
	struct folder_case *cases; /* cases of a model are adjacent */
	size_t n_cases, alloc_cases;
};

/* Note a wrong result of the script, or a failure. */
#define NOTE(c, ...) case_note(&(c)->out->notes, &(c)->out->arena, __VA_ARGS__)
#define STOP(c, ...) case_note(&(c)->out->stops, &(c)->out->arena, __VA_ARGS__)

static void
add_path(struct compat *c, const char *path)
{
	c->paths =
	    vec_grow(c->paths, c->n_paths, &c->alloc_paths, sizeof *c->paths);
	c->paths[c->n_paths++] = path;
}

/* List logs as glob.glob() does: files in a folder, or in its subfolders, in
 * directory order, without hidden ones. */
static int
list_folder(struct compat *c, const char *dir, int in_folders, struct error *e)
{
	const char *end = strrchr(dir, '/');
	const char *slash = end != NULL && end[1] == '\0' ? "" : "/";
	DIR *d = opendir(dir);
	const struct dirent *entry;

	if (d == NULL)
		return error_errno(e, errno, "%s: cannot read the folder", dir);
	while ((entry = readdir(d)) != NULL) {
		const char *path = arena_printf(
		    &c->out->arena, "%s%s%s", dir, slash, entry->d_name);
		const char *suffix = strrchr(entry->d_name, '.');

		if (entry->d_name[0] == '.')
			continue;
		if (in_folders)
			list_folder(c, path, 0, NULL);
		else if (suffix != NULL && strcmp(suffix, ".log") == 0)
			add_path(c, path);
	}
	closedir(d);
	return 0;
}

/* Order by modification time, as sorted(key=os.path.getmtime). */
static int
by_time(const void *a, const void *b)
{
	struct stat x = { 0 }, y = { 0 };
	long d;

	stat(*(const char *const *)a, &x);
	stat(*(const char *const *)b, &y);
	d = x.st_mtim.tv_sec != y.st_mtim.tv_sec
	    ? x.st_mtim.tv_sec - y.st_mtim.tv_sec
	    : x.st_mtim.tv_nsec - y.st_mtim.tv_nsec;
	return d != 0 ? (d > 0) - (d < 0) : text_order_at(a, b);
}

/* List the files that the script reads.  Without a script: run folders, which
 * most scripts read. */
static int
list_logs(struct compat *c, const char *dir, struct error *e)
{
	const enum dlperf_kind kind =
	    c->script != NULL ? c->script->kind : READ_MEAN;
	const int flat = kind > PRINT_SPEEDS;

	c->n_paths = 0;
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

/* Parse a path as the scripts do: one digit for the nodes; the rest after the
 * run is ignored.  The strings of log are allocated in a.  Returns 0 or -1. */
static int
read_name(const char *path, struct arena *a, struct dlperf_log *log)
{
	char *folder = arena_strdup(a, path), *file = strrchr(folder, '/');
	char *batch, *run;
	int end = 0;

	if (file == NULL)
		return -1;
	*file++ = '\0';
	log->path = path;
	log->folder =
	    strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder;
	log->model = strsep(&file, "_");
	batch = strsep(&file, "_");
	strsep(&file, "_"); /* skip the precision */
	run = strsep(&file, "_");
	sscanf(log->folder, "%1ldn%2ldg%n", &log->nodes, &log->gpus_per_node,
	    &end);
	if (run == NULL || end == 0 || log->folder[end] != '\0')
		return -1;
	run[strcspn(run, ".")] = '\0';
	batch += strspn(batch, "b");
	return parse_long(batch, 0, INT_MAX, &log->batch) |
	    parse_long(run, 0, LONG_MAX, &log->run);
}

/* Compute the correct speed of the log, samples/s, or NAN.  Returns the reason
 * for NAN, or NULL. */
static const char *
measure_right(struct compat *c, const struct dlperf_log *l, double *right)
{
	struct metadata f = { .batch_size_per_device = l->batch,
		.nodes = l->nodes,
		.gpus_per_node = l->gpus_per_node,
		.gpus = l->nodes * l->gpus_per_node };
	struct arena *a = &c->out->arena;
	const char *why = NULL;
	struct exclusion x = EXCLUSION_INIT;
	struct measured m;
	struct log log;
	const struct log *logs = &log;
	const struct run_source source = { &logs, 1, &f, NULL };

	*right = NAN;
	if (scanner_scan(c->scanner, l->path, l->path, &log) != 0)
		why = arena_strdup(a, log.problem.message);
	else if (log.format == NULL || f.gpus < 1 || l->batch < 1)
		why = "no format knows it";
	else if (measure_run(&source, &c->rule, a, &m, &x) != 0)
		why = exclusion_text(&x, a);
	else
		*right = m.run.value;
	log_release(&log);
	return why;
}

/* Note a speed of the script that differs from the correct one. */
static void
note_answer(struct compat *c, const struct dlperf_log *l)
{
	double right;
	const char *why = measure_right(c, l, &right), *counts = "", *answer;
	struct arena *a = &c->out->arena;

	if (l->is_float &&
	    fabs(py_round(right, 2) - l->speed) <= WORTH_PRINTING * right)
		return;
	if (!l->is_float)
		counts = arena_printf(a, "counts only %ld of %ld lines and ",
		    l->lines, c->rule.train);
	answer = why != NULL
	    ? arena_printf(a, "it cannot be measured: %s", why)
	    : arena_printf(a, "the right answer is %.2f samples/s", right);
	NOTE(c, "%s: DLPerf %sgives %.2f samples/s; %s", l->path, counts,
	    l->speed, answer);
}

/* Get the case of a model and folder, or add it after the model's cases. */
static struct folder_case *
get_case(struct compat *c, const char *model, const char *folder)
{
	size_t i, end = c->n_cases;

	for (i = 0; i < c->n_cases; i++)
		if (strcmp(c->cases[i].model, model) == 0) {
			if (strcmp(c->cases[i].folder, folder) == 0)
				return &c->cases[i];
			end = i + 1;
		}
	c->cases =
	    vec_grow(c->cases, c->n_cases, &c->alloc_cases, sizeof *c->cases);
	memmove(c->cases + end + 1, c->cases + end,
	    (c->n_cases++ - end) * sizeof *c->cases);
	c->cases[end] =
	    (struct folder_case){ .model = model, .folder = folder };
	return &c->cases[end];
}

/* Add a log to its case; it replaces one with the same run number. */
static void
add_run(struct compat *c, struct dlperf_log *l)
{
	struct folder_case *k = get_case(c, l->model, l->folder);
	struct strbuf *sb = &c->out->text;
	size_t i;

	for (i = 0; i < k->n && k->runs[i].run != l->run; i++)
		;
	if (i < k->n)
		NOTE(c,
		    "%s: has the model, folder and run number of %s; DLPerf "
		    "counts only this one",
		    l->path, k->runs[i].path);
	else
		k->runs = vec_grow(k->runs, k->n++, &k->alloc, sizeof *k->runs);
	note_answer(c, l);
	k->runs[i] = k->last = *l;
	strbuf_printf(sb, "%s {", l->path);
	for (i = 0; i < k->n; i++) {
		strbuf_printf(sb, "%s%ld: ", i > 0 ? ", " : "", k->runs[i].run);
		if (k->runs[i].is_float)
			py_add_double(sb, k->runs[i].speed, '\'');
		else
			strbuf_addch(sb, '0');
	}
	strbuf_addstr(sb, "}\n");
}

static void
read_log(struct compat *c, const char *path)
{
	struct error e = ERROR_INIT;
	struct dlperf_log log = { 0 };
	char *text = NULL;
	size_t len = 0;

	if (read_name(path, &c->out->arena, &log) != 0)
		error_set(&e, ERROR_INPUT,
		    "DLPerf's script fails: the path is not "
		    "NODESnGPUSg/MODEL_bBATCH_PRECISION_RUN.log");
	else
		text = read_whole_file(path, &len, &e);
	if (text == NULL ||
	    dlperf_read(c->script, text, len, c->rule.warmup, c->rule.train,
		&log, NULL, &e) != 0)
		STOP(c, "%s: %s; excluded", path, e.message);
	else if (log.nothing)
		strbuf_printf(&c->out->text, "%s cost time is 0\n", path);
	else
		add_run(c, &log);
	free(text);
}

/* Round medians and speedups to two digits, as Python or as NumPy. */
static double
round_median(const struct compat *c, double x)
{
	return c->script->plain ? py_round(x, 2) : np_round(x, 2);
}

/* Compute the script's median and average of the runs. */
static void
set_average(const struct compat *c, struct folder_case *k)
{
	const int digits = c->script->average_digits;
	double *v = xcalloc(k->n + 1, sizeof *v), sum = 0;
	size_t i;

	for (i = 0; i < k->n; i++)
		sum += v[i] = k->runs[i].speed;
	k->average = dlperf_round(
	    c->script, sum / (double)k->n, digits > 0 ? digits : 2);
	/* The sum is NAN if any value is. */
	k->median = round_median(c, isnan(sum) ? NAN : stats_median(v, k->n));
	free(v);
}

/* compute_speedup() for the cases [k, end) of one model, which include the
 * base. */
static void
compute_model(struct compat *c, struct folder_case *k, struct folder_case *end,
    struct folder_case *base)
{
	int truth = base->n > 0 && base->last.speed != 0;

	set_average(c, base);
	if (!truth)
		NOTE(c,
		    "%s: %s, so DLPerf prints a speedup of 1.0 for all, and "
		    "average_speed is that of the last run of each",
		    k->model,
		    base->n == 0 ? "there is no 1n1g"
				 : "the last log of 1n1g counts as 0");
	for (; k < end; k++) {
		double speedup = 1.0;

		if (truth) {
			set_average(c, k);
			k->computed = 1;
			if (k == base)
				truth = base->average != 0;
			if (base->median == 0 &&
			    c->script->kind == READ_TIMES) {
				STOP(c,
				    "%s: DLPerf's script fails: the median of "
				    "1n1g is 0; excluded",
				    k->model);
				return;
			}
			speedup = k->median / base->median;
		}
		k->speedup = round_median(c, speedup);
	}
}

/* Print a case as a dictionary with this separator between members. */
static void
add_case(const struct folder_case *k, char quote, const char *separator,
    struct strbuf *sb)
{
	const double average = k->computed ? k->average : k->last.speed;

	strbuf_printf(sb, "{%caverage_speed%c: ", quote, quote);
	if (k->computed || k->last.is_float)
		py_add_double(sb, average, quote);
	else
		strbuf_addstr(sb, k->n == 0 ? "{}" : "0");
	if (k->n > 0) {
		strbuf_printf(sb, "%s%cbatch_size_per_device%c: %ld", separator,
		    quote, quote, k->last.batch);
		if (k->computed) {
			strbuf_printf(sb, "%s%cmedian_speed%c: ", separator,
			    quote, quote);
			py_add_double(sb, k->median, quote);
		}
		strbuf_printf(sb, "%s%cspeedup%c: ", separator, quote, quote);
		py_add_double(sb, k->speedup, quote);
	}
	strbuf_addch(sb, '}');
}

/* Print {model: {folder: case}} as json.dumps, or if pretty as
 * pprint.PrettyPrinter(indent=1): sorted, one member per line if they exceed 80
 * columns. */
static void
print_result(const struct compat *c, int pretty, struct strbuf *sb)
{
	const char quote = pretty ? '\'' : '"';
	char separator[LINE_SIZE];
	size_t i, start, line = sb->len, indent = 0;

	for (i = 0; i < c->n_cases; i++) {
		const struct folder_case *k = &c->cases[i];
		const int first = i == 0 || strcmp(k[-1].model, k->model) != 0;
		const int last =
		    i + 1 == c->n_cases || strcmp(k[1].model, k->model) != 0;

		strbuf_addstr(sb, i == 0 ? "{" : first ? "}" : "");
		if (i > 0) {
			strbuf_addstr(sb, pretty ? ",\n" : ", ");
			line = sb->len;
			strbuf_addchars(
			    sb, ' ', first ? (size_t)pretty : indent);
		}
		if (first) {
			py_add_string(sb, k->model, quote);
			strbuf_addstr(sb, ": {");
			indent = pretty ? sb->len - line : 0;
		}
		py_add_string(sb, k->folder, quote);
		strbuf_addstr(sb, ": ");
		start = sb->len;
		add_case(k, quote, ", ", sb);
		if (pretty && sb->len - line + (last ? 2 : 1) > WIDTH) {
			snprintf(separator, sizeof separator, ",\n%*s",
			    (int)(start - line + 1), "");
			sb->len = start;
			sb->buf[start] = '\0';
			add_case(k, quote, separator, sb);
		}
	}
	strbuf_addstr(sb, "}}");
}

static int
by_name(const void *a, const void *b)
{
	const struct folder_case *x = a, *y = b;
	const int order = strcmp(x->model, y->model);

	return order != 0 ? order : strcmp(x->folder, y->folder);
}

static void
finish_cases(struct compat *c)
{
	size_t i, end;

	for (i = 0; i < c->n_cases; i = end) {
		const char *model = c->cases[i].model;
		/* The script's lookup creates a missing case. */
		struct folder_case *base = get_case(c, model, "1n1g");

		for (end = i; end < c->n_cases &&
		     strcmp(c->cases[end].model, model) == 0;
		     end++)
			;
		compute_model(c, c->cases + i, c->cases + end, base);
	}
	print_result(c, 0, &c->out->file);
	qsort(c->cases, c->n_cases, sizeof *c->cases, by_name);
	print_result(c, 1, &c->out->text);
	strbuf_printf(&c->out->text, "\nSaving result to %s\n", c->out->path);
}

/* Output file of the script: os.path.join(output_dir, last part of dir +
 * "_result.json"), or the file of the tables; NULL: none. */
static const char *
output_path(struct compat *c, const char *dir)
{
	const struct settings *s = c->s;
	const enum dlperf_kind kind = c->script->kind;
	const char *folder =
	    options_given("output-dir") ? s->output_dir : "./result";
	const size_t len = strlen(folder);
	const char *slash = strrchr(dir, '/');

	if (kind == PRINT_SPEEDS || s->output != NULL)
		return kind == PRINT_SPEEDS ? NULL : s->output;
	if (kind > PRINT_SPEEDS)
		return arena_printf(&c->out->arena, "%s%s", dir,
		    kind == PRINT_LOSSES ? ".losses_aucs"
					 : "_latency_report.md");
	return arena_printf(&c->out->arena, "%s%s%s_result.json", folder,
	    len == 0 || folder[len - 1] == '/' ? "" : "/",
	    s->name != NULL     ? s->name
		: slash != NULL ? slash + 1
				: dir);
}

/* Infer the script from the format of the first recognised log.  If there is
 * none, choose the one for PyTorch, with a note. */
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
	c->out->inferred = found->path;
	return found;
}

/* Set the window, by default the script's, and check the script's rules. */
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
	if (r->train <= r->warmup &&
	    (s->kind <= PRINT_SPEEDS || s->kind == PRINT_LOSSES))
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

static int
run_all(struct compat *c, const char *dir, struct error *e)
{
	const struct scan_options options = { .no_hash = 1 };
	struct dlperf_outcome *out = c->out;
	size_t i, n;

	if (extraction_load(&c->x, c->s, e) != 0)
		return -1;
	c->scanner = scanner_new(&c->x.formats, &options);
	if (c->s->compat_script[0] != '\0')
		c->script = dlperf_script_get(c->s->compat_script, e);
	else if (list_logs(c, dir, e) == 0)
		c->script = infer_script(c);
	if (c->script == NULL || settle_window(c, e) != 0 ||
	    list_logs(c, dir, e) != 0)
		return -1;
	out->path = output_path(c, dir);
	if (c->script->kind >= PRINT_SPEEDS)
		n = dlperf_tables(c->script, c->paths, c->n_paths,
		    c->rule.warmup, c->rule.train, out);
	else {
		for (i = 0; i < c->n_paths; i++)
			read_log(c, c->paths[i]);
		n = c->n_cases;
	}
	if (n == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	if (c->n_cases > 0)
		finish_cases(c);
	return 0;
}

int
dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e)
{
	struct compat c = { .s = s, .out = out };
	int outcome;
	size_t i;

	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->file, MAX_TEXT);
	outcome = run_all(&c, dir, e);
	if (c.scanner != NULL)
		scanner_free(c.scanner);
	for (i = 0; i < c.n_cases; i++)
		free(c.cases[i].runs);
	free(c.cases);
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
	strbuf_release(&out->file);
	arena_release(&out->arena);
}
