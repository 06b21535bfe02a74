/* Log formats as data: NAME.format files, read and checked once, compiled, then
 * shared read-only by all threads.  NAME.prefix files in the same folders
 * describe how launchers mark the lines of their ranks.  See doc/formats.md for
 * the language.
 *
 * Invariants: there is at least one step or summary pattern; every group name
 * is a word that is allowed in the pattern's role.
 *
 *	struct format_set set;
 *	if (format_set_load(&set, dirs, n_dirs, &e) != 0)
 *		return -1;
 *	const struct format *f = format_get(&set, "pytorch-imagenet", &e);
 *	format_set_release(&set);
 */
#ifndef EXTRACT_FORMAT_FORMAT_H
#define EXTRACT_FORMAT_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/alloc.h"
#include "common/error.h"
#include "extract/log/log.h"
#include "extract/format/patterns/field_names.h"
#include "extract/format/patterns/pattern.h"

/* Limits; a file that exceeds one is rejected with a message. */
enum {
	FORMAT_MAX_BYTES = 1 << 20, /* of one file */
	FORMAT_MAX_PATTERNS = 64,   /* in one file */
	FORMAT_MAX_SAMPLES = 256,   /* in one file */
	FORMAT_MAX_EXPECTED = 256,  /* per sample */
	FORMAT_MAX_GIVES = 64,      /* per pattern */
	FORMAT_PRIORITY = 50,       /* default of the key */
	FORMAT_MAX_NAME = 64,       /* bytes of a name */
	FORMAT_MAX_FORMATS = 1024,  /* in one set */
	FORMAT_LONG_LINE = 4096,    /* longer lines are matched in windows */
	FORMAT_WINDOW = 2048,       /* bytes of a window; windows overlap by
	                               half, so matches of that size are
	                               found */
	/* In texts of at least METERED bytes, patterns may read LINE_WORK times
	 * the bytes of a line plus FREE_WORK bytes. */
	FORMAT_METERED = 256,
	FORMAT_LINE_WORK = 12,
	FORMAT_FREE_WORK = 32768,
	FORMAT_MAX_PREFIX = 1024, /* bytes of a launcher's prefix */
};

/* Records that count as repeated. */
enum echo {
	ECHO_NO,
	ECHO_YES, /* equal to the record before, value included */
	ECHO_BAR  /* redrawn by a progress bar: its iteration or time has not
	             advanced */
};

/* A value that a match must have; `at` is its place in the file's text. */
struct expected_pair {
	const char *key, *value, *at;
};

/* An "expect" line: the next match in the sample line must be of this pattern
 * and have these values. */
struct expectation {
	const char *name;              /* name of the pattern */
	const struct pattern *pattern; /* NULL: no match expected */
	struct expected_pair *pairs;
	size_t n_pairs;
	const char *at; /* in the file's text */
};

/* A "sample" line. */
struct format_sample {
	const char *text; /* [len] part of the file's text */
	size_t len;
	struct expectation *expects;
	size_t n_expects;
};

/* Kinds of file that share the language. */
enum format_file {
	FORMAT_FILE,          /* NAME.format */
	FORMAT_FILE_PREFIX,   /* NAME.prefix */
	FORMAT_FILE_METADATA, /* NAME.metadata: metadata for logs of any
	                         program */
	FORMAT_FILE_LAYOUT,   /* NAME.layout */
	N_FORMAT_FILES
};

struct format {
	const char *name;
	struct format_source src; /* the file */
	enum format_file file;
	int user;           /* 1: not from the built-in folder */
	long priority;      /* 0..100; the higher wins ties of detection */
	int generic;        /* 1: yields to any format that is not generic */
	int whole_run;      /* 1: gives the time of the whole run to logs whose
	                       own format has none */
	const char **files; /* [n_files] globs of names that are logs despite a
	                       suffix common to other files */
	size_t n_files;
	const char *description;
	const char *url;      /* or NULL */
	enum log_voice voice; /* source of a metadata file's values */
	/* For metadata files that read a file beside the log: its name, start
	 * of the log's part in it, mark before the names of parent parts, end
	 * of a record; or NULL. For {...} see scan/any_metadata.c. */
	const char *beside, *part, *parents, *record;
	enum echo echo;
	int timeline; /* 1: lines are events that only have a meaning together,
	                 see scan/horovod_timeline.c */
	struct meaning meaning;
	struct pattern *patterns; /* [n_patterns] step patterns first */
	size_t n_patterns;
	size_t n_step_patterns, n_ignore;
	int step_anchored;              /* 1: a step pattern begins with ^ */
	int rest_anchored;              /* 1: another pattern begins with ^ */
	int has_collectives;            /* 1: has a collective pattern */
	int has_intervals;              /* 1: has an interval pattern */
	int has_context;                /* 1: has a context pattern */
	unsigned digit_sensitive_roles; /* roles of digit-sensitive patterns
	                                   that are not uncacheable */
	unsigned digit_counting_roles;  /* those whose number of matches depends
	                                   on digits: all but object patterns
	                                   whose selectors contain no digit */
	int n_uncacheable;   /* digit-sensitive patterns whose lines are
	                        recognised by a literal without digits */
	struct given *gives; /* metadata of every log in this format */
	size_t n_gives;
	struct format_sample *samples;
	size_t n_samples;
};

/* Files of one kind. */
struct format_list {
	struct format **items; /* [n] */
	size_t n, alloc;
};

struct format_set {
	struct arena arena;
	union {
		struct format_list kinds[N_FORMAT_FILES]; /* format_file */
		/* Sorted by name; metadata is for logs of any program. Layouts
		 * by priority, highest first, then name; before them the
		 * templates of --path. */
		struct {
			struct format_list formats, prefixes, metadata, layouts;
		};
	};
	/* All prefix patterns in one, for the start and for the end of a text;
	 * marks of matches name the prefix. code is NULL if there are none. */
	struct pattern prefix_start, prefix_end;
	int prefixes_digit_insensitive; /* 1: both are digit-insensitive */
};

/* Search path of formats, prefixes and layouts; the first file of a name wins:
 * the folders in extra (--format-dir) in order,
 * $XDG_CONFIG_HOME/dlscale/{formats,layouts} (default ~/.config/dlscale/...),
 * then the built-in folder: $DLSCALE_FORMAT_PATH (folders separated by ':'),
 * else extract/{formats,layouts} next to the running program (a build tree),
 * else ../share/dlscale/{formats,layouts} relative to it, else that of the
 * installed prefix.
 *
 * extra  [n_extra] folders that must exist
 *
 * Fills dirs; free it with search_path_release. */
struct search_dir {
	char *path;
	int must; /* 1: an error if it does not exist */
	int user; /* 1: not built in */
};

struct search_path {
	struct search_dir *dirs;
	size_t n_dirs, alloc_dirs;
};

/* Build and free the search path. */
void search_path_init(
    struct search_path *p, const char *const *extra, size_t n_extra);
void search_path_release(struct search_path *p);

/* Read the files of all kinds in the folders.  A name already found in an
 * earlier folder is skipped; a duplicate within a folder is an error (the
 * name in a file must equal its file name).
 *
 * Returns 0; or -1 with a message, which for a mistake in a file begins with
 * "file:line:col: " and shows the line with a caret.  The set is then empty.
 * Free it with format_set_release. */
int format_set_load(
    struct format_set *set, const struct search_path *path, struct error *e);
void format_set_release(struct format_set *set);

/* Find a format by name. An unknown name gives NULL and an ERROR_USAGE with the
 * nearest names. */
const struct format *format_get(
    const struct format_set *set, const char *name, struct error *e);

/* Parse a file of any kind from memory.
 *
 * name  name that the file must state
 * path  name of the file in messages; copied
 * text  [len] contents; copied
 *
 * Returns the format, allocated in the arena; call format_release_code before
 * releasing the arena.  Returns NULL with e filled as by format_set_load. */
struct format *format_parse(struct arena *a, enum format_file file,
    const char *name, const char *path, const char *text, size_t len,
    struct error *e);
void format_release_code(struct format *f);

/* Check a parsed format for consistency and set the derived members: order of
 * the patterns, default meaning, patterns that the samples name.  Part of
 * format_parse.
 *
 * unit, window  lines of these keys in the file's text; NULL: not given
 *
 * Returns 0, or -1 with the position of the mistake. */
int format_complete(
    struct format *f, const char *unit, const char *window, struct error *e);

/* --- Layouts of paths ------------------------------------------------------*/

/* Layouts: metadata in the path of a log.  NAME.layout files are data like
 * formats, with patterns for paths and sample paths that are checked; a
 * template (--path) is a layout for the paths of one tree. */

/* Keys of layouts: nodes gpus_per_node gpus model batch_size
 * batch_size_per_device precision framework run rank.  A group label_NAME gives
 * the free label NAME. */
struct path_layout_metadata {
	const char *key;
	const char *value;
	int is_label;       /* 1: a free label */
	int user;           /* 1: from a user's layout or --path */
	const char *layout; /* layout that states it */
};

struct path_layout_match {
	struct arena arena;
	struct path_layout_metadata *metadata;
	size_t n_metadata, alloc_metadata;
};

/* Match a path against every layout.  Parts are separated by "/"; the path is
 * relative to the operand, preceded by the operand's own last parts if they
 * help.  The first layout that gives a key wins.
 *
 * m  filled; release it with path_layout_match_release
 *
 * Thread-safe. */
void path_layout_match(const struct format_set *set, const char *path,
    struct path_layout_match *m);
void path_layout_match_release(struct path_layout_match *m);

/* The digits [len] in path of the rank that path_layout_match finds, or NULL.
 * Tries only layouts that capture a rank, for speed. */
const char *path_layout_rank(
    const struct format_set *set, const char *path, size_t *len);

/* Name of the layout of a template of --path. */
#define PATH_TEMPLATE_NAME "--path"

/* Add a template such as {model}-n{nodes}-bs{batch}-r{run}.log before all
 * layouts of the set and after the templates added earlier.
 *
 * template  {FIELD} captures a field of layouts: digits for a count, else any
 *           text up to the next part of the template. {batch} is the batch size
 *           per device, {label_NAME} a free label.  '*' matches any text
 *           without '/'.  The template matches the end of a path, starting at a
 *           part; it omits suffixes of compressed files.
 *
 * Returns 0, or -1 with ERROR_USAGE if a field is unknown or repeated. */
int path_template_add(
    struct format_set *set, const char *template, struct error *e);

/* True if a template of the set matches the path. */
int path_template_fits(const struct path_layout_match *m);

/* --- Spelling ------------------------------------------------------------- */

/* Levenshtein's distance: number of insertions, deletions and replacements that
 * turn a into b. */
size_t spell_distance(const char *a, const char *b);

/* Returns the first choice with the smallest distance from word, NULL if that
 * exceeds a third of word's length (at least one).
 *
 * choices  NULL-terminated */
const char *spell_nearest(const char *word, const char *const *choices);

#endif
