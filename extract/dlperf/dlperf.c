#include <config.h>

#include "extract/dlperf/dlperf.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/json/json.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "common/text.h"
#include "extract/job/extraction.h"

enum {
	MAX_TEXT = 1 << 28, /* bytes of printed text */
	WIDTH = 80          /* columns of pprint */
};

/* Runs of one model in one folder. */
struct folder_case {
	const char *model, *folder;
	struct dlperf_log *runs; /* one per run number, in order */
	size_t n;
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
	size_t n_paths;
	struct folder_case *cases; /* cases of a model are adjacent */
	size_t n_cases;
};

/* Note a result of the script that may mislead, unless --quiet. */
#define NOTE(c, ...) \
	do { \
		if (!(c)->s->quiet) \
			strbuf_printf(&(c)->out->messages, \
			    "extract_logs: note: " __VA_ARGS__); \
	} while (0)

void
dlperf_outcome_release(struct dlperf_outcome *out)
{
	strbuf_release(&out->text);
	strbuf_release(&out->file);
	strbuf_release(&out->messages);
	arena_release(&out->arena);
}

/* Report a log or model that is excluded because the script fails. */
static void
exclude_log(struct dlperf_outcome *out, const char *what, const char *why)
{
	strbuf_printf(
	    &out->messages, "extract_logs: %s: %s; excluded\n", what, why);
	out->n_failures++;
}

void
py_add_string(struct strbuf *sb, const char *s, char quote)
{
	/* repr() uses double quotes if that avoids an escape. */
	if (quote == '\'' && strchr(s, '\'') != NULL && strchr(s, '"') == NULL)
		quote = '"';
	strbuf_addch(sb, quote);
	for (; *s != '\0'; s++)
		if (*s == '\\' || *s == quote)
			strbuf_printf(sb, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			strbuf_printf(sb, "\\u%04x", (unsigned)*s);
		else
			strbuf_addch(sb, *s);
	strbuf_addch(sb, quote);
}

void
py_add_double(struct strbuf *sb, double x, char quote)
{
	char buf[JSON_DOUBLE_SIZE];

	if (!isfinite(x)) {
		strbuf_printf(sb, "%s%s", x < 0 ? "-" : "",
		    isnan(x)           ? quote == '"' ? "NaN" : "nan"
			: quote == '"' ? "Infinity"
				       : "inf");
		return;
	}
	strbuf_addstr(sb, json_double(buf, x));
	if (strpbrk(buf, ".e") == NULL)
		strbuf_addstr(sb, ".0");
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
			c->paths = arena_grow(&c->out->arena, c->paths,
			    c->n_paths, sizeof *c->paths);
			c->paths[c->n_paths++] = path;
		}
	}
	closedir(d);
	return 0;
}

/* List the logs that a script reads; most scripts read run folders.
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
	    arena_grow(&c->out->arena, c->cases, c->n_cases, sizeof *c->cases);
	memmove(c->cases + end + 1, c->cases + end,
	    (c->n_cases++ - end) * sizeof *c->cases);
	c->cases[end] =
	    (struct folder_case){ .model = model, .folder = folder };
	return &c->cases[end];
}

/* Append a speed as Python prints it: a float, or the integer 0. */
static void
add_speed(struct strbuf *sb, double speed, int is_float, char quote)
{
	if (is_float)
		py_add_double(sb, speed, quote);
	else
		strbuf_addch(sb, '0');
}

static void
read_log(struct compat *c, const char *path)
{
	struct error e = ERROR_INIT;
	struct dlperf_log log = { .path = path };
	const char *file = strrchr(path, '/'), *folder = file;
	char model[256], *text = NULL;
	struct folder_case *k;
	struct strbuf *sb = &c->out->text;
	size_t len = 0, i;
	int end = 0;

	/* Parse the path as the scripts do: the nodes have one digit; what
	 * follows the run number is ignored. */
	while (folder > path && folder[-1] != '/')
		folder--;
	sscanf(folder, "%1ldn%2ldg/%255[^_/]_b%9ld_%*[^_/]_%9ld%n", &log.nodes,
	    &log.gpus_per_node, model, &log.batch, &log.run, &end);
	log.folder =
	    arena_strndup(&c->out->arena, folder, (size_t)(file - folder));
	log.model = end > 0 ? arena_strdup(&c->out->arena, model) : NULL;
	if (end == 0 || strchr("._", folder[end]) == NULL || log.batch < 0)
		error_set(&e, ERROR_INPUT,
		    "DLPerf's script fails: the path is not "
		    "NODESnGPUSg/MODEL_bBATCH_PRECISION_RUN.log");
	else
		text = read_whole_file(path, &len, &e);
	if (text == NULL ||
	    dlperf_read(
		c->script, text, len, c->warmup, c->train, &log, NULL, &e) != 0)
		exclude_log(c->out, path, e.message);
	else if (log.nothing)
		strbuf_printf(sb, "%s cost time is 0\n", path);
	free(text);
	if (e.code != ERROR_NONE || log.nothing)
		return;
	/* It replaces a log of its case with the same run number. */
	k = get_case(c, log.model, log.folder);
	for (i = 0; i < k->n && k->runs[i].run != log.run; i++)
		;
	if (i < k->n)
		NOTE(c,
		    "%s: has the model, folder and run number of %s; DLPerf "
		    "counts only this one\n",
		    path, k->runs[i].path);
	else
		k->runs = arena_grow(
		    &c->out->arena, k->runs, k->n++, sizeof *k->runs);
	if (!log.is_float)
		NOTE(c,
		    "%s: DLPerf counts only %ld of %ld lines and gives 0.00 "
		    "samples/s\n",
		    path, log.lines, c->train);
	k->runs[i] = k->last = log;
	strbuf_printf(sb, "%s {", path);
	for (i = 0; i < k->n; i++) {
		strbuf_printf(sb, "%s%ld: ", i > 0 ? ", " : "", k->runs[i].run);
		add_speed(sb, k->runs[i].speed, k->runs[i].is_float, '\'');
	}
	strbuf_addstr(sb, "}\n");
}

/* Round to two decimals as the script does, like Python or like NumPy. */
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

/* Do what the script's compute_speedup() does for each model, and print. */
static void
finish_cases(struct compat *c)
{
	size_t i, end;

	for (i = 0; i < c->n_cases; i = end) {
		const char *model = c->cases[i].model;
		/* The script's lookup creates a missing case. */
		struct folder_case *base = get_case(c, model, "1n1g");
		struct folder_case *k = &c->cases[i];
		int truth = base->n > 0 && base->last.speed != 0;

		for (end = i; end < c->n_cases &&
		     strcmp(c->cases[end].model, model) == 0;
		     end++)
			;
		set_average(c, base);
		if (!truth)
			NOTE(c,
			    "%s: %s, so DLPerf prints a speedup of 1.0 for "
			    "all, and average_speed is that of the last run of "
			    "each\n",
			    model,
			    base->n == 0 ? "there is no 1n1g"
					 : "the last log of 1n1g counts as 0");
		for (; k < &c->cases[end]; k++) {
			double speedup = 1;

			if (truth) {
				set_average(c, k);
				k->computed = 1;
				if (k == base)
					truth = base->average != 0;
				if (base->median == 0 &&
				    c->script->kind == READ_TIMES) {
					exclude_log(c->out, model,
					    "DLPerf's script fails: the median "
					    "of 1n1g is 0");
					break;
				}
				speedup = k->median / base->median;
			}
			k->speedup = round_median(c, speedup);
		}
	}
	print_result(c, 0, &c->out->file);
	qsort(c->cases, c->n_cases, sizeof *c->cases, by_name);
	print_result(c, 1, &c->out->text);
	strbuf_printf(&c->out->text, "\nSaving result to %s\n", c->out->path);
}

/* --- Scripts that read no run folders -------------------------------------*/

/* Order by batch, descending, then by nodes and GPUs. */
static int
by_shape(const void *a, const void *b)
{
	const struct dlperf_log *x = a, *y = b;
	const long d = y->batch != x->batch ? y->batch - x->batch
	    : x->nodes != y->nodes          ? x->nodes - y->nodes
				   : x->gpus_per_node - y->gpus_per_node;

	return (d > 0) - (d < 0);
}

/* Print a row of the latency report.  Returns 0; -1 if a value is missing. */
static int
report_row(const struct dlperf_script *s, const char *name,
    struct json_object *dict, struct strbuf *sb, struct error *e)
{
	const char *const keys[] = { "num_nodes", "gpu_num_per_node",
		"batch_size", s->vocabulary, "deep_embedding_vec_size",
		"hidden_units_num", "latency(ms)", "memory_usage(MB)" };
	const char *digits;
	size_t i;

	for (i = 0; i < 8; i++)
		if (json_object_object_get(dict, keys[i]) == NULL)
			return error_set(e, ERROR_INPUT,
			    "DLPerf's script fails: there is no %s", keys[i]);
	strbuf_printf(sb, "|%s", name);
	for (i = 0; i < 8; i++) {
		struct json_object *x = json_object_object_get(dict, keys[i]);

		strbuf_addstr(sb, i == 0 ? "|n" : i == 1 ? "g" : "|");
		if (json_object_is_type(x, json_type_double)) {
			strbuf_printf(sb, "%.3f", json_object_get_double(x));
			continue;
		}
		for (digits = json_object_get_string(x); *digits; digits++) {
			strbuf_addch(sb, *digits);
			/* '{:,}' of an integer */
			if (i > 1 && json_object_is_type(x, json_type_int) &&
			    strlen(digits) % 3 == 1 && digits[1] != '\0')
				strbuf_addch(sb, ',');
		}
	}
	strbuf_addstr(sb, "|\n");
	return 0;
}

static int
print_settings(const struct dlperf_script *s, const char *path,
    struct json_object *dict, struct dlperf_outcome *out, struct error *e)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;
	const size_t stem = strlen(file) > 4 ? strlen(file) - 4 : 0;
	const char *name = arena_strndup(&out->arena, file, stem);
	const int hugectr = s->kind == PRINT_INTERVAL;
	const char *before = "{";
	struct strbuf *sb = &out->text;
	char *mem = xasprintf("%.*smem", (int)strlen(path) - 3, path);
	size_t len;
	char *text = read_whole_file(mem, &len, NULL), *at = text, *line;
	double bytes = NAN;

	/* The memory from NAME.mem next to NAME.log: the last field of the
	 * first line "max ..." with at least five fields, converted to MiB. */
	while (isnan(bytes) && (line = strsep(&at, "\r\n")) != NULL)
		if (sscanf(line, "max %*s %*s %*s %lf", &bytes) == 1)
			bytes = strtod(strrchr(line, ' '), NULL);
	json_object_object_add(dict, "memory_usage(MB)",
	    fabs(bytes) < 1e18 ? json_object_new_int64((int64_t)bytes / 1048576)
			       : json_object_new_string("NA"));
	free(text);
	free(mem);
	json_object_object_foreach(dict, key, x)
	{
		strbuf_addstr(sb, before);
		py_add_string(sb, key, '\'');
		strbuf_addstr(sb, ": ");
		before = ", ";
		if (json_object_is_type(x, json_type_string))
			py_add_string(sb, json_object_get_string(x), '\'');
		else if (json_object_is_type(x, json_type_double))
			py_add_double(sb, json_object_get_double(x), '\'');
		else
			strbuf_addstr(sb, json_object_get_string(x));
	}
	strbuf_printf(sb, hugectr ? "}\n" : "}\n%s\n", name);
	if (hugectr || json_object_object_get(dict, "latency(ms)") != NULL)
		return report_row(s, name, dict, &out->file, e);
	strbuf_printf(sb, "latency is not calculated in  %s\n", name);
	return 0;
}

/* Print a row for each log; for PRINT_SPEEDS, also the median speed of each
 * shape and its speedup over one GPU, the first shape of each batch size.
 *
 * Returns the number of logs that count. */
static size_t
print_tables(struct compat *c)
{
	const struct dlperf_script *s = c->script;
	struct dlperf_outcome *out = c->out;
	struct dlperf_log *rows = xcalloc(c->n_paths, sizeof *rows), *r = rows;
	const int speeds = s->kind == PRINT_SPEEDS;
	double *v = xcalloc(c->n_paths + 1, sizeof *v), base = 0, speed;
	size_t i, end, n, len;

	if (speeds)
		strbuf_addstr(&out->text,
		    "## All Results\n| num_nodes | gpu_num_per_node | "
		    "batch_size_per_device | throughput |\n| -------- | "
		    "-------- | -------- | -------- |\n");
	else
		strbuf_printf(&out->file,
		    "|log_file|gpu|batch_size|%s|deep_embedding_vec_size|"
		    "hidden_units_num|latency(ms)|memory_usage(MB)|\n"
		    "|----|----|----|----|----|----|----|----|\n",
		    s->vocabulary);
	for (i = 0; i < c->n_paths; i++) {
		struct json_object *dict = json_object_new_object();
		struct error e = ERROR_INIT;
		char *text = read_whole_file(c->paths[i], &len, &e);

		if (text == NULL ||
		    dlperf_read(
			s, text, len, c->warmup, c->train, r, dict, &e) != 0 ||
		    (!speeds &&
			print_settings(s, c->paths[i], dict, out, &e) != 0))
			exclude_log(out, c->paths[i], e.message);
		else {
			if (speeds)
				strbuf_printf(&out->text,
				    "| %ld | %ld | %ld | %.2f |\n", r->nodes,
				    r->gpus_per_node, r->batch, r->speed);
			r++;
		}
		free(text);
		json_object_put(dict);
	}
	n = (size_t)(r - rows);
	if (speeds) {
		qsort(rows, n, sizeof *rows, by_shape);
		strbuf_addstr(&out->text,
		    "\n## Filtered Result `median value`\n| num_nodes | "
		    "gpu_num_per_node | batch_size_per_device | throughput | "
		    "speedup |\n"
		    "| -------- | -------- | -------- | -------- | -------- "
		    "|\n");
	}
	for (i = 0; i < n && speeds; i = end) {
		r = &rows[i];
		for (end = i; end < n && by_shape(&rows[end], r) == 0; end++)
			v[end - i] = rows[end].speed;
		speed = stats_median(v, end - i);
		if (i == 0 || r[-1].batch != r->batch)
			base = 0;
		if (r->nodes == 1 && r->gpus_per_node == 1)
			base = speed;
		strbuf_printf(&out->text, "| %ld | %ld | %ld | %.2f | %.2f |\n",
		    r->nodes, r->gpus_per_node, r->batch, speed,
		    base > 0 ? speed / base : 0);
	}
	free(rows);
	free(v);
	return n;
}

static int
print_losses(const char *path, struct dlperf_outcome *out, struct error *e)
{
	static const char *const marks[] = { "Iter:", "AUC:" };
	static const size_t fields[] = { 8, 4 };
	const char **values[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 }, i, k, len;
	char *text, *at, *line;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return error_set(e, ERROR_USAGE,
		    "--protocol=dlperf: %s is a folder, and this script reads "
		    "one log: give the path of the log instead",
		    path);
	text = at = read_whole_file(path, &len, e);
	if (text == NULL)
		return -1;
	while ((line = strsep(&at, "\r\n")) != NULL)
		for (k = 0; k < 2; k++) {
			char *word = line, *rest = line;

			if (strstr(line, marks[k]) == NULL)
				continue;
			/* Like cut(1): a line without spaces is one field. */
			i = strchr(line, ' ') != NULL ? fields[k] : 0;
			while (i-- > 0)
				word = strsep(&rest, " ");
			values[k] = arena_grow(
			    &out->arena, values[k], n[k], sizeof *values[k]);
			values[k][n[k]++] = word != NULL ? word : "";
		}
	for (i = 0; i < n[0] || i < n[1]; i++)
		strbuf_printf(&out->file, "%s\t%s\n",
		    i < n[0] ? values[0][i] : "", i < n[1] ? values[1][i] : "");
	strbuf_printf(
	    &out->text, "extract loss and AUC to %s.losses_aucs\n", path);
	free(text);
	return i > 0 ? 0
		     : error_set(e, ERROR_EMPTY,
			   "%s: no line of it has a loss or an AUC", path);
}

/* --- A script --------------------------------------------------------------*/

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

/* Set the window and check the script's rules. */
static int
settle_window(struct compat *c, struct error *e)
{
	const struct dlperf_script *s = c->script;

	c->warmup = options_given("warmup-batches") ? c->s->rule.warmup
	    : s->train > 0                          ? s->warmup
						    : DEFAULT_WARMUP;
	c->train = options_given("train-batches") ? c->s->rule.train
	    : s->train > 0                        ? s->train
						  : DEFAULT_TRAIN;
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

int
dlperf_run(const struct settings *s, const char *dir,
    struct dlperf_outcome *out, struct error *e)
{
	const struct scan_options scan = { .no_hash = 1 };
	struct compat c = { .s = s, .out = out };
	struct extraction x;
	struct scanner *scanner;
	struct log log;
	size_t i, n;

	*out = (struct dlperf_outcome){ .arena = ARENA_INIT };
	strbuf_init(&out->text, MAX_TEXT);
	strbuf_init(&out->file, MAX_TEXT);
	strbuf_init(&out->messages, MAX_TEXT);
	if (s->compat_script[0] != '\0') {
		c.script = dlperf_script_get(s->compat_script, e);
	} else {
		/* Infer the script from the format of the first recognised log.
		 * If there is none, choose the one for PyTorch, with a note. */
		if (list_logs(&c, dir, READ_MEAN, e) != 0)
			return -1;
		if (extraction_load(&x, s, e) != 0) {
			extraction_release(&x);
			return -1;
		}
		scanner = scanner_new(&x.formats, &scan);
		for (i = 0; i < c.n_paths && c.script == NULL; i++) {
			if (scanner_scan(
				scanner, c.paths[i], c.paths[i], &log) == 0 &&
			    log.format != NULL)
				c.script = dlperf_script_of(log.format->name);
			log_release(&log);
		}
		scanner_free(scanner);
		extraction_release(&x);
		if (c.script == NULL) {
			c.script = dlperf_script_get("27", NULL);
			NOTE(&c,
			    "the format of no log shows which of DLPerf's "
			    "scripts reads it; computed as by %s; "
			    "--protocol=dlperf:list lists the others\n",
			    c.script->path);
		}
		if (s->verbose)
			strbuf_printf(&out->messages,
			    "extract_logs: as DLPerf's %s\n", c.script->path);
	}
	if (c.script == NULL || settle_window(&c, e) != 0)
		return -1;
	out->path = output_path(&c, dir);
	if (c.script->kind == PRINT_LOSSES)
		return print_losses(dir, out, e);
	if (list_logs(&c, dir, c.script->kind, e) != 0)
		return -1;
	if (c.script->kind >= PRINT_SPEEDS)
		n = print_tables(&c);
	else {
		for (i = 0; i < c.n_paths; i++)
			read_log(&c, c.paths[i]);
		n = c.n_cases;
	}
	if (n == 0)
		return error_set(
		    e, ERROR_EMPTY, "%s: no log in it is usable", dir);
	if (c.n_cases > 0)
		finish_cases(&c);
	return 0;
}
