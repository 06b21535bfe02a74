/* Common part of the readers of settings: keys, values, and blocks of lines. */
#ifndef EXTRACT_LOG_SETTINGS_READER_H
#define EXTRACT_LOG_SETTINGS_READER_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/strbuf.h"
#include "extract/log/settings/setting.h"

enum {
	SETTINGS_KEY = 120, /* maximum bytes of a key */
	SETTINGS_DEPTH = 12 /* maximum nesting of keys */
};

/* A line "key:" followed by lines with larger indentation. */
struct settings_parent {
	size_t indent;
	const char *key;
};

struct settings_reader {
	struct arena *a;
	struct stated_setting *items;
	size_t n, alloc;
	int64_t line;
	struct settings_parent parents[SETTINGS_DEPTH];
	size_t n_parents;
	const char *section;    /* "[optim]" of an INI file, or NULL */
	size_t block;           /* first item of the current block */
	size_t in_block;        /* lines of it */
	int at_margin;          /* 1: that line is an unindented "key: value" */
	int64_t last_key;       /* line number of the last key line */
	char key[SETTINGS_KEY]; /* [key_len] the last key */
	size_t key_len;
	int in_code;          /* 1: inside a printed program */
	struct strbuf joined; /* command with its continuation lines */
};

/* Add a setting if it distinguishes cases.
 *
 * prefix      its parent keys, or ""
 * key, value  [key_len], [len] */
void settings_reader_add(struct settings_reader *r, enum setting_place place,
    const char *prefix, const char *key, size_t key_len, const char *value,
    size_t len);

/* End the current block. */
void settings_reader_end_block(struct settings_reader *r);

/* Length of the key at s [len], or 0. */
size_t settings_key_length(const char *s, size_t len);

/* True if text ends with `end`. */
int settings_ends_with(const char *text, const char *end);

/* Read the commands of a line [len].  Returns 1 if one runs a program. */
int settings_read_command(
    struct settings_reader *r, const char *line, size_t len);

/* True for a line [len] with the configuration of a run store. */
int settings_is_store(const char *line, size_t len);

/* Read the printed object on a line [len]. Returns 1 if there is one. */
int settings_read_object(
    struct settings_reader *r, const char *line, size_t len);

/* Read a line [len] of a dumped configuration: "key: value", "[part]", or
 * several settings; "KEY=value" is a variable. */
void settings_read_dump(
    struct settings_reader *r, const char *line, size_t len);

/* True if the line is part of a printed program. */
int settings_in_code(struct settings_reader *r, const char *line, size_t len);

#endif
