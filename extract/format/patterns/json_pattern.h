/* Patterns for objects instead of text: JSON, and what Python's repr makes of a
 * dictionary (single quotes, None, True, nan).  A statement "json ROLE NAME
 * SELECTORS" compiles to one; it gives offset pairs as a regular expression
 * does.
 *
 * selectors.h has the selectors.  A NAME is a path: a key, or keys and array
 * indices with '/' between them.  A value is what stands between the quotes,
 * or the bare text; null and None count as missing.  With after=TEXT an object
 * begins directly after this text (and spaces); without it objects that begin
 * anywhere are tried in turn, but not those inside of objects.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H
#define EXTRACT_FORMAT_PATTERNS_JSON_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/pattern.h"

struct json_pattern;

/* Compile the selectors in p->text: fills p->json, captures, n_groups, literal
 * and what else pattern_compile fills.
 *
 * Returns 0; -1 with the place of a selector that is wrong. */
int json_pattern_compile(struct pattern *p, struct arena *a,
    const struct format_source *src, struct error *e);

/* Look for the first object in text, from an offset on, that fits.
 *
 * text  [len]
 * ov    gets the offset pairs, 2 * (p->n_groups + 1) numbers; PCRE2_UNSET for
 *       what is missing
 * work  in/out: bytes that may be read in vain, as where many objects begin and
 *       none ends; at 0 or less the rest of the text is not looked at
 *
 * Returns the number of pairs, or 0. */
size_t json_pattern_match(const struct json_pattern *p, const char *text,
    size_t len, size_t from, size_t *ov, int64_t *work);

/* In the object of text that begins first: the selector that is the first not
 * to fit.
 *
 * len, end  out: bytes of the selector; where in the text the object begins
 *
 * Returns the selector, or NULL where there is no object. */
const char *json_pattern_missing(const struct json_pattern *p, const char *text,
    size_t text_len, size_t *len, size_t *end);

/* True if it names free digits (regex_text.h); otherwise lines that differ in
 * these only hold the same matches. */
int json_pattern_names_digits(const struct json_pattern *p);

#endif
