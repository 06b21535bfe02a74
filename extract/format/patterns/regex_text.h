/* Where the parts of a regular expression end, in its text as PCRE2 takes it.
 * Nothing is checked: PCRE2 does that.  Internal to extract/.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H
#define EXTRACT_FORMAT_PATTERNS_REGEX_TEXT_H

/* After the escape at p, which is two bytes or, with braces, more. */
const char *regex_skip_escape(const char *p);

/* After the class that begins at p. */
const char *regex_skip_class(const char *p);

/* After the group that begins at p.
 *
 * choice  out: 1 if it has alternatives of its own */
const char *regex_skip_group(const char *p, int *choice);

/* After a quantifier at p, if there is one.
 *
 * least  out: how often what it belongs to is there at least: 0 or 1; 2: more
 *        than once perhaps */
const char *regex_skip_quantifier(const char *p, int *least);

/* Does the expression have alternatives that are in no group? */
int regex_has_choice(const char *p);

/* Does each of its matches begin where the text does, as is seen at once?  0:
 * they may all the same. */
int regex_is_anchored(const char *p);

#endif
