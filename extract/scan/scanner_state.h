/* Internal header of the scanner (scan_file.h): state, and stages from bytes to
 * the log. Each file calls only those listed before it:
 *
 *	any_metadata.c      metadata independent of the format, and of files
 *	                    beside the log
 *	scan_emit.c         matches to log
 *	scan_file.c         files to lines to matches
 */
#ifndef EXTRACT_SCAN_SCANNER_STATE_H
#define EXTRACT_SCAN_SCANNER_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "common/hash_index.h"
#include "extract/scan/detect/detect.h"
#include "extract/log/command_line.h"
#include "extract/format/matcher.h"
#include "extract/input/byte_source.h"
#include "extract/scan/scan_file.h"
#include "extract/log/log.h"

/* --- sample_from_match.c ---------------------------------------------------*/

/* Read the number of a capture in the unit of its field; NAN for "nan" and the
 * like. Returns 0, or -1 if it is not a number. */
int match_number(
    const struct match *match, const struct capture *c, double *out);

enum { N_PATTERN_FIELDS = FIELD_LABEL + 1 };

/* Read the numbers of a match by field; NAN if not stated or not a number. */
void match_numbers(const struct match *match, double out[N_PATTERN_FIELDS]);

/* A capture of a match. All lines of a template have the same captures. */
struct captured {
	const struct capture *capture;
	uint32_t from, len; /* in match.text */
	int decimals; /* if the text is at most 15 digits with at most one point
	                 inside; else -1 */
};

/* Find the captures whose groups matched. Returns their number. */
size_t captured_find(
    const struct match *match, struct captured out[FORMAT_MAX_GROUPS]);

/* The same; *list becomes the captures of the match's template, else found. */
size_t captured_list(const struct match *match,
    struct captured found[FORMAT_MAX_GROUPS], const struct captured **list);

/* Read the number of a capture like match_number. */
int captured_number(
    const struct match *match, const struct captured *k, double *out);

/* Make a sample from a step match.
 *
 * units  out: resolution of the line's numbers
 *
 * Returns 0; -1 with s undefined if a number is malformed or nan. */
int sample_from_match(struct sample *s, struct log_units *units, int64_t line,
    const struct meaning *meaning, const struct match *match);

/* --- State -----------------------------------------------------------------*/

enum {
	TAIL_VALUES_BYTES = 64 << 10,    /* end of the text whose values are
					    kept in log.tail */
	SCANNER_MAX_SUMMARIES = 1 << 20, /* maximum per log */
	SCANNER_MAX_ANY_METADATA = 96    /* maximum fields in `any` */
};

/* A text that identifies a rank; numbered in order of appearance. */
struct worker {
	const char *text; /* in the log's arena */
	size_t len;
};

/* The last header line of a rank: it states the epoch and the iteration of the
 * values on the following lines. SAMPLE_NONE for values not stated. */
struct context {
	int32_t epoch, iter, iters;
	double stamp; /* as in struct sample, or NAN */
};

/* The last event of a "begin" pattern. The "end" or "interval" pattern that
 * follows it in the format file gives the seconds since then: "end" a result of
 * the whole run, "interval" a step. */
struct pair_begin {
	const struct pattern *pattern;
	double seconds, done, steps;
	double number;  /* iter, unrounded */
	double ended;   /* samples done at the previous end, or NAN */
	double counted; /* number of the previous interval, or NAN */
	int32_t iter, span;
	int begun;  /* 1: an earlier interval counted work */
	int closed; /* 1: has ended */
};

/* A value of a line that may be in the tail. */
struct tail_value {
	const struct field_name *word;
	double value;
	int64_t line; /* line number, from 1 */
	int64_t at;   /* offset of the line in the text */
};

/* A command in the log. */
struct launch {
	struct launch_command command;
	int64_t line; /* 0: no command */
};

/* Commands of one kind. */
struct launches {
	struct launch best;  /* the one to use */
	struct launch other; /* equally likely, contradicting best */
};

/* State of the current log. */
struct scan_state {
	struct log *log;
	const struct format *format;
	unsigned roles;
	int templated;           /* 1: templates are usable */
	int64_t line;            /* number of the current line */
	size_t first_sample;     /* of the current line */
	int dropped;             /* samples dropped on the current line */
	int64_t seen;            /* bytes of all lines so far */
	int64_t data_at;         /* offset of the reader's data in the text */
	int64_t tail_from;       /* lines after this offset are the tail */
	int64_t tail_line;       /* number of the last line */
	int64_t tail_at;         /* offset of the last line */
	int in_tail;             /* 1: tail_at > tail_from */
	struct tail_value *tail; /* [n_tail] in file order */
	size_t n_tail, alloc_tail;
	struct context *contexts; /* [n_contexts] by rank + 1 */
	size_t n_contexts, alloc_contexts;
	struct pair_begin *pairs; /* [n_pairs] */
	size_t n_pairs, alloc_pairs;
	struct horovod_timeline *events; /* of a timeline, or NULL */
	int collects; /* 1: unmatched lines are collected in unread */
	struct unread_lines unread;
	int alone; /* 1: detection saw the whole log and no steps of another
		      program */
	const char *collective; /* name for following rows, or NULL */
	const struct pattern
	    *interval_of; /* pattern of the intervals, or NULL */
	struct log_metadata
	    any[SCANNER_MAX_ANY_METADATA]; /* not specific to a format */
	size_t n_any;
	enum log_voice any_voice; /* voice of the current metadata file */
	struct launches launches[N_LAUNCH_KINDS];
	struct log_sign_search search;
	int metadata_open;           /* 1: still searching for metadata */
	int64_t metadata_work;       /* what is left of SCAN_METADATA_WORK */
	int metadata_met;            /* 1: found on the current line */
	const struct format *beside; /* names the file read; NULL: the log */
	const char *section;         /* name of the current section, or NULL */
	struct worker *workers;
	size_t n_workers, alloc_workers;
	struct hash_index worker_index;
	struct hash_index metadata_index; /* of fields stated in the log */
};

struct scanner {
	const struct format_set *set;
	struct scan_options options;
	struct matcher *matcher;
	const int64_t *limits; /* of the matcher */
	struct detector *detector;
	struct literal_index *metadata_literals; /* of the metadata files */
	struct line_templates
	    *templates; /* for template_format, template_roles */
	const struct format *template_format;
	unsigned template_roles;
	struct byte_source reader;
	char *clean; /* current line without control characters */
	size_t alloc_clean;
	int skip_incomplete; /* 1: skip a last line without line end, which is
				incomplete while a program writes the file */
	struct scan_state now;
};

/* --- scan_emit.c -----------------------------------------------------------*/

/* Add a match of the format's patterns to the log. A match_consumer; arg is the
 * scanner. */
void scanner_emit_match(void *arg, const struct match *match);

/* Add a metadata field if it is new. A stated field replaces one set by the
 * format (line 0).
 *
 * key, value  must live as long as the log */
void scanner_add_metadata(
    struct scanner *s, const char *key, const char *value);

/* Fill log.tail from the last lines of the text: values next to the steps, such
 * as loss, accuracy, memory and MFU. */
void scanner_fill_tail(struct scanner *s);

/* --- any_metadata.c ------------------------------------------------------- */

/* True for a placeholder of a value in source text printed in the log: "%s",
 * "{}", "${MODEL}", "1xSUBMISSION_PLATFORM_PLACEHOLDER", "<model>" */
int scanner_is_placeholder(const char *text, size_t len);

/* Find an equal metadata field among the first n. A field set by the format
 * (line 0) is replaced by the stated one of the same key. Returns its index, or
 * HASH_INDEX_NONE. */
size_t scanner_metadata_place(
    struct log *log, size_t n, const struct log_metadata *item);

/* Append a metadata field. Returns 0 if there are too many. */
int scanner_append_metadata(struct log *log, const struct log_metadata *item);

/* Search a line for metadata independent of the format. Returns 1 if a pattern
 * matched, 0 if not, -1 if none can match even if free digits change. */
int scanner_look_for_metadata(struct scanner *s, const char *text, size_t len);

/* Search the files beside the log that metadata files name. */
void scanner_look_beside(struct scanner *s);

/* Add the metadata that is independent of the format to the log. */
void scanner_add_any_metadata(struct scanner *s);

/* --- Templates of lines ----------------------------------------------------*/

/* Templates replay the matches of an earlier line for lines that differ from it
 * only in digits. Unless a pattern distinguishes digits, such lines match the
 * same patterns at the same offsets, so PCRE2 is not needed.
 *
 * Digits after a letter, '_' or '@' (Acc@1, fp16) must be equal, because
 * patterns may contain them; pattern.digit_insensitive tells which patterns
 * allow templates. */

struct line_templates;

enum {
	TEMPLATE_MAX_LINE = 1024,
	TEMPLATE_MAX_MATCHES = 8, /* of a line */
	TEMPLATE_MAX_OFFSETS = 128
};

struct line_template {
	size_t len;      /* 0: unused */
	int no_metadata; /* set by the caller; 1: lines contain no metadata */
	int no_sign;     /* set by the caller; 1: lines show no failure */
	size_t n_matches, n_offsets;
	char text[TEMPLATE_MAX_LINE]; /* '0' in place of free digits */
	unsigned char
	    most[TEMPLATE_MAX_LINE]; /* largest XOR of a line's byte and text:
					 9 for a free digit, else 0 */
	struct match
	    matches[TEMPLATE_MAX_MATCHES]; /* text pointers are set per line */
	size_t rank_at[TEMPLATE_MAX_MATCHES],
	    worker_at[TEMPLATE_MAX_MATCHES]; /* offsets of a
								prefix's rank
								and worker */
	size_t offsets[TEMPLATE_MAX_OFFSETS];
	struct captured captured[TEMPLATE_MAX_MATCHES][FORMAT_MAX_GROUPS];
};

/* Create the templates of one scanner; free them. */
struct line_templates *line_templates_new(void);
void line_templates_free(struct line_templates *all);

/* Find the template of a line [len] without control and non-ASCII bytes, or
 * NULL; valid until the next line_template_begin. */
struct line_template *line_template_find(
    struct line_templates *all, const char *line, size_t len);

/* Make a template of a line while it is matched. line_template_end returns it,
 * or NULL if the line is too long, too short or has too many matches. */
void line_template_begin(
    struct line_templates *all, const char *line, size_t len);
struct line_template *line_template_end(struct line_templates *all);

/* --- Timelines of Horovod --------------------------------------------------*/

/* Reads collectives from Horovod's timeline, an array of trace events, one per
 * line. Each tensor is a "process" (pid) with nested events. */

struct horovod_timeline;

/* Create a reader; free it. */
struct horovod_timeline *horovod_timeline_new(void);
void horovod_timeline_free(struct horovod_timeline *t);

/* Read a line; lines without an event are skipped. Adds complete responses to
 * the log (log_collectives_add), with the kind "response".
 *
 * text  [len]
 * line  line number */
void horovod_timeline_line(struct horovod_timeline *t, struct log *log,
    const char *text, size_t len, int64_t line);

/* End the log: compute values that depend on the number of ranks. Add the
 * metadata phase_step_ms, phase_busy_ms and phase_bytes of each complete step,
 * and buckets of the steps with the most frequent number of responses, because
 * fusion may differ between steps. */
void horovod_timeline_end(const struct horovod_timeline *t, struct log *log);

#endif
