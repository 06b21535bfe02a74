/* Values next to the steps in the last lines of a log: loss, accuracy, memory,
 * MFU. Only lines that begin in the last TAIL_VALUES_BYTES count. Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_TAIL_VALUES_H
#define EXTRACT_SCAN_TAIL_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/patterns/field_names.h"
#include "extract/log/log.h"

enum { TAIL_VALUES_BYTES = 64 << 10 /* of the text's end */ };

/* Values of lines that may be among the last. All 0: none. */
struct tail_values {
	struct tail_value {
		const struct field_name *word;
		double value;
		int64_t line; /* of the file, from 1 */
		int64_t at;   /* byte of the text at which the line begins */
	} * items;            /* [n] in the order of the file */
	size_t n, alloc;
};

/* Add a value whose line begins at byte x->at. Values of much earlier lines are
 * dropped when there are many. */
void tail_values_add(struct tail_values *all, const struct tail_value *x);

/* Fill log->tail with the last lines of a text of that many bytes. */
void tail_values_fill(
    const struct tail_values *all, int64_t size, struct log *log);

/* Free them; there are none then. */
void tail_values_release(struct tail_values *all);

#endif
