/* Texts about a case in tables: its flags, why a run is excluded, and how the
 * case was measured. */
#ifndef COMMON_RESULT_CASE_TEXT_H
#define COMMON_RESULT_CASE_TEXT_H

#include <stddef.h>

#include "common/alloc.h"
#include "common/hash_index.h"
#include "common/result/result.h"
#include "common/texts/remark.h"

/* Name of the statistic in the headline of a case: median or olympic mean. */
enum message case_headline(const struct result_case *c);

/* Sentence on why a run is excluded and how to include it, with the place in
 * the log if known. */
const char *excluded_text(
    const struct result_excluded *x, enum language lang, struct arena *a);

/* Excluded logs whose sentences differ only in the place. */
struct excluded_group {
	const char *reason;
	const char *place; /* the first log, with its line if known, "and N
	                      more" */
	const char *words; /* the sentence without its place */
	size_t n;
};

/* Group the excluded logs, in the order of their first logs.
 *
 * Returns [*n] groups in a */
struct excluded_group *excluded_groups(
    const struct result *r, enum language lang, struct arena *a, size_t *n);

/* --- measurement rule ----------------------------------------------------- */

/* Describe the measured iterations, from skip + warm-up to skip + train - 1,
 * counted from 0 at the start of an epoch (doc/measurement.md, "Window").
 * Unknown options are omitted.
 *
 * name  rule of the case; NULL: that of the result
 *
 * Returns a text in a, or NULL if both rules are unknown. */
const char *measured_text(struct arena *a, const struct result_rule *rule,
    const char *name, enum language lang);

/* --- flags ---------------------------------------------------------------- */

/* The flags of a case are the flags of its runs and the case's own flags, which
 * concern its speedup. Flags that differ only in numbers count as one. A table
 * shows short marks, with a note for each mark:
 *
 *	struct case_flags f = CASE_FLAGS_INIT(LANGUAGE_EN);
 *	table_cell(&t, case_flags_marks(&f, c, ALL_FLAGS, NULL, &arena));
 *	for (size_t i = 0; i < f.n; i++)
 *		table_note(&t, "%s: %s", f.items[i].mark,
 *		    case_flag_text(&f.items[i], LANGUAGE_EN, &arena));
 *	case_flags_release(&f);
 */

/* A flag of a case, or of the cases of a table, with the smallest and the
 * largest numbers of its runs. Texts are borrowed. */
struct case_flag {
	struct remark from, to;
	size_t n;         /* runs that have it; 0: a flag of the case itself */
	size_t n_runs;    /* runs of the case, or of the cases that have it */
	const char *side; /* as in case_flags_marks(), or NULL */
	const char *mark; /* in a table: a to z, aa to zz, aaa, ... */
	const void *last; /* run or case that was counted last */
};

enum { ALL_FLAGS = -1 };

/* The flags that put the number of a case in doubt (FLAG_DOUBT in
 * remark_template.h).
 *
 * of_speedup  0: doubts about the median and its runs; 1: also the case's own,
 *             about its speedup and efficiency; ALL_FLAGS: all that tables
 *             show, doubts or not
 *
 * Returns an array in a, and its length in n. */
struct case_flag *case_doubts(
    const struct result_case *c, int of_speedup, struct arena *a, size_t *n);

/* True if case_doubts() finds any flag. */
int case_is_doubtful(const struct result_case *c, int of_speedup);

/* Set the flags of a case's speedup over b: REMARK_BASELINE_DOUBT, with the
 * doubt that most runs of b have, and REMARK_EFFICIENCY_HIGH if the interval of
 * the efficiency lies above 1, or without one the efficiency above 1.05.
 *
 * a  holds the list */
void case_flag_speedup(
    struct result_case *c, const struct result_case *b, struct arena *a);

/* Sentence of a flag, allocated in a. States the number of runs that have the
 * flag if not all have it, or if the flag has a side: "new: prints 1 of 10
 * iterations (2 of 5 runs)". */
const char *case_flag_text(
    const struct case_flag *f, enum language lang, struct arena *a);

/* Distinct flags of a table. */
struct case_flags {
	enum language lang;
	struct case_flag *items;
	const char **keys; /* equal for flags that are counted together */
	size_t n;
	struct hash_index known;
};

#define CASE_FLAGS_INIT(l) ((struct case_flags){ .lang = (l) })

/* Marks of the flags of a case, separated by spaces; "" without flags.
 *
 * f           receives new flags
 * of_speedup  as for case_doubts
 * side        name of the case's result; sentences then begin with it and
 *             state the number of runs; NULL: none
 * a           holds flags and marks; must outlive f, as must the case */
const char *case_flags_marks(struct case_flags *f, const struct result_case *c,
    int of_speedup, const char *side, struct arena *a);

/* The sentences of the flags of case_doubts(), separated by "; ": "new: stalls
 * take 40 % of the time (6 of 6 runs)"; "" without flags. */
const char *case_doubts_text(const struct result_case *c, int of_speedup,
    const char *side, enum language lang, struct arena *a);

/* Empty the list. */
void case_flags_release(struct case_flags *f);

#endif
