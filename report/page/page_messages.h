/* The sentences of the page in each language: a row each, as
 * common/texts/messages.h has the words of tables and charts.
 *
 *	page_message(f, LANGUAGE_EN, PAGE_OVER, "1n1g", NULL); ->  over 1n1g
 */
#ifndef REPORT_PAGE_PAGE_MESSAGES_H
#define REPORT_PAGE_PAGE_MESSAGES_H

#include <stdio.h>

#include "common/arena.h"
#include "common/texts/messages.h"

/* After a name: what its '@' stand for, in this order. */
enum page_message {
	PAGE_TITLE,
	PAGE_SKIP,
	PAGE_SUMMARY,
	PAGE_CASES,
	PAGE_LOGS,
	PAGE_ONE_GPU,
	PAGE_N_GPUS, /* @: count; so the others */
	PAGE_ONE_PROCESS,
	PAGE_N_PROCESSES,
	PAGE_ONE_TPU,
	PAGE_N_TPUS,
	PAGE_ONE_NPU,
	PAGE_N_NPUS,
	PAGE_ONE_DEVICE,
	PAGE_N_DEVICES,
	PAGE_ON,             /* @: devices, case */
	PAGE_ON_CASE,        /* @: case */
	PAGE_OVER,           /* @: baseline */
	PAGE_CI,             /* @: level */
	PAGE_TOO_MANY_LINES, /* @: series */
	PAGE_MORE,
	PAGE_DOUBTS,
	PAGE_NO_DOUBT,
	PAGE_ONE_RUN,
	/* @: runs, their level, level asked for, runs for it */
	PAGE_TOO_FEW_RUNS,
	PAGE_WIDE_MEDIAN,
	PAGE_WIDE_SPEEDUP,
	PAGE_PUBLISHED_ONLY,
	PAGE_NO_SPEEDUP,
	PAGE_NO_1N1G,
	PAGE_LOGS_EXCLUDED, /* @: file, excluded */
	PAGE_FILE,
	PAGE_WRITTEN_BY, /* @: program */
	PAGE_ENVIRONMENT,
	PAGE_RESULTS,
	PAGE_FILTER,
	PAGE_TABLE,
	PAGE_CONFIGURATION,
	PAGE_PROVENANCE,
	PAGE_EXCLUDED,
	PAGE_REASON,
	PAGE_WHAT_INCLUDES,
	PAGE_PUBLISHED_IN,  /* @: cell, file, line */
	PAGE_FAILED_IN,     /* @: why */
	PAGE_MEDIAN_OF,     /* @: runs, ends, level */
	PAGE_MEDIAN_OF_FEW, /* @: runs */
	PAGE_VALUE_OF_ONE,
	/* @: global batch, devices, batch of each */
	PAGE_FORMULA_SPEED,
	PAGE_WINDOW,         /* @: the rule */
	PAGE_LEFT_OUT,       /* @: iterations, skipped, warm-up */
	PAGE_LEFT_OUT_AFTER, /* @: last, window */
	PAGE_LEFT_OUT_FROM,  /* @: iterations */
	/* @: speedup, median, baseline's, its case */
	PAGE_SPEEDUP_OF,
	/* @: speedup, baseline's median, its case, median */
	PAGE_SPEEDUP_OF_TIMES,
	PAGE_SPEEDUP_WORK,    /* @: ratio */
	PAGE_SPEEDUP_IN,      /* @: ends, level */
	PAGE_SPEEDUP_ROUNDED, /* @: ends */
	PAGE_EFFICIENCY_OF,   /* @: efficiency, speedup, ratio */
	PAGE_METADATA_OF,     /* @: names and sources */
	PAGE_METADATA,        /* @: name, source */
	PAGE_SEE,
	PAGE_LOG,
	PAGE_METRICS,
	PAGE_METRICS_OF,
	PAGE_METRICS_MORE,
	PAGE_PHASES,
	PAGE_COLLECTIVES,
	PAGE_PREDICTIONS,
	PAGE_PREDICTIONS_OF,
	PAGE_PREDICTION_OF,   /* @: its title */
	PAGE_PREDICTION_FILE, /* @: file */
	PAGE_HOW,
	PAGE_WARNINGS,
	PAGE_RANGE,
	PAGE_INTERVAL_AT, /* @: level */
	PAGE_MADE_BY,     /* @: program */
	N_PAGE_MESSAGES
};

/* The sentence as it is, with its '@'; never NULL, static. */
const char *page_message_text(enum page_message m, enum language lang);

/* The sentence with its '@' replaced, in order, by the texts that follow.
 *
 * ...  const char *, as many as there are '@', then NULL
 * Returns a text in a. */
const char *page_message_fill(
    struct arena *a, enum language lang, enum page_message m, ...);

/* The same, escaped, to f; each text stands apart from the direction of what is
 * around it. */
void page_message(FILE *f, enum language lang, enum page_message m, ...);

#endif
