/* The settings that a log states before its first steps, with any key: on
 * command lines, in Namespace(...) and other printed objects, in dumped YAML,
 * JSON and tables of "key ..... value", in environment variables, and in the
 * configuration of run stores.
 *
 *	all = stated_settings_read(head, len, INT64_MAX, &arena);
 *	text = stated_settings_text(all, first_step, &arena);
 */
#ifndef EXTRACT_LOG_STATED_SETTINGS_H
#define EXTRACT_LOG_STATED_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "common/alloc.h"

/* Where a setting is stated. */
enum setting_place {
	SETTING_COMMAND = 'c',
	SETTING_DUMP = 'd',
	SETTING_ENVIRONMENT = 'e',
	SETTING_EVENT = 'm', /* one per line, as MLPerf logs them */
	SETTING_STORE = 's'
};

struct stated_setting {
	const char *key;   /* as in Python: "--batch-size" is "batch_size" */
	const char *value; /* "true" for a flag */
	enum setting_place place;
	int64_t line; /* from 1 */
};

struct stated_settings {
	struct stated_setting *items; /* in text order */
	size_t n;
};

/* True if a setting distinguishes cases. Seeds, ids, ranks, hosts, ports,
 * dates, paths, names of runs and measurements do not. */
int setting_counts(const char *key, const char *value);

/* Read the settings in the head of a log for which setting_counts is true.
 *
 * text  [len]
 * end   first line that is not read; later lines of run stores are read
 * a     owns the settings
 *
 * Returns the settings, possibly empty. */
struct stated_settings *stated_settings_read(
    const char *text, size_t len, int64_t end, struct arena *a);

/* Format settings as a text of sorted lines "KEY\tPLACE\tVALUE\n", so that
 * equal settings give equal texts. A key stated several times has all its
 * values, sorted and separated by commas; keys with too many values are left
 * out.
 *
 * end  use settings on lines before this one, and those of run stores
 * a    owns the text */
const char *stated_settings_text(
    const struct stated_settings *all, int64_t end, struct arena *a);

#endif
