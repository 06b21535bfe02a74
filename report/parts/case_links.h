/* Where on the page the details of each case are, so that tables can lead from
 * a number to what it stands on.
 *
 *	struct case_links links;
 *	case_links_init(&links, &panels);
 *	case_links_number(&links, c); -> 3: the element with the id "case-3"
 *	case_links_release(&links);
 */
#ifndef REPORT_PARTS_CASE_LINKS_H
#define REPORT_PARTS_CASE_LINKS_H

#include <stddef.h>

#include "common/table/table.h"
#include "report/parts/panel.h"

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
