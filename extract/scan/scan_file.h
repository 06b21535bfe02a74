/* The scanner reads a log file into a struct log. Each thread needs its own
 * struct scanner; the format set is shared read-only.
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
	SCAN_HEAD_BYTES = 256 << 10,  /* bytes in which to detect the format */
	SCAN_AGAIN_BYTES = 1 << 20,   /* next piece if nothing was found; then
					 at 4 MiB, 16 MiB, ..., and at the
					 end */
	SCAN_SEARCH_BYTES = 16 << 20, /* while nothing is found, all pieces up
					 to here */
	SCAN_MAX_LINE = 16 << 20,     /* bytes; a longer line is read in pieces,
	                                 and counted */
	SCAN_METADATA_BYTES = 4 << 20, /* metadata is looked for in here */
	SCAN_METADATA_WORK = 8 << 20,  /* bytes that metadata patterns may scan
					  in long lines of a log */
	SCAN_METADATA_LINE_WORK = 24   /* the same for one line, as a multiple
					  of its length */
};

struct scan_options {
	const struct format *forced; /* --log-format, or NULL: detect */
	int no_hash;                 /* 1: leave log.hash empty */
	int details;                 /* 1: fill log.details */
	int no_templates;            /* 1: match each line by patterns, for
					tests; the result is the same */
};

struct scanner;

/* A scanner over set, which must outlive it.  Options are copied.  Free with
 * scanner_free. */
struct scanner *scanner_new(
    const struct format_set *set, const struct scan_options *options);
void scanner_free(struct scanner *s);

/* Set the format of the following files; NULL: as the options state, or
 * detect. */
void scanner_force(struct scanner *s, const struct format *format);

/* The set of scanner_new. */
const struct format_set *scanner_formats(const struct scanner *s);

/* Read one file.
 *
 * path   to open; "-" is stdin
 * shown  the name for messages and results; copied
 * log    filled; release it with log_release whatever is returned
 *
 * Returns 0; log.format may still be NULL: no format matched.  Returns -1 if
 * the file cannot be read; log.problem states why, with shown before it. */
int scanner_scan(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* The same in parts, for a growing file (file_follow.h). */
enum scan_begun {
	SCAN_FAILED, /* log.problem states why */
	SCAN_WHOLE,  /* not possible for compressed files, tables with a header,
			timelines */
	SCAN_OPEN,   /* more of the file may change the format */
	SCAN_SETTLED /* it will not */
};

/* Find the format as scanner_scan does, without reading lines. */
enum scan_begun scanner_begin(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Read lines, as line_walker_consume. */
size_t scanner_feed(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last);

/* The log that scanner_scan would give for the data so far: borrowed, valid
 * until scanner_feed. */
void scanner_view(
    struct scanner *s, const struct line_walker *w, struct log *view);

/* Size of a scanner's state of the current file. */
size_t scanner_memory_size(void);

/* Swap that state with memory, initially all 0, to continue with another file.
 * Limits and templates stay with the scanner. */
void scanner_swap(struct scanner *s, void *memory);

/* Free the contents of memory, not memory itself. */
void scanner_forget(void *memory);

#endif
