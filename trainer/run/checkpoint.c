/* Writes and reads checkpoints. Verifies the checksum of the whole file before
 * using any of it. */
#include <config.h>

#include "trainer/run/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/json/json.h"
#include "common/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "numbers are written as they are in memory");

static const char magic[16] = "dlscale state\r\n\x1a";

struct file_head {
	char magic[16];
	uint32_t version, header_bytes;
	uint64_t file_bytes;
};

/* A tensor's header, before its name. */
struct record {
	uint32_t kind, size, name_bytes, zero;
	uint64_t n;
};

enum { CHECKSUM = sizeof(uint64_t), MAX_HEADER = 1 << 16 };

/* --- The header, one row for each field ----------------------------------- */

enum checkpoint_field_kind { FIELD_TEXT, FIELD_LONG, FIELD_REAL, FIELD_HASH };

struct checkpoint_field {
	const char *name;
	enum checkpoint_field_kind kind;
	enum checkpoint_rule rule;
	size_t offset;
	double min, max; /* of numbers */
};

#define FIELD(name, kind, rule, min, max) \
	{ \
#name, FIELD_##kind, CHECKPOINT_##rule, \
		    offsetof(struct checkpoint, name), min, max \
	}

static const struct checkpoint_field fields[] = {
	FIELD(model, TEXT, NETWORK, 0, 0),
	FIELD(classes, LONG, NETWORK, 1, 1 << 20),
	FIELD(image, LONG, COURSE, 1, 1 << 20),
	FIELD(device, TEXT, COURSE, 0, 0),
	FIELD(precision, TEXT, COURSE, 0, 0),
	FIELD(lr, REAL, COURSE, 0, 1e308),
	FIELD(lr_step, LONG, COURSE, 1, 1e6),
	FIELD(momentum, REAL, COURSE, 0, 1),
	FIELD(weight_decay, REAL, COURSE, 0, 1),
	FIELD(seed, LONG, ORDER, 0, 9e15),
	FIELD(devices, LONG, ORDER, 1, CHECKPOINT_RANKS),
	FIELD(batch_per_device, LONG, ORDER, 1, 1 << 20),
	FIELD(batches_per_epoch, LONG, ORDER, 1, 9e15),
	FIELD(train_images, LONG, ORDER, 1, 9e15),
	FIELD(image_list, HASH, ORDER, 0, 0),
	FIELD(epoch, LONG, STATE, 0, 1 << 30),
	FIELD(batch, LONG, STATE, 0, 9e15),
	FIELD(step, LONG, STATE, 0, 9e15),
	FIELD(best_top1, REAL, STATE, -1, 100),
	FIELD(loss_scale, REAL, STATE, 0, 1e30),
	FIELD(loss_scale_good, LONG, STATE, 0, 1 << 30),
};

enum { N_FIELDS = sizeof fields / sizeof fields[0], VALUE_SIZE = 64 };

/* Add the exact value as text. Members are aligned for their type. */
static char *
print_field(const struct checkpoint_field *f, const struct checkpoint *c,
    char buf[VALUE_SIZE])
{
	const void *at = (const char *)c + f->offset;

	switch (f->kind) {
	case FIELD_TEXT:
		snprintf(buf, VALUE_SIZE, "%s", (const char *)at);
		break;
	case FIELD_LONG:
		snprintf(buf, VALUE_SIZE, "%ld", *(const long *)at);
		break;
	case FIELD_REAL:
		json_double(buf, *(const double *)at);
		break;
	case FIELD_HASH:
		snprintf(buf, VALUE_SIZE, "%016" PRIx64, *(const uint64_t *)at);
		break;
	}
	return buf;
}

/* Parse a value. Returns 0 or -1. */
static int
parse_field(
    const struct checkpoint_field *f, const char *text, struct checkpoint *c)
{
	void *at = (char *)c + f->offset;
	int used = 0;

	switch (f->kind) {
	case FIELD_TEXT:
		return snprintf(at, CHECKPOINT_WORD, "%s", text) <
			CHECKPOINT_WORD
		    ? 0
		    : -1;
	case FIELD_LONG:
		return parse_long(text, (long)f->min, (long)f->max, at);
	case FIELD_REAL:
		return parse_double(text, f->min, f->max, at);
	case FIELD_HASH:
		return sscanf(text, "%16" SCNx64 "%n", (uint64_t *)at, &used) ==
			    1 &&
			text[used] == '\0'
		    ? 0
		    : -1;
	}
	return -1;
}

/* Parse the output of write_fields().
 *
 * text  NUL-terminated; modified */
static int
read_fields(char *text, struct checkpoint *c, struct error *e)
{
	memset(c, 0, sizeof *c);
	for (int i = 0; i < N_FIELDS; i++) {
		const struct checkpoint_field *f = &fields[i];
		const size_t n = strlen(f->name);
		char *end = strchr(text, '\n');

		if (end == NULL || strncmp(text, f->name, n) != 0 ||
		    text[n] != '=')
			return error_set(
			    e, ERROR_INPUT, "no '%s' in the header", f->name);
		*end = '\0';
		if (parse_field(f, text + n + 1, c) != 0)
			return error_set(e, ERROR_INPUT, "'%.40s' is no '%s'",
			    text + n + 1, f->name);
		text = end + 1;
	}
	if (*text != '\0')
		return error_set(
		    e, ERROR_INPUT, "more in the header than is known");
	return 0;
}

int
checkpoint_differ(const struct checkpoint *a, const struct checkpoint *b,
    unsigned rules, enum checkpoint_detail detail, struct strbuf *out)
{
	char left[VALUE_SIZE], right[VALUE_SIZE];
	int n = 0;

	for (int i = 0; i < N_FIELDS; i++) {
		const struct checkpoint_field *f = &fields[i];

		if ((f->rule & rules) == 0 ||
		    strcmp(print_field(f, a, left), print_field(f, b, right)) ==
			0)
			continue;
		if (detail == CHECKPOINT_NAMES)
			strbuf_printf(out, "%s%s", n > 0 ? "," : "", f->name);
		else
			strbuf_printf(out, "%s%s is %s, not %s",
			    n > 0 ? "; " : "", f->name, left, right);
		n++;
	}
	return n;
}

/* --- Tensors -------------------------------------------------------------- */

struct state_tensor {
	enum tensor_kind kind;
	int i; /* of its kind */
	const char *name;
	size_t n; /* elements */
};

/* Kinds by their number in the file. */
static const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_MOMENTUM,
	TENSOR_BUFFER };

/* List the tensors of a device in the file's order; the caller frees the list.
 *
 * n        out: their number
 * largest  out: number of elements of the largest, at least 1 */
static struct state_tensor *
list_tensors(const struct device *d, size_t *n, size_t *largest)
{
	const struct graph *g = d->graph;
	struct state_tensor *all = xcalloc(
	    2 * (size_t)g->n_params + (size_t)g->n_buffers + 1, sizeof *all);

	*n = 0;
	*largest = 1;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i <
		     (kinds[k] == TENSOR_BUFFER ? g->n_buffers : g->n_params);
		     i++) {
			struct state_tensor *t = &all[(*n)++];

			t->kind = kinds[k];
			t->i = i;
			t->name = t->kind == TENSOR_BUFFER ? g->buffers[i].name
							   : g->params[i].name;
			t->n = device_tensor_size(d, t->kind, i);
			*largest = t->n > *largest ? t->n : *largest;
		}
	return all;
}

static struct record
record_of(const struct state_tensor *t, size_t size)
{
	struct record r = { .size = (uint32_t)size,
		.name_bytes = (uint32_t)strlen(t->name),
		.n = t->n };

	while (kinds[r.kind] != t->kind)
		r.kind++;
	return r;
}

/* --- Writing -------------------------------------------------------------- */

struct writer {
	struct outfile file;
	XXH3_state_t *hash;
};

static int
write_bytes(struct writer *w, const void *data, size_t n, struct error *e)
{
	XXH3_64bits_update(w->hash, data, n);
	errno = 0;
	if (fwrite(data, 1, n, w->file.f) == n)
		return 0;
	return error_errno(
	    e, errno != 0 ? errno : EIO, "cannot write '%s'", w->file.path);
}

static int
put_all(struct writer *w, const struct checkpoint *c, const double *meters,
    struct device *d, struct error *e)
{
	/* fp64 if the device computes in fp64, else fp32. */
	const size_t wide = dtype_size(device_arena(d, TENSOR_PARAM).type);
	const size_t size = wide == 8 ? 8 : 4;
	const size_t meter_bytes =
	    (size_t)c->devices * CHECKPOINT_METERS * sizeof *meters;
	struct file_head head = { .version = CHECKPOINT_VERSION };
	size_t n, room;
	struct state_tensor *all = list_tensors(d, &n, &room);
	void *x = xcalloc(room, size);
	char value[VALUE_SIZE];
	struct strbuf text = STRBUF_INIT(MAX_HEADER);
	int rc;

	for (int i = 0; i < N_FIELDS; i++)
		strbuf_printf(&text, "%s=%s\n", fields[i].name,
		    print_field(&fields[i], c, value));
	memcpy(head.magic, magic, sizeof magic);
	head.header_bytes = (uint32_t)text.len;
	head.file_bytes = sizeof head + text.len + meter_bytes + CHECKSUM;
	for (size_t i = 0; i < n; i++)
		head.file_bytes += sizeof(struct record) + strlen(all[i].name) +
		    all[i].n * size;
	rc = write_bytes(w, &head, sizeof head, e);
	if (rc == 0)
		rc = write_bytes(w, text.buf, text.len, e);
	if (rc == 0)
		rc = write_bytes(w, meters, meter_bytes, e);
	for (size_t i = 0; i < n && rc == 0; i++) {
		const struct state_tensor *t = &all[i];
		const struct record r = record_of(t, size);
		int finite = 1;

		rc = device_read(d, t->kind, t->i,
		    size == 8 ? DTYPE_FP64 : DTYPE_FP32, x, e);
		for (size_t k = 0; rc == 0 && k < t->n; k++)
			finite &= size == 8 ? isfinite(((double *)x)[k]) != 0
					    : isfinite(((float *)x)[k]) != 0;
		if (rc == 0 && !finite)
			rc = error_set(e, ERROR_DOMAIN,
			    "'%s' has values that are not finite: nothing was "
			    "written to '%s'",
			    t->name, w->file.path);
		if (rc == 0 &&
		    (write_bytes(w, &r, sizeof r, e) != 0 ||
			write_bytes(w, t->name, r.name_bytes, e) != 0 ||
			write_bytes(w, x, t->n * size, e) != 0))
			rc = -1;
	}
	strbuf_release(&text);
	free(x);
	free(all);
	return rc;
}

int
checkpoint_write(const char *path, const struct checkpoint *c,
    const double *meters, struct device *d, struct error *e)
{
	struct writer w;
	uint64_t sum;
	int rc;

	assert(c->devices >= 1 && c->devices <= CHECKPOINT_RANKS);
	if (make_folder_of(path, e) != 0 || outfile_open(&w.file, path, e) != 0)
		return -1;
	w.hash = XXH3_createState();
	XXH3_64bits_reset(w.hash);
	rc = put_all(&w, c, meters, d, e);
	sum = XXH3_64bits_digest(w.hash);
	if (rc == 0)
		rc = write_bytes(&w, &sum, sizeof sum, e);
	XXH3_freeState(w.hash);
	if (rc == 0)
		return outfile_commit(&w.file, e);
	outfile_abort(&w.file);
	return -1;
}

/* --- Reading -------------------------------------------------------------- */

/* The file in memory, so that the data used are the data checked even if
 * another program changes the file meanwhile. */
struct checkpoint_file {
	char *path;
	unsigned char *data;
	size_t size;
	size_t at, end; /* unread part, without the checksum */
	long devices;
};

static int
read_bytes(struct checkpoint_file *f, void *data, size_t n, struct error *e)
{
	if (n > f->end - f->at)
		return error_set(e, ERROR_INPUT,
		    "%s: ends in the middle of a value", f->path);
	memcpy(data, f->data + f->at, n);
	f->at += n;
	return 0;
}

/* Read the file, and check that it is an undamaged checkpoint of this
 * version. */
static int
load_file(struct checkpoint_file *f, struct file_head *head, struct error *e)
{
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	const int fd = open(f->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t got = 1;
	uint64_t sum;
	size_t size;
	int rc = 0;

	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = error_errno(
		    e, errno, "cannot read checkpoint '%s'", f->path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = error_set(e, ERROR_INPUT, "%s: not a file", f->path);
	} else if (st.st_size > 0) {
		size = (size_t)st.st_size;
		f->data = xmalloc(size);
		while (f->size < size &&
		    (got = read(fd, f->data + f->size, size - f->size)) > 0)
			f->size += (size_t)got;
		if (got < 0)
			rc = error_errno(
			    e, errno, "cannot read checkpoint '%s'", f->path);
	}
	if (fd >= 0)
		close(fd);
	if (rc != 0)
		return -1;
	if (f->size < sizeof magic || memcmp(f->data, magic, sizeof magic) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: not a checkpoint of train_imagenet", f->path);
	if (f->size < sizeof *head + CHECKSUM)
		return error_set(e, ERROR_INPUT,
		    "%s: truncated: it has only %zu bytes", f->path, f->size);
	memcpy(head, f->data, sizeof *head);
	if (f->size < head->file_bytes)
		return error_set(e, ERROR_INPUT,
		    "%s: truncated: it has %zu of %llu bytes", f->path, f->size,
		    (unsigned long long)head->file_bytes);
	memcpy(&sum, f->data + f->size - CHECKSUM, CHECKSUM);
	if (f->size > head->file_bytes ||
	    sum != XXH3_64bits(f->data, f->size - CHECKSUM))
		return error_set(e, ERROR_INPUT,
		    "%s: damaged: its checksum does not match", f->path);
	if (head->version != CHECKPOINT_VERSION)
		return error_set(e, ERROR_INPUT,
		    "%s: a checkpoint of version %lu; this program reads "
		    "version %d",
		    f->path, (unsigned long)head->version, CHECKPOINT_VERSION);
	return 0;
}

int
checkpoint_open(const char *path, struct checkpoint *c,
    struct checkpoint_file **out, struct error *e)
{
	struct checkpoint_file *f = xcalloc(1, sizeof *f);
	struct file_head head;
	char *text = NULL;
	int rc;

	f->path = xstrdup(path);
	rc = load_file(f, &head, e);

	if (rc == 0 && head.header_bytes > MAX_HEADER)
		rc = error_set(e, ERROR_INPUT, "%s: a header of %zu bytes",
		    path, (size_t)head.header_bytes);
	if (rc == 0) {
		f->at = sizeof head;
		f->end = f->size - CHECKSUM;
		text = xcalloc((size_t)head.header_bytes + 1, 1);
		rc = read_bytes(f, text, head.header_bytes, e);
	}
	if (rc == 0 && (rc = read_fields(text, c, e)) != 0)
		error_prefix(e, "%s", path);
	if (rc == 0 && c->batch > c->batches_per_epoch)
		rc = error_set(e, ERROR_INPUT,
		    "%s: batch %ld of an epoch of %ld", path, c->batch,
		    c->batches_per_epoch);
	free(text);
	if (rc != 0) {
		checkpoint_close(f);
		return -1;
	}
	f->devices = c->devices;
	*out = f;
	return 0;
}

/* Read a tensor into the device; x is a buffer for its elements. */
static int
get_tensor(struct checkpoint_file *f, struct device *d,
    const struct state_tensor *t, void *x, struct error *e)
{
	struct record r, want;
	char name[256] = "";

	if (read_bytes(f, &r, sizeof r, e) != 0 ||
	    (r.name_bytes < sizeof name &&
		read_bytes(f, name, r.name_bytes, e) != 0))
		return -1;
	want = record_of(t, r.size);
	want.zero = r.zero;
	if (memcmp(&r, &want, sizeof r) != 0 || strcmp(name, t->name) != 0 ||
	    (r.size != 4 && r.size != 8))
		return error_set(e, ERROR_INPUT,
		    "%s: '%s' where '%s' is expected", f->path, name, t->name);
	if (read_bytes(f, x, t->n * r.size, e) != 0)
		return -1;
	return device_write(
	    d, t->kind, t->i, r.size == 8 ? DTYPE_FP64 : DTYPE_FP32, x, e);
}

int
checkpoint_read(struct checkpoint_file *f, double *meters, struct device *d,
    struct error *e)
{
	const size_t n_meters = (size_t)f->devices * CHECKPOINT_METERS;
	struct state_tensor *all;
	size_t n, room;
	void *x;
	int rc = read_bytes(f, meters, n_meters * sizeof *meters, e);

	if (rc != 0)
		return -1;
	all = list_tensors(d, &n, &room);
	x = xcalloc(room, sizeof(double));
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = get_tensor(f, d, &all[i], x, e);
	free(x);
	free(all);
	if (rc == 0 && f->at != f->end)
		return error_set(e, ERROR_INPUT,
		    "%s: more tensors than the model has", f->path);
	return rc;
}

void
checkpoint_close(struct checkpoint_file *f)
{
	if (f == NULL)
		return;
	free(f->data);
	free(f->path);
	free(f);
}
