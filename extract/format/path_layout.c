/* Metadata in the path of a log: nodes, devices, model, run. */
#include <config.h>

#include "extract/format/path_layout.h"

#include "common/alloc.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int
path_layout_set_load(struct path_layout_set *set,
    const struct search_path *path, struct error *e)
{
	struct format_list list = { NULL, 0, 0 };
	int rc;

	memset(set, 0, sizeof *set);
	rc = format_files_load(&set->arena, path, FORMAT_FILE_LAYOUT, &list, e);
	set->layouts = list.items;
	set->n_layouts = list.n;
	set->alloc_layouts = list.alloc;
	if (rc != 0)
		path_layout_set_release(set);
	return rc;
}

void
path_layout_set_release(struct path_layout_set *set)
{
	struct format_list list = { set->layouts, set->n_layouts, 0 };

	format_list_release(&list);
	arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

/* --- Templates -------------------------------------------------------------*/

static int
is_template(const char *layout)
{
	return strcmp(layout, PATH_TEMPLATE_NAME) == 0;
}

static int
unknown_field(const char *word, struct error *e)
{
	const char *names[128] = { NULL };
	const struct field_name *w;
	struct strbuf all;
	const char *near;
	size_t n = 0;

	strbuf_init(&all, 4096);
	for (size_t i = 0; (w = field_name_at(i)) != NULL; i++)
		if ((w->roles & FIELD_NAME_IN(ROLE_LAYOUT)) && n < 127) {
			names[n++] = w->name;
			strbuf_printf(&all, "%s, ", w->name);
		}
	near = spell_nearest(word, names);
	error_set(e, ERROR_USAGE,
	    "'{%s}' is not a known field%s%s%s; known are %sand label_NAME",
	    word, near != NULL ? " (did you mean '{" : "",
	    near != NULL ? near : "", near != NULL ? "}'?)" : "", all.buf);
	strbuf_release(&all);
	return -1;
}

/* Append the group of a field [len] of the template. */
static int
add_field(struct strbuf *regex, const char *s, size_t len, struct error *e)
{
	static const char *const shorter[][2] = { { "batch",
						      "batch_size_per_device" },
		{ "bs", "batch_size_per_device" }, { "seq", "sequence_length" },
		{ "gpn", "gpus_per_node" } };
	char text[FORMAT_MAX_NAME], group[FORMAT_MAX_NAME + 8];
	const struct field_name *w;
	const char *word = text;
	size_t n;

	if (len == 0 || len >= sizeof text)
		return error_set(e, ERROR_USAGE,
		    "'{%.*s}' is not a field of layouts", (int)len, s);
	memcpy(text, s, len);
	text[len] = '\0';
	for (n = 0; isalnum((unsigned char)text[n]) || text[n] == '_'; n++)
		;
	for (size_t i = 0; i < sizeof shorter / sizeof shorter[0]; i++)
		if (strcmp(shorter[i][0], text) == 0)
			word = shorter[i][1];
	w = field_name_find(word, strlen(word));
	if (n < len ||
	    (w != NULL
		    ? !(w->roles & FIELD_NAME_IN(ROLE_LAYOUT))
		    : strncmp(word, "label_", 6) != 0 || len == 6 || len > 32))
		return unknown_field(text, e);
	snprintf(group, sizeof group, "(?<%s>", word);
	if (strstr(regex->buf, group) != NULL)
		return error_set(e, ERROR_USAGE, "'{%s}' stands twice", text);
	strbuf_printf(regex, "%s%s)", group,
	    w != NULL && w->type == FIELD_NAME_COUNT ? "\\d+"
		: strcmp(word, "precision") == 0     ? "[A-Za-z]+\\d*"
						     : "[^/]+?");
	return 0;
}

/* Convert a template to a regular expression. */
static int
read_template(const char *s, struct strbuf *regex, struct error *e)
{
	int n = 0;

	strbuf_addstr(regex, "(?:^|/)");
	for (; *s != '\0'; s++) {
		const char *end = *s == '{' ? strchr(s, '}') : NULL;

		if (*s == '{' && end == NULL)
			return error_set(
			    e, ERROR_USAGE, "a '{' has no '}' after it");
		if (iscntrl((unsigned char)*s))
			return error_set(
			    e, ERROR_USAGE, "it contains a control character");
		if (end != NULL) {
			if (add_field(regex, s + 1, (size_t)(end - s - 1), e) !=
			    0)
				return -1;
			n++;
			s = end;
		} else if (*s == '*') {
			strbuf_addstr(regex, "[^/]*?");
		} else {
			if (!isalnum((unsigned char)*s) && *s != '_')
				strbuf_addch(regex, '\\');
			strbuf_addch(regex, *s);
		}
	}
	strbuf_addstr(regex, "(?:\\.(?:gz|xz|zst))?$");
	if (n == 0)
		return error_set(e, ERROR_USAGE,
		    "it has no field in braces, such as {nodes}");
	if (n > FORMAT_MAX_GROUPS)
		return error_set(
		    e, ERROR_USAGE, "there are too many fields in it");
	return regex->full ? error_set(e, ERROR_USAGE, "it is too long") : 0;
}

int
path_template_add(
    struct path_layout_set *set, const char *template, struct error *e)
{
	struct piece *piece = arena_calloc(&set->arena, 1, sizeof *piece);
	struct format *f = arena_calloc(&set->arena, 1, sizeof *f);
	struct pattern *p = arena_calloc(&set->arena, 1, sizeof *p);
	struct format_source src = { PATH_TEMPLATE_NAME, NULL, 0 };
	struct strbuf regex;
	size_t at = 0;
	int rc;

	strbuf_init(&regex, FORMAT_MAX_REGEX);
	rc = read_template(template, &regex, e);
	src.text = p->text = arena_strdup(&set->arena, regex.buf);
	src.len = regex.len;
	strbuf_release(&regex);
	p->role = ROLE_LAYOUT;
	p->name = "template";
	p->at = piece->at = p->text;
	p->pieces = piece;
	p->n_pieces = 1;
	*f = (struct format){ .name = PATH_TEMPLATE_NAME,
		.src = { PATH_TEMPLATE_NAME,
		    arena_strdup(&set->arena, template), strlen(template) },
		.file = FORMAT_FILE_LAYOUT,
		.user = 1,
		.patterns = p,
		.n_patterns = 1 };
	if (rc != 0 || pattern_compile(p, &set->arena, &src, e) != 0) {
		pattern_release(p);
		return error_prefix(e, "--path: '%s'", template);
	}
	while (at < set->n_layouts && is_template(set->layouts[at]->name))
		at++;
	set->layouts = vec_grow(set->layouts, set->n_layouts,
	    &set->alloc_layouts, sizeof *set->layouts);
	memmove(set->layouts + at + 1, set->layouts + at,
	    (set->n_layouts++ - at) * sizeof *set->layouts);
	set->layouts[at] = f;
	return 0;
}

int
path_template_fits(const struct path_layout_match *m)
{
	for (size_t i = 0; i < m->n_metadata; i++)
		if (is_template(m->metadata[i].layout))
			return 1;
	return 0;
}

/* --- Matching --------------------------------------------------------------*/

const char *
path_layout_match_get(const struct path_layout_match *m, const char *key)
{
	for (size_t i = 0; i < m->n_metadata; i++) {
		if (strcmp(m->metadata[i].key, key) == 0)
			return m->metadata[i].value;
	}
	return NULL;
}

/* Add a metadata field unless an earlier layout gave the key, or a template of
 * --path the GPUs in the other form (all, or per node), which other layouts may
 * mistake for it. */
static void
add_metadata(struct path_layout_match *m, const char *key, int is_label,
    char *value, const struct format *layout)
{
	const char *other = is_label            ? ""
	    : strcmp(key, "gpus") == 0          ? "gpus_per_node"
	    : strcmp(key, "gpus_per_node") == 0 ? "gpus"
						: "";

	for (size_t i = 0; i < m->n_metadata; i++) {
		const struct path_layout_metadata *x = &m->metadata[i];

		if ((x->is_label == is_label && strcmp(x->key, key) == 0) ||
		    (is_template(x->layout) && !is_template(layout->name) &&
			strcmp(x->key, other) == 0))
			return;
	}
	m->metadata = vec_grow(m->metadata, m->n_metadata, &m->alloc_metadata,
	    sizeof *m->metadata);
	m->metadata[m->n_metadata++] =
	    (struct path_layout_metadata){ arena_strdup(&m->arena, key), value,
		    is_label, layout->user,
		    arena_strdup(&m->arena, layout->name) };
}

/* key  NULL, or "rank": try only patterns that state it */
static void
match_path(const struct path_layout_set *set, const char *path, const char *key,
    struct path_layout_match *m)
{
	const size_t path_len = strlen(path);
	struct text_set in_path = { { 0 } };
	struct matcher *matcher = NULL;
	struct match match;

	memset(m, 0, sizeof *m);
	text_set_add_text(&in_path, path, path_len);
	for (size_t i = 0; i < set->n_layouts; i++) {
		const struct format *f = set->layouts[i];

		for (size_t k = 0; k < f->n_patterns; k++) {
			const struct pattern *p = &f->patterns[k];
			int states;

			if (!text_set_holds(&in_path, &p->need))
				continue;
			states = key == NULL || pattern_capture(p, key) != NULL;
			for (size_t j = 0; j < p->n_gives && !states; j++)
				states = strcmp(p->gives[j].key, key) == 0;
			if (!states)
				continue;
			if (matcher == NULL)
				matcher = matcher_new(NULL);
			if (!matcher_one(matcher, p, path, path_len, 0, &match))
				continue;
			for (size_t j = 0; j < p->n_captures; j++) {
				const struct capture *c = &p->captures[j];
				size_t len;
				const char *s = match_text(&match, c, &len);
				char *value;

				if (s == NULL || len == 0)
					continue;
				value = arena_strndup(&m->arena, s, len);
				if (c->word->lowercase)
					text_lowercase(value);
				add_metadata(m, c->name,
				    c->field == FIELD_LABEL, value, f);
			}
			for (size_t j = 0; j < p->n_gives; j++)
				add_metadata(m, p->gives[j].key, 0,
				    arena_strdup(&m->arena, p->gives[j].value),
				    f);
		}
	}
	matcher_free(matcher);
}

void
path_layout_match(const struct path_layout_set *set, const char *path,
    struct path_layout_match *m)
{
	match_path(set, path, NULL, m);
}

char *
path_layout_rank(const struct path_layout_set *set, const char *path)
{
	struct path_layout_match m;
	const char *rank;
	char *copy;

	match_path(set, path, "rank", &m);
	rank = path_layout_match_get(&m, "rank");
	copy = rank != NULL ? xstrdup(rank) : NULL;
	path_layout_match_release(&m);
	return copy;
}

const char *
path_layout_rank_place(const char *path, const char *rank, size_t *len)
{
	const char *best = NULL, *p, *end;
	int best_named = 0;

	while (rank[0] == '0' && rank[1] != '\0')
		rank++;
	for (p = path; *p != '\0'; p = end) {
		const char *digits = p;
		int named;

		end = p + 1;
		if (!isdigit((unsigned char)*p))
			continue;
		while (isdigit((unsigned char)*end))
			end++;
		while (*digits == '0' && digits + 1 < end)
			digits++;
		if ((size_t)(end - digits) != strlen(rank) ||
		    strncmp(digits, rank, (size_t)(end - digits)) != 0)
			continue;
		named = (p - path >= 4 && strncmp(p - 4, "rank", 4) == 0) ||
		    (p - path >= 5 && strncmp(p - 5, "rank", 4) == 0);
		if (named < best_named)
			continue;
		best = p;
		best_named = named;
		*len = (size_t)(end - p);
	}
	return best;
}

void
path_layout_match_release(struct path_layout_match *m)
{
	free(m->metadata);
	arena_release(&m->arena);
	memset(m, 0, sizeof *m);
}
