/* Private to the files of the scanner: its state, and the way from bytes to the
 * log. A part of scan_file.h. Each file calls only those before it:
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
#include "extract/scan/horovod_timeline.h"
#include "extract/scan/line_template.h"
#include "extract/scan/samples/interval_pairs.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "extract/scan/detect/unread_lines.h"
#include "extract/scan/tail_values.h"

enum {
	SCANNER_MAX_SUMMARIES = 1 << 20, /* kept of one log */
	SCANNER_MAX_ANY_METADATA = 96    /* kept metadata of any format */
};

/* A text that identifies a rank, in order of appearance. */
struct worker {
	const char *text; /* in the log's arena */
	size_t len;
};

/* A command in the log. */
struct launch {
	struct launch_command command;
	int64_t line;                        /* 0: there is none */
	const char *texts[N_LAUNCH_NUMBERS]; /* of the numbers, or NULL; in the
	                                        log's arena */
};

/* Commands of one kind. */
struct launches {
	struct launch best;  /* that is taken */
	struct launch other; /* an equally likely one that contradicts it */
};

/* State of the current log, exchanged by scanner_swap. */
struct scan_memory {
	struct log *log;
	const struct format *format;
	unsigned roles;
	int templated;       /* 1: templates can be used */
	int64_t line;        /* number of the current line */
	size_t first_sample; /* of the current line */
	int dropped;         /* samples of this line that had no value */
	int64_t seen;        /* bytes of lines before the one available */
	const char *data;    /* available data, */
	int64_t data_at;     /* and its offset in the text */
	int64_t tail_from;   /* lines that begin after this byte are the tail */
	int64_t tail_line;   /* number of the last line, */
	int64_t tail_at;     /* where it begins */
	int in_tail;         /* 1: and after tail_from */
	struct tail_values tail;
	struct stamp_cache stamps;
	struct contexts contexts;
	struct interval_pairs pairs;
	struct horovod_timeline *events; /* of such a format, or NULL */
	struct unread_lines *unread;     /* or NULL if not requested */
	int alone; /* 1: detection saw all of the log, and no other program's
	              steps */
	const char *collective; /* collective of the rows, or NULL */
	const struct pattern
	    *interval_of; /* whose intervals are the samples, or NULL */
	struct log_metadata
	    any[SCANNER_MAX_ANY_METADATA]; /* what any log states */
	size_t n_any;
	enum log_voice any_voice; /* of the current metadata file */
	struct launches launches[N_LAUNCH_KINDS];
	int metadata_open;     /* 1: metadata is still looked for */
	int64_t metadata_work; /* work left for metadata */
	int metadata_met;      /* 1: one matched in the current line */
	const char *section;   /* name of the current section, or NULL */
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
	    *templates; /* templates for template_format and template_roles */
	const struct format *template_format;
	unsigned template_roles;
	struct byte_source reader;
	char *clean; /* the current line without controls */
	size_t alloc_clean;
	struct scan_memory now;
};

/* --- scan_emit.c -----------------------------------------------------------*/

/* Add a match of s->format's patterns to s->log. A match_consumer: arg is the
 * scanner. */
void scanner_emit_match(void *arg, const struct match *match);

/* Add a metadata field unless it was stated before. A stated field replaces one
 * set by the format (line 0).
 *
 * key, value  live as long as the log */
void scanner_add_metadata(
    struct scanner *s, const char *key, const char *value);

/* --- any_metadata.c ------------------------------------------------------- */

/* True for a placeholder of a value, from program text printed into the log:
 * "%s", "{}", "${MODEL}", "1xSUBMISSION_PLATFORM_PLACEHOLDER", "<model>" */
int scanner_is_placeholder(const char *text, size_t len);

/* Add a match of a metadata file's pattern, with the voice any_voice. A
 * match_consumer: arg is the scanner. */
void scanner_emit_any_metadata(void *arg, const struct match *match);

/* Add the commands of the current line. Returns 1 if there are any. */
int scanner_look_for_launch(struct scanner *s, const char *text, size_t len);

/* Find an equal metadata field among the first n. A field set by the format
 * (line 0) takes the line of the stated one. Returns its index, or
 * HASH_INDEX_NONE. */
size_t scanner_metadata_place(
    struct log *log, size_t n, const struct log_metadata *item);

/* Returns 0 if there are too many. */
int scanner_append_metadata(struct log *log, const struct log_metadata *item);

/* Add the metadata of any format to s->log. */
void scanner_add_any_metadata(struct scanner *s);

/* --- scanner_state.c ------------------------------------------------------ */

/* Reset the state of the current log. */
void scanner_reset(struct scanner *s);

/* Begin a log. */
void scanner_begin_log(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Find s->format for s->reader's file and leave the reader at its start.
 *
 * head  out: result for the head; not set if the format is given
 *
 * Returns 0, or -1 if the file cannot be read. */
int scanner_find_format(
    struct scanner *s, struct detection *head, struct error *e);

/* Read the settings from lines before `end` at the start of s->reader's file
 * into s->log. */
void scanner_read_settings(struct scanner *s, int64_t end);

/* Prepare for lines of s->format, which is not NULL. */
void scanner_set_format(struct scanner *s);

/* Start to collect lines that the format does not match. */
void scanner_watch_unread(struct scanner *s);

/* Look for steps of another program in the collected lines, and note them in
 * the log. */
void scanner_find_other(struct scanner *s, struct log *log);

/* Set the roles to look for. */
void scanner_set_roles(struct scanner *s, unsigned roles);

/* Divide available data into lines and match each; as line_walker_consume. */
size_t scanner_consume(struct scanner *s, struct line_walker *w,
    const char *data, size_t len, int last);

#endif
