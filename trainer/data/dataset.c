/* Lists folders of images. */
#include <config.h>

#include "trainer/data/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/alloc.h"
#include "common/text.h"
#include "trainer/data/decode.h"

enum { MAX_DEPTH = 32 /* depth of folders; stops loops of symbolic links */ };

/* Names found in a folder; the caller frees each. */
struct folder_names {
	char **items;
	size_t n, alloc;
};

static void
names_add(struct folder_names *v, char *name)
{
	v->items = vec_grow(v->items, v->n, &v->alloc, sizeof *v->items);
	v->items[v->n++] = name;
}

static void
names_release(struct folder_names *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->items[i]);
	free(v->items);
}

static const struct {
	const char *end;
	enum image_format format;
} endings[] = { { ".jpg", IMAGE_FORMAT_JPEG }, { ".jpeg", IMAGE_FORMAT_JPEG },
	{ ".png", IMAGE_FORMAT_PNG } };

/* The format by the suffix of a file's name, or N_IMAGE_FORMATS. */
static enum image_format
format_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0;
	     dot != NULL && i < sizeof endings / sizeof endings[0]; i++)
		if (strcasecmp(dot, endings[i].end) == 0)
			return endings[i].format;
	return N_IMAGE_FORMATS;
}

/* Read the names of the subfolders and files of a folder. */
static int
list_folder(const char *path, struct folder_names *folders,
    struct folder_names *files, struct error *e)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;
	int is_folder;

	if (dir == NULL)
		return error_errno(e, errno, "cannot read folder '%s'", path);
	while (errno = 0, (d = readdir(dir)) != NULL) {
		char *full;

		if (d->d_name[0] == '.')
			continue;
		full = xasprintf("%s/%s", path, d->d_name);
		is_folder = d->d_type == DT_DIR;
		if (d->d_type == DT_LNK || d->d_type == DT_UNKNOWN)
			is_folder = stat(full, &st) == 0 && S_ISDIR(st.st_mode);
		names_add(is_folder ? folders : files, xstrdup(d->d_name));
		free(full);
	}
	if (errno != 0) {
		error_errno(e, errno, "cannot read folder '%s'", path);
		closedir(dir);
		return -1;
	}
	closedir(dir);
	return 0;
}

/* Order by folder, then by name. */
static int
by_place(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	const char *p = strrchr(x, '/'), *q = strrchr(y, '/');
	const size_t i = p != NULL ? (size_t)(p - x) : 0;
	const size_t j = q != NULL ? (size_t)(q - y) : 0;
	int c = memcmp(x, y, i < j ? i : j);

	if (c == 0)
		c = (i > j) - (i < j);
	return c != 0 ? c : strcmp(x + i, y + j);
}

/* Add the images among files to found, as paths relative to the class's folder.
 * The program must have been built with their formats. */
static int
add_images(const struct folder_names *files, const char *path,
    const char *below, struct folder_names *found, struct error *e)
{
	static const char *const libraries[N_IMAGE_FORMATS] = {
		[IMAGE_FORMAT_JPEG] = "libjpeg (JPEG)",
		[IMAGE_FORMAT_PNG] = "libpng (PNG)"
	};

	for (size_t i = 0; i < files->n; i++) {
		const enum image_format f = format_of(files->items[i]);

		if (f == N_IMAGE_FORMATS)
			continue;
		if (!decode_has(f))
			return error_set(e, ERROR_INPUT,
			    "'%s/%s': this program was built without %s", path,
			    files->items[i], libraries[f]);
		names_add(found, xasprintf("%s%s", below, files->items[i]));
	}
	return 0;
}

/* Add the images in class/below, recursively, to found.
 *
 * below  "" or ends with a slash */
static int
gather_images(const char *class, const char *below, int depth,
    struct folder_names *found, struct error *e)
{
	char *path = *below != '\0'
	    ? xasprintf("%s/%.*s", class, (int)strlen(below) - 1, below)
	    : xstrdup(class);
	struct folder_names folders = { 0 }, files = { 0 };
	int rc;

	if (depth > MAX_DEPTH)
		rc = error_set(e, ERROR_INPUT,
		    "folder '%s' is more than %d folders below '%s'", path,
		    MAX_DEPTH, class);
	else
		rc = list_folder(path, &folders, &files, e);
	if (rc == 0)
		rc = add_images(&files, path, below, found, e);
	for (size_t i = 0; i < folders.n && rc == 0; i++) {
		char *next = xasprintf("%s%s/", below, folders.items[i]);

		rc = gather_images(class, next, depth + 1, found, e);
		free(next);
	}
	names_release(&folders);
	names_release(&files);
	free(path);
	return rc;
}

/* Add the images of one class. */
static int
add_class(struct dataset *d, size_t *alloc, const char *name, struct error *e)
{
	char *path = xasprintf("%s/%s", d->dir, name);
	struct folder_names found = { 0 };
	int rc = gather_images(path, "", 0, &found, e);

	if (rc == 0 && found.n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "class folder '%s' has no images (.jpg, .jpeg, .png)",
		    path);
	if (rc == 0 && found.n > INT32_MAX - d->n_images)
		rc = error_set(e, ERROR_LIMIT, "'%s' has more than %d images",
		    d->dir, INT32_MAX);
	if (rc == 0) {
		qsort(found.items, found.n, sizeof *found.items, by_place);
		for (size_t i = 0; i < found.n; i++) {
			d->images = vec_grow(
			    d->images, d->n_images, alloc, sizeof *d->images);
			d->images[d->n_images++] = (struct image){
				arena_strdup(&d->names, found.items[i]),
				(int32_t)d->n_classes
			};
		}
		d->classes[d->n_classes++] = arena_strdup(&d->names, name);
	}
	names_release(&found);
	free(path);
	return rc;
}

static int
fill_dataset(struct dataset *d, struct error *e)
{
	struct folder_names folders = { 0 }, files = { 0 };
	size_t alloc = 0;
	int rc = list_folder(d->dir, &folders, &files, e);

	if (rc == 0 && folders.n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "'%s' has no class folders: images must be in '%s/CLASS/'",
		    d->dir, d->dir);
	if (rc == 0) {
		qsort(folders.items, folders.n, sizeof *folders.items,
		    text_order_at);
		d->classes = xcalloc(folders.n, sizeof *d->classes);
	}
	for (size_t i = 0; rc == 0 && i < folders.n; i++)
		rc = add_class(d, &alloc, folders.items[i], e);
	names_release(&folders);
	names_release(&files);
	return rc;
}

int
dataset_open(
    const char *dir, const char *part, struct dataset **out, struct error *e)
{
	struct dataset *d = xcalloc(1, sizeof *d);

	d->dir = part != NULL ? xasprintf("%s/%s", dir, part) : xstrdup(dir);
	if (fill_dataset(d, e) != 0) {
		dataset_close(d);
		return -1;
	}
	*out = d;
	return 0;
}

void
dataset_close(struct dataset *d)
{
	if (d == NULL)
		return;
	arena_release(&d->names);
	free(d->classes);
	free(d->images);
	free(d->dir);
	free(d);
}

char *
dataset_path(const struct dataset *d, size_t i)
{
	const struct image *p = &d->images[i];

	assert(i < d->n_images);
	return xasprintf("%s/%s/%s", d->dir, d->classes[p->label], p->name);
}

int
dataset_same_classes(
    const struct dataset *a, const struct dataset *b, struct error *e)
{
	for (size_t i = 0; i < a->n_classes || i < b->n_classes; i++) {
		const char *x = i < a->n_classes ? a->classes[i] : NULL;
		const char *y = i < b->n_classes ? b->classes[i] : NULL;
		const int c = x == NULL ? 1 : y == NULL ? -1 : strcmp(x, y);

		if (c != 0)
			return error_set(e, ERROR_INPUT,
			    "class '%s' is in '%s' but not in '%s'",
			    c < 0 ? x : y, c < 0 ? a->dir : b->dir,
			    c < 0 ? b->dir : a->dir);
	}
	return 0;
}
