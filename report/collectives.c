/* What the collectives of a training took, by size: the columns of published
 * measurements with Horovod. */
#include <config.h>

#include "common/result/collective_groups.h"
#include "report/panel.h"
#include "report/report.h"

enum { DIGITS = 5 };

static const double mib = 1 << 20;

static void
add_columns(struct table *t, enum language lang)
{
	table_column(t, message(MESSAGE_MESSAGE_SIZE, lang), NULL, TABLE_LEFT);
	table_column(t, message(MESSAGE_COUNT, lang), NULL, TABLE_RIGHT);
	table_column(t, message(MESSAGE_MEAN_SIZE, lang), "MiB", TABLE_DECIMAL);
	table_column(
	    t, message(MESSAGE_BUS_BANDWIDTH, lang), "Mibit/s", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_TOTAL_TIME, lang), "s", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_MEAN_TIME, lang), "ms", TABLE_DECIMAL);
	table_column(t, message(MESSAGE_TIME_SHARE, lang), "%", TABLE_DECIMAL);
}

static void
add_row(struct table *t, const struct collective_bin *b)
{
	char label[SIZE_LABEL_SIZE];

	size_bin_label(b->bin, ", ", label);
	table_row(t);
	table_cell(t, label);
	table_cellf(t, "%.*g", DIGITS, b->count);
	table_cellf(t, "%.*g", DIGITS, b->bytes / b->count / mib);
	if (b->bus > 0)
		table_cellf(t, "%.*g", DIGITS, 8e9 / mib * b->bus);
	else
		table_cell(t, "n/a");
	table_cellf(t, "%.*g", DIGITS, b->seconds);
	table_cellf(t, "%.*g", DIGITS, 1e3 * b->seconds / b->count);
	table_cellf(t, "%.2f", 100 * b->share);
}

static void
add_case(struct series_set *set, const struct series *s,
    const struct result_case *c, const struct report_how *how,
    struct report_tables *list)
{
	const struct panel p = { UINT64_MAX, &s, 1 };
	struct collective_bin bins[SIZE_BINS];
	size_t n_runs, n = collective_groups_by_size(c, bins, &n_runs);
	const char *of;
	struct table *t;

	if (n == 0)
		return;
	t = report_tables_add(list);
	of = panel_title(set, &p, 0, how->lang);
	table_title(t, "%s%s%s: %s", of, of[0] != '\0' ? ", " : "",
	    series_case_name(&set->arena, c, how->lang),
	    message(MESSAGE_COLLECTIVES, how->lang));
	add_columns(t, how->lang);
	for (size_t i = 0; i < n; i++)
		add_row(t, &bins[i]);
	if (n_runs > 1)
		table_note(t, "%s: %zu",
		    message(MESSAGE_MEAN_OF_RUNS, how->lang), n_runs);
}

void
collectives_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	for (size_t i = 0; i < set->n; i++)
		for (size_t k = 0; k < set->items[i].n_points; k++)
			add_case(set, &set->items[i], set->items[i].points[k].c,
			    how, list);
}
