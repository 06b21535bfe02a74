/* The settings that a log states before its first steps, whatever their keys:
 * on command lines, in Namespace(...) and other printed objects, in dumped
 * YAML, JSON and tables of "key ..... value", in environment variables, and in
 * the configuration of run stores.
 *
 *	struct stated_settings all;
 *	stated_settings_read(&all, head, len, INT64_MAX, &arena);
 *	text = stated_settings_text(&all, first_step, &arena);
 */
#ifndef EXTRACT_LOG_STATED_SETTINGS_H
#define EXTRACT_LOG_STATED_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

/* Where a setting is stated. */
enum setting_place {
	SETTING_COMMAND = 'c',
	SETTING_DUMP = 'd',
	SETTING_ENVIRONMENT = 'e',
	SETTING_EVENT = 'm', /* a line each, as MLPerf logs them */
	SETTING_STORE = 's'
};

struct stated_setting {
	const char *key;   /* as of Python: "--batch-size" is "batch_size" */
	const char *value; /* of a flag "true" */
	enum setting_place place;
	int64_t line; /* from 1 */
};

struct stated_settings {
	struct stated_setting *items; /* in the order of the text */
	size_t n;
};

/* Read the head of a log.  Keys and values that tell runs apart but not what
 * they do (setting_counts) are left out.
 *
 * text  [len]
 * end   the first line that is not read
 * a     where the settings live */
void stated_settings_read(struct stated_settings *all, const char *text,
    size_t len, int64_t end, struct arena *a);

/* Settings as one text, a line "KEY\tPLACE\tVALUE\n" each, sorted: equal where
 * the settings are.  A key that is stated several times has all its values, sorted; with many it is no
 * setting and left out.
 *
 * end  only those on lines before this one count, and those of stores
 * a    where the text lives */
const char *stated_settings_text(
    const struct stated_settings *all, int64_t end, struct arena *a);

/* Does a setting say what a run does?  Not a seed, an id, a rank, a host, a
 * port, a date, a path, the name of a run, or what was measured. */
int setting_counts(const char *key, const char *value);

#endif
