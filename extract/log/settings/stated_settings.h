/* The settings that a log states before its first steps, whatever their keys:
 * on command lines, in Namespace(...) and other printed objects, in dumped
 * YAML, JSON and tables of "key ..... value", in environment variables, and in
 * the configuration of run stores.
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
	struct stated_setting *items; /* in the order of the text */
	size_t n;
};

/* Read the settings in the head of a log, without those for which
 * setting_counts is false.
 *
 * text  [len]
 * end   lines from this one on are not read, except for a store's
 * a     where the settings live
 *
 * Returns the settings, which may be none. */
struct stated_settings *stated_settings_read(
    const char *text, size_t len, int64_t end, struct arena *a);

/* Settings as one text, a line "KEY\tPLACE\tVALUE\n" each, sorted, so that
 * equal settings give equal texts. A key that is stated several times has all
 * its values, sorted; with many it is no setting.
 *
 * end  only settings on lines before this one are used, and those of stores
 * a    where the text lives */
const char *stated_settings_text(
    const struct stated_settings *all, int64_t end, struct arena *a);

#endif
