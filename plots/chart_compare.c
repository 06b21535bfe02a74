/* The forest plot of two results.  chart.c calls it; the numbers are
 * common/series/result_comparison.c's. */
#include <config.h>

#include "plots/chart_compare.h"

#include <math.h>
#include <stdlib.h>

#include "common/series/result_comparison.h"
#include "common/strbuf.h"
#include "plots/chart_series.h"

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

/* Which of the two is over which. */
static const char *
remark_of(struct chart_data *d, const struct comparison *c)
{
	const char *names[] = { comparison_source_name(c, 1),
		comparison_source_name(c, 0), NULL };
	struct strbuf sb;
	const char *remark;

	strbuf_init(&sb, 4096);
	message_fill(&sb, MESSAGE_RATIO_OF, d->lang, names);
	remark = arena_strdup(&d->arena, sb.buf);
	strbuf_release(&sb);
	return remark;
}

int
compare_fill(struct chart_data *d, struct series_set *set,
    const char *const *names, struct error *e)
{
	const struct comparison_how how = {
		.confidence = NAN, .detect = NAN, .allow_mixed = 1
	};
	struct comparison c;
	struct chart_series *s;

	(void)names;
	(void)e; /* main.c has compared them, and printed why not */
	if (!(series_set_differing(set) & SERIES_BIT(SERIES_SOURCE)) ||
	    comparison_init(set, &how, &c, NULL) != 0)
		return 0;
	s = chart_series_add(d, message(MESSAGE_RATIO, LANGUAGE_EN), c.n);
	for (size_t i = 0; i < c.n; i++) {
		const struct comparison_row *row = &c.rows[i];
		const struct chart_number y = { row->ratio, row->low,
			row->high };

		/* Cases are no line. */
		if (isfinite(row->ratio))
			chart_point_add(s, (double)s->n_points + 1, &y,
			    row->level, point_name(d, set, row))
			    ->aside = 1;
	}
	d->n_series = s->n_points > 0;
	d->remark = remark_of(d, &c);
	comparison_release(&c);
	return 0;
}

void
compare_x(struct chart_data *d, int room)
{
	chart_names_x(d, room);
}
