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

#include <pthread.h>
#include <stdint.h>

#include "extract/format/format.h"
#include "extract/input/byte_source.h"
#include "extract/log/log.h"
#include "common/error.h"

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

/* Set the size in MiB up to which files may expand by any factor. */
void scanner_allow_unpacked(struct scanner *s, long mib);

/* Set the format of the following files; NULL: detect. */
void scanner_force(struct scanner *s, const struct format *format);

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

/* Find the first date with a time, year first, in a text of one line:
 * "2020-10-13 12:34:56,123+08:00". A date directly after
 * another digit is skipped.
 *
 * len   of the text
 * size  set to the length of the stamp
 *
 * Returns its start, or NULL. */
const char *stamp_find(const char *s, size_t len, size_t *size);

/* --- Logs that grow --------------------------------------------------------*/

/* Logs that may grow: a log is read again when its file has changed. */

struct file_follow {
	pthread_mutex_t lock; /* of the list and of bytes */
	struct followed_file **items;
	size_t n, alloc;
	int end;       /* 1: the next scan of each file is its last, which reads
			  it to its end */
	int64_t bytes; /* of all files read so far */
};

/* Create an empty set; free it with all its logs. */
struct file_follow *file_follow_new(void);
void file_follow_free(struct file_follow *all);

/* Like scanner_scan, without an incomplete last line. Thread-safe except for
 * the same file of the same operand; "old=D new=D" reads each file twice.
 *
 * operand  number of the operand of the file
 * log      filled; valid until the same file of the same operand is scanned
 *          again, or file_follow_sweep */
int file_follow_scan(struct file_follow *all, struct scanner *s,
    const char *path, size_t operand, const char *shown, struct log *log);

/* Free files not scanned since the last sweep. */
void file_follow_sweep(struct file_follow *all);

/* --- Samples of formats ----------------------------------------------------*/

/* Tests formats with their own sample lines, which must give the expected
 * values. Users' files are tested when they are loaded; extract_logs
 * --check-formats tests all files. */

/* Run the samples of one format, prefix, metadata file or layout.
 *
 * set  gives the launcher prefixes; may be NULL
 *
 * Returns 0, or -1 with the first error and its place in e, as in
 * format_set_load. */
int format_self_test(
    const struct format_set *set, const struct format *f, struct error *e);

/* Run the samples of all files that are not built in. */
int format_self_test_users(const struct format_set *set, struct error *e);

#endif
