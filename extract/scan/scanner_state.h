/* What the files of the scanner share: its state, and the ways from bytes to
 * the log.  A part of scan_file.h.  Each file calls only those before it:
 *
 *	scan_emit.c         from matches to the log
 *	sample_run.c        the same for lines of one template
 *	scanner_state.c     from lines to matches; the state's life
 *	known_file.c        a small file whose lines are known
 *	scan_parallel.c     threads over parts of a large file
 *	scan_file.c         a file at once
 *	scan_incremental.c  a file as it grows
 */
#ifndef EXTRACT_SCAN_SCANNER_STATE_H
#define EXTRACT_SCAN_SCANNER_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/scan/samples/sample_from_match.h"
#include "extract/scan/samples/context.h"
#include "extract/scan/detect/detect.h"
#include "extract/input/lines.h"
#include "extract/log/launch_command.h"
#include "extract/format/matcher.h"
#include "extract/scan/event_reader.h"
#include "extract/scan/line_template.h"
#include "extract/scan/samples/interval_pairs.h"
#include "extract/scan/samples/number_column.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "extract/scan/detect/unread_lines.h"

enum {
	SCANNER_MAX_SUMMARIES = 1 << 20, /* kept of one log */
	SCANNER_MAX_ANY_METADATA = 96,   /* kept of what any log may state */
	SCANNER_PRINTED = 16,            /* plans whose shape is known */
	SCANNER_PADDING = 128            /* two lines of a cache */
};

/* How the details of a number plan are kept as they are printed. */
struct printed_plan {
	uint64_t serial; /* of the plan; 0: of none */
	int shape;       /* of the log's details; -1: they are not */
	/* Offsets in the line: of the words, */
	size_t n_words;
	uint16_t words[PRINTED_WORDS];
	/* and of bytes that have to be 0, of exponents. */
	size_t n_zeros;
	uint16_t zeros[PRINTED_WORDS];
};

/* A text that stands for a rank, in the order of their appearance. */
struct worker {
	const char *text; /* in the log's arena */
	size_t len;
};

/* A command that the log shows. */
struct launch {
	struct launch_command command;
	int64_t line;                        /* 0: there is none */
	const char *texts[N_LAUNCH_NUMBERS]; /* of the numbers, or NULL; in the
	                                        log's arena */
};

/* Commands of one kind. */
struct launches {
	struct launch best;  /* that is taken */
	struct launch other; /* another as likely, that contradicts it */
};

/* What a scanner knows of the current log; scanner_swap exchanges it. */
struct scan_memory {
	struct log *log;
	const struct format *format;
	unsigned roles;
	int templated;       /* 1: templates can be used */
	int runs;            /* 1: and show where lines end */
	int objects_first;   /* 1: steps are objects, which have no template */
	int object_matched;  /* 1: the last line that is one was matched */
	int64_t line;        /* number of the current line */
	size_t first_sample; /* of the current line */
	int dropped;         /* samples of this line that had no value */
	int64_t seen;        /* bytes of lines before the one available */
	struct stamp_cache stamps;
	int details_go; /* 1: details are soon taken out of the log */
	struct printed_plan printed[SCANNER_PRINTED]; /* by serial */
	struct contexts contexts;
	struct interval_pairs pairs;
	struct event_reader *events; /* of formats that have one, or NULL */
	struct unread_lines *unread; /* or NULL: they are not asked for */
	int alone; /* 1: detection saw all of the log, and no other program's
	              steps */
	const char *collective; /* that the rows are about, or NULL */
	const struct pattern
	    *interval_of; /* whose intervals are the samples, or NULL */
	struct log_metadata
	    any[SCANNER_MAX_ANY_METADATA]; /* what any log states */
	size_t n_any;
	enum log_voice any_voice; /* of the metadata file that is asked */
	struct launches launches[N_LAUNCH_KINDS];
	int metadata_open;     /* 1: more of them are looked for */
	int64_t metadata_work; /* that may still be done for them */
	int metadata_met;      /* 1: one matched in the current line */
	const char *section;   /* name of the section that goes on, or NULL */
	struct worker *workers;
	size_t n_workers, alloc_workers;
	size_t last_worker;
	struct hash_index worker_index;
	struct hash_index metadata_index; /* of what the log's lines state */
};

/* Lines of one template that follow each other, each of which is one sample and
 * nothing else: their numbers are read column by column.
 *
 *	if (sample_run_has_room(run, m) || sample_run_begin(s, run, m))
 *		number_lines_add(&run->lines, text, 0, 1, number);
 *	else
 *		... take the line as any other ...
 *	...
 *	sample_run_end(s, run);
 */
struct sample_run {
	struct line_template *m; /* of the lines, NULL: there are none */
	struct number_lines lines;
};

struct known_walk;

struct scanner {
	const struct format_set *set;
	struct scan_options options;
	struct matcher *matcher;
	const int64_t *limits; /* of the matcher */
	struct detector *detector;
	struct line_templates
	    *templates; /* of lines under template_format, template_roles */
	const struct format *template_format;
	unsigned template_roles;
	struct line_templates *tail_templates; /* of the last lines of logs of
	                                          tail_format */
	const struct format *tail_format;
	uint64_t tail_round;      /* of the current log */
	struct sample_run run;    /* empty but while lines are taken */
	struct known_walk *known; /* known_file.c's, or NULL */
	int64_t n_known;          /* files that it read */
	struct byte_source reader;
	char *clean; /* the current line without controls */
	size_t alloc_clean;
	struct scan_memory now;
	scan_watcher *watch; /* or NULL */
	void *watch_arg;
	/* Others that read parts of a large file. */
	struct scan_parts parts;
	int parts_tried;          /* 1: once in a file is enough */
	struct scanner **helpers; /* [n_helpers] */
	size_t n_helpers;
	char padding[SCANNER_PADDING]; /* the next bytes are another thread's */
};

/* --- scan_emit.c -----------------------------------------------------------*/

/* Put a match of s->format's patterns into s->log.  A match_consumer: arg is
 * the scanner. */
void scanner_emit_match(void *arg, const struct match *match);

/* Only the details of a match of a step or detail pattern. */
void scanner_emit_details(void *arg, const struct match *match);

/* Keep a metadata field unless the log stated the same before.  What the log
 * states takes the place of what its format sets (line 0).
 *
 * key, value  live as long as the log */
void scanner_add_metadata(
    struct scanner *s, const char *key, const char *value);

/* --- any_metadata.c ------------------------------------------------------- */

/* Is a text where a program's source or template, printed into the log, puts
 * its value?  "%s", "{}", "${MODEL}", "1xSUBMISSION_PLATFORM_PLACEHOLDER",
 * "<model>" */
int scanner_is_placeholder(const char *text, size_t len);

/* Keep what a match of a metadata file's pattern states, in the voice
 * any_voice.  A match_consumer: arg is the scanner. */
void scanner_emit_any_metadata(void *arg, const struct match *match);

/* Keep the commands of the current line.  Returns 1 where there are some. */
int scanner_look_for_launch(struct scanner *s, const char *text, size_t len);

/* Does one of the metadata fields up to the n-th state the same?  What a format
 * sets (line 0) gives its place to what a line states.  Returns the place, or
 * HASH_INDEX_NONE. */
size_t scanner_metadata_place(
    struct log *log, size_t n, const struct log_metadata *item);

/* Returns 0 where there are too many. */
int scanner_append_metadata(struct log *log, const struct log_metadata *item);

/* Add what any log may state to the metadata of s->log. */
void scanner_add_any_metadata(struct scanner *s);

/* --- sample_run.c --------------------------------------------------------- */

/* Can one more line of that template be added? */
static inline int
sample_run_has_room(const struct sample_run *run, const struct line_template *m)
{
	return run->m == m && run->lines.n < NUMBER_COLUMN;
}

/* Put the samples of the run into the log; the run is empty then. */
void sample_run_end(struct scanner *s, struct sample_run *run);

/* End the run.  Are lines of this template nothing but samples that stand for
 * themselves, whatever the lines before them?  Then a run of these begins, with
 * none so far.
 *
 * Returns 1 if so, else 0. */
int sample_run_begin(
    struct scanner *s, struct sample_run *run, struct line_template *m);

/* --- scanner_state.c ------------------------------------------------------ */

/* Nothing is known of the log that s->log is to take. */
void scanner_reset(struct scanner *s);

/* s->log is this one now: nothing is known of it. */
void scanner_begin_log(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Find s->format for s->reader's file and leave the reader at its start.
 *
 * head  out: what its head showed; not set where the format is given
 *
 * Returns 0; -1 where the file cannot be read. */
int scanner_find_format(
    struct scanner *s, struct detection *head, struct error *e);

/* Read the settings that the start of s->reader's file states on lines before
 * that one into s->log. */
void scanner_read_settings(struct scanner *s, int64_t end);

/* Get ready to take lines of s->format, which is not NULL. */
void scanner_set_format(struct scanner *s);

/* From now on lines that the format does not match are noted. */
void scanner_watch_unread(struct scanner *s);

/* Look for another program's steps on the lines that were not matched, and
 * report them in the log. */
void scanner_find_other(struct scanner *s, struct log *log);

/* What is looked for after the start of a file, where metadata stands. */
unsigned scanner_later_roles(const struct scanner *s);

/* From now on these roles are looked for. */
void scanner_set_roles(struct scanner *s, unsigned roles);

/* Are lines of s->now.format that differ in digits only matched alike where
 * these roles are looked for, but for those of scanner_is_uncacheable? */
int scanner_may_template(const struct scanner *s, unsigned roles);

/* Is this [len] a line that no template can stand for? */
int scanner_is_uncacheable(
    const struct scanner *s, const char *text, size_t len);

/* Cut what is available into lines and take each, as line_walker_consume. */
size_t scanner_consume(struct scanner *s, struct line_walker *w,
    const char *data, size_t len, int last);

/* A line that is cut off, and not empty; or several that follow each other and
 * have one template. */
struct known_line {
	const char *text; /* [len] of the first */
	size_t len;       /* of each */
	size_t stride;    /* from one to the next */
	size_t n;
	struct line_template *m; /* its template, or NULL */
	uint64_t serial;         /* with this serial */
	unsigned flags;          /* LINE_...; 0 where it has a template */
	int64_t number;          /* of the first in the file */
};

/* The roles of the lines at the start of a log. */
unsigned scanner_first_roles(const struct scanner *s);

/* Take lines [n] as scanner_consume does. */
void scanner_take_known(
    struct scanner *s, const struct known_line *lines, size_t n);

/* --- scan_parallel.c ------------------------------------------------------ */

/* Can a log of s->format be taken in parts: does no line depend on the lines
 * before it?  And is it worth while for the file? */
int scanner_parts_allowed(const struct scanner *s);

/* The rest of s->reader's file is scanned by s->parts.threads threads and
 * joined to s->log: its start, of which more is asked, by this one, while the
 * others begin after that, a part each at a time.
 *
 * w   is between two lines
 * at  bytes of what the reader has available that are done; set
 *
 * Returns 1; 0 where what is in the file does not allow it: only its start is
 * scanned then, and w, at and the reader are where that ends; -1 if it cannot
 * be read. */
int scanner_scan_parts(
    struct scanner *s, struct line_walker *w, size_t *at, struct error *e);

#endif
