/* DLPerf's scripts that print tables of their own: OneFlow's speeds, latencies
 * of wide-and-deep models, losses and AUCs. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/stats/stats.h"
#include "extract/dlperf/dlperf_read.h"
#include "extract/dlperf/python_text.h"

enum { MAX_WORDS = 4096 };

/* A time that a line prints, with its iteration. */
struct printed_time {
	long iteration;
	const char *text;
};

/* What a log is read into. */
struct table_log {
	struct dlperf_tables *t;
	const char *path;
	struct json_object *dict;    /* as the script's: settings are strings */
	struct printed_time *stamps; /* the last of each iteration counts */
	size_t n_stamps, alloc_stamps;
	double *latencies;
	size_t n_latencies, alloc_latencies;
	double every;           /* iterations that a line speaks for */
	long first;             /* iteration, 0: none yet */
	double first_time;      /* s */
	char *words[MAX_WORDS]; /* of the line, cut at single spaces */
	size_t n;
};

/* Cut a line at single spaces; the rest of a long one is dropped. */
static size_t
split_words(char *line, char **words)
{
	size_t n = 0;

	while (line != NULL && n < MAX_WORDS)
		words[n++] = strsep(&line, " ");
	return n;
}

static void
drop_last_character(char *s)
{
	if (s[0] != '\0')
		s[strlen(s) - 1] = '\0';
}

static void
set_double(struct json_object *dict, const char *key, double x)
{
	json_object_object_add(dict, key, json_object_new_double(x));
}

static void
set_text(struct json_object *dict, const char *key, const char *text)
{
	json_object_object_add(dict, key, json_object_new_string(text));
}

/* "batch_size = 128": 1 if the line is one of those settings, -1 with
 * IndexError if it has no value. */
static int
take_setting(struct table_log *l, const char *const *keys, struct error *e)
{
	for (; *keys != NULL && strcmp(l->words[0], *keys) != 0; keys++)
		;
	if (*keys == NULL)
		return 0;
	if (l->n < 3)
		return dlperf_raises(e, "IndexError: no value of", *keys);
	set_text(l->dict, *keys, dlperf_strip(l->words[2]));
	return 1;
}

/* int(dict[key]) */
static int
number_of(
    const struct table_log *l, const char *key, long *out, struct error *e)
{
	struct json_object *x = json_object_object_get(l->dict, key);
	char text[64];

	if (x == NULL)
		return dlperf_raises(e, "KeyError:", key);
	snprintf(text, sizeof text, "%s", json_object_get_string(x));
	return dlperf_int(text, out, e);
}

/* --- OneFlow: speeds ----------------------------------------------------- */

static int
line_of_speeds(struct table_log *l, struct error *e)
{
	const size_t at = strcmp(l->t->script->holds, "train:") == 0 ? 4 : 1;
	long iteration;

	if (strcmp(l->words[0], l->t->script->holds) != 0)
		return 0;
	if (l->n <= at)
		return dlperf_raises(e, "IndexError: too few words", NULL);
	drop_last_character(l->words[at]);
	if (dlperf_int(l->words[at], &iteration, e) != 0)
		return -1;
	l->stamps = vec_grow(
	    l->stamps, l->n_stamps, &l->alloc_stamps, sizeof *l->stamps);
	l->stamps[l->n_stamps++] = (struct printed_time){ iteration,
		arena_strdup(l->t->arena, dlperf_strip(l->words[l->n - 1])) };
	return 0;
}

static int
time_of(const struct table_log *l, long iteration, double *out, struct error *e)
{
	char text[64];
	size_t i;

	for (i = l->n_stamps; i-- > 0;)
		if (l->stamps[i].iteration == iteration) {
			snprintf(text, sizeof text, "%s", l->stamps[i].text);
			return dlperf_float(text, out, e);
		}
	snprintf(text, sizeof text, "%ld", iteration);
	return dlperf_raises(e, "AssertionError: no iteration", text);
}

/* A row of the script's tables. */
struct row {
	long nodes, gpus, batch;
	double speed;
	double speedup;
};

static int
end_of_speeds(const struct table_log *l, struct row *row, struct error *e)
{
	const struct dlperf_tables *t = l->t;
	double start, end;

	if (time_of(l, t->warmup, &start, e) != 0 ||
	    time_of(l, t->train, &end, e) != 0 ||
	    number_of(l, "num_nodes", &row->nodes, e) != 0 ||
	    number_of(l, "gpu_num_per_node", &row->gpus, e) != 0 ||
	    number_of(l, "batch_size_per_device", &row->batch, e) != 0)
		return -1;
	if (end == start)
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	row->speed = (double)(row->batch * row->gpus * row->nodes *
			 (t->train - t->warmup)) /
	    (end - start);
	strbuf_printf(t->text, "| %ld | %ld | %ld | %.2f |\n", row->nodes,
	    row->gpus, row->batch, row->speed);
	return 0;
}

/* By batch, the largest first, then nodes and GPUs. */
static int
by_shape(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->batch != y->batch)
		return (x->batch < y->batch) - (x->batch > y->batch);
	if (x->nodes != y->nodes)
		return (x->nodes > y->nodes) - (x->nodes < y->nodes);
	return (x->gpus > y->gpus) - (x->gpus < y->gpus);
}

/* Median speed of the rows of that shape; NAN if there are none. */
static double
median_of(const struct row *rows, size_t n, long nodes, long gpus, long batch)
{
	const struct row shape = { nodes, gpus, batch, 0, 0 };
	double *v = xcalloc(n, sizeof *v), median;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (by_shape(&rows[i], &shape) == 0)
			v[k++] = rows[i].speed;
	median = stats_median(v, k);
	free(v);
	return median;
}

static void
print_filtered(struct dlperf_tables *t, struct row *rows, size_t n)
{
	size_t i;

	qsort(rows, n, sizeof *rows, by_shape);
	strbuf_addstr(t->text,
	    "\n## Filtered Result `median value`\n| num_nodes | "
	    "gpu_num_per_node | batch_size_per_device | throughput | speedup "
	    "|\n| -------- | -------- | -------- | -------- | -------- |\n");
	for (i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		const double base = median_of(rows, n, 1, 1, r->batch);
		const double speed =
		    median_of(rows, n, r->nodes, r->gpus, r->batch);

		if (i == 0 || by_shape(&rows[i - 1], r) != 0)
			strbuf_printf(t->text,
			    "| %ld | %ld | %ld | %.2f | %.2f |\n", r->nodes,
			    r->gpus, r->batch, speed,
			    isnan(base) ? 0 : speed / base);
	}
}

/* --- Latencies ----------------------------------------------------------- */

static void
add_latency(struct table_log *l, double x)
{
	l->latencies = vec_grow(l->latencies, l->n_latencies,
	    &l->alloc_latencies, sizeof *l->latencies);
	l->latencies[l->n_latencies++] = x;
}

static int
line_of_hugectr(struct table_log *l, struct error *e)
{
	char **words = l->words;
	const int size =
	    strcmp(words[0], "wide_workspace_size_per_gpu_in_mb") == 0;
	const int every = strcmp(words[0], "loss_print_every_n_iter") == 0;
	char *time;
	double x;
	long k;

	if ((size || every) && l->n < 3)
		return dlperf_raises(e, "IndexError: no value of", words[0]);
	if (every)
		return dlperf_float(words[2], &l->every, e);
	if (size) {
		if (dlperf_int(words[2], &k, e) != 0)
			return -1;
		k = k * 1024 * 1024 / 4 / 1000000 * 1000000;
		json_object_object_add(
		    l->dict, "vocab_size", json_object_new_int64(k));
		return 0;
	}
	if (l->n <= 3 || strcmp(words[1], "Iter:") != 0 ||
	    strstr(words[0], "[INFO]") == NULL)
		return 0;
	if (dlperf_int(words[2], &k, e) != 0)
		return -1;
	if (k == l->t->warmup)
		return 0;
	if (l->n <= 5)
		return dlperf_raises(e, "IndexError: too few words", NULL);
	time = dlperf_strip(words[5]);
	drop_last_character(time);
	if (dlperf_float(time, &x, e) != 0)
		return -1;
	add_latency(l, x);
	return 0;
}

static int
line_of_oneflow(struct table_log *l, struct error *e)
{
	long iteration;
	double time;

	if (l->n <= 3 || strcmp(l->words[1], "time") != 0)
		return 0;
	if (dlperf_int(l->words[0], &iteration, e) != 0)
		return -1;
	if (l->first != 0 && iteration - l->first != 1000)
		return 0;
	if (dlperf_float(l->words[2], &time, e) != 0)
		return -1;
	if (l->first == 0) {
		l->first = iteration;
		l->first_time = time;
		json_object_object_add(
		    l->dict, "latency(ms)", json_object_new_int64(0));
	} else /* seconds of 1000 iterations are milliseconds of one */
		set_double(l->dict, "latency(ms)", time - l->first_time);
	return 0;
}

static int
line_of_models(struct table_log *l, struct error *e)
{
	double x;

	if (l->n <= 6 || strcmp(l->words[1], "iter:") != 0 ||
	    strcmp(l->words[3], "loss:") != 0)
		return 0;
	if (dlperf_float(l->words[6], &x, e) != 0)
		return -1;
	add_latency(l, x);
	return 0;
}

static double
sum_of(const double *x, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

static int
end_of_hugectr(struct table_log *l, struct error *e)
{
	if (!(l->every > 0))
		return 0;
	if (l->n_latencies == 0)
		return dlperf_raises(
		    e, "ZeroDivisionError: no line with Iter:", NULL);
	set_double(l->dict, "latency(ms)",
	    1000 * sum_of(l->latencies, l->n_latencies) /
		(double)l->n_latencies / l->every);
	return 0;
}

static int
end_of_models(struct table_log *l, struct error *e)
{
	const size_t skip = l->n_latencies > 2; /* the first and the last */
	const size_t n = l->n_latencies - 2 * skip;
	long batch, each;

	if (number_of(l, "batch_size", &batch, e) != 0 ||
	    number_of(l, "batch_size_per_proc", &each, e) != 0)
		return -1;
	if (each == 0)
		return dlperf_raises(
		    e, "ZeroDivisionError: batch_size_per_proc is 0", NULL);
	json_object_object_add(l->dict, "gpu_num_per_node",
	    json_object_new_int64((long)((double)batch / (double)each)));
	json_object_object_add(l->dict, "num_nodes", json_object_new_int64(1));
	if (n == 0)
		set_text(l->dict, "latency(ms)", "NA");
	else
		set_double(l->dict, "latency(ms)",
		    sum_of(l->latencies + skip, n) / (double)n);
	return 0;
}

/* The last field of the first line "max ..." with at least five words, in MiB,
 * of NAME.mem next to NAME.log. */
static void
take_memory(struct table_log *l)
{
	struct error e = ERROR_INIT;
	char *path = xasprintf("%.*smem", (int)strlen(l->path) - 3, l->path);
	char *text, *at;
	struct dlperf_line line;
	double bytes;
	size_t len;

	set_text(l->dict, "memory_usage(MB)", "NA");
	at = text = read_whole_file(path, &len, &e);
	while (text != NULL && dlperf_next_line(&at, text + len, &line)) {
		l->n = split_words(line.text, l->words);
		if (l->n < 5 || strcmp(l->words[0], "max") != 0)
			continue;
		if (dlperf_float(l->words[l->n - 1], &bytes, &e) == 0 &&
		    fabs(bytes) < 1e18)
			json_object_object_add(l->dict, "memory_usage(MB)",
			    json_object_new_int64((int64_t)bytes / 1048576));
		break;
	}
	free(text);
	free(path);
}

/* '{:,}' of a whole number. */
static void
add_grouped(struct strbuf *sb, const char *digits)
{
	size_t n = strlen(digits);

	for (; n > 0; n--, digits++) {
		strbuf_addch(sb, *digits);
		if (n % 3 == 1 && n > 1 && *digits != '-')
			strbuf_addch(sb, ',');
	}
}

/* A row of the report: 0, or -1 with KeyError. */
static int
report_row(struct table_log *l, const char *name, const char *vocabulary,
    struct error *e)
{
	const char *const keys[] = { "num_nodes", "gpu_num_per_node",
		"batch_size", vocabulary, "deep_embedding_vec_size",
		"hidden_units_num", "latency(ms)", "memory_usage(MB)" };
	struct json_object *values[8];
	struct strbuf *sb = l->t->file;
	size_t i;

	for (i = 0; i < 8; i++) {
		values[i] = json_object_object_get(l->dict, keys[i]);
		if (values[i] == NULL)
			return dlperf_raises(e, "KeyError:", keys[i]);
	}
	strbuf_printf(sb, "|%s|n%sg%s|", name,
	    json_object_get_string(values[0]),
	    json_object_get_string(values[1]));
	for (i = 2; i < 8; i++) {
		if (json_object_is_type(values[i], json_type_double))
			strbuf_printf(
			    sb, "%.3f", json_object_get_double(values[i]));
		else if (json_object_is_type(values[i], json_type_int))
			add_grouped(sb, json_object_get_string(values[i]));
		else
			strbuf_addstr(sb, json_object_get_string(values[i]));
		strbuf_addstr(sb, "|");
	}
	strbuf_addstr(sb, "\n");
	return 0;
}

/* --- Losses -------------------------------------------------------------- */

/* cut -d' ' -fN: a line without spaces is printed whole. */
static const char *
cut_field(const struct table_log *l, size_t field)
{
	if (l->n == 1)
		return l->words[0];
	return field <= l->n ? l->words[field - 1] : "";
}

static void
print_losses(struct table_log *l, char *text, size_t len)
{
	static const struct {
		const char *holds;
		size_t field;
	} columns[] = { { "Iter:", 8 }, { "AUC:", 4 } };
	struct dlperf_tables *t = l->t;
	const char **values[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 }, alloc[2] = { 0, 0 }, i, k;
	struct dlperf_line line;
	char *at = text;

	while (dlperf_next_line(&at, text + len, &line)) {
		const int has[2] = { strstr(line.text, columns[0].holds) !=
			    NULL,
			strstr(line.text, columns[1].holds) != NULL };

		l->n = split_words(line.text, l->words);
		for (k = 0; k < 2; k++) {
			if (!has[k])
				continue;
			values[k] = vec_grow(
			    values[k], n[k], &alloc[k], sizeof *values[k]);
			values[k][n[k]++] = cut_field(l, columns[k].field);
		}
	}
	for (i = 0; i < n[0] || i < n[1]; i++)
		strbuf_printf(t->file, "%s\t%s\n", i < n[0] ? values[0][i] : "",
		    i < n[1] ? values[1][i] : "");
	strbuf_printf(
	    t->text, "extract loss and AUC to %s.losses_aucs\n", l->path);
	t->n_used += n[0] + n[1] > 0;
	free(values[0]);
	free(values[1]);
}

/* --- All ----------------------------------------------------------------- */

/* What sets the scripts of kinds PRINT_SPEEDS and PRINT_LATENCY apart; the
 * first whose number is at least that of the script. */
static const struct table_script {
	int number;
	int (*line)(struct table_log *l, struct error *e);
	int (*end)(struct table_log *l, struct error *e);
	int strips;             /* 1: each line before it is split */
	const char *vocabulary; /* key of its size */
	const char *settings[7];
} table_scripts[] = {
	{ 1, line_of_hugectr, end_of_hugectr, 0, "vocab_size",
	    { "num_nodes", "batch_size", "deep_vocab_size", "hidden_units_num",
		"deep_embedding_vec_size", "gpu_num_per_node" } },
	{ 18, line_of_speeds, NULL, 0, NULL,
	    { "batch_size_per_device", "gpu_num_per_node", "num_nodes" } },
	{ 19, line_of_oneflow, NULL, 0, "deep_vocab_size",
	    { "num_nodes", "batch_size", "deep_vocab_size", "hidden_units_num",
		"deep_embedding_vec_size", "gpu_num_per_node" } },
	{ 20, line_of_models, end_of_models, 1, "deep_vocab_size",
	    { "num_nodes", "batch_size", "batch_size_per_proc",
		"deep_vocab_size", "hidden_units_num",
		"deep_embedding_vec_size" } },
	{ 22, line_of_speeds, NULL, 0, NULL,
	    { "batch_size_per_device", "gpu_num_per_node", "num_nodes" } },
};

static const struct table_script *
table_script_of(const struct dlperf_script *s)
{
	const struct table_script *row = table_scripts;

	while (row->number < s->number)
		row++;
	return row;
}

static int
read_words(struct table_log *l, char *text, size_t len, struct error *e)
{
	const struct table_script *shape = table_script_of(l->t->script);
	struct dlperf_line line;
	char *at = text;

	if (dlperf_decode(text, len, e) != 0)
		return -1;
	while (dlperf_next_line(&at, text + len, &line)) {
		int outcome;

		l->n = split_words(
		    shape->strips ? dlperf_strip(line.text) : line.text,
		    l->words);
		outcome = take_setting(l, shape->settings, e);
		if (outcome == 0)
			outcome = shape->line(l, e);
		if (outcome < 0)
			return -1;
	}
	return shape->end != NULL ? shape->end(l, e) : 0;
}

/* NAME of .../NAME.log */
static const char *
stem_of(const char *path, struct arena *a)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const size_t len = strlen(name);

	return arena_strndup(a, name, len > 4 ? len - 4 : 0);
}

/* What one log gives; row is of PRINT_SPEEDS. */
static int
take_log(struct table_log *l, char *text, size_t len, struct row *row,
    struct error *e)
{
	struct dlperf_tables *t = l->t;
	const char *name = stem_of(l->path, t->arena);

	if (read_words(l, text, len, e) != 0)
		return -1;
	if (t->script->kind == PRINT_SPEEDS)
		return end_of_speeds(l, row, e);
	take_memory(l);
	py_print(l->dict, t->text);
	if (t->script->number != 1)
		strbuf_printf(t->text, "%s\n", name);
	if (t->script->number != 1 &&
	    json_object_object_get(l->dict, "latency(ms)") == NULL) {
		strbuf_printf(
		    t->text, "latency is not calculated in  %s\n", name);
		return 0;
	}
	return report_row(l, name, table_script_of(t->script)->vocabulary, e);
}

void
dlperf_tables(struct dlperf_tables *t)
{
	struct row *rows = xcalloc(t->n_paths, sizeof *rows);
	struct table_log *l = xmalloc(sizeof *l);
	size_t i, n_rows = 0;

	if (t->script->kind == PRINT_SPEEDS)
		strbuf_addstr(t->text,
		    "## All Results\n| num_nodes | gpu_num_per_node | "
		    "batch_size_per_device | throughput |\n| -------- | "
		    "-------- | -------- | -------- |\n");
	else if (t->script->kind == PRINT_LATENCY)
		strbuf_printf(t->file,
		    "|log_file|gpu|batch_size|%s|deep_embedding_vec_size|"
		    "hidden_units_num|latency(ms)|memory_usage(MB)|\n"
		    "|----|----|----|----|----|----|----|----|\n",
		    table_script_of(t->script)->vocabulary);
	for (i = 0; i < t->n_paths; i++) {
		struct error e = ERROR_INIT;
		size_t len;
		char *text = read_whole_file(t->paths[i], &len, &e);

		*l = (struct table_log){ .t = t,
			.path = t->paths[i],
			.dict = json_object_new_object() };
		if (text != NULL && t->script->kind == PRINT_LOSSES)
			print_losses(l, text, len);
		else if (text != NULL &&
		    take_log(l, text, len, &rows[n_rows], &e) == 0) {
			n_rows++;
			t->n_used++;
		} else
			case_note(t->stops, t->arena, "%s: %s; excluded",
			    l->path, e.message);
		free(text);
		free(l->stamps);
		free(l->latencies);
		json_object_put(l->dict);
	}
	if (t->script->kind == PRINT_SPEEDS)
		print_filtered(t, rows, n_rows);
	free(rows);
	free(l);
}
