/* The text that stands in everything a regular expression matches, so that a
 * format can be passed over where a log does not hold it.  Internal to
 * extract/.
 */
#ifndef EXTRACT_LITERAL_H
#define EXTRACT_LITERAL_H

#include <stddef.h>

enum { LITERAL_MAX = 32 }; /* bytes of a longer one are left out */

/* Find the longest such text.
 *
 * regex  as PCRE2 takes it
 * out    [LITERAL_MAX] gets it, without a NUL
 *
 * Returns its bytes; 0 where there is none, or the expression holds what this
 * does not understand. */
size_t literal_find(const char *regex, char *out);

/* The same for the selectors of a JSON pattern: the longest of what stands in
 * front of the object and the keys that must be in it. */
size_t literal_find_key(const char *selectors, char *out);

#endif
