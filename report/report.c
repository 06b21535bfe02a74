/* Tables of a report. */
#include <config.h>

#include "report/report.h"

#include <string.h>

#include "common/series/series.h"
#include "common/table/table.h"
#include "report/page/page_parts.h"
#include "report/tables/report_makers.h"

static const struct report {
	const char *name;   /* of --table */
	report_maker *make; /* NULL: of cases */
	const struct case_table *cases;
	int of_speeds; /* 1: not available with --metric */
} reports[] = {
	{ "scaling", NULL, &scaling_table, 0 },
	{ "comparison", comparison_make, NULL, 0 },
	{ "speedup", NULL, &speedup_table, 1 },
	{ "collectives", collectives_make, NULL, 0 },
	{ "law", law_make, NULL, 1 },
	{ "times", NULL, &times_table, 1 },
	{ "phases", phases_make, NULL, 1 },
	{ "dlperf", NULL, &dlperf_table, 1 },
};
enum { N_REPORTS = sizeof reports / sizeof reports[0] };

/* Each table once, in the order of --table. Returns their number, or -1. */
static int
tables_asked_for(struct series_set *set, const struct opt_list *tables,
    const struct report **out, struct error *e)
{
	const int speeds = series_need_speeds(set, reports[0].name, NULL) == 0;
	unsigned taken = 0;
	int n = 0;

	for (size_t i = 0; i < tables->n; i++) {
		char *at = arena_strdup(&set->arena, tables->items[i]);

		for (char *name; (name = strsep(&at, ",")) != NULL;) {
			const int all = strcmp(name, "all") == 0;
			int found = all;

			for (size_t k = 0; k < N_REPORTS; k++) {
				if (!all && strcmp(reports[k].name, name) != 0)
					continue;
				found = 1;
				if (!all && !speeds && reports[k].of_speeds)
					return series_need_speeds(set,
					    arena_printf(&set->arena,
						"--table=%s", name),
					    e);
				if ((taken >> k & 1) == 0 &&
				    (speeds || !reports[k].of_speeds))
					out[n++] = &reports[k];
				taken |= 1u << k;
			}
			if (!found)
				return error_set(e, ERROR_USAGE,
				    "--table: unknown table '%s'; --help "
				    "lists all",
				    name);
		}
	}
	return n;
}

/* Set the kind of the tables added last. */
static void
name_tables(struct report_tables *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].name == NULL)
			list->items[i].name = name;
}

/* Make the comparison, the gates, the pivot table and the tables of
 * how->tables. */
static int
make_list(struct series_set *set, const struct report_how *how,
    struct report_tables *list, struct error *e)
{
	const struct report *which[N_REPORTS];
	const int own =
	    how->comparison != NULL || how->gates != NULL || how->is_pivot;
	int n = tables_asked_for(set, how->tables, which, e), rc = 0;

	if (n < 0)
		return -1;
	if (n == 0 && !own)
		which[n++] = &reports[0];
	if (how->format == &table_csv && n + own > 1)
		return error_set(e, ERROR_USAGE,
		    "--format=%s holds one table, %d were asked for",
		    how->format->name, n + own);
	if (how->comparison != NULL &&
	    !(how->format == &table_csv && how->gates != NULL))
		compare_make(set, how, list);
	name_tables(list, "compare");
	if (how->gates != NULL)
		gate_make(how, list);
	name_tables(list, "gate");
	if (how->is_pivot)
		rc = pivot_make(set, how, list, e);
	name_tables(list, "pivot");
	for (int i = 0; i < n; i++) {
		if (which[i]->make != NULL)
			which[i]->make(set, how, list);
		else
			case_tables_make(set, which[i]->cases, how, list);
		name_tables(list, which[i]->name);
	}
	return rc;
}

int
reports_write(struct series_set *set, const struct report_how *how, int is_page,
    FILE *f, struct error *e)
{
	const struct panel_list panels =
	    panel_split(set, PANEL_KEYS | SERIES_BIT(SERIES_UNIT));
	const struct case_links links = case_links_of(&panels, &set->arena);
	struct report_tables list = { NULL, 0, 0 };
	struct report_how own = *how;
	const char *note = NULL;
	size_t n_rows = 0;
	int rc;

	own.links = is_page ? &links : how->links;
	rc = make_list(set, &own, &list, e);
	for (size_t i = 0; i < list.n; i++) {
		n_rows += list.items[i].n_rows;
		if (note == NULL && list.items[i].n_notes > 0)
			note = list.items[i].notes[0];
	}
	/* A table without rows may have a note that says why. */
	if (rc == 0 && is_page)
		rc = page_compare_write(set, &own, &panels, &list, f, e);
	else if (rc == 0 && n_rows == 0)
		rc = error_set(e, ERROR_EMPTY, "no case to show%s%s",
		    note != NULL ? ": " : "", note != NULL ? note : "");
	else if (rc == 0)
		report_tables_write(&list, how, f);
	report_tables_release(&list);
	return rc;
}
