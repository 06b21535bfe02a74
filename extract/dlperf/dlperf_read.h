/* What DLPerf's scripts read from files and their paths, their mistakes
 * included.
 */
#ifndef EXTRACT_DLPERF_DLPERF_READ_H
#define EXTRACT_DLPERF_DLPERF_READ_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"
#include "common/strbuf.h"
#include "extract/dlperf/dlperf_script.h"
#include "extract/measure/cases/case.h"

/* The path: .../4n8g/r50_b128_fp32_1.log */
struct dlperf_name {
	const char *folder;    /* "4n8g" */
	const char *model;     /* "r50" */
	const char *precision; /* "fp32", which the scripts do not look at */
	long batch, run;
	long nodes, gpus_per_node; /* as the scripts read the folder */
};

struct dlperf_reading {
	double speed; /* samples/s, rounded to 2 decimals; 0: too few lines */
	int is_float; /* 0: the script's 0, which prints as "0" */
	long lines;   /* counted, up to T */
	long misread; /* of those averaged: read otherwise than printed */
	double misread_as, printed; /* the first of them, seconds */
	int nothing;                /* 1: the script passes the log over */
};

/* A line of a text that Python opened. */
struct dlperf_line {
	char *text;      /* NUL after it, where its end was */
	const char *end; /* there */
	int ended;       /* 1: a line end followed */
};

/* Fill e with the exception that stops the script.
 *
 * value  what it is about, or NULL
 *
 * Returns -1. */
int dlperf_raises(struct error *e, const char *what, const char *value);

/* s without the white space around it, which is overwritten. */
char *dlperf_strip(char *s);

/* int(s) and float(s) of Python; spaces around are fine.  Return 0, or -1 with
 * ValueError in e.  s is written to. */
int dlperf_int(char *s, long *out, struct error *e);
int dlperf_float(char *s, double *out, struct error *e);

/* Make text [len] one that Python can read: valid UTF-8, NULs replaced.
 * Returns 0, or -1 with UnicodeDecodeError in e. */
int dlperf_decode(char *text, size_t len, struct error *e);

/* The line at *at, which moves to the next; 0 at end. */
int dlperf_next_line(char **at, char *end, struct dlperf_line *line);

/* Take the path apart.
 *
 * a  where the strings of out live
 *
 * Returns 0; -1 where the script stops with an exception, which e names. */
int dlperf_name(const char *path, struct arena *a, struct dlperf_name *out,
    struct error *e);

/* Read the text of a log as script does; its kind is READ_MEAN to READ_SINK.
 *
 * text    [len] all of the file and a NUL after it; written to
 * warmup  W, lines excluded
 * train   T > W, the last line taken
 *
 * Returns 0, or -1 as dlperf_name. */
int dlperf_read(const struct dlperf_script *script, char *text, size_t len,
    const struct dlperf_name *name, long warmup, long train,
    struct dlperf_reading *out, struct error *e);

/* For scripts of kind PRINT_SPEEDS to PRINT_LOSSES: the files and what comes
 * of them. */
struct dlperf_tables {
	const struct dlperf_script *script;
	const char *const *paths; /* [n_paths] in the script's order */
	size_t n_paths;
	long warmup, train; /* first and last iteration */
	struct arena *arena;
	struct strbuf *text;      /* what it prints */
	struct strbuf *file;      /* what it writes */
	struct case_notes *stops; /* where it would have stopped */
	size_t n_used;            /* logs that the script could read */
};

/* Print the tables of the script.  A log at which it would stop is named in
 * stops and excluded. */
void dlperf_tables(struct dlperf_tables *t);

#endif
