#include <config.h>

#include "extract/dlperf/dlperf_tables.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/program/options.h"
#include "common/stats/stats.h"
#include "extract/dlperf/dlperf_log.h"
#include "extract/dlperf/python_text.h"

enum { MAX_WORDS = 4096 };

/* A word of str.split(' ') and what a dictionary of the script holds. */
struct table_entry {
	const char *key;
	const char *text; /* a string, or NULL: */
	double number;
	int is_float; /* 0: number is whole */
};

struct dict {
	struct table_entry *items;
	size_t n, alloc;
};

static struct table_entry *
dict_find(const struct dict *d, const char *key)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (strcmp(d->items[i].key, key) == 0)
			return &d->items[i];
	return NULL;
}

static struct table_entry *
dict_put(struct dict *d, const char *key)
{
	struct table_entry *found = dict_find(d, key);

	if (found == NULL) {
		d->items =
		    vec_grow(d->items, d->n, &d->alloc, sizeof *d->items);
		found = &d->items[d->n++];
	}
	*found = (struct table_entry){ .key = key };
	return found;
}

/* What a log is read into. */
struct reading {
	struct dlperf_tables *t;
	const char *path;
	struct dict dict;
	struct stamp {
		long iteration;
		const char *text;
	} * stamps; /* of the iterations, the last of each counts */
	size_t n_stamps, alloc_stamps;
	double *latencies;
	size_t n_latencies, alloc_latencies;
	double every;      /* iterations that a line speaks for */
	long first;        /* iteration, 0: none yet */
	double first_time; /* s */
};

/* The words of a line, cut at single spaces; the rest of a long one is
 * dropped. */
static size_t
split_words(char *line, char **words)
{
	size_t n = 0;
	char *blank;

	while (n < MAX_WORDS) {
		words[n++] = line;
		blank = strchr(line, ' ');
		if (blank == NULL)
			break;
		*blank = '\0';
		line = blank + 1;
	}
	return n;
}

static char *
trim_line(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	for (len = strlen(s); len > 0 && isspace((unsigned char)s[len - 1]);)
		s[--len] = '\0';
	return s;
}

static const char *
word_in(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return *words;
	return NULL;
}

/* "batch_size = 128": 1 if the line is one of those. */
static int
take_setting(struct reading *r, char **words, size_t n, const char *const *keys,
    struct error *e)
{
	const char *key = word_in(words[0], keys);

	if (key == NULL)
		return 0;
	if (n < 3)
		return dlperf_raises(e, "IndexError: no value of", key);
	dict_put(&r->dict, key)->text =
	    arena_strdup(r->t->arena, trim_line(words[2]));
	return 1;
}

static int
number_of(const struct reading *r, const char *key, long *out, struct error *e)
{
	const struct table_entry *found = dict_find(&r->dict, key);
	char text[64];

	if (found == NULL)
		return dlperf_raises(e, "KeyError:", key);
	if (found->text == NULL) {
		*out = (long)found->number;
		return 0;
	}
	snprintf(text, sizeof text, "%s", found->text);
	return dlperf_int(text, out, e);
}

/* --- OneFlow: speeds ----------------------------------------------------- */

static int
line_of_speeds(struct reading *r, char **words, size_t n, struct error *e)
{
	static const char *const keys[] = { "batch_size_per_device",
		"gpu_num_per_node", "num_nodes", NULL };
	const int cnn = strcmp(r->t->script->holds, "train:") == 0;
	const size_t at = cnn ? 4 : 1;
	const int setting = take_setting(r, words, n, keys, e);
	long iteration;
	size_t len;

	if (setting != 0)
		return setting < 0 ? -1 : 0;
	if (strcmp(words[0], r->t->script->holds) != 0)
		return 0;
	if (n <= at)
		return dlperf_raises(e, "IndexError: too few words", NULL);
	len = strlen(words[at]);
	words[at][len > 0 ? len - 1 : 0] = '\0';
	if (dlperf_int(words[at], &iteration, e) != 0)
		return -1;
	r->stamps = vec_grow(
	    r->stamps, r->n_stamps, &r->alloc_stamps, sizeof *r->stamps);
	r->stamps[r->n_stamps++] = (struct stamp){ iteration,
		arena_strdup(r->t->arena, trim_line(words[n - 1])) };
	return 0;
}

static int
time_of(const struct reading *r, long iteration, double *out, struct error *e)
{
	char text[64];
	size_t i;

	for (i = r->n_stamps; i-- > 0;)
		if (r->stamps[i].iteration == iteration) {
			snprintf(text, sizeof text, "%s", r->stamps[i].text);
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
compute_row(const struct reading *r, struct row *row, struct error *e)
{
	const struct dlperf_tables *t = r->t;
	double start, end;

	if (time_of(r, t->warmup, &start, e) != 0 ||
	    time_of(r, t->train, &end, e) != 0 ||
	    number_of(r, "num_nodes", &row->nodes, e) != 0 ||
	    number_of(r, "gpu_num_per_node", &row->gpus, e) != 0 ||
	    number_of(r, "batch_size_per_device", &row->batch, e) != 0)
		return -1;
	if (end == start)
		return dlperf_raises(
		    e, "ZeroDivisionError: no time has passed", NULL);
	row->speed = (double)(row->batch * row->gpus * row->nodes *
			 (t->train - t->warmup)) /
	    (end - start);
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
	double *v = xcalloc(n, sizeof *v), median;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (rows[i].nodes == nodes && rows[i].gpus == gpus &&
		    rows[i].batch == batch)
			v[k++] = rows[i].speed;
	median = stats_median(v, k);
	free(v);
	return median;
}

static void
print_filtered(struct dlperf_tables *t, struct row *rows, size_t n)
{
	struct row *kept = xcalloc(n, sizeof *kept);
	size_t i, k = 0;

	for (i = 0; i < n; i++) {
		struct row row = rows[i];
		double base;
		size_t j;

		for (j = 0; j < k; j++)
			if (by_shape(&kept[j], &row) == 0)
				break;
		if (j < k)
			continue;
		row.speed = median_of(rows, n, row.nodes, row.gpus, row.batch);
		base = median_of(rows, n, 1, 1, row.batch);
		row.speedup = isnan(base) ? 0 : row.speed / base;
		kept[k++] = row;
	}
	qsort(kept, k, sizeof *kept, by_shape);
	strbuf_addstr(t->text,
	    "\n## Filtered Result `median value`\n| num_nodes | "
	    "gpu_num_per_node | batch_size_per_device | throughput | speedup "
	    "|\n| -------- | -------- | -------- | -------- | -------- |\n");
	for (i = 0; i < k; i++)
		strbuf_printf(t->text, "| %ld | %ld | %ld | %.2f | %.2f |\n",
		    kept[i].nodes, kept[i].gpus, kept[i].batch, kept[i].speed,
		    kept[i].speedup);
	free(kept);
}

/* --- Latencies ----------------------------------------------------------- */

static const char *const settings_of_wdl[] = { "num_nodes", "batch_size",
	"deep_vocab_size", "hidden_units_num", "deep_embedding_vec_size",
	"gpu_num_per_node", NULL };
static const char *const settings_of_models[] = { "num_nodes", "batch_size",
	"batch_size_per_proc", "deep_vocab_size", "hidden_units_num",
	"deep_embedding_vec_size", NULL };

static void
add_latency(struct reading *r, double x)
{
	r->latencies = vec_grow(r->latencies, r->n_latencies,
	    &r->alloc_latencies, sizeof *r->latencies);
	r->latencies[r->n_latencies++] = x;
}

static int
line_of_hugectr(struct reading *r, char **words, size_t n, struct error *e)
{
	const int setting = take_setting(r, words, n, settings_of_wdl, e);
	char *time;
	double x;
	long iteration;

	if (setting != 0)
		return setting < 0 ? -1 : 0;
	if (strcmp(words[0], "wide_workspace_size_per_gpu_in_mb") == 0 ||
	    strcmp(words[0], "loss_print_every_n_iter") == 0) {
		if (n < 3)
			return dlperf_raises(
			    e, "IndexError: no value of", words[0]);
		if (words[0][0] == 'l')
			return dlperf_float(words[2], &r->every, e);
		if (dlperf_int(words[2], &iteration, e) != 0)
			return -1;
		dict_put(&r->dict, "vocab_size")->number =
		    (double)(iteration * 1024 * 1024 / 4 / 1000000 * 1000000);
		return 0;
	}
	if (n <= 3 || strcmp(words[1], "Iter:") != 0 ||
	    strstr(words[0], "[INFO]") == NULL)
		return 0;
	if (dlperf_int(words[2], &iteration, e) != 0)
		return -1;
	if (iteration == r->t->warmup)
		return 0;
	if (n <= 5)
		return dlperf_raises(e, "IndexError: too few words", NULL);
	time = trim_line(words[5]);
	time[strlen(time) > 0 ? strlen(time) - 1 : 0] = '\0';
	if (dlperf_float(time, &x, e) != 0)
		return -1;
	add_latency(r, x);
	return 0;
}

static int
line_of_oneflow(struct reading *r, char **words, size_t n, struct error *e)
{
	const int setting = take_setting(r, words, n, settings_of_wdl, e);
	struct table_entry *latency;
	long iteration;
	double time;

	if (setting != 0)
		return setting < 0 ? -1 : 0;
	if (n <= 3 || strcmp(words[1], "time") != 0)
		return 0;
	if (dlperf_int(words[0], &iteration, e) != 0)
		return -1;
	if (r->first != 0 && iteration - r->first != 1000)
		return 0;
	if (dlperf_float(words[2], &time, e) != 0)
		return -1;
	latency = dict_put(&r->dict, "latency(ms)");
	if (r->first == 0) {
		r->first = iteration;
		r->first_time = time;
		return 0;
	}
	/* 1000 iterations: seconds of all are milliseconds of one. */
	latency->number = time - r->first_time;
	latency->is_float = 1;
	return 0;
}

static int
line_of_models(struct reading *r, char **words, size_t n, struct error *e)
{
	const int setting = take_setting(r, words, n, settings_of_models, e);
	double x;

	if (setting != 0)
		return setting < 0 ? -1 : 0;
	if (n <= 6 || strcmp(words[1], "iter:") != 0 ||
	    strcmp(words[3], "loss:") != 0)
		return 0;
	if (dlperf_float(words[6], &x, e) != 0)
		return -1;
	add_latency(r, x);
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
end_of_hugectr(struct reading *r, struct error *e)
{
	struct table_entry *out;

	if (!(r->every > 0))
		return 0;
	if (r->n_latencies == 0)
		return dlperf_raises(
		    e, "ZeroDivisionError: no line with Iter:", NULL);
	out = dict_put(&r->dict, "latency(ms)");
	out->number = 1000 * sum_of(r->latencies, r->n_latencies) /
	    (double)r->n_latencies / r->every;
	out->is_float = 1;
	return 0;
}

static int
end_of_models(struct reading *r, struct error *e)
{
	size_t skip = r->n_latencies > 2;
	const size_t n = r->n_latencies - 2 * skip;
	struct table_entry *out;
	long batch, each;

	if (number_of(r, "batch_size", &batch, e) != 0 ||
	    number_of(r, "batch_size_per_proc", &each, e) != 0)
		return -1;
	if (each == 0)
		return dlperf_raises(
		    e, "ZeroDivisionError: batch_size_per_proc is 0", NULL);
	dict_put(&r->dict, "gpu_num_per_node")->number =
	    (double)(long)((double)batch / (double)each);
	dict_put(&r->dict, "num_nodes")->number = 1;
	out = dict_put(&r->dict, "latency(ms)");
	if (n == 0)
		out->text = "NA";
	else {
		out->number = sum_of(r->latencies + skip, n) / (double)n;
		out->is_float = 1;
	}
	return 0;
}

/* The last field of the first line "max ..." with at least five words, in MiB,
 * of NAME.mem next to NAME.log. */
static void
take_memory(struct reading *r)
{
	struct table_entry *out = dict_put(&r->dict, "memory_usage(MB)");
	struct error e = ERROR_INIT;
	const size_t stem = strlen(r->path) - 3;
	char *path = xasprintf("%.*smem", (int)stem, r->path), *text, *at;
	char **words = xcalloc(MAX_WORDS, sizeof *words);
	struct dlperf_line line;
	size_t len;

	out->text = "NA";
	text = read_whole_file(path, &len, &e);
	at = text;
	while (text != NULL && dlperf_next_line(&at, text + len, &line)) {
		const size_t n = split_words(line.text, words);
		double bytes;

		if (n < 5 || strcmp(words[0], "max") != 0)
			continue;
		if (dlperf_float(words[n - 1], &bytes, &e) == 0) {
			out->text = NULL;
			out->number = trunc(bytes / 1024 / 1024);
		}
		break;
	}
	free(text);
	free(path);
	free(words);
}

static void
print_entry(struct strbuf *sb, const struct table_entry *x)
{
	char buf[PY_DOUBLE_SIZE];

	if (x->text != NULL)
		strbuf_printf(sb, "'%s'", x->text);
	else if (x->is_float)
		strbuf_addstr(sb, py_double(buf, x->number));
	else
		strbuf_printf(sb, "%.0f", x->number);
}

static void
print_dict(struct strbuf *sb, const struct dict *d)
{
	size_t i;

	strbuf_addstr(sb, "{");
	for (i = 0; i < d->n; i++) {
		strbuf_printf(
		    sb, "%s'%s': ", i > 0 ? ", " : "", d->items[i].key);
		print_entry(sb, &d->items[i]);
	}
	strbuf_addstr(sb, "}\n");
}

/* '{:,}' of a whole number. */
static void
add_grouped(struct strbuf *sb, double x)
{
	char digits[64];
	size_t i, n;

	snprintf(digits, sizeof digits, "%.0f", fabs(x));
	n = strlen(digits);
	if (x < 0)
		strbuf_addstr(sb, "-");
	for (i = 0; i < n; i++)
		strbuf_printf(sb, "%s%c", i > 0 && (n - i) % 3 == 0 ? "," : "",
		    digits[i]);
}

/* A row of the report: 0, or -1 with KeyError. */
static int
report_row(struct dlperf_tables *t, const struct reading *r, const char *name,
    const char *vocabulary, struct error *e)
{
	const char *const keys[] = { "batch_size", vocabulary,
		"deep_embedding_vec_size", "hidden_units_num", "latency(ms)",
		"memory_usage(MB)" };
	struct strbuf sb;
	const struct table_entry *nodes = dict_find(&r->dict, "num_nodes");
	const struct table_entry *gpus =
	    dict_find(&r->dict, "gpu_num_per_node");
	size_t i;

	if (nodes == NULL || gpus == NULL)
		return dlperf_raises(e, "KeyError:",
		    nodes == NULL ? "num_nodes" : "gpu_num_per_node");
	strbuf_init(&sb, 1 << 16);
	strbuf_printf(&sb, "|%s|n", name);
	if (nodes->text != NULL)
		strbuf_printf(&sb, "%sg", nodes->text);
	else
		strbuf_printf(&sb, "%.0fg", nodes->number);
	if (gpus->text != NULL)
		strbuf_printf(&sb, "%s|", gpus->text);
	else
		strbuf_printf(&sb, "%.0f|", gpus->number);
	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct table_entry *x = dict_find(&r->dict, keys[i]);

		if (x == NULL) {
			strbuf_release(&sb);
			return dlperf_raises(e, "KeyError:", keys[i]);
		}
		if (x->text != NULL)
			strbuf_addstr(&sb, x->text);
		else if (x->is_float)
			strbuf_printf(&sb, "%.3f", x->number);
		else
			add_grouped(&sb, x->number);
		strbuf_addstr(&sb, "|");
	}
	strbuf_addstr(&sb, "\n");
	strbuf_addstr(t->file, sb.buf);
	strbuf_release(&sb);
	return 0;
}

/* --- Losses -------------------------------------------------------------- */

/* cut -d' ' -fN: a line without spaces is printed whole. */
static const char *
cut_field(char **words, size_t n, size_t field)
{
	if (n == 1)
		return words[0];
	return field <= n ? words[field - 1] : "";
}

static void
print_losses(struct dlperf_tables *t, const char *path, char *text, size_t len)
{
	char **words = xcalloc(MAX_WORDS, sizeof *words);
	const char **columns[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 }, alloc[2] = { 0, 0 }, i, k;
	char *at = text;
	struct dlperf_line line;

	while (dlperf_next_line(&at, text + len, &line)) {
		const int has[2] = { strstr(line.text, "Iter:") != NULL,
			strstr(line.text, "AUC:") != NULL };
		const size_t n_words = split_words(line.text, words);

		for (k = 0; k < 2; k++)
			if (has[k]) {
				columns[k] = vec_grow(columns[k], n[k],
				    &alloc[k], sizeof *columns[k]);
				columns[k][n[k]++] =
				    cut_field(words, n_words, k == 0 ? 8 : 4);
			}
	}
	for (i = 0; i < n[0] || i < n[1]; i++)
		strbuf_printf(t->file, "%s\t%s\n",
		    i < n[0] ? columns[0][i] : "",
		    i < n[1] ? columns[1][i] : "");
	strbuf_printf(
	    t->text, "extract loss and AUC to %s.losses_aucs\n", path);
	t->n_used += n[0] + n[1] > 0;
	free(columns[0]);
	free(columns[1]);
	free(words);
}

/* --- All ----------------------------------------------------------------- */

typedef int word_reader(
    struct reading *r, char **words, size_t n, struct error *e);

static word_reader *
reader_of(const struct dlperf_script *s)
{
	if (s->kind == PRINT_SPEEDS)
		return line_of_speeds;
	if (s->number == 1)
		return line_of_hugectr;
	return s->number == 19 ? line_of_oneflow : line_of_models;
}

static int
read_words(struct reading *r, char *text, size_t len, struct error *e)
{
	word_reader *const reader = reader_of(r->t->script);
	char **words = xcalloc(MAX_WORDS, sizeof *words);
	struct dlperf_line line;
	char *at = text;
	int outcome = dlperf_decode(text, len, e);

	while (outcome == 0 && dlperf_next_line(&at, text + len, &line)) {
		/* This one strips the line before it is split. */
		char *start =
		    reader == line_of_models ? trim_line(line.text) : line.text;

		outcome = reader(r, words, split_words(start, words), e);
	}
	free(words);
	if (outcome == 0 && reader == line_of_hugectr)
		outcome = end_of_hugectr(r, e);
	if (outcome == 0 && reader == line_of_models)
		outcome = end_of_models(r, e);
	return outcome;
}

static void
tables_stopped(struct dlperf_tables *t, const char *path, const struct error *e)
{
	case_note(t->stops, t->arena, "%s: %s; excluded", path, e->message);
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

/* What one log gives; rows are of PRINT_SPEEDS. */
static int
take_log(
    struct reading *r, char *text, size_t len, struct row *row, struct error *e)
{
	struct dlperf_tables *t = r->t;
	const char *name = stem_of(r->path, t->arena);

	if (read_words(r, text, len, e) != 0)
		return -1;
	if (t->script->kind == PRINT_SPEEDS) {
		if (compute_row(r, row, e) != 0)
			return -1;
		strbuf_printf(t->text, "| %ld | %ld | %ld | %.2f |\n",
		    row->nodes, row->gpus, row->batch, row->speed);
		return 0;
	}
	take_memory(r);
	print_dict(t->text, &r->dict);
	if (t->script->number != 1)
		strbuf_printf(t->text, "%s\n", name);
	if (t->script->number != 1 &&
	    dict_find(&r->dict, "latency(ms)") == NULL) {
		strbuf_printf(
		    t->text, "latency is not calculated in  %s\n", name);
		return 0;
	}
	return report_row(t, r, name,
	    t->script->number == 1 ? "vocab_size" : "deep_vocab_size", e);
}

static void
tables_begin(struct dlperf_tables *t)
{
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
		    t->script->number == 1 ? "vocab_size" : "deep_vocab_size");
}

void
dlperf_tables(struct dlperf_tables *t)
{
	struct row *rows = xcalloc(t->n_paths, sizeof *rows);
	size_t i, n_rows = 0;

	tables_begin(t);
	for (i = 0; i < t->n_paths; i++) {
		struct reading r = { .t = t, .path = t->paths[i] };
		struct error e = ERROR_INIT;
		size_t len;
		char *text = read_whole_file(t->paths[i], &len, &e);

		if (text != NULL && t->script->kind == PRINT_LOSSES)
			print_losses(t, t->paths[i], text, len);
		else if (text != NULL &&
		    take_log(&r, text, len, &rows[n_rows], &e) == 0) {
			n_rows++;
			t->n_used++;
		} else
			tables_stopped(t, t->paths[i], &e);
		free(text);
		free(r.dict.items);
		free(r.stamps);
		free(r.latencies);
	}
	if (t->script->kind == PRINT_SPEEDS)
		print_filtered(t, rows, n_rows);
	free(rows);
}
