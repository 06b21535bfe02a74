/* What tables of several programs print about a case: its baseline, and the
 * flags of its runs in a form that is short enough for a cell, and the
 * sentences of an excluded run.
 *
 *	struct case_flags f = CASE_FLAGS_INIT(LANGUAGE_EN);
 *	table_cell(&t, case_flags_marks(&f, c, &arena));  -> "a c"
 *	for (size_t i = 0; i < f.n; i++)
 *		table_note(&t, "%s: %s", f.marks[i], f.sentences[i]);
 *	case_flags_release(&f);
 */
#ifndef COMMON_RESULT_CASE_TEXT_H
#define COMMON_RESULT_CASE_TEXT_H

#include <stddef.h>

#include "common/arena.h"
#include "common/hash_index.h"
#include "common/result/result.h"

/* The case of the result whose name c->baseline is and that is like c in all
 * but its size; NULL if there is none. */
const struct result_case *case_baseline(
    const struct result *r, const struct result_case *c);

/* Of a case with one run, which has no interval of the median: half the width
 * of the 95 % interval of that run's mean by batch means, over the mean; NAN
 * where there are several runs or it is unknown.  It shows how steady the steps
 * of that run were and nothing of how runs differ. */
double case_within_run(const struct result_case *c);

/* The codes of the flags of a case's runs, each once, in the order of the
 * enumeration.
 *
 * codes  [N_REMARKS] filled
 *
 * Returns how many there are. */
size_t case_flag_codes(const struct result_case *c, enum remark_code *codes);

/* Why a run is excluded and what would include it, in one sentence; with the
 * place in the log where one is known. */
const char *excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a);

/* The sentence without its place, and the place: of the log where none in it
 * is known. */
const char *excluded_rest(
    const struct result_excluded *x, enum language lang, struct arena *a);
const char *excluded_place(const struct result_excluded *x, struct arena *a);

/* Sentences of a table's flags, each once, and the marks that stand for them:
 * a to z, aa to zz, aaa, ... */
struct case_flags {
	enum language lang;
	const char **sentences;
	const char **marks;
	size_t n, alloc, alloc_marks;
	struct hash_index by_sentence;
};

#define CASE_FLAGS_INIT(lang) \
	{ \
		(lang), NULL, NULL, 0, 0, 0, HASH_INDEX_INIT \
	}

/* The marks of the flags of a case, separated by spaces; "" without flags.
 * Flags of its runs that differ only in numbers are one, with "..." for the
 * numbers; one that not all runs have is marked: "sampled 1 of 10 (2 of 5
 * runs)".
 *
 * f  new sentences are added
 * a  where texts live; it must outlive f */
const char *case_flags_marks(
    struct case_flags *f, const struct result_case *c, struct arena *a);

/* The flags of a case themselves in English, separated by "; ", for tables that
 * a machine reads. */
const char *case_flags_text(const struct result_case *c, struct arena *a);

/* Free the lists, not the texts. */
void case_flags_release(struct case_flags *f);

#endif
