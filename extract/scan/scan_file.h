/* Reads log files into struct log. Each thread needs its own struct scanner;
 * the format set is shared and read-only.
 *
 *	struct scanner *s = scanner_new(&set, &options);
 *	struct log log;
 *	if (scanner_scan(s, path, shown, &log) != 0)
 *		... log.problem states why ...
 *	log_release(&log);
 *	scanner_free(s);
 */
#ifndef EXTRACT_SCAN_SCAN_FILE_H
#define EXTRACT_SCAN_SCAN_FILE_H

#include "extract/format/format.h"
#include "extract/input/lines.h"
#include "extract/log/log.h"

enum {
	SCAN_HEAD_BYTES = 256 << 10,   /* piece in which to detect the format */
	SCAN_AGAIN_BYTES = 1 << 20,    /* offset of the next piece if the head
					  shows little; then 4 MiB, 16 MiB, ...,
					  and the end */
	SCAN_SEARCH_BYTES = 16 << 20,  /* search all pieces up to here while
					  nothing is found */
	SCAN_MAX_LINE = 16 << 20,      /* bytes; longer lines are split and
					  counted */
	SCAN_METADATA_BYTES = 4 << 20, /* part searched for metadata */
	SCAN_METADATA_WORK = 8 << 20,  /* bytes that metadata patterns may scan
					  in long lines of a log */
	SCAN_METADATA_LINE_WORK = 24   /* the same per line, as a multiple of
					  its length */
};

struct scan_options {
	const struct format *forced; /* --log-format, or NULL: detect */
	int no_hash;                 /* 1: leave log.hash empty */
	int details;                 /* 1: fill log.details */
	int no_templates;            /* 1: match every line by patterns (for
					tests); same result */
};

struct scanner;

/* Create a scanner for a format set, which must outlive it. Options are
 * copied. */
struct scanner *scanner_new(
    const struct format_set *set, const struct scan_options *options);
void scanner_free(struct scanner *s);

/* Set the format of the following files; NULL: detect. */
void scanner_force(struct scanner *s, const struct format *format);

/* The format set given to scanner_new. */
const struct format_set *scanner_formats(const struct scanner *s);

/* Read one file.
 *
 * path   file to open; "-" is stdin
 * shown  name for messages and results; copied
 * log    filled; release with log_release, also after errors
 *
 * Returns 0, with log.format NULL if no format matched. Returns -1 with the
 * reason in log.problem, prefixed by shown, if the file cannot be read. */
int scanner_scan(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Result of starting to read a growing file in parts (file_follow.h). */
enum scan_begun {
	SCAN_FAILED, /* log.problem states why */
	SCAN_WHOLE,  /* must be read as a whole: compressed files, tables with a
			header, timelines */
	SCAN_OPEN,   /* more data may change the format */
	SCAN_SETTLED /* the format is final */
};

/* Find the format as scanner_scan does, without reading lines. */
enum scan_begun scanner_begin(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Read lines like line_walker_consume. */
size_t scanner_feed(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last);

/* The log that scanner_scan would give for the data so far. Its contents are
 * borrowed and valid until scanner_feed. */
void scanner_view(
    struct scanner *s, const struct line_walker *w, struct log *view);

/* Size of a scanner's state of the current file. */
size_t scanner_memory_size(void);

/* Swap the state with memory (initially zeros) to continue with another file.
 * Limits and templates stay with the scanner. */
void scanner_swap(struct scanner *s, void *memory);

/* Free the contents of a swapped state, not memory itself. */
void scanner_forget(void *memory);

#endif
