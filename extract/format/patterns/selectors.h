/* Selectors of values in objects and tables (pattern.h),
 * separated by spaces.  NAME is a path of keys or the name of a column, where
 * ~0 is '~', ~1 '/', ~2 a space, ~3 '|', ~4 '='.
 *
 *	FIELD=NAME|NAME    captures the value of the first name present
 *	FIELD?=NAME|NAME   the same, but the value is optional
 *	NAME|NAME==TEXT|TEXT   requires one of these values
 *	+NAME              requires the name
 *	!NAME              forbids the name
 *	after=TEXT         for objects only: the text before them
 *
 * Internal to extract/format/patterns.
 */
#ifndef EXTRACT_FORMAT_PATTERNS_SELECTORS_H
#define EXTRACT_FORMAT_PATTERNS_SELECTORS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/format/patterns/pattern.h"

enum { SELECTOR_MAX_NAMES = 64 /* in one pattern, alternatives included */ };

struct selector_text {
	const char *s; /* [len] */
	size_t len;
};

enum selector_kind {
	SELECT_CAPTURE,
	SELECT_EQUALS, /* without values: must only be present */
	SELECT_ABSENT
};

struct selector {
	enum selector_kind kind;
	int optional;
	uint32_t group;               /* for SELECT_CAPTURE */
	struct selector_text whole;   /* the selector in the pattern */
	struct selector_text *names;  /* [n_names] as written */
	struct selector_text *values; /* [n_values] without escapes */
	size_t n_names, n_values;
};

struct selector_list {
	struct selector *items;     /* [n] */
	size_t n, n_names;          /* names: of all selectors */
	struct selector_text after; /* s NULL: not given */
	uint32_t n_groups;
};

/* A pattern that is parsed. */
struct selector_reader {
	struct pattern *p;
	struct arena *a;
	const struct format_source *src;
	struct selector_list *list;
	struct error *e;
};

/* Parse the selectors of p->text; fills list and p->captures.
 *
 * Returns 0; -1 with the position of an invalid selector. */
int selectors_read(struct selector_reader *r);

/* Report a mistake at a position of p->text.  Returns -1. */
int selector_mistake(
    const struct selector_reader *r, const char *at, const char *what);

/* Resolve the escapes of a text of the pattern. */
struct selector_text selector_plain(struct arena *a, const char *s, size_t len);

static inline int
selector_text_same(const struct selector_text *a, const struct selector_text *b)
{
	return a->len == b->len && memcmp(a->s, b->s, a->len) == 0;
}

/* True if the value equals one of x->values, or x has none. */
int selector_has_value(const struct selector *x, const struct selector_text *v);

/* The only name of a selector, if required, so that it is in every match; or
 * NULL. */
const struct selector_text *selector_needed_name(const struct selector *x);

/* Add a text of every match.  It becomes p's literal if it is the longest. */
void selector_offer_literal(
    struct pattern *p, const struct selector_text *text);

#endif
