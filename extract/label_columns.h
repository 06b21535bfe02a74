/* The columns of a CSV table that hold the labels of cases: one for each key
 * that any case has.
 *
 *	struct label_columns labels;
 *	label_columns_init(&labels, &result);
 *	label_columns_add(&labels, &table);
 *	label_columns_fill(&labels, &result.cases[0], &table);
 *	label_columns_release(&labels);
 */
#ifndef EXTRACT_LABEL_COLUMNS_H
#define EXTRACT_LABEL_COLUMNS_H

#include <stddef.h>

#include "common/result/result.h"
#include "common/table/table.h"

struct label_columns {
	const char **keys; /* [n], borrowed from the result, in its order */
	size_t n, alloc;
};

/* Find the keys of all cases; free them. */
void label_columns_init(struct label_columns *l, const struct result *r);
void label_columns_release(struct label_columns *l);

/* Add the columns; fill their cells in the row of a case, "" where it has no
 * such label. */
void label_columns_add(const struct label_columns *l, struct table *t);
void label_columns_fill(const struct label_columns *l,
    const struct result_case *c, struct table *t);

#endif
