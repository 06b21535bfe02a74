/* Find and load format files into a set that all threads share. */
#include <config.h>

#include "extract/format/format.h"

#include "common/alloc.h"
#include "common/files/infile.h"
#include "common/strbuf.h"
#include "common/text.h"
#include "extract/format/patterns/pattern.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Add the folders next to the running program: a build tree or a relocated
 * installation. */
static int
add_beside(struct search_path *p)
{
	char *here = install_path_own_folder(), *base;
	int found;

	if (here == NULL)
		return 0;
	base = xasprintf("%s/extract", here);
	found = add_pair(p, base);
	free(base);
	if (!found) {
		base = xasprintf("%s/../share/" PACKAGE, here);
		found = add_pair(p, base);
		free(base);
	}
	free(here);
	return found;
}

void
search_path_init(
    struct search_path *p, const char *const *extra, size_t n_extra)
{
	const char *env = getenv("DLSCALE_FORMAT_PATH");

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
	if (!add_beside(p) && !add_pair(p, PKGDATADIR))
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
	{ ".layout", NULL },
	{ ".metadata", ".facts" },
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
		return error_prefix(e, "%s", path);
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

/* Load the folder's files with this suffix in order of their names, without
 * hidden ones and names already loaded. */
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

int
format_files_load(struct arena *a, const struct search_path *path,
    enum format_file file, struct format_list *list, struct error *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < 2 * path->n_dirs; i++)
		if (suffixes[file][i % 2] != NULL)
			rc = load_folder(a, file, &path->dirs[i / 2],
			    suffixes[file][i % 2], list, e);
	if (list->n > 0)
		qsort(list->items, list->n, sizeof *list->items, by_priority);
	return rc;
}

void
format_list_release(struct format_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		format_release_code(list->items[i]);
	free(list->items);
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
	for (size_t i = 0; i < set->n_prefixes; i++)
		for (size_t j = 0; j < set->prefixes[i]->n_patterns; j++) {
			const struct pattern *p =
			    &set->prefixes[i]->patterns[j];

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
	struct format_list formats = { NULL, 0, 0 }, prefixes = formats,
			   metadata = formats;
	int rc;

	memset(set, 0, sizeof *set);
	rc = format_files_load(&set->arena, path, FORMAT_FILE, &formats, e);
	if (rc == 0)
		rc = format_files_load(
		    &set->arena, path, FORMAT_FILE_PREFIX, &prefixes, e);
	if (rc == 0)
		rc = format_files_load(
		    &set->arena, path, FORMAT_FILE_METADATA, &metadata, e);
	set->formats = formats.items;
	set->n_formats = formats.n;
	set->prefixes = prefixes.items;
	set->n_prefixes = prefixes.n;
	set->metadata = metadata.items;
	set->n_metadata = metadata.n;
	if (rc != 0)
		goto fail;
	if (set->n_formats == 0) {
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
	set->prefixes_digit_insensitive = set->n_prefixes == 0 ||
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
	struct format_list lists[] = { { set->formats, set->n_formats, 0 },
		{ set->prefixes, set->n_prefixes, 0 },
		{ set->metadata, set->n_metadata, 0 } };

	for (size_t i = 0; i < 3; i++)
		format_list_release(&lists[i]);
	pattern_release(&set->prefix_start);
	pattern_release(&set->prefix_end);
	arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

/* --- Lookup ----------------------------------------------------------------*/

const struct format *
format_find(const struct format_set *set, const char *name)
{
	for (size_t i = 0; i < set->n_formats; i++)
		if (strcmp(set->formats[i]->name, name) == 0)
			return set->formats[i];
	return NULL;
}

const struct format *
format_get(const struct format_set *set, const char *name, struct error *e)
{
	const struct format *f = format_find(set, name);
	const char **names, *near;
	struct strbuf sb;

	if (f != NULL)
		return f;
	/* Names that contain the word; else the nearest. */
	strbuf_init(&sb, ERROR_MESSAGE_SIZE / 2);
	names = xcalloc(set->n_formats + 1, sizeof *names);
	for (size_t i = 0; i < set->n_formats; i++) {
		names[i] = set->formats[i]->name;
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
