/* Rows of a history. */
#include <config.h>

#include "report/history/history.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/sha256.h"
#include "common/text.h"

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

const char *
history_identity(struct arena *a, const struct history_row *row)
{
	const struct result_rule *rule = &row->rule;
	const struct result_case *c = &row->c;
	struct json_writer j;
	const char *text;
	struct strbuf sb;

	strbuf_init(&sb, MAX_IDENTITY);
	/* JSON separates the parts unambiguously. Keys in files are hashes of
	 * this text: it must not change. */
	json_write_to_strbuf(&j, &sb, JSON_WRITE_LINES);
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
	history_labels_write(c, &sb);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}

static void
fill_key(struct history *h, struct history_row *row)
{
	char hash[SHA256_BASE64_SIZE], value[JSON_DOUBLE_SIZE];
	struct json_writer j;
	struct strbuf sb;

	strbuf_init(&sb, MAX_IDENTITY);
	strbuf_addstr(&sb, history_identity(&h->arena, row));
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

static const char *
find_hash(const struct result *r, const char *path)
{
	for (size_t i = 0; i < r->n_inputs; i++)
		if (text_same(r->inputs[i].path, path))
			return r->inputs[i].hash;
	return NULL;
}

/* The case with its labels in the order of their keys. */
static struct result_case
with_sorted_labels(struct arena *a, struct result_case c)
{
	struct result_pair *labels =
	    arena_calloc(a, c.n_labels, sizeof *labels);

	for (size_t i = 0; i < c.n_labels; i++)
		labels[i] = c.labels[i];
	if (c.n_labels > 0)
		qsort(labels, c.n_labels, sizeof *labels, compare_labels);
	c.labels = labels;
	return c;
}

void
history_rows_of(const struct result *r, const struct history_metadata *metadata,
    struct history *out)
{
	for (size_t i = 0; i < r->n_cases; i++)
		for (size_t k = 0; k < r->cases[i].n_runs; k++) {
			struct history_row *row = history_add_row(out);

			row->metadata = *metadata;
			row->rule = r->rule;
			row->c = with_sorted_labels(&out->arena, r->cases[i]);
			row->run = r->cases[i].runs[k];
			row->log_hash = find_hash(r, row->run.path);
			fill_key(out, row);
		}
}
