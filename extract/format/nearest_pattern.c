/* Longest partial match of a pattern in a line, for messages; too slow for
 * other uses. */
#include <config.h>

#include "extract/format/matcher.h"

#include "common/alloc.h"
#include "extract/format/patterns/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

/* PCRE2 calls this before every item of the pattern. */
static int
note_progress(pcre2_callout_block *block, void *arg)
{
	struct nearest_pattern *best = arg;

	if (block->current_position - block->start_match >
	    best->end - best->start) {
		best->start = block->start_match;
		best->end = block->current_position;
		best->rest = best->pattern->text + block->pattern_position;
	}
	return 0;
}

/* The code of a pattern with a callout before each item, made on first use;
 * NULL if it is too large. */
static const pcre2_code *
traced_code(const struct pattern *p)
{
	int code;
	PCRE2_SIZE offset;

	if (p->code->traced == NULL)
		p->code->traced =
		    pcre2_compile((PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED,
			PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT |
			    PCRE2_NO_START_OPTIMIZE,
			&code, &offset, NULL);
	return p->code->traced;
}

/* Update out if p matches a longer part.  An object that only lacks a selector
 * is the nearest if no other pattern matched partially. */
static void
try_pattern(const struct format *f, const struct pattern *p, const char *line,
    size_t len, pcre2_match_context *context, pcre2_match_data *data,
    struct nearest_pattern *out)
{
	struct nearest_pattern x = { f, p, 0, 0, NULL };
	size_t n;

	if (p->json != NULL && out->pattern == NULL) {
		x.rest = json_pattern_missing(p->json, line, len, &n, &x.end);
		x.start = x.end;
		if (x.rest != NULL)
			*out = x;
	} else if (p->code != NULL && traced_code(p) != NULL) {
		pcre2_set_callout(context, note_progress, &x);
		pcre2_match(
		    traced_code(p), (PCRE2_SPTR)line, len, 0, 0, data, context);
		n = out->pattern != NULL ? out->end - out->start : 0;
		if (x.end - x.start > n &&
		    x.end - x.start >= NEAREST_PATTERN_MIN)
			*out = x;
	}
}

int
nearest_pattern_find(const struct format *const *formats, size_t n,
    unsigned roles, const char *line, size_t len, struct nearest_pattern *out)
{
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);

	if (context == NULL || data == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	pcre2_set_match_limit(context, FORMAT_MATCH_LIMIT);
	pcre2_set_depth_limit(context, FORMAT_DEPTH_LIMIT);
	pcre2_set_heap_limit(context, FORMAT_HEAP_LIMIT_KIB);
	out->pattern = NULL;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < formats[i]->n_patterns; k++)
			if (FIELD_NAME_IN(formats[i]->patterns[k].role) & roles)
				try_pattern(formats[i],
				    &formats[i]->patterns[k], line, len,
				    context, data, out);
	pcre2_match_context_free(context);
	pcre2_match_data_free(data);
	return out->pattern != NULL;
}
