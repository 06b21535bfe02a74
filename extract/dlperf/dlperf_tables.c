/* Output of DLPerf's scripts that read no run folders: OneFlow's speeds,
 * latencies of wide-and-deep models, losses and AUCs. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <json.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/stats/stats.h"
#include "common/json/json_write.h"
#include "extract/dlperf/dlperf.h"

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

/* Print the median speed of each shape, and its speedup over one GPU, which
 * comes first among the shapes of a batch. */
static void
print_filtered(struct dlperf_log *rows, size_t n, struct strbuf *sb)
{
	double *v = xcalloc(n + 1, sizeof *v), base = 0, speed;
	size_t i, end;

	qsort(rows, n, sizeof *rows, by_shape);
	strbuf_addstr(sb,
	    "\n## Filtered Result `median value`\n| num_nodes | "
	    "gpu_num_per_node | batch_size_per_device | throughput | speedup "
	    "|\n| -------- | -------- | -------- | -------- | -------- |\n");
	for (i = 0; i < n; i = end) {
		const struct dlperf_log *r = &rows[i];

		for (end = i; end < n && by_shape(&rows[end], r) == 0; end++)
			v[end - i] = rows[end].speed;
		speed = stats_median(v, end - i);
		if (i == 0 || r[-1].batch != r->batch)
			base = 0;
		if (r->nodes == 1 && r->gpus_per_node == 1)
			base = speed;
		strbuf_printf(sb, "| %ld | %ld | %ld | %.2f | %.2f |\n",
		    r->nodes, r->gpus_per_node, r->batch, speed,
		    base > 0 ? speed / base : 0);
	}
	free(v);
}

/* Read the memory from NAME.mem next to NAME.log: the last field of the first
 * line "max ..." with at least five fields, converted to MiB. */
static void
take_memory(const char *log, struct json_object *dict)
{
	struct error e = ERROR_INIT;
	char *path = xasprintf("%.*smem", (int)strlen(log) - 3, log);
	double bytes = NAN;
	size_t len;
	char *text = read_whole_file(path, &len, &e), *at = text, *line;

	while (isnan(bytes) && (line = strsep(&at, "\r\n")) != NULL)
		if (sscanf(line, "max %*s %*s %*s %lf", &bytes) == 1)
			bytes = strtod(strrchr(line, ' '), NULL);
	json_object_object_add(dict, "memory_usage(MB)",
	    fabs(bytes) < 1e18 ? json_object_new_int64((int64_t)bytes / 1048576)
			       : json_object_new_string("NA"));
	free(text);
	free(path);
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

	take_memory(path, dict);
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

size_t
dlperf_tables(const struct dlperf_script *s, const char *const *paths,
    size_t n_paths, long warmup, long train, struct dlperf_outcome *out)
{
	struct dlperf_log *rows = xcalloc(n_paths, sizeof *rows), *r = rows;
	const int speeds = s->kind == PRINT_SPEEDS;
	size_t i, len;

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
	for (i = 0; i < n_paths; i++) {
		struct json_object *dict = json_object_new_object();
		struct error e = ERROR_INIT;
		char *text = read_whole_file(paths[i], &len, &e);

		if (text == NULL ||
		    dlperf_read(s, text, len, warmup, train, r, dict, &e) !=
			0 ||
		    (!speeds &&
			print_settings(s, paths[i], dict, out, &e) != 0))
			dlperf_exclude(out, paths[i], e.message);
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
	if (speeds)
		print_filtered(rows, (size_t)(r - rows), &out->text);
	len = (size_t)(r - rows);
	free(rows);
	return len;
}

/* Field of a line split at spaces as by cut(1): a line without spaces is one
 * field. */
static const char *
cut_field(char *line, int field)
{
	char *word = line;

	if (strchr(line, ' ') != NULL)
		while (field-- > 0)
			word = strsep(&line, " ");
	return word != NULL ? word : "";
}

int
dlperf_losses(const char *path, struct dlperf_outcome *out, struct error *e)
{
	static const char *const marks[] = { "Iter:", "AUC:" };
	static const int fields[] = { 8, 4 };
	const char **values[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 }, alloc[2] = { 0, 0 }, i, k, len;
	char *text, *at, *line;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return error_set(e, ERROR_USAGE,
		    "--protocol=dlperf: %s is a folder, and this script reads "
		    "one log: give the path of the log instead",
		    path);
	text = at = read_whole_file(path, &len, e);
	if (text == NULL)
		return error_prefix(e, "%s", path);
	while ((line = strsep(&at, "\r\n")) != NULL)
		for (k = 0; k < 2; k++) {
			if (strstr(line, marks[k]) == NULL)
				continue;
			values[k] = vec_grow(
			    values[k], n[k], &alloc[k], sizeof *values[k]);
			values[k][n[k]++] = cut_field(line, fields[k]);
		}
	for (i = 0; i < n[0] || i < n[1]; i++)
		strbuf_printf(&out->file, "%s\t%s\n",
		    i < n[0] ? values[0][i] : "", i < n[1] ? values[1][i] : "");
	strbuf_printf(
	    &out->text, "extract loss and AUC to %s.losses_aucs\n", path);
	free(values[0]);
	free(values[1]);
	free(text);
	return i > 0 ? 0
		     : error_set(e, ERROR_EMPTY,
			   "%s: no line of it has a loss or an AUC", path);
}
