/* A panel: the series of one table, and the values they share; and the notes
 * below tables.
 *
 *	const struct panel_list l = panel_split(&set, PANEL_KEYS);
 *	for (size_t i = 0; i < l.n; i++)
 *		puts(panel_title(&set, &l.items[i], 0, LANGUAGE_EN));
 */
#ifndef REPORT_PARTS_PANEL_H
#define REPORT_PARTS_PANEL_H

#include <stddef.h>
#include <stdint.h>

#include "common/result/case_text.h"
#include "common/series/series.h"
#include "common/table/table.h"

struct report_how;

/* Keys that are equal in all columns of a comparison. */
#define PANEL_KEYS \
	(SERIES_BIT(SERIES_MODEL) | SERIES_BIT(SERIES_PRECISION) | \
	    SERIES_BIT(SERIES_BATCH) | SERIES_BIT(SERIES_GLOBAL_BATCH))

struct panel {
	uint64_t keys;           /* keys with the same value in all series */
	uint64_t differing;      /* keys in which they differ */
	const struct series **s; /* in the order of the set */
	size_t n;
};

struct panel_list {
	struct panel *items; /* in order of first appearance */
	size_t n;
};

/* A case of a panel or set, and its position. */
struct panel_point {
	const struct series *s;
	const struct series_point *p;
	const struct result_case *c;
	size_t i, next; /* index of the series, and of the next point */
};

/* The cell of a published case's quantity as written, or NULL. */
const char *panel_written(const struct series_point *p, enum quantity q);

/* Step to the next case, series by series.
 *
 *	for (struct panel_point x = { NULL }; panel_next(p, &x);)
 *		puts(x.c->name);
 *
 * Returns 0 at the end. */
int panel_next(const struct panel *p, struct panel_point *x);

/* As panel_next, for all series of a set. */
int panel_next_of_set(const struct series_set *set, struct panel_point *x);

/* Group the series of a set by the given keys. The list lives in the set's
 * arena. */
struct panel_list panel_split(struct series_set *set, uint64_t keys);

/* All series of a set as one panel, in a. */
struct panel panel_of_all(const struct series_set *set, struct arena *a);

/* Title of a panel: the values that all its series share, except keys in
 * without. Lives in the set's arena. */
const char *panel_title(struct series_set *set, const struct panel *p,
    uint64_t without, enum language lang);

/* Name of series i in the panel: the values that differ, except the unit;
 * without any, its framework, "measured" or "published". Lives in the set's
 * arena. */
const char *panel_series_name(struct series_set *set, const struct panel *p,
    size_t i, enum language lang);

/* --- links ---------------------------------------------------------------- */

/* Links from the numbers in tables to the details of their cases on the page.
 *
 *	struct case_links links = case_links_of(&panels, &arena);
 *	case_links_number(&links, c); -> 3: the element with the id "case-3"
 */
struct case_link {
	const struct result_case *c;
	size_t number;
};

struct case_links {
	struct case_link *items; /* sorted by the address of the case */
	size_t n;
};

enum { CASE_NO_LINK = -1 };

/* Number the cases of all panels from 0, in the order of panels, series and
 * points. */
struct case_links case_links_of(
    const struct panel_list *panels, struct arena *a);

/* The number of the case; CASE_NO_LINK if it has none. */
long case_links_number(const struct case_links *l, const struct result_case *c);

/* Link the last added cell to the details of the case. No effect if l is NULL
 * or lacks the case, or the cell is empty. */
void case_links_cell(
    const struct case_links *l, struct table *t, const struct result_case *c);

/* --- notes ---------------------------------------------------------------- */

/* Note a message; arguments as in text_fill. */
void note_message(struct table *t, enum language lang, enum message what, ...);

/* Note the sources of reference values, each once. */
void notes_origins(
    struct table *t, const struct series_set *set, enum language lang);

/* Note if scaling looks strong, and the excluded runs of all sources, each
 * once, except those that a cell shows. */
void notes_excluded(
    struct table *t, const struct series_set *set, enum language lang);

enum notes_of { NOTES_SPEEDS, NOTES_SPEEDUPS };

/* Add the notes of every table of measured cases: levels of the median for each
 * number of runs, the rule and the log lines of failures; in tables of speedups
 * also baselines and levels. */
void notes_measured(struct series_set *set, struct table *t,
    const struct panel *p, enum notes_of of, const struct report_how *how);

/* The common rule of the panel's series in words: "iterations 25-124 of the
 * first epoch, by time"; NULL if they differ.
 *
 * a  arena of the text */
const char *notes_rule_text(
    const struct panel *p, struct arena *a, enum language lang);

/* Note the panel's rule in the words of notes_rule_text; if there are several,
 * each with the names of its series or, if set is NULL, its own. */
void notes_rules(struct series_set *set, struct table *t, const struct panel *p,
    enum language lang);

/* Note the flags that the marks in a table's cells stand for. */
void notes_flags(struct table *t, const struct case_flags *flags);

/* The sentences of a run's flags, separated by "; "; NULL without flags. */
const char *run_flags_text(
    const struct result_run *run, enum language lang, struct arena *a);

/* --- levels --------------------------------------------------------------- */

/* The confidence levels that the intervals of a table reach, with their numbers
 * of runs. */
struct level_list {
	struct level_row {
		double level; /* NAN: no interval */
		long runs, others;
	} * items;
	size_t n;
	size_t most; /* number of levels that are noted; 0: all */
};

enum level_kind {
	LEVEL_OF_RUNS, /* of one case */
	LEVEL_OF_TWO,  /* of a ratio; others: runs of the other side */
	LEVEL_OF_PAIRS /* of paired runs */
};

/* Add a level unless it is present. a holds the list. */
void levels_add(struct arena *a, struct level_list *l, double level, long runs,
    long others);

/* Note the levels: "of the median: 93.75 % (5 runs)", and how many runs the
 * requested confidence needs if one is below it.
 *
 * what        quantity of the intervals; nothing is noted if the list is empty
 * confidence  requested level; 0: none */
void levels_note(struct table *t, enum message what, struct level_list *l,
    enum level_kind kind, double confidence, enum language lang);

#endif
