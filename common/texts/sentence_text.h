/* What is stated about runs and published tables, in other languages: flags,
 * why runs are excluded, how a table was read and what follows from what in it.
 * These sentences are English where they are made and kept.
 *
 *	sentence_text(a, "attempt 2 of 3", LANGUAGE_ZH)  -> "共 3 次尝试中的第 2 次"
 */
#ifndef COMMON_TEXTS_SENTENCE_TEXT_H
#define COMMON_TEXTS_SENTENCE_TEXT_H

#include "common/arena.h"
#include "common/texts/messages.h"

/* The sentence in that language; one that is not known stays as it is, for it
 * may be of another version.
 *
 * Returns a text in a, or english itself. */
const char *sentence_text(
    struct arena *a, const char *english, enum language lang);

#endif
