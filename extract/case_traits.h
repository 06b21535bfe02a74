/* What sets the cases of a result apart besides their sizes: the columns that a
 * table of them wants, and no others. */
#ifndef EXTRACT_CASE_TRAITS_H
#define EXTRACT_CASE_TRAITS_H

#include "common/result/result.h"
#include "common/strbuf.h"

enum case_trait {
	CASE_TRAIT_FRAMEWORK,
	CASE_TRAIT_MODEL,
	CASE_TRAIT_PRECISION,
	CASE_TRAIT_BATCH,
	CASE_TRAIT_LABELS,
	CASE_TRAIT_RULE,
	CASE_TRAIT_UNIT,
	N_CASE_TRAITS
};

/* The heads of their columns. */
extern const char *const case_trait_heads[N_CASE_TRAITS];

/* What a case states about a trait; NULL: nothing.  The text may be in sb, and
 * is good until that changes. */
const char *case_trait_of(
    const struct result_case *c, enum case_trait trait, struct strbuf *sb);

/* Is it not the same in all cases? */
int case_traits_differ(const struct result *r, enum case_trait trait);

#endif
