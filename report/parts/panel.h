/* A panel: the series that stand in one table, and what they have in common.
 *
 *	struct panel_list l;
 *	panel_split(&set, PANEL_MODEL_KEYS, &l);
 *	for (size_t i = 0; i < l.n; i++)
 *		puts(panel_title(&set, &l.items[i], 0, LANGUAGE_EN));
 *	panel_release(&l);
 */
#ifndef REPORT_PARTS_PANEL_H
#define REPORT_PARTS_PANEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/series/series.h"
#include "common/series/series_parts.h"
#include "common/table/table.h"

/* What is the same in all columns of a comparison. */
#define PANEL_KEYS \
	(SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_PRECISION) | \
	    SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH))

struct panel {
	uint64_t keys;           /* that all its series agree in */
	uint64_t differing;      /* keys in which they differ */
	const struct series **s; /* in the order of the set */
	size_t n;
};

struct panel_list {
	struct panel *items; /* in order of first appearance */
	size_t n;
};

/* A case of a panel or of a set, and its place there. */
struct panel_point {
	const struct series *s;
	const struct series_point *p;
	const struct result_case *c;
	size_t i, next; /* which series, and the point after this one */
};

/* Step to the next case, series by series.
 *
 *	for (struct panel_point x = { NULL }; panel_next(p, &x);)
 *		puts(x.c->name);
 *
 * Returns 0 at the end. */
int panel_next(const struct panel *p, struct panel_point *x);

/* The same through all series of a set. */
int panel_next_of_set(const struct series_set *set, struct panel_point *x);

/* Put the series of a set that agree in the given keys together.  The list
 * borrows from the set. */
void panel_split(
    const struct series_set *set, uint64_t keys, struct panel_list *out);

/* All series of a set as one panel.  Free its s with free(). */
struct panel panel_of_all(const struct series_set *set);

/* Free all. */
void panel_release(struct panel_list *l);

/* What a panel is of, for its title: the values of its keys and of all others
 * that its series agree in, but not of those in without.  Lives in the set's
 * arena. */
const char *panel_title(struct series_set *set, const struct panel *p,
    uint64_t without, enum language lang);

/* What distinguishes series i of the panel, for a head or a first column: its
 * framework and what differs, but the unit; where nothing is known, that it
 * was measured or published.  Lives in the set's arena. */
const char *panel_series_name(struct series_set *set, const struct panel *p,
    size_t i, enum language lang);

/* The rows of a panel: the different shapes of all series, by GPUs, then nodes;
 * unknown ones last.
 *
 * n  set to how many
 *
 * Free with free(). */
struct case_shape *panel_rows(const struct panel *p, size_t *n);

/* The points of all series, by shape: that of series k in row i, the first one
 * if it has several, is cells[i * p->n + k]; NULL: it has none.
 *
 * rows  [n] of panel_rows
 *
 * Free with free(). */
const struct series_point **panel_cells(
    const struct panel *p, const struct case_shape *rows, size_t n);

/* --- links ---------------------------------------------------------------- */

/* Where on the page the details of each case are, so that tables can lead from
 * a number to what it stands on.
 *
 *	struct case_links links;
 *	case_links_init(&links, &panels);
 *	case_links_number(&links, c); -> 3: the element with the id "case-3"
 *	case_links_release(&links);
 */
struct case_link {
	const struct result_case *c;
	size_t number;
};

struct case_links {
	struct case_link *items; /* by address */
	size_t n;
};

enum { CASE_NO_LINK = -1 };

/* Number the cases of all panels from 0, in the order of panels, series and
 * points. */
void case_links_init(struct case_links *l, const struct panel_list *panels);

/* The number of the case; CASE_NO_LINK if it has none. */
long case_links_number(const struct case_links *l, const struct result_case *c);

/* Let the cell that was added last lead to the details of the case.  Nothing
 * where l is NULL or does not know the case, or the cell is empty. */
void case_links_cell(
    const struct case_links *l, struct table *t, const struct result_case *c);

/* The same for all cells of the table. */
void case_links_table(
    const struct case_links *l, struct table *t, const struct result_case *c);

/* Free all. */
void case_links_release(struct case_links *l);

#endif
