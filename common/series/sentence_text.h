/* What extract_logs states about runs, in other languages: flags, and why runs
 * are excluded.  A result holds these sentences in English, as they were made.
 *
 *	sentence_text(a, "attempt 2 of 3", LANGUAGE_ZH)  -> "共 3 次尝试中的第 2 次"
 */
#ifndef COMMON_SERIES_SENTENCE_TEXT_H
#define COMMON_SERIES_SENTENCE_TEXT_H

#include "common/arena.h"
#include "common/series/messages.h"

/* The sentence in that language; one that is not known stays as it is, for it
 * may be of another version.
 *
 * Returns a text in a, or english itself. */
const char *sentence_text(
    struct arena *a, const char *english, enum language lang);

/* The word that a result has for why a run is excluded ("short"), in that
 * language; the word itself where it is not known. */
const char *sentence_reason(const char *reason, enum language lang);

#endif
