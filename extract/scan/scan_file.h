/* The scanner: a log file in, a struct log out.  All its state is in a struct
 * scanner; give each thread its own.  The format set is shared read-only.
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
	SCAN_HEAD_BYTES = 256 << 10,  /* looked at to find the format */
	SCAN_AGAIN_BYTES = 1 << 20,   /* if it showed nothing, looked at again
	                                here, at 4 MiB, 16 MiB, ..., at end */
	SCAN_SEARCH_BYTES = 16 << 20, /* as long as there is nothing: piece
	                                 after piece up to here */
	SCAN_MAX_LINE = 16 << 20,     /* bytes; a longer line is read in pieces,
	                                 and counted */
	SCAN_METADATA_BYTES = 4 << 20, /* metadata is looked for in here */
	SCAN_METADATA_WORK = 8 << 20,  /* bytes that their patterns may go over
	                                 in long lines of a log */
	SCAN_METADATA_LINE_WORK = 24,  /* times the bytes of one: commands are
	                                 long, and many patterns read them */
	SCAN_WATCH_BYTES = 1 << 20     /* between calls of a scan_watcher */
};

struct scan_options {
	const struct format *forced; /* --log-format, or NULL: find out */
	int no_hash;                 /* 1: leave log.hash empty */
	int details;                 /* 1: fill log.details */
	int no_templates;            /* 1: ask the patterns about each line; the
	                                outcome is the same, for tests */
};

struct scanner;

/* A scanner over set, which must outlive it.  Options are copied.  Free with
 * scanner_free. */
struct scanner *scanner_new(
    const struct format_set *set, const struct scan_options *options);
void scanner_free(struct scanner *s);

/* From now on every file is of this format; NULL: find out, or what the options
 * state. */
void scanner_force(struct scanner *s, const struct format *format);

/* The set of scanner_new. */
const struct format_set *scanner_formats(const struct scanner *s);

/* Called with a log that grows: lines so far are complete, and nothing that
 * comes later changes their samples and details. */
typedef void scan_watcher(void *arg, struct log *log);

/* From now on call watch with each log after every few thousand lines, where
 * its format allows that; NULL: no more.  watch may clear the log's details. */
void scanner_watch(struct scanner *s, scan_watcher *watch, void *arg);

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

/* The same in parts, for a file that grows (file_follow.h). */
enum scan_begun {
	SCAN_FAILED, /* log.problem states why */
	SCAN_WHOLE,  /* this way is not for packed files, tables with a
	                header, timelines */
	SCAN_OPEN,   /* more of the file may change the format */
	SCAN_SETTLED /* it will not */
};

/* Find the format as scanner_scan does, and give no line to it. */
enum scan_begun scanner_begin(
    struct scanner *s, const char *path, const char *shown, struct log *log);

/* Take lines as line_walker_consume does. */
size_t scanner_feed(struct scanner *s, struct line_walker *w, const char *data,
    size_t len, int last);

/* What scanner_scan would leave at this place: a borrowed log, good until more
 * is fed. */
void scanner_view(
    struct scanner *s, const struct line_walker *w, struct log *view);

/* Bytes of what a scanner knows of the current file. */
size_t scanner_memory_size(void);

/* Exchange that with such memory, at first all 0, to go on with another file;
 * limits and templates are the scanner's. */
void scanner_swap(struct scanner *s, void *memory);

/* Free what the memory holds, not itself. */
void scanner_forget(void *memory);

#endif
