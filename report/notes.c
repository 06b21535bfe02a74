#include <config.h>

#include "report/notes.h"

#include <math.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/units/units.h"
#include "report/cell.h"

enum {
	FEW_RUNS = 5,      /* fewer are flagged */
	NAMED_EXCLUDED = 8 /* then only their number */
};

/* --- rules and origins ---------------------------------------------------- */

static int
is_published(const struct series *s)
{
	return s->points[0].source->texts != NULL;
}

/* The rule of all series that have one; NULL if there is none or several. */
static const char *
common_rule(const struct panel *p)
{
	const char *rule = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const char *own = p->s[i]->values[SERIES_RULE];

		if (own == NULL)
			continue;
		if (rule != NULL && strcmp(rule, own) != 0)
			return NULL;
		rule = own;
	}
	return rule;
}

void
notes_rule(struct table *t, const struct panel *p, enum language lang)
{
	const char *rule = common_rule(p);
	int measured = 0;

	if (rule != NULL)
		table_note(t, "%s: %s", message(MESSAGE_RULE, lang), rule);
	for (size_t i = 0; i < p->n; i++)
		measured |= !is_published(p->s[i]);
	for (size_t i = 0; i < p->n && measured; i++)
		if (is_published(p->s[i]) &&
		    p->s[i]->values[SERIES_RULE] == NULL)
			table_note(t, "%s: %s",
			    p->s[i]->values[SERIES_FRAMEWORK],
			    message(MESSAGE_RULE_UNKNOWN, lang));
}

/* The set's source behind *last, in the order of the operands: all are members
 * of one array.  *last is NULL at first, and again at the end. */
static const struct result_file *
next_source(const struct series_set *set, const struct result_file *last)
{
	const struct result_file *next = NULL;

	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++) {
			const struct result_file *s =
			    set->items[i].points[k].source;

			if ((last == NULL || s > last) &&
			    (next == NULL || s < next))
				next = s;
		}
	return next;
}

void
notes_origins(struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;

	while ((s = next_source(set, s)) != NULL)
		for (size_t i = 0; i < s->n_origins; i++)
			table_note(t, "%s: %s",
			    message(MESSAGE_PUBLISHED_AT, lang), s->origins[i]);
}

/* --- intervals ------------------------------------------------------------ */

struct range {
	double low, high;
};

static void
extend(struct range *r, double x)
{
	if (isnan(x))
		return;
	r->low = fmin(r->low, x);
	r->high = fmax(r->high, x);
}

static void
say_levels(struct table *t, enum message what, const struct range *r,
    enum language lang)
{
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

	if (!(r->high > 0))
		return;
	percent_format(a, r->low, 2);
	percent_format(b, r->high, 2);
	if (strcmp(a, b) == 0)
		table_note(t, "%s: %s", message(what, lang), a);
	else
		table_note(t, "%s: %s – %s", message(what, lang), a, b);
}

void
notes_levels(struct table *t, const struct panel *p, enum language lang)
{
	struct range median = { INFINITY, 0 }, speedup = { INFINITY, 0 };

	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->s[i]->n_points; k++) {
			const struct result_case *c = p->s[i]->points[k].c;

			extend(&median, c->median_level);
			extend(&speedup, c->speedup_level);
		}
	say_levels(t, MESSAGE_OF_MEDIAN, &median, lang);
	say_levels(t, MESSAGE_OF_SPEEDUP, &speedup, lang);
}

/* --- what does not count -------------------------------------------------- */

void
notes_excluded(
    struct table *t, const struct series_set *set, enum language lang)
{
	const struct result_file *s = NULL;
	const char *what = message(MESSAGE_EXCLUDED, lang);
	const int several = next_source(set, next_source(set, NULL)) != NULL;

	while ((s = next_source(set, s)) != NULL) {
		const struct result *r = &s->result;
		const char *of = several ? s->name : "";
		const char *gap = several ? ": " : "";
		size_t n = r->n_excluded;

		for (size_t i = 0; i < n && i < NAMED_EXCLUDED; i++) {
			const struct result_excluded *x = &r->excluded[i];

			table_note(t, "%s: %s%s%s (%s): %s", what, of, gap,
			    x->path, x->reason, x->message);
		}
		if (n > NAMED_EXCLUDED)
			table_note(t, "%s: %s%s+%zu", what, of, gap,
			    n - NAMED_EXCLUDED);
	}
}

/* --- flags ---------------------------------------------------------------- */

static void
add_flag(struct strbuf *sb, const char *flag)
{
	if (sb->len > 0)
		strbuf_addstr(sb, "; ");
	strbuf_addstr(sb, flag);
}

/* How many runs have this flag, and did an earlier one? */
static size_t
count_flag(
    const struct result_case *c, size_t run, const char *flag, int *is_repeated)
{
	size_t n = 0;

	*is_repeated = 0;
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++)
			if (strcmp(c->runs[i].flags[k], flag) == 0) {
				n++;
				*is_repeated |= i < run;
				break;
			}
	return n;
}

static void
add_run_flags(struct strbuf *sb, const struct result_case *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t k = 0; k < c->runs[i].n_flags; k++) {
			const char *flag = c->runs[i].flags[k];
			int is_repeated;
			size_t n = count_flag(c, i, flag, &is_repeated);

			if (is_repeated)
				continue;
			add_flag(sb, flag);
			if (n < c->n_runs)
				strbuf_printf(sb, " (%zu/%zu)", n, c->n_runs);
		}
}

const char *
notes_flags(struct arena *a, const struct series_point *p, enum language lang)
{
	const struct result_case *c = p->c;
	struct strbuf sb;
	const char *text;

	strbuf_init(&sb, 1 << 16);
	if (cell_is_baseline(c)) {
		add_flag(&sb, message(MESSAGE_BASELINE, lang));
		if (c->baseline_flag)
			strbuf_printf(
			    &sb, " (%s)", message(MESSAGE_NO_1N1G, lang));
	}
	if (p->text != NULL)
		add_flag(&sb, message(MESSAGE_PUBLISHED, lang));
	else if (c->n != RESULT_UNKNOWN && c->n < FEW_RUNS)
		add_flag(&sb, message(MESSAGE_FEW_RUNS, lang));
	add_run_flags(&sb, c);
	text = arena_strdup(a, sb.buf);
	strbuf_release(&sb);
	return text;
}
