/* Read and write the file of chosen engines, a damaged file or one of another
 * machine is ignored with a note; compare the time of a fused call with the
 * total of the single calls that it replaces. */
#include <config.h>

#include "trainer/device/cuda/engines/engine_cache.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/outfile.h"

enum { LINE_MAX_BYTES = 1024, CHOICES_MAX = 1 << 16 };

void
engine_signature(const struct call *c, char *out)
{
	static const char *const kinds[N_CALL_KINDS] = {
		[CALL_CONV] = "conv",
		[CALL_CONV_DATA] = "data",
		[CALL_CONV_WEIGHT] = "weight",
	};
	static const char *const inputs[] = { "plain", "norm", "block" };
	const struct conv_shape *s = &c->conv;
	const char *bias = "";

	assert(kinds[c->kind] != NULL);
	if (c->biased)
		bias = c->relu ? ":br" : ":b";
	/* Bits: normalisations and optional tensors. The second tensor of a
	 * weight gradient counts even if it is not planned yet. */
	snprintf(out, ENGINE_WORD,
	    "%s:c%d,h%d,w%d,k%d,p%d,q%d,f%d,s%d,d%d:%s:n%d%d%d:t%d%d%d%s",
	    kinds[c->kind], s->c, s->h, s->w, s->k, s->p, s->q, s->kernel,
	    s->stride, s->pad, inputs[c->input], c->norm[0] >= 0,
	    c->norm[1] >= 0, c->norm[2] >= 0,
	    c->kind == CALL_CONV_WEIGHT || c->in[1] != MEMORY_PLAN_NONE,
	    c->in[2] != MEMORY_PLAN_NONE, c->in[3] != MEMORY_PLAN_NONE, bias);
}

void
engine_cache_init(struct engine_cache *c, const struct engine_machine *machine)
{
	memset(c, 0, sizeof *c);
	c->machine = *machine;
}

void
engine_cache_release(struct engine_cache *c)
{
	free(c->choices);
	memset(c, 0, sizeof *c);
}

struct engine_choice *
engine_cache_find(const struct engine_cache *c, const struct engine_choice *key)
{
	for (size_t i = 0; i < c->n; i++) {
		struct engine_choice *x = &c->choices[i];

		if (x->batch == key->batch && x->precision == key->precision &&
		    x->deterministic == key->deterministic &&
		    strcmp(x->signature, key->signature) == 0)
			return x;
	}
	return NULL;
}

void
engine_cache_put(struct engine_cache *c, const struct engine_choice *choice)
{
	struct engine_choice *x = engine_cache_find(c, choice);

	c->changed = 1;
	if (x == NULL) {
		c->choices =
		    vec_grow(c->choices, c->n, &c->alloc, sizeof *c->choices);
		x = &c->choices[c->n++];
	}
	*x = *choice;
}

/* --- reading -------------------------------------------------------------- */

/* File being read; line holds the last line. */
struct engine_cache_reader {
	FILE *f;
	const char *path;
	long number;
	char line[LINE_MAX_BYTES];
	struct error *note;
};

static int
damaged_file(struct engine_cache_reader *r, const char *what)
{
	error_at(r->note, ERROR_INPUT, r->path, r->number, 0,
	    "%s; engines are measured again", what);
	return 1;
}

static int
next_line(struct engine_cache_reader *r)
{
	size_t n;

	r->number++;
	if (fgets(r->line, sizeof r->line, r->f) == NULL)
		return damaged_file(r, "the file ends too early");
	n = strlen(r->line);
	if (n == 0 || r->line[n - 1] != '\n')
		return damaged_file(r, "a line without an end");
	r->line[n - 1] = '\0';
	return 0;
}

static int
read_choice(const char *text, struct engine_choice *c)
{
	char type[16];
	long batch = 0, deterministic = -1;
	int end = 0;

	_Static_assert(ENGINE_WORD == 192, "widths of words");
	memset(c, 0, sizeof *c);
	if (sscanf(text, "%ld %15s %ld %lf %191s %191s%n", &batch, type,
		&deterministic, &c->us, c->signature, c->engine, &end) != 6 ||
	    text[end] != '\0' || dtype_find(type, &c->precision) != 0 ||
	    batch < 1 || batch > 1 << 20 || deterministic < 0 ||
	    deterministic > 1 || !(c->us >= 0) || !(c->us < 1e12))
		return -1;
	c->batch = (int)batch;
	c->deterministic = (int)deterministic;
	return 0;
}

/* Check that the file was measured with this cuDNN version and GPU type. */
static int
read_machine(struct engine_cache_reader *r, const struct engine_machine *m)
{
	char own[LINE_MAX_BYTES];

	if (next_line(r) != 0)
		return 1;
	if (strcmp(r->line, "dlscale-engines 1") != 0)
		return damaged_file(r, "not a file of measured engines");
	if (next_line(r) != 0)
		return 1;
	snprintf(own, sizeof own, "cudnn %ld", m->cudnn);
	if (strncmp(r->line, "cudnn ", 6) != 0)
		return damaged_file(r, "no version of cuDNN");
	if (strcmp(r->line, own) != 0) {
		error_at(r->note, ERROR_INPUT, r->path, r->number, 0,
		    "measured with cuDNN '%.40s', but this is '%ld'; engines "
		    "are measured again",
		    r->line + 6, m->cudnn);
		return 1;
	}
	if (next_line(r) != 0)
		return 1;
	snprintf(own, sizeof own, "gpu %d.%d %d %s", m->major, m->minor,
	    m->multiprocessors, m->name);
	if (strncmp(r->line, "gpu ", 4) != 0)
		return damaged_file(r, "no GPU");
	if (strcmp(r->line, own) != 0) {
		error_at(r->note, ERROR_INPUT, r->path, r->number, 0,
		    "measured on GPU '%.300s', but this is '%.300s'; engines "
		    "are measured again",
		    r->line + 4, own + 4);
		return 1;
	}
	return 0;
}

static int
read_choices(struct engine_cache_reader *r, struct engine_cache *c)
{
	struct engine_choice choice;
	size_t n;
	int end = 0;

	for (;;) {
		if (next_line(r) != 0)
			return 1;
		if (strncmp(r->line, "end ", 4) == 0)
			break;
		if (strncmp(r->line, "engine ", 7) != 0 ||
		    read_choice(r->line + 7, &choice) != 0 ||
		    c->n == CHOICES_MAX)
			return damaged_file(r, "not an engine");
		engine_cache_put(c, &choice);
	}
	if (sscanf(r->line, "end %zu%n", &n, &end) != 1 ||
	    r->line[end] != '\0' || n != c->n)
		return damaged_file(r, "not as many engines as it states");
	return getc(r->f) != EOF ? damaged_file(r, "text after the end") : 0;
}

int
engine_cache_read(struct engine_cache *c, const char *path, struct error *note)
{
	struct engine_cache_reader r = { .path = path, .note = note };
	int rc;

	r.f = fopen(path, "r");
	if (r.f == NULL && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (r.f == NULL) {
		error_errno(note, errno, "%s", path);
		return 1;
	}
	rc = read_machine(&r, &c->machine) != 0 || read_choices(&r, c) != 0;
	fclose(r.f);
	if (rc != 0)
		c->n = 0;
	c->changed = 0;
	return rc;
}

/* --- writing -------------------------------------------------------------- */

int
engine_cache_write(struct engine_cache *c, const char *path, struct error *e)
{
	const struct engine_machine *m = &c->machine;
	struct outfile o;

	if (outfile_open(&o, path, e) != 0)
		return -1;
	fprintf(o.f, "dlscale-engines 1\ncudnn %ld\ngpu %d.%d %d %s\n",
	    m->cudnn, m->major, m->minor, m->multiprocessors, m->name);
	for (size_t i = 0; i < c->n; i++) {
		const struct engine_choice *x = &c->choices[i];

		fprintf(o.f, "engine %d %s %d %.3f %s %s\n", x->batch,
		    dtype_name(x->precision), x->deterministic, x->us,
		    x->signature, x->engine);
	}
	fprintf(o.f, "end %zu\n", c->n);
	if (outfile_commit(&o, e) != 0)
		return -1;
	c->changed = 0;
	return 0;
}

void
engine_cache_path(const struct engine_machine *m, struct strbuf *out)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache != NULL && cache[0] == '/') /* XDG: absolute only */
		strbuf_addstr(out, cache);
	else if (home != NULL && home[0] != '\0')
		strbuf_printf(out, "%s/.cache", home);
	else
		return;
	strbuf_printf(out, "/dlscale/engines-%ld-", m->cudnn);
	for (const char *p = m->name; *p != '\0'; p++)
		strbuf_addch(out,
		    isalnum((unsigned char)*p)
			? (char)tolower((unsigned char)*p)
			: '-');
	strbuf_printf(out, "-%d", m->multiprocessors);
}

/* --- fusion --------------------------------------------------------------- */

/* Key of a call of our own kernels: kind, image shape and optional inputs.
 *
 * second    1: has a second normalisation
 * added     1: has a second operand
 * from_sum  "reduce": 1: the ReLU is that of a block's end */
static void
own_signature(const char *kind, struct shape s, int second, int added,
    int from_sum, char *out)
{
	snprintf(out, ENGINE_WORD, "%s:c%d,h%d,w%d:n%d:t%d%d", kind, s.c, s.h,
	    s.w, second, added, from_sum);
}

int
fusion_own_signature(
    const struct gpu_program *p, const struct call *c, char *out)
{
	static const char *const kinds[N_CALL_KINDS] = {
		[CALL_NORM_APPLY] = "apply",
		[CALL_NORM_SUMS] = "sums",
		[CALL_NORM_REDUCE] = "reduce",
		[CALL_BIAS] = "bias",
	};
	const int reduces = c->kind == CALL_NORM_REDUCE;

	if (kinds[c->kind] == NULL || !program_may_fuse(p, c))
		return 0;
	/* Fused normalisations always have a ReLU. */
	if ((reduces || c->kind == CALL_NORM_APPLY) && !c->relu)
		return 0;
	own_signature(kinds[c->kind],
	    p->tensors[reduces ? c->in[2] : c->in[0]].shape, c->norm[1] >= 0,
	    c->in[1] != MEMORY_PLAN_NONE,
	    reduces && c->in[3] != MEMORY_PLAN_NONE, out);
	return 1;
}

/* --- times ---------------------------------------------------------------- */

struct fusion_times {
	const struct engine_cache *times;
	const struct gpu_program *p;
	int deterministic;
};

int
fusion_is_missing(const struct engine_choice *x)
{
	return strcmp(x->engine, ENGINE_FAULTED) == 0 ||
	    strcmp(x->engine, ENGINE_NONE) == 0;
}

/* Key for t, without the signature. */
static struct engine_choice
key_of(const struct fusion_times *t)
{
	return (struct engine_choice){ .batch = t->p->config.batch,
		.precision = t->p->config.type,
		.deterministic = t->deterministic };
}

/* Time in microseconds; NAN: not timed, INFINITY: cannot run. */
static double
time_of_key(const struct fusion_times *t, const struct engine_choice *key)
{
	const struct engine_choice *x = engine_cache_find(t->times, key);

	if (x == NULL)
		return (double)NAN;
	return fusion_is_missing(x) ? (double)INFINITY : x->us;
}

static double
time_of_conv(const struct fusion_times *t, const struct call *c)
{
	struct engine_choice key = key_of(t);

	engine_signature(c, key.signature);
	return time_of_key(t, &key);
}

static double
time_of_own(const struct fusion_times *t, const char *kind, struct shape s,
    int second, int added, int from_sum)
{
	struct engine_choice key = key_of(t);

	own_signature(kind, s, second, added, from_sum, key.signature);
	return time_of_key(t, &key);
}

/* Shapes of a convolution's input and output images. */
static struct shape
input_of(const struct call *c)
{
	return (struct shape){ c->conv.c, c->conv.h, c->conv.w };
}

static struct shape
output_of(const struct call *c)
{
	return (struct shape){ c->conv.k, c->conv.p, c->conv.q };
}

/* The convolution of a fused call without the rest. */
static struct call
plain_form(const struct call *c)
{
	struct call plain = *c;

	plain.input = INPUT_PLAIN;
	plain.biased = plain.relu = 0;
	for (int i = 1; i < CALL_IN; i++)
		plain.in[i] = MEMORY_PLAN_NONE;
	for (int i = 0; i < CALL_NORMS; i++)
		plain.norm[i] = -1;
	return plain;
}

/* Time of the weight gradient that reads its input as c does. */
static double
time_of_weight(const struct fusion_times *t, const struct call *c)
{
	struct call weight = plain_form(c);

	weight.kind = CALL_CONV_WEIGHT;
	weight.input = c->input;
	weight.norm[0] = c->norm[0];
	return time_of_conv(t, &weight);
}

/* Time of a variant of forward convolution c, including the separate calls that
 * it needs.
 *
 * makes  1: computes its input itself
 * sums   1: sums up its output itself */
static double
time_of_forward(
    const struct fusion_times *t, const struct call *c, int makes, int sums)
{
	struct call form = makes ? *c : plain_form(c);
	double us;

	form.norm[2] = sums ? 0 : -1;
	us = time_of_conv(t, &form);
	if (!makes && c->input != INPUT_PLAIN)
		us += time_of_own(t, "apply", input_of(c), c->norm[1] >= 0,
		    c->in[1] != MEMORY_PLAN_NONE, 0);
	if (!sums)
		us += time_of_own(t, "sums", output_of(c), 0, 0, 0);
	/* Weight gradients of INPUT_BLOCK are the same: a block's output is
	 * always in memory. */
	if (c->input == INPUT_NORM)
		us += time_of_weight(t, &form);
	return us;
}

/* True if c is at least as fast as all variants that were timed. */
static int
forward_pays(const struct fusion_times *t, const struct call *c)
{
	const int makes = c->input != INPUT_PLAIN, sums = c->norm[2] >= 0;
	const double own = time_of_forward(t, c, makes, sums);

	if (isnan(time_of_forward(t, c, 0, 0)))
		return 1;
	if (!isfinite(own))
		return 0;
	for (int i = 0; i <= makes; i++)
		for (int k = 0; k < 2; k++)
			if (time_of_forward(t, c, i, k) < own)
				return 0;
	return 1;
}

static int
data_pays(const struct fusion_times *t, const struct call *c)
{
	const struct call plain = plain_form(c);
	const double own = time_of_conv(t, c);
	const double single = time_of_conv(t, &plain) +
	    time_of_own(t, "reduce", input_of(c), c->norm[1] >= 0,
		c->in[1] != MEMORY_PLAN_NONE, c->in[3] != MEMORY_PLAN_NONE);

	return isnan(single) || own <= single;
}

/* False also if a time is unknown. */
static int
bias_pays(const struct fusion_times *t, const struct call *c)
{
	const struct call plain = plain_form(c);
	const double single = time_of_conv(t, &plain) +
	    time_of_own(t, "bias", output_of(c), 0, 0, 0);

	return time_of_conv(t, c) < single;
}

int
fusion_failed(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic)
{
	const struct fusion_times t = { times, p, deterministic };

	return isinf(time_of_conv(&t, c));
}

int
fusion_pays(const struct engine_cache *times, const struct gpu_program *p,
    const struct call *c, int deterministic)
{
	const struct fusion_times t = { times, p, deterministic };

	if (fusion_failed(times, p, c, deterministic))
		return 0;
	if (c->biased)
		return bias_pays(&t, c);
	if (c->kind == CALL_CONV)
		return forward_pays(&t, c);
	if (c->kind == CALL_CONV_DATA)
		return data_pays(&t, c);
	return 1;
}
