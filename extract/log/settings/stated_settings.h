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

#include "common/arena.h"
#include "extract/log/settings/setting.h"

struct stated_settings {
	struct stated_setting *items; /* in text order */
	size_t n;
};

/* Read the settings in the head of a log for which setting_counts is true.
 *
 * text  [len]
 * end   lines from this one on are not read, except those of run stores
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
