#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "extract/job/extraction.h"

enum {
	MAX_TEXT = 1 << 28, /* bytes of printed text */
	WIDTH = 80          /* of pprint */
};

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
	long warmup, train; /* W and T, by default the script's */
	struct dlperf_outcome *out;
	const char **paths;
	size_t n_paths, alloc_paths;
	struct folder_case *cases; /* cases of a model are adjacent */
	size_t n_cases, alloc_cases;
};

/* Report a result of the script that is wrong. */
#define NOTE(c, ...) \
	do { \
		if (!(c)->s->quiet) \
			strbuf_printf(&(c)->out->messages, \
			    "extract_logs: note: " __VA_ARGS__); \
	} while (0)

void
dlperf_outcome_init(struct dlperf_outcome *out)
{
	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->file, MAX_TEXT);
	strbuf_init(&out->messages, MAX_TEXT);
}

void
dlperf_outcome_release(struct dlperf_outcome *out)
{
	strbuf_release(&out->text);
	strbuf_release(&out->file);
	strbuf_release(&out->messages);
	arena_release(&out->arena);
}

void
dlperf_exclude(struct dlperf_outcome *out, const char *what, const char *why)
{
	strbuf_printf(
	    &out->messages, "extract_logs: %s: %s; excluded\n", what, why);
	out->n_failures++;
}

/* List logs as glob.glob() does: files in a folder, or in its subfolders, in
 * directory order, without hidden ones. */
static int
list_folder(struct compat *c, const char *dir, int in_folders, struct error *e)
{
	const char *slash = dir[strlen(dir) - 1] == '/' ? "" : "/";
	DIR *d = opendir(dir);
	const struct dirent *entry;

	if (d == NULL)
		return error_errno(e, errno, "%s: cannot read the folder", dir);
	while ((entry = readdir(d)) != NULL) {
		const char *suffix = strrchr(entry->d_name, '.');
		const char *path = arena_printf(
		    &c->out->arena, "%s%s%s", dir, slash, entry->d_name);

		if (entry->d_name[0] == '.')
			continue;
		if (in_folders)
			list_folder(c, path, 0, NULL);
		else if (suffix != NULL && strcmp(suffix, ".log") == 0) {
			c->paths = vec_grow(c->paths, c->n_paths,
			    &c->alloc_paths, sizeof *c->paths);
			c->paths[c->n_paths++] = path;
		}
	}
	closedir(d);
	return 0;
}

/* List the logs, of which most scripts read those in run folders.
 *
 * kind  of the script; READ_MEAN if it is not known yet */
static int
list_logs(
    struct compat *c, const char *dir, enum dlperf_kind kind, struct error *e)
{
	const int flat = kind > PRINT_SPEEDS;

	c->n_paths = 0;
	if (list_folder(c, dir, !flat, e) != 0)
		return -1;
	if (c->n_paths == 0)
		return error_set(e, ERROR_EMPTY,
		    flat ? "%s: there is no log in it"
			 : "%s: there is no log such as "
			   "1n1g/r50_b128_fp32_1.log in it",
		    dir);
	if (kind >= PRINT_SPEEDS)
		qsort(c->paths, c->n_paths, sizeof *c->paths, text_order_at);
	return 0;
}

/* Parse a path as the scripts do: one digit for the nodes; the rest after the
 * run is ignored.  The strings of log are allocated in a.  Returns 0 or -1. */
static int
read_name(const char *path, struct arena *a, struct dlperf_log *log)
{
	const char *file = strrchr(path, '/'), *folder = file;
	char model[256];
	int end = 0;

	while (folder > path && folder[-1] != '/')
		folder--;
	sscanf(folder, "%1ldn%2ldg/%255[^_/]_b%9ld_%*[^_/]_%9ld%n", &log->nodes,
	    &log->gpus_per_node, model, &log->batch, &log->run, &end);
	if (end == 0 || strchr("._", folder[end]) == NULL || log->batch < 0)
		return -1;
	log->path = path;
	log->folder = arena_strndup(a, folder, (size_t)(file - folder));
	log->model = arena_strdup(a, model);
	return 0;
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

/* Append a speed, which is 0 if it is no float. */
static void
add_speed(struct strbuf *sb, double speed, int is_float, char quote)
{
	if (is_float)
		py_add_double(sb, speed, quote);
	else
		strbuf_addch(sb, '0');
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
		    "counts only this one\n",
		    l->path, k->runs[i].path);
	else
		k->runs = vec_grow(k->runs, k->n++, &k->alloc, sizeof *k->runs);
	if (!l->is_float)
		NOTE(c,
		    "%s: DLPerf counts only %ld of %ld lines and gives 0.00 "
		    "samples/s\n",
		    l->path, l->lines, c->train);
	k->runs[i] = k->last = *l;
	strbuf_printf(sb, "%s {", l->path);
	for (i = 0; i < k->n; i++) {
		strbuf_printf(sb, "%s%ld: ", i > 0 ? ", " : "", k->runs[i].run);
		add_speed(sb, k->runs[i].speed, k->runs[i].is_float, '\'');
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
	    dlperf_read(
		c->script, text, len, c->warmup, c->train, &log, NULL, &e) != 0)
		dlperf_exclude(c->out, path, e.message);
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
		    "average_speed is that of the last run of each\n",
		    k->model,
		    base->n == 0 ? "there is no 1n1g"
				 : "the last log of 1n1g counts as 0");
	for (; k < end; k++) {
		double speedup = 1;

		if (truth) {
			set_average(c, k);
			k->computed = 1;
			if (k == base)
				truth = base->average != 0;
			if (base->median == 0 &&
			    c->script->kind == READ_TIMES) {
				dlperf_exclude(c->out, k->model,
				    "DLPerf's script fails: the median of "
				    "1n1g is 0");
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
	strbuf_printf(sb, "{%caverage_speed%c: ", quote, quote);
	if (k->n == 0) {
		strbuf_addstr(sb, "{}}");
		return;
	}
	add_speed(sb, k->computed ? k->average : k->last.speed,
	    k->computed || k->last.is_float, quote);
	strbuf_printf(sb, "%s%cbatch_size_per_device%c: %ld", separator, quote,
	    quote, k->last.batch);
	if (k->computed) {
		strbuf_printf(
		    sb, "%s%cmedian_speed%c: ", separator, quote, quote);
		py_add_double(sb, k->median, quote);
	}
	strbuf_printf(sb, "%s%cspeedup%c: ", separator, quote, quote);
	py_add_double(sb, k->speedup, quote);
	strbuf_addch(sb, '}');
}

/* Print {model: {folder: case}} as json.dumps, or if pretty as
 * pprint.PrettyPrinter(indent=1): sorted, one member per line if they exceed 80
 * columns. */
static void
print_result(const struct compat *c, int pretty, struct strbuf *sb)
{
	const char quote = pretty ? '\'' : '"';
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
			sb->len = start;
			sb->buf[start] = '\0';
			add_case(k, quote,
			    arena_printf(&c->out->arena, ",\n%*s",
				(int)(start - line + 1), ""),
			    sb);
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
output_path(const struct compat *c, const char *dir)
{
	const struct settings *s = c->s;
	const enum dlperf_kind kind = c->script->kind;
	const char *folder =
	    options_given("output-dir") ? s->output_dir : "./result";
	const char *name = strrchr(dir, '/');

	if (kind == PRINT_SPEEDS || s->output != NULL)
		return kind == PRINT_SPEEDS ? NULL : s->output;
	if (kind > PRINT_SPEEDS)
		return arena_printf(&c->out->arena, "%s%s", dir,
		    kind == PRINT_LOSSES ? ".losses_aucs"
					 : "_latency_report.md");
	name = s->name != NULL ? s->name : name != NULL ? name + 1 : dir;
	return arena_printf(&c->out->arena, "%s%s%s_result.json", folder,
	    folder[0] == '\0' || folder[strlen(folder) - 1] == '/' ? "" : "/",
	    name);
}

/* Infer the script from the format of the first recognised log.  If there is
 * none, choose the one for PyTorch, with a note. */
static int
infer_script(struct compat *c, struct error *e)
{
	const struct scan_options options = { .no_hash = 1 };
	struct extraction x;
	struct scanner *scanner;
	struct log log;
	size_t i;

	if (extraction_load(&x, c->s, e) != 0) {
		extraction_release(&x);
		return -1;
	}
	scanner = scanner_new(&x.formats, &options);
	for (i = 0; i < c->n_paths && c->script == NULL; i++) {
		if (scanner_scan(scanner, c->paths[i], c->paths[i], &log) ==
			0 &&
		    log.format != NULL)
			c->script = dlperf_script_of(log.format->name);
		log_release(&log);
	}
	scanner_free(scanner);
	extraction_release(&x);
	if (c->script == NULL) {
		c->script = dlperf_script_get("27", NULL);
		NOTE(c,
		    "the format of no log shows which of DLPerf's scripts "
		    "reads it; computed as by %s; --protocol=dlperf:list lists "
		    "the others\n",
		    c->script->path);
	}
	if (c->s->verbose)
		strbuf_printf(&c->out->messages,
		    "extract_logs: as DLPerf's %s\n", c->script->path);
	return 0;
}

/* Set the window and check the script's rules. */
static int
settle_window(struct compat *c, struct error *e)
{
	const struct dlperf_script *s = c->script;

	c->warmup =
	    options_given("warmup-batches") ? c->s->rule.warmup : s->warmup;
	c->train = options_given("train-batches") ? c->s->rule.train : s->train;
	if (c->train <= c->warmup &&
	    (s->kind <= PRINT_SPEEDS || s->kind == PRINT_LOSSES))
		return error_set(e, ERROR_USAGE,
		    "--train-batches: %ld is not above --warmup-batches %ld",
		    c->train, c->warmup);
	if (s->warmup_step > 0 && c->warmup % s->warmup_step != 0)
		return error_set(e, ERROR_USAGE,
		    "--warmup-batches: DLPerf's script %s insists on a "
		    "multiple of %ld, not %ld",
		    s->name, s->warmup_step, c->warmup);
	if (c->warmup < s->warmup_least)
		return error_set(e, ERROR_USAGE,
		    "--warmup-batches: DLPerf's script %s insists on %ld or "
		    "more, not %ld",
		    s->name, s->warmup_least, c->warmup);
	return 0;
}

/* Read the logs and set the outcome. */
static int
run_script(struct compat *c, const char *dir, struct error *e)
{
	struct dlperf_outcome *out = c->out;
	size_t i, n;

	if (c->s->compat_script[0] != '\0')
		c->script = dlperf_script_get(c->s->compat_script, e);
	else if (list_logs(c, dir, READ_MEAN, e) != 0 ||
	    infer_script(c, e) != 0)
		return -1;
	if (c->script == NULL || settle_window(c, e) != 0)
		return -1;
	out->path = output_path(c, dir);
	if (c->script->kind == PRINT_LOSSES)
		return dlperf_losses(dir, out, e);
	if (list_logs(c, dir, c->script->kind, e) != 0)
		return -1;
	if (c->script->kind >= PRINT_SPEEDS)
		n = dlperf_tables(
		    c->script, c->paths, c->n_paths, c->warmup, c->train, out);
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

	dlperf_outcome_init(out);
	outcome = run_script(&c, dir, e);
	for (i = 0; i < c.n_cases; i++)
		free(c.cases[i].runs);
	free(c.cases);
	free(c.paths);
	return outcome;
}
