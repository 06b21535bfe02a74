/* Finds the format of a piece of a log: all formats are asked, but only
 * about the kinds of line that hold what they need.  Called by detect_file.c
 * and --explain; it knows nothing of files. */
#include <config.h>

#include "extract/scan/detect/detect.h"

#include "common/alloc.h"
#include "extract/format/patterns/csv_pattern.h"
#include "extract/format/patterns/json_pattern.h"
#include "extract/scan/detect/kind_memo.h"
#include "extract/scan/detect/line_kinds.h"

#include <stdlib.h>
#include <string.h>

/* What a format found on a kind.  Results are asked for last, of all kinds. */
struct found_kind {
	size_t kind;
	struct kind_find find;
};

/* A format whose patterns distinguish the lines of a kind. */
struct unsure_kind {
	size_t kind, format;
};

enum {
	MANY_KINDS = 256, /* as many headers would take as long as asking */
	GRAM = 4,         /* bytes that are looked up together */
	GRAM_BITS = 20,
	GRAM_WORDS = (1 << GRAM_BITS) / 64,
	MANY_GRAMS = 2048 /* set words: more are cleared with all others */
};

enum { NOT_ASKED, KNOWN, NOT_KNOWN };

/* What is looked for first. */
enum {
	STEP_ROLES = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY) |
	    FIELD_NAME_IN(ROLE_END) | FIELD_NAME_IN(ROLE_INTERVAL)
};

struct detector {
	const struct format_set *set;
	struct matcher *m;
	struct line_kinds piece;
	/* What is known of kinds: from logs before, and found in this piece. */
	struct kind_memo *memo;
	size_t n_known; /* kinds of this piece that are not asked about, or by
	                   formats that are unsure of them only */
	size_t n_unsure_known;  /* of these, those of which some are */
	struct kind_find *sums; /* [set->n_formats] of them */
	size_t *summed; /* [n_summed] formats whose sum is not 0, ascending */
	size_t n_summed;
	unsigned char *unsure_of_some; /* [set->n_formats] of them */
	struct found_kind *found;
	size_t n_found, alloc_found;
	struct unsure_kind *unsure;
	size_t n_unsure, alloc_unsure;
	int keeps;  /* 1: what is found is noted */
	int doubts; /* 1: the known kinds must be asked about after all */
	uint64_t grams[GRAM_WORDS];     /* a bit for each that the lines hold */
	uint32_t set_words[MANY_GRAMS]; /* [n_set_words] of these, those that
	                                   are not 0 */
	size_t n_set_words;   /* more than MANY_GRAMS: all may be set */
	int64_t work;         /* see DETECT_WORK */
	int64_t match_work;   /* left of DETECT_MATCH_WORK */
	int cut;              /* 1: a piece was not looked at */
	unsigned char *known; /* [n_lines] by the chosen format */
	size_t alloc_known;
};

struct detector *
detector_new(const struct format_set *set, struct matcher *m)
{
	struct detector *d = xcalloc(1, sizeof *d);

	d->set = set;
	d->m = m;
	d->memo = kind_memo_new();
	d->sums = xcalloc(set->n_formats + 1, sizeof *d->sums);
	d->summed = xcalloc(set->n_formats + 1, sizeof *d->summed);
	d->unsure_of_some = xcalloc(set->n_formats + 1, 1);
	detector_new_file(d);
	return d;
}

void
detector_free(struct detector *d)
{
	if (d == NULL)
		return;
	line_kinds_release(&d->piece);
	kind_memo_free(d->memo);
	free(d->sums);
	free(d->summed);
	free(d->unsure_of_some);
	free(d->found);
	free(d->unsure);
	free(d->known);
	free(d);
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

static void
add_grams(struct detector *d, const char *text, size_t len)
{
	uint32_t gram = 0;

	for (size_t i = 0; i < len; i++) {
		gram = gram << 8 | digits_as_one(text[i]);
		if (i + 1 >= GRAM) {
			const uint32_t g = gram_hash(gram);
			uint64_t *word = &d->grams[g / 64];

			if (*word == 0 && d->n_set_words++ < MANY_GRAMS)
				d->set_words[d->n_set_words - 1] = g / 64;
			*word |= UINT64_C(1) << g % 64;
		}
	}
}

/* Few lines set few of them. */
static void
clear_grams(struct detector *d)
{
	if (d->n_set_words > MANY_GRAMS)
		memset(d->grams, 0, sizeof d->grams);
	else
		for (size_t i = 0; i < d->n_set_words; i++)
			d->grams[d->set_words[i]] = 0;
	d->n_set_words = 0;
}

/* Is there a kind that some format is to be asked about? */
static int
has_asked_kinds(const struct detector *d)
{
	return d->n_known < d->piece.n_kinds || d->n_unsure_known > 0;
}

/* The same for one format. */
static int
has_kinds_open_to(const struct detector *d, size_t format)
{
	return d->n_known < d->piece.n_kinds ||
	    (d->n_unsure_known > 0 && d->unsure_of_some[format]);
}

/* Is the kind for that format to ask about? */
static int
is_open_to(const struct line_kind *k, size_t format)
{
	return k->known == NULL || kind_entry_is_unsure(k->known, format);
}

/* Note which grams and bytes the lines hold: most formats need others, and need
 * not be asked; nor need most lines of the others. */
static void
note_grams(struct detector *d)
{
	clear_grams(d);
	for (size_t i = 0; i < d->piece.n_kinds; i++) {
		struct line_kind *k = &d->piece.kinds[i];
		const size_t len = d->piece.lines[k->first].len;
		const char *text = line_kinds_masked(&d->piece, k);

		if (k->known != NULL && k->known->n_unsure == 0)
			continue;
		memset(&k->set, 0, sizeof k->set);
		required_literal_set_add(&k->set, text, len);
		required_literal_set_add_keys(&k->set, text, len);
		add_grams(d, text, len);
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
	size_t index;   /* of the format in the set */
	unsigned roles; /* that identify it */
	const struct clue *clues[FORMAT_MAX_PATTERNS]; /* [n_clues] to ask */
	size_t n_clues;
	int no_tables; /* 1: no line is a header of one of its tables */
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
	const struct piece_line *l = &d->piece.lines[k->first];
	const char *text = line_kinds_text(&d->piece, l);

	for (size_t i = 0; i < a->n_clues; i++) {
		const struct clue *c = a->clues[i];

		if (c->table && !a->no_tables)
			return 1; /* its header stands in another line */
		if (c->table || !required_literal_set_holds(&k->set, &c->need))
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

	for (size_t i = 0; i < d->piece.n_kinds; i++) {
		struct line_kind *k = &d->piece.kinds[i];

		k->asked = is_open_to(k, a->index) && may_match_kind(d, a, k);
		n += (size_t)k->asked;
	}
	return n;
}

static int
has_table(const struct attempt *a)
{
	for (size_t i = 0; i < a->n_clues; i++)
		if (a->clues[i]->table)
			return 1;
	return 0;
}

/* Is a line of this kind the header of one of the format's tables? */
static int
kind_is_header(
    const struct detector *d, const struct format *f, const struct line_kind *k)
{
	const struct piece_line *l = &d->piece.lines[k->first];

	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct csv_pattern *p = f->patterns[i].csv;
		struct csv_header header;

		if (p != NULL &&
		    csv_read_header(
			p, line_kinds_text(&d->piece, l), l->len, &header))
			return 1;
	}
	return 0;
}

/* May one of the format's tables begin in the piece?  A row is none without its
 * header, and asking each line of each log for the tables of all formats would
 * be most of what finding its format takes.
 *
 * f  is ready, and the index-th */
static int
may_hold_table(const struct detector *d, const struct format *f, size_t index)
{
	/* What stands after a prefix may be a header, too. */
	if (f->step_anchored || f->rest_anchored || f->has_context ||
	    d->piece.n_kinds > MANY_KINDS)
		return 1;
	for (size_t i = 0; i < f->n_patterns; i++)
		if (f->patterns[i].csv != NULL &&
		    csv_names_digits(f->patterns[i].csv))
			return 1; /* lines of one kind are no longer alike */
	for (size_t i = 0; i < d->piece.n_kinds; i++)
		if (is_open_to(&d->piece.kinds[i], index) &&
		    kind_is_header(d, f, &d->piece.kinds[i]))
			return 1;
	return 0;
}

/* Is there a kind that is known and not for that format to ask about? */
static int
has_kinds_closed_to(const struct detector *d, size_t format)
{
	for (size_t i = 0; d->n_known > 0 && i < d->piece.n_kinds; i++)
		if (!is_open_to(&d->piece.kinds[i], format))
			return 1;
	return 0;
}

/* Can the format match any line?  Then it is ready, and which kinds are to be
 * asked about is known. */
static int
is_worth_asking(struct detector *d, const struct format *f, struct attempt *a)
{
	if (!choose_clues(d, f, a) || ask_kinds(d, a) == 0 ||
	    format_ready(f) != 0)
		return 0;
	if (!has_table(a))
		return 1;
	if (may_hold_table(d, f, a->index)) {
		/* Known kinds may be its rows. */
		d->doubts |= has_kinds_closed_to(d, a->index);
		return 1;
	}
	a->no_tables = 1;
	return ask_kinds(d, a) > 0;
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

/* Does a pattern of the roles distinguish digits on lines that hold the text of
 * this one? */
static int
tells_digits(
    const struct format *f, unsigned roles, const char *text, size_t len)
{
	for (size_t i = 0; f->n_uncacheable > 0 && i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->uncacheable && (roles & FIELD_NAME_IN(p->role)) != 0 &&
		    (p->json == NULL || json_pattern_names_digits(p->json)) &&
		    memmem(text, len, p->literal, p->n_literal) != NULL)
			return 1;
	}
	return 0;
}

/* Which of the kinds that are asked about hold lines that are all the same to
 * the format?  Lines without free digits are the same line, which only a
 * table's rows above it can give another meaning.
 *
 * roles  that are looked for */
static void
find_alike(struct detector *d, const struct attempt *a, unsigned roles)
{
	const struct format *f = a->format;
	const int same_for_digits = !(f->digit_counting_roles & roles) &&
	    d->set->prefixes_digit_insensitive;
	const int has_tables = has_table(a);

	for (size_t i = 0; i < d->piece.n_kinds; i++) {
		struct line_kind *k = &d->piece.kinds[i];
		const struct piece_line *l = &d->piece.lines[k->first];

		if (!k->asked)
			continue;
		k->alike = (!k->has_digits && !has_tables) ||
		    (same_for_digits &&
			!tells_digits(
			    f, roles, line_kinds_text(&d->piece, l), l->len));
		if (k->alike || k->known != NULL || !d->keeps)
			continue;
		d->unsure = vec_grow(d->unsure, d->n_unsure, &d->alloc_unsure,
		    sizeof *d->unsure);
		d->unsure[d->n_unsure++] = (struct unsure_kind){ i, a->index };
	}
}

/* Note what a format found on the first line of a kind. */
static void
note_found(struct detector *d, size_t kind, size_t format,
    const struct candidate *line)
{
	const struct kind_find x = { format, line->n_steps, line->n_summaries };

	if (!d->keeps || x.n_steps + x.n_summaries == 0)
		return;
	d->found =
	    vec_grow(d->found, d->n_found, &d->alloc_found, sizeof *d->found);
	d->found[d->n_found++] = (struct found_kind){ kind, x };
}

static struct candidate
try_format(struct detector *d, size_t index, unsigned roles)
{
	const struct format *f = d->set->formats[index];
	struct attempt a = { .index = index, .roles = telling_roles(f, roles) };
	const unsigned asked =
	    a.roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);
	unsigned wanted = a.roles | FIELD_NAME_IN(ROLE_SIGNATURE);
	struct candidate c = { f, 0, 0, 0, 0 };

	if (!has_kinds_open_to(d, index) || !is_worth_asking(d, f, &a))
		return c;
	matcher_new_log(d->m);
	/* Results are looked for where no format has steps; those that are
	 * ignored still hide what else stands on their lines. */
	if (f->n_ignore > 0)
		wanted |= FIELD_NAME_IN(ROLE_STEP);
	find_alike(d, &a, asked);
	for (size_t i = 0; i < d->piece.n_lines; i++) {
		struct piece_line *l = &d->piece.lines[i];
		struct line_kind *k = &d->piece.kinds[l->kind];
		const size_t times = k->alike ? l->times : 1;
		const int64_t limits = *matcher_limits(d->m);
		struct candidate line = { f, 0, 0, 0, 0 };

		if (times == 0 || !k->asked || l->given_up)
			continue;
		matcher_line_made(d->m, f, wanted,
		    line_kinds_text(&d->piece, l), l->len, &k->set, count_match,
		    &line);
		d->work += (int64_t)l->len;
		l->given_up = *matcher_limits(d->m) > limits;
		k->given_up |= l->given_up;
		if (k->alike)
			note_found(d, l->kind, index, &line);
		c.n_steps += line.n_steps * times;
		c.n_summaries += line.n_summaries * times;
		c.n_results += line.n_results * times;
		c.n_signatures += line.n_signatures * times;
	}
	return c;
}

/* --- Kinds that are known -------------------------------------------------*/

/* Which kinds of the piece did formats find something or nothing on before? */
static void
recall_kinds(struct detector *d)
{
	for (size_t i = 0; i < d->piece.n_kinds; i++) {
		struct line_kind *k = &d->piece.kinds[i];

		k->known =
		    kind_memo_find(d->memo, line_kinds_masked(&d->piece, k),
			d->piece.lines[k->first].len);
		d->n_known += k->known != NULL;
		d->n_unsure_known += k->known != NULL && k->known->n_unsure > 0;
	}
}

/* Ask about all kinds. */
static void
forget_kinds(struct detector *d)
{
	if (d->n_known == 0)
		return;
	for (size_t i = 0; i < d->piece.n_kinds; i++)
		d->piece.kinds[i].known = NULL;
	d->n_known = d->n_unsure_known = 0;
	note_grams(d);
}

/* Add to what a format found on the known kinds. */
static void
add_sum(struct detector *d, const struct kind_find *find, int64_t times)
{
	struct kind_find *sum = &d->sums[find->format];
	const int64_t before = sum->n_steps + sum->n_summaries;
	size_t i = d->n_summed;

	sum->n_steps += find->n_steps * times;
	sum->n_summaries += find->n_summaries * times;
	if (before > 0 || sum->n_steps + sum->n_summaries == 0)
		return;
	for (; i > 0 && d->summed[i - 1] > find->format; i--)
		d->summed[i] = d->summed[i - 1];
	d->summed[i] = find->format;
	d->n_summed++;
}

/* What each format found on the known kinds, and whether it is to be asked
 * about some of them all the same. */
static void
sum_known(struct detector *d)
{
	if (d->n_known == 0)
		return;
	for (size_t i = 0; i < d->n_summed; i++)
		d->sums[d->summed[i]].n_steps =
		    d->sums[d->summed[i]].n_summaries = 0;
	d->n_summed = 0;
	memset(d->unsure_of_some, 0, d->set->n_formats);
	for (size_t i = 0; i < d->piece.n_kinds; i++) {
		const struct line_kind *kind = &d->piece.kinds[i];
		const struct kind_entry *x = kind->known;
		const int64_t times =
		    (int64_t)d->piece.lines[kind->first].times;

		for (size_t k = 0; x != NULL && k < x->n_finds; k++)
			add_sum(d, &x->finds[k], times);
		for (size_t k = 0; x != NULL && k < x->n_unsure; k++)
			d->unsure_of_some[x->unsure[k]] = 1;
	}
}

static int
has_signature(const struct format *f)
{
	for (size_t i = 0; i < f->n_clues; i++)
		if (f->clues[i].role == ROLE_SIGNATURE)
			return 1;
	return 0;
}

/* Add it to what a format found on the others.  Whether its sign stands on a
 * known kind was perhaps not asked: none of its steps was in that log. */
static void
add_known(struct detector *d, size_t index, struct candidate *c)
{
	const struct kind_find *sum = &d->sums[index];

	if (d->n_known == 0)
		return;
	c->n_steps += sum->n_steps;
	c->n_summaries += sum->n_summaries;
	d->doubts |=
	    c->n_steps + c->n_summaries > 0 && has_signature(c->format);
}

/* Keep what was found of the i-th kind by formats that its lines are all alike
 * to, and which the others are.
 *
 * finds, unsure  room for all */
static void
keep_kind(struct detector *d, size_t i, struct kind_find *finds, size_t *unsure)
{
	const struct line_kind *kind = &d->piece.kinds[i];
	struct kind_entry x = { .finds = finds,
		.unsure = unsure,
		.masked = line_kinds_masked(&d->piece, kind),
		.len = d->piece.lines[kind->first].len };

	for (size_t k = 0; k < d->n_found; k++)
		if (d->found[k].kind == i)
			finds[x.n_finds++] = d->found[k].find;
	for (size_t k = 0; k < d->n_unsure; k++)
		if (d->unsure[k].kind == i)
			unsure[x.n_unsure++] = d->unsure[k].format;
	kind_memo_add(d->memo, &x);
}

/* Keep what was found of the kinds. */
static void
keep_kinds(struct detector *d)
{
	struct kind_find *finds;
	size_t *unsure;

	if (d->n_known == d->piece.n_kinds || d->piece.n_kinds > MANY_KINDS ||
	    kind_memo_is_full(d->memo))
		return;
	finds = xcalloc(d->n_found + 1, sizeof *finds);
	unsure = xcalloc(d->n_unsure + 1, sizeof *unsure);
	for (size_t i = 0; i < d->piece.n_kinds; i++)
		if (d->piece.kinds[i].known == NULL &&
		    !d->piece.kinds[i].given_up)
			keep_kind(d, i, finds, unsure);
	free(finds);
	free(unsure);
}

/* Are the lines of the piece for the format to ask about, or did it find
 * something on those that are not? */
static int
may_be_found(const struct detector *d, size_t format)
{
	const struct kind_find *sum = &d->sums[format];

	return has_kinds_open_to(d, format) ||
	    (d->n_known > 0 && sum->n_steps + sum->n_summaries > 0);
}

/* --- All formats -----------------------------------------------------------*/

static void
try_all(struct detector *d, unsigned roles, struct detection *out)
{
	struct candidate whole = { NULL, 0, 0, 0, 0 }; /* generic, of the run */
	size_t n = 0; /* formats that are not generic, with steps */
	size_t n_asked;
	int all_known;

	sum_known(d);
	all_known = !has_asked_kinds(d);
	n_asked = all_known ? d->n_summed : d->set->n_formats;
	for (size_t k = 0; k < n_asked && !d->doubts; k++) {
		const size_t i = all_known ? d->summed[k] : k;
		struct candidate c;

		if (!may_be_found(d, i))
			continue;
		c = try_format(d, i, roles);
		add_known(d, i, &c);
		n += c.n_steps > 0 && !c.format->generic;
		if (c.n_summaries > 0 && c.n_steps == 0 && c.format->generic &&
		    candidate_is_better(&c, &whole))
			whole = c;
		if (candidate_is_better(&c, &out->best)) {
			out->runner_up = out->best;
			out->best = c;
		} else if (candidate_is_better(&c, &out->runner_up)) {
			out->runner_up = c;
		}
	}
	if (whole.format != NULL && candidate_is_slight(&out->best)) {
		out->runner_up = out->best;
		out->best = whole;
	}
	out->alone = n == 0 ||
	    (n == 1 && out->best.n_steps > 0 && !out->best.format->generic);
}

/* All formats are asked, but for what is known of the kinds of line. */
static void
try_unknown(struct detector *d, unsigned roles, struct detection *out)
{
	const struct detection before = *out;
	const int64_t work = d->work, match_work = d->match_work;

	recall_kinds(d);
	if (has_asked_kinds(d))
		note_grams(d);
	d->doubts = 0;
	d->n_found = d->n_unsure = 0;
	d->keeps = 1;
	try_all(d, roles, out);
	if (d->doubts) {
		/* As if nothing had been known. */
		*out = before;
		d->work = work;
		d->match_work = match_work;
		for (size_t i = 0; i < d->piece.n_lines; i++)
			d->piece.lines[i].given_up = 0;
		d->n_found = d->n_unsure = 0;
		d->doubts = 0;
		forget_kinds(d);
		try_all(d, roles, out);
	}
	d->keeps = 0;
	if (d->match_work > 0)
		keep_kinds(d);
}

/* --- Another program's steps ---------------------------------------------- */

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
	const struct piece_line *l = &d->piece.lines[i];
	int64_t n = 0;

	if (d->known[i] == NOT_ASKED) {
		matcher_line(d->m, chosen, ~0U, line_kinds_text(&d->piece, l),
		    l->len, count_any, &n);
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
	for (size_t i = 0; i < d->piece.n_lines; i++) {
		const struct piece_line *l = &d->piece.lines[i];
		const struct line_kind *k = &d->piece.kinds[l->kind];
		int64_t n = 0;

		if (!k->asked)
			continue;
		matcher_line_made(d->m, f,
		    FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_INTERVAL),
		    line_kinds_text(&d->piece, l), l->len, &k->set, count_steps,
		    &n);
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
	line_kinds_load(&d->piece, lines, n);
	d->n_known = d->n_unsure_known = 0;
	note_grams(d);
	if (d->alloc_known < n) {
		d->alloc_known = n;
		d->known = xreallocarray(d->known, n, 1);
	}
	memset(d->known, NOT_ASKED, n);
	d->match_work = DETECT_MATCH_WORK;
	matcher_share_work(d->m, &d->match_work, FORMAT_LINE_WORK);
	for (size_t i = 0; i < d->set->n_formats; i++) {
		const struct format *f = d->set->formats[i];
		struct attempt a = { .roles = FIELD_NAME_IN(ROLE_STEP) |
			    FIELD_NAME_IN(ROLE_INTERVAL) };
		struct other_steps x;

		if (f == chosen || f->generic || !is_worth_asking(d, f, &a))
			continue;
		find_steps(d, chosen, f, lines, &x);
		if (x.steps >= DETECT_FEW && x.steps > out->steps)
			*out = x;
	}
	matcher_share_work(d->m, NULL, FORMAT_LINE_WORK);
}

/* --- A piece -------------------------------------------------------------- */

static void
detect_piece(
    struct detector *d, const char *data, size_t len, struct detection *out)
{
	memset(out, 0, sizeof *out);
	line_kinds_split(&d->piece, data, len);
	d->n_known = d->n_unsure_known = 0;
	out->n_lines = d->piece.n_lines;
	try_unknown(d, STEP_ROLES, out);
	if (out->best.format == NULL) {
		forget_kinds(d);
		try_all(d, FIELD_NAME_IN(ROLE_RESULT), out);
	}
}

void
detector_run(
    struct detector *d, const char *data, size_t len, struct detection *out)
{
	matcher_share_work(d->m, &d->match_work, FORMAT_LINE_WORK);
	detect_piece(d, data, len, out);
	matcher_share_work(d->m, NULL, FORMAT_LINE_WORK);
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

	return x->n_lines >= DETECT_MANY_LINES &&
	    (c->n_steps + c->n_summaries + c->n_results) * DETECT_SPARSE <
	    (int64_t)x->n_lines;
}

static int
shows_time(const struct detection *x)
{
	return x->best.n_steps + x->best.n_summaries > 0;
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
	/* Results alone say nothing of the time. */
	if (shows_time(a) != shows_time(b))
		return shows_time(a);
	if (a->best.format != NULL && is_sparse(a) != is_sparse(b))
		return is_sparse(b);
	return candidate_is_better(&a->best, &b->best);
}
