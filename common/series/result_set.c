#include <config.h>

#include "common/series/result_set.h"

#include <ctype.h>
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

static int
looks_like_json(const char *text, size_t len)
{
	while (len > 0 && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	return len > 0 && (*text == '{' || *text == '[');
}

static int
result_file_parse(struct result_file *s, const char *shown,
    const struct strbuf *sb, struct error *e)
{
	const size_t mark =
	    sb->len >= 3 && memcmp(sb->buf, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	const char *text = sb->buf + mark;
	const size_t len = sb->len - mark;
	const int is_json = looks_like_json(text, len);
	int is_known;

	if (is_document(shown) || (is_json && published_is_dlperf(text, len)))
		return reference_values_parse_document(shown, text, len, s, e);
	if ((is_json ? result_parse(shown, text, len, &s->result, e)
		     : reference_values_parse(shown, text, len, s, e)) == 0)
		return 0;
	/* Logs of JSON lines have no schema. */
	is_known = is_json ? memmem(text, len, "\"schema\"", 8) != NULL
			   : reference_values_are(text, len);
	if (is_known || e == NULL || e->code != ERROR_INPUT)
		return -1;
	return error_prefix(e,
	    "%s: neither a result nor reference values; run extract_logs on "
	    "logs first\nas reference values",
	    shown);
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
