/* Writes and reads checkpoints. The checksum of the whole file is verified
 * before any of it is used. */
#include <config.h>

#include "trainer/run/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "common/files/outfile.h"
#include "common/text.h"

static const char magic[16] = "dlscale state\r\n\x1a";

enum {
	AT_VERSION = 16,
	AT_HEADER_BYTES = 20,
	AT_FILE_BYTES = 24,
	PREFIX = 32,
	CHECKSUM = 8,
	RECORD = 24, /* bytes before a tensor's name */
	MAX_HEADER = 1 << 16,
	CHUNK = 1 << 20
};

/* --- Numbers -------------------------------------------------------------- */

static void
store_number(unsigned char *at, uint64_t x, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t
get_number(const unsigned char *at, int bytes)
{
	uint64_t x = 0;

	for (int i = 0; i < bytes; i++)
		x |= (uint64_t)at[i] << 8 * i;
	return x;
}

/* Convert n elements between host byte order and little-endian. */
static void
little_endian(void *x, size_t n, size_t size)
{
	const uint16_t probe = 1;
	unsigned char *at = x;

	if (*(const unsigned char *)&probe == 1)
		return;
	for (; n > 0; n--, at += size)
		for (size_t i = 0; i < size / 2; i++) {
			const unsigned char swap = at[i];

			at[i] = at[size - 1 - i];
			at[size - 1 - i] = swap;
		}
}

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

/* Print the shortest text that reads back as the same number. */
static void
show_real(double x, char buf[VALUE_SIZE])
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, VALUE_SIZE, "%.*g", digits, x);
		if (strtod(buf, NULL) == x)
			return;
	}
}

/* The value as text, exact. */
static char *
print_field(const struct checkpoint_field *f, const struct checkpoint *c,
    char buf[VALUE_SIZE])
{
	const void *at = (const char *)c + f->offset;
	uint64_t hash;
	double real;
	long whole;

	switch (f->kind) {
	case FIELD_TEXT:
		snprintf(buf, VALUE_SIZE, "%s", (const char *)at);
		break;
	case FIELD_LONG:
		memcpy(&whole, at, sizeof whole);
		snprintf(buf, VALUE_SIZE, "%ld", whole);
		break;
	case FIELD_REAL:
		memcpy(&real, at, sizeof real);
		show_real(real, buf);
		break;
	case FIELD_HASH:
		memcpy(&hash, at, sizeof hash);
		snprintf(buf, VALUE_SIZE, "%016llx", (unsigned long long)hash);
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
	unsigned long long hash;
	uint64_t bits;
	double real;
	long whole;
	int used = 0;

	switch (f->kind) {
	case FIELD_TEXT:
		if (strlen(text) >= CHECKPOINT_WORD)
			return -1;
		snprintf(at, CHECKPOINT_WORD, "%s", text);
		return 0;
	case FIELD_LONG:
		if (parse_long(text, (long)f->min, (long)f->max, &whole) != 0)
			return -1;
		memcpy(at, &whole, sizeof whole);
		return 0;
	case FIELD_REAL:
		if (parse_double(text, f->min, f->max, &real) != 0)
			return -1;
		memcpy(at, &real, sizeof real);
		return 0;
	case FIELD_HASH:
		if (sscanf(text, "%16llx%n", &hash, &used) != 1 ||
		    text[used] != '\0')
			return -1;
		bits = hash;
		memcpy(at, &bits, sizeof bits);
		return 0;
	}
	return -1;
}

/* Add a line for each field to out. */
static void
write_fields(const struct checkpoint *c, struct strbuf *out)
{
	char value[VALUE_SIZE];

	for (int i = 0; i < N_FIELDS; i++)
		strbuf_printf(out, "%s=%s\n", fields[i].name,
		    print_field(&fields[i], c, value));
}

/* Read what write_fields() wrote.
 *
 * text  NUL-terminated; is changed */
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

/* One row for each kind of tensor, in the file's order. */
static const enum tensor_kind kinds[] = { TENSOR_PARAM, TENSOR_MOMENTUM,
	TENSOR_BUFFER };
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static int
count_tensors(const struct graph *g, int kind)
{
	return kinds[kind] == TENSOR_BUFFER ? g->n_buffers : g->n_params;
}

static const char *
name_of(const struct graph *g, int kind, int i)
{
	return kinds[kind] == TENSOR_BUFFER ? g->buffers[i].name
					    : g->params[i].name;
}

/* Bytes of an element on this device. */
static size_t
element_size(const struct device *d)
{
	return dtype_size(device_arena(d, TENSOR_PARAM).type) == 8 ? 8 : 4;
}

static size_t
largest_tensor(const struct device *d)
{
	size_t most = 1;

	for (int k = 0; k < N_KINDS; k++)
		for (int i = 0; i < count_tensors(d->graph, k); i++) {
			const size_t n = device_tensor_size(d, kinds[k], i);

			if (n > most)
				most = n;
		}
	return most;
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

static uint64_t
file_bytes(const struct checkpoint *c, size_t header, const struct device *d)
{
	uint64_t n = PREFIX + header + CHECKSUM +
	    (uint64_t)c->devices * CHECKPOINT_METERS * sizeof(double);

	for (int k = 0; k < N_KINDS; k++)
		for (int i = 0; i < count_tensors(d->graph, k); i++)
			n += RECORD + strlen(name_of(d->graph, k, i)) +
			    device_tensor_size(d, kinds[k], i) *
				element_size(d);
	return n;
}

static int
put_header(struct writer *w, const struct checkpoint *c, const struct device *d,
    struct error *e)
{
	unsigned char prefix[PREFIX];
	struct strbuf text;
	int rc;

	strbuf_init(&text, MAX_HEADER);
	write_fields(c, &text);
	memcpy(prefix, magic, sizeof magic);
	store_number(prefix + AT_VERSION, CHECKPOINT_VERSION, 4);
	store_number(prefix + AT_HEADER_BYTES, text.len, 4);
	store_number(prefix + AT_FILE_BYTES, file_bytes(c, text.len, d), 8);
	rc = write_bytes(w, prefix, sizeof prefix, e);
	if (rc == 0)
		rc = write_bytes(w, text.buf, text.len, e);
	strbuf_release(&text);
	return rc;
}

static int
put_meters(struct writer *w, const struct checkpoint *c, const double *meters,
    struct error *e)
{
	const size_t n = (size_t)c->devices * CHECKPOINT_METERS;
	double *x = xcalloc(n, sizeof *x);
	int rc;

	memcpy(x, meters, n * sizeof *x);
	little_endian(x, n, sizeof *x);
	rc = write_bytes(w, x, n * sizeof *x, e);
	free(x);
	return rc;
}

static int
all_finite(const void *x, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (size == 8 ? !isfinite(((const double *)x)[i])
			      : !isfinite(((const float *)x)[i]))
			return 0;
	return 1;
}

/* Write tensor i of a kind; x has room for it. */
static int
put_tensor(struct writer *w, struct device *d, int kind, int i, void *x,
    struct error *e)
{
	const char *name = name_of(d->graph, kind, i);
	const size_t size = element_size(d);
	const size_t n = device_tensor_size(d, kinds[kind], i);
	unsigned char record[RECORD];

	if (device_read(d, kinds[kind], i, size == 8 ? DTYPE_FP64 : DTYPE_FP32,
		x, e) != 0)
		return -1;
	if (!all_finite(x, n, size))
		return error_set(e, ERROR_DOMAIN,
		    "'%s' has values that are no finite numbers: nothing was "
		    "written to '%s'",
		    name, w->file.path);
	store_number(record, (uint64_t)kind, 4);
	store_number(record + 4, size, 4);
	store_number(record + 8, strlen(name), 4);
	store_number(record + 12, 0, 4);
	store_number(record + 16, n, 8);
	little_endian(x, n, size);
	if (write_bytes(w, record, sizeof record, e) != 0 ||
	    write_bytes(w, name, strlen(name), e) != 0)
		return -1;
	return write_bytes(w, x, n * size, e);
}

static int
put_tensors(struct writer *w, struct device *d, struct error *e)
{
	void *x = xcalloc(largest_tensor(d), element_size(d));
	int rc = 0;

	for (int k = 0; k < N_KINDS && rc == 0; k++)
		for (int i = 0; i < count_tensors(d->graph, k) && rc == 0; i++)
			rc = put_tensor(w, d, k, i, x, e);
	free(x);
	return rc;
}

int
checkpoint_write(const char *path, const struct checkpoint *c,
    const double *meters, struct device *d, struct error *e)
{
	unsigned char sum[CHECKSUM];
	struct writer w;
	int rc;

	assert(c->devices >= 1 && c->devices <= CHECKPOINT_RANKS);
	if (outfile_open(&w.file, path, e) != 0)
		return -1;
	w.hash = XXH3_createState();
	XXH3_64bits_reset(w.hash);
	rc = put_header(&w, c, d, e);
	if (rc == 0)
		rc = put_meters(&w, c, meters, e);
	if (rc == 0)
		rc = put_tensors(&w, d, e);
	store_number(sum, XXH3_64bits_digest(w.hash), CHECKSUM);
	if (rc == 0)
		rc = write_bytes(&w, sum, sizeof sum, e);
	XXH3_freeState(w.hash);
	if (rc == 0)
		return outfile_commit(&w.file, e);
	outfile_abort(&w.file);
	return -1;
}

/* --- Reading -------------------------------------------------------------- */

struct checkpoint_file {
	FILE *f;
	char *path;
	long devices;
	uint64_t left; /* bytes before the checksum not yet read */
};

static int
read_bytes(struct checkpoint_file *f, void *data, size_t n, struct error *e)
{
	errno = 0;
	if (n <= f->left && fread(data, 1, n, f->f) == n) {
		f->left -= n;
		return 0;
	}
	if (ferror(f->f))
		return error_errno(e, errno != 0 ? errno : EIO,
		    "cannot read checkpoint '%s'", f->path);
	return error_set(
	    e, ERROR_INPUT, "%s: ends in the middle of a value", f->path);
}

/* Read the whole file and compare its checksum. Returns 1, 0 or -1. */
static int
is_whole(struct checkpoint_file *f, uint64_t bytes, struct error *e)
{
	XXH3_state_t *hash = XXH3_createState();
	unsigned char *chunk = xmalloc(CHUNK), sum[CHECKSUM];
	int rc = 0;

	XXH3_64bits_reset(hash);
	rewind(f->f);
	f->left = bytes;
	while (rc == 0 && f->left > CHECKSUM) {
		const uint64_t rest = f->left - CHECKSUM;
		const size_t n = rest < CHUNK ? (size_t)rest : CHUNK;

		rc = read_bytes(f, chunk, n, e);
		if (rc == 0)
			XXH3_64bits_update(hash, chunk, n);
	}
	if (rc == 0)
		rc = read_bytes(f, sum, sizeof sum, e);
	if (rc == 0)
		rc = get_number(sum, CHECKSUM) == XXH3_64bits_digest(hash);
	free(chunk);
	XXH3_freeState(hash);
	return rc;
}

/* Check that the file is an undamaged checkpoint of this version. */
static int
check_file(struct checkpoint_file *f, uint64_t bytes,
    unsigned char prefix[PREFIX], struct error *e)
{
	uint64_t want;
	uint32_t version;
	int rc;

	f->left = bytes;
	if (bytes < sizeof magic ||
	    read_bytes(f, prefix, sizeof magic, e) != 0 ||
	    memcmp(prefix, magic, sizeof magic) != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: not a checkpoint of train_imagenet", f->path);
	if (bytes < PREFIX + CHECKSUM)
		return error_set(e, ERROR_INPUT,
		    "%s: cut short: it has only %llu bytes", f->path,
		    (unsigned long long)bytes);
	if (read_bytes(f, prefix + sizeof magic, PREFIX - sizeof magic, e) != 0)
		return -1;
	want = get_number(prefix + AT_FILE_BYTES, 8);
	if (bytes < want)
		return error_set(e, ERROR_INPUT,
		    "%s: cut short: it has %llu of %llu bytes", f->path,
		    (unsigned long long)bytes, (unsigned long long)want);
	rc = bytes > want ? 0 : is_whole(f, bytes, e);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return error_set(e, ERROR_INPUT,
		    "%s: damaged: its checksum does not fit", f->path);
	version = (uint32_t)get_number(prefix + AT_VERSION, 4);
	if (version != CHECKPOINT_VERSION)
		return error_set(e, ERROR_INPUT,
		    "%s: a checkpoint of version %lu; this program reads "
		    "version %d",
		    f->path, (unsigned long)version, CHECKPOINT_VERSION);
	return 0;
}

static int
read_header(struct checkpoint_file *f, const unsigned char *prefix,
    struct checkpoint *c, struct error *e)
{
	const size_t n = (size_t)get_number(prefix + AT_HEADER_BYTES, 4);
	char *text;
	int rc = -1;

	if (n > MAX_HEADER)
		return error_set(
		    e, ERROR_INPUT, "%s: a header of %zu bytes", f->path, n);
	text = xcalloc(n + 1, 1);
	if (read_bytes(f, text, n, e) == 0) {
		rc = read_fields(text, c, e);
		if (rc != 0)
			error_prefix(e, "%s", f->path);
	}
	free(text);
	if (rc != 0)
		return -1;
	if (c->batch > c->batches_per_epoch)
		return error_set(e, ERROR_INPUT,
		    "%s: batch %ld of an epoch of %ld", f->path, c->batch,
		    c->batches_per_epoch);
	f->devices = c->devices;
	return 0;
}

int
checkpoint_open(const char *path, struct checkpoint *c,
    struct checkpoint_file **out, struct error *e)
{
	struct checkpoint_file *f = xcalloc(1, sizeof *f);
	unsigned char prefix[PREFIX];
	struct stat st;

	f->path = xstrdup(path);
	f->f = fopen(path, "rbe");
	if (f->f == NULL || fstat(fileno(f->f), &st) != 0) {
		error_errno(e, errno, "cannot read checkpoint '%s'", path);
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		error_set(e, ERROR_INPUT, "%s: not a file", path);
		goto fail;
	}
	if (check_file(f, (uint64_t)st.st_size, prefix, e) != 0)
		goto fail;
	f->left = (uint64_t)st.st_size - CHECKSUM - PREFIX;
	if (fseek(f->f, PREFIX, SEEK_SET) != 0) {
		error_errno(e, errno, "cannot read checkpoint '%s'", path);
		goto fail;
	}
	if (read_header(f, prefix, c, e) != 0)
		goto fail;
	*out = f;
	return 0;
fail:
	checkpoint_close(f);
	return -1;
}

/* Read tensor i of a kind into the device; x has room for it. */
static int
get_tensor(struct checkpoint_file *f, struct device *d, int kind, int i,
    void *x, struct error *e)
{
	const char *want = name_of(d->graph, kind, i);
	const size_t n = device_tensor_size(d, kinds[kind], i);
	const size_t len = strlen(want);
	unsigned char record[RECORD];
	char name[256] = "";
	size_t size, name_len;

	if (read_bytes(f, record, sizeof record, e) != 0)
		return -1;
	size = (size_t)get_number(record + 4, 4);
	name_len = (size_t)get_number(record + 8, 4);
	if (name_len < sizeof name && read_bytes(f, name, name_len, e) != 0)
		return -1;
	if (get_number(record, 4) != (uint64_t)kind || name_len != len ||
	    strcmp(name, want) != 0 || (size != 4 && size != 8) ||
	    get_number(record + 16, 8) != n)
		return error_set(e, ERROR_INPUT,
		    "%s: '%s' is not what this program calls '%s'", f->path,
		    name, want);
	if (read_bytes(f, x, n * size, e) != 0)
		return -1;
	little_endian(x, n, size);
	return device_write(
	    d, kinds[kind], i, size == 8 ? DTYPE_FP64 : DTYPE_FP32, x, e);
}

int
checkpoint_read(struct checkpoint_file *f, double *meters, struct device *d,
    struct error *e)
{
	const size_t n = (size_t)f->devices * CHECKPOINT_METERS;
	void *x;
	int rc = read_bytes(f, meters, n * sizeof *meters, e);

	if (rc != 0)
		return -1;
	little_endian(meters, n, sizeof *meters);
	x = xcalloc(largest_tensor(d), sizeof(double));
	for (int k = 0; k < N_KINDS && rc == 0; k++)
		for (int i = 0; i < count_tensors(d->graph, k) && rc == 0; i++)
			rc = get_tensor(f, d, k, i, x, e);
	free(x);
	if (rc == 0 && f->left != 0)
		return error_set(e, ERROR_INPUT,
		    "%s: more tensors than the model has", f->path);
	return rc;
}

void
checkpoint_close(struct checkpoint_file *f)
{
	if (f == NULL)
		return;
	if (f->f != NULL)
		fclose(f->f);
	free(f->path);
	free(f);
}
