/* Settings on which the speed of training usually depends, ordered by how much,
 * as a rule of thumb.
 * extract_logs keeps those that a log states (result_run.settings), and
 * report_results --reproduce compares them.
 */
#ifndef COMMON_RESULT_SPEED_SETTINGS_H
#define COMMON_RESULT_SPEED_SETTINGS_H

struct speed_setting {
	const char *key;     /* "hidden_size" */
	const char *aliases; /* other names in logs, between spaces */
	int always;          /* 1: missed if neither side states it */
};

/* The last has a NULL key. */
extern const struct speed_setting speed_settings[];

/* Find a setting by name or alias; the part after the last '.' counts, as in
 * "model.d_model". NULL: none. */
const struct speed_setting *speed_setting_find(const char *key);

#endif
