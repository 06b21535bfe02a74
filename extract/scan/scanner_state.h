/* What the files of the scanner share: its state, and the way from bytes to
 * the log.  A part of scan_file.h.  Each file calls only those before it:
 *
 *	any_metadata.c      what any log may state
 *	scan_emit.c         from matches to the log
 *	scanner_state.c     from lines to matches; the state's life
 *	scan_file.c         a file, at once or as it grows
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
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "extract/scan/detect/unread_lines.h"
#include "extract/scan/tail_values.h"

enum {
	SCANNER_MAX_SUMMARIES = 1 << 20, /* kept of one log */
	SCANNER_MAX_ANY_METADATA = 96    /* kept of what any log may state */
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
	int64_t line;        /* number of the current line */
	size_t first_sample; /* of the current line */
	int dropped;         /* samples of this line that had no value */
	int64_t seen;        /* bytes of lines before the one available */
	const char *data;    /* what is available, */
	int64_t data_at;     /* and at which byte of the text it begins */
	int64_t tail_from;   /* lines that begin after this byte have tail
	                        values */
	int64_t tail_line;   /* number of the last line that was looked at, */
	int64_t tail_at;     /* where it begins */
	int in_tail;         /* 1: and after tail_from */
	struct tail_values tail;
	struct stamp_cache stamps;
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

struct scanner {
	const struct format_set *set;
	struct scan_options options;
	struct matcher *matcher;
	const int64_t *limits; /* of the matcher */
	struct detector *detector;
	struct literal_index *metadata_literals; /* of set's metadata files */
	struct line_templates
	    *templates; /* of lines under template_format, template_roles */
	const struct format *template_format;
	unsigned template_roles;
	struct byte_source reader;
	char *clean; /* the current line without controls */
	size_t alloc_clean;
	struct scan_memory now;
	scan_watcher *watch; /* or NULL */
	void *watch_arg;
};

/* --- scan_emit.c -----------------------------------------------------------*/

/* Put a match of s->format's patterns into s->log.  A match_consumer: arg is
 * the scanner. */
void scanner_emit_match(void *arg, const struct match *match);

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

/* From now on these roles are looked for. */
void scanner_set_roles(struct scanner *s, unsigned roles);

/* Cut what is available into lines and take each, as line_walker_consume. */
size_t scanner_consume(struct scanner *s, struct line_walker *w,
    const char *data, size_t len, int last);

#endif
