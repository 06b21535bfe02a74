/* Patterns for objects instead of text: JSON, and dictionaries as printed by
 * Python's repr (single quotes, None, True, nan).  A statement "json ROLE NAME
 * SELECTORS" compiles to one.  It returns offset pairs like a regular
 * expression.
 *
 * See selectors.h for selectors.  NAME is a path: a key, or keys and array
 * indices separated by '/'.  A value is the text between quotes, or the bare
 * text; null and None count as missing.  With after=TEXT, an object must
 * directly follow this text (and spaces); without it, all objects are tried in
 * turn, except nested ones.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/pattern.h"

struct json_pattern;

/* Compile the selectors in p->text.  Sets p->json, captures, n_groups, literal
 * and the other members that pattern_compile sets.
 *
 * Returns 0; -1 with the position of an invalid selector. */
int json_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Find the first matching object in text, from an offset on.
 *
 * text  [len]
 * ov    receives the offset pairs, 2 * (p->n_groups + 1) numbers; PCRE2_UNSET
 *       for missing values
 * work  in/out: bytes that may be read in vain, for instance if many objects
 *       begin and none ends; the search stops at 0 or less
 *
 * Returns the number of pairs, or 0. */
size_t json_pattern_match(const struct json_pattern *p, const char *text,
    size_t len, size_t from, size_t *ov, int64_t *work);

/* Find the first selector that does not match the first object of text.
 *
 * len, end  out: bytes of the selector; position of the object in text
 *
 * Returns the selector, or NULL if there is no object. */
const char *json_pattern_missing(const struct json_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end);

#endif
