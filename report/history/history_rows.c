/* Rows of a history: made of a result, distinguished, freed.  What is kept of
 * them on disk is history_file.c's. */
#include <config.h>

#include "report/history/history.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/sha256.h"

enum { MAX_IDENTITY = 1 << 20 };

struct history_row *
history_add_row(struct history *h)
{
	struct result empty;
	struct history_row *row;

	h->rows = vec_grow(h->rows, h->n, &h->alloc, sizeof *h->rows);
	row = &h->rows[h->n++];
	memset(row, 0, sizeof *row);
	result_init(&empty);
	row->rule = empty.rule;
	result_case_init(&row->c);
	result_run_init(&row->run);
	return row;
}

void
history_release(struct history *h)
{
	free(h->rows);
	arena_release(&h->arena);
	*h = (struct history)HISTORY_INIT;
}

/* --- what makes two rows alike -------------------------------------------- */

void
history_labels_write(const struct result_case *c, struct strbuf *sb)
{
	struct json_writer j;

	json_write_to_strbuf(&j, sb, JSON_WRITE_LINES);
	json_write_begin_object(&j, NULL);
	for (size_t i = 0; i < c->n_labels; i++)
		json_write_string(&j, c->labels[i].key, c->labels[i].value);
	json_write_end(&j);
	json_write_finish(&j);
}

void
history_identity(const struct history_row *row, struct strbuf *sb)
{
	const struct result_rule *rule = &row->rule;
	const struct result_case *c = &row->c;
	struct json_writer j;

	/* JSON keeps neighbours apart whatever they hold.  Keys in files stand
	 * on this text: it must not change. */
	json_write_to_strbuf(&j, sb, JSON_WRITE_LINES);
	json_write_begin_array(&j, NULL);
	json_write_string(&j, NULL, c->rule != NULL ? c->rule : rule->rule);
	json_write_long(&j, NULL, rule->skip_iterations);
	json_write_long(&j, NULL, rule->warmup_batches);
	json_write_long(&j, NULL, rule->train_batches);
	json_write_long(&j, NULL, rule->from_iteration);
	json_write_string(&j, NULL, rule->epoch);
	json_write_string(&j, NULL, rule->aggregate);
	json_write_string(&j, NULL, rule->metric);
	json_write_string(&j, NULL, rule->scaling);
	json_write_string(&j, NULL, c->framework);
	json_write_string(&j, NULL, c->model);
	json_write_string(&j, NULL, c->precision);
	json_write_long(&j, NULL, c->batch_size_per_device);
	json_write_string(&j, NULL, c->unit);
	json_write_long(&j, NULL, c->nodes);
	json_write_long(&j, NULL, c->gpus_per_node);
	json_write_long(&j, NULL, c->gpus);
	json_write_string(&j, NULL, c->name);
	json_write_end(&j);
	json_write_finish(&j);
	history_labels_write(c, sb);
}

static void
fill_key(struct history *h, struct history_row *row)
{
	char hash[SHA256_BASE64_SIZE], value[JSON_DOUBLE_SIZE];
	struct json_writer j;
	struct strbuf sb;

	strbuf_init(&sb, MAX_IDENTITY);
	history_identity(row, &sb);
	json_write_to_strbuf(&j, &sb, JSON_WRITE_LINES);
	json_write_begin_array(&j, NULL);
	json_write_string(&j, NULL, row->run.run);
	json_write_string(&j, NULL, row->log_hash);
	if (row->log_hash == NULL) {
		json_write_string(&j, NULL, row->run.path);
		json_write_string(&j, NULL, json_double(value, row->run.value));
	}
	json_write_end(&j);
	json_write_finish(&j);
	sha256_base64(sb.buf, sb.len, hash);
	row->key = arena_strdup(&h->arena, hash);
	strbuf_release(&sb);
}

/* --- out of a result ------------------------------------------------------ */

static int
compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct result_pair *)a)->key,
	    ((const struct result_pair *)b)->key);
}

static void
copy_case(
    struct arena *a, const struct result_case *from, struct result_case *to)
{
	struct result_pair *labels =
	    arena_calloc(a, from->n_labels, sizeof *labels);

	to->name = arena_strdup(a, from->name);
	to->framework = arena_strdup(a, from->framework);
	to->model = arena_strdup(a, from->model);
	to->precision = arena_strdup(a, from->precision);
	to->batch_size_per_device = from->batch_size_per_device;
	to->nodes = from->nodes;
	to->gpus_per_node = from->gpus_per_node;
	to->gpus = from->gpus;
	to->unit = arena_strdup(a, from->unit);
	to->rule = arena_strdup(a, from->rule);
	for (size_t i = 0; i < from->n_labels; i++)
		labels[i] =
		    (struct result_pair){ arena_strdup(a, from->labels[i].key),
			    arena_strdup(a, from->labels[i].value) };
	if (from->n_labels > 0)
		qsort(labels, from->n_labels, sizeof *labels, compare_labels);
	to->labels = labels;
	to->n_labels = from->n_labels;
}

static void
copy_rule(
    struct arena *a, const struct result_rule *from, struct result_rule *to)
{
	to->rule = arena_strdup(a, from->rule);
	to->skip_iterations = from->skip_iterations;
	to->warmup_batches = from->warmup_batches;
	to->train_batches = from->train_batches;
	to->from_iteration = from->from_iteration;
	to->epoch = arena_strdup(a, from->epoch);
	to->aggregate = arena_strdup(a, from->aggregate);
	to->metric = arena_strdup(a, from->metric);
	to->scaling = arena_strdup(a, from->scaling);
}

static const char *
find_hash(const struct result *r, const char *path)
{
	for (size_t i = 0; i < r->n_inputs; i++)
		if (r->inputs[i].path != NULL &&
		    strcmp(r->inputs[i].path, path) == 0)
			return r->inputs[i].hash;
	return NULL;
}

static void
copy_run(struct history *h, const struct result *r,
    const struct result_run *from, struct history_row *row)
{
	struct arena *a = &h->arena;

	row->run.run = arena_strdup(a, from->run);
	row->run.path = arena_strdup(a, from->path);
	row->run.value = from->value;
	row->run.samples_per_s = from->samples_per_s;
	row->run.device = arena_strdup(a, from->device);
	row->run.framework_version = arena_strdup(a, from->framework_version);
	row->log_hash = arena_strdup(a, find_hash(r, from->path));
}

void
history_rows_of(const struct result *r, const struct history_metadata *metadata,
    struct history *out)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			struct history_row *row = history_add_row(out);

			row->metadata = *metadata;
			copy_rule(&out->arena, &r->rule, &row->rule);
			copy_case(&out->arena, &r->cases[i], &row->c);
			copy_run(out, r, &r->cases[i].runs[k], row);
			fill_key(out, row);
		}
}
