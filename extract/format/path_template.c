/* Converts a template such as {model}-n{nodes}-bs{batch}.log to a layout, which
 * is then used like any other. */
#include <config.h>

#include "extract/format/path_template.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"

enum { MAX_WORD = 64, MAX_TEXT = 16384, MAX_WORDS = 32 };

/* State while a template is parsed. */
struct template_reader {
	struct strbuf regex, sample, expects;
	char words[MAX_WORDS][MAX_WORD];
	size_t n_words;
	struct error *e;
};

/* Expand an abbreviation of a field. */
static const char *
full_word(const char *word)
{
	static const struct {
		const char *shorter, *word;
	} also[] = { { "batch", "batch_size_per_device" },
		{ "bs", "batch_size_per_device" }, { "seq", "sequence_length" },
		{ "gpn", "gpus_per_node" } };

	for (size_t i = 0; i < sizeof also / sizeof also[0]; i++)
		if (strcmp(also[i].shorter, word) == 0)
			return also[i].word;
	return word;
}

static int
is_layout_word(const struct field_name *w)
{
	return (w->roles & FIELD_NAME_IN(ROLE_LAYOUT)) != 0 &&
	    w->field != FIELD_LABEL;
}

static int
unknown_word(struct template_reader *r, const char *word)
{
	const char *names[MAX_WORDS * 4] = { NULL };
	const struct field_name *w;
	struct strbuf all;
	const char *near;
	size_t n = 0;

	strbuf_init(&all, 4096);
	for (size_t i = 0; (w = field_name_at(i)) != NULL; i++)
		if (is_layout_word(w) &&
		    n + 1 < sizeof names / sizeof names[0]) {
			names[n++] = w->name;
			strbuf_printf(&all, "%s, ", w->name);
		}
	near = spell_nearest(word, names);
	error_set(r->e, ERROR_USAGE,
	    "'{%s}' is not in the vocabulary%s%s%s; it has %sand label_NAME",
	    word, near != NULL ? " (did you mean '{" : "",
	    near != NULL ? near : "", near != NULL ? "}'?)" : "", all.buf);
	strbuf_release(&all);
	return -1;
}

/* Add the pattern of a field, a sample text for it, and the two as an
 * expectation. */
static void
add_word(struct template_reader *r, const char *word, int is_count)
{
	const int precision = strcmp(word, "precision") == 0;
	const char *text = is_count ? "7" : precision ? "fp32" : "x";

	strbuf_printf(&r->regex, "(?<%s>%s)", word,
	    is_count        ? "\\d+"
		: precision ? "[A-Za-z]+\\d*"
			    : "[^/]+?");
	strbuf_addstr(&r->sample, text);
	strbuf_printf(&r->expects, " %s=%s",
	    strncmp(word, "label_", 6) == 0 ? word + 6 : word, text);
}

/* Parse a field [len] of the template. */
static int
read_word(struct template_reader *r, const char *s, size_t len)
{
	const struct field_name *w;
	char text[MAX_WORD];
	const char *word;

	if (len == 0 || len >= sizeof text)
		return error_set(r->e, ERROR_USAGE,
		    "'{%.*s}' is no field of layouts", (int)len, s);
	memcpy(text, s, len);
	text[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return unknown_word(r, text);
	word = full_word(text);
	w = field_name_find(word, strlen(word));
	if ((w == NULL || !is_layout_word(w)) &&
	    (strncmp(word, "label_", 6) != 0 || word[6] == '\0' ||
		strlen(word) > 32))
		return unknown_word(r, text);
	for (size_t i = 0; i < r->n_words; i++)
		if (strcmp(r->words[i], word) == 0)
			return error_set(
			    r->e, ERROR_USAGE, "'{%s}' stands twice", text);
	if (r->n_words == MAX_WORDS)
		return error_set(r->e, ERROR_USAGE, "there are too many words");
	snprintf(r->words[r->n_words++], MAX_WORD, "%s", word);
	add_word(r, word, w != NULL && w->type == FIELD_NAME_COUNT);
	return 0;
}

static void
add_literal(struct template_reader *r, char c)
{
	if (c == '*') {
		strbuf_addstr(&r->regex, "[^/]*?");
		return;
	}
	if (!isalnum((unsigned char)c) && c != '/' && c != '_')
		strbuf_addch(&r->regex, '\\');
	strbuf_addch(&r->regex, c);
	strbuf_addch(&r->sample, c);
}

static int
read_template(struct template_reader *r, const char *s)
{
	strbuf_addstr(&r->regex, "(?:^|/)");
	while (*s != '\0') {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;

		if (*s == '{' && end == NULL)
			return error_set(
			    r->e, ERROR_USAGE, "a '{' has no '}' after it");
		if (iscntrl((unsigned char)*s))
			return error_set(r->e, ERROR_USAGE,
			    "there is a control character in it");
		if (end == NULL) {
			add_literal(r, *s++);
			continue;
		}
		if (read_word(r, s + 1, (size_t)(end - s - 1)) != 0)
			return -1;
		s = end + 1;
	}
	strbuf_addstr(&r->regex, "(?:\\.(?:gz|xz|zst))?$");
	if (r->n_words == 0)
		return error_set(r->e, ERROR_USAGE,
		    "there is no field in braces in it, such as {nodes}");
	return 0;
}

static void
insert_first(struct path_layout_set *set, struct format *f)
{
	size_t at = 0;

	while (at < set->n_layouts &&
	    strcmp(set->layouts[at]->name, PATH_TEMPLATE_NAME) == 0)
		at++;
	set->layouts = vec_grow(set->layouts, set->n_layouts,
	    &set->alloc_layouts, sizeof *set->layouts);
	memmove(set->layouts + at + 1, set->layouts + at,
	    (set->n_layouts - at) * sizeof *set->layouts);
	set->layouts[at] = f;
	set->n_layouts++;
}

/* Write the template as a layout file and parse it. */
static int
make_layout(struct path_layout_set *set, struct template_reader *r)
{
	struct strbuf text;
	struct format *f;

	strbuf_init(&text, 4 * MAX_TEXT);
	strbuf_printf(&text,
	    "name " PATH_TEMPLATE_NAME "\n"
	    "description the template of --path\n"
	    "layout template %s\nsample %s\nexpect template%s\n",
	    r->regex.buf, r->sample.buf, r->expects.buf);
	f = format_parse(&set->arena, FORMAT_FILE_LAYOUT, PATH_TEMPLATE_NAME,
	    PATH_TEMPLATE_NAME, text.buf, text.len, r->e);
	strbuf_release(&text);
	if (f == NULL)
		return -1;
	insert_first(set, f);
	return 0;
}

int
path_template_add(
    struct path_layout_set *set, const char *template, struct error *e)
{
	struct template_reader r = { .e = e };
	int rc;

	strbuf_init(&r.regex, MAX_TEXT);
	strbuf_init(&r.sample, MAX_TEXT);
	strbuf_init(&r.expects, MAX_TEXT);
	rc = read_template(&r, template);
	if (rc == 0 && (r.regex.full || r.sample.full || r.expects.full))
		rc = error_set(e, ERROR_USAGE, "it is too long");
	if (rc == 0)
		rc = make_layout(set, &r);
	strbuf_release(&r.regex);
	strbuf_release(&r.sample);
	strbuf_release(&r.expects);
	return rc == 0 ? 0 : error_prefix(e, "--path: '%s'", template);
}

int
path_template_fits(const struct path_layout_match *m)
{
	for (size_t i = 0; i < m->n_metadata; i++)
		if (strcmp(m->metadata[i].layout, PATH_TEMPLATE_NAME) == 0)
			return 1;
	return 0;
}
