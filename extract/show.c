#include <config.h>

#include "extract/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "common/json/json_write.h"
#include "common/strbuf.h"
#include "common/units/units.h"
#include "extract/measure/case.h"
#include "extract/log/exclusion.h"
#include "extract/log/natural.h"
#include "extract/show_collectives.h"

enum { DIGITS = 5, MAX_TEXT = 1 << 16 };

/* A thing that can set cases apart. */
enum trait {
	TRAIT_FRAMEWORK,
	TRAIT_MODEL,
	TRAIT_PRECISION,
	TRAIT_BATCH,
	TRAIT_LABELS,
	TRAIT_RULE,
	TRAIT_UNIT,
	N_TRAITS
};

static const char *const trait_heads[N_TRAITS] = { "framework", "model",
	"precision", "batch", "labels", "rule", "unit" };

struct view {
	const struct result *r;
	struct table t;
	struct strbuf text;
	int csv;
	int olympic; /* its mean has a column, as MLPerf scores times */
	int column[N_TRAITS]; /* 1: the trait has a column */
};

static const char *
labels_text(const struct result_case *c, struct strbuf *sb)
{
	size_t i;

	strbuf_reset(sb);
	for (i = 0; i < c->n_labels; i++)
		strbuf_printf(sb, "%s%s=%s", i > 0 ? " " : "", c->labels[i].key,
		    c->labels[i].value);
	return sb->len > 0 ? sb->buf : NULL;
}

/* What a case says of a trait; NULL: nothing. */
static const char *
trait_of(const struct result_case *c, enum trait trait, struct strbuf *sb)
{
	switch (trait) {
	case TRAIT_FRAMEWORK:
		return c->framework;
	case TRAIT_MODEL:
		return c->model;
	case TRAIT_PRECISION:
		return c->precision;
	case TRAIT_RULE:
		return c->rule;
	case TRAIT_UNIT:
		return c->unit;
	case TRAIT_LABELS:
		return labels_text(c, sb);
	default:
		break;
	}
	if (c->batch_size_per_device == RESULT_UNKNOWN)
		return NULL;
	strbuf_reset(sb);
	strbuf_printf(sb, "%ld", c->batch_size_per_device);
	return sb->buf;
}

/* Do all cases say the same? */
static int
shared_trait(const struct view *v, enum trait trait)
{
	struct strbuf a, b;
	size_t i;
	int same = 1;

	strbuf_init(&a, MAX_TEXT);
	strbuf_init(&b, MAX_TEXT);
	for (i = 1; i < v->r->n_cases && same; i++)
		same = natural_compare(trait_of(&v->r->cases[0], trait, &a),
			   trait_of(&v->r->cases[i], trait, &b)) == 0;
	strbuf_release(&a);
	strbuf_release(&b);
	return same;
}

static void
add_title(struct view *v)
{
	struct strbuf *sb = &v->text, title;
	int k;

	strbuf_init(&title, MAX_TEXT);
	for (k = 0; k < N_TRAITS; k++) {
		const char *text;

		v->column[k] = v->csv || !shared_trait(v, (enum trait)k);
		if (v->column[k] || k >= TRAIT_RULE)
			continue;
		text = trait_of(&v->r->cases[0], (enum trait)k, sb);
		if (text != NULL)
			strbuf_printf(&title, "%s%s%s%s",
			    title.len == 0         ? ""
				: k >= TRAIT_BATCH ? ", "
						   : " ",
			    k == TRAIT_BATCH ? "batch " : "", text,
			    k == TRAIT_BATCH ? " per device" : "");
	}
	if (title.len > 0)
		table_title(&v->t, "%s", title.buf);
	strbuf_release(&title);
}

/* What the medians are of: a speed or a time. */
static const char *
value_head(const struct result *r)
{
	const char *metric = r->rule.metric;

	if (metric == NULL || strcmp(metric, "throughput") == 0)
		return "median";
	return strcmp(metric, "step-time") == 0 ? "step time" : "time to train";
}

static void
add_columns(struct view *v)
{
	const char *unit = v->column[TRAIT_UNIT] ? NULL : v->r->cases[0].unit;
	struct table *t = &v->t;
	int k;

	for (k = 0; k < N_TRAITS; k++)
		if (v->column[k])
			table_column(t, trait_heads[k], NULL,
			    k == TRAIT_BATCH ? TABLE_RIGHT : TABLE_LEFT);
	table_column(t, "case", NULL, TABLE_LEFT);
	table_column(t, "runs", NULL, TABLE_RIGHT);
	table_column(t, value_head(v->r), unit, TABLE_DECIMAL);
	if (v->csv) {
		table_column(t, "low", unit, TABLE_DECIMAL);
		table_column(t, "high", unit, TABLE_DECIMAL);
		table_column(t, "level", NULL, TABLE_DECIMAL);
	} else
		table_column(t, "interval", unit, TABLE_LEFT);
	if (v->olympic)
		table_column(t, "olympic mean", unit, TABLE_DECIMAL);
	table_column(t, "speedup", NULL, TABLE_DECIMAL);
	if (v->csv) {
		table_column(t, "speedup low", NULL, TABLE_DECIMAL);
		table_column(t, "speedup high", NULL, TABLE_DECIMAL);
		table_column(t, "speedup level", NULL, TABLE_DECIMAL);
		table_column(t, "efficiency", NULL, TABLE_DECIMAL);
		table_column(t, "baseline", NULL, TABLE_LEFT);
	} else {
		table_column(t, "interval", NULL, TABLE_LEFT);
		table_column(t, "efficiency", "%", TABLE_DECIMAL);
	}
	table_column(t, "flags", NULL, TABLE_LEFT);
}

static void
number_cell(struct view *v, double x, int digits)
{
	char text[UNITS_TEXT_SIZE], exact[JSON_DOUBLE_SIZE];

	if (isnan(x))
		table_cell(&v->t, v->csv ? "" : "-");
	else if (v->csv)
		table_cell(&v->t, json_double(exact, x));
	else
		table_cell(&v->t, number_format(text, x, digits));
}

static void
interval_cells(
    struct view *v, double low, double high, double level, int digits)
{
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

	if (v->csv) {
		number_cell(v, low, digits);
		number_cell(v, high, digits);
		number_cell(v, level, digits);
	} else if (isnan(low))
		table_cell(&v->t, "-");
	else
		table_cellf(&v->t, "[%s, %s]", number_format(a, low, digits),
		    number_format(b, high, digits));
}

/* Bytes of the number that s begins with. */
static size_t
number_length(const char *s)
{
	const size_t n = strspn(s, "0123456789.");

	return n > 0 && s[0] != '.' ? n : 0;
}

/* Do the flags say the same, but for numbers? */
static int
is_alike(const char *a, const char *b)
{
	while (*a != '\0' && *b != '\0') {
		const size_t m = number_length(a), n = number_length(b);

		if ((m > 0) != (n > 0) || (m == 0 && *a != *b))
			return 0;
		a += m > 0 ? m : 1;
		b += n > 0 ? n : 1;
	}
	return *a == *b;
}

/* The flag of a run that is like this one, or NULL. */
static const char *
flag_like(const struct result_run *run, const char *flag, int csv)
{
	for (size_t j = 0; j < run->n_flags; j++)
		if (csv ? strcmp(run->flags[j], flag) == 0
			: is_alike(run->flags[j], flag))
			return run->flags[j];
	return NULL;
}

/* Is the k-th number of the flag another one in some run of the case? */
static int
is_varied(const struct result_case *c, const char *flag, size_t k)
{
	for (size_t i = 0; i < c->n_runs; i++) {
		const char *a = flag, *b = flag_like(&c->runs[i], flag, 0);
		size_t seen = 0;

		while (b != NULL && *a != '\0') {
			const size_t m = number_length(a);
			const size_t n = number_length(b);

			if (m > 0 && seen++ == k &&
			    (m != n || memcmp(a, b, n) != 0))
				return 1;
			a += m > 0 ? m : 1;
			b += n > 0 ? n : 1;
		}
	}
	return 0;
}

/* The flag, with dots for the numbers that differ from run to run. */
static void
add_flag(struct strbuf *sb, const struct result_case *c, const char *flag)
{
	size_t k = 0;

	for (const char *p = flag; *p != '\0';) {
		const size_t n = number_length(p);

		if (n > 0 && is_varied(c, flag, k++))
			strbuf_addstr(sb, "...");
		else
			strbuf_add(sb, p, n > 0 ? n : 1);
		p += n > 0 ? n : 1;
	}
}

static void
flags_cell(struct view *v, const struct result_case *c)
{
	struct strbuf *sb = &v->text;

	strbuf_reset(sb);
	if (!v->csv && c->baseline != NULL && strcmp(c->baseline, c->name) == 0)
		strbuf_addstr(sb, "baseline");
	for (size_t i = 0; i < c->n_runs; i++)
		for (size_t j = 0; j < c->runs[i].n_flags; j++) {
			const char *flag = c->runs[i].flags[j];
			size_t n = 0, before = 0;

			for (size_t k = 0; k < c->n_runs; k++)
				if (flag_like(&c->runs[k], flag, v->csv)) {
					n++;
					before += k < i;
				}
			for (size_t k = 0; k < j; k++)
				before += is_alike(c->runs[i].flags[k], flag) &&
				    !v->csv;
			if (before > 0)
				continue;
			strbuf_addstr(sb, sb->len > 0 ? "; " : "");
			if (v->csv)
				strbuf_addstr(sb, flag);
			else
				add_flag(sb, c, flag);
			if (n < c->n_runs)
				strbuf_printf(
				    sb, " (%zu of %zu runs)", n, c->n_runs);
		}
	table_cell(&v->t, sb->buf);
}

static void
add_row(struct view *v, const struct result_case *c)
{
	int k;

	table_row(&v->t);
	for (k = 0; k < N_TRAITS; k++)
		if (v->column[k])
			table_cell(&v->t, trait_of(c, (enum trait)k, &v->text));
	table_cell(&v->t, c->name);
	table_cellf(&v->t, "%ld", c->n);
	number_cell(v, c->median_speed, DIGITS);
	table_emphasise(&v->t, TABLE_STRONG);
	interval_cells(
	    v, c->median_low, c->median_high, c->median_level, DIGITS);
	if (v->olympic)
		number_cell(v, c->olympic_speed, DIGITS);
	number_cell(v, c->speedup, 4);
	interval_cells(v, c->speedup_low, c->speedup_high, c->speedup_level, 4);
	if (v->csv)
		number_cell(v, c->efficiency, DIGITS);
	else
		number_cell(v, c->efficiency * 100, 3);
	if (v->csv)
		table_cell(&v->t, c->baseline);
	flags_cell(v, c);
}

/* "93.75 % with 5 runs; 97.85 % with 10 runs" */
static void
note_levels(struct view *v)
{
	const struct result *r = v->r;
	struct strbuf *sb = &v->text;
	size_t i, j;

	strbuf_reset(sb);
	for (i = 0; i < r->n_cases; i++) {
		if (isnan(r->cases[i].median_level))
			continue;
		for (j = 0; j < i; j++)
			if (r->cases[j].n == r->cases[i].n)
				break;
		if (j == i)
			strbuf_printf(sb, "%s%.4g %% with %ld runs",
			    sb->len > 0 ? ", " : "",
			    r->cases[i].median_level * 100, r->cases[i].n);
	}
	if (sb->len > 0)
		table_note(
		    &v->t, "Level of the median's interval: %s.", sb->buf);
}

/* The case that c was compared with; NULL: none. */
static const struct result_case *
baseline_of(const struct result *r, const struct result_case *c)
{
	size_t i;

	for (i = 0; i < r->n_cases && c->baseline != NULL; i++) {
		const struct result_case *b = &r->cases[i];

		if (strcmp(b->name, c->baseline) == 0 &&
		    natural_compare(b->framework, c->framework) == 0 &&
		    natural_compare(b->model, c->model) == 0 &&
		    natural_compare(b->precision, c->precision) == 0)
			return b;
	}
	return NULL;
}

static void
note_speedup_levels(struct view *v)
{
	const struct result *r = v->r;
	struct strbuf *sb = &v->text;
	size_t i, j;

	strbuf_reset(sb);
	for (i = 0; i < r->n_cases; i++) {
		const struct result_case *c = &r->cases[i];
		const struct result_case *b = baseline_of(r, c);

		if (b == NULL || isnan(c->speedup_level))
			continue;
		for (j = 0; j < i; j++)
			if (r->cases[j].n == c->n &&
			    fabs(r->cases[j].speedup_level - c->speedup_level) <
				1e-12)
				break;
		if (j == i)
			strbuf_printf(sb, "%s%.4g %% with %ld and %ld runs",
			    sb->len > 0 ? ", " : "", c->speedup_level * 100,
			    c->n, b->n);
	}
	if (sb->len > 0)
		table_note(
		    &v->t, "Level of a speedup's interval: %s.", sb->buf);
}

static int
has_rule(const struct result *r, const char *rule)
{
	size_t i;

	for (i = 0; i < r->n_cases; i++)
		if (strcmp(r->cases[i].rule, rule) == 0)
			return 1;
	return 0;
}

/* Which iterations the numbers stand on. */
static void
note_rule(struct view *v)
{
	const struct result_rule *rule = &v->r->rule;
	const long skip = rule->skip_iterations;

	if (has_rule(v->r, "window") && skip != RESULT_UNKNOWN) {
		if (rule->train_batches == RESULT_UNKNOWN)
			table_note(&v->t, "Window: positions %ld on.",
			    skip + rule->warmup_batches);
		else
			table_note(&v->t, "Window: positions %ld to %ld.",
			    skip + rule->warmup_batches,
			    skip + rule->train_batches - 1);
	}
	if (has_rule(v->r, "all"))
		table_note(&v->t,
		    "Rule all: every record from iteration %ld "
		    "on.",
		    rule->from_iteration != RESULT_UNKNOWN
			? rule->from_iteration
			: 0);
	if (has_rule(v->r, "summary"))
		table_note(&v->t,
		    "Rule summary: the figure that each program "
		    "printed itself.");
}

static void
show_cases(struct view *v, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	size_t i;

	table_init(&v->t);
	add_title(v);
	add_columns(v);
	for (i = 0; i < v->r->n_cases; i++)
		add_row(v, &v->r->cases[i]);
	note_rule(v);
	note_levels(v);
	note_speedup_levels(v);
	table_write(&v->t, format, colour, f);
	table_release(&v->t);
}

/* Excluded ones of this reason up to number i, which is one. */
static size_t
count_reason(const struct result *r, size_t i)
{
	size_t j, n = 0;

	for (j = 0; j <= i; j++)
		n += strcmp(r->excluded[j].reason, r->excluded[i].reason) == 0;
	return n;
}

static void
show_excluded(struct view *v, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	const char *place, *rest;
	size_t i, left_out = 0;
	int len;

	table_init(&v->t);
	table_title(&v->t, "Left out");
	table_column(&v->t, "log", NULL, TABLE_LEFT);
	table_column(&v->t, "reason", NULL, TABLE_LEFT);
	table_column(&v->t, "message", NULL, TABLE_LEFT);
	for (i = 0; i < v->r->n_excluded; i++) {
		const struct result_excluded *x = &v->r->excluded[i];

		if (i >= SHOW_EXCLUDED &&
		    (left_out > 100 * SHOW_EXCLUDED ||
			count_reason(v->r, i) > SHOW_EXCLUDED)) {
			left_out++;
			continue;
		}
		place = exclusion_place(x->path, x->message, &len, &rest);
		table_row(&v->t);
		table_cellf(&v->t, "%.*s", len, place);
		table_cell(&v->t, x->reason);
		table_cell(&v->t, rest);
	}
	if (left_out > 0)
		table_note(&v->t, "And %zu more; the result names them all.",
		    left_out);
	table_write(&v->t, format, colour, f);
	table_release(&v->t);
}

void
show_result(const struct result *r, const struct table_format *format,
    enum table_colour colour, FILE *f)
{
	struct view v = {
		.r = r,
		.csv = format == &table_csv,
		.olympic = format != &table_csv && r->rule.metric != NULL &&
		    strcmp(r->rule.metric, "time-to-train") == 0,
	};

	strbuf_init(&v.text, MAX_TEXT);
	if (r->n_cases > 0)
		show_cases(&v, format, colour, f);
	if (!v.csv)
		show_collectives(r, format, colour, f);
	if (r->n_excluded > 0 && !v.csv) {
		if (r->n_cases > 0)
			fputc('\n', f);
		show_excluded(&v, format, colour, f);
	}
	strbuf_release(&v.text);
}
