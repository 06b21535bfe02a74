/* Which digits of a line are free: all but those of a name ("layer1", "_2",
 * "@3"), where another digit is another thing (digit_insensitive.h).  Internal
 * to extract/.
 */
#ifndef EXTRACT_SCAN_DIGIT_MASK_H
#define EXTRACT_SCAN_DIGIT_MASK_H

#include <stddef.h>

/* Copy a line with the digits that are free put to '0': lines with the same
 * copy are matched alike by digit-insensitive patterns.
 *
 * out  [len] */
void digit_mask_line(const char *line, size_t len, char *out);

#endif
