/* Values next to the steps at the end of a log: loss, accuracy, memory, MFU.
 * Only lines that begin in the last TAIL_VALUES_BYTES are used. Internal to
 * extract/.
 */
#ifndef EXTRACT_SCAN_TAIL_VALUES_H
#define EXTRACT_SCAN_TAIL_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "extract/format/patterns/field_names.h"
#include "extract/log/log.h"

enum { TAIL_VALUES_BYTES = 64 << 10 /* at the end of the text */ };

/* Values of lines that may be in the tail. Initialise with zeros. */
struct tail_values {
	struct tail_value {
		const struct field_name *word;
		double value;
		int64_t line; /* line number, from 1 */
		int64_t at;   /* offset of the line in the text */
	} * items;            /* [n] in file order */
	size_t n, alloc;
};

/* Add a value of the line at offset x->at. If there are many values, those of
 * much earlier lines are dropped. */
void tail_values_add(struct tail_values *all, const struct tail_value *x);

/* Fill log->tail from the last lines of a text of `size` bytes. */
void tail_values_fill(
    const struct tail_values *all, int64_t size, struct log *log);

#endif
