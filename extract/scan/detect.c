/* Finds the format of a piece of a log: all formats are asked, but only
 * about the kinds of line that hold what they need.  Called by detect_file.c
 * and --explain; it knows nothing of files. */
#include <config.h>

#include "extract/scan/detect.h"

#include "common/alloc.h"
#include "extract/input/lines.h"
#include "extract/scan/digit_mask.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct piece_line {
	size_t at, len; /* in the data, or in clean */
	int cleaned;
	size_t masked; /* where its masked copy stands */
	size_t kind;   /* index in the kinds */
	int given_up;  /* 1: some pattern gave up on it: no other is asked */
	size_t times;  /* that such a line is there: of the first one; 0: of
	                  the others */
};

/* Lines that differ in digits only are of one kind. */
struct line_kind {
	size_t first;                    /* line */
	struct required_literal_set set; /* what it is made of */
	int asked; /* 1: the current format may match it */
};

enum {
	FIRST_BYTES = 4096, /* that a hint is tried on first */
	GRAM = 4,           /* bytes that are looked up together */
	GRAM_BITS = 20,
	GRAM_WORDS = (1 << GRAM_BITS) / 64
};

enum { NOT_ASKED, KNOWN, NOT_KNOWN };

struct detector {
	const struct format_set *set;
	struct matcher *m;
	const char *data;
	struct piece_line *lines;
	size_t n_lines, alloc_lines;
	char *clean; /* lines that needed it */
	size_t n_clean, alloc_clean;
	/* They are one to most formats. */
	struct line_kind *kinds;
	size_t n_kinds, alloc_kinds;
	char *masked; /* the lines without their digits, one of each kind */
	size_t alloc_masked;
	size_t *slots; /* [n_slots] index of a kind + 1, by its masked copy */
	size_t n_slots;
	uint64_t grams[GRAM_WORDS]; /* a bit for each that the lines hold */
	int64_t work;               /* see DETECT_WORK */
	int64_t match_work;         /* left of DETECT_MATCH_WORK */
	int cut;                    /* 1: a piece was not looked at */
	unsigned char *known;       /* [n_lines] by the chosen format */
	size_t alloc_known;
};

struct detector *
detector_new(const struct format_set *set, struct matcher *m)
{
	struct detector *d = xcalloc(1, sizeof *d);

	d->set = set;
	d->m = m;
	detector_new_file(d);
	return d;
}

void
detector_free(struct detector *d)
{
	if (d == NULL)
		return;
	free(d->lines);
	free(d->kinds);
	free(d->clean);
	free(d->masked);
	free(d->slots);
	free(d->known);
	free(d);
}

static void
add_line(struct detector *d, size_t at, size_t len, int cleaned)
{
	d->lines =
	    vec_grow(d->lines, d->n_lines, &d->alloc_lines, sizeof *d->lines);
	d->lines[d->n_lines++] =
	    (struct piece_line){ at, len, cleaned, 0, 0, 0, 1 };
}

/* Note a line of the piece, cleaned if need be. */
static void
note_line(
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

/* The slot of line i's kind. */
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
		x = &d->lines[d->kinds[*slot - 1].first];
		if (x->len == l->len &&
		    memcmp(d->masked + x->masked, d->masked + l->masked,
			l->len) == 0)
			return slot;
	}
}

static void
add_kind(struct detector *d, size_t first)
{
	d->kinds =
	    vec_grow(d->kinds, d->n_kinds, &d->alloc_kinds, sizeof *d->kinds);
	d->kinds[d->n_kinds++] = (struct line_kind){ .first = first };
}

/* Make room for lines that are len bytes long in all, but for the cleaned. */
static void
clear_kinds(struct detector *d, size_t len)
{
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
	d->n_kinds = 0;
}

/* Distinguish the kinds of line, and count each. */
static void
find_kinds(struct detector *d, size_t len)
{
	size_t used = 0;

	clear_kinds(d, len);
	for (size_t i = 0; i < d->n_lines; i++) {
		struct piece_line *l = &d->lines[i];
		size_t *slot;

		l->masked = used;
		digit_mask_line(line_text(d, l), l->len, d->masked + used);
		slot = find_slot(d, i);
		if (*slot == 0) {
			add_kind(d, i);
			*slot = d->n_kinds;
			used += l->len;
		} else {
			l->times = 0;
			d->lines[d->kinds[*slot - 1].first].times++;
		}
		l->kind = *slot - 1;
	}
}

static void
count_match(void *arg, const struct match *match)
{
	struct candidate *c = arg;

	const enum role role = match->pattern->role;

	/* Rows of numbers alone show nothing; their title does. */
	c->n_steps += role == ROLE_CONTEXT && c->format->has_collectives;
	c->n_steps += role == ROLE_STEP || role == ROLE_INTERVAL;
	/* The end of a run stands in the logs of other formats too. */
	c->n_summaries += role == ROLE_END &&
	    (c->format->n_step_patterns == 0 || c->format->generic);
	c->n_summaries += match->pattern->role == ROLE_SUMMARY;
	c->n_results += match->pattern->role == ROLE_RESULT;
	c->n_signatures += role == ROLE_SIGNATURE;
}

/* A byte, with all digits as one. */
static uint32_t
digits_as_one(char c)
{
	return c >= '0' && c <= '9' ? '0' : (unsigned char)c;
}

static uint32_t
gram_hash(uint32_t gram)
{
	return (gram * UINT32_C(2654435761)) >> (32 - GRAM_BITS);
}

/* Note which grams and bytes the lines hold: most formats need others, and need
 * not be asked; nor need most lines of the others. */
static void
note_grams(struct detector *d)
{
	memset(d->grams, 0, sizeof d->grams);
	for (size_t i = 0; i < d->n_kinds; i++) {
		const struct piece_line *l = &d->lines[d->kinds[i].first];
		const char *text = d->masked + l->masked;
		uint32_t gram = 0;

		required_literal_set_add(&d->kinds[i].set, text, l->len);
		for (size_t j = 0; j < l->len; j++) {
			gram = gram << 8 | digits_as_one(text[j]);
			if (j + 1 >= GRAM) {
				const uint32_t g = gram_hash(gram);

				d->grams[g / 64] |= UINT64_C(1) << g % 64;
			}
		}
	}
}

/* Can the pattern match some line?  0: surely not. */
static int
may_match(const struct detector *d, const struct clue *c)
{
	uint32_t gram = 0;

	for (size_t j = 0; j < c->n_literal; j++) {
		uint32_t g;

		gram = gram << 8 | digits_as_one(c->literal[j]);
		g = gram_hash(gram);
		if (j + 1 >= GRAM && !(d->grams[g / 64] >> g % 64 & 1))
			return 0;
	}
	return 1;
}

/* A format that is tried. */
struct attempt {
	const struct format *format;
	unsigned roles;                                /* that identify it */
	const struct clue *clues[FORMAT_MAX_PATTERNS]; /* [n_clues] to ask */
	size_t n_clues;
};

/* Get the clues of the roles that are asked for.  Returns 0 if none of those
 * that identify the format can match. */
static int
choose_clues(
    const struct detector *d, const struct format *f, struct attempt *a)
{
	const unsigned asked =
	    a->roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SIGNATURE);
	int found = 0;

	a->format = f;
	a->n_clues = 0;
	for (size_t i = 0; i < f->n_clues; i++) {
		const struct clue *c = &f->clues[i];

		if (!(asked & FIELD_NAME_IN(c->role)) || !may_match(d, c))
			continue;
		a->clues[a->n_clues++] = c;
		found |= (a->roles & FIELD_NAME_IN(c->role)) != 0;
	}
	return found;
}

/* May one of the patterns match lines of this kind? */
static int
may_match_kind(const struct detector *d, const struct attempt *a,
    const struct line_kind *k)
{
	const struct piece_line *l = &d->lines[k->first];
	const char *text = line_text(d, l);

	for (size_t i = 0; i < a->n_clues; i++) {
		const struct clue *c = a->clues[i];

		if (c->table)
			return 1; /* its header stands in another line */
		if (!required_literal_set_holds(&k->set, &c->need))
			continue;
		/* Digits may be others in other lines of the kind. */
		if (c->digits ||
		    memmem(text, l->len, c->literal, c->n_literal) != NULL)
			return 1;
	}
	return 0;
}

/* Which kinds may be matched?  Returns how many. */
static size_t
ask_kinds(struct detector *d, const struct attempt *a)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_kinds; i++)
		n += (size_t)(d->kinds[i].asked =
				  may_match_kind(d, a, &d->kinds[i]));
	return n;
}

/* The roles that identify a format, where these are looked for. */
static unsigned
telling_roles(const struct format *f, unsigned roles)
{
	for (size_t i = 0; i < f->n_clues; i++)
		if (f->clues[i].role == ROLE_COLLECTIVE)
			return roles | FIELD_NAME_IN(ROLE_CONTEXT);
	return roles;
}

static struct candidate
try_format(struct detector *d, const struct format *f, unsigned roles)
{
	struct attempt a = { .roles = telling_roles(f, roles) };
	const unsigned asked =
	    a.roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);
	struct candidate c = { f, 0, 0, 0, 0 };
	int same_for_digits;

	if (!choose_clues(d, f, &a) || ask_kinds(d, &a) == 0 ||
	    format_ready(f) != 0)
		return c;
	matcher_new_log(d->m);
	same_for_digits = !(f->digit_sensitive_roles & asked) &&
	    d->set->prefixes_digit_insensitive;
	for (size_t i = 0; i < d->n_lines; i++) {
		struct piece_line *l = &d->lines[i];
		const size_t times = same_for_digits ? l->times : 1;
		const int64_t limits = *matcher_limits(d->m);
		struct candidate line = { f, 0, 0, 0, 0 };

		if (times == 0 || !d->kinds[l->kind].asked || l->given_up)
			continue;
		matcher_line(d->m, f, a.roles | FIELD_NAME_IN(ROLE_SIGNATURE),
		    line_text(d, l), l->len, count_match, &line);
		d->work += (int64_t)l->len;
		l->given_up = *matcher_limits(d->m) > limits;
		c.n_steps += line.n_steps * times;
		c.n_summaries += line.n_summaries * times;
		c.n_results += line.n_results * times;
		c.n_signatures += line.n_signatures * times;
	}
	return c;
}

/* Cut the piece into lines, and ask the hint's format about them until there
 * are steps enough to believe it: then the rest is left.
 *
 * c  its format is the hint, or NULL; the rest is filled */
static void
split_piece(struct detector *d, size_t len, unsigned roles, struct candidate *c)
{
	const int asks = c->format != NULL;
	const unsigned all = asks ? telling_roles(c->format, roles) : 0;
	size_t at = 0, n = asks && len > FIRST_BYTES ? FIRST_BYTES : len;
	struct line_walker w;

	if (asks)
		matcher_new_log(d->m);
	line_walker_init(&w, len);
	for (size_t i = 0;;) {
		const int last = at + n == len;

		at += line_walker_consume(
		    &w, d->data + at, n, last, note_line, d);
		for (; asks && i < d->n_lines; i++) {
			const struct piece_line *l = &d->lines[i];

			matcher_line(d->m, c->format, all, line_text(d, l),
			    l->len, count_match, c);
			if (c->n_steps >= DETECT_HINT_MIN)
				return;
		}
		if (last)
			return;
		/* What is left of these is the start of a line. */
		n = 2 * n < len - at ? 2 * n : len - at;
	}
}

/* A benchmark of collectives that ran before a training of which generic lines
 * show a run? */
static int
is_prelude(const struct candidate *benchmark, const struct candidate *training)
{
	return benchmark->format->has_collectives &&
	    benchmark->format->n_step_patterns == 0 &&
	    training->n_steps >= DETECT_FEW && training->n_summaries > 0;
}

/* Does a format that is generic only take the times at which lines were
 * written? */
static int
is_by_clock(const struct candidate *c)
{
	return c->format->meaning.kind == VALUE_ELAPSED ||
	    c->format->meaning.kind == VALUE_STAMP;
}

/* Does generic format a give way to b?  One that reads a rate or a time of a
 * step, if only on some of the lines, knows more than the clock: evaluation and
 * checkpoints do not count there. */
static int
is_last_resort(const struct candidate *a, const struct candidate *b)
{
	return a->format->generic && is_by_clock(a) && b->format->generic &&
	    !is_by_clock(b) && b->n_steps >= DETECT_FEW;
}

/* Is a better than b? */
static int
is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->n_steps + a->n_summaries + a->n_results == 0)
		return 0;
	if (b->format == NULL)
		return 1;
	if (a->format->generic != b->format->generic)
		return a->format->generic ? is_prelude(b, a)
					  : !is_prelude(a, b);
	if (is_last_resort(a, b) || is_last_resort(b, a))
		return is_last_resort(b, a);
	if (a->n_steps != b->n_steps)
		return a->n_steps > b->n_steps;
	if (a->n_summaries != b->n_summaries)
		return a->n_summaries > b->n_summaries;
	if (a->n_results != b->n_results)
		return a->n_results > b->n_results;
	if (a->n_signatures != b->n_signatures)
		return a->n_signatures > b->n_signatures;
	if (a->format->priority != b->format->priority)
		return a->format->priority > b->format->priority;
	return strcmp(a->format->name, b->format->name) < 0;
}

/* Are these too few steps to make a run of?  Means stand for many. */
static int
is_slight(const struct candidate *c)
{
	return c->format != NULL && !c->format->generic &&
	    c->format->meaning.statistic == STATISTIC_INSTANT &&
	    c->n_steps < DETECT_FEW && c->n_summaries == 0;
}

static void
try_all(struct detector *d, unsigned roles, struct detection *out)
{
	struct candidate whole = { NULL, 0, 0, 0, 0 }; /* generic, of the run */
	size_t n = 0; /* formats that are not generic, with steps */

	for (size_t i = 0; i < d->set->n_formats; i++) {
		struct candidate c = try_format(d, d->set->formats[i], roles);

		n += c.n_steps > 0 && !c.format->generic;
		if (c.n_summaries > 0 && c.n_steps == 0 && c.format->generic &&
		    is_better(&c, &whole))
			whole = c;
		if (is_better(&c, &out->best)) {
			out->runner_up = out->best;
			out->best = c;
		} else if (is_better(&c, &out->runner_up)) {
			out->runner_up = c;
		}
	}
	if (whole.format != NULL && is_slight(&out->best)) {
		out->runner_up = out->best;
		out->best = whole;
	}
	out->alone = n == 0 ||
	    (n == 1 && out->best.n_steps > 0 && !out->best.format->generic);
}

/* --- Another program's steps ---------------------------------------------- */

/* The piece is these lines now, each of a kind of its own. */
static void
load_lines(struct detector *d, const struct unread_line *lines, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += lines[i].len;
	if (d->alloc_clean < len) {
		d->alloc_clean = len;
		d->clean = xreallocarray(d->clean, len, 1);
	}
	d->data = NULL;
	d->n_lines = d->n_clean = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(d->clean + d->n_clean, lines[i].text, lines[i].len);
		add_line(d, d->n_clean, lines[i].len, 1);
		d->n_clean += lines[i].len;
	}
	find_kinds(d, 0);
	note_grams(d);
}

static void
count_steps(void *arg, const struct match *match)
{
	const enum role role = match->pattern->role;

	*(int64_t *)arg += role == ROLE_STEP || role == ROLE_INTERVAL;
}

static void
count_any(void *arg, const struct match *match)
{
	(void)match;
	++*(int64_t *)arg;
}

/* Does the chosen format know a line, in whatever role? */
static int
is_known(struct detector *d, const struct format *chosen, size_t i)
{
	const struct piece_line *l = &d->lines[i];
	int64_t n = 0;

	if (d->known[i] == NOT_ASKED) {
		matcher_line(
		    d->m, chosen, ~0U, line_text(d, l), l->len, count_any, &n);
		d->known[i] = n > 0 ? KNOWN : NOT_KNOWN;
	}
	return d->known[i] == KNOWN;
}

/* Steps of a format on the kinds that are asked about and that the chosen one
 * does not know. */
static void
find_steps(struct detector *d, const struct format *chosen,
    const struct format *f, const struct unread_line *lines,
    struct other_steps *out)
{
	*out = (struct other_steps){ f, 0, 0 };
	matcher_new_log(d->m);
	for (size_t i = 0; i < d->n_lines; i++) {
		const struct piece_line *l = &d->lines[i];
		int64_t n = 0;

		if (!d->kinds[l->kind].asked)
			continue;
		matcher_line(d->m, f,
		    FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_INTERVAL),
		    line_text(d, l), l->len, count_steps, &n);
		if (n == 0 || is_known(d, chosen, i))
			continue;
		if (out->first_line == 0)
			out->first_line = lines[i].first;
		out->steps += n * lines[i].times;
	}
}

void
detector_find_other(struct detector *d, const struct format *chosen,
    const struct unread_line *lines, size_t n, struct other_steps *out)
{
	*out = (struct other_steps){ NULL, 0, 0 };
	if (n == 0)
		return;
	load_lines(d, lines, n);
	if (d->alloc_known < n) {
		d->alloc_known = n;
		d->known = xreallocarray(d->known, n, 1);
	}
	memset(d->known, NOT_ASKED, n);
	d->match_work = DETECT_MATCH_WORK;
	matcher_share_work(d->m, &d->match_work);
	for (size_t i = 0; i < d->set->n_formats; i++) {
		const struct format *f = d->set->formats[i];
		struct attempt a = { .roles = FIELD_NAME_IN(ROLE_STEP) |
			    FIELD_NAME_IN(ROLE_INTERVAL) };
		struct other_steps x;

		if (f == chosen || f->generic || !choose_clues(d, f, &a) ||
		    ask_kinds(d, &a) == 0 || format_ready(f) != 0)
			continue;
		find_steps(d, chosen, f, lines, &x);
		if (x.steps >= DETECT_FEW && x.steps > out->steps)
			*out = x;
	}
	matcher_share_work(d->m, NULL);
}

/* --- A piece -------------------------------------------------------------- */

/* May a hint be believed, or are there formats of the same lines whose sign may
 * stand here, or its own sign be missing? */
static int
is_in_doubt(const struct detector *d, const struct format *hint, size_t len)
{
	for (size_t i = 0; i < d->set->n_formats; i++) {
		const struct format *f = d->set->formats[i];

		for (size_t j = 0; j < f->n_clues; j++) {
			const struct clue *c = &f->clues[j];

			if (c->role != ROLE_SIGNATURE)
				continue;
			if (f == hint || c->digits ||
			    memmem(d->data, len, c->literal, c->n_literal) !=
				NULL)
				return 1;
		}
	}
	return 0;
}

static void
detect_piece(struct detector *d, const char *data, size_t len,
    const struct format *hint, struct detection *out)
{
	const unsigned steps = FIELD_NAME_IN(ROLE_STEP) |
	    FIELD_NAME_IN(ROLE_SUMMARY) | FIELD_NAME_IN(ROLE_END) |
	    FIELD_NAME_IN(ROLE_INTERVAL);
	struct candidate hinted = { NULL, 0, 0, 0, 0 };

	memset(out, 0, sizeof *out);
	d->data = data;
	d->n_lines = d->n_clean = 0;
	if (hint != NULL && !hint->generic && !is_in_doubt(d, hint, len))
		hinted.format = hint;
	split_piece(d, len, steps, &hinted);
	out->n_lines = d->n_lines;
	if (hinted.n_steps >= DETECT_HINT_MIN) {
		out->best = hinted;
		out->hinted = 1;
		return;
	}
	find_kinds(d, len);
	note_grams(d);
	try_all(d, steps, out);
	if (out->best.format == NULL)
		try_all(d, FIELD_NAME_IN(ROLE_RESULT), out);
}

void
detector_run(struct detector *d, const char *data, size_t len,
    const struct format *hint, struct detection *out)
{
	matcher_share_work(d->m, &d->match_work);
	detect_piece(d, data, len, hint, out);
	matcher_share_work(d->m, NULL);
}

void
detector_new_file(struct detector *d)
{
	d->work = 0;
	d->cut = 0;
	d->match_work = DETECT_MATCH_WORK;
}

int
detector_may_look(struct detector *d, int64_t at)
{
	const int may =
	    d->work <= DETECT_WORK + DETECT_WORK_EACH * at && d->match_work > 0;

	d->cut |= !may;
	return may;
}

int
detector_was_cut(const struct detector *d)
{
	return d->cut || d->match_work <= 0;
}

/* Is so little found that it may be a program's source, or another's lines? */
static int
is_sparse(const struct detection *x)
{
	const struct candidate *c = &x->best;

	return !x->hinted && x->n_lines >= DETECT_MANY_LINES &&
	    (c->n_steps + c->n_summaries + c->n_results) * DETECT_SPARSE <
	    (int64_t)x->n_lines;
}

int
detection_is_vague(const struct detection *x)
{
	return x->best.format == NULL || x->best.format->generic ||
	    is_sparse(x);
}

int
detection_is_better(const struct detection *a, const struct detection *b)
{
	if (b->best.format == NULL)
		return a->best.format != NULL;
	/* A figure of the whole run stands once, at its end. */
	if (a->best.n_summaries > 0 && !a->best.format->generic &&
	    b->best.format != NULL && b->best.format->generic)
		return 1;
	if (a->best.format != NULL && is_sparse(a) != is_sparse(b))
		return is_sparse(b);
	return is_better(&a->best, &b->best);
}
