/* Lists folders of images. */
#include <config.h>

#include "trainer/data/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/text.h"
#include "trainer/base/rng.h"
#include "trainer/data/decode.h"
#include "trainer/data/resize.h"

enum { MAX_DEPTH = 32 /* depth of folders; stops loops of symbolic links */ };

/* Names found in a folder. */
struct folder_names {
	char **items;
	size_t n;
};

static void
names_add(struct arena *a, struct folder_names *v, char *name)
{
	v->items = arena_grow(a, v->items, v->n, sizeof *v->items);
	v->items[v->n++] = name;
}

static const struct {
	const char *end;
	enum image_format format;
} endings[] = { { ".jpg", IMAGE_FORMAT_JPEG }, { ".jpeg", IMAGE_FORMAT_JPEG },
	{ ".png", IMAGE_FORMAT_PNG } };

/* Read the names of the subfolders and files of a folder into an arena. */
static int
list_folder(struct arena *a, const char *path, struct folder_names *folders,
    struct folder_names *files, struct error *e)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;
	int rc = 0;

	if (dir == NULL)
		return error_errno(e, errno, "cannot read folder '%s'", path);
	while (errno = 0, (d = readdir(dir)) != NULL) {
		int is_folder = d->d_type == DT_DIR;

		if (d->d_name[0] == '.')
			continue;
		if (d->d_type == DT_LNK || d->d_type == DT_UNKNOWN)
			is_folder =
			    fstatat(dirfd(dir), d->d_name, &st, 0) == 0 &&
			    S_ISDIR(st.st_mode);
		names_add(
		    a, is_folder ? folders : files, arena_strdup(a, d->d_name));
	}
	if (errno != 0)
		rc = error_errno(e, errno, "cannot read folder '%s'", path);
	closedir(dir);
	return rc;
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

/* Add the images in class/below, recursively, to found, as paths relative to
 * class. The program must have been built with their formats.
 *
 * below  "" or ends with a slash */
static int
gather_images(struct arena *a, const char *class, const char *below, int depth,
    struct folder_names *found, struct error *e)
{
	static const char *const libraries[N_IMAGE_FORMATS] = {
		[IMAGE_FORMAT_JPEG] = "libjpeg (JPEG)",
		[IMAGE_FORMAT_PNG] = "libpng (PNG)"
	};
	const size_t n = sizeof endings / sizeof endings[0];
	const char *path = *below != '\0'
	    ? arena_printf(a, "%s/%.*s", class, (int)strlen(below) - 1, below)
	    : class;
	struct folder_names folders = { 0 }, files = { 0 };

	if (depth > MAX_DEPTH)
		return error_set(e, ERROR_INPUT,
		    "folder '%s' is more than %d folders below '%s'", path,
		    MAX_DEPTH, class);
	if (list_folder(a, path, &folders, &files, e) != 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		const char *dot = strrchr(files.items[i], '.');
		size_t k = 0;

		while (dot != NULL && k < n && strcasecmp(dot, endings[k].end))
			k++;
		if (dot == NULL || k == n)
			continue;
		if (!decode_has(endings[k].format))
			return error_set(e, ERROR_INPUT,
			    "'%s/%s': this program was built without %s", path,
			    files.items[i], libraries[endings[k].format]);
		names_add(
		    a, found, arena_printf(a, "%s%s", below, files.items[i]));
	}
	for (size_t i = 0; i < folders.n; i++)
		if (gather_images(a, class,
			arena_printf(a, "%s%s/", below, folders.items[i]),
			depth + 1, found, e) != 0)
			return -1;
	return 0;
}

/* Add the images of one class.
 *
 * a  for what is needed meanwhile */
static int
add_class(struct dataset *d, size_t *alloc, const char *name, struct arena *a,
    struct error *e)
{
	const char *path = arena_printf(a, "%s/%s", d->dir, name);
	struct folder_names found = { 0 };

	if (gather_images(a, path, "", 0, &found, e) != 0)
		return -1;
	if (found.n == 0)
		return error_set(e, ERROR_EMPTY,
		    "class folder '%s' has no images (.jpg, .jpeg, .png)",
		    path);
	if (found.n > INT32_MAX - d->n_images)
		return error_set(e, ERROR_LIMIT, "'%s' has more than %d images",
		    d->dir, INT32_MAX);
	qsort(found.items, found.n, sizeof *found.items, by_place);
	for (size_t i = 0; i < found.n; i++) {
		d->images =
		    vec_grow(d->images, d->n_images, alloc, sizeof *d->images);
		d->images[d->n_images++] =
		    (struct image){ arena_strdup(&d->names, found.items[i]),
			    (int32_t)d->n_classes };
	}
	d->classes[d->n_classes++] = arena_strdup(&d->names, name);
	return 0;
}

static int
fill_dataset(struct dataset *d, struct error *e)
{
	struct arena a = ARENA_INIT, of_class = ARENA_INIT;
	struct folder_names folders = { 0 }, files = { 0 };
	size_t alloc = 0;
	int rc = list_folder(&a, d->dir, &folders, &files, e);

	if (rc == 0 && folders.n == 0)
		rc = error_set(e, ERROR_EMPTY,
		    "'%s' has no class folders: images must be in '%s/CLASS/'",
		    d->dir, d->dir);
	if (rc == 0) {
		qsort(folders.items, folders.n, sizeof *folders.items,
		    text_order_at);
		d->classes =
		    arena_calloc(&d->names, folders.n, sizeof *d->classes);
	}
	for (size_t i = 0; rc == 0 && i < folders.n; i++) {
		rc = add_class(d, &alloc, folders.items[i], &of_class, e);
		arena_release(&of_class);
	}
	arena_release(&a);
	return rc;
}

int
dataset_open(
    const char *dir, const char *part, struct dataset **out, struct error *e)
{
	struct dataset *d = xcalloc(1, sizeof *d);

	d->dir = part != NULL ? arena_printf(&d->names, "%s/%s", dir, part)
			      : arena_strdup(&d->names, dir);
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
	free(d->images);
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

/* --- The part of an image that is used ------------------------------------ */

static const double area_min = 0.08, ratio_min = 3.0 / 4, ratio_max = 4.0 / 3;

struct crop
crop_random(int w, int h, int size, const struct rng *r, uint64_t first)
{
	struct crop c = { .out_w = size, .out_h = size, .size = size };
	uint32_t four[4];
	int found = 0;

	assert(w >= 1 && h >= 1 && size >= 1);
	for (uint64_t i = 0; i < 10 && !found; i++) {
		double area = (double)w * h, ratio;

		rng_block(r, first + i, four);
		area *= area_min + (1 - area_min) * (four[0] * 0x1p-32);
		ratio = exp(log(ratio_min) +
		    (log(ratio_max) - log(ratio_min)) * (four[1] * 0x1p-32));
		c.w = (int)rint(sqrt(area * ratio));
		c.h = (int)rint(sqrt(area / ratio));
		found = c.w >= 1 && c.w <= w && c.h >= 1 && c.h <= h;
		c.x = (int)((w - c.w + 1) * (four[2] * 0x1p-32));
		c.y = (int)((h - c.h + 1) * (four[3] * 0x1p-32));
	}
	if (!found) {
		/* The largest centred box with an allowed ratio. */
		c.w = w > h * ratio_max ? (int)rint(h * ratio_max) : w;
		c.h = w < h * ratio_min ? (int)rint(w / ratio_min) : h;
		c.x = (w - c.w) / 2;
		c.y = (h - c.h) / 2;
	}
	rng_block(r, first + CROP_BLOCKS - 1, four);
	c.mirror = (int)(four[0] >> 31);
	return c;
}

struct crop
crop_middle(int w, int h, int size)
{
	const int side = (int)rint(size * 256.0 / 224);
	struct crop c = { .w = w, .h = h, .size = size };

	assert(w >= 1 && h >= 1 && size >= 1);
	/* As in torchvision, the long side is truncated, not rounded. */
	c.out_w = w <= h ? side : (int)((double)side * w / h);
	c.out_h = h <= w ? side : (int)((double)side * h / w);
	c.left = (int)rint((c.out_w - size) / 2.0);
	c.top = (int)rint((c.out_h - size) / 2.0);
	return c;
}

/* --- Reading it ----------------------------------------------------------- */

enum { MAX_FILE = 1 << 28 /* maximum size of an image file */ };

/* Decoder, resizer and buffer of a thread that reads an image. */
struct tools {
	struct decoder *decoder;
	struct resizer *resizer;
	uint8_t *file; /* [file_alloc] */
	size_t file_alloc;
	struct tools *next; /* next in the list of unused tools */
};

struct file_images {
	struct image_source source; /* first member: the interface for the
				       loader */
	struct file_images *self;   /* the source itself, not const */
	const struct dataset *dataset;
	enum image_mode mode;
	long max_pixels;
	pthread_mutex_t lock; /* of unused */
	struct tools *unused;
};

/* Read all of a file into t->file. */
static int
read_file(struct tools *t, const char *path, size_t *len, struct error *e)
{
	/* O_NONBLOCK: do not block on a named pipe. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t size = 0;
	ssize_t n = 1;
	int rc = 0;

	if (fd < 0)
		return error_errno(e, errno, "cannot be opened");
	if (fstat(fd, &st) != 0)
		rc = error_errno(e, errno, "cannot be looked at");
	else if (!S_ISREG(st.st_mode))
		rc = error_set(e, ERROR_INPUT, "is not a file");
	else if (st.st_size > MAX_FILE)
		rc = error_set(
		    e, ERROR_INPUT, "is larger than %d MiB", MAX_FILE >> 20);
	else
		size = (size_t)st.st_size;
	if (t->file_alloc < size) {
		free(t->file);
		t->file_alloc = size;
		t->file = xmalloc(size);
	}
	/* The file may be truncated meanwhile. */
	for (*len = 0; n > 0 && *len<size; *len += n> 0 ? (size_t)n : 0)
		do
			n = read(fd, t->file + *len, size - *len);
		while (n < 0 && errno == EINTR);
	if (n < 0)
		rc = error_errno(e, errno, "cannot be read");
	close(fd);
	return rc;
}

/* A side of the box in an image that is decoded at 1 / scale of its size. */
static struct resize_side
resize_side_of(int start, int length, int scale, int out, int first, int n)
{
	return (struct resize_side){ (double)start / scale,
		(double)length / scale, start / scale,
		(start + length + scale - 1) / scale, out, first, n };
}

int
image_make(struct decoder *d, struct resizer *r, int w, int h,
    const struct crop *c, int exact, uint8_t *rgb, struct error *e)
{
	const double x = (double)c->w / c->out_w, y = (double)c->h / c->out_h;
	const int scale = exact ? 1 : decoder_scale(d, x < y ? x : y);
	struct resize_side columns =
	    resize_side_of(c->x, c->w, scale, c->out_w, c->left, c->size);
	struct resize_side rows =
	    resize_side_of(c->y, c->h, scale, c->out_h, c->top, c->size);
	struct decode_pixels pixels;
	struct decode_box box;

	assert(c->x + c->w <= w && c->y + c->h <= h);
	resize_span(&columns, &box.x0, &box.x1);
	resize_span(&rows, &box.y0, &box.y1);
	if (decoder_read(d, scale, &box, &pixels, e) != 0)
		return -1;
	columns.low = box.x0;
	columns.high = box.x1;
	rows.low = box.y0;
	rows.high = box.y1;
	resizer_run(
	    r, pixels.rgb, pixels.stride, &rows, &columns, c->mirror, rgb);
	return 0;
}

static int
images_read(const struct image_source *s, long i, int epoch, uint8_t *rgb,
    int32_t *label, uint8_t *mirror, struct error *e)
{
	/* Cast away const: reading modifies only the list of tools. */
	struct file_images *p = ((const struct file_images *)s)->self;
	const int train = p->mode == IMAGE_MODE_TRAIN;
	const struct rng r = { s->seed, s->stream, (uint32_t)epoch };
	char *path = dataset_path(p->dataset, (size_t)i);
	struct tools *t;
	struct crop c;
	size_t len = 0;
	int w, h, rc;

	pthread_mutex_lock(&p->lock);
	t = p->unused;
	if (t != NULL)
		p->unused = t->next;
	pthread_mutex_unlock(&p->lock);
	if (t == NULL) {
		t = xcalloc(1, sizeof *t);
		t->decoder = decoder_new();
		decoder_limit(t->decoder, p->max_pixels);
		t->resizer = resizer_new();
	}
	rc = read_file(t, path, &len, e);
	if (rc == 0)
		rc = decoder_open(t->decoder, t->file, len, &w, &h, e);
	if (rc == 0) {
		c = train
		    ? crop_random(w, h, s->image, &r, (uint64_t)i * CROP_BLOCKS)
		    : crop_middle(w, h, s->image);
		if (mirror != NULL) {
			*mirror = c.mirror != 0;
			c.mirror = 0;
		}
		rc = image_make(
		    t->decoder, t->resizer, w, h, &c, !train, rgb, e);
	}
	*label = p->dataset->images[i].label;
	if (rc != 0)
		error_prefix(e, "%s", path);
	free(path);
	pthread_mutex_lock(&p->lock);
	t->next = p->unused;
	p->unused = t;
	pthread_mutex_unlock(&p->lock);
	return rc;
}

struct image_source *
dataset_source(
    const struct dataset *d, enum image_mode mode, int size, uint64_t seed)
{
	struct file_images *p = xcalloc(1, sizeof *p);

	assert(size >= 1 && d->n_images >= 1 && d->n_images <= INT32_MAX);
	p->self = p;
	p->source.n = (long)d->n_images;
	p->source.image = size;
	p->source.classes = (int)d->n_classes;
	p->source.read = images_read;
	p->source.seed = seed;
	p->source.stream = RNG_STREAM_DATA;
	p->dataset = d;
	p->mode = mode;
	p->max_pixels = DECODE_MAX_PIXELS;
	pthread_mutex_init(&p->lock, NULL);
	return &p->source;
}

void
dataset_source_limit(struct image_source *s, long max_pixels)
{
	((struct file_images *)s)->max_pixels = max_pixels;
}

void
dataset_source_free(struct image_source *s)
{
	struct file_images *p = (struct file_images *)s;

	if (p == NULL)
		return;
	while (p->unused != NULL) {
		struct tools *t = p->unused;

		p->unused = t->next;
		decoder_free(t->decoder);
		resizer_free(t->resizer);
		free(t->file);
		free(t);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}
