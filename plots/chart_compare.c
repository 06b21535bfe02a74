/* The forest plot of two results.  chart.c calls it; the numbers are
 * common/series/result_comparison.c's. */
#include <config.h>

#include "plots/chart_compare.h"

#include <math.h>
#include <stdlib.h>

#include "common/alloc.h"
#include "common/series/result_comparison.h"
#include "common/strbuf.h"

/* The values in which the compared series differ, and the case. */
static const char *
point_name(struct chart_data *d, const struct series_set *set,
    const struct comparison_row *row)
{
	const uint64_t keys = series_set_differing(set) &
	    ~(SERIES_BIT(SERIES_SOURCE) | SERIES_BIT(SERIES_RULE) |
		SERIES_BIT(SERIES_KIND));
	struct strbuf sb;
	const char *name;

	strbuf_init(&sb, 4096);
	for (size_t k = 0; k < set->n_keys; k++)
		if ((keys & SERIES_BIT(k)) && row->s->values[k] != NULL)
			strbuf_printf(&sb, "%s ", row->s->values[k]);
	strbuf_addstr(&sb, row->after->c->name);
	name = arena_strdup(&d->arena, sb.buf);
	strbuf_release(&sb);
	return name;
}

static void
add_point(
    struct chart_series *s, const struct comparison_row *row, const char *name)
{
	struct chart_point *p = &s->points[s->n_points++];

	/* Cases are no line. */
	*p = (struct chart_point){
		.gpus = (long)s->n_points, .name = name, .aside = 1
	};
	for (int q = 0; q < CHART_N_QUANTITIES; q++) {
		p->y[q] = (struct chart_number){ NAN, NAN, NAN };
		p->level[q] = NAN;
	}
	p->y[CHART_VALUE] =
	    (struct chart_number){ row->ratio, row->low, row->high };
	p->level[CHART_VALUE] = row->level;
}

void
compare_fill(
    struct chart_data *d, struct series_set *set, const char *const *names)
{
	const struct comparison_how how = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	struct comparison c;
	struct chart_series *s;

	(void)names;
	if (!(series_set_differing(set) & SERIES_BIT(SERIES_SOURCE)) ||
	    comparison_init(set, &how, &c, NULL) != 0)
		return;
	s = arena_calloc(&d->arena, 1, sizeof *s);
	*s = (struct chart_series){ .name = message(MESSAGE_RATIO, LANGUAGE_EN),
		.base_gpus = NAN,
		.base_value = NAN };
	s->points = arena_calloc(&d->arena, c.n, sizeof *s->points);
	for (size_t i = 0; i < c.n; i++)
		if (isfinite(c.rows[i].ratio))
			add_point(
			    s, &c.rows[i], point_name(d, set, &c.rows[i]));
	d->series = s;
	d->n_series = s->n_points > 0;
	comparison_release(&c);
}

void
compare_x(struct chart_data *d, int room)
{
	const struct chart_series *s = &d->series[0];
	const char **names = xcalloc(s->n_points, sizeof *names);

	for (size_t i = 0; i < s->n_points; i++)
		names[i] = s->points[i].name;
	axis_names(names, s->n_points, room, &d->x);
	free(names);
}
