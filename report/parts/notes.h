/* Notes below tables. */
#ifndef REPORT_PARTS_NOTES_H
#define REPORT_PARTS_NOTES_H

#include "common/result/case_text.h"
#include "common/series/series.h"
#include "report/parts/panel.h"
#include "report/parts/cell.h"

/* Note a message; arguments as in text_fill. */
void note_message(struct table *t, enum language lang, enum message what, ...);

/* Note the sources of reference values, each once. */
void notes_origins(
    struct table *t, const struct series_set *set, enum language lang);

/* Note that scaling looks strong, and the excluded runs of all sources, each
 * once, except those that a cell shows. */
void notes_excluded(
    struct table *t, const struct series_set *set, enum language lang);

enum notes_of { NOTES_SPEEDS, NOTES_SPEEDUPS };

/* The notes of every table of measured cases: level of the median with n, rule;
 * in tables of speedups also baselines and levels; the log lines of
 * failures. */
void notes_measured(struct series_set *set, struct table *t,
    const struct panel *p, enum notes_of of, const struct report_how *how);

/* The common rule of the panel's series in words: "iterations 25-124 of the
 * first epoch, by time"; NULL if they differ.
 *
 * a  arena of the text */
const char *notes_rule_text(
    const struct panel *p, struct arena *a, enum language lang);

/* Note the panel's rule in these words; if there are several, each with its
 * series. */
void notes_rules(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang);

/* Note published numbers of the panel's cases that contradict others of their
 * row. */
void notes_doubts(struct series_set *set, struct table *t,
    const struct panel *p, enum language lang);

/* Note the flags that the marks in a table's cells stand for. */
void notes_flags(struct table *t, const struct case_flags *flags);

/* True if a run of the panel has a flag. */
int notes_panel_is_flagged(const struct panel *p);

/* --- levels --------------------------------------------------------------- */

/* The confidence levels that the intervals of a table reach, with their numbers
 * of runs. */
struct level_list {
	struct level_row {
		double level; /* NAN: no interval */
		long runs, others;
	} * items;
	size_t n;
	size_t most; /* limit of named ones; 0: all */
};

enum level_kind {
	LEVEL_OF_RUNS,  /* of one case */
	LEVEL_OF_TWO,   /* of a ratio: runs of the other side */
	LEVEL_OF_PAIRS, /* of paired runs */
	N_LEVEL_KINDS
};

/* Add a level unless it is present. a holds the list. */
void levels_add(struct arena *a, struct level_list *l, double level, long runs,
    long others);

/* Note the levels: "of the median: 93.75 % (5 runs)", and how many runs the
 * requested confidence needs if one is below it.
 *
 * what        ity of the intervals; nothing is noted if the list is empty
 * confidence  requested level; 0: none */
void levels_note(struct table *t, enum message what, struct level_list *l,
    enum level_kind kind, double confidence, enum language lang);

#endif
