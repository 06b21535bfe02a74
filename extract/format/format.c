/* Find and load format files into a set that all threads share. */
#include <config.h>

#include "extract/format/format.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/text.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"

#ifndef PKGDATADIR
#error "PKGDATADIR: where formats and layouts are installed"
#endif

/* --- Folders ---------------------------------------------------------------*/

static const char *const kinds[] = { "formats", "layouts" };

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* Add a folder.  Takes ownership of path. */
static void
search_path_add(struct search_path *p, char *path, int must, int user)
{
	p->dirs = vec_grow(p->dirs, p->n_dirs, &p->alloc_dirs, sizeof *p->dirs);
	p->dirs[p->n_dirs++] = (struct search_dir){ path, must, user };
}

/* Add BASE/formats and BASE/layouts if the first exists. */
static int
add_pair(struct search_path *p, const char *base)
{
	char *first = xasprintf("%s/%s", base, kinds[0]);
	struct stat st;

	if (stat(first, &st) != 0 || !S_ISDIR(st.st_mode)) {
		free(first);
		return 0;
	}
	search_path_add(p, first, 0, 0);
	search_path_add(p, xasprintf("%s/%s", base, kinds[1]), 0, 0);
	return 1;
}

void
search_path_init(
    struct search_path *p, const char *const *extra, size_t n_extra)
{
	const char *env = getenv("DLSCALE_FORMAT_PATH");
	char *here;
	int found = 0;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < n_extra; i++)
		search_path_add(p, xstrdup(extra[i]), 1, 1);
	for (int i = 0; i < N_KINDS; i++) {
		char *own = user_folder(kinds[i]);

		if (own != NULL)
			search_path_add(p, own, 0, 1);
	}
	if (env != NULL && env[0] != '\0') {
		for (size_t len; *env != '\0'; env += len + (env[len] == ':')) {
			len = strcspn(env, ":");
			if (len > 0)
				search_path_add(p, xstrndup(env, len), 1, 0);
		}
		return;
	}
	/* Next to the running program: a build tree or a relocated
	 * installation. */
	here = install_path_own_folder();
	if (here != NULL) {
		char *tree = xasprintf("%s/extract", here);
		char *share = xasprintf("%s/../share/" PACKAGE, here);

		found = add_pair(p, tree) || add_pair(p, share);
		free(tree);
		free(share);
	}
	free(here);
	if (!found && !add_pair(p, PKGDATADIR))
		search_path_add(p, xasprintf(PKGDATADIR "/%s", kinds[0]), 1, 0);
}

void
search_path_release(struct search_path *p)
{
	for (size_t i = 0; i < p->n_dirs; i++)
		free(p->dirs[i].path);
	free(p->dirs);
	memset(p, 0, sizeof *p);
}

/* --- Files -----------------------------------------------------------------*/

/* The second suffix is an older one, still read. */
static const char *const suffixes[N_FORMAT_FILES][2] = {
	{ ".format", NULL },
	{ ".prefix", NULL },
	{ ".metadata", ".facts" },
	{ ".layout", NULL },
};

static int
load_one(struct arena *a, enum format_file file, const struct search_dir *dir,
    const char *name, const char *suffix, struct format_list *list,
    struct error *e)
{
	const char *path = arena_printf(a, "%s/%s%s", dir->path, name, suffix);
	struct format *f;
	size_t len;
	char *text;

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i]->name, name) == 0)
			return 0;
	if (list->n == FORMAT_MAX_FORMATS)
		return error_set(e, ERROR_LIMIT, "more than %d files '*%s'",
		    FORMAT_MAX_FORMATS, suffix);
	text = read_whole_file(path, &len, e);
	if (text == NULL)
		return -1;
	f = format_parse(a, file, name, path, text, len, e);
	free(text);
	if (f == NULL)
		return -1;
	f->user = dir->user;
	list->items =
	    vec_grow(list->items, list->n, &list->alloc, sizeof *list->items);
	list->items[list->n++] = f;
	return 0;
}

/* Load the folder's files with this suffix in the order of their names, except
 * hidden files and names already loaded. */
static int
load_folder(struct arena *a, enum format_file file,
    const struct search_dir *dir, const char *suffix, struct format_list *list,
    struct error *e)
{
	DIR *d = opendir(dir->path);
	const struct dirent *entry;
	const char **names = NULL;
	size_t n = 0, alloc = 0;
	int rc = 0;

	/* After a change of the user id, HOME may still be root's. */
	if (d == NULL)
		return dir->must ||
			(errno != ENOENT && (errno != EACCES || !dir->user))
		    ? error_errno(
			  e, errno, "cannot open the folder '%s'", dir->path)
		    : 0;
	while ((entry = readdir(d)) != NULL) {
		const char *end = strrchr(entry->d_name, '.');

		if (end == NULL || end == entry->d_name ||
		    entry->d_name[0] == '.' || strcmp(end, suffix) != 0)
			continue;
		names = vec_grow(names, n, &alloc, sizeof *names);
		names[n++] = arena_strndup(
		    a, entry->d_name, (size_t)(end - entry->d_name));
	}
	closedir(d);
	if (n > 0)
		qsort(names, n, sizeof *names, text_order_at);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = load_one(a, file, dir, names[i], suffix, list, e);
	free(names);
	return rc;
}

static int
by_priority(const void *a, const void *b)
{
	const struct format *const *x = a, *const *y = b;

	return (*x)->priority != (*y)->priority &&
		(*x)->file == FORMAT_FILE_LAYOUT
	    ? (int)((*y)->priority - (*x)->priority)
	    : strcmp((*x)->name, (*y)->name);
}

/* --- Set of formats --------------------------------------------------------*/

/* Combine all prefixes of the set into one pattern between before and after
 * ("^", "\\z"); its mark is the name of the pattern.  out->code is NULL if
 * there are none.  Returns 0 or -1. */
static int
combine_prefixes(struct format_set *set, struct pattern *out,
    const char *before, const char *after, struct error *e)
{
	struct piece *piece = arena_calloc(&set->arena, 1, sizeof *piece);
	struct strbuf sb;
	struct format_source src;
	size_t n_all = 0;

	strbuf_init(&sb, FORMAT_MAX_REGEX * FORMAT_MAX_PATTERNS);
	strbuf_printf(&sb, "(?J)%s(?:", before);
	for (size_t i = 0; i < set->prefixes.n; i++)
		for (size_t j = 0; j < set->prefixes.items[i]->n_patterns;
		     j++) {
			const struct pattern *p =
			    &set->prefixes.items[i]->patterns[j];

			strbuf_printf(&sb, "%s(?:%s)(*MARK:%s)",
			    n_all++ > 0 ? "|" : "", p->text, p->name);
		}
	strbuf_printf(&sb, ")%s", after);
	*out = (struct pattern){ .role = ROLE_PREFIX,
		.name = "all prefixes",
		.text = arena_strdup(&set->arena, sb.buf),
		.pieces = piece,
		.n_pieces = 1 };
	out->at = piece->at = out->text;
	src = (struct format_source){ out->name, out->text, sb.len };
	strbuf_release(&sb);
	return n_all > 0 ? pattern_compile(out, &set->arena, &src, e) : 0;
}

int
format_set_load(
    struct format_set *set, const struct search_path *path, struct error *e)
{
	int rc = 0;

	memset(set, 0, sizeof *set);
	for (int file = 0; rc == 0 && file < N_FORMAT_FILES; file++) {
		struct format_list *list = &set->kinds[file];

		for (size_t i = 0; rc == 0 && i < 2 * path->n_dirs; i++)
			if (suffixes[file][i % 2] != NULL)
				rc = load_folder(&set->arena,
				    (enum format_file)file, &path->dirs[i / 2],
				    suffixes[file][i % 2], list, e);
		if (list->n > 0)
			qsort(list->items, list->n, sizeof *list->items,
			    by_priority);
	}
	if (rc != 0)
		goto fail;
	if (set->formats.n == 0) {
		/* A broken installation: list the folders searched. */
		const char *list = "";

		for (size_t i = 0; i < path->n_dirs; i++)
			list = arena_printf(&set->arena, "%s%s'%s'", list,
			    i > 0 ? ", " : "", path->dirs[i].path);
		error_set(e, ERROR_SYSTEM, "no log formats found in %s", list);
		goto fail;
	}
	if (combine_prefixes(set, &set->prefix_start, "^", "", e) != 0 ||
	    combine_prefixes(set, &set->prefix_end, "", "\\z", e) != 0)
		goto fail;
	set->prefixes_digit_insensitive = set->prefixes.n == 0 ||
	    (set->prefix_start.digit_insensitive &&
		set->prefix_end.digit_insensitive);
	return 0;
fail:
	format_set_release(set);
	return -1;
}

void
format_set_release(struct format_set *set)
{
	for (int k = 0; k < N_FORMAT_FILES; k++) {
		for (size_t i = 0; i < set->kinds[k].n; i++)
			format_release_code(set->kinds[k].items[i]);
		free(set->kinds[k].items);
	}
	pattern_release(&set->prefix_start);
	pattern_release(&set->prefix_end);
	arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

/* --- Lookup ----------------------------------------------------------------*/

const struct format *
format_get(const struct format_set *set, const char *name, struct error *e)
{
	const char **names, *near;
	struct strbuf sb;

	for (size_t i = 0; i < set->formats.n; i++)
		if (strcmp(set->formats.items[i]->name, name) == 0)
			return set->formats.items[i];
	/* Suggest the names that contain the word, else the nearest name. */
	strbuf_init(&sb, ERROR_MESSAGE_SIZE / 2);
	names = xcalloc(set->formats.n + 1, sizeof *names);
	for (size_t i = 0; i < set->formats.n; i++) {
		names[i] = set->formats.items[i]->name;
		if (strstr(names[i], name) != NULL)
			strbuf_printf(
			    &sb, "%s'%s'", sb.len > 0 ? ", " : "", names[i]);
	}
	near = spell_nearest(name, names);
	free(names);
	if (sb.len == 0 && near != NULL)
		strbuf_printf(&sb, "'%s'", near);
	if (strlen(name) > FORMAT_MAX_NAME)
		error_set(e, ERROR_USAGE,
		    "a format's name has at most %d bytes", FORMAT_MAX_NAME);
	else if (sb.len > 0)
		error_set(e, ERROR_USAGE,
		    "there is no log format '%s'; similar: %s", name, sb.buf);
	else
		error_set(e, ERROR_USAGE,
		    "there is no log format '%s' (--list-formats shows them)",
		    name);
	strbuf_release(&sb);
	return NULL;
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

/* Append the group for field s [len] of a template. */
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
		return error_set(e, ERROR_USAGE, "'{%s}' is used twice", text);
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
path_template_add(struct format_set *set, const char *template, struct error *e)
{
	struct piece *piece = arena_calloc(&set->arena, 1, sizeof *piece);
	struct format *f = arena_calloc(&set->arena, 1, sizeof *f);
	struct pattern *p = arena_calloc(&set->arena, 1, sizeof *p);
	struct format_source src = { PATH_TEMPLATE_NAME, NULL, 0 };
	struct format_list *list = &set->layouts;
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
	while (at < list->n && is_template(list->items[at]->name))
		at++;
	list->items =
	    vec_grow(list->items, list->n, &list->alloc, sizeof *list->items);
	memmove(list->items + at + 1, list->items + at,
	    (list->n++ - at) * sizeof *list->items);
	list->items[at] = f;
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

/* Add a metadata field unless an earlier layout gave its key. If a template of
 * --path gave the GPUs in all or per node, ignore the other number if another
 * layout gives it, since layouts may confuse the two. */
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

void
path_layout_match(
    const struct format_set *set, const char *path, struct path_layout_match *m)
{
	const size_t path_len = strlen(path);
	struct text_set in_path = { { 0 } };
	struct matcher *matcher = matcher_new(NULL);
	struct match match;

	memset(m, 0, sizeof *m);
	text_set_add_text(&in_path, path, path_len);
	for (size_t i = 0; i < set->layouts.n; i++) {
		const struct format *f = set->layouts.items[i];

		for (size_t k = 0; k < f->n_patterns; k++) {
			const struct pattern *p = &f->patterns[k];

			if (!text_set_holds(&in_path, &p->need) ||
			    !matcher_one(matcher, p, path, path_len, 0, &match))
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

const char *
path_layout_rank(const struct format_set *set, const char *path, size_t *len)
{
	const size_t path_len = strlen(path);
	struct text_set in_path = { { 0 } };
	struct matcher *matcher = NULL;
	const char *rank = NULL;
	struct match match;

	text_set_add_text(&in_path, path, path_len);
	for (size_t i = 0; i < set->layouts.n; i++)
		for (size_t k = 0; k < set->layouts.items[i]->n_patterns; k++) {
			const struct pattern *p =
			    &set->layouts.items[i]->patterns[k];
			const struct capture *c = pattern_capture(p, "rank");

			if (rank != NULL || c == NULL ||
			    !text_set_holds(&in_path, &p->need))
				continue;
			if (matcher == NULL)
				matcher = matcher_new(NULL);
			if (matcher_one(matcher, p, path, path_len, 0, &match))
				rank = match_text(&match, c, len);
			if (rank != NULL && *len == 0)
				rank = NULL;
		}
	matcher_free(matcher);
	return rank;
}

void
path_layout_match_release(struct path_layout_match *m)
{
	free(m->metadata);
	arena_release(&m->arena);
	memset(m, 0, sizeof *m);
}

/* --- Spelling ------------------------------------------------------------- */

size_t
spell_distance(const char *a, const char *b)
{
	const size_t m = strlen(b);
	size_t *row = xcalloc(m + 1, sizeof *row), last;

	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t before = row[0];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			const size_t changed = before + (a[i - 1] != b[j - 1]);
			const size_t longer =
			    1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);

			before = row[j];
			row[j] = changed < longer ? changed : longer;
		}
	}
	last = row[m];
	free(row);
	return last;
}

const char *
spell_nearest(const char *word, const char *const *choices)
{
	const size_t n = strlen(word);
	const char *best = NULL;
	size_t least = (n >= 6 ? n / 3 : 1) + 1;

	for (size_t i = 0; choices[i] != NULL; i++) {
		const size_t d = spell_distance(word, choices[i]);

		if (d < least) {
			best = choices[i];
			least = d;
		}
	}
	return best;
}
