#include <config.h>

#include "extract/detect.h"

#include "common/alloc.h"
#include "extract/lines.h"

#include <stdlib.h>
#include <string.h>

struct piece_line {
	size_t at, len; /* in the data, or in clean */
	int cleaned;
};

struct detector {
	const struct format_set *set;
	struct matcher *m;
	const char *data;
	struct piece_line *lines;
	size_t n_lines, alloc_lines;
	char *clean; /* lines that needed it */
	size_t n_clean, alloc_clean;
};

struct detector *
detector_new(const struct format_set *set, struct matcher *m)
{
	struct detector *d = xcalloc(1, sizeof *d);

	d->set = set;
	d->m = m;
	return d;
}

void
detector_free(struct detector *d)
{
	if (d == NULL)
		return;
	free(d->lines);
	free(d->clean);
	free(d);
}

static void
add_line(struct detector *d, size_t at, size_t len, int cleaned)
{
	d->lines =
	    vec_grow(d->lines, d->n_lines, &d->alloc_lines, sizeof *d->lines);
	d->lines[d->n_lines++] = (struct piece_line){ at, len, cleaned };
}

/* Note a line of the piece, cleaned if need be. */
static void
take_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct detector *d = arg;
	int64_t n_nul = 0;
	size_t end;

	(void)number;
	if (!(flags & LINE_CONTROL)) {
		add_line(d, (size_t)(text - d->data), len, 0);
		return;
	}
	if (d->alloc_clean - d->n_clean < len + 1) {
		d->alloc_clean = d->n_clean + d->n_clean / 2 + len + 1;
		d->clean = xreallocarray(d->clean, d->alloc_clean, 1);
	}
	end = d->n_clean + line_clean(text, len, d->clean + d->n_clean, &n_nul);
	while (d->n_clean < end) {
		size_t n = strlen(d->clean + d->n_clean);

		add_line(d, d->n_clean, n, 1);
		d->n_clean += n + 1;
	}
}

static void
count_hit(void *arg, const struct hit *hit)
{
	struct candidate *c = arg;

	const enum role role = hit->pattern->role;

	/* Rows of numbers alone tell nothing; their title does. */
	c->n_hot += role == ROLE_CONTEXT && c->format->has_collectives;
	c->n_hot += role == ROLE_HOT || role == ROLE_LAP;
	/* The end of a run stands in the logs of other formats too. */
	c->n_summaries += role == ROLE_END && c->format->n_hot == 0;
	c->n_summaries += hit->pattern->role == ROLE_SUMMARY;
	c->n_results += hit->pattern->role == ROLE_RESULT;
}

static struct candidate
try_format(struct detector *d, const struct format *f, unsigned roles)
{
	struct candidate c = { f, 0, 0, 0 };

	for (size_t i = 0; i < d->n_lines; i++) {
		const struct piece_line *l = &d->lines[i];
		const char *text = (l->cleaned ? d->clean : d->data) + l->at;

		matcher_line(d->m, f,
		    roles | (f->has_collectives ? WORD_IN(ROLE_CONTEXT) : 0),
		    text, l->len, count_hit, &c);
	}
	return c;
}

/* Is a better than b? */
static int
is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->n_hot + a->n_summaries + a->n_results == 0)
		return 0;
	if (b->format == NULL)
		return 1;
	if (a->format->generic != b->format->generic)
		return !a->format->generic;
	if (a->n_hot != b->n_hot)
		return a->n_hot > b->n_hot;
	if (a->n_summaries != b->n_summaries)
		return a->n_summaries > b->n_summaries;
	if (a->n_results != b->n_results)
		return a->n_results > b->n_results;
	if (a->format->priority != b->format->priority)
		return a->format->priority > b->format->priority;
	return strcmp(a->format->name, b->format->name) < 0;
}

static void
try_all(struct detector *d, unsigned roles, struct detection *out)
{
	for (size_t i = 0; i < d->set->n_formats; i++) {
		struct candidate c = try_format(d, d->set->formats[i], roles);

		if (is_better(&c, &out->best)) {
			out->runner_up = out->best;
			out->best = c;
		} else if (is_better(&c, &out->runner_up)) {
			out->runner_up = c;
		}
	}
}

void
detector_run(struct detector *d, const char *data, size_t len,
    const struct format *hint, struct detection *out)
{
	const unsigned steps = WORD_IN(ROLE_HOT) | WORD_IN(ROLE_SUMMARY) |
	    WORD_IN(ROLE_END) | WORD_IN(ROLE_LAP);
	struct line_walker w;

	memset(out, 0, sizeof *out);
	d->data = data;
	d->n_lines = d->n_clean = 0;
	line_walker_init(&w, len);
	line_walker_take(&w, data, len, 1, take_line, d);
	out->n_lines = d->n_lines;
	if (hint != NULL && !hint->generic) {
		struct candidate c = try_format(d, hint, steps);

		if (c.n_hot >= DETECT_HINT_MIN) {
			out->best = c;
			return;
		}
	}
	try_all(d, steps, out);
	if (out->best.format == NULL)
		try_all(d, WORD_IN(ROLE_RESULT), out);
}
