/* Read and write the file of chosen engines; a damaged file or one of another
 * machine is ignored with a note. */
#include <config.h>

#include "trainer/device/cuda/engines/engine_cache.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/files/files.h"
#include "common/stats/stats.h"

enum { LINE_MAX_BYTES = 1024, CHOICES_MAX = 1 << 16 };

void
engine_signature(const struct call *c, char *out)
{
	static const char *const kinds[N_CALL_KINDS] = {
		[CALL_CONV] = "conv",
		[CALL_CONV_DATA] = "data",
		[CALL_CONV_WEIGHT] = "weight",
	};
	const struct conv_shape *s = &c->conv;
	const char *extra = "";

	assert(kinds[c->kind] != NULL);
	if (call_is_fused(c) && c->kind == CALL_CONV)
		extra = ":sums";
	else if (call_is_fused(c))
		extra = c->in[3] != MEMORY_PLAN_NONE ? ":block" : ":norm";
	snprintf(out, ENGINE_WORD, "%s:c%d,h%d,w%d,k%d,p%d,q%d,f%d,s%d,d%d%s%s",
	    kinds[c->kind], s->c, s->h, s->w, s->k, s->p, s->q, s->kernel,
	    s->stride, s->pad, extra,
	    call_is_fused(c) && c->in[1] != MEMORY_PLAN_NONE ? ":added" : "");
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

/* Check a line that names the machine, "PREFIX OWN". */
static int
read_head(struct engine_cache_reader *r, const char *prefix, const char *own,
    const char *missing, const char *measured)
{
	const size_t n = strlen(prefix);

	if (next_line(r) != 0)
		return 1;
	if (strncmp(r->line, prefix, n) != 0)
		return damaged_file(r, missing);
	if (strcmp(r->line + n, own) == 0)
		return 0;
	error_at(r->note, ERROR_INPUT, r->path, r->number, 0,
	    "measured %s '%.300s', but this is '%.300s'; engines are measured "
	    "again",
	    measured, r->line + n, own);
	return 1;
}

static int
read_choices(struct engine_cache_reader *r, struct engine_cache *c)
{
	struct engine_choice x;
	char type[16];
	long batch, deterministic;
	size_t n;
	int end;

	_Static_assert(ENGINE_WORD == 192, "widths of words");
	for (;;) {
		if (next_line(r) != 0)
			return 1;
		if (strncmp(r->line, "end ", 4) == 0)
			break;
		memset(&x, 0, sizeof x);
		if (strncmp(r->line, "engine ", 7) != 0 ||
		    sscanf(r->line, "engine %ld %15s %ld %lf %191s %191s%n",
			&batch, type, &deterministic, &x.us, x.signature,
			x.engine, &end) != 6 ||
		    r->line[end] != '\0' ||
		    dtype_find(type, &x.precision) != 0 || batch < 1 ||
		    batch > 1 << 20 || deterministic < 0 || deterministic > 1 ||
		    !(x.us >= 0) || !(x.us < 1e12) || c->n == CHOICES_MAX)
			return damaged_file(r, "not an engine");
		x.batch = (int)batch;
		x.deterministic = (int)deterministic;
		engine_cache_put(c, &x);
	}
	end = 0;
	if (sscanf(r->line, "end %zu%n", &n, &end) != 1 ||
	    r->line[end] != '\0' || n != c->n)
		return damaged_file(r, "not as many engines as it states");
	return getc(r->f) != EOF ? damaged_file(r, "text after the end") : 0;
}

int
engine_cache_read(struct engine_cache *c, const char *path, struct error *note)
{
	struct engine_cache_reader r = { .path = path, .note = note };
	const struct engine_machine *m = &c->machine;
	char cudnn[32], gpu[LINE_MAX_BYTES];
	int rc;

	r.f = fopen(path, "r");
	if (r.f == NULL && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (r.f == NULL) {
		error_errno(note, errno, "%s", path);
		return 1;
	}
	snprintf(cudnn, sizeof cudnn, "%ld", m->cudnn);
	snprintf(gpu, sizeof gpu, "%d.%d %d %s", m->major, m->minor,
	    m->multiprocessors, m->name);
	/* Ignore a file of another cuDNN version or GPU type. */
	rc = next_line(&r);
	if (rc == 0 && strcmp(r.line, "dlscale-engines 1") != 0)
		rc = damaged_file(&r, "not a file of measured engines");
	rc = rc != 0 ||
	    read_head(&r, "cudnn ", cudnn, "no version of cuDNN",
		"with cuDNN") != 0 ||
	    read_head(&r, "gpu ", gpu, "no GPU", "on GPU") != 0 ||
	    read_choices(&r, c) != 0;
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

	if (make_folder_of(path, e) != 0 || outfile_open(&o, path, e) != 0)
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

/* --- Trial ---------------------------------------------------------------- */

/* Candidates slower than the best by more than this factor are not timed again;
 * single runs vary by less. */
static const double NEAR = 1.3;

/* Usable candidate. */
struct engine_runner {
	int i;
	double seconds; /* second run, later lowest median of a round */
};

/* Order of trial: TUNE_FIRST candidates, one of each other engine, the rest. */
static void
put_in_order(const struct tune_task *t, int *order)
{
	int n = 0;

	for (int i = 0; i < t->n && i < TUNE_FIRST; i++)
		order[n++] = i;
	for (int others = 0; others < 2; others++)
		for (int i = TUNE_FIRST; i < t->n; i++) {
			int first = 0; /* of the same engine */

			while (t->engine[first] != t->engine[i])
				first++;
			if ((first < i) == others)
				order[n++] = i;
		}
}

/* Time the best and those near it again; medians replace the single runs.
 * Returns the number timed. */
static int
time_again(const struct tune_task *t, struct engine_runner *all, int n,
    struct error *e)
{
	const double most = NEAR * all[0].seconds;
	double seconds[TUNE_TIMES], median;
	int few = 1;

	while (few < n && few < TUNE_BEST && all[few].seconds <= most)
		few++;
	for (int round = 0; round < TUNE_ROUNDS && !t->is_over(t->ctx); round++)
		for (int k = 0; k < few; k++) {
			if (t->time(t->ctx, all[k].i, TUNE_TIMES, seconds, e) !=
			    0)
				return -1;
			median = stats_median(seconds, TUNE_TIMES);
			if (round == 0 || median < all[k].seconds)
				all[k].seconds = median;
		}
	return few;
}

int
tune(const struct tune_task *t, double *seconds, struct error *e)
{
	struct engine_runner all[TUNE_MAX], r;
	int order[TUNE_MAX], n = 0, vain = 0, few, at;
	double twice[2];

	assert(t->n <= TUNE_MAX);
	put_in_order(t, order);
	for (int k = 0; k < t->n && vain < TUNE_VAIN; k++) {
		if (n > 0 && t->is_over(t->ctx))
			break;
		/* The first run warms up. */
		if (t->prepare(t->ctx, order[k], e) != 0 ||
		    t->time(t->ctx, order[k], 2, twice, e) != 0)
			continue;
		r = (struct engine_runner){ order[k], twice[1] };
		/* Insert after equal ones. */
		for (at = n++; at > 0 && all[at - 1].seconds > r.seconds; at--)
			all[at] = all[at - 1];
		all[at] = r;
		vain = at == 0 ? 0 : vain + 1;
	}
	if (n == 0)
		return t->n > 0
		    ? -1
		    : error_set(e, ERROR_EMPTY, "there is no candidate");
	few = time_again(t, all, n, e);
	if (few < 0)
		return -1;
	r = all[0];
	for (int k = 1; k < few; k++)
		if (all[k].seconds < r.seconds ||
		    (all[k].seconds <= r.seconds && all[k].i < r.i))
			r = all[k];
	*seconds = r.seconds;
	return r.i;
}
