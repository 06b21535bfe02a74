/* Log formats as data: NAME.format files, read once, checked, compiled, and
 * then shared read-only by all threads.  Next to them live NAME.prefix files
 * (how launchers mark the lines of their ranks).  doc/formats.md is the
 * language.
 *
 * Invariants: at least one step or summary pattern; every group name is a word
 * that may stand in the pattern's role.  Patterns of users' files are compiled
 * as they are read, those of built-in ones when they are first asked: a program
 * uses few of the formats there are.
 *
 *	struct format_set set;
 *	if (format_set_load(&set, dirs, n_dirs, &e) != 0)
 *		return -1;
 *	const struct format *f = format_find(&set, "pytorch-imagenet");
 *	format_set_release(&set);
 */
#ifndef EXTRACT_FORMAT_FORMAT_H
#define EXTRACT_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/error.h"
#include "extract/log/log.h"
#include "extract/format/patterns/field_names.h"
#include "extract/format/patterns/pattern.h"

/* Stated maxima; a file that passes one is refused with a message. */
enum {
	FORMAT_MAX_BYTES = 1 << 20, /* of one file */
	FORMAT_MAX_PATTERNS = 64,   /* in one file */
	FORMAT_MAX_SAMPLES = 256,   /* in one file */
	FORMAT_MAX_EXPECTED = 256,  /* of one sample */
	FORMAT_MAX_GIVES = 64,      /* of one pattern */
	FORMAT_PRIORITY = 50,       /* of a file without the key */
	FORMAT_MAX_NAME = 64,       /* bytes of a name */
	FORMAT_MAX_FORMATS = 1024,  /* in one set */
	FORMAT_LONG_LINE = 4096,    /* a regular expression sees a longer line
	                                 in windows */
	FORMAT_WINDOW = 2048,       /* bytes of them, each half of that on: so
	                                 a match may span at least that half */
	/* From so many bytes on the patterns of a format may go over so many
	 * times a line's bytes, and so many bytes more. */
	FORMAT_METERED = 256,
	FORMAT_LINE_WORK = 12,
	FORMAT_FREE_WORK = 32768,
	FORMAT_MAX_PREFIX = 1024, /* bytes of a line that are a launcher's
	                             prefix */
};

/* Which records are repeated. */
enum echo {
	ECHO_NO,
	ECHO_YES, /* one like the record before, value and all */
	ECHO_BAR  /* one that a progress bar drew again: its iteration or its
	             time has not moved on */
};

/* Events that only make sense together, and have a reader of their own
 * (scan/horovod_timeline.h). */
enum format_events {
	EVENTS_NONE,
	EVENTS_HOROVOD, /* Horovod's timeline */
	N_FORMAT_EVENTS
};

/* One "expect" line: the next match in the sample line must be of this
 * pattern and have these values. */
struct expectation {
	const char *name;              /* of the pattern */
	const struct pattern *pattern; /* NULL: nothing matches */
	struct given *pairs;
	long *cols; /* [n_pairs] column of each pair */
	size_t n_pairs;
	long line, col;
};

/* One "sample" line. */
struct format_sample {
	const char *text;
	size_t len;
	long line, col; /* where text begins */
	struct expectation *expects;
	size_t n_expects;
};

/* The kinds of file that share the language. */
enum format_file {
	FORMAT_FILE,          /* NAME.format */
	FORMAT_FILE_PREFIX,   /* NAME.prefix */
	FORMAT_FILE_LAYOUT,   /* NAME.layout */
	FORMAT_FILE_METADATA, /* NAME.metadata: what any program's log may state
	                       */
	N_FORMAT_FILES
};

struct format {
	const char *name;
	const char *path; /* of the file */
	const char *text; /* of the file */
	size_t text_len;
	enum format_file file;
	int user;           /* 1: not one of the built-in folder's */
	int priority;       /* breaks ties of detection, higher wins; 0..100 */
	int generic;        /* 1: steps back for a format that is not */
	int whole_run;      /* 1: its time of the whole run is that of logs
	                       whose own format has none */
	const char **files; /* [n_files] globs of names that are logs although
	                       files that end so are none mostly */
	size_t n_files;
	const char *description;
	const char *url;      /* NULL if none was given */
	enum log_voice voice; /* who states the metadata of a metadata file */
	enum echo echo;
	enum format_events events; /* what its lines are, if they are events */
	struct meaning meaning;
	struct pattern *patterns; /* [n_patterns] step patterns first */
	size_t n_patterns;
	size_t n_step_patterns, n_ignore;
	int plain; /* 1: one step pattern, without ^, nothing to ignore */
	unsigned
	    rest_roles; /* roles of the other patterns, FIELD_NAME_IN(role) */
	int step_anchored;              /* 1: some step pattern begins with ^ */
	int rest_anchored;              /* 1: some other pattern does */
	int has_collectives;            /* 1: some pattern is a collective */
	int has_intervals;              /* 1: some pattern is an interval */
	int has_context;                /* 1: some pattern is a context */
	unsigned digit_sensitive_roles; /* roles of patterns that distinguish
	                              digits and whose literal does not
	                              their lines */
	unsigned digit_counting_roles;  /* the same but for patterns for objects
	                      whose selectors hold no digit: how often
	                      these match does not depend on digits */
	int n_uncacheable;   /* patterns that distinguish digits, whose lines
	                        are known by a literal without digits */
	struct given *gives; /* metadata of every log of this format */
	size_t n_gives;
	struct format_sample *samples;
	size_t n_samples;
};

struct format_set {
	struct arena arena;
	struct format **formats; /* sorted by name */
	size_t n_formats;
	struct format **prefixes; /* sorted by name */
	size_t n_prefixes;
	struct format **metadata; /* of any program's log; sorted by name */
	size_t n_metadata;
	/* All prefix patterns in one: at the start of a text, and at its end;
	 * their marks name the prefix.  code is NULL if there is none. */
	struct pattern prefix_start, prefix_end;
	int prefixes_digit_insensitive; /* 1: those are so */
};

/* The folders in which formats, prefixes and layouts are looked for, first
 * found wins a name: extra (--format-dir) in its order, then
 * $XDG_CONFIG_HOME/dlscale/{formats,layouts} (else ~/.config/dlscale/...),
 * then the built-in folder: $DLSCALE_FORMAT_PATH (folders divided by ':'), or
 * extract/{formats,layouts} next to the running program (a build tree), or
 * ../share/dlscale/{formats,layouts} of it, or those of the installed prefix.
 *
 * extra  [n_extra] folders that must exist
 *
 * Fills dirs; free it with search_release. */
struct search_dir {
	char *path;
	int must; /* 1: an error if it is not there */
	int user; /* 1: not built in */
};

struct search_path {
	struct search_dir *dirs;
	size_t n_dirs, alloc_dirs;
	int samples; /* 1: read the samples of built-in files, too */
};

/* See above. */
void search_path_init(
    struct search_path *p, const char *const *extra, size_t n_extra);
void search_path_release(struct search_path *p);

/* Read all *.format and *.prefix files of the folders.  A name that was seen
 * in an earlier folder is skipped; twice in the same folder is an error (the
 * name inside a file must be its file name).  A mistake in a regular expression
 * of a built-in file is found when it is asked.
 *
 * Returns 0; or -1 with a message that begins with "file:line:col: " and shows
 * the line with a caret, where it is a file's mistake.  The set is then empty.
 * Free with format_set_release. */
int format_set_load(
    struct format_set *set, const struct search_path *path, struct error *e);
void format_set_release(struct format_set *set);

/* Compile all patterns of all formats and metadata files, or of n files.
 * Returns 0, or -1 as format_set_problem. */
int format_set_ready(const struct format_set *set, struct error *e);
int format_list_ready(struct format *const *formats, size_t n, struct error *e);

/* Returns 0; -1 with the mistake, as format_set_load reports it, of the first
 * pattern that could not be compiled so far.  No other thread may be at
 * work. */
int format_set_problem(const struct format_set *set, struct error *e);

/* The same of n files. */
int format_list_problem(
    struct format *const *formats, size_t n, struct error *e);

/* The format of that name, or NULL. */
const struct format *format_find(
    const struct format_set *set, const char *name);

/* Like format_find; a name that is not there is an ERROR_USAGE that lists the
 * nearest names. */
const struct format *format_get(
    const struct format_set *set, const char *name, struct error *e);

/* Read one file of any kind from memory.
 *
 * name  what the file must call itself
 * path  stands for the file in messages; copied
 * text  [len] its contents; copied
 *
 * Returns the format, living in the arena; call format_release_code before
 * the arena goes.  NULL with e filled as by format_set_load. */
struct format *format_parse(struct arena *a, enum format_file file,
    const char *name, const char *path, const char *text, size_t len,
    struct error *e);
void format_release_code(struct format *f);

/* Like format_parse, but patterns are compiled when they are asked.
 *
 * samples  0: they are skipped */
struct format *format_parse_later(struct arena *a, enum format_file file,
    const char *name, const char *path, const char *text, size_t len,
    int samples, struct error *e);

/* Read every file of one kind in the folders of path, in order of their names.
 *
 * consume  called for each with arg; may return -1 to stop with e filled
 *
 * Returns 0 or -1; formats that were taken remain the consumer's. */
typedef int format_consumer(void *arg, struct format *f, struct error *e);
int format_files_load(struct arena *a, const struct search_path *path,
    enum format_file file, format_consumer *consume, void *arg,
    struct error *e);

#endif
