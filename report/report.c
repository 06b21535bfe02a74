/* The kinds of tables, and the report of all tables that --table names. */
#include <config.h>

#include "report/report.h"

#include <string.h>

#include "report/gate.h"
#include "report/tables/report_makers.h"
#include "report/tables/pivot.h"

const struct report reports[] = {
	{ "scaling", scaling_make,
	    "one row per case: median, interval, speedup, efficiency, "
	    "flags",
	    0 },
	{ "comparison", comparison_make,
	    "one column per framework, one table for each model, batch and "
	    "precision",
	    0 },
	{ "speedup", speedup_make,
	    "a table for each series: topology, speed, speedup", 1 },
	{ "collectives", collectives_make,
	    "a table for each case: gradient allreduces by size, their time "
	    "and bandwidth",
	    0 },
	{ "law", law_make,
	    "one row per law (Amdahl, Gustafson, USL) for each series: "
	    "parameters, standard errors, peak",
	    1 },
	{ "times", times_make,
	    "real, user and system time of each case's program, throughput, "
	    "speedup",
	    1 },
	{ "phases", phases_make,
	    "one column per case: total time and relative cost, phases of a "
	    "step, network",
	    1 },
	{ "dlperf", dlperf_make,
	    "DLPerf's five columns: nodes, GPUs of each, batch, speed, "
	    "speedup",
	    1 },
	{ NULL, NULL, NULL, 0 },
};

enum { N_REPORTS = sizeof reports / sizeof reports[0] };

/* Each table once, in the order of --table. */
static int
tables_asked_for(struct series_set *set, const struct opt_list *list,
    const struct report **out, size_t *n, struct error *e)
{
	const int speeds = series_need_speeds(set, reports[0].name, NULL) == 0;

	*n = 0;
	for (size_t i = 0; list != NULL && i < list->n; i++) {
		char *at = arena_strdup(&set->arena, list->items[i]);

		for (char *name; (name = strsep(&at, ",")) != NULL;) {
			const int all = strcmp(name, "all") == 0;
			int found = 0;

			for (const struct report *r = reports; r->name != NULL;
			     r++) {
				size_t k = 0;

				if (!all && strcmp(r->name, name) != 0)
					continue;
				found = 1;
				if (r->of_speeds && !speeds && !all)
					return series_need_speeds(set,
					    arena_printf(&set->arena,
						"--table=%s", name),
					    e);
				while (k < *n && out[k] != r)
					k++;
				if (k == *n && (speeds || !r->of_speeds))
					out[(*n)++] = r;
			}
			if (!found)
				return error_set(e, ERROR_USAGE,
				    "--table: unknown table '%s'; "
				    "--list-tables lists all",
				    name);
		}
	}
	if (*n == 0)
		out[(*n)++] = &reports[0];
	return 0;
}

/* --- writing -------------------------------------------------------------- */

/* Set the kind of the tables from first on. */
static void
name_tables(struct report_tables *list, size_t first, const char *name)
{
	for (size_t i = first; i < list->n; i++)
		list->items[i].name = name;
}

/* Write the tables, or an error if none has a row: one may have a note that
 * says why. */
static int
write_tables(const struct report_tables *list, const struct report_how *how,
    FILE *f, struct error *e)
{
	const char *note = NULL;
	size_t n_rows = 0;

	for (size_t i = 0; i < list->n; i++) {
		n_rows += list->items[i].n_rows;
		if (note == NULL && list->items[i].n_notes > 0)
			note = list->items[i].notes[0];
	}
	if (n_rows == 0)
		return error_set(e, ERROR_EMPTY, "no case to show%s%s",
		    note != NULL ? ": " : "", note != NULL ? note : "");
	report_tables_write(list, how, f);
	return 0;
}

int
report_write(struct series_set *set, const struct report_how *how, FILE *f,
    struct error *e)
{
	const struct report *which[N_REPORTS];
	struct report_tables list = { NULL, 0, 0 };
	size_t n, own, first;
	int rc = 0;

	if (tables_asked_for(set, how->tables, which, &n, e) != 0)
		return -1;
	/* With a comparison or gates, the scaling table is not added by
	 * default. */
	own =
	    how->comparison != NULL || how->gates != NULL || how->pivot != NULL;
	if (own && how->tables->n == 0)
		n = 0;
	if (how->flat && n + own > 1)
		return error_set(e, ERROR_USAGE,
		    "--format=%s holds one table, %zu were asked for",
		    how->format->name, n + own);
	if (how->comparison != NULL && !(how->flat && how->gates != NULL))
		compare_make(
		    set, how->comparison, how->comparison_how, how, &list);
	name_tables(&list, 0, "compare");
	first = list.n;
	if (how->gates != NULL)
		gate_make(how->gates, how, &list);
	name_tables(&list, first, "gate");
	first = list.n;
	if (how->pivot != NULL)
		rc = pivot_make(how->pivot, set, how, &list, e);
	name_tables(&list, first, "pivot");
	for (size_t i = 0; i < n; i++) {
		first = list.n;
		which[i]->make(set, how, &list);
		name_tables(&list, first, which[i]->name);
	}
	if (rc == 0)
		rc = write_tables(&list, how, f, e);
	report_tables_release(&list);
	return rc;
}
