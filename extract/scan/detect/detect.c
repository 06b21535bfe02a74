/* Finds the format of a piece of a log. A literal index shows which formats may
 * match which line types. Only those are tried, most once per line type. */
#include <config.h>

#include "extract/scan/detect/detect.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/alloc.h"
#include "extract/format/matcher.h"
#include "extract/format/patterns/pattern.h"
#include "extract/input/byte_source.h"

void
digit_mask_places(const char *line, size_t len, char *out, unsigned char *most)
{
	int held = 0; /* 1: the next digits are part of a name */

	for (size_t i = 0; i < len; i++) {
		const char c = line[i];
		const int is_digit = text_is_digit(c);

		if (!is_digit)
			held = text_holds_digits(c);
		out[i] = is_digit && !held ? '0' : c;
		most[i] = is_digit && !held ? 9 : 0;
	}
}

static int
is_of_hash(const void *types, size_t i, const void *hash)
{
	return ((const struct line_type *)types)[i].hash ==
	    *(const uint64_t *)hash;
}

/* Count a line. Returns its type, or SIZE_MAX if it is new and `add` is 0.
 *
 * text  [len] borrowed if the type is new */
static size_t
line_types_add(struct line_types *all, const char *text, size_t len,
    int64_t number, int add)
{
	uint64_t hash = 0;
	size_t i = all->last;

	/* Most lines have the type of the previous line. */
	if (len < DIGIT_MASK_MIN || i >= all->n || all->items[i].len != len ||
	    !digit_mask_fits(text, all->masked, all->most, len)) {
		if (all->alloc_masks < len) {
			all->alloc_masks = len + len / 2;
			all->masked =
			    xreallocarray(all->masked, all->alloc_masks, 1);
			all->most =
			    xreallocarray(all->most, all->alloc_masks, 1);
		}
		digit_mask_places(text, len, all->masked, all->most);
		hash = XXH3_64bits(all->masked, len);
		i = hash_index_find(&all->by_hash, (uint32_t)hash, is_of_hash,
		    all->items, &hash);
	}
	if (i == HASH_INDEX_NONE && add) {
		i = all->n++;
		all->items =
		    vec_grow(all->items, i, &all->alloc, sizeof *all->items);
		all->items[i] = (struct line_type){ text, len, number, 0, hash,
			len > 0 && memchr(all->most, 9, len) != NULL };
		hash_index_add(&all->by_hash, (uint32_t)hash, i);
	}
	if (i != HASH_INDEX_NONE)
		all->items[i].times++;
	all->last = i;
	return i;
}

/* Remove all types; free the memory. */
static void
line_types_release(struct line_types *all)
{
	free(all->items);
	free(all->masked);
	free(all->most);
	hash_index_release(&all->by_hash);
	memset(all, 0, sizeof *all);
}

void
unread_lines_add(
    struct unread_lines *u, const char *text, size_t len, int64_t number)
{
	const size_t n = u->types.n;
	const int fits = u->bytes + len <= UNREAD_MAX_BYTES;

	if (len < UNREAD_MIN_LINE || len > UNREAD_MAX_LINE)
		return;
	if (line_types_add(&u->types, text, len, number, fits) == SIZE_MAX)
		u->overflowed = 1;
	if (u->types.n == n)
		return;
	u->types.items[n].text = arena_strndup(&u->texts, text, len);
	u->bytes += len;
}

void
unread_lines_release(struct unread_lines *u)
{
	line_types_release(&u->types);
	arena_release(&u->texts);
	*u = (struct unread_lines){ .bytes = 0 };
}

/* --- Formats --------------------------------------------------------------*/

/* With more line types, checking headers costs as much as trying tables. */
enum { MANY_TYPES = 256 };

enum { NOT_ASKED, KNOWN, NOT_KNOWN };

/* A line of the piece. */
struct piece_line {
	const char *text; /* [len] */
	size_t len;
	size_t type;
	int given_up; /* 1: a pattern reached a limit, so no other is tried */
};

/* Roles to look for first. */
enum {
	STEP_ROLES = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SUMMARY) |
	    FIELD_NAME_IN(ROLE_END) | FIELD_NAME_IN(ROLE_INTERVAL)
};

/* Set of roles, bits as in FIELD_NAME_IN. */
typedef uint16_t role_set;

/* Bit next to the roles: the line may be a table header. */
enum { MAY_BE_HEADER = 1 << 15 };

_Static_assert(N_ROLES <= 15, "a set of roles has 15 bits");

struct detector {
	const struct format_set *set;
	struct matcher *m;
	struct literal_index *literals; /* of all formats */
	struct piece_line *lines;       /* [n_lines] of the piece */
	size_t n_lines, alloc_lines;
	struct line_types types; /* of lines */
	char *clean;             /* [n_clean] cleaned lines */
	size_t n_clean, alloc_clean;
	/* Roles of each format's patterns that may match: per line type
	 * [types][n_formats], and over all line types [n_formats]. of_tables
	 * [n_formats]: roles of table rows, whose header is another line. */
	role_set *of_type, *of_any, *of_tables;
	role_set *row; /* in of_type: the line type being looked up */
	size_t alloc_of_type;
	unsigned char *asked; /* [types] 1: try the current format */
	unsigned char *alike; /* [types] 1: all lines match alike */
	size_t alloc_asked;
	int64_t work;       /* see DETECT_WORK */
	int64_t match_work; /* rest of DETECT_MATCH_WORK */
	int cut;            /* 1: a piece was skipped */
};

struct detector *
detector_new(const struct format_set *set, struct matcher *m)
{
	struct detector *d = xcalloc(1, sizeof *d);

	d->set = set;
	d->m = m;
	d->literals = literal_index_new(set->formats.items, set->formats.n);
	d->of_any = xcalloc(set->formats.n + 1, sizeof *d->of_any);
	d->of_tables = xcalloc(set->formats.n + 1, sizeof *d->of_tables);
	detector_new_file(d);
	return d;
}

void
detector_free(struct detector *d)
{
	if (d == NULL)
		return;
	literal_index_free(d->literals);
	line_types_release(&d->types);
	free(d->lines);
	free(d->clean);
	free(d->of_type);
	free(d->of_any);
	free(d->of_tables);
	free(d->asked);
	free(d->alike);
	free(d);
}

/* --- Which format is better ------------------------------------------------*/

/* True for a benchmark of collectives that ran before a training found by a
 * generic format. */
static int
candidate_is_prelude(
    const struct candidate *benchmark, const struct candidate *training)
{
	return benchmark->format->has_collectives &&
	    benchmark->format->n_step_patterns == 0 &&
	    training->n_steps >= DETECT_FEW && training->n_summaries > 0;
}

/* True if the format reads only the times at which lines were written. */
static int
candidate_is_by_clock(const struct candidate *c)
{
	return c->format->meaning.kind == VALUE_ELAPSED ||
	    c->format->meaning.kind == VALUE_STAMP;
}

/* True if generic format b is preferred to a. Rates or step times, even on some
 * lines only, are better than line times, which include evaluation and
 * checkpoints. */
static int
candidate_is_last_resort(const struct candidate *a, const struct candidate *b)
{
	return a->format->generic && candidate_is_by_clock(a) &&
	    b->format->generic && !candidate_is_by_clock(b) &&
	    b->n_steps >= DETECT_FEW;
}

/* True if a is better than b, whose format may be NULL. 0 if a found
 * nothing. */
static int
candidate_is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->n_steps + a->n_summaries + a->n_results == 0)
		return 0;
	if (b->format == NULL)
		return 1;
	if (a->format->generic != b->format->generic)
		return a->format->generic ? candidate_is_prelude(b, a)
					  : !candidate_is_prelude(a, b);
	if (candidate_is_last_resort(a, b) || candidate_is_last_resort(b, a))
		return candidate_is_last_resort(b, a);
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

/* --- Which formats may match -----------------------------------------------*/

static void
note_pattern(void *arg, size_t format, const struct pattern *p)
{
	struct detector *d = arg;
	const role_set role = (role_set)FIELD_NAME_IN(p->role);

	d->row[format] |= p->csv != NULL ? MAY_BE_HEADER : role;
	if (p->csv != NULL)
		d->of_tables[format] |= role;
}

/* Find the formats that may match each line type. */
static void
note_types(struct detector *d, const struct line_types *types)
{
	const size_t n_formats = d->set->formats.n, n = types->n;

	d->of_type = vec_grow(
	    d->of_type, n * n_formats, &d->alloc_of_type, sizeof *d->of_type);
	if (d->alloc_asked < n) {
		d->alloc_asked = n;
		d->asked = xreallocarray(d->asked, n, 1);
		d->alike = xreallocarray(d->alike, n, 1);
	}
	memset(d->of_any, 0, n_formats * sizeof *d->of_any);
	memset(d->of_tables, 0, n_formats * sizeof *d->of_tables);
	for (size_t i = 0; i < n; i++) {
		d->row = d->of_type + i * n_formats;
		memset(d->row, 0, n_formats * sizeof *d->row);
		literal_index_find(d->literals, types->items[i].text,
		    types->items[i].len, note_pattern, d);
		for (size_t k = 0; k < n_formats; k++)
			d->of_any[k] |= d->row[k];
	}
}

/* True if one of the format's tables may begin in the piece. Rows need a
 * header, and trying the tables of all formats on each line would dominate the
 * cost of detection. */
static int
may_hold_table(
    const struct detector *d, const struct line_types *types, size_t format)
{
	const struct format *f = d->set->formats.items[format];
	struct csv_header header;

	/* The text after a prefix may also be a header. */
	if (f->step_anchored || f->rest_anchored || f->has_context ||
	    types->n > MANY_TYPES)
		return 1;
	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->csv != NULL && p->names_digits)
			return 1; /* lines of one type match differently */
		for (size_t k = 0; p->csv != NULL && k < types->n; k++)
			if ((d->of_type[k * d->set->formats.n + format] &
				MAY_BE_HEADER) &&
			    csv_read_header(p->csv, types->items[k].text,
				types->items[k].len, &header))
				return 1;
	}
	return 0;
}

/* Select the line types on which to try the format.
 *
 * roles   that identify it
 * tables  out: 1: its tables may begin in the piece
 *
 * Returns their number. */
static size_t
ask_types(struct detector *d, const struct line_types *types, size_t format,
    unsigned roles, int *tables)
{
	const unsigned asked =
	    roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_SIGNATURE);
	size_t n = 0;

	if (((d->of_any[format] | d->of_tables[format]) & roles) == 0)
		return 0;
	*tables = (d->of_tables[format] & asked) != 0 &&
	    may_hold_table(d, types, format);
	for (size_t i = 0; i < types->n; i++) {
		d->asked[i] = *tables ||
		    (d->of_type[i * d->set->formats.n + format] & asked) != 0;
		n += d->asked[i];
	}
	return n;
}

static void
count_match(void *arg, const struct match *match)
{
	struct candidate *c = arg;
	const enum role role = match->pattern->role;

	/* A title is evidence; rows of numbers alone are not. */
	c->n_steps += role == ROLE_CONTEXT && c->format->has_collectives;
	c->n_steps += role == ROLE_STEP || role == ROLE_INTERVAL;
	/* Logs of other formats also print the end of a run. */
	c->n_summaries += role == ROLE_END &&
	    (c->format->n_step_patterns == 0 || c->format->generic);
	c->n_summaries += role == ROLE_SUMMARY;
	c->n_results += role == ROLE_RESULT;
	c->n_signatures += role == ROLE_SIGNATURE;
}

/* True if a pattern of the roles whose literal is in the text may match
 * differently when only digits of the text change. */
static int
tells_digits(
    const struct format *f, unsigned roles, const char *text, size_t len)
{
	for (size_t i = 0; f->n_uncacheable > 0 && i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];

		if (p->uncacheable && (roles & FIELD_NAME_IN(p->role)) != 0 &&
		    (p->json == NULL || p->names_digits) &&
		    memmem(text, len, p->literal, p->n_literal) != NULL)
			return 1;
	}
	return 0;
}

static struct candidate
try_format(struct detector *d, size_t index, unsigned looked_for)
{
	const struct format *f = d->set->formats.items[index];
	/* A title identifies a benchmark of collectives. */
	const unsigned roles =
	    looked_for | (f->has_collectives ? FIELD_NAME_IN(ROLE_CONTEXT) : 0);
	unsigned wanted = roles | FIELD_NAME_IN(ROLE_SIGNATURE);
	const unsigned telling =
	    roles | FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_IGNORE);
	const int same_for_digits = !(f->digit_counting_roles & telling) &&
	    d->set->prefixes_digit_insensitive;
	struct candidate c = { f, 0, 0, 0, 0 };
	int tables;

	if (ask_types(d, &d->types, index, roles, &tables) == 0)
		return c;
	matcher_new_log(d->m);
	/* Results are looked for only if no format has steps, but even then
	 * ignored steps hide the rest of their lines. */
	if (f->n_ignore > 0)
		wanted |= FIELD_NAME_IN(ROLE_STEP);
	/* Lines of a type without free digits are equal; only a table header
	 * above them can change their match. */
	for (size_t i = 0; i < d->types.n; i++) {
		const struct line_type *t = &d->types.items[i];

		if (d->asked[i])
			d->alike[i] = (!t->has_digits && !tables) ||
			    (same_for_digits &&
				!tells_digits(f, telling, t->text, t->len));
	}
	for (size_t i = 0; i < d->n_lines; i++) {
		struct piece_line *l = &d->lines[i];
		const struct line_type *t = &d->types.items[l->type];
		const int64_t limits = *matcher_limits(d->m);
		struct candidate line = { f, 0, 0, 0, 0 };
		int64_t times = 1;

		if (!d->asked[l->type] || l->given_up)
			continue;
		if (d->alike[l->type])
			times = t->first == (int64_t)i ? t->times : 0;
		if (times == 0)
			continue;
		matcher_line(
		    d->m, f, wanted, l->text, l->len, count_match, &line);
		d->work += (int64_t)l->len;
		l->given_up = *matcher_limits(d->m) > limits;
		c.n_steps += line.n_steps * times;
		c.n_summaries += line.n_summaries * times;
		c.n_results += line.n_results * times;
		c.n_signatures += line.n_signatures * times;
	}
	return c;
}

/* --- All formats -----------------------------------------------------------*/

static void
try_all(struct detector *d, unsigned roles, struct detection *out)
{
	struct candidate whole = { NULL, 0, 0, 0, 0 }; /* generic, of the run */
	const struct candidate *best = &out->best;
	size_t n = 0; /* specific formats with steps */

	for (size_t i = 0; i < d->set->formats.n; i++) {
		const struct candidate c = try_format(d, i, roles);

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
	/* Too few single steps for a run; a mean represents many steps. */
	if (whole.format != NULL && best->format != NULL &&
	    !best->format->generic &&
	    best->format->meaning.statistic == STATISTIC_INSTANT &&
	    best->n_steps < DETECT_FEW && best->n_summaries == 0) {
		out->runner_up = out->best;
		out->best = whole;
	}
	out->alone = n == 0 ||
	    (n == 1 && out->best.n_steps > 0 && !out->best.format->generic);
}

/* --- Another program's steps -----------------------------------------------*/

static void
count_steps(void *arg, const struct match *match)
{
	const enum role role = match->pattern->role;

	*(int64_t *)arg += role == ROLE_STEP || role == ROLE_INTERVAL;
}

void
detector_find_other(struct detector *d, const struct format *chosen,
    const struct line_types *types, struct other_steps *out)
{
	const unsigned roles =
	    FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_INTERVAL);
	unsigned char *known; /* [types->n] whether `chosen` matches them */

	*out = (struct other_steps){ NULL, 0, 0 };
	if (types->n == 0)
		return;
	known = xcalloc(types->n, 1);
	note_types(d, types);
	d->match_work = DETECT_MATCH_WORK;
	matcher_share_work(d->m, &d->match_work, FORMAT_LINE_WORK);
	for (size_t i = 0; i < d->set->formats.n; i++) {
		const struct format *f = d->set->formats.items[i];
		struct other_steps x = { f, 0, 0 };
		int tables;

		if (f == chosen || f->generic ||
		    ask_types(d, types, i, roles, &tables) == 0)
			continue;
		/* Count steps on lines that `chosen` does not match. */
		matcher_new_log(d->m);
		for (size_t k = 0; k < types->n; k++) {
			const struct line_type *l = &types->items[k];
			int64_t n = 0, own = 0;

			if (d->asked[k])
				matcher_line(d->m, f, roles, l->text, l->len,
				    count_steps, &n);
			if (n > 0 && known[k] == NOT_ASKED)
				known[k] =
				    matcher_line(d->m, chosen, ~0U, l->text,
					l->len, count_steps, &own) > 0
				    ? KNOWN
				    : NOT_KNOWN;
			if (n == 0 || known[k] == KNOWN)
				continue;
			if (x.first_line == 0)
				x.first_line = l->first;
			x.steps += n * l->times;
		}
		if (x.steps >= DETECT_FEW && x.steps > out->steps)
			*out = x;
	}
	matcher_share_work(d->m, NULL, FORMAT_LINE_WORK);
	free(known);
}

/* --- A piece ---------------------------------------------------------------*/

/* Add a line of the piece. */
static void
add_line(void *arg, const char *text, size_t len)
{
	struct detector *d = arg;
	const size_t n = d->n_lines++;

	d->lines = vec_grow(d->lines, n, &d->alloc_lines, sizeof *d->lines);
	d->lines[n] = (struct piece_line){ text, len,
		line_types_add(&d->types, text, len, (int64_t)n, 1), 0 };
}

/* Implements line_consumer. */
static void
take_line(
    void *arg, const char *text, size_t len, unsigned flags, int64_t number)
{
	struct detector *d = arg;

	(void)number;
	line_each_piece(text, len, flags, d->clean + d->n_clean, add_line, d);
	d->n_clean += flags & LINE_CONTROL ? len + 1 : 0;
}

void
detector_run(
    struct detector *d, const char *data, size_t len, struct detection *out)
{
	struct line_walker w;

	memset(out, 0, sizeof *out);
	/* Room for each line and a NUL. */
	d->clean = vec_grow(d->clean, len, &d->alloc_clean, 1);
	hash_index_release(&d->types.by_hash);
	d->types.n = d->n_lines = d->n_clean = 0;
	line_walker_init(&w, len);
	line_walker_consume(&w, data, len, 1, take_line, d);
	out->n_lines = d->n_lines;
	note_types(d, &d->types);
	matcher_share_work(d->m, &d->match_work, FORMAT_LINE_WORK);
	try_all(d, STEP_ROLES, out);
	if (out->best.format == NULL)
		try_all(d, FIELD_NAME_IN(ROLE_RESULT), out);
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

/* True if so little matches that it may be source code or output of another
 * program. */
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
	/* A result of the whole run is printed once, at its end. */
	if (a->best.n_summaries > 0 && !a->best.format->generic &&
	    b->best.format != NULL && b->best.format->generic)
		return 1;
	/* Results alone contain no times. */
	if (shows_time(a) != shows_time(b))
		return shows_time(a);
	if (a->best.format != NULL && is_sparse(a) != is_sparse(b))
		return is_sparse(b);
	return candidate_is_better(&a->best, &b->best);
}
