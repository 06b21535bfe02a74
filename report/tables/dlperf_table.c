/* The table of DLPerf's READMEs: five columns, a row a case, one table for each
 * series.  report.c lists it. */
#include <config.h>

#include <string.h>
#include <strings.h>

#include "report/parts/cell.h"
#include "report/parts/keys.h"
#include "report/parts/notes.h"
#include "report/parts/panel.h"
#include "report/tables/report_makers.h"

/* A framework as its makers spell it. */
static const char *
framework_name(const char *framework)
{
	static const char *const names[] = { "PyTorch", "TensorFlow", "MXNet",
		"OneFlow", "PaddlePaddle", "MindSpore" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(names[i], framework) == 0)
			return names[i];
	return strcmp(framework, "paddle") == 0 ? "PaddlePaddle" : framework;
}

static void
add_columns(struct table *t, const struct series *s)
{
	const char *unit = s->points[0].c->unit;
	const char *framework = s->values[SERIES_FRAMEWORK];

	table_column(t, "node_num", NULL, TABLE_RIGHT);
	table_column(t, "gpu_num_per_node", NULL, TABLE_RIGHT);
	table_column(t, "batch_size_per_device", NULL, TABLE_RIGHT);
	if (framework != NULL)
		table_column(t,
		    arena_printf(&t->arena, "%s(%s)",
			unit != NULL ? unit : "samples/s",
			framework_name(framework)),
		    NULL, TABLE_DECIMAL);
	else
		table_column(
		    t, unit != NULL ? unit : "samples/s", NULL, TABLE_DECIMAL);
	table_column(t, "speedup", NULL, TABLE_DECIMAL);
}

static void
add_rows(struct table *t, struct series_set *set, const struct series *s,
    uint64_t keys, const struct report_how *how)
{
	for (size_t i = 0; i < s->n_points; i++) {
		const struct series_point *p = &s->points[i];

		table_row(t);
		keys_cells(t, set, s, keys);
		cell_count(t, how, p->c->nodes);
		cell_count(t, how, p->c->gpus_per_node);
		cell_count(t, how, p->c->batch_size_per_device);
		cell_value(t, how, p);
		cell_speedup(t, how, p, p->c->speedup);
		if (how->flat)
			keys_measured_cells(t, s, p);
	}
}

static void
make_flat(struct series_set *set, const struct report_how *how, struct table *t)
{
	static const char *const heads[] = { "node_num", "gpu_num_per_node",
		"batch_size_per_device", "median", "speedup" };
	const uint64_t keys =
	    keys_known(set, UINT64_MAX & ~SERIES_BIT(SERIES_BATCH));

	keys_columns(t, set, keys);
	for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
		table_column(t, heads[i], NULL, TABLE_LEFT);
	measured_columns_add(t);
	for (size_t i = 0; i < set->n; i++)
		add_rows(t, set, &set->items[i], keys, how);
}

void
dlperf_make(struct series_set *set, const struct report_how *how,
    struct report_tables *list)
{
	if (how->flat) {
		make_flat(set, how, report_tables_add(list));
		return;
	}
	for (size_t i = 0; i < set->n; i++) {
		const struct series *s = &set->items[i];
		const struct panel p = { .keys = UINT64_MAX, .s = &s, .n = 1 };
		struct table *t = report_tables_add(list);

		table_title(t, "%s", panel_title(set, &p, 0, how->lang));
		add_columns(t, s);
		add_rows(t, set, s, 0, how);
		notes_measured(set, t, &p, NOTES_SPEEDUPS, how->lang);
		if (i + 1 == set->n)
			notes_origins(t, set, how->lang);
	}
}
