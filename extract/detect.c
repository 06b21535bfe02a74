#include <config.h>

#include "extract/detect.h"

#include "common/alloc.h"
#include "extract/lines.h"
#include "extract/mould.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct piece_line {
	size_t at, len; /* in the data, or in clean */
	int cleaned;
	size_t masked; /* where its masked copy stands */
	size_t times;  /* that such a line is there: of the first one; 0: of
	                  the others */
};

enum {
	GRAM = 4, /* bytes that are looked up together */
	GRAM_BITS = 20,
	GRAM_WORDS = (1 << GRAM_BITS) / 64
};

struct detector {
	const struct format_set *set;
	struct matcher *m;
	const char *data;
	struct piece_line *lines;
	size_t n_lines, alloc_lines;
	char *clean; /* lines that needed it */
	size_t n_clean, alloc_clean;
	/* Lines that differ in digits only are one to most formats. */
	char *masked;
	size_t alloc_masked;
	size_t *slots; /* [n_slots] index of a line + 1, by its masked copy */
	size_t n_slots;
	uint64_t grams[GRAM_WORDS]; /* a bit for each that the lines hold */
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
	free(d->masked);
	free(d->slots);
	free(d);
}

static void
add_line(struct detector *d, size_t at, size_t len, int cleaned)
{
	d->lines =
	    vec_grow(d->lines, d->n_lines, &d->alloc_lines, sizeof *d->lines);
	d->lines[d->n_lines++] = (struct piece_line){ at, len, cleaned, 0, 1 };
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

static const char *
line_text(const struct detector *d, const struct piece_line *l)
{
	return (l->cleaned ? d->clean : d->data) + l->at;
}

/* The slot of line i, or of an earlier one that is masked alike. */
static size_t *
find_slot(const struct detector *d, size_t i)
{
	const struct piece_line *l = &d->lines[i];
	size_t at = XXH3_64bits(d->masked + l->masked, l->len);

	for (;; at++) {
		size_t *slot = &d->slots[at & (d->n_slots - 1)];
		const struct piece_line *x;

		if (*slot == 0)
			return slot;
		x = &d->lines[*slot - 1];
		if (x->len == l->len &&
		    memcmp(d->masked + x->masked, d->masked + l->masked,
			l->len) == 0)
			return slot;
	}
}

/* Count how often each line is there, but for digits. */
static void
count_lines(struct detector *d, size_t len)
{
	size_t used = 0;

	while (d->n_slots < 2 * d->n_lines + 16) {
		d->n_slots = d->n_slots == 0 ? 1024 : d->n_slots * 2;
		free(d->slots);
		d->slots = xcalloc(d->n_slots, sizeof *d->slots);
	}
	memset(d->slots, 0, d->n_slots * sizeof *d->slots);
	if (d->alloc_masked < len + d->n_clean) {
		d->alloc_masked = len + d->n_clean;
		d->masked = xreallocarray(d->masked, d->alloc_masked, 1);
	}
	for (size_t i = 0; i < d->n_lines; i++) {
		struct piece_line *l = &d->lines[i];
		size_t *slot;

		l->masked = used;
		mould_mask(line_text(d, l), l->len, d->masked + used);
		slot = find_slot(d, i);
		if (*slot == 0) {
			*slot = i + 1;
			used += l->len;
		} else {
			l->times = 0;
			d->lines[*slot - 1].times++;
		}
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

static uint32_t
gram_at(const char *s)
{
	uint32_t x;

	memcpy(&x, s, sizeof x);
	return (x * UINT32_C(2654435761)) >> (32 - GRAM_BITS);
}

/* Note what stands in the lines, so that most formats need not be asked. */
static void
take_grams(struct detector *d)
{
	memset(d->grams, 0, sizeof d->grams);
	for (size_t i = 0; i < d->n_lines; i++) {
		const struct piece_line *l = &d->lines[i];
		const char *text = (l->cleaned ? d->clean : d->data) + l->at;

		for (size_t j = 0; j + GRAM <= l->len; j++) {
			const uint32_t g = gram_at(text + j);

			d->grams[g / 64] |= UINT64_C(1) << g % 64;
		}
	}
}

/* Can the pattern match some line?  0: surely not. */
static int
may_match(const struct detector *d, const struct clue *c)
{
	for (size_t j = 0; j + GRAM <= c->n_literal; j++) {
		const uint32_t g = gram_at(c->literal + j);

		if (!(d->grams[g / 64] >> g % 64 & 1))
			return 0;
	}
	return 1;
}

static int
may_be(const struct detector *d, const struct format *f, unsigned roles)
{
	for (size_t i = 0; i < f->n_clues; i++)
		if ((roles & WORD_IN(f->clues[i].role)) &&
		    may_match(d, &f->clues[i]))
			return 1;
	return 0;
}

/* The roles that tell of a format, where these are looked for. */
static unsigned
telling(const struct format *f, unsigned roles)
{
	for (size_t i = 0; i < f->n_clues; i++)
		if (f->clues[i].role == ROLE_COLLECTIVE)
			return roles | WORD_IN(ROLE_CONTEXT);
	return roles;
}

static struct candidate
try_format(struct detector *d, const struct format *f, unsigned roles)
{
	const unsigned all = telling(f, roles);
	const unsigned asked = all | WORD_IN(ROLE_HOT) | WORD_IN(ROLE_IGNORE);
	struct candidate c = { f, 0, 0, 0 };
	int blind;

	if (!may_be(d, f, all) || format_ready(f) != 0)
		return c;
	blind = !(f->keen_roles & asked) && d->set->prefixes_blind;
	for (size_t i = 0; i < d->n_lines; i++) {
		const struct piece_line *l = &d->lines[i];
		const size_t times = blind ? l->times : 1;
		struct candidate line = { f, 0, 0, 0 };

		if (times == 0)
			continue;
		matcher_line(
		    d->m, f, all, line_text(d, l), l->len, count_hit, &line);
		c.n_hot += line.n_hot * times;
		c.n_summaries += line.n_summaries * times;
		c.n_results += line.n_results * times;
	}
	return c;
}

/* The same until there are steps enough to believe the hint. */
static struct candidate
try_hint(struct detector *d, const struct format *f, unsigned roles)
{
	const unsigned all = telling(f, roles);
	struct candidate c = { f, 0, 0, 0 };

	for (size_t i = 0; i < d->n_lines && c.n_hot < DETECT_HINT_MIN; i++) {
		const struct piece_line *l = &d->lines[i];

		matcher_line(
		    d->m, f, all, line_text(d, l), l->len, count_hit, &c);
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
		struct candidate c = try_hint(d, hint, steps);

		if (c.n_hot >= DETECT_HINT_MIN) {
			out->best = c;
			return;
		}
	}
	count_lines(d, len);
	take_grams(d);
	try_all(d, steps, out);
	if (out->best.format == NULL)
		try_all(d, WORD_IN(ROLE_RESULT), out);
}
