#include <config.h>

#include "common/series/result_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/files/outfile.h"
#include "common/program/options.h"
#include "common/published/published.h"
#include "common/result/work_rate.h"
#include "common/series/reference_values.h"
#include "common/strbuf.h"

char *
result_file_name(const char *path)
{
	static const char *const endings[] = { "_result.json", ".json",
		".figures", ".md", ".csv", ".tex" };
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
	size_t len = strlen(base);

	if (strcmp(path, "-") == 0)
		return xstrdup("stdin");
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		size_t n = strlen(endings[i]);

		if (len > n && strcmp(base + len - n, endings[i]) == 0)
			return xstrndup(base, len - n);
	}
	return xstrdup(base);
}

/* Split "label=path", unless a file with the whole name exists. Returns the
 * path and sets the label's length, or 0. */
static const char *
split_operand(const char *operand, size_t *label_len)
{
	const char *eq = strchr(operand, '=');

	*label_len = 0;
	if (eq == NULL || eq == operand || eq[1] == '\0' ||
	    access(operand, F_OK) == 0 ||
	    memchr(operand, '/', (size_t)(eq - operand)) != NULL)
		return operand;
	*label_len = (size_t)(eq - operand);
	return eq + 1;
}

/* True if the file name is that of a document with tables. */
static int
is_document(const char *shown)
{
	static const char *const endings[] = { ".md", ".markdown", ".csv",
		".tsv", ".tex" };
	const char *dot = strrchr(shown, '.');

	for (size_t i = 0; dot != NULL && i < 5; i++)
		if (strcasecmp(dot, endings[i]) == 0)
			return 1;
	return 0;
}

/* True if a line of the text starts like a table row. */
static int
has_table_row(const char *text, size_t len)
{
	for (size_t i = 0, start = 1; i < len; i++) {
		if (text[i] == '\n')
			start = 1;
		else if (start && text[i] == '|')
			return 1;
		else if (text[i] != ' ' && text[i] != '\t')
			start = 0;
	}
	return 0;
}

/* True if JSON has a schema; logs of JSON lines do not. */
static int
has_schema(const char *text, size_t len)
{
	return memmem(text, len, "\"schema\"", 8) != NULL;
}

/* Prepend to an error the hint that a log must be converted to a result first.
 * Returns -1. */
static int
hint_at_log(const char *path, struct error *e)
{
	char *message;

	if (e == NULL || e->code != ERROR_INPUT)
		return -1;
	message = xstrdup(e->message);
	error_set(e, ERROR_INPUT,
	    "%s: neither a result nor reference values; run extract_logs on "
	    "logs first\nas reference values: %s",
	    path, message);
	free(message);
	return -1;
}

static int
result_file_parse(struct result_file *s, const char *shown,
    const struct strbuf *sb, struct error *e)
{
	const int marked =
	    sb->len >= 3 && memcmp(sb->buf, "\xef\xbb\xbf", 3) == 0;
	const char *text = sb->buf + (marked ? 3 : 0);
	const size_t len = sb->len - (marked ? 3 : 0);

	if (is_document(shown) ||
	    (reference_values_looks_like_json(text, len) &&
		published_is_dlperf(text, len)))
		return reference_values_parse_document(shown, text, len, s, e);
	if (reference_values_looks_like_json(text, len)) {
		if (result_parse(shown, text, len, &s->result, e) == 0)
			return 0;
		return has_schema(text, len) ? -1 : hint_at_log(shown, e);
	}
	if (reference_values_parse(shown, text, len, s, e) == 0)
		return 0;
	if (has_table_row(text, len) ||
	    reference_values_begins_with_key(text, len))
		return -1;
	return hint_at_log(shown, e);
}

static int
result_file_read(struct result_file *s, const char *operand, struct error *e)
{
	struct strbuf sb;
	size_t label_len;
	const char *path = split_operand(operand, &label_len);
	const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
	char *name;
	int rc;

	*s = (struct result_file){ 0 };
	strbuf_init(&sb, RESULT_FILE_MAX_BYTES);
	rc = text_file_read(path, &sb, e);
	if (rc == 0)
		rc = result_file_parse(s, shown, &sb, e);
	strbuf_release(&sb);
	if (rc != 0)
		return -1;
	s->path = arena_strdup(&s->result.arena, shown);
	if (label_len > 0)
		s->label = arena_strndup(&s->result.arena, operand, label_len);
	name = result_file_name(path);
	s->name =
	    s->label != NULL ? s->label : arena_strdup(&s->result.arena, name);
	free(name);
	return 0;
}

/* Use "samples/s" if results name samples differently: images, sequences,
 * examples. */
static void
unite_units(struct result_set *l)
{
	const char *first = NULL;
	int differ = 0;

	for (int rename = 0; rename < 1 + differ; rename++)
		for (size_t i = 0; i < l->n; i++)
			for (size_t k = 0; k < l->items[i].result.n_cases;
			     k++) {
				struct result_case *c =
				    &l->items[i].result.cases[k];

				if (!unit_counts_samples(c->unit))
					continue;
				if (rename)
					c->unit = unit_alike_name(c->unit);
				else if (first == NULL)
					first = c->unit;
				else
					differ |= strcmp(first, c->unit) != 0;
			}
}

int
result_set_read(
    struct result_set *l, char *const *operands, size_t n, struct error *e)
{
	if (n == 0)
		return options_missing_operand(
		    "results of extract_logs, or files of reference values", e);
	for (size_t i = 0; i < n; i++) {
		l->items =
		    vec_grow(l->items, l->n, &l->alloc, sizeof *l->items);
		if (result_file_read(&l->items[l->n], operands[i], e) != 0) {
			result_set_release(l);
			return -1;
		}
		l->n++;
	}
	unite_units(l);
	return 0;
}

void
result_file_remark(struct result_file *s, const char *text)
{
	s->remarks = arena_longer(
	    &s->result.arena, s->remarks, s->n_remarks, sizeof *s->remarks);
	s->remarks[s->n_remarks++] = text;
}

void
result_set_print_remarks(const struct result_set *l, const char *program)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->items[i].n_remarks; k++) {
			char *text = xstrdup(l->items[i].remarks[k]);

			text_sanitise(text, "");
			fprintf(stderr, "%s: %s\n", program, text);
			free(text);
		}
}

int
result_set_spare(
    const struct result_set *l, const char *output, struct error *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (outfile_spare(output, &l->items[i].path, 1, e) != 0)
			return -1;
	return 0;
}

void
result_set_release(struct result_set *l)
{
	for (size_t i = 0; i < l->n; i++)
		result_release(&l->items[i].result);
	free(l->items);
	*l = (struct result_set)RESULT_SET_INIT;
}

const char *
result_file_written(const struct result_file *s, size_t i, const char *key)
{
	if (s->written == NULL)
		return NULL;
	for (size_t k = 0; k < s->written[i].n; k++)
		if (strcmp(s->written[i].items[k].key, key) == 0)
			return s->written[i].items[k].value;
	return NULL;
}
