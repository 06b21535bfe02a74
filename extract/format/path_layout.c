/* Metadata in the path of a log: nodes, devices, model, run. */
#include <config.h>

#include "extract/format/path_layout.h"
#include "extract/format/path_template.h"

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int
add_layout(void *arg, struct format *f, struct error *e)
{
	struct path_layout_set *set = arg;

	if (set->n_layouts == FORMAT_MAX_FORMATS) {
		format_release_code(f);
		return error_set(
		    e, ERROR_LIMIT, "more than %d layouts", FORMAT_MAX_FORMATS);
	}
	set->layouts = vec_grow(set->layouts, set->n_layouts,
	    &set->alloc_layouts, sizeof *set->layouts);
	set->layouts[set->n_layouts++] = f;
	return 0;
}

static int
compare_layouts(const void *a, const void *b)
{
	const struct format *const *x = a, *const *y = b;

	if ((*x)->priority != (*y)->priority)
		return (*x)->priority > (*y)->priority ? -1 : 1;
	return strcmp((*x)->name, (*y)->name);
}

int
path_layout_set_load(struct path_layout_set *set,
    const struct search_path *path, struct error *e)
{
	memset(set, 0, sizeof *set);
	if (format_files_load(
		&set->arena, path, FORMAT_FILE_LAYOUT, add_layout, set, e) != 0)
		goto fail;
	if (set->n_layouts > 0)
		qsort(set->layouts, set->n_layouts, sizeof *set->layouts,
		    compare_layouts);
	return 0;
fail:
	path_layout_set_release(set);
	return -1;
}

void
path_layout_set_release(struct path_layout_set *set)
{
	for (size_t i = 0; i < set->n_layouts; i++)
		format_release_code(set->layouts[i]);
	free(set->layouts);
	arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

const char *
path_layout_match_get(const struct path_layout_match *m, const char *key)
{
	for (size_t i = 0; i < m->n_metadata; i++) {
		if (strcmp(m->metadata[i].key, key) == 0)
			return m->metadata[i].value;
	}
	return NULL;
}

/* True if a template of --path gives GPUs in the other form (all, or per node).
 * Other layouts may mistake one for the other. */
static int
contradicts_template(
    const struct path_layout_match *m, const char *key, const char *layout)
{
	const char *other = strcmp(key, "gpus") == 0 ? "gpus_per_node"
	    : strcmp(key, "gpus_per_node") == 0      ? "gpus"
						     : NULL;

	for (size_t i = 0; other != NULL && i < m->n_metadata; i++)
		if (strcmp(m->metadata[i].layout, PATH_TEMPLATE_NAME) == 0 &&
		    strcmp(layout, PATH_TEMPLATE_NAME) != 0 &&
		    strcmp(m->metadata[i].key, other) == 0)
			return 1;
	return 0;
}

/* Add a metadata field unless an earlier layout gave the key.  Takes ownership
 * of value. */
static void
add_metadata(struct path_layout_match *m, const char *key, int is_label,
    char *value, const struct format *layout)
{
	const int user =
	    layout->user || strcmp(layout->name, PATH_TEMPLATE_NAME) == 0;

	for (size_t i = 0; i < m->n_metadata; i++) {
		if (m->metadata[i].is_label == is_label &&
		    strcmp(m->metadata[i].key, key) == 0)
			return;
	}
	if (!is_label && contradicts_template(m, key, layout->name))
		return;
	m->metadata = vec_grow(m->metadata, m->n_metadata, &m->alloc_metadata,
	    sizeof *m->metadata);
	m->metadata[m->n_metadata++] =
	    (struct path_layout_metadata){ arena_strdup(&m->arena, key), value,
		    is_label, user, arena_strdup(&m->arena, layout->name) };
}

static void
consume_match(struct path_layout_match *m, const struct format *layout,
    const struct match *match)
{
	const struct pattern *p = match->pattern;

	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		size_t len;
		const char *text = match_text(match, c, &len);
		char *value;

		if (text == NULL || len == 0)
			continue;
		value = arena_strndup(&m->arena, text, len);
		if (c->word->lowercase)
			text_lowercase(value);
		add_metadata(
		    m, c->name, c->field == FIELD_LABEL, value, layout);
	}
	for (size_t i = 0; i < p->n_gives; i++)
		add_metadata(m, p->gives[i].key, 0,
		    arena_strdup(&m->arena, p->gives[i].value), layout);
}

/* True if a match of the pattern states the key. */
static int
pattern_states(const struct pattern *p, const char *key)
{
	for (size_t i = 0; i < p->n_captures; i++)
		if (strcmp(p->captures[i].name, key) == 0)
			return 1;
	for (size_t i = 0; i < p->n_gives; i++)
		if (strcmp(p->gives[i].key, key) == 0)
			return 1;
	return 0;
}

/* key  NULL, or "rank": try only patterns that state it */
static void
match_path(const struct path_layout_set *set, const char *path, const char *key,
    struct path_layout_match *m)
{
	struct matcher *matcher = matcher_new(NULL);
	struct match match;

	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < set->n_layouts; i++) {
		const struct format *f = set->layouts[i];

		for (size_t k = 0; k < f->n_patterns; k++)
			if ((key == NULL ||
				pattern_states(&f->patterns[k], key)) &&
			    matcher_one(matcher, &f->patterns[k], path,
				strlen(path), 0, &match))
				consume_match(m, f, &match);
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
	char *copy = NULL;

	match_path(set, path, "rank", &m);
	rank = path_layout_match_get(&m, "rank");
	if (rank != NULL)
		copy = xstrdup(rank);
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
