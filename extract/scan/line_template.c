/* Replays matches of earlier lines at the same offsets. */
#include <config.h>

#include "extract/scan/line_template.h"

#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "extract/scan/detect/line_types.h"

enum {
	MIN_LINE = DIGIT_MASK_MIN,
	N_SETS = 64, /* hashed by line length */
	N_WAYS = 8,
	/* Roles of lines that come again and again. */
	MANY_NUMBERS = FIELD_NAME_IN(ROLE_STEP) | FIELD_NAME_IN(ROLE_DETAIL) |
	    FIELD_NAME_IN(ROLE_RESULT)
};

struct line_templates {
	struct line_template *sets[N_SETS][N_WAYS];
	unsigned turn;             /* next way to replace */
	struct line_template *now; /* under construction, or NULL */
	const char *line;          /* source line of `now` */
};

struct line_templates *
line_templates_new(void)
{
	return xcalloc(1, sizeof(struct line_templates));
}

void
line_templates_free(struct line_templates *all)
{
	if (all == NULL)
		return;
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			free(all->sets[i][j]);
	free(all);
}

void
line_templates_clear(struct line_templates *all)
{
	for (int i = 0; i < N_SETS; i++)
		for (int j = 0; j < N_WAYS; j++)
			if (all->sets[i][j] != NULL)
				all->sets[i][j]->len = 0;
	all->now = NULL;
}

struct line_template *
line_template_find(struct line_templates *all, const char *line, size_t len)
{
	struct line_template **set = all->sets[len % N_SETS];

	if (len < MIN_LINE)
		return NULL;
	for (int i = 0; i < N_WAYS; i++) {
		struct line_template *m = set[i];

		if (m == NULL || m->len != len ||
		    !digit_mask_fits(line, m->text, m->most, len))
			continue;
		/* Move frequent templates to the front. */
		if (i > 0) {
			set[i] = set[i - 1];
			set[i - 1] = m;
		}
		return m;
	}
	return NULL;
}

size_t
line_template_emit(struct line_template *m, const char *line,
    match_consumer *consume, void *arg)
{
	for (size_t i = 0; i < m->n_matches; i++) {
		struct match *h = &m->matches[i];

		h->text = line + h->base;
		if (h->rank_text != NULL) {
			h->rank_text = line + m->rank_at[i];
			h->rank = match_rank(h->rank_text, h->rank_len);
		}
		if (h->worker != NULL)
			h->worker = line + m->worker_at[i];
		consume(arg, h);
	}
	return m->n_matches;
}

void
line_template_begin(struct line_templates *all, const char *line, size_t len)
{
	struct line_template **m;

	all->now = NULL;
	if (len < MIN_LINE || len > TEMPLATE_MAX_LINE)
		return;
	m = &all->sets[len % N_SETS][all->turn++ % N_WAYS];
	if (*m == NULL)
		*m = xmalloc(sizeof **m);
	all->now = *m;
	all->line = line;
	all->now->len = len;
	all->now->no_metadata = all->now->no_sign = 0;
	all->now->n_matches = all->now->n_offsets = 0;
}

void
line_template_add(struct line_templates *all, const struct match *match)
{
	struct line_template *m = all->now;
	const size_t n = 2 * (size_t)match->n_ov;
	struct match *h;

	if (m == NULL)
		return;
	if (m->n_matches == TEMPLATE_MAX_MATCHES ||
	    m->n_offsets + n > TEMPLATE_MAX_OFFSETS) {
		m->len = 0;
		all->now = NULL;
		return;
	}
	h = &m->matches[m->n_matches];
	*h = *match;
	h->base = (size_t)(match->text - all->line);
	if (match->rank_text != NULL)
		m->rank_at[m->n_matches] =
		    (size_t)(match->rank_text - all->line);
	if (match->worker != NULL)
		m->worker_at[m->n_matches] =
		    (size_t)(match->worker - all->line);
	h->ov = m->offsets + m->n_offsets;
	memcpy(m->offsets + m->n_offsets, match->ov, n * sizeof *match->ov);
	m->n_offsets += n;
	if (FIELD_NAME_IN(h->pattern->role) & MANY_NUMBERS) {
		h->captured = m->captured[m->n_matches];
		h->n_captured = captured_find(h, m->captured[m->n_matches]);
	}
	m->n_matches++;
}

struct line_template *
line_template_end(struct line_templates *all)
{
	struct line_template *m = all->now;

	if (m != NULL)
		digit_mask_places(all->line, m->len, m->text, m->most);
	all->now = NULL;
	return m;
}
