/* Longest partial match of a pattern in a line, for messages; too slow for
 * other uses. */
#include <config.h>

#include "extract/format/nearest_pattern.h"

#include "common/alloc.h"
#include "extract/format/patterns/json_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <stdlib.h>
#include <string.h>

struct nearest_pattern_finder {
	const struct pattern *patterns[FORMAT_MAX_PATTERNS];
	pcre2_code *codes[FORMAT_MAX_PATTERNS]; /* NULL: an object pattern */
	size_t n;
	pcre2_match_context *context;
	pcre2_match_data *data;
};

struct nearest_pattern_finder *
nearest_pattern_new(const struct format *f, unsigned roles)
{
	struct nearest_pattern_finder *nf = xcalloc(1, sizeof *nf);

	for (size_t i = 0; i < f->n_patterns; i++) {
		const struct pattern *p = &f->patterns[i];
		int code;
		PCRE2_SIZE offset;

		if (!(FIELD_NAME_IN(p->role) & roles))
			continue;
		if (p->csv != NULL)
			continue;
		if (p->json != NULL) {
			nf->patterns[nf->n++] = p;
			continue;
		}
		nf->codes[nf->n] =
		    pcre2_compile((PCRE2_SPTR)p->text, strlen(p->text),
			PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT |
			    PCRE2_NO_START_OPTIMIZE,
			&code, &offset, NULL);
		if (nf->codes[nf->n] != NULL)
			nf->patterns[nf->n++] = p;
	}
	nf->context = pcre2_match_context_create(NULL);
	nf->data = pcre2_match_data_create(1, NULL);
	if (nf->context == NULL || nf->data == NULL)
		xmalloc(SIZE_MAX); /* prints "out of memory" and exits */
	pcre2_set_match_limit(nf->context, FORMAT_MATCH_LIMIT);
	pcre2_set_depth_limit(nf->context, FORMAT_DEPTH_LIMIT);
	pcre2_set_heap_limit(nf->context, FORMAT_HEAP_LIMIT_KIB);
	return nf;
}

void
nearest_pattern_free(struct nearest_pattern_finder *nf)
{
	if (nf == NULL)
		return;
	for (size_t i = 0; i < nf->n; i++)
		pcre2_code_free(nf->codes[i]);
	pcre2_match_context_free(nf->context);
	pcre2_match_data_free(nf->data);
	free(nf);
}

/* Longest attempt of one pattern. */
struct furthest {
	size_t start, end, pattern_position;
};

/* PCRE2 calls this before every item of the pattern. */
static int
note_progress(pcre2_callout_block *block, void *arg)
{
	struct furthest *best = arg;

	if (block->current_position - block->start_match >
	    best->end - best->start) {
		best->start = block->start_match;
		best->end = block->current_position;
		best->pattern_position = block->pattern_position;
	}
	return 0;
}

/* An object that only lacks a selector is the nearest if no other pattern
 * matched partially. */
static void
missing_selector(const struct pattern *p, const char *line, size_t len,
    struct nearest_pattern *out)
{
	size_t n, at;
	const char *rest;

	if (out->pattern != NULL)
		return;
	rest = json_pattern_missing(p->json, line, len, &n, &at);
	if (rest == NULL)
		return;
	out->pattern = p;
	out->start = out->end = at;
	out->rest = rest;
}

int
nearest_pattern_find(struct nearest_pattern_finder *nf, const char *line,
    size_t len, struct nearest_pattern *out)
{
	size_t most = NEAREST_PATTERN_MIN - 1;

	out->pattern = NULL;
	for (size_t i = 0; i < nf->n; i++) {
		struct furthest best = { 0, 0, 0 };

		if (nf->codes[i] == NULL) {
			missing_selector(nf->patterns[i], line, len, out);
			continue;
		}
		pcre2_set_callout(nf->context, note_progress, &best);
		pcre2_match(nf->codes[i], (PCRE2_SPTR)line, len, 0, 0, nf->data,
		    nf->context);
		if (best.end - best.start <= most)
			continue;
		most = best.end - best.start;
		out->pattern = nf->patterns[i];
		out->start = best.start;
		out->end = best.end;
		out->rest = out->pattern->text + best.pattern_position;
	}
	return out->pattern != NULL;
}
