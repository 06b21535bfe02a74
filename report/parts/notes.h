/* What stands below tables. */
#ifndef REPORT_PARTS_NOTES_H
#define REPORT_PARTS_NOTES_H

#include "common/result/case_text.h"
#include "common/series/series.h"
#include "report/parts/panel.h"
#include "report/parts/report_tables.h"

/* A text with its '@' replaced, in order, by the texts that follow, as many as
 * there are '@'.  Lives in a. */
const char *text_fill(struct arena *a, const char *text, ...);

/* Note a message; texts as of text_fill. */
void note_message(struct table *t, enum language lang, enum message what, ...);

/* Where reference values are from: all sources of the set, each once. */
void notes_origins(
    struct table *t, const struct series_set *set, enum language lang);

/* Runs that were excluded, from all sources of the set, each once; but those
 * that a cell stands for. */
void notes_excluded(
    struct table *t, const struct series_set *set, enum language lang);

enum notes_of { NOTES_SPEEDS, NOTES_SPEEDUPS };

/* What every table of measured cases notes: the median's level with n, and the
 * rule; of tables of speedups also their baselines and levels; and which line
 * of a log states that a case failed. */
void notes_measured(struct series_set *set, struct table *t,
    const struct panel *p, enum notes_of of, const struct report_how *how);

/* How all series of the panel that have a rule were measured, in plain words:
 * "iterations 25-124 of the first epoch, by time".  NULL where they have none
 * in common.
 *
 * a  where it lives */
const char *notes_rule_text(
    const struct panel *p, struct arena *a, enum language lang);

/* Note the panel's rule in those words; of several, each with the series that
 * it is of. */
void notes_rules(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang);

/* Published numbers of the panel's cases that do not follow from others of
 * their row. */
void notes_doubts(struct series_set *set, struct table *t,
    const struct panel *p, enum language lang);

/* The sentences that the marks in a table's cells stand for. */
void notes_flags(struct table *t, const struct case_flags *flags);

/* True if a run of the panel has a flag. */
int notes_panel_is_flagged(const struct panel *p);

/* --- levels --------------------------------------------------------------- */

/* The levels that the intervals of a table reach, each with the runs that it
 * stands on. */
struct level_list {
	struct level_row {
		double level; /* NAN: no interval */
		long runs, others;
	} * items;
	size_t n, alloc;
	size_t most; /* that are named; 0: all */
};

enum level_kind {
	LEVEL_OF_RUNS,  /* of one case */
	LEVEL_OF_TWO,   /* of a ratio: runs against others */
	LEVEL_OF_PAIRS, /* of runs that were taken in turns */
	N_LEVEL_KINDS
};

/* Add a level, unless it is there. */
void levels_add(struct level_list *l, double level, long runs, long others);

/* Note them: "of the median: 93.75 % (5 runs)"; and where one is below the
 * confidence, how many runs that takes.  Frees the list.
 *
 * what        the intervals are of; nothing is noted where the list is empty
 * confidence  that was asked for; 0: none */
void levels_note(struct table *t, enum message what, struct level_list *l,
    enum level_kind kind, double confidence, enum language lang);

#endif
