/* What DLPerf's scripts print that do not read folders: OneFlow's speeds,
 * latencies of wide-and-deep models, losses and AUCs. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/stats/stats.h"
#include "extract/dlperf/dlperf_script.h"

/* A row of OneFlow's tables. */
struct row {
	struct dlperf_name name;
	double speed;
};

/* By batch, the largest first, then nodes and GPUs. */
static int
by_shape(const void *a, const void *b)
{
	const struct dlperf_name *x = &((const struct row *)a)->name;
	const struct dlperf_name *y = &((const struct row *)b)->name;

	if (x->batch != y->batch)
		return (x->batch < y->batch) - (x->batch > y->batch);
	if (x->nodes != y->nodes)
		return (x->nodes > y->nodes) - (x->nodes < y->nodes);
	return (x->gpus_per_node > y->gpus_per_node) -
	    (x->gpus_per_node < y->gpus_per_node);
}

/* Median speed of the rows of that shape; NAN if there are none. */
static double
median_of(const struct row *rows, size_t n, const struct row *shape)
{
	double *v = xcalloc(n, sizeof *v), median;
	size_t i, k = 0;

	for (i = 0; i < n; i++)
		if (by_shape(&rows[i], shape) == 0)
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
		const struct dlperf_name *r = &rows[i].name;
		const struct row one = {
			{ .nodes = 1, .gpus_per_node = 1, .batch = r->batch }, 0
		};
		const double base = median_of(rows, n, &one);
		const double speed = median_of(rows, n, &rows[i]);

		if (i == 0 || by_shape(&rows[i - 1], &rows[i]) != 0)
			strbuf_printf(t->text,
			    "| %ld | %ld | %ld | %.2f | %.2f |\n", r->nodes,
			    r->gpus_per_node, r->batch, speed,
			    isnan(base) ? 0 : speed / base);
	}
}

/* The field, from 0, of a line between single spaces, NULL without it. */
static char *
field_of(char *line, size_t field)
{
	while (field-- > 0 && line != NULL) {
		line = strchr(line, ' ');
		line += line != NULL;
	}
	return line;
}

/* The last field of the first line "max ..." with at least five fields, in
 * MiB, of NAME.mem next to NAME.log. */
static void
take_memory(const char *log, struct json_object *dict)
{
	struct error e = ERROR_INIT;
	char *path = xasprintf("%.*smem", (int)strlen(log) - 3, log);
	struct py_line line;
	double bytes = NAN;
	size_t len;
	char *text = read_whole_file(path, &len, &e), *at = text;

	while (text != NULL && py_next_line(&at, text + len, &line))
		if (strncmp(line.text, "max ", 4) == 0 &&
		    field_of(line.text, 4) != NULL) {
			if (py_float(strrchr(line.text, ' ') + 1, &bytes, &e) !=
			    0)
				bytes = NAN;
			break;
		}
	json_object_object_add(dict, "memory_usage(MB)",
	    fabs(bytes) < 1e18 ? json_object_new_int64((int64_t)bytes / 1048576)
			       : json_object_new_string("NA"));
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

/* A row of the report of latencies: 0, or -1 with KeyError. */
static int
report_row(struct dlperf_tables *t, const char *name, struct json_object *dict,
    struct error *e)
{
	const char *const keys[] = { "num_nodes", "gpu_num_per_node",
		"batch_size", t->script->vocabulary, "deep_embedding_vec_size",
		"hidden_units_num", "latency(ms)", "memory_usage(MB)" };
	struct json_object *values[8];
	size_t i;

	for (i = 0; i < 8; i++) {
		values[i] = json_object_object_get(dict, keys[i]);
		if (values[i] == NULL)
			return py_raises(e, "KeyError:", keys[i]);
	}
	strbuf_printf(t->file, "|%s|n%sg%s|", name,
	    json_object_get_string(values[0]),
	    json_object_get_string(values[1]));
	for (i = 2; i < 8; i++) {
		const char *text = json_object_get_string(values[i]);

		if (json_object_is_type(values[i], json_type_double))
			strbuf_printf(
			    t->file, "%.3f", json_object_get_double(values[i]));
		else if (json_object_is_type(values[i], json_type_int))
			add_grouped(t->file, text);
		else
			strbuf_addstr(t->file, text);
		strbuf_addch(t->file, '|');
	}
	strbuf_addch(t->file, '\n');
	return 0;
}

/* cut -d' ' -f8 of the lines with "Iter:" next to -f4 of those with "AUC:"; a
 * line without spaces is printed whole. */
static void
print_losses(struct dlperf_tables *t, const char *path, char *text, size_t len)
{
	static const char *const holds[] = { "Iter:", "AUC:" };
	static const size_t fields[] = { 7, 3 };
	char **values[2] = { NULL, NULL };
	size_t n[2] = { 0, 0 }, alloc[2] = { 0, 0 }, i, k;
	struct py_line line;
	char *at = text;

	while (py_next_line(&at, text + len, &line))
		for (k = 0; k < 2; k++) {
			char *field = strchr(line.text, ' ') != NULL
			    ? field_of(line.text, fields[k])
			    : line.text;

			if (strstr(line.text, holds[k]) == NULL)
				continue;
			values[k] = vec_grow(
			    values[k], n[k], &alloc[k], sizeof *values[k]);
			values[k][n[k]++] = field;
		}
	for (i = 0; i < n[0] || i < n[1]; i++)
		for (k = 0; k < 2; k++) {
			const char *field = i < n[k] ? values[k][i] : NULL;

			if (field != NULL)
				strbuf_add(t->file, field, strcspn(field, " "));
			strbuf_addch(t->file, "\t\n"[k]);
		}
	strbuf_printf(
	    t->text, "extract loss and AUC to %s.losses_aucs\n", path);
	t->n_used += n[0] + n[1] > 0;
	free(values[0]);
	free(values[1]);
}

/* Print what one log gives; row is of PRINT_SPEEDS. */
static int
take_log(struct dlperf_tables *t, const char *path, struct json_object *dict,
    char *text, size_t len, struct row *row, struct error *e)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;
	const size_t stem = strlen(file) > 4 ? strlen(file) - 4 : 0;
	const char *name = arena_strndup(t->arena, file, stem);
	const int hugectr = t->script->kind == PRINT_INTERVAL;
	struct dlperf_reading reading;

	if (dlperf_read(t->script, text, len, &row->name, dict, t->warmup,
		t->train, &reading, e) != 0)
		return -1;
	if (t->script->kind == PRINT_SPEEDS) {
		row->speed = reading.speed;
		strbuf_printf(t->text, "| %ld | %ld | %ld | %.2f |\n",
		    row->name.nodes, row->name.gpus_per_node, row->name.batch,
		    row->speed);
		return 0;
	}
	take_memory(path, dict);
	py_write(dict, PY_REPR, t->text);
	strbuf_printf(t->text, hugectr ? "\n" : "\n%s\n", name);
	if (hugectr || json_object_object_get(dict, "latency(ms)") != NULL)
		return report_row(t, name, dict, e);
	strbuf_printf(t->text, "latency is not calculated in  %s\n", name);
	return 0;
}

void
dlperf_tables(struct dlperf_tables *t)
{
	const enum dlperf_kind kind = t->script->kind;
	struct row *rows = xcalloc(t->n_paths, sizeof *rows);
	size_t i, n_rows = 0;

	if (kind == PRINT_SPEEDS)
		strbuf_addstr(t->text,
		    "## All Results\n| num_nodes | gpu_num_per_node | "
		    "batch_size_per_device | throughput |\n| -------- | "
		    "-------- | -------- | -------- |\n");
	else if (kind != PRINT_LOSSES)
		strbuf_printf(t->file,
		    "|log_file|gpu|batch_size|%s|deep_embedding_vec_size|"
		    "hidden_units_num|latency(ms)|memory_usage(MB)|\n"
		    "|----|----|----|----|----|----|----|----|\n",
		    t->script->vocabulary);
	for (i = 0; i < t->n_paths; i++) {
		struct json_object *dict = json_object_new_object();
		struct error e = ERROR_INIT;
		size_t len;
		char *text = read_whole_file(t->paths[i], &len, &e);

		if (text != NULL && kind == PRINT_LOSSES)
			print_losses(t, t->paths[i], text, len);
		else if (text != NULL &&
		    take_log(t, t->paths[i], dict, text, len, &rows[n_rows],
			&e) == 0)
			n_rows++;
		else
			case_note(t->stops, t->arena, "%s: %s; excluded",
			    t->paths[i], e.message);
		free(text);
		json_object_put(dict);
	}
	t->n_used += n_rows;
	if (kind == PRINT_SPEEDS)
		print_filtered(t, rows, n_rows);
	free(rows);
}
